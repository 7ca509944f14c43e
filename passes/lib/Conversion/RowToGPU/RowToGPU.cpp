//===-- RowToGPU.cpp - scheduled row kernels to GPU functions ---------*- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walks.h"
#include "rmsc/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace rmsc {
#define GEN_PASS_DEF_CONVERTROWTOGPU
#include "rmsc/Conversion/Passes.h.inc"
} // namespace rmsc

using namespace mlir;
using namespace rmsc;

/// Code of the launch that walks rows. Where the schedule splits roles, the
/// first CTAs sum columns and the others walk rows.
static void emitRows(row::KernelOp kernel, const TargetInfo &target,
                     gpu::GPUModuleOp module, const LaunchPlan &plan) {
  const Launch &launch = plan.launches.front();
  Emitter e(kernel, target, module, launch);
  Value cta = e.getCta();
  Value ctas = NVVM::GridDimXOp::create(e.b, e.b.getI32Type());
  if (e.schedule.getColumnSum() != row::ColumnSum::RoleSplit) {
    walkRows(e, plan, cta, ctas);
    e.finish();
    return;
  }
  e.getThread();
  Value columnCtas = e.i32(launch.extraCtas);
  Value sumsColumns = e.lessThan(cta, columnCtas);
  auto branch = scf::IfOp::create(e.b, sumsColumns, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    walkColumns(e, cta);
    e.b.setInsertionPointToStart(branch.elseBlock());
    walkRows(e, plan, arith::SubIOp::create(e.b, cta, columnCtas),
             arith::SubIOp::create(e.b, ctas, columnCtas));
  }
  e.finish();
}

namespace {
struct ConvertRowToGPU
    : public rmsc::impl::ConvertRowToGPUBase<ConvertRowToGPU> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<row::KernelOp>());
    // The conversion is full: what stands elsewhere must not be lost.
    WalkResult elsewhere = module.walk([&](row::KernelOp kernel) {
      if (kernel->getParentOp() == module)
        return WalkResult::advance();
      kernel.emitError("is not at the top of the module");
      return WalkResult::interrupt();
    });
    if (elsewhere.wasInterrupted())
      return signalPassFailure();
    if (kernels.empty())
      return;
    auto chip = module->getAttrOfType<StringAttr>("row.target");
    if (!chip) {
      module.emitError("the module has no `row.target`; run "
                       "row-select-schedule first");
      return signalPassFailure();
    }
    llvm::Expected<const TargetInfo *> target = requireTarget(chip);
    if (!target) {
      module.emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    for (row::KernelOp kernel : kernels)
      if (failed(convert(kernel, **target)))
        return signalPassFailure();
    module->removeAttr("row.target");
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(&getContext()));
  }

  LogicalResult convert(row::KernelOp kernel, const TargetInfo &target) {
    row::ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!schedule)
      return kernel.emitError("has no schedule; run row-select-schedule first");
    if (failed(verifySchedule(kernel, schedule, target,
                              [&] { return kernel.emitError(); })))
      return failure();
    for (Operation &op : kernel.getBody().front())
      if (failed(verifyRowOp(&op)))
        return failure();

    LaunchPlan plan = planLaunches(kernel, target);
    OpBuilder builder(kernel);
    auto gpuModule = gpu::GPUModuleOp::create(builder, kernel.getLoc(),
                                              plan.launches.front().entry);
    int64_t version = ptx != 0 ? ptx : maxLlvmPtx;
    gpuModule.setTargetsAttr(builder.getArrayAttr(NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", target.chip,
        "+ptx" + std::to_string(version))));
    emitRows(kernel, target, gpuModule, plan);
    if (plan.launches.size() > 1) {
      Emitter e(kernel, target, gpuModule, plan.launches[1]);
      sumPartials(e, plan);
      e.finish();
    }
    kernel.erase();
    return success();
  }
};
} // namespace
