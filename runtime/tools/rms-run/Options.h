//===-- Options.h - The command line of rms-run -----------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMS_RUN_OPTIONS_H
#define RMS_RUN_OPTIONS_H

#include "rmsrt/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rms_run {

enum class Command { Info, Check, Bench, Tune, Help };

struct Options {
  Command command = Command::Help;
  std::vector<std::string> packages;
  std::string suite, kernel, variant, json, output;
  std::vector<int64_t> rows;
  uint64_t seed = 1;
  int64_t misalign = 0, extraStride = 0;
  int64_t streams = 1, device = 0, runs = 1, calls = 50, warmups = 10;
  bool inPlace = false, digest = false, repeat = false, graph = false;
  bool batchInvariant = false, sass = false, dependent = false;
  /// The command line as typed, for reports.
  std::string commandLine;
};

/// Reads the command line. \return RMSRT_INVALID_ARGUMENT with what is wrong.
rmsrt::Error parseOptions(int argc, char **argv, Options &options);

extern const char *const kUsage;

} // namespace rms_run

#endif // RMS_RUN_OPTIONS_H
