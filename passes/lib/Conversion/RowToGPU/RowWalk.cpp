//===-- RowWalk.cpp - kernels that walk rows ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace rmsc;

using ValueMap = DenseMap<Value, ThreadValue>;

/// Elements of one access to accumulators in shared memory, at most: 16 bytes.
/// Those of neighbouring threads lie next to each other, so that none meets
/// another in a bank; the parts of a chunk, and chunks, lie a CTA apart.
static constexpr int64_t sharedWidth = 4;

static bool isColumnLoad(Operation &op) {
  auto load = dyn_cast<row::LoadOp>(op);
  return load && isa<row::ColumnsType>(load.getSource().getType());
}

/// Whether a reduction along the row depends on `value`.
static bool entersReduction(Value value) {
  SetVector<Operation *> users;
  getForwardSlice(value, &users);
  return llvm::any_of(users, llvm::IsaPred<row::ReduceOp, row::DotOp>);
}

namespace {
/// The part of a CTA that one thread plays, and the state it keeps over rows.
class RowWalk {
public:
  RowWalk(Emitter &e, const LaunchPlan &plan) : e(e), plan(plan) {
    int64_t threadsPerRow = e.schedule.getThreadsPerRow();
    Value inRow = e.remainder(e.getThread(), threadsPerRow);
    layout = e.makeLayout(inRow, threadsPerRow,
                          e.schedule.getChunks(e.kernel.getHiddenSize()),
                          threadsPerRow);
    if (e.schedule.getRowsPerCta() > 1)
      group = arith::ExtUIOp::create(e.b, e.b.getI64Type(),
                                     e.divide(e.getThread(), threadsPerRow));
    for (Operation &op : e.kernel.getBody().front()) {
      if (auto load = dyn_cast<row::LoadOp>(op); load && !isColumnLoad(op))
        rowLoads.push_back(load);
      // CTAs of another role sum columns otherwise.
      if (auto accumulate = dyn_cast<row::AccumulateOp>(op);
          accumulate && e.schedule.getColumnSum() == row::ColumnSum::Partials)
        accumulates.push_back(accumulate);
    }
  }

