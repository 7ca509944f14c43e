//===-- Diagnostics.h - diagnostics as one message --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_DIAGNOSTICS_H
#define RMSC_LIB_COMPILER_DIAGNOSTICS_H

#include "Error.h"

#include "mlir/IR/Diagnostics.h"
#include <string>

namespace rmsc {

/// While it lives, keeps the first error that is reported to a context, with
/// its notes, and drops the rest: what follows an error is often its
/// consequence.
class DiagnosticKeeper {
public:
  explicit DiagnosticKeeper(mlir::MLIRContext *context);

  /// The error that was kept; after a failure without one, a message that names
  /// what failed.
  llvm::Error take(const llvm::Twine &what);

private:
  std::string message;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_DIAGNOSTICS_H
