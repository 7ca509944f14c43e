//===-- rms-run.cpp - Looks into, checks and times packages ---------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <unistd.h>

using rmsrt::concat;

namespace rms_run {

std::string timestamp() {
  std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Error writeJson(const std::string &path, const nlohmann::json &document) {
  const std::string text = document.dump(1) + "\n";
  const std::string aside = concat(path, ".", getpid(), ".tmp");
  std::FILE *file = std::fopen(aside.c_str(), "wb");
  bool written =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file)
    written = std::fclose(file) == 0 && written;
  if (written && std::rename(aside.c_str(), path.c_str()) == 0)
    return {};
  Error error(RMSRT_IO_ERROR,
              concat(path, ": cannot be written (", std::strerror(errno),
                     "); check the folder, its rights and its free space"));
  if (file)
    std::remove(aside.c_str());
  return error;
}

static Error dispatch(const Options &options, bool &passed) {
  switch (options.command) {
  case Command::Info:
    return runInfo(options);
  case Command::Check:
    return runCheck(options, passed);
  case Command::Bench:
    return runBench(options);
  case Command::Tune:
    return runTune(options);
  case Command::Help:
    std::fputs(kUsage, stdout);
    return {};
  }
  return {};
}

} // namespace rms_run

int main(int argc, char **argv) {
  rms_run::Options options;
  bool passed = true;
  rms_run::Error error = rms_run::parseOptions(argc, argv, options);
  try {
    if (!error)
      error = rms_run::dispatch(options, passed);
  } catch (const std::bad_alloc &) {
    error = rms_run::Error(RMSRT_OUT_OF_MEMORY,
                           "the host is out of memory; use fewer --rows");
  }
  std::fflush(stdout);
  if (error) {
    std::fprintf(stderr, "rms-run: error: %s\n", error.message().c_str());
    return 2;
  }
  return passed ? 0 : 1;
}