  void walkOnce(Value cta);
  void walkPersistently(Value cta, Value ctas);

private:
  Value firstRow(Value cta) {
    Value row = arith::ExtUIOp::create(e.b, e.b.getI64Type(), cta);
    if (e.schedule.getRowsPerCta() == 1)
      return row;
    return arith::MulIOp::create(e.b, row, e.i64(e.schedule.getRowsPerCta()));
  }
  /// This thread's row in the group of rows that starts at `base`.
  Value rowOf(Value base) {
    return group ? arith::AddIOp::create(e.b, base, group) : base;
  }
  /// `row`, or the last row where it lies beyond: safe to load from.
  Value clamp(Value row) {
    Value last = arith::SubIOp::create(e.b, e.getRows(), e.i64(1));
    return arith::MinUIOp::create(e.b, row, last);
  }
  CurrentRow currentRow(Value base) {
    Value row = rowOf(base);
    if (!group)
      return {row, {}};
    return {clamp(row), e.lessThan(row, e.getRows())};
  }
  SmallVector<Value> loadColumns(ValueMap &values) {
    SmallVector<Value> loaded;
    if (e.schedule.getColumnLoad() == row::ColumnLoad::Late)
      return loaded;
    for (Operation &op : e.kernel.getBody().front())
      if (isColumnLoad(op)) {
        bool own = columnLayout && !entersReduction(op.getResult(0));
        ThreadValue value =
            e.load(cast<row::LoadOp>(op), own ? *columnLayout : layout,
                   /*row=*/{}, /*valid=*/{});
        llvm::append_range(loaded, value);
        values[op.getResult(0)] = std::move(value);
      }
    return loaded;
  }
  /// Where registers are short, columns loaded early stay as they were loaded:
  /// each row computes from copies of them, made with a zero of the row's
  /// number (below 2^31), which keeps f32 values of theirs from being moved out
  /// of the loop.
  void copyColumns(Value row, ValueMap &values) {
    if (!e.isShortOfRegisters())
      return;
    Value zero;
    for (Operation &op : e.kernel.getBody().front()) {
      if (!isColumnLoad(op) || !values.contains(op.getResult(0)) ||
          getElementTypeOrSelf(op.getResult(0).getType()).isF32())
        continue;
      if (!zero)
        zero = e.makeZero(arith::TruncIOp::create(e.b, e.b.getI32Type(), row));
      ThreadValue &held = values[op.getResult(0)];
      held = copyVectors(e.b, held, zero);
    }
  }
  /// The row loads of one row, one after the other.
  SmallVector<Value> loadRow(const CurrentRow &row) {
    SmallVector<Value> loaded;
    for (row::LoadOp load : rowLoads)
      llvm::append_range(loaded, e.load(load, layout, row.row, row.valid));
    return loaded;
  }
  /// A row that may lie beyond the last one, whatever the CTA's own row does.
  CurrentRow rowAhead(Value base) {
    Value row = rowOf(base);
    return {clamp(row), e.lessThan(row, e.getRows())};
  }
  void mapRow(ValueRange loaded, ValueMap &values) {
    for (row::LoadOp load : rowLoads) {
      size_t count = isa<VectorType>(load.getType()) ? layout.chunks() : 1;
      values[load.getResult()] = ThreadValue(loaded.take_front(count));
      loaded = loaded.drop_front(count);
    }
  }
  void emitBody(const CurrentRow &row, ValueMap &values) {
    for (Operation &op : e.kernel.getBody().front())
      if (!isColumnLoad(op))
        e.emit(op, layout, row, values);
  }
  Value shareRow(Value part);
  bool inShared() const {
    return e.schedule.getAccumulators() == row::Accumulators::Shared;
  }
  SmallVector<Value> loadShared();
  void storeShared(ValueRange accumulators);
  void storePartials(Value cta, ValueRange accumulators);
  Value partialPointer(Value cta, int64_t number);
  SmallVector<Value> sumLanes(ValueRange accumulators);
  void combineGroups(Value cta, ValueRange accumulators);

  Emitter &e;
  const LaunchPlan &plan;
  Layout layout;
  /// Which columns that enter no reduction a thread loads early, where not
  /// those of `layout`.
  std::optional<Layout> columnLayout;
  Value group;
  /// This thread's first element of the accumulators in shared memory.
  Value sharedAccumulators;
  SmallVector<row::LoadOp> rowLoads;
  SmallVector<row::AccumulateOp> accumulates;
};

} // namespace

/// Where several CTAs share a row, each computes all of it and stores what the
/// threads of its own part hold. The other threads need no columns for that.
/// They load the part's again, which costs no traffic, where their own would
/// cost as much as another input. Returns whether this thread stores (i1).
Value RowWalk::shareRow(Value part) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t threadsPerRow = e.schedule.getThreadsPerRow();
  int64_t partThreads = threadsPerRow / e.schedule.getCtasPerRow();
  Value inPart = arith::AddIOp::create(
      b, arith::MulIOp::create(b, part, e.i32(partThreads)),
      e.remainder(e.getThread(), partThreads));
  columnLayout =
      e.makeLayout(inPart, threadsPerRow, layout.chunks(), threadsPerRow);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inPart,
                               e.getThread());
}

void RowWalk::walkOnce(Value cta) {
  Value stores;
  if (int64_t ctasPerRow = e.schedule.getCtasPerRow(); ctasPerRow > 1) {
    stores = shareRow(e.remainder(cta, ctasPerRow));
    cta = e.divide(cta, ctasPerRow);
  }
  CurrentRow row = currentRow(firstRow(cta));
  row.valid = e.both(row.valid, stores);
  ValueMap values;
  // The rows come from far, the columns are likely in the cache: rows first.
  SmallVector<Value> loaded = loadRow(row);
  mapRow(loaded, values);
  llvm::append_range(loaded, loadColumns(values));
  pinVectors(e.b, loaded);
  emitBody(row, values);
}

