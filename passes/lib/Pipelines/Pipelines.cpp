//===-- Pipelines.cpp - the compiler's pass pipelines ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Pipelines/Pipelines.h"

#include "rmsc/Conversion/Passes.h"
#include "rmsc/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace rmsc;

void rmsc::addFusionPasses(OpPassManager &manager) {
  manager.addPass(createRMSFuseResidualAdd());
  // Fused ops leave unused optional results and constants behind, which the
  // check would name as leftovers.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createRMSCheckFused());
}

void rmsc::addRMSToRowPasses(OpPassManager &manager,
                             const PipelineOptions &options) {
  ConvertRMSToRowOptions convert;
  convert.rsqrt = options.rsqrt;
  manager.addPass(createConvertRMSToRow(convert));
  manager.addNestedPass<row::KernelOp>(createRowHoistLoads());
}

void rmsc::addFloorPasses(OpPassManager &manager,
                          const PipelineOptions &options) {
  RowAddFloorsOptions floors;
  floors.chip = options.chip;
  manager.addPass(createRowAddFloors(floors));
}

void rmsc::addSchedulePasses(OpPassManager &manager,
                             const PipelineOptions &options) {
  RowSelectScheduleOptions select;
  select.chip = options.chip;
  select.schedule = options.schedule;
  select.enumerate = options.enumerate;
  select.batchInvariant = options.batchInvariant;
  manager.addPass(createRowSelectSchedule(select));
}

void rmsc::addRowToGPUPasses(OpPassManager &manager,
                             const PipelineOptions &options) {
  ConvertRowToGPUOptions convert;
  convert.ptx = options.ptx;
  manager.addPass(createConvertRowToGPU(convert));
}

void rmsc::addGPUToNVVMPasses(OpPassManager &manager, const PipelineOptions &) {
  OpPassManager &gpu = manager.nest<gpu::GPUModuleOp>();
  // Loops and branches go first: the conversion of the function signature below
  // does not look into their regions.
  gpu.addPass(createSCFToControlFlowPass());
  // Ahead of the GPU conversion, which would turn math.fma into a libdevice
  // call.
  gpu.addPass(createConvertMathToLLVMPass());
  gpu.addPass(createConvertVectorToLLVMPass());
  ConvertGpuOpsToNVVMOpsOptions toNVVM;
  // 32-bit indices would do for columns, but rows are i64 by themselves and no
  // index value is left at this level.
  gpu.addPass(createConvertGpuOpsToNVVMOps(toNVVM));
  gpu.addPass(createArithToLLVMConversionPass());
  // Upstream restricts this one to the whole module.
  manager.addPass(createConvertControlFlowToLLVMPass());
  OpPassManager &cleanup = manager.nest<gpu::GPUModuleOp>();
  cleanup.addPass(createReconcileUnrealizedCastsPass());
  cleanup.addPass(createCanonicalizerPass());
  cleanup.addPass(createCSEPass());
  cleanup.addPass(createRMSCheckNVVM());
}

void rmsc::addSerializationPasses(OpPassManager &manager) {
  manager.addNestedPass<gpu::GPUModuleOp>(createConvertNVVMToLLVMPass());
}

void rmsc::registerPipelines() {
  auto add = [](StringRef name, StringRef description, auto step) {
    // Registered for the life of the process, as passes are.
    static SmallVector<
        std::unique_ptr<PassPipelineRegistration<PipelineOptions>>>
        registrations;
    registrations.push_back(
        std::make_unique<PassPipelineRegistration<PipelineOptions>>(
            name, description, step));
  };
  add("rmsc-fuse", "L0 to L1: one rms op a kernel",
      [](OpPassManager &manager, const PipelineOptions &) {
        addFusionPasses(manager);
      });
  add("rmsc-to-row", "L1 to L2: row kernels", addRMSToRowPasses);
  add("rmsc-schedule", "L2 to L3: scheduled row kernels", addSchedulePasses);
  add("rmsc-to-gpu", "L3 to L4: GPU functions", addRowToGPUPasses);
  add("rmsc-to-nvvm", "L4 to L5: NVVM", addGPUToNVVMPasses);
  add("rmsc-pipeline", "L0 to L5: everything ahead of the serialization",
      [](OpPassManager &manager, const PipelineOptions &options) {
        addFusionPasses(manager);
        addRMSToRowPasses(manager, options);
        addSchedulePasses(manager, options);
        addRowToGPUPasses(manager, options);
        addGPUToNVVMPasses(manager, options);
      });
}
