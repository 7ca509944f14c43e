//===-- Pipelines.h - the compiler's pass pipelines ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes between the levels, in order. Each function adds one step from a
// level to the next, so that a driver can stop between them.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_PIPELINES_PIPELINES_H
#define RMSC_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "rmsc/Target/Target.h"

namespace rmsc {

/// Options of the steps below; also options of the registered pipelines.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> chip{*this, "chip", llvm::cl::desc("Chip to compile for"),
                           llvm::cl::init(defaultChip.str())};
  Option<int> ptx{*this, "ptx",
                  llvm::cl::desc("PTX version times ten; 0: the newest one"),
                  llvm::cl::init(0)};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("Schedules for every kernel in place of the chosen ones, "
                     "with semicolons between them"),
      llvm::cl::init("")};
  Option<bool> enumerate{
      *this, "enumerate",
      llvm::cl::desc("Every schedule worth measuring, in place of the chosen "
                     "ones"),
      llvm::cl::init(false)};
  Option<std::string> rsqrt{
      *this, "rsqrt",
      llvm::cl::desc("Reciprocal root: approx (the GPU's) or exact (IEEE)"),
      llvm::cl::init("approx")};
  Option<bool> batchInvariant{
      *this, "batch-invariant",
      llvm::cl::desc("One schedule for every row count, so that a row's result "
                     "does not depend on how many rows there are"),
      llvm::cl::init(false)};
};

/// L0 to L1: one `rms` op a kernel. Fails where a value stays outside.
void addFusionPasses(mlir::OpPassManager &manager);
/// L1 to L2: `rms` becomes row kernels.
void addRMSToRowPasses(mlir::OpPassManager &manager,
                       const PipelineOptions &options);
/// Within L2, for benchmarks: adds kernels that only move the rows of each
/// kernel, with schedules of their own.
void addFloorPasses(mlir::OpPassManager &manager,
                    const PipelineOptions &options);
/// L2 to L3: every row kernel becomes one scheduled kernel for each variant,
/// and the module names its chip.
void addSchedulePasses(mlir::OpPassManager &manager,
                       const PipelineOptions &options);
/// L3 to L4: scheduled kernels become `gpu.module`s, one for each variant,
/// named as its first entry point.
void addRowToGPUPasses(mlir::OpPassManager &manager,
                       const PipelineOptions &options);
/// L4 to L5: only `llvm` and `nvvm` in the `gpu.module`s.
void addGPUToNVVMPasses(mlir::OpPassManager &manager,
                        const PipelineOptions &options);

/// What translation to LLVM IR needs beyond L5: inline PTX, which nothing but
/// ptxas can take, becomes inline assembly. The emulator starts ahead of it.
void addSerializationPasses(mlir::OpPassManager &manager);

/// Registers each step as a pipeline of its own (`rmsc-fuse`, `rmsc-to-row`,
/// `rmsc-schedule`, `rmsc-to-gpu`, `rmsc-to-nvvm`) and all of them together
/// (`rmsc-pipeline`).
void registerPipelines();

} // namespace rmsc

#endif // RMSC_PIPELINES_PIPELINES_H
