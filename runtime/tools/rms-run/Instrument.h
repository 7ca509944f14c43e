//===-- Instrument.h - What bench and tune measure with ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMS_RUN_INSTRUMENT_H
#define RMS_RUN_INSTRUMENT_H

#include "Commands.h"
#include "Ring.h"
#include "Stopwatch.h"

#include <functional>
#include <nlohmann/json.hpp>

namespace rms_run {

/// Bytes that a call must move: every used tensor once.
double compulsoryBytes(const rmscheck::Case &host);

/// Figures are given to a tenth of a nanosecond; more digits would be noise.
double rounded(double us);

/// `us`, `min_us`, `p10_us` and `p90_us`.
nlohmann::json toJson(const Timing &timing);

/// What bench and tune have in common: the packages, one GPU, its clock, and
/// the floors.
class Instrument {
public:
  explicit Instrument(const Options &options) : options(options), watch(gpu) {}

  /// Opens the packages, selects what is to be measured, then opens the GPU and
  /// its clock, and prints what they are.
  Error open();

  /// Calls `measure` for every case that the options ask for, up to the
  /// first error.
  Error
  forEachCase(const std::function<Error(const OpenPackage &package,
                                        const WorkItem &item)> &measure) const;

  /// Runs a variant on the poisoned buffers of `host` and judges it: what is
  /// incorrect is not timed.
  Error checkCorrect(const OpenPackage &package, const WorkItem &item,
                     const std::string &variant, rmscheck::Case &host);

  /// The settings of a case with room for the workspace of the variant (or of
  /// every one, for "all").
  rmscheck::CaseOptions caseOptions(const WorkItem &item, int64_t rows,
                                    const std::string &variant) const;

  Error time(Ring::Calls &calls, int64_t warmups, int64_t count,
             Timing &timing);

  /// A floor kernel, bound to a ring's buffers, and its "kernel/variant".
  struct BoundFloor {
    Ring::Calls calls;
    std::string name;
  };

  /// Binds the fastest of the package's floor kernels for this case, over all
  /// their variants, if there is one. A short trial picks a few, and these are
  /// measured as everything else is: one lucky trial must not decide.
  Error bestFloor(const OpenPackage &package, const Ring &ring,
                  const rmscheck::Case &host, std::optional<BoundFloor> &best);

  /// What every report says of the machine and the run.
  nlohmann::json header() const;

  const Options &options;
  Gpu gpu;
  Stopwatch watch;
  /// Behind the GPU that their code is loaded on, so that it outlives them.
  OpenPackages packages;
  Work work;

private:
  /// A variant of a floor kernel and its time.
  struct Floor {
    const rmsrt::Kernel *kernel;
    std::string variant;
    double median;
  };

  Error trialFloors(const OpenPackage &package, const Ring &ring,
                    const rmscheck::Case &host, std::vector<Floor> &floors);
};

} // namespace rms_run

#endif // RMS_RUN_INSTRUMENT_H
