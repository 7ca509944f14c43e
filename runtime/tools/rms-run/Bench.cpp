//===-- Bench.cpp - rms-run bench -----------------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"
#include "LaunchCost.h"
#include "rmscheck/Suites.h"

#include <cmath>
#include <cstdio>

using namespace rmsrt;
using namespace rmscheck;
using nlohmann::json;

namespace rms_run {

namespace {

double geomean(const std::vector<double> &values) {
  if (values.empty())
    return 0;
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return std::exp(sum / double(values.size()));
}

std::string shorten(const std::string &text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

class BenchCommand {
public:
  explicit BenchCommand(const Options &options) : bench(options) {}

  Error run() {
    if (Error error = bench.open())
      return error;
    std::printf("%-34s %8s %-24s %10s %9s %9s %9s %9s %6s %8s\n", "kernel",
                "rows", "variant", "median us", "min", "p10", "p90", "floor",
                "ratio", "GB/s");
    const size_t runs = size_t(bench.options.runs);
    times.resize(runs);
    floors.resize(runs);
    if (Error error = bench.forEachCase(
            [&](const OpenPackage &opened, const WorkItem &item) {
              return oneCase(opened, item);
            }))
      return error;
    return finish();
  }

private:
  Error oneCase(const OpenPackage &opened, const WorkItem &item) {
    const Kernel &kernel = *item.kernel;
    std::vector<std::string> variants;
    if (Error error =
            variantsToRun(bench.gpu, kernel, bench.options.variant, variants))
      return error;
    Case host(kernel,
              bench.caseOptions(item, item.rows, bench.options.variant));
    Ring ring;
    std::vector<std::string> usable;
    for (const std::string &variant : variants) {
      Error error = bench.checkCorrect(opened, item, variant, host);
      if (error && (variants.size() == 1 || error.status() != RMSRT_NO_VARIANT))
        return error;
      if (!error)
        usable.push_back(variant);
    }
    // From here on the images' contents do not matter; only inputs are used.
    if (Error error = ring.build(bench.gpu, host))
      return error;
    std::optional<Instrument::BoundFloor> floor;
    if (Error error = bench.bestFloor(opened, ring, host, floor))
      return error;
    for (const std::string &variant : usable)
      if (Error error = oneVariant(opened, item, host, ring, variant, floor))
        return error;
    return {};
  }

  Error oneVariant(const OpenPackage &opened, const WorkItem &item,
                   const Case &host, const Ring &ring,
                   const std::string &variant,
                   std::optional<Instrument::BoundFloor> &boundFloor) {
    const Options &options = bench.options;
    Ring::Calls calls;
    if (Error error = ring.bind(bench.gpu, opened, host, *item.kernel, variant,
                                options, calls))
      return error;
    std::vector<double> medians, mins, p10s, p90s, floorMedians, ratios;
    for (size_t run = 0; run < size_t(options.runs); ++run) {
      Timing timing, floor;
      if (boundFloor)
        if (Error error = bench.time(boundFloor->calls, options.warmups,
                                     options.calls, floor))
          return error;
      if (Error error =
              bench.time(calls, options.warmups, options.calls, timing))
        return error;
      medians.push_back(timing.median);
      mins.push_back(timing.min);
      p10s.push_back(timing.p10);
      p90s.push_back(timing.p90);
      times[run].push_back(timing.median);
      if (boundFloor) {
        floorMedians.push_back(floor.median);
        ratios.push_back(timing.median / floor.median);
        floors[run].push_back(floor.median);
      }
    }
    Timing timing;
    timing.median = quantile(medians, 0.5);
    timing.min = quantile(mins, 0);
    timing.p10 = quantile(p10s, 0.5);
    timing.p90 = quantile(p90s, 0.5);
    const double bytes = compulsoryBytes(host);
    json entry = toJson(timing);
    entry.update({{"kernel", item.kernel->name},
                  {"rows", item.rows},
                  {"hidden_size", item.kernel->hiddenSize},
                  {"variant", calls.variant().name},
                  {"schedule", calls.variant().schedule},
                  {"launches", calls.launches()},
                  {"buffer_sets", ring.size()},
                  {"bytes", bytes},
                  {"gb_per_s", rounded(bytes / timing.median / 1e3)}});
    std::string floorText = "-", ratioText = "-";
    if (boundFloor) {
      const double floor = quantile(floorMedians, 0.5);
      const double ratio = quantile(ratios, 0.5);
      entry.update({{"floor_us", rounded(floor)},
                    {"floor_variant", boundFloor->name},
                    {"floor_schedule", boundFloor->calls.variant().schedule},
                    {"ratio", rounded(ratio)},
                    {"percent_of_floor", rounded(100 / ratio)}});
      char text[32];
      std::snprintf(text, sizeof(text), "%.3f", floor);
      floorText = text;
      std::snprintf(text, sizeof(text), "%.3f", ratio);
      ratioText = text;
    }
    if (options.runs > 1) {
      entry["runs_us"] = medians;
      if (boundFloor)
        entry["floor_runs_us"] = floorMedians;
    }
    if (Error error = launchCost(opened, item, calls, entry))
      return error;
    std::printf("%-34s %8lld %-24s %10.3f %9.3f %9.3f %9.3f %9s %6s %8.0f\n",
                shorten(item.kernel->name, 34).c_str(),
                static_cast<long long>(item.rows),
                shorten(calls.variant().name, 24).c_str(), timing.median,
                timing.min, timing.p10, timing.p90, floorText.c_str(),
                ratioText.c_str(), bytes / timing.median / 1e3);
    std::fflush(stdout);
    suite = item.suite ? std::string(item.suite->name) : "";
    if (const SuiteCase *published = suiteCase(item))
      scores.push_back(score(*published, timing.median));
    cases.push_back(entry);
    return {};
  }

  /// The suite's case of this work, or null.
  static const SuiteCase *suiteCase(const WorkItem &item) {
    if (item.suite)
      for (const SuiteCase &c : item.suite->cases)
        if (c.rows == item.rows)
          return &c;
    return nullptr;
  }

  /// The suites' own measure of a time: 1 at the roofline, 1/2 at the baseline.
  static double score(const SuiteCase &c, double us) {
    return 1 / (1 + (us - c.b200RooflineUs) /
                        (c.b200BaselineUs - c.b200RooflineUs));
  }

  /// The host's cost, of the first (and so smallest) case of each kernel.
  Error launchCost(const OpenPackage &opened, const WorkItem &item,
                   Ring::Calls &calls, json &entry) {
    if (!costs.empty() && costs.back()["kernel"] == item.kernel->name)
      return {};
    LaunchCost cost;
    if (Error error =
            measureLaunchCost(bench.gpu, opened, *item.kernel, calls, cost))
      return error;
    entry["host_us"] = rounded(cost.runtime);
    entry["host_bare_us"] = rounded(cost.bare);
    costs.push_back({{"kernel", item.kernel->name},
                     {"launches", calls.launches()},
                     {"host_us", rounded(cost.runtime)},
                     {"host_bare_us", rounded(cost.bare)}});
    return {};
  }

  Error finish() {
    std::vector<double> means, floorMeans, ratios;
    json runs = json::array();
    for (size_t run = 0; run < times.size(); ++run) {
      means.push_back(geomean(times[run]));
      json entry = {{"geomean_us", rounded(means.back())}};
      // Only when every case has a floor can the two be compared.
      if (floors[run].size() == times[run].size() && !floors[run].empty()) {
        floorMeans.push_back(geomean(floors[run]));
        ratios.push_back(means.back() / floorMeans.back());
        entry["floor_geomean_us"] = rounded(floorMeans.back());
        entry["ratio"] = rounded(ratios.back());
      }
      runs.push_back(entry);
    }
    std::printf("geometric mean of %zu cases: %.3f us", times[0].size(),
                quantile(means, 0.5));
    if (!ratios.empty())
      std::printf(", floor %.3f us, ratio %.4f", quantile(floorMeans, 0.5),
                  quantile(ratios, 0.5));
    if (means.size() > 1) {
      std::printf(" (median of %zu runs; %.3f to %.3f us", means.size(),
                  quantile(means, 0), quantile(means, 1));
      if (!ratios.empty())
        std::printf(", ratios %.4f to %.4f", quantile(ratios, 0),
                    quantile(ratios, 1));
      std::printf(")");
    }
    std::printf("\n");
    // Rooflines and baselines are published for this GPU alone.
    const bool scored =
        !scores.empty() && bench.gpu.name.find("B200") != std::string::npos;
    double mean = 0;
    for (double s : scores)
      mean += s / double(scores.size());
    if (scored)
      std::printf("score of the suite: %.3f\n", mean);
    for (const json &cost : costs)
      std::printf("host cost of a call of %s (%d launch%s): %.2f us, bare "
                  "cuLaunchKernelEx %.2f us\n",
                  cost["kernel"].get<std::string>().c_str(),
                  cost["launches"].get<int>(),
                  cost["launches"].get<int>() == 1 ? "" : "es",
                  cost["host_us"].get<double>(),
                  cost["host_bare_us"].get<double>());
    if (bench.options.json.empty())
      return {};
    json document = bench.header();
    document["suite"] = suite;
    document["geomean_us"] = rounded(quantile(means, 0.5));
    document["floor_geomean_us"] =
        floorMeans.empty() ? json() : json(rounded(quantile(floorMeans, 0.5)));
    document["ratio"] =
        ratios.empty() ? json() : json(rounded(quantile(ratios, 0.5)));
    document["runs"] = runs;
    if (scored)
      document["score"] = rounded(mean);
    document["host"] = costs;
    document["cases"] = cases;
    return writeJson(bench.options.json, document);
  }

  Instrument bench;
  std::string suite;
  /// Medians of every case, by run.
  std::vector<std::vector<double>> times, floors;
  std::vector<double> scores;
  json cases = json::array(), costs = json::array();
};

} // namespace

Error runBench(const Options &options) { return BenchCommand(options).run(); }

} // namespace rms_run
