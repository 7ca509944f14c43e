//===-- Describe.h - kernels as the manifest has them -----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_DESCRIBE_H
#define RMSC_LIB_COMPILER_DESCRIBE_H

#include "rmsc/Dialect/Row/Row.h"
#include "rmsc/Target/Target.h"
#include "rmsrt/Manifest.h"

#include "mlir/IR/BuiltinOps.h"

namespace rmsc {

/// At L1: one kernel for every function that holds an `rms` op, with what the
/// op and the function say of it: names, roles, ranks, directions, the
/// operation. Reports a function whose name a kernel cannot have.
llvm::FailureOr<std::vector<rmsrt::Kernel>>
describeFunctions(mlir::ModuleOp module, rmsrt::Rsqrt rsqrt);

/// At L2: completes the kernels by what their row kernels say: kinds, types,
/// which inputs are read, which may be shared.
void describeRowKernels(mlir::ModuleOp module,
                        std::vector<rmsrt::Kernel> &kernels);

/// At L3: the number of the kernel that a scheduled row kernel is a variant of.
size_t findKernel(mlir::row::KernelOp variant,
                  llvm::ArrayRef<rmsrt::Kernel> kernels);

/// At L3: the variant, but for what only ptxas knows.
rmsrt::Variant describeVariant(mlir::row::KernelOp variant,
                               const TargetInfo &target);

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_DESCRIBE_H
