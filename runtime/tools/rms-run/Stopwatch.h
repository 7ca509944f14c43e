//===-- Stopwatch.h - The time of a call on the GPU -------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMS_RUN_STOPWATCH_H
#define RMS_RUN_STOPWATCH_H

#include "Cupti.h"
#include "Gpu.h"

#include <functional>
#include <vector>

namespace rms_run {

/// Times of many calls, in microseconds.
struct Timing {
  double median = 0, min = 0, p10 = 0, p90 = 0;
};

/// The value below which `fraction` of the samples lie.
double quantile(std::vector<double> samples, double fraction);
Timing summarize(const std::vector<double> &samples);

/// The benchmark's clock: before every call it writes a buffer of twice the L2
/// cache and gives up persisting lines; a call's time is the span from its
/// first kernel's start to its last one's end.
class Stopwatch {
public:
  explicit Stopwatch(const Gpu &gpu) : gpu(gpu) {}

  /// Finds CUPTI, or falls back to events and says why in `note`.
  Error open(std::string &note);

  /// "cupti", or "events", which also count the gaps around the kernels.
  const char *clock() const { return cupti ? "cupti" : "events"; }

  /// Times `calls` calls after `warmups` untimed ones. `call` enqueues one call
  /// of `launches` kernels on the GPU's first stream.
  Error measure(int64_t warmups, int64_t calls, size_t launches,
                const std::function<Error()> &call, Timing &timing);

private:
  Error prepareCall() const;
  Error withCupti(int64_t calls, size_t launches,
                  const std::function<Error()> &call,
                  std::vector<double> &samples);
  Error withEvents(int64_t calls, const std::function<Error()> &call,
                   std::vector<double> &samples);

  const Gpu &gpu;
  Cupti *cupti = nullptr;
  DeviceMemory flush;
};

} // namespace rms_run

#endif // RMS_RUN_STOPWATCH_H
