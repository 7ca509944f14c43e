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

/// Bytes that a combine buffer has at most, unless a single slice takes more:
/// enough for CTAs of 512 threads with 8 elements each to need one round.
static constexpr int64_t maxCombineBytes = 16 << 10;

CombineBuffer::CombineBuffer(row::ScheduleAttr schedule, int64_t hiddenSize)
    : sliceElements(std::min<int64_t>(4, schedule.getElements())) {
  int64_t threadsPerRow = schedule.getThreadsPerRow();
  int64_t groups = schedule.getThreads() / std::max(threadsPerRow, warpSize);
  if (groups == 1)
    return;
  sliceFloats = groups * threadsPerRow * sliceElements;
  slices = std::clamp<int64_t>(maxCombineBytes / (4 * sliceFloats), 1,
                               schedule.getChunks(hiddenSize) *
                                   schedule.getElements() / sliceElements);
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
  rows.ctasPerRow = schedule.getCtasPerRow();
  if (schedule.getGrid() == row::Grid::Persistent)
    rows.maxCtas = schedule.getCtasPerSm() * target.sms;
  rows.waits = schedule.getDependentLaunch();
  rows.dynamicSharedBytes = dynamicSharedBytes(kernel, schedule);

  switch (schedule.getColumnSum()) {
  case row::ColumnSum::None:
    break;
  case row::ColumnSum::RoleSplit:
    rows.extraCtas = llvm::divideCeil(hiddenSize, schedule.getSumColumns());
    break;
  case row::ColumnSum::Partials: {
    // One partial sum a CTA, whatever the rows it works on at once.
    plan.workspaceBytesPerCta = countAccumulators(kernel) * hiddenSize * 4;
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

std::string rmsc::roleSplitObstacle(row::KernelOp kernel) {
  SmallVector<Value> worklist;
  for (auto accumulate : kernel.getBody().getOps<row::AccumulateOp>())
    worklist.append({accumulate.getLhs(), accumulate.getRhs()});
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (isa<row::ReduceOp, row::DotOp>(op))
      return "a reduction along the row enters what is summed along columns";
    if (auto load = dyn_cast<row::LoadOp>(op)) {
      auto handle = cast<BlockArgument>(load.getSource());
      if (kernel.mayBeAliased(handle))
        return "input #" + std::to_string(handle.getArgNumber()) +
               ", which it would read, may share its buffer with an output";
    }
    llvm::append_range(worklist, op->getOperands());
  }
  return "";
}

SumLayout::SumLayout(row::ScheduleAttr schedule, int64_t hiddenSize)
    : width(std::min<int64_t>(4, schedule.getSumColumns())) {
  while (hiddenSize % width != 0)
    width /= 2;
  lanes = schedule.getSumThreads() * width / schedule.getSumColumns();
}

/// Floats that lanes of a CTA which sums columns need to meet: one column a
/// float, and a float between the lanes.
static int64_t columnFloats(row::KernelOp kernel, row::ScheduleAttr schedule,
                            int64_t lanes) {
  return countAccumulators(kernel) * lanes * (schedule.getSumColumns() + 1);
}

/// Shared memory in bytes that the launch which walks rows declares.
static int64_t rowsSharedBytes(row::KernelOp kernel,
                               row::ScheduleAttr schedule) {
  bool reduces = llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    return isa<row::ReduceOp, row::DotOp>(op);
  });
  int64_t floats = 0;
  if (reduces && schedule.getThreadsPerRow() > warpSize)
    floats = 2 * schedule.getRowsPerCta() *
             llvm::alignTo(schedule.getThreadsPerRow() / warpSize, 4);
  switch (schedule.getColumnSum()) {
  case row::ColumnSum::None:
    break;
  case row::ColumnSum::RoleSplit:
    floats += columnFloats(kernel, schedule,
                           schedule.getThreads() * schedule.getElements() /
                               schedule.getSumColumns());
    break;
  case row::ColumnSum::Partials:
    floats += CombineBuffer(schedule, kernel.getHiddenSize()).floats();
    break;
  }
  return 4 * floats;
}

int64_t rmsc::sharedBytes(row::KernelOp kernel, row::ScheduleAttr schedule) {
  int64_t bytes = rowsSharedBytes(kernel, schedule);
  if (schedule.getColumnSum() != row::ColumnSum::Partials)
    return bytes;
  int64_t lanes = SumLayout(schedule, kernel.getHiddenSize()).lanes;
  return std::max(bytes, 4 * columnFloats(kernel, schedule, lanes));
}

int64_t rmsc::dynamicSharedBytes(row::KernelOp kernel,
                                 row::ScheduleAttr schedule) {
  if (schedule.getAccumulators() == row::Accumulators::Registers)
    return 0;
  return 4 * countAccumulators(kernel) * schedule.getThreads() *
         schedule.getChunks(kernel.getHiddenSize()) * schedule.getElements();
}

/// Shared memory in bytes that the system keeps of every CTA's.
static constexpr int64_t reservedSharedBytes = 1 << 10;

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
  if (schedule.getCtasPerSm() > target.ctasPerSm)
    return emitError() << schedule.getCtasPerSm()
                       << " CTAs do not fit an SM of " << target.chip
                       << ", which holds " << target.ctasPerSm
                       << "; lower ctas_per_sm";
  if (schedule.getDependentLaunch() && !target.dependentLaunch)
    return emitError() << target.chip << " has no dependent launch";
  bool sums = schedule.getColumnSum() != row::ColumnSum::None;
  if (sums != (countAccumulators(kernel) != 0))
    return emitError() << (sums ? "the kernel accumulates nothing along "
                                  "columns; drop column_sum"
                                : "the kernel accumulates along columns; say "
                                  "how with column_sum");
  if (schedule.getCtasPerRow() > 1)
    for (BlockArgument handle : kernel.getHandles())
      if (kernel.mayBeAliased(handle))
        return emitError()
               << "input #" << handle.getArgNumber()
               << ", which several CTAs would read whole, may share "
                  "its buffer with an output; drop ctas_per_row";
  if (schedule.getColumnSum() == row::ColumnSum::RoleSplit)
    if (std::string obstacle = roleSplitObstacle(kernel); !obstacle.empty())
      return emitError() << "CTAs of their own cannot sum columns: " << obstacle
                         << "; use column_sum = partials";
  if (int64_t bytes = sharedBytes(kernel, schedule);
      bytes > maxStaticSharedBytes)
    return emitError() << "a CTA would need " << bytes
                       << " bytes of shared memory, and at most "
                       << maxStaticSharedBytes
                       << " can be declared; lower the threads of a CTA, or "
                          "elements, or raise sum_columns";
  if (int64_t dynamic = dynamicSharedBytes(kernel, schedule)) {
    int64_t bytes = dynamic + rowsSharedBytes(kernel, schedule);
    if (bytes > target.sharedPerCta)
      return emitError() << "a CTA would need " << bytes
                         << " bytes of shared memory, and one on "
                         << target.chip << " can have " << target.sharedPerCta
                         << "; use accumulators = registers";
    if (schedule.getCtasPerSm() * (bytes + reservedSharedBytes) >
        target.sharedPerSm)
      return emitError() << schedule.getCtasPerSm() << " CTAs with " << bytes
                         << " bytes of shared memory each do not fit an SM of "
                         << target.chip << ", which holds "
                         << target.sharedPerSm
                         << " bytes; lower ctas_per_sm or use accumulators = "
                            "registers";
  }
  return success();
}
