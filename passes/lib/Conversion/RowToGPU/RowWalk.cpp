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

} // namespace

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
  if (plan.launches[1].dependent)
    NVVM::GriddepcontrolOp::create(b,
                                   NVVM::GridDepActionKind::launch_dependents);
  storePartials(cta, loop.getResults().drop_front(prefetched).drop_back());
}

void RowWalk::storePartials(Value cta, ValueRange accumulators) {
  ImplicitLocOpBuilder &b = e.b;
  Value index = rowOf(firstRow(cta));
  index = arith::MulIOp::create(b, index, e.i64(accumulates.size()));
  Access access;
  access.bytes = std::min(workspaceAlignment, e.schedule.getAccessBytes(4));
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
