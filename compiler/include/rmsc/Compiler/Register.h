//===-- Register.h - dialects and passes of the tools ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tools that read IR register. Exactly what the pipelines need and
// nothing else: a tool starts faster, and IR of a dialect that has no business
// here does not parse.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_COMPILER_REGISTER_H
#define RMSC_COMPILER_REGISTER_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace rmsc {

/// The levels of the IR (docs: layers). `All` holds every one of them.
enum class Level { All, RMS, Row, GPU, NVVM };

/// "rms", "row", "gpu" or "nvvm".
std::optional<Level> parseLevel(llvm::StringRef name);

/// Registers the dialects that the IR of a level may hold, with the interfaces
/// that passes and translations at that level look up.
void registerDialects(mlir::DialectRegistry &registry,
                      Level level = Level::All);

/// Registers the project's passes and pipelines, and the upstream passes that
/// its pipelines use, with the pass registry of MLIR.
void registerPasses();

} // namespace rmsc

#endif // RMSC_COMPILER_REGISTER_H
