//===-- LaunchPlan.h - how a scheduled kernel is launched ---------*- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scheduled row kernel decides everything about its launches: how many there
// are, their blocks and grids, the workspace. That decision is taken here,
// once, for the lowering that writes the code and for the compiler that writes
// the manifest.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TARGET_LAUNCHPLAN_H
#define RMSC_TARGET_LAUNCHPLAN_H

#include "rmsc/Dialect/Row/Row.h"
#include "rmsc/Target/Target.h"
#include <string>

namespace rmsc {

/// One launch of a kernel. Its grid has
/// `min(ceil(rows / rowsPerCta) * ctasPerRow, maxCtas) + extraCtas` CTAs, the
/// first term being 0 where rowsPerCta is 0, and unbounded where maxCtas is 0.
/// A grid of 0 CTAs is not launched.
struct Launch {
  std::string entry;
  int64_t block = 0;
  int64_t rowsPerCta = 0, ctasPerRow = 1, maxCtas = 0, extraCtas = 0;
  int64_t cluster = 1;
  /// Shared memory that the launch asks for beside what the code declares.
  int64_t dynamicSharedBytes = 0;
  /// Starts before the launch ahead of it has ended, and waits for it.
  bool dependent = false;
  /// Waits for the grid ahead of it before it touches global memory.
  bool waits = false;
};

/// All launches of one variant, in order, and what they ask of the caller.
struct LaunchPlan {
  llvm::SmallVector<Launch, 2> launches;
  /// Workspace: `workspaceBytes` and `workspaceBytesPerCta` for each of the
  /// first launch's CTAs that walk rows.
  int64_t workspaceBytes = 0, workspaceBytesPerCta = 0;
  /// Alignment in bytes that the base pointer of each operand must have.
  llvm::SmallVector<int64_t> alignments;
  /// Row strides come from the arguments; a stride in bytes must keep the
  /// alignment. Otherwise rows are dense.
  bool strided = false;
};

/// Alignment in bytes that a caller's workspace has.
inline constexpr int64_t workspaceAlignment = 16;

/// Largest hidden size that one CTA can hold in registers with accesses of one
/// element: beyond it a row needs a cluster.
inline constexpr int64_t maxHiddenSize = 16384;

/// Shared memory that a launch may declare; more would have to be asked for at
/// run time.
inline constexpr int64_t maxStaticSharedBytes = 48 << 10;

/// The shared memory through which a CTA that works on several rows at once
/// adds the partial sums of its groups of threads up (`column_sum = partials`).
/// A group is the threads of one row, or a warp where several rows share one.
struct CombineBuffer {
  CombineBuffer(mlir::row::ScheduleAttr schedule, int64_t hiddenSize);

  /// Elements that a thread passes in one access.
  int64_t sliceElements;
  /// Slices that the buffer holds of each thread; 0 where a CTA has one group
  /// and needs no buffer. Accumulators take the same buffer in turn.
  int64_t slices = 0;
  /// f32 values in the buffer.
  int64_t floats() const { return slices * sliceFloats; }

private:
  int64_t sliceFloats = 0;
};

/// The plan of a scheduled kernel on a chip. The schedule must be one that
/// `verifySchedule` accepts.
LaunchPlan planLaunches(mlir::row::KernelOp kernel, const TargetInfo &target);

/// Why CTAs of their own cannot sum this kernel's columns (`column_sum =
/// role_split`), or an empty text where they can: they read the inputs a second
/// time while other CTAs walk the rows, and hold no whole row.
std::string roleSplitObstacle(mlir::row::KernelOp kernel);

/// How the second launch of `column_sum = partials` deals its columns and the
/// partial sums out to the threads of a CTA.
struct SumLayout {
  SumLayout(mlir::row::ScheduleAttr schedule, int64_t hiddenSize);
  /// Neighbouring columns of one thread, which one access loads.
  int64_t width;
  /// Threads that take the same columns, of one partial sum after the other.
  int64_t lanes;
};

/// Shared memory in bytes that the launches of a schedule declare, at most.
int64_t sharedBytes(mlir::row::KernelOp kernel,
                    mlir::row::ScheduleAttr schedule);

/// Shared memory in bytes that the launch that walks rows asks for at run time:
/// column accumulators that a schedule keeps there.
int64_t dynamicSharedBytes(mlir::row::KernelOp kernel,
                           mlir::row::ScheduleAttr schedule);

/// Checks a schedule against a kernel and a chip's limits: the access width,
/// threads, CTAs and shared memory, the elements that a thread would hold, how
/// columns are summed. Reports what is wrong through `emitError`.
llvm::LogicalResult
verifySchedule(mlir::row::KernelOp kernel, mlir::row::ScheduleAttr schedule,
               const TargetInfo &target,
               llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace rmsc

#endif // RMSC_TARGET_LAUNCHPLAN_H
