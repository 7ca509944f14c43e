//===-- Tune.cpp - rms-run tune -------------------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"

#include <algorithm>
#include <cstdio>

using namespace rmsrt;
using namespace rmscheck;
using nlohmann::json;

namespace rms_run {

namespace {

/// Each variant is checked up to this many rows: the host's reference would
/// otherwise take longer than all the timing (at 8192, ten times as long).
constexpr int64_t kTuneCheckRows = 1024;

class TuneCommand {
public:
  explicit TuneCommand(const Options &options) : bench(options) {}

  Error run() {
    if (Error error = bench.open())
      return error;
    if (Error error = bench.forEachCase(
            [&](const OpenPackage &opened, const WorkItem &item) {
              return oneCase(opened, item);
            }))
      return error;
    json document = bench.header();
    document["format"] = "rms-tuning";
    document["version"] = 1;
    document["entries"] = entries;
    return writeJson(bench.options.output, document);
  }

private:
  Error oneCase(const OpenPackage &opened, const WorkItem &item) {
    const Kernel &kernel = *item.kernel;
    std::vector<std::string> variants;
    if (Error error = variantsToRun(bench.gpu, kernel, "all", variants))
      return error;
    // One set of buffers serves all: the workspace is the largest one's.
    CaseOptions settings = bench.caseOptions(item, item.rows, "all");
    Case host(kernel, settings);
    settings.rows = std::min(item.rows, kTuneCheckRows);
    WorkItem checkedItem = item;
    if (settings.rows != item.rows)
      checkedItem.tolerance.reset();
    Case small(kernel, settings);
    Ring ring;
    if (Error error = ring.build(bench.gpu, host))
      return error;
    std::optional<Instrument::BoundFloor> boundFloor;
    if (Error error = bench.bestFloor(opened, ring, host, boundFloor))
      return error;
    json entry = {{"kernel", kernel.name},
                  {"operation", toString(kernel.operation.kind)},
                  {"hidden_size", kernel.hiddenSize},
                  {"rows", item.rows},
                  {"bytes", compulsoryBytes(host)}};
    json parameters = json::array();
    for (const Parameter &p : kernel.parameters)
      if (p.used)
        parameters.push_back(
            {{"role", p.role},
             {"direction",
              p.direction == Direction::Input ? "input" : "output"},
             {"kind", toString(p.kind)},
             {"dtype", toString(p.dtype)}});
    entry["parameters"] = parameters;
    if (boundFloor) {
      Timing floor;
      if (Error error = bench.time(boundFloor->calls, bench.options.warmups,
                                   bench.options.calls, floor))
        return error;
      entry["floor_us"] = rounded(floor.median);
      entry["floor_variant"] = boundFloor->name;
    }
    json measured = json::array();
    const json *best = nullptr;
    for (const std::string &variant : variants) {
      if (spills(kernel, variant))
        continue;
      if (Error error = oneVariant(opened, item, checkedItem, host, small, ring,
                                   variant, measured))
        return error;
    }
    for (const json &m : measured)
      if (!best || m["us"].get<double>() < (*best)["us"].get<double>())
        best = &m;
    if (best) {
      entry["best"] = {{"variant", (*best)["variant"]},
                       {"schedule", (*best)["schedule"]},
                       {"us", (*best)["us"]}};
      std::printf("%s rows=%lld: best %s, %.3f us of %zu variants",
                  kernel.name.c_str(), static_cast<long long>(item.rows),
                  (*best)["variant"].get<std::string>().c_str(),
                  (*best)["us"].get<double>(), measured.size());
      if (boundFloor)
        std::printf(", floor %.3f us", entry["floor_us"].get<double>());
      std::printf("\n");
      std::fflush(stdout);
    }
    entry["variants"] = measured;
    entries.push_back(entry);
    return {};
  }

  /// Whether a variant keeps registers in memory: none that would be shipped.
  bool spills(const Kernel &kernel, const std::string &name) const {
    for (const Variant &variant : kernel.variants)
      for (const Launch &launch : variant.launches)
        if (variant.name == name && launch.spillBytes)
          return true;
    return false;
  }

  Error oneVariant(const OpenPackage &opened, const WorkItem &item,
                   const WorkItem &checkedItem, const Case &host, Case &small,
                   const Ring &ring, const std::string &variant,
                   json &measured) {
    Error checked = bench.checkCorrect(opened, checkedItem, variant, small);
    Ring::Calls calls;
    if (!checked)
      checked = ring.bind(bench.gpu, opened, host, *item.kernel, variant,
                          bench.options, calls);
    // A variant that cannot take these buffers is none to choose.
    if (checked.status() == RMSRT_NO_VARIANT)
      return {};
    if (checked)
      return checked;
    Timing timing;
    if (Error error = bench.time(calls, bench.options.warmups,
                                 bench.options.calls, timing))
      return error;
    json m = toJson(timing);
    m["variant"] = variant;
    m["schedule"] = calls.variant().schedule;
    measured.push_back(m);
    return {};
  }

  Instrument bench;
  json entries = json::array();
};

} // namespace

Error runTune(const Options &options) { return TuneCommand(options).run(); }

} // namespace rms_run
