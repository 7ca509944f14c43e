//===-- Passes.h - transformations within a level ---------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that stay within one level, their options and their
// registration; Passes.td documents them.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TRANSFORMS_PASSES_H
#define RMSC_TRANSFORMS_PASSES_H

#include "rmsc/Dialect/Row/Row.h"

#include "mlir/Pass/Pass.h"

namespace rmsc {

#define GEN_PASS_DECL
#include "rmsc/Transforms/Passes.h.inc"

/// Defines registerRmscTransformsPasses().
#define GEN_PASS_REGISTRATION
#include "rmsc/Transforms/Passes.h.inc"

} // namespace rmsc

#endif // RMSC_TRANSFORMS_PASSES_H
