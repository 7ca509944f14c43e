//===-- Floor.h - kernels that only move the bytes --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The floor of a kernel is the time of the fastest kernel that reads the same
// rows and writes the same rows and computes nothing worth mentioning. A
// benchmark measures it beside the kernel, in the same run.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_FLOOR_H
#define RMSC_LIB_COMPILER_FLOOR_H

#include "rmsc/Dialect/Row/Row.h"
#include "rmsc/Target/Target.h"
#include "rmsrt/Manifest.h"

#include "mlir/IR/BuiltinOps.h"

namespace rmsc {

/// At L2: adds a floor for every kernel that reads and writes rows, and its
/// description: the kernel's rows, in their order and by their names.
void addFloors(mlir::ModuleOp module, std::vector<rmsrt::Kernel> &kernels);

/// Replaces a floor by one clone for each schedule that may be the fastest.
void scheduleFloor(mlir::row::KernelOp floor, const TargetInfo &target);

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_FLOOR_H
