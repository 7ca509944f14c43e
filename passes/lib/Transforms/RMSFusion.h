//===-- RMSFusion.h - shared by the passes on rms ops -----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_TRANSFORMS_RMSFUSION_H
#define RMSC_LIB_TRANSFORMS_RMSFUSION_H

#include "rmsc/Dialect/RMS/RMS.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace rmsc {

/// Receives an op that stays outside an `rms` op and the reason why it is not
/// folded, a clause that goes on from "it is not folded because".
using Refusal =
    llvm::function_ref<void(mlir::Operation *, const llvm::Twine &)>;

/// Tells everything beside this op that looks like a candidate of
/// `rms-fuse-residual-add` and is refused. Changes nothing.
void explainRefusals(mlir::rms::KernelOpInterface op, Refusal refused);

/// Tells why a linalg op cannot be written as casts and additions of `arith` on
/// tensors, or an empty string where it can.
std::string explainLinalg(mlir::linalg::LinalgOp op);

/// Writes the element-wise linalg ops that feed `rms` ops or round their
/// results as `arith` on tensors, below `root`; returns how many. Values are
/// unchanged.
unsigned rewriteLinalgAsArith(mlir::RewriterBase &rewriter,
                              mlir::Operation *root);

} // namespace rmsc

#endif // RMSC_LIB_TRANSFORMS_RMSFUSION_H
