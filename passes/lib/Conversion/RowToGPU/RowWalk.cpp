//===-- RowWalk.cpp - kernels that walk rows ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walks.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace rmsc;

using ValueMap = DenseMap<Value, ThreadValue>;

static bool isColumnLoad(Operation &op) {
  auto load = dyn_cast<row::LoadOp>(op);
  return load && isa<row::ColumnsType>(load.getSource().getType());
}

namespace {
class RegisterPrefetch;
class SharedPrefetch;

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
      if (auto accumulate = dyn_cast<row::AccumulateOp>(op))
        accumulates.push_back(accumulate);
    }
  }

  void walkOnce(Value cta);
  void walkPersistently(Value cta, Value ctas);

  /// How rows loaded ahead of the one that is computed are kept.
  class Prefetch {
  public:
    explicit Prefetch(RowWalk &walk) : walk(walk) {}
    virtual ~Prefetch() = default;
    /// Ahead of the loop, for each of the first rows in turn: starts loading a
    /// row and adds to what the loop carries.
    virtual void start(const CurrentRow &row,
                       SmallVectorImpl<Value> &carried) = 0;
    /// In the loop: starts loading `aheadRow`, maps the loads of the current
    /// row, and gives what the loop carries on.
    virtual void advance(ValueRange args, const CurrentRow &aheadRow,
                         SmallVectorImpl<Value> &next, ValueMap &values) = 0;

  protected:
    RowWalk &walk;
  };

private:
  friend class RegisterPrefetch;
  friend class SharedPrefetch;

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
        ThreadValue value =
            e.load(cast<row::LoadOp>(op), layout, /*row=*/{}, /*valid=*/{});
        llvm::append_range(loaded, value);
        values[op.getResult(0)] = std::move(value);
      }
    return loaded;
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
  void storePartials(Value cta, ValueRange accumulators);

  Emitter &e;
  const LaunchPlan &plan;
  Layout layout;
  Value group;
  SmallVector<row::LoadOp> rowLoads;
  SmallVector<row::AccumulateOp> accumulates;
};

void RowWalk::walkOnce(Value cta) {
  CurrentRow row = currentRow(firstRow(cta));
  ValueMap values;
  // The rows come from far, the columns are likely in the cache: rows first.
  SmallVector<Value> loaded = loadRow(row);
  mapRow(loaded, values);
  llvm::append_range(loaded, loadColumns(values));
  pinVectors(e.b, loaded);
  emitBody(row, values);
}

/// Rows loaded ahead into registers: the loop carries their values, oldest
/// first.
class RegisterPrefetch : public RowWalk::Prefetch {
public:
  using Prefetch::Prefetch;

  void start(const CurrentRow &row, SmallVectorImpl<Value> &carried) override {
    llvm::append_range(carried, walk.loadRow(row));
  }
  void advance(ValueRange args, const CurrentRow &aheadRow,
               SmallVectorImpl<Value> &next, ValueMap &values) override {
    int64_t perRow = args.size() / walk.e.schedule.getPrefetchRows();
    walk.mapRow(args.take_front(perRow), values);
    SmallVector<Value> loaded = walk.loadRow(aheadRow);
    pinVectors(walk.e.b, loaded);
    llvm::append_range(next, args.drop_front(perRow));
    llvm::append_range(next, loaded);
  }
};

/// Rows loaded ahead into shared memory by asynchronous copies. Every thread
/// copies what it will itself read, so no barrier is needed. The copies of one
/// row are one group, and the stages are taken in turn. Scalars of a row, a
/// register each, are carried by the loop.
class SharedPrefetch : public RowWalk::Prefetch {
public:
  explicit SharedPrefetch(RowWalk &walk)
      : Prefetch(walk), shared(walk.e.getDynamicShared()),
        stageBytes(prefetchStageBytes(walk.e.kernel, walk.e.schedule)) {}