void RowWalk::walkPersistently(Value cta, Value ctas) {
  ImplicitLocOpBuilder &b = e.b;
  Value step = firstRow(ctas);
  Value begin = firstRow(cta);
  int64_t prefetchRows = e.schedule.getPrefetchRows();

  // What the loop carries: the rows loaded ahead, oldest first, then the column
  // accumulators, then the phase of the reduction buffer.
  SmallVector<Value> carried;
  Value ahead = begin;
  for (int64_t i = 0; i < prefetchRows; ++i) {
    llvm::append_range(carried, loadRow(rowAhead(ahead)));
    ahead = arith::AddIOp::create(b, ahead, step);
  }
  size_t prefetched = carried.size();
  ValueMap invariant;
  loadColumns(invariant);
  SmallVector<Value> zeros;
  for (size_t i = 0; i < accumulates.size(); ++i)
    llvm::append_range(zeros, e.makeAccumulator(layout));
  if (inShared()) {
    int64_t width = std::min(sharedWidth, layout.elements);
    sharedAccumulators =
        e.sharedElement(e.declareDynamicShared(),
                        arith::MulIOp::create(b, e.getThread(), e.i32(width)));
    storeShared(zeros);
  } else {
    llvm::append_range(carried, zeros);
  }
  carried.push_back(e.phase);

  auto loop = scf::ForOp::create(b, begin, e.getRows(), step, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    CurrentRow row = currentRow(loop.getInductionVar());
    ValueRange args = loop.getRegionIterArgs();
    ValueMap values = invariant;
    copyColumns(loop.getInductionVar(), values);
    SmallVector<Value> next;
    if (prefetchRows == 0) {
      SmallVector<Value> loaded = loadRow(row);
      pinVectors(b, loaded);
      mapRow(loaded, values);
    } else {
      size_t perRow = prefetched / prefetchRows;
      mapRow(args.take_front(perRow), values);
      // At the top, so that the loads are under way while the row is computed.
      Value aheadBase = arith::AddIOp::create(
          b, loop.getInductionVar(),
          arith::MulIOp::create(b, step, e.i64(prefetchRows)));
      SmallVector<Value> loaded = loadRow(rowAhead(aheadBase));
      pinVectors(b, loaded);
      llvm::append_range(next, args.slice(perRow, prefetched - perRow));
      llvm::append_range(next, loaded);
    }
    e.phase = args.back();
    emitBody(row, values);
    SmallVector<Value> sums(args.drop_front(prefetched).drop_back());
    if (inShared())
      sums = loadShared();
    MutableArrayRef<Value> rest = sums;
    for (row::AccumulateOp accumulate : accumulates) {
      e.accumulate(accumulate, layout, row, values,
                   rest.take_front(layout.chunks()));
      rest = rest.drop_front(layout.chunks());
    }
    if (inShared())
      storeShared(sums);
    else
      llvm::append_range(next, sums);
    next.push_back(e.phase);
    scf::YieldOp::create(b, next);
  }
  e.phase = loop.getResults().back();
  if (accumulates.empty())
    return;
  // From here on nothing is left that is worth waiting for before the second
  // launch is brought in: it waits for the stores below by itself.
  if (plan.launches[1].dependent)
    NVVM::GriddepcontrolOp::create(b,
                                   NVVM::GridDepActionKind::launch_dependents);
  SmallVector<Value> sums(loop.getResults().drop_front(prefetched).drop_back());
  storePartials(cta, inShared() ? loadShared() : sums);
}

/// This thread's accumulators from shared memory, one after the other.
SmallVector<Value> RowWalk::loadShared() {
  ImplicitLocOpBuilder &b = e.b;
  int64_t width = std::min(sharedWidth, layout.elements);
  int64_t parts = layout.elements / width;
  auto type = VectorType::get({width}, b.getF32Type());
  SmallVector<Value> accumulators;
  for (int64_t c = 0, n = accumulates.size() * layout.chunks(); c < n; ++c) {
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < parts; ++i)
      loaded.push_back(LLVM::LoadOp::create(
          b, type,
          offsetPointer(b, sharedAccumulators, b.getF32Type(),
                        (c * parts + i) * width * e.schedule.getThreads()),
          4 * width));
    accumulators.push_back(joinVectors(b, std::move(loaded)));
  }
  return accumulators;
}

