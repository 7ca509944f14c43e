//===-- Translate.h - from NVVM to PTX --------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_TRANSLATE_H
#define RMSC_LIB_COMPILER_TRANSLATE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"
#include <string>

namespace rmsc {

/// A module as LLVM IR, and as PTX.
struct Translation {
  /// Optimized; only where it was asked for.
  std::string llvmIR;
  /// Unless LLVM IR was asked for.
  std::string ptx;
  /// Wall time in milliseconds of the translation with LLVM's optimizations,
  /// and of the back end.
  double optimizeTime = 0, backEndTime = 0;
};

/// Translates an L5 module for a chip and a PTX version (times ten). Errors
/// about ops go to the context's diagnostics and give an empty error text here.
llvm::Expected<Translation> translate(mlir::gpu::GPUModuleOp module,
                                      llvm::StringRef chip, int ptxVersion,
                                      bool llvmOnly);

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_TRANSLATE_H