  void start(const CurrentRow &row, SmallVectorImpl<Value> &carried) override {
    copy(row.row, walk.e.i32(started++ * stageBytes));
    llvm::append_range(carried, loadScalars(row));
    if (started == walk.e.schedule.getPrefetchRows())
      carried.push_back(walk.e.i32(0));
  }
  void advance(ValueRange args, const CurrentRow &aheadRow,
               SmallVectorImpl<Value> &next, ValueMap &values) override {
    ImplicitLocOpBuilder &b = walk.e.b;
    int64_t ahead = walk.e.schedule.getPrefetchRows();
    Value stage = args.back();
    // The stage ahead of this one: it was read one row ago, and the barrier of
    // that row's reduction lies in between.
    Value free = step(stage, ahead * stageBytes);
    copy(aheadRow.row, free);
    SmallVector<Value> scalars = loadScalars(aheadRow);
    NVVM::CpAsyncWaitGroupOp::create(b, ahead);

    ValueRange carriedScalars = args.drop_back();
    size_t perRow = scalars.size();
    ValueRange current = carriedScalars.take_front(perRow);
    Value place = stage;
    for (row::LoadOp load : walk.rowLoads) {
      if (isa<row::ScalarsType>(load.getSource().getType())) {
        values[load.getResult()] = {current.front()};
        current = current.drop_front();
        continue;
      }
      ThreadValue chunks;
      forEachChunk(load, place, [&](int64_t, Value chunkPlace) {
        chunks.push_back(loadCopiedVector(
            b, walk.e.chunkType(load, walk.layout), walk.e.getAccess(load),
            chunkPlace, walk.e.getThread(), walk.e.schedule.getThreads()));
      });
      values[load.getResult()] = std::move(chunks);
    }
    llvm::append_range(next, carriedScalars.drop_front(perRow));
    llvm::append_range(next, scalars);
    next.push_back(step(stage, stageBytes));
  }

private:
  /// `stage` plus `bytes`, back at the start behind the last stage.
  Value step(Value stage, int64_t bytes) {
    ImplicitLocOpBuilder &b = walk.e.b;
    int64_t size = (walk.e.schedule.getPrefetchRows() + 1) * stageBytes;
    Value next = arith::AddIOp::create(b, stage, walk.e.i32(bytes));
    Value wrapped = arith::SubIOp::create(b, next, walk.e.i32(size));
    return arith::SelectOp::create(b, walk.e.lessThan(next, walk.e.i32(size)),
                                   next, wrapped);
  }
  /// Calls `chunk` with each chunk's number and the address of its places, and
  /// moves `place`, an offset in bytes, behind them.
  void forEachChunk(row::LoadOp load, Value &place,
                    llvm::function_ref<void(int64_t, Value)> chunk) {
    ImplicitLocOpBuilder &b = walk.e.b;
    VectorType type = walk.e.chunkType(load, walk.layout);
    int64_t bytes = walk.e.schedule.getThreads() * type.getDimSize(0) *
                    type.getElementTypeBitWidth() / 8;
    for (int64_t c = 0; c < walk.layout.chunks(); ++c) {
      chunk(c, offsetPointer(b, shared, b.getI8Type(), place));
      place = arith::AddIOp::create(b, place, walk.e.i32(bytes));
    }
  }
  void copy(Value row, Value place) {
    ImplicitLocOpBuilder &b = walk.e.b;
    for (row::LoadOp load : walk.rowLoads) {
      if (isa<row::ScalarsType>(load.getSource().getType()))
        continue;
      SmallVector<Value> sources = walk.e.chunkPointers(load, walk.layout, row);
      forEachChunk(load, place, [&](int64_t c, Value chunkPlace) {
        copyVectorAsync(b, sources[c], walk.e.chunkType(load, walk.layout),
                        walk.e.getAccess(load), chunkPlace, walk.e.getThread(),
                        walk.e.schedule.getThreads());
      });
    }
    NVVM::CpAsyncCommitGroupOp::create(b);
  }
  SmallVector<Value> loadScalars(const CurrentRow &row) {
    SmallVector<Value> loaded;
    for (row::LoadOp load : walk.rowLoads)
      if (isa<row::ScalarsType>(load.getSource().getType()))
        llvm::append_range(loaded,
                           walk.e.load(load, walk.layout, row.row, row.valid));
    return loaded;
  }

  Value shared;
  int64_t stageBytes;
  int64_t started = 0;
};
} // namespace