void RowWalk::storeShared(ValueRange accumulators) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t width = std::min(sharedWidth, layout.elements);
  int64_t parts = layout.elements / width;
  for (auto [c, accumulator] : llvm::enumerate(accumulators))
    for (int64_t i = 0; i < parts; ++i)
      LLVM::StoreOp::create(
          b, sliceVector(b, accumulator, i * width, width),
          offsetPointer(b, sharedAccumulators, b.getF32Type(),
                        (c * parts + i) * width * e.schedule.getThreads()),
          4 * width);
}

/// Where CTA `cta` leaves its partial sum for accumulator `number`.
Value RowWalk::partialPointer(Value cta, int64_t number) {
  ImplicitLocOpBuilder &b = e.b;
  Value row = arith::ExtUIOp::create(b, b.getI64Type(), cta);
  row = arith::MulIOp::create(b, row, e.i64(accumulates.size()));
  row = arith::AddIOp::create(b, row, e.i64(number));
  return offsetPointer(
      b, e.getWorkspace(), b.getF32Type(),
      arith::MulIOp::create(b, row, e.i64(e.kernel.getHiddenSize())));
}

/// Stores one partial sum for each accumulator, whatever the rows a CTA works
/// on at once: the second launch takes time for each partial sum it reads. A
/// CTA without a row stores its zeros, since all of them are read.
void RowWalk::storePartials(Value cta, ValueRange accumulators) {
  int64_t threadsPerRow = e.schedule.getThreadsPerRow();
  SmallVector<Value> sums = sumLanes(accumulators);
  if (e.schedule.getThreads() > std::max(threadsPerRow, warpSize)) {
    combineGroups(cta, sums);
    return;
  }
  // The other lanes of the warp hold the same sums.
  Value stores;
  if (threadsPerRow < warpSize)
    stores = e.lessThan(e.getThread(), e.i32(threadsPerRow));
  Access access;
  access.bytes = std::min(workspaceAlignment, e.schedule.getAccessBytes(4));
  ValueRange rest = sums;
  for (size_t i = 0; i < accumulates.size(); ++i) {
    e.storeChunks(rest.take_front(layout.chunks()), partialPointer(cta, i),
                  layout, stores, access);
    rest = rest.drop_front(layout.chunks());
  }
}

/// Adds up what the lanes of a warp hold of the same columns, where several
/// rows share a warp.
SmallVector<Value> RowWalk::sumLanes(ValueRange accumulators) {
  SmallVector<Value> sums(accumulators);
  if (e.schedule.getThreadsPerRow() >= warpSize)
    return sums;
  for (Value &chunk : sums) {
    auto elements = vector::ToElementsOp::create(e.b, chunk);
    SmallVector<Value> summed;
    for (Value element : elements.getResults())
      summed.push_back(e.reduceLanes(element, warpSize, row::ReduceKind::Sum,
                                     e.schedule.getThreadsPerRow()));
    chunk = vector::FromElementsOp::create(
        e.b, cast<VectorType>(chunk.getType()), summed);
  }
  return sums;
}

