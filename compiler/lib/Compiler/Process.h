//===-- Process.h - a child process and its files ---------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_PROCESS_H
#define RMSC_LIB_COMPILER_PROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace rmsc {

/// Files that the child may open by name. They are anonymous memory, so nothing
/// is left on disk however either process ends, and a full disk does not
/// matter.
struct ProcessFiles {
  static constexpr const char *inputPath = "/proc/self/fd/3";
  static constexpr const char *outputPath = "/proc/self/fd/4";
  /// What the child reads at `inputPath`.
  llvm::StringRef input;
};

struct ProcessResult {
  int exitStatus = 0;
  std::string standardOutput, standardError;
  /// What the child wrote to `outputPath`.
  std::string output;
};

/// Runs a program to its end. Its standard input is empty. The error says why
/// it could not be started, or which signal ended it.
llvm::Expected<ProcessResult> runProcess(llvm::ArrayRef<std::string> command,
                                         const ProcessFiles &files);

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_PROCESS_H
