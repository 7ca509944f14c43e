//===-- Commands.h - The commands of rms-run --------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMS_RUN_COMMANDS_H
#define RMS_RUN_COMMANDS_H

#include "Gpu.h"
#include "Options.h"
#include "rmscheck/Case.h"
#include "rmsrt/Package.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>

namespace rms_run {

Error runInfo(const Options &options);
/// Sets `passed` to whether every case passed.
Error runCheck(const Options &options, bool &passed);
Error runBench(const Options &options);
Error runTune(const Options &options);

/// A package opened twice: as data, and for launching.
struct OpenPackage {
  OpenPackage() = default;
  ~OpenPackage() { (void)rmsrtPackageClose(handle); }
  OpenPackage(const OpenPackage &) = delete;
  OpenPackage &operator=(const OpenPackage &) = delete;

  Error open(const std::string &path);
  Error kernel(const rmsrt::Kernel &kernel, RmsrtKernel &result) const;

  rmsrt::Package package;
  RmsrtPackage handle = nullptr;
};

using OpenPackages = std::vector<std::unique_ptr<OpenPackage>>;

/// Opens all packages of the command line. Done before a GPU is looked for: a
/// mistyped path should not wait for one.
Error openPackages(const Options &options, OpenPackages &packages);

/// The error that the C API just reported on this thread.
Error lastError(RmsrtStatus status);

/// A kernel and the cases to run it on.
struct WorkItem {
  const rmsrt::Kernel *kernel = nullptr;
  const rmscheck::Suite *suite = nullptr;
  int64_t rows = 0;
  std::optional<rmscheck::Tolerance> tolerance;
};

/// All that the options ask for, each with its package.
using Work = std::vector<std::pair<const OpenPackage *, WorkItem>>;

/// Selects the kernels and row counts that the options ask for: a suite's
/// cases, or `--rows` (or `defaultRows`) of every kernel. Floor kernels are
/// left out unless named. What makes no sense, or does not fit this machine's
/// memory, is an error, so that nothing is run that something later makes
/// worthless.
Error selectWork(const Options &options, const OpenPackages &packages,
                 const std::vector<int64_t> &defaultRows, Work &work);

/// The buffers of a case in device memory.
struct DeviceCase {
  Error allocate(const Gpu &gpu, const rmscheck::Case &host);
  /// Copies all images up, or only those that a run writes.
  Error upload(const Gpu &gpu, const rmscheck::Case &host, bool onlyWritten);
  /// Copies down what a run writes.
  Error download(const Gpu &gpu, rmscheck::Case &host) const;
  std::vector<void *> addresses() const;

  std::vector<DeviceMemory> memory;
};

/// The call of the C API for a case whose images are at `addresses`.
RmsrtCall toCall(const rmscheck::Case &host,
                 const std::vector<void *> &addresses,
                 std::vector<RmsrtTensor> &tensors, const Options &options,
                 const std::string &variant, cuda::Stream stream);

/// The names of the variants to run: the one the options force, every one of
/// this GPU's chip for "all", or "" for the runtime's choice.
Error variantsToRun(const Gpu &gpu, const rmsrt::Kernel &kernel,
                    const std::string &variant,
                    std::vector<std::string> &names);

/// The workspace that a case needs, for the variant of that name on any chip,
/// for any variant (`all`), or (when it is empty) for whichever is chosen.
void sizeWorkspace(const rmsrt::Kernel &kernel, const std::string &variant,
                   rmscheck::CaseOptions &options);

/// Runs a case once, poisoned, and judges it. `chosen` is the variant's name.
Error runOnce(const Gpu &gpu, RmsrtKernel handle, rmscheck::Case &host,
              DeviceCase &memory, const Options &options,
              const std::string &variant, const WorkItem &item,
              rmscheck::CaseReport &report, std::string &chosen);

/// Whether a document can be written to `path`, found out without touching what
/// is there.
Error checkOutput(const std::string &path);

/// Writes `document` to `path`, whole or not at all.
Error writeJson(const std::string &path, const nlohmann::json &document);

/// Now, in UTC, as 2026-01-31T12:00:00Z.
std::string timestamp();

} // namespace rms_run

#endif // RMS_RUN_COMMANDS_H
