//===-- RMSCheckFused.cpp - every function is one rms op --------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RMSFusion.h"
#include "rmsc/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

namespace rmsc {
#define GEN_PASS_DEF_RMSCHECKFUSED
#include "rmsc/Transforms/Passes.h.inc"
} // namespace rmsc

using namespace mlir;
using namespace mlir::rms;

/// Reports each op of the function but its return and the one that is compiled,
/// with the reason why fusion has left it where there is one.
static LogicalResult checkLeftovers(func::FuncOp function,
                                    KernelOpInterface kernel) {
  llvm::MapVector<Operation *, std::string> reasons;
  rmsc::explainRefusals(kernel, [&](Operation *op, const Twine &reason) {
    reasons.insert({op, reason.str()});
  });
  LogicalResult result = success();
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (&op == kernel.getOperation())
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "stays outside the kernel of function '"
                              << function.getName() << "'; ";
    if (auto reason = reasons.find(&op); reason != reasons.end())
      diag << "it is not folded into '" << kernel->getName()
           << "' because: " << reason->second;
    else if (isa<KernelOpInterface>(op))
      diag << "a function is compiled to one kernel, which is that of '"
           << kernel->getName()
           << "'; give each of the two a function of its own";
    else
      diag << "rms-fuse-residual-add folds additions and casts next to '"
           << kernel->getName() << "'; move any other op to the caller";
    diag.attachNote(kernel.getLoc()) << "the kernel is this op";
    result = diag;
  }
  return result;
}

static LogicalResult checkReturn(func::FuncOp function,
                                 KernelOpInterface kernel) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (operand.get().getDefiningOp() == kernel.getOperation())
      continue;
    // A value of a leftover op has been reported with the op.
    auto arg = dyn_cast<BlockArgument>(operand.get());
    if (!arg)
      continue;
    return terminator->emitOpError()
           << "returns argument #" << arg.getArgNumber() << " of function '"
           << function.getName() << "' as result #"
           << operand.getOperandNumber()
           << "; a kernel writes its own results only: let the caller use the "
              "argument, or drop the result";
  }
  for (OpResult value : kernel->getResults())
    if (value.use_empty())
      return kernel->emitOpError()
             << "result " << kernel.getResultRole(value.getResultNumber())
             << " is not returned by function '" << function.getName()
             << "', so the kernel has no buffer for it; return it, or run "
                "canonicalize, which drops results that need not be there";
  return success();
}

/// Whether the shape could be that of a parameter of this kernel: rows, columns
/// or one element a row.
static bool isParameterShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> rows) {
  SmallVector<int64_t> kept(rows.drop_back());
  kept.push_back(1);
  return succeeded(verifyCompatibleShape(shape, rows)) ||
         succeeded(verifyCompatibleShape(shape, rows.take_back())) ||
         succeeded(verifyCompatibleShape(shape, rows.drop_back())) ||
         succeeded(verifyCompatibleShape(shape, kept));
}

static LogicalResult checkArguments(func::FuncOp function,
                                    KernelOpInterface kernel) {
  // Operand 0 of every rms op has the shape of rows.
  auto rows = cast<RankedTensorType>(kernel->getOperand(0).getType());
  for (BlockArgument arg : function.getArguments()) {
    auto emitError = [&]() -> InFlightDiagnostic {
      return function.emitOpError()
             << "argument #" << arg.getArgNumber() << " ";
    };
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    Type element = type ? type.getElementType() : Type();
    if (!type || type.getEncoding() ||
        !(element.isBF16() || element.isF16() || element.isF32()))
      return emitError()
             << "is " << arg.getType()
             << "; a kernel takes ranked tensors of bf16, f16 or f32 only";
    SmallVector<StringRef, 2> roles;
    for (OpOperand &use : arg.getUses())
      if (use.getOwner() == kernel.getOperation())
        roles.push_back(kernel.getOperandRole(use.getOperandNumber()));
    if (roles.size() > 1)
      return emitError() << "is both " << roles[1] << " and " << roles[0]
                         << " of '" << kernel->getName()
                         << "'; declare an argument for each: the caller may "
                            "pass one buffer for both";
    if (roles.empty() && !isParameterShape(type.getShape(), rows.getShape()))
      return emitError()
             << "is not used by '" << kernel->getName() << "', and its type "
             << type
             << " is not that of rows, of columns or of one element a row; "
                "drop it";
  }
  return success();
}

static LogicalResult checkFunction(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError()
           << "must have a body of one block to be compiled: a kernel has no "
              "control flow of its own";
  KernelOpInterface kernel;
  // The last one is the kernel: where there are more, each other is a leftover.
  for (Operation &op : function.getBody().front())
    if (auto candidate = dyn_cast<KernelOpInterface>(op))
      kernel = candidate;
  if (!kernel)
    return function.emitOpError()
           << "holds no op that can be compiled to a kernel, such as "
           << "'rms.norm'; make it private, or move it out of the module";
  if (failed(checkLeftovers(function, kernel)))
    return failure();
  if (failed(checkReturn(function, kernel)))
    return failure();
  return checkArguments(function, kernel);
}

namespace {
struct RMSCheckFused : rmsc::impl::RMSCheckFusedBase<RMSCheckFused> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    unsigned numPublic = 0;
    LogicalResult result = success();
    for (Operation &op : *module.getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function) {
        result = op.emitOpError()
                 << "stays outside every kernel: a module to be compiled holds "
                    "functions only; move it out of the module";
        continue;
      }
      if (!function.isPublic())
        continue;
      ++numPublic;
      if (failed(checkFunction(function)))
        result = failure();
      else
        ++numKernels;
    }
    if (!numPublic && succeeded(result))
      result = module.emitError()
               << "the module holds no public function, and so nothing to "
                  "compile; write the computation as a func.func of its own";
    if (failed(result))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
