//===-- Error.h - errors that are one message -------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_ERROR_H
#define RMSC_LIB_COMPILER_ERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace rmsc {

inline llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Puts what the error is about before its message.
inline llvm::Error joinContext(llvm::Error error, const llvm::Twine &what) {
  return makeError(what + ": " + llvm::toString(std::move(error)));
}

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_ERROR_H