void RowWalk::walkPersistently(Value cta, Value ctas) {
  ImplicitLocOpBuilder &b = e.b;
  bool releases = plan.launches.size() > 1 && plan.launches[1].dependent;
  if (releases && e.schedule.getEarlyRelease())
    NVVM::GriddepcontrolOp::create(b,
                                   NVVM::GridDepActionKind::launch_dependents);
  Value step = firstRow(ctas);
  Value begin = firstRow(cta);
  int64_t prefetchRows = e.schedule.getPrefetchRows();
  std::unique_ptr<Prefetch> prefetch;
  if (prefetchRows != 0) {
    if (e.schedule.getPrefetchIn() == row::PrefetchIn::Shared)
      prefetch = std::make_unique<SharedPrefetch>(*this);
    else
      prefetch = std::make_unique<RegisterPrefetch>(*this);
  }

  // What the loop carries: what belongs to the rows loaded ahead, then the
  // column accumulators, then the phase of the reduction buffer.
  SmallVector<Value> carried;
  Value ahead = begin;
  for (int64_t i = 0; i < prefetchRows; ++i) {
    prefetch->start(rowAhead(ahead), carried);
    ahead = arith::AddIOp::create(b, ahead, step);
  }
  size_t prefetched = carried.size();
  ValueMap invariant;
  loadColumns(invariant);
  for (size_t i = 0; i < accumulates.size(); ++i)
    llvm::append_range(carried, e.makeAccumulator(layout));
  carried.push_back(e.phase);

  auto loop = scf::ForOp::create(b, begin, e.getRows(), step, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    CurrentRow row = currentRow(loop.getInductionVar());
    ValueRange args = loop.getRegionIterArgs();
    ValueMap values = invariant;
    SmallVector<Value> next;
    if (prefetch) {
      // At the top, so that the loads are under way while the row is computed.
      Value aheadRow = arith::AddIOp::create(
          b, loop.getInductionVar(),
          arith::MulIOp::create(b, step, e.i64(prefetchRows)));
      prefetch->advance(args.take_front(prefetched), rowAhead(aheadRow), next,
                        values);
    } else {
      SmallVector<Value> loaded = loadRow(row);
      pinVectors(b, loaded);
      mapRow(loaded, values);
    }
    e.phase = args.back();
    emitBody(row, values);
    SmallVector<Value> sums(args.drop_front(prefetched).drop_back());
    MutableArrayRef<Value> rest = sums;
    for (row::AccumulateOp accumulate : accumulates) {
      e.accumulate(accumulate, layout, row, values,
                   rest.take_front(layout.chunks()));
      rest = rest.drop_front(layout.chunks());
    }
    llvm::append_range(next, sums);
    next.push_back(e.phase);
    scf::YieldOp::create(b, next);
  }
  e.phase = loop.getResults().back();
  if (accumulates.empty())
    return;
  // From here on nothing is left that is worth waiting for before the second
  // launch is brought in: it waits for the stores below by itself.
  if (releases && !e.schedule.getEarlyRelease())
    NVVM::GriddepcontrolOp::create(b,
                                   NVVM::GridDepActionKind::launch_dependents);
  storePartials(cta, loop.getResults().drop_front(prefetched).drop_back());
}

void RowWalk::storePartials(Value cta, ValueRange accumulators) {
  ImplicitLocOpBuilder &b = e.b;
  Value index = rowOf(firstRow(cta));
  index = arith::MulIOp::create(b, index, e.i64(accumulates.size()));
  Access access;
  access.bytes = e.schedule.getAccessBytes(4);
  for (size_t i = 0; i < accumulates.size(); ++i) {
    Value row = arith::AddIOp::create(b, index, e.i64(i));
    Value pointer = offsetPointer(
        b, e.getWorkspace(), b.getF32Type(),
        arith::MulIOp::create(b, row, e.i64(e.kernel.getHiddenSize())));
    // A group without a row stores its zeros: all partials are read.
    e.storeChunks(accumulators.take_front(layout.chunks()), pointer, layout,
                  /*valid=*/{}, access);
    accumulators = accumulators.drop_front(layout.chunks());
  }
}

void rmsc::walkRows(Emitter &e, const LaunchPlan &plan, Value cta, Value ctas) {
  RowWalk walk(e, plan);
  if (e.schedule.getGrid() == row::Grid::OneShot)
    walk.walkOnce(cta);
  else
    walk.walkPersistently(cta, ctas);
}