/// Adds the sums of a CTA's groups of threads up through shared memory and
/// stores the result. A group is the threads of one row, or a warp that
/// `sumLanes` has made one. What a thread holds is cut into slices of one
/// shared access; as many as the buffer holds go through it in one round.
void RowWalk::combineGroups(Value cta, ValueRange accumulators) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t threadsPerRow = e.schedule.getThreadsPerRow();
  int64_t threads = e.schedule.getThreads();
  int64_t groupThreads = std::max(threadsPerRow, warpSize);
  int64_t groups = threads / groupThreads;
  CombineBuffer buffer(e.schedule, e.kernel.getHiddenSize());
  int64_t width = buffer.sliceElements;
  int64_t slicesOfChunk = layout.elements / width;
  int64_t slices = layout.chunks() * slicesOfChunk;
  int64_t rowChunks = e.kernel.getHiddenSize() / layout.elements;
  auto sliceType = VectorType::get({width}, b.getF32Type());

  Value group = e.divide(e.getThread(), groupThreads);
  Value inGroup = e.remainder(e.getThread(), groupThreads);
  Value shared = e.allocateShared(buffer.floats());
  auto slot = [&](Value slice, Value group, Value position) {
    Value index = arith::AddIOp::create(
        b, arith::MulIOp::create(b, slice, e.i32(groups)), group);
    index = arith::AddIOp::create(
        b, arith::MulIOp::create(b, index, e.i32(threadsPerRow)), position);
    return e.sharedElement(shared,
                           arith::MulIOp::create(b, index, e.i32(width)));
  };
  // Lanes beyond those of one row hold nothing new.
  Value writes;
  if (threadsPerRow < groupThreads)
    writes = e.lessThan(inGroup, e.i32(threadsPerRow));

  bool first = true;
  for (size_t number = 0; number < accumulates.size(); ++number) {
    ValueRange chunks =
        accumulators.slice(number * layout.chunks(), layout.chunks());
    Value partial = partialPointer(cta, number);
    for (int64_t begin = 0; begin < slices; begin += buffer.slices) {
      int64_t count = std::min(buffer.slices, slices - begin);
      // What the round before left has been read.
      if (!first)
        NVVM::BarrierOp::create(b);
      first = false;
      {
        OpBuilder::InsertionGuard guard(b);
        if (writes) {
          auto branch = scf::IfOp::create(b, writes, /*withElseRegion=*/false);
          b.setInsertionPointToStart(branch.thenBlock());
        }
        for (int64_t i = 0; i < count; ++i) {
          int64_t slice = begin + i;
          Value part = sliceVector(b, chunks[slice / slicesOfChunk],
                                   slice % slicesOfChunk * width, width);
          LLVM::StoreOp::create(b, part, slot(e.i32(i), group, inGroup),
                                4 * width);
        }
      }
      NVVM::BarrierOp::create(b);
      // All threads of the CTA share in what follows.
      for (int64_t base = 0; base < count * threadsPerRow; base += threads) {
        Value item = e.getThread();
        if (base != 0)
          item = arith::AddIOp::create(b, item, e.i32(base));
        Value inRound = e.divide(item, threadsPerRow);
        Value position = e.remainder(item, threadsPerRow);
        Value slice = arith::AddIOp::create(b, inRound, e.i32(begin));
        Value chunk = arith::AddIOp::create(
            b,
            arith::MulIOp::create(b, e.divide(slice, slicesOfChunk),
                                  e.i32(threadsPerRow)),
            position);
        Value valid;
        if (base + threads > count * threadsPerRow)
          valid = e.lessThan(item, e.i32(count * threadsPerRow));
        if (layout.chunks() * threadsPerRow > rowChunks)
          valid = e.both(valid, e.lessThan(chunk, e.i32(rowChunks)));
        OpBuilder::InsertionGuard guard(b);
        if (valid) {
          auto branch = scf::IfOp::create(b, valid, /*withElseRegion=*/false);
          b.setInsertionPointToStart(branch.thenBlock());
        }
        Value sum;
        for (int64_t g = 0; g < groups; ++g) {
          Value part = LLVM::LoadOp::create(
              b, sliceType, slot(inRound, e.i32(g), position), 4 * width);
          sum = sum ? arith::AddFOp::create(b, sum, part).getResult() : part;
        }
        Value column = arith::AddIOp::create(
            b, arith::MulIOp::create(b, chunk, e.i32(layout.elements)),
            arith::MulIOp::create(b, e.remainder(slice, slicesOfChunk),
                                  e.i32(width)));
        LLVM::StoreOp::create(b, sum,
                              offsetPointer(b, partial, b.getF32Type(), column),
                              4 * width);
      }
    }
  }
}

void rmsc::walkRows(Emitter &e, const LaunchPlan &plan, Value cta, Value ctas) {
  RowWalk walk(e, plan);
  if (e.schedule.getGrid() == row::Grid::OneShot)
    walk.walkOnce(cta);
  else
    walk.walkPersistently(cta, ctas);
}
