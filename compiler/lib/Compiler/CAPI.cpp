//===-- CAPI.cpp - the compiler for programs in C ---------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc-c/rmsc.h"
#include "rmsc/Compiler/Compiler.h"
#include "rmsc/Target/Target.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace rmsc;

struct RmscOptions {
  CompileOptions options;
};

const char *rmscVersion(void) { return getVersion().data(); }

const char *rmscTargets(void) {
  static const std::string targets = listTargets();
  return targets.c_str();
}

RmscOptions *rmscOptionsCreate(void) { return new (std::nothrow) RmscOptions; }
void rmscOptionsDestroy(RmscOptions *options) { delete options; }

void rmscOptionsAddChip(RmscOptions *options, const char *chip) {
  options->options.chips.push_back(chip);
}
void rmscOptionsSetSchedule(RmscOptions *options, const char *schedule) {
  options->options.schedule = schedule;
}
void rmscOptionsSetExactRsqrt(RmscOptions *options, int exact) {
  options->options.rsqrt = exact ? Rsqrt::Exact : Rsqrt::Approx;
}
void rmscOptionsSetBatchInvariant(RmscOptions *options, int invariant) {
  options->options.batchInvariant = invariant;
}
void rmscOptionsSetIncludePtx(RmscOptions *options, int include) {
  options->options.includePtx = include;
}
void rmscOptionsSetTuningFile(RmscOptions *options, const char *path) {
  options->options.tuningFile = path;
}
void rmscOptionsSetPtxas(RmscOptions *options, const char *path) {
  options->options.ptxas = path;
}
void rmscOptionsSetThreads(RmscOptions *options, unsigned threads) {
  options->options.threads = threads;
}

/// A copy that rmscFree can free, with a NUL behind it. Null without memory.
static void *copyOut(llvm::StringRef bytes) {
  auto *copy = static_cast<char *>(std::malloc(bytes.size() + 1));
  if (copy) {
    std::memcpy(copy, bytes.data(), bytes.size());
    copy[bytes.size()] = '\0';
  }
  return copy;
}

static llvm::Expected<std::string> compilePackage(llvm::StringRef program,
                                                  llvm::StringRef name,
                                                  CompileOptions options) {
  options.stopAfter = Level::Cubin;
  llvm::Expected<Compilation> compilation =
      compile(llvm::MemoryBufferRef(program, name), options);
  if (!compilation)
    return compilation.takeError();
  return compilation->package();
}

int rmscCompile(const void *program, size_t size, const char *name,
                const RmscOptions *options, void **package, size_t *packageSize,
                char **error) {
  *package = nullptr;
  *packageSize = 0;
  if (error)
    *error = nullptr;
  llvm::Expected<std::string> bytes = compilePackage(
      llvm::StringRef(static_cast<const char *>(program), size),
      name ? name : "program", options ? options->options : CompileOptions());
  if (!bytes) {
    std::string message = llvm::toString(bytes.takeError());
    if (error)
      *error = static_cast<char *>(copyOut(message));
    return 1;
  }
  *package = copyOut(*bytes);
  if (!*package) {
    if (error)
      *error = static_cast<char *>(copyOut("out of memory for the package"));
    return 1;
  }
  *packageSize = bytes->size();
  return 0;
}

void rmscFree(void *memory) { std::free(memory); }
