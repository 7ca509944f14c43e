//===-- Instrument.cpp - What bench and tune measure with -----------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace rmsrt;
using namespace rmscheck;
using nlohmann::json;

namespace rms_run {

/// Calls that choose the best floor, before it is measured properly.
static constexpr int64_t kTrialCalls = 15, kTrialWarmups = 3;
static constexpr size_t kFinalists = 4;

/// Row counts where neither --suite nor --rows says any.
static std::vector<int64_t> defaultRows() { return {1, 64, 1024, 8192, 65536}; }

double compulsoryBytes(const Case &host) {
  double bytes = 0;
  const auto &parameters = host.kernel().parameters;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].used)
      bytes += double(host.elements(i)) * double(sizeOf(parameters[i].dtype));
  return bytes;
}

double rounded(double us) { return std::round(us * 1e4) / 1e4; }

json toJson(const Timing &timing) {
  return {{"us", rounded(timing.median)},
          {"min_us", rounded(timing.min)},
          {"p10_us", rounded(timing.p10)},
          {"p90_us", rounded(timing.p90)}};
}

Error Instrument::open() {
  if (Error error = openPackages(options, packages))
    return error;
  if (Error error = selectWork(options, packages, defaultRows(), work))
    return error;
  for (const auto &entry : work)
    if (entry.second.rows == 0)
      return Error(RMSRT_INVALID_ARGUMENT,
                   "--rows=0 launches nothing that could be timed; leave it "
                   "out of --rows");
  if (Error error = gpu.open(int(options.device)))
    return error;
  std::string note;
  if (Error error = watch.open(note))
    return error;
  std::printf("%s, %d SMs, %.0f MB of L2, CUDA driver %d.%d; clock: %s\n",
              gpu.name.c_str(), gpu.multiprocessors, double(gpu.l2Bytes) / 1e6,
              gpu.driverVersion / 1000, gpu.driverVersion % 1000 / 10,
              watch.clock());
  if (!note.empty())
    std::printf("note: %s\n", note.c_str());
  return {};
}

Error Instrument::forEachCase(
    const std::function<Error(const OpenPackage &, const WorkItem &)> &measure)
    const {
  for (const auto &[package, item] : work)
    if (Error error = measure(*package, item))
      return error;
  return {};
}

Error Instrument::checkCorrect(const OpenPackage &package, const WorkItem &item,
                               const std::string &variant, Case &host) {
  RmsrtKernel handle = nullptr;
  if (Error error = package.kernel(*item.kernel, handle))
    return error;
  // Another variant's results may be there, and would pass for this one's.
  host.reset();
  DeviceCase memory;
  if (Error error = memory.allocate(gpu, host))
    return error;
  CaseReport report;
  std::string chosen;
  if (Error error = runOnce(gpu, handle, host, memory, options, variant, item,
                            report, chosen))
    return error;
  if (report.passed())
    return {};
  const std::string title = concat(
      item.kernel->name, " rows=", host.options().rows, " variant=", chosen);
  return Error(RMSRT_CORRUPT, "wrong results, so nothing is timed:\n" +
                                  formatReport(host, report, title) +
                                  "rms-run check shows more");
}

CaseOptions Instrument::caseOptions(const WorkItem &item, int64_t rows,
                                    const std::string &variant) const {
  CaseOptions settings;
  settings.rows = rows;
  settings.seed = options.seed;
  sizeWorkspace(*item.kernel, variant, settings);
  return settings;
}

Error Instrument::time(Ring::Calls &calls, int64_t warmups, int64_t count,
                       Timing &timing) {
  return watch.measure(
      warmups, count, calls.launches(), [&] { return calls.next(); }, timing);
}

Error Instrument::bestFloor(const OpenPackage &package, const Ring &ring,
                            const Case &host, std::optional<BoundFloor> &best) {
  best.reset();
  std::vector<Floor> floors;
  if (Error error = trialFloors(package, ring, host, floors))
    return error;
  if (floors.empty())
    return {};
  std::sort(floors.begin(), floors.end(),
            [](const Floor &a, const Floor &b) { return a.median < b.median; });
  floors.resize(std::min(floors.size(), kFinalists));
  const Floor *fastest = nullptr;
  for (Floor &floor : floors) {
    Ring::Calls calls;
    if (Error error = ring.bind(gpu, package, host, *floor.kernel,
                                floor.variant, options, calls))
      return error;
    Timing timing;
    if (Error error = time(calls, options.warmups, options.calls, timing))
      return error;
    floor.median = timing.median;
    if (!fastest || floor.median < fastest->median)
      fastest = &floor;
  }
  // Bound in place: the calls point into themselves.
  best.emplace();
  best->name = fastest->kernel->name + "/" + fastest->variant;
  return ring.bind(gpu, package, host, *fastest->kernel, fastest->variant,
                   options, best->calls);
}

json Instrument::header() const {
  return {{"gpu", gpu.name},
          {"chip", concat("sm_", gpu.major, gpu.minor)},
          {"driver", concat(gpu.driverVersion / 1000, ".",
                            gpu.driverVersion % 1000 / 10)},
          {"date", timestamp()},
          {"command", options.commandLine},
          {"clock", watch.clock()},
          {"calls", options.calls},
          {"warmups", options.warmups}};
}

Error Instrument::trialFloors(const OpenPackage &package, const Ring &ring,
                              const Case &host, std::vector<Floor> &floors) {
  for (const Kernel &kernel : package.package.manifest().kernels) {
    if (kernel.operation.kind != OperationKind::Copy ||
        kernel.operation.floorOf != host.kernel().name)
      continue;
    std::vector<std::string> variants;
    if (Error error = variantsToRun(gpu, kernel, "all", variants))
      return error;
    for (const std::string &variant : variants) {
      Ring::Calls calls;
      if (Error error =
              ring.bind(gpu, package, host, kernel, variant, options, calls)) {
        if (error.status() == RMSRT_NO_VARIANT)
          continue;
        return error;
      }
      Timing timing;
      if (Error error = time(calls, kTrialWarmups, kTrialCalls, timing))
        return error;
      floors.push_back({&kernel, variant, timing.median});
    }
  }
  return {};
}

} // namespace rms_run
