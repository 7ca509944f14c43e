//===-- ColumnSum.cpp - kernels that sum columns ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace rmsc;

using ValueMap = DenseMap<Value, ThreadValue>;

/// Stores one column's sum.
static void storeColumn(Emitter &e, Value sum, Value handle, Value column,
                        Value valid) {
  ImplicitLocOpBuilder &b = e.b;
  auto branch = scf::IfOp::create(b, valid, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Type elementType = row::getHandleElementType(handle.getType());
  if (!elementType.isF32())
    sum = arith::TruncFOp::create(b, elementType, sum);
  LLVM::StoreOp::create(
      b, sum, offsetPointer(b, e.getPointer(handle), elementType, column),
      elementType.getIntOrFloatBitWidth() / 8);
}

/// Adds up `lanes` values for each of `columns` columns of a CTA, laid out in
/// shared memory lane by lane, and stores the sums from column `firstColumn`
/// on. One warp sums a column.
static void reduceSharedColumns(Emitter &e, Value shared, int64_t lanes,
                                int64_t columns, int64_t pitch, int64_t threads,
                                Value firstColumn, Value handle) {
  ImplicitLocOpBuilder &b = e.b;
  NVVM::BarrierOp::create(b);
  int64_t warps = threads / warpSize;
  Value lane = e.remainder(e.getThread(), warpSize);
  Value warp = e.divide(e.getThread(), warpSize);
  Value isFirstLane =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, e.i32(0));
  for (int64_t base = 0; base < columns; base += warps) {
    Value column = arith::AddIOp::create(b, warp, e.i32(base));
    Value inSlab;
    if (base + warps > columns) {
      inSlab = e.lessThan(column, e.i32(columns));
      // Idle warps repeat the last column and store nothing.
      column = arith::MinUIOp::create(b, column, e.i32(columns - 1));
    }
    Value sum;
    for (int64_t first = 0; first < lanes; first += warpSize) {
      Value source = arith::AddIOp::create(b, lane, e.i32(first));
      Value exists;
      if (first + warpSize > lanes) {
        exists = e.lessThan(source, e.i32(lanes));
        source = arith::MinUIOp::create(b, source, e.i32(lanes - 1));
      }
      Value index = arith::AddIOp::create(
          b, arith::MulIOp::create(b, source, e.i32(pitch)), column);
      Value value = LLVM::LoadOp::create(b, b.getF32Type(),
                                         e.sharedElement(shared, index), 4);
      if (exists)
        value = arith::SelectOp::create(
            b, exists, value,
            arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f)));
      sum = sum ? arith::AddFOp::create(b, sum, value).getResult() : value;
    }
    sum = e.reduceLanes(sum, warpSize, row::ReduceKind::Sum);
    Value absolute = arith::AddIOp::create(b, firstColumn, column);
    Value valid = e.both(e.both(isFirstLane, inSlab),
                         e.lessThan(absolute, e.i32(e.kernel.getHiddenSize())));
    storeColumn(e, sum, handle, absolute, valid);
  }
}

//===----------------------------------------------------------------------===//
// CTAs that sum columns from the inputs
//===----------------------------------------------------------------------===//

