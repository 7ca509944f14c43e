//===-- Stopwatch.cpp - The time of a call on the GPU ---------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stopwatch.h"

#include <algorithm>
#include <cmath>

using rmsrt::concat;

namespace rms_run {

double quantile(std::vector<double> samples, double fraction) {
  if (samples.empty())
    return 0;
  std::sort(samples.begin(), samples.end());
  // Linear between the two samples around the place: the median of an even
  // count is the mean of the middle two.
  const double place = fraction * double(samples.size() - 1);
  const size_t low = size_t(place);
  const size_t high = std::min(low + 1, samples.size() - 1);
  return samples[low] + (samples[high] - samples[low]) * (place - double(low));
}

Timing summarize(const std::vector<double> &samples) {
  Timing timing;
  timing.median = quantile(samples, 0.5);
  timing.min = quantile(samples, 0);
  timing.p10 = quantile(samples, 0.1);
  timing.p90 = quantile(samples, 0.9);
  return timing;
}

Error Stopwatch::open(std::string &note) {
  if (Error error = Cupti::open(cupti)) {
    cupti = nullptr;
    note = error.message() + ". Times are from CUDA events, which add about a "
                             "microsecond.";
  }
  return flush.allocate(gpu, 2 * gpu.l2Bytes);
}

/// What precedes every call: no line of an earlier call may still be in the
/// cache, also none that asked to persist.
Error Stopwatch::prepareCall() const {
  if (Error error =
          gpu.check(gpu.ctxResetPersistingL2(), "resetting persisting lines"))
    return error;
  return gpu.check(
      gpu.memsetD8Async(flush.address(), 0, 2 * gpu.l2Bytes, gpu.streams[0]),
      "flushing the L2 cache");
}

Error Stopwatch::measure(int64_t warmups, int64_t calls, size_t launches,
                         const std::function<Error()> &call, Timing &timing) {
  const char *what = "waiting for a timed call";
  for (int64_t i = 0; i < warmups; ++i) {
    if (Error error = prepareCall())
      return error;
    if (Error error = call())
      return error;
    if (Error error = gpu.check(gpu.streamSynchronize(gpu.streams[0]), what))
      return error;
  }
  std::vector<double> samples;
  if (Error error = cupti ? withCupti(calls, launches, call, samples)
                          : withEvents(calls, call, samples))
    return error;
  timing = summarize(samples);
  return {};
}

Error Stopwatch::withCupti(int64_t calls, size_t launches,
                           const std::function<Error()> &call,
                           std::vector<double> &samples) {
  if (Error error = cupti->start())
    return error;
  Error failed;
  for (int64_t i = 0; i < calls && !failed; ++i) {
    failed = prepareCall();
    if (!failed)
      failed = call();
    if (!failed)
      failed = gpu.check(gpu.streamSynchronize(gpu.streams[0]),
                         "waiting for a timed call");
  }
  std::vector<KernelSpan> spans;
  Error stopped = cupti->stop(spans);
  if (failed)
    return failed;
  if (stopped)
    return stopped;
  if (spans.size() != size_t(calls) * launches)
    return Error(RMSRT_DRIVER_ERROR,
                 concat("CUPTI recorded ", spans.size(), " kernels of ", calls,
                        " calls of ", launches,
                        "; nothing else may use the GPU from this process"));
  // Calls do not overlap, so each one's kernels are neighbours.
  for (int64_t i = 0; i < calls; ++i) {
    uint64_t start = UINT64_MAX, end = 0;
    for (size_t k = 0; k < launches; ++k) {
      const KernelSpan &span = spans[size_t(i) * launches + k];
      start = std::min(start, span.start);
      end = std::max(end, span.end);
    }
    samples.push_back(double(end - start) / 1000);
  }
  return {};
}

Error Stopwatch::withEvents(int64_t calls, const std::function<Error()> &call,
                            std::vector<double> &samples) {
  cuda::Event events[2] = {};
  Error error;
  for (cuda::Event &event : events)
    if (!error)
      error = gpu.check(gpu.eventCreate(&event, 0), "making an event");
  for (int64_t i = 0; i < calls && !error; ++i) {
    float milliseconds = 0;
    error = prepareCall();
    if (!error)
      error = gpu.check(gpu.eventRecord(events[0], gpu.streams[0]),
                        "recording an event");
    if (!error)
      error = call();
    if (!error)
      error = gpu.check(gpu.eventRecord(events[1], gpu.streams[0]),
                        "recording an event");
    if (!error)
      error = gpu.check(gpu.streamSynchronize(gpu.streams[0]),
                        "waiting for a timed call");
    if (!error)
      error =
          gpu.check(gpu.eventElapsedTime(&milliseconds, events[0], events[1]),
                    "reading the events");
    samples.push_back(double(milliseconds) * 1000);
  }
  for (cuda::Event event : events)
    if (event)
      (void)gpu.eventDestroy(event);
  return error;
}

} // namespace rms_run
