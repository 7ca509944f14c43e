//===-- Ptxas.h - finding and calling ptxas ---------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is assembled by NVIDIA's ptxas, which is called as a program: its report
// of registers and spills goes into the manifest, and upstream's own call drops
// it.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_COMPILER_PTXAS_H
#define RMSC_COMPILER_PTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace rmsc {

/// A ptxas that answers.
struct Ptxas {
  std::string path;
  /// As it states it: "13.0.88".
  std::string version;
  /// Newest PTX version it reads, times ten.
  int maxPtx = 0;
};

/// What `ptxas -v` says of one entry point. Sizes are in bytes.
struct PtxasEntry {
  std::string name;
  int registers = 0;
  int64_t spillStores = 0, spillLoads = 0;
  /// Stack frame of a thread: local memory, spills included.
  int64_t stack = 0;
  /// Static shared memory.
  int64_t shared = 0;
};

struct PtxasReport {
  std::vector<PtxasEntry> entries;
  /// The entry of that name, or null.
  const PtxasEntry *find(llvm::StringRef name) const;
};

/// Looks for ptxas: `path` where that is given, then the file that RMSC_PTXAS
/// names, then PATH, then CUDA_HOME/bin, then the folder into which
/// scripts/setup puts tools. The version of each ptxas found is asked for once
/// in a process. Errors: none found (says where it was looked for, and what to
/// install), or the one that was named is missing or does not answer like a
/// ptxas.
llvm::Expected<Ptxas> findPtxas(llvm::StringRef path = "");

/// Newest PTX version (times ten) that the ptxas of a CUDA release reads.
/// 0 for a release older than the oldest that knows any of our chips.
int maxPtxOfRelease(int major, int minor);

/// Reads the `-v` report. Fails, quoting the text, where an entry point lacks
/// one of its lines.
llvm::Expected<PtxasReport> parsePtxasReport(llvm::StringRef text);

struct PtxasOutput {
  std::string cubin;
  PtxasReport report;
};

/// Assembles PTX for a chip. Nothing is written to disk. `what` names the
/// kernel in messages. May be called from several threads.
llvm::Expected<PtxasOutput> assemble(const Ptxas &ptxas, llvm::StringRef ptx,
                                     llvm::StringRef chip,
                                     llvm::StringRef what);

/// Checks that PTX can be assembled alone: an error names each function that it
/// calls and does not hold, `__nv_` ones (libdevice) above all, with the
/// reason.
llvm::Error checkPtx(llvm::StringRef ptx, llvm::StringRef what);

} // namespace rmsc

#endif // RMSC_COMPILER_PTXAS_H
