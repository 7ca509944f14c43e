//===-- RMSCheckNVVM.cpp - ready for the back ends --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Conversion/Passes.h"
#include "rmsc/Target/InlinePtx.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace rmsc {
#define GEN_PASS_DEF_RMSCHECKNVVM
#include "rmsc/Conversion/Passes.h.inc"
} // namespace rmsc

using namespace mlir;

/// Reports what is wrong with one op.
static LogicalResult checkOp(Operation &op) {
  if (!isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op.getDialect()))
    return op.emitError() << "'" << op.getName()
                          << "' is left in GPU code: no conversion to LLVM "
                             "takes it (C1)";
  if (auto inlinePtx = dyn_cast<NVVM::InlinePtxOp>(op))
    if (!rmsc::lookupInlinePtx(inlinePtx.getPtxCode()))
      return op.emitError() << "'" << inlinePtx.getPtxCode()
                            << "' is not in the table of inline PTX (C2)";
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    if (function.isExternal())
      return op.emitError()
             << "'" << function.getSymName()
             << "' has no body, and no library is linked to GPU code (C3)";
  return success();
}

namespace {
struct RMSCheckNVVM : public rmsc::impl::RMSCheckNVVMBase<RMSCheckNVVM> {
  void runOnOperation() override {
    WalkResult result =
        getOperation().getBodyRegion().walk<WalkOrder::PreOrder>(
            [](Operation *op) {
              return failed(checkOp(*op)) ? WalkResult::interrupt()
                                          : WalkResult::advance();
            });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
