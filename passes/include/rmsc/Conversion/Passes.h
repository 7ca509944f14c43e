//===-- Passes.h - conversions between the levels ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_CONVERSION_PASSES_H
#define RMSC_CONVERSION_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace rmsc {

#define GEN_PASS_DECL
#include "rmsc/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rmsc/Conversion/Passes.h.inc"

} // namespace rmsc

#endif // RMSC_CONVERSION_PASSES_H
