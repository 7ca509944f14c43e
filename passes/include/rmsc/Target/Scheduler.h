//===-- Scheduler.h - choosing schedules ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one component that decides how a row kernel is spread over a chip. It
// sees what a row kernel shows (its streams, their types, the hidden size,
// reductions and accumulators) and nothing of what the kernel computes.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TARGET_SCHEDULER_H
#define RMSC_TARGET_SCHEDULER_H

#include "rmsc/Dialect/Row/Row.h"
#include "rmsc/Target/Target.h"

namespace rmsc {

/// What a schedule depends on.
struct KernelShape {
  int64_t hiddenSize = 0;
  /// Bytes of the narrowest and the widest element of a row or column operand.
  int64_t minElementBytes = 4, maxElementBytes = 1;
  /// Bytes of the widest element of a row input.
  int64_t maxRowElementBytes = 1;
  /// Bytes that one row moves between the kernel and global memory, and those
  /// of them that are read.
  int64_t bytesPerRow = 0, inputBytesPerRow = 0;
  int64_t rowInputs = 0, rowOutputs = 0, columnInputs = 0;
  int64_t reductions = 0, accumulators = 0;

  /// Reads the shape off a kernel. Operands that are never loaded do not count.
  static KernelShape of(mlir::row::KernelOp kernel);
};

/// A schedule and the launches it is for.
struct Variant {
  std::string name;
  int64_t minRows, maxRows;
  mlir::row::ScheduleAttr schedule;
};

struct ScheduleRequest {
  /// One schedule for every row count.
  bool batchInvariant = false;
  /// The schedules to use in place of the rules' choice for dense and aligned
  /// operands; the variants for all others are added to them.
  llvm::SmallVector<mlir::row::ScheduleAttr> forced;
  /// Every schedule worth measuring, in place of the rules' choice.
  bool enumerate = false;
};

/// The variants of a kernel in order of preference. The last one takes operands
/// of any stride and of element alignment.
llvm::SmallVector<Variant> chooseVariants(mlir::row::KernelOp kernel,
                                          const TargetInfo &target,
                                          const ScheduleRequest &request);

/// Replaces a kernel by one clone for each variant, named after both. Where the
/// chip cannot carry out one of the schedules, that is reported and nothing
/// changed.
llvm::LogicalResult splitIntoVariants(mlir::row::KernelOp kernel,
                                      llvm::ArrayRef<Variant> variants,
                                      const TargetInfo &target);

/// Every schedule worth measuring for dense and aligned operands, in an order
/// that does not change.
llvm::SmallVector<mlir::row::ScheduleAttr>
enumerateSchedules(mlir::row::KernelOp kernel, const TargetInfo &target);

/// Schedules among which the fastest copy is, for a kernel that only moves rows
/// (see `row-add-floors`): accesses of full width, every size of CTA and of
/// grid that may win somewhere, with and without streaming hints.
llvm::SmallVector<mlir::row::ScheduleAttr>
floorSchedules(mlir::row::KernelOp kernel, const TargetInfo &target);

} // namespace rmsc

#endif // RMSC_TARGET_SCHEDULER_H
