//===-- LaunchPlan.cpp - how a scheduled kernel is launched ---------*- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Target/LaunchPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace rmsc;

/// Elements of a row that one thread may hold: beyond this the values of a few
/// streams no longer fit the 255 registers of a thread.
static constexpr int64_t maxElementsPerThread = 64;

static int64_t elementBytes(BlockArgument handle) {
  return row::getHandleElementType(handle.getType()).getIntOrFloatBitWidth() /
         8;
}

static int64_t countAccumulators(row::KernelOp kernel) {
  return llvm::range_size(kernel.getBody().getOps<row::AccumulateOp>());
}

LaunchPlan rmsc::planLaunches(row::KernelOp kernel, const TargetInfo &target) {
  row::ScheduleAttr schedule = kernel.getScheduleAttr();
  int64_t hiddenSize = kernel.getHiddenSize();
  LaunchPlan plan;
  plan.strided = schedule.getStrided();
  for (BlockArgument handle : kernel.getHandles()) {
    int64_t bytes = elementBytes(handle);
    plan.alignments.push_back(isa<row::ScalarsType>(handle.getType())
                                  ? bytes
                                  : schedule.getAccessBytes(bytes));
  }

  Launch &rows = plan.launches.emplace_back();
  rows.entry = kernel.getSymName().str();
  rows.block = schedule.getThreads();
  rows.rowsPerCta = schedule.getRowsPerCta();
  if (schedule.getGrid() == row::Grid::Persistent)
    rows.maxCtas = schedule.getCtasPerSm() * target.sms;
  rows.waits = schedule.getDependentLaunch();

  switch (schedule.getColumnSum()) {
  case row::ColumnSum::None:
    break;
  case row::ColumnSum::RoleSplit:
    rows.extraCtas = llvm::divideCeil(hiddenSize, schedule.getSumColumns());
    break;
  case row::ColumnSum::Partials: {
    // Every group of threads that walks rows stores a partial sum of its own.
    plan.workspaceBytesPerCta =
        rows.rowsPerCta * countAccumulators(kernel) * hiddenSize * 4;
    std::string entry = rows.entry + "_sum";
    Launch &sum = plan.launches.emplace_back();
    sum.entry = std::move(entry);
    sum.block = schedule.getSumThreads();
    sum.extraCtas = llvm::divideCeil(hiddenSize, schedule.getSumColumns());
    sum.dependent = sum.waits = target.dependentLaunch;
    break;
  }
  }
  return plan;
}

LogicalResult
rmsc::verifySchedule(row::KernelOp kernel, row::ScheduleAttr schedule,
                     const TargetInfo &target,
                     llvm::function_ref<InFlightDiagnostic()> emitError) {
  int64_t hiddenSize = kernel.getHiddenSize();
  if (schedule.getAccessBytes() > target.maxAccessBytes)
    return emitError() << "accesses of " << schedule.getAccessBytes()
                       << " bytes are wider than the " << target.maxAccessBytes
                       << " bytes of " << target.chip << "; lower access_bytes";
  if (hiddenSize % schedule.getElements() != 0)
    return emitError() << "hidden size " << hiddenSize
                       << " is not divisible by elements = "
                       << schedule.getElements();
  int64_t held = schedule.getChunks(hiddenSize) * schedule.getElements();
  if (held > maxElementsPerThread)
    return emitError() << "a thread would hold " << held
                       << " elements of a row of " << hiddenSize
                       << ", and at most " << maxElementsPerThread
                       << " fit its registers; raise threads_per_row";
  if (schedule.getCtasPerSm() * schedule.getThreads() > target.threadsPerSm)
    return emitError() << schedule.getCtasPerSm() << " CTAs of "
                       << schedule.getThreads()
                       << " threads do not fit an SM of " << target.chip
                       << ", which holds " << target.threadsPerSm
                       << " threads; lower ctas_per_sm";
  if (schedule.getDependentLaunch() && !target.dependentLaunch)
    return emitError() << target.chip << " has no dependent launch";
  bool sums = schedule.getColumnSum() != row::ColumnSum::None;
  if (sums != (countAccumulators(kernel) != 0))
    return emitError() << (sums ? "the kernel accumulates nothing along "
                                  "columns; drop column_sum"
                                : "the kernel accumulates along columns; say "
                                  "how with column_sum");
  return success();
}
