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
#include <sys/stat.h>
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

static Error cannotWrite(const std::string &path, int code) {
  return Error(RMSRT_IO_ERROR,
               concat(path, ": cannot be written (", std::strerror(code),
                      "); check the folder, its rights and its free space"));
}

/// A device or a pipe: what is put aside must not take its place.
static bool isStream(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

/// The file that a document is written to before it takes its place.
static std::string aside(const std::string &path) {
  return isStream(path) ? path : concat(path, ".", getpid(), ".tmp");
}

Error checkOutput(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    return cannotWrite(path, EISDIR);
  const std::string trial = aside(path);
  std::FILE *file = std::fopen(trial.c_str(), "ab");
  if (!file)
    return cannotWrite(path, errno);
  (void)std::fclose(file);
  if (trial != path)
    (void)std::remove(trial.c_str());
  return {};
}

Error writeJson(const std::string &path, const nlohmann::json &document) {
  const std::string text = document.dump(1) + "\n";
  const std::string place = aside(path);
  std::FILE *file = std::fopen(place.c_str(), "wb");
  if (!file)
    return cannotWrite(path, errno);
  bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int code = errno;
  // Some file systems find out only now that there is no room.
  if (std::fclose(file) != 0 && written) {
    written = false;
    code = errno;
  }
  if (place == path)
    return written ? Error() : cannotWrite(path, code);
  if (written && std::rename(place.c_str(), path.c_str()) == 0)
    return {};
  Error error = cannotWrite(path, written ? errno : code);
  (void)std::remove(place.c_str());
  return error;
}

static Error dispatch(const Options &options, bool &passed) {
  // Before anything runs: a mistyped folder must not cost an hour of measuring.
  for (const std::string *path : {&options.json, &options.output})
    if (!path->empty())
      if (Error error = checkOutput(*path))
        return error;
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