void rmsc::walkColumns(Emitter &e, Value cta) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t threads = e.schedule.getThreads();
  int64_t elements = e.schedule.getElements();
  int64_t slab = e.schedule.getSumColumns();
  int64_t chunks = slab / elements;
  int64_t lanes = threads / chunks;
  int64_t rowsAtOnce = e.schedule.getSumRows();

  // Neighbouring threads take neighbouring chunks of the slab, then rows.
  Value lane = e.divide(e.getThread(), chunks);
  Value chunkInSlab = e.remainder(e.getThread(), chunks);
  Value first = arith::AddIOp::create(
      b, arith::MulIOp::create(b, cta, e.i32(chunks)), chunkInSlab);
  int64_t slabs = llvm::divideCeil(e.kernel.getHiddenSize(), slab);
  Layout layout = e.makeLayout(first, slabs * chunks, /*chunks=*/1, chunks);
  // Threads left over when the CTA's are dealt out take part in nothing.
  Value active;
  if (lanes * chunks != threads)
    active = e.lessThan(lane, e.i32(lanes));
  lane = arith::MinUIOp::create(b, lane, e.i32(lanes - 1));

  SmallVector<row::AccumulateOp> accumulates(
      e.kernel.getBody().getOps<row::AccumulateOp>());
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getParentOp() == e.kernel.getOperation();
  };
  SetVector<Operation *> slice;
  for (row::AccumulateOp accumulate : accumulates)
    for (Value operand : {accumulate.getLhs(), accumulate.getRhs()})
      (void)getBackwardSlice(operand, &slice, options);

  SmallVector<Value> carried;
  for (size_t i = 0; i < accumulates.size(); ++i)
    llvm::append_range(carried, e.makeAccumulator(layout));
  Value begin = arith::ExtUIOp::create(b, b.getI64Type(), lane);
  auto loop = scf::ForOp::create(b, begin, e.getRows(),
                                 e.i64(lanes * rowsAtOnce), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value last = arith::SubIOp::create(b, e.getRows(), e.i64(1));
    SmallVector<CurrentRow> rows(rowsAtOnce);
    SmallVector<ValueMap> values(rowsAtOnce);
    for (int64_t i = 0; i < rowsAtOnce; ++i) {
      Value row = loop.getInductionVar();
      if (i != 0) {
        row = arith::AddIOp::create(b, row, e.i64(i * lanes));
        rows[i].valid = e.lessThan(row, e.getRows());
      }
      rows[i].row = arith::MinUIOp::create(b, row, last);
      for (Operation &op : e.kernel.getBody().front())
        if (isa<row::LoadOp>(op) && slice.contains(&op))
          e.emit(op, layout, rows[i], values[i]);
    }
    SmallVector<Value> sums(loop.getRegionIterArgs());
    for (int64_t i = 0; i < rowsAtOnce; ++i) {
      for (Operation &op : e.kernel.getBody().front())
        if (slice.contains(&op))
          e.emit(op, layout, rows[i], values[i]);
      for (auto [sum, accumulate] : llvm::zip_equal(sums, accumulates))
        e.accumulate(accumulate, layout, rows[i], values[i], sum);
    }
    scf::YieldOp::create(b, sums);
  }

  // An odd pitch keeps the lanes of a column in different banks.
  int64_t pitch = slab + 1;
  Value firstColumn = arith::MulIOp::create(b, cta, e.i32(slab));
  for (auto [result, accumulate] :
       llvm::zip_equal(loop.getResults(), accumulates)) {
    Value sum = result;
    Value shared = e.allocateShared(lanes * pitch);
    Value index = arith::AddIOp::create(
        b, arith::MulIOp::create(b, lane, e.i32(pitch)),
        arith::MulIOp::create(b, chunkInSlab, e.i32(elements)));
    auto store = [&] {
      auto values = vector::ToElementsOp::create(b, sum);
      for (auto [i, value] : llvm::enumerate(values.getResults()))
        LLVM::StoreOp::create(
            b, value,
            offsetPointer(b, e.sharedElement(shared, index), b.getF32Type(), i),
            4);
    };
    if (active) {
      auto branch = scf::IfOp::create(b, active, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      store();
    } else {
      store();
    }
    reduceSharedColumns(e, shared, lanes, slab, pitch, threads, firstColumn,
                        accumulate.getTarget());
  }
}

//===----------------------------------------------------------------------===//
// The second launch
//===----------------------------------------------------------------------===//

/// Most partial sums that a thread loads before it adds the first one up.
static constexpr int64_t maxPartialsAtOnce = 10;

namespace {
/// The part of one thread in adding partial sums up.
struct PartialSum {
  PartialSum(Emitter &e, int64_t accumulators)
      : e(e), layout(e.schedule, e.kernel.getHiddenSize()),
        accumulators(accumulators),
        type(VectorType::get({layout.width}, e.b.getF32Type())) {
    int64_t columns = e.schedule.getSumColumns();
    int64_t chunks = columns / layout.width;
    lane = e.divide(e.getThread(), chunks);
    column = arith::MulIOp::create(e.b, e.remainder(e.getThread(), chunks),
                                   e.i32(layout.width));
    firstColumn = arith::MulIOp::create(e.b, e.getCta(), e.i32(columns));
    // Columns beyond the last one repeat it, and are not stored.
    loaded = arith::MinUIOp::create(
        e.b, arith::AddIOp::create(e.b, firstColumn, column),
        e.i32(e.kernel.getHiddenSize() - layout.width));
  }

