//===-- Origin.h - where a pointer comes from -------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_EMULATOR_ORIGIN_H
#define RMSC_LIB_EMULATOR_ORIGIN_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"

namespace rmsc::emulator {

/// Where a pointer was computed from.
struct Origin {
  enum Kind { Unknown, Argument, SharedObject, Local, Constant } kind = Unknown;
  int index = -1;
  bool operator==(const Origin &other) const {
    return kind == other.kind && index == other.index;
  }
};

/// On an op that gives the address of a shared object: its number.
inline constexpr llvm::StringLiteral objectAttr("rmsemu.object");

/// Follows a pointer back through address arithmetic, selections and loops.
/// Unknown where it may come from several places. `objects` numbers the shared
/// objects by name; `inKernel` says whether arguments of the function are the
/// kernel's.
Origin traceOrigin(mlir::Value pointer, const llvm::StringMap<int> &objects,
                   bool inKernel);

} // namespace rmsc::emulator

#endif // RMSC_LIB_EMULATOR_ORIGIN_H