  /// Adds this lane's part of `partials` (i32) up.
  Value sum(int64_t number, Value partials, int64_t maxPartials);

  Emitter &e;
  SumLayout layout;
  int64_t accumulators;
  VectorType type;
  /// First of the partials that this thread adds (i32), its first column in the
  /// CTA and that to load from, the CTA's first column.
  Value lane, column, loaded, firstColumn;
};
} // namespace

Value PartialSum::sum(int64_t number, Value partials, int64_t maxPartials) {
  ImplicitLocOpBuilder &b = e.b;
  Value zero =
      arith::ConstantOp::create(b, type, DenseElementsAttr::get(type, 0.0f));
  // The number of partials is bounded, so one trip of the loop below can take
  // them all: the latency of the loads is then paid once.
  int64_t partialsAtOnce = std::min<int64_t>(
      maxPartialsAtOnce, llvm::divideCeil(maxPartials, layout.lanes));
  int64_t hiddenSize = e.kernel.getHiddenSize();
  Value base = offsetPointer(
      b,
      offsetPointer(b, e.getWorkspace(), b.getF32Type(), number * hiddenSize),
      b.getF32Type(), loaded);
  auto loop = scf::ForOp::create(b, lane, partials,
                                 e.i32(layout.lanes * partialsAtOnce), zero);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value last = arith::SubIOp::create(b, partials, e.i32(1));
  SmallVector<Value> values;
  for (int64_t i = 0; i < partialsAtOnce; ++i) {
    Value partial = arith::AddIOp::create(
        b, loop.getInductionVar(), e.i32(i * layout.lanes),
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
    Value exists = e.lessThan(partial, partials);
    partial = arith::MinSIOp::create(b, partial, last);
    Value offset = arith::MulIOp::create(
        b, arith::ExtUIOp::create(b, b.getI64Type(), partial),
        e.i64(accumulators * hiddenSize));
    Value value = LLVM::LoadOp::create(
        b, type, offsetPointer(b, base, b.getF32Type(), offset),
        4 * layout.width);
    values.push_back(arith::SelectOp::create(b, exists, value, zero));
  }
  Value sum = loop.getRegionIterArgs().front();
  for (Value value : values)
    sum = arith::AddFOp::create(b, sum, value);
  scf::YieldOp::create(b, sum);
  return loop.getResult(0);
}

void rmsc::sumPartials(Emitter &e, const LaunchPlan &plan) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t columns = e.schedule.getSumColumns();
  int64_t maxPartials = plan.launches[0].maxCtas;
  SmallVector<row::AccumulateOp> accumulates(
      e.kernel.getBody().getOps<row::AccumulateOp>());
  PartialSum part(e, accumulates.size());
  Value partials = arith::TruncIOp::create(b, b.getI32Type(),
                                           e.countRowCtas(plan.launches[0]));
  for (auto [number, accumulate] : llvm::enumerate(accumulates)) {
    // Where all CTAs had rows, which of a thread's partials exist is known:
    // what is left are loads at constant distances.
    auto branch =
        scf::IfOp::create(b, part.type,
                          arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                partials, e.i32(maxPartials)),
                          /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b,
                           part.sum(number, e.i32(maxPartials), maxPartials));
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, part.sum(number, partials, maxPartials));
    }
    // An odd pitch keeps the lanes of a column in different banks.
    int64_t pitch = columns + 1;
    Value shared = e.allocateShared(part.layout.lanes * pitch);
    Value index = arith::AddIOp::create(
        b, arith::MulIOp::create(b, part.lane, e.i32(pitch)), part.column);
    auto sums = vector::ToElementsOp::create(b, branch.getResult(0));
    for (auto [i, sum] : llvm::enumerate(sums.getResults()))
      LLVM::StoreOp::create(b, sum,
                            offsetPointer(b, e.sharedElement(shared, index),
                                          b.getF32Type(),
                                          static_cast<int64_t>(i)),
                            4);
    reduceSharedColumns(e, shared, part.layout.lanes, columns, pitch,
                        e.schedule.getSumThreads(), part.firstColumn,
                        accumulate.getTarget());
  }
}
