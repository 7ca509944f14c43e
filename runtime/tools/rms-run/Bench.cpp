//===-- Bench.cpp - rms-run bench and tune --------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Ring.h"
#include "Stopwatch.h"
#include "rmscheck/Suites.h"

#include "Executable.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace rmsrt;
using namespace rmscheck;
using nlohmann::json;

namespace rms_run {

namespace {

/// Row counts of a bench without --suite and --rows.
std::vector<int64_t> defaultRows() { return {1, 64, 1024, 8192, 65536}; }
/// tune checks each variant up to this many rows: the host's reference would
/// otherwise take longer than all the timing.
constexpr int64_t kTuneCheckRows = 8192;
/// Calls that choose the best floor, before it is measured properly.
constexpr int64_t kTrialCalls = 15, kTrialWarmups = 3;
constexpr size_t kFinalists = 4;

/// Bytes that a call must move: every used tensor once.
double compulsoryBytes(const Case &host) {
  double bytes = 0;
  const auto &parameters = host.kernel().parameters;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].used)
      bytes += double(host.elements(i)) * double(sizeOf(parameters[i].dtype));
  return bytes;
}

double geomean(const std::vector<double> &values) {
  if (values.empty())
    return 0;
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return std::exp(sum / double(values.size()));
}

/// Figures are given to a tenth of a nanosecond; more digits would be noise.
double rounded(double us) { return std::round(us * 1e4) / 1e4; }

json toJson(const Timing &timing) {
  return {{"us", rounded(timing.median)},
          {"min_us", rounded(timing.min)},
          {"p10_us", rounded(timing.p10)},
          {"p90_us", rounded(timing.p90)}};
}

std::string shorten(const std::string &text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

/// What bench and tune have in common: one GPU, its clock, and the floors.
class Bench {
public:
  explicit Bench(const Options &options) : options(options), watch(gpu) {}

  Error open() {
    if (Error error = gpu.open(int(options.device)))
      return error;
    std::string note;
    if (Error error = watch.open(note))
      return error;
    std::printf("%s, %d SMs, %.0f MB of L2, CUDA driver %d.%d; clock: %s\n",
                gpu.name.c_str(), gpu.multiprocessors,
                double(gpu.l2Bytes) / 1e6, gpu.driverVersion / 1000,
                gpu.driverVersion % 1000 / 10, watch.clock());
    if (!note.empty())
      std::printf("note: %s\n", note.c_str());
    return {};
  }

  /// Checks a variant at `rows` rows; an incorrect kernel is not timed.
  Error checkCorrect(const OpenPackage &package, const WorkItem &item,
                     const std::string &variant, Case &host) {
    RmsrtKernel handle = nullptr;
    if (Error error = package.kernel(*item.kernel, handle))
      return error;
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

  CaseOptions caseOptions(const WorkItem &item, int64_t rows,
                          const std::string &variant) const {
    CaseOptions settings;
    settings.rows = rows;
    settings.seed = options.seed;
    sizeWorkspace(*item.kernel, variant, settings);
    return settings;
  }

  Error time(Ring::Calls &calls, int64_t warmups, int64_t count,
             Timing &timing) {
    return watch.measure(
        warmups, count, calls.launches(), [&] { return calls.next(); }, timing);
  }

  /// Binds the fastest of the package's floor kernels for this case, over all
  /// their variants; leaves `bound` false when there is none. A short trial
  /// picks a few, and these are measured as everything else is: one lucky trial
  /// must not decide.
  Error bestFloor(const OpenPackage &package, const Ring &ring,
                  const Case &host, Ring::Calls &best, std::string &name,
                  bool &bound) {
    bound = false;
    std::vector<Floor> floors;
    if (Error error = trialFloors(package, ring, host, floors))
      return error;
    if (floors.empty())
      return {};
    std::sort(floors.begin(), floors.end(), [](const Floor &a, const Floor &b) {
      return a.median < b.median;
    });
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
    bound = true;
    name = fastest->kernel->name + "/" + fastest->variant;
    return ring.bind(gpu, package, host, *fastest->kernel, fastest->variant,
                     options, best);
  }

  json header() const {
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

  const Options &options;
  Gpu gpu;
  Stopwatch watch;

private:
  /// A variant of a floor kernel and its time.
  struct Floor {
    const Kernel *kernel;
    std::string variant;
    double median;
  };

  Error trialFloors(const OpenPackage &package, const Ring &ring,
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
        if (Error error = ring.bind(gpu, package, host, kernel, variant,
                                    options, calls)) {
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
};

//===----------------------------------------------------------------------===//
// Host cost of a launch
//===----------------------------------------------------------------------===//

/// Launches a variant's kernels with nothing around cuLaunchKernelEx.
class BareLauncher {
public:
  BareLauncher(const Gpu &gpu, const OpenPackage &package, const Kernel &kernel,
               const Variant &variant)
      : gpu(gpu), kernel(kernel), variant(variant), images(package.package) {}
  ~BareLauncher() { (void)images.unload(); }

  Error prepare(const RmsrtCall &call) {
    cuda::Library library = nullptr;
    if (Error error = images.load(*gpu.driver, kernel, variant, library))
      return error;
    Call plan;
    plan.tensors = call.tensors;
    plan.tensorCount = call.tensorCount;
    plan.rows = call.rows;
    plan.workspace = call.workspace;
    plan.workspaceBytes = call.workspaceBytes;
    arguments = std::make_unique<ArgumentList>(kernel, plan);
    for (size_t i = 0; i < variant.launches.size(); ++i) {
      const Launch &launch = variant.launches[i];
      Step step;
      if (!configure(variant, i, plan, steps.empty(), gpu.streams[0],
                     step.config, step.attributes))
        continue;
      if (Error error =
              gpu.check(gpu.driver->libraryGetKernel(&step.handle, library,
                                                     launch.entry.c_str()),
                        "finding an entry"))
        return error;
      if (launch.sharedDynamicBytes)
        if (Error error = gpu.check(
                gpu.driver->kernelSetAttribute(cuda::kMaxDynamicSharedBytes,
                                               int(launch.sharedDynamicBytes),
                                               step.handle, gpu.device),
                "raising the dynamic shared memory"))
          return error;
      steps.push_back(step);
    }
    for (Step &step : steps)
      step.config.attrs = step.attributes;
    return {};
  }

  Error launch() {
    for (Step &step : steps)
      if (cuda::Result result = gpu.driver->launchKernelEx(
              &step.config, reinterpret_cast<cuda::Function>(step.handle),
              arguments->pointers, nullptr))
        return gpu.check(result, "launching");
    return {};
  }

private:
  struct Step {
    cuda::LaunchConfig config;
    cuda::LaunchAttribute attributes[2];
    cuda::KernelHandle handle = nullptr;
  };
  const Gpu &gpu;
  const Kernel &kernel;
  const Variant &variant;
  LoadedImages images;
  std::unique_ptr<ArgumentList> arguments;
  std::vector<Step> steps;
};

/// Median host time of one call, in microseconds: single calls are timed, and
/// the stream is drained often enough that none waits for room in its queue.
Error hostCost(const Gpu &gpu, const std::function<Error()> &call, double &us) {
  constexpr int kRounds = 40, kCallsARound = 50;
  std::vector<double> samples;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kCallsARound; ++i) {
      auto begin = std::chrono::steady_clock::now();
      if (Error error = call())
        return error;
      std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begin;
      if (round)
        samples.push_back(took.count());
    }
    if (Error error = gpu.check(gpu.streamSynchronize(gpu.streams[0]),
                                "waiting for launches"))
      return error;
  }
  us = quantile(samples, 0.5);
  return {};
}

//===----------------------------------------------------------------------===//
// bench
//===----------------------------------------------------------------------===//

class BenchCommand {
public:
  explicit BenchCommand(const Options &options) : bench(options) {}

  Error run() {
    OpenPackages packages;
    if (Error error = openPackages(bench.options, packages))
      return error;
    if (Error error = bench.open())
      return error;
    std::printf("%-34s %8s %-24s %10s %9s %9s %9s %9s %6s %8s\n", "kernel",
                "rows", "variant", "median us", "min", "p10", "p90", "floor",
                "ratio", "GB/s");
    const size_t runs = size_t(bench.options.runs);
    times.resize(runs);
    floors.resize(runs);
    for (const auto &opened : packages)
      if (Error error = package(*opened))
        return error;
    return finish();
  }

private:
  Error package(const OpenPackage &opened) {
    std::vector<WorkItem> work;
    if (Error error =
            selectWork(bench.options, opened.package, defaultRows(), work))
      return error;
    for (const WorkItem &item : work) {
      if (item.rows == 0)
        return Error(RMSRT_INVALID_ARGUMENT,
                     "--rows=0 launches nothing that could be timed");
      if (Error error = oneCase(opened, item))
        return error;
    }
    return {};
  }

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
    Ring::Calls floorCalls;
    std::string floorName;
    bool hasFloor = false;
    if (Error error = bench.bestFloor(opened, ring, host, floorCalls, floorName,
                                      hasFloor))
      return error;
    for (const std::string &variant : usable)
      if (Error error = oneVariant(opened, item, host, ring, variant,
                                   hasFloor ? &floorCalls : nullptr, floorName))
        return error;
    return {};
  }

  Error oneVariant(const OpenPackage &opened, const WorkItem &item,
                   const Case &host, const Ring &ring,
                   const std::string &variant, Ring::Calls *floorCalls,
                   const std::string &floorName) {
    const Options &options = bench.options;
    Ring::Calls calls;
    if (Error error = ring.bind(bench.gpu, opened, host, *item.kernel, variant,
                                options, calls))
      return error;
    std::vector<double> medians, mins, p10s, p90s, floorMedians, ratios;
    for (size_t run = 0; run < size_t(options.runs); ++run) {
      Timing timing, floor;
      if (floorCalls)
        if (Error error =
                bench.time(*floorCalls, options.warmups, options.calls, floor))
          return error;
      if (Error error =
              bench.time(calls, options.warmups, options.calls, timing))
        return error;
      medians.push_back(timing.median);
      mins.push_back(timing.min);
      p10s.push_back(timing.p10);
      p90s.push_back(timing.p90);
      times[run].push_back(timing.median);
      if (floorCalls) {
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
    if (floorCalls) {
      const double floor = quantile(floorMedians, 0.5);
      const double ratio = quantile(ratios, 0.5);
      entry.update({{"floor_us", rounded(floor)},
                    {"floor_variant", floorName},
                    {"floor_schedule", floorCalls->variant().schedule},
                    {"ratio", rounded(ratio)},
                    {"percent_of_floor", rounded(100 / ratio)}});
      char text[32];
      std::snprintf(text, sizeof(text), "%.3f", floor);
      floorText = text;
      std::snprintf(text, sizeof(text), "%.3f", ratio);
      ratioText = text;
    }
    if (options.runs > 1)
      entry["runs_us"] = medians;
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
    BareLauncher bare(bench.gpu, opened, *item.kernel, calls.variant());
    if (Error error = bare.prepare(calls.call(0)))
      return error;
    double ours = 0, theirs = 0;
    if (Error error = hostCost(bench.gpu, [&] { return calls.next(); }, ours))
      return error;
    if (Error error =
            hostCost(bench.gpu, [&] { return bare.launch(); }, theirs))
      return error;
    entry["host_us"] = rounded(ours);
    entry["host_bare_us"] = rounded(theirs);
    costs.push_back({{"kernel", item.kernel->name},
                     {"launches", calls.launches()},
                     {"host_us", rounded(ours)},
                     {"host_bare_us", rounded(theirs)}});
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

  Bench bench;
  std::string suite;
  /// Medians of every case, by run.
  std::vector<std::vector<double>> times, floors;
  std::vector<double> scores;
  json cases = json::array(), costs = json::array();
};

//===----------------------------------------------------------------------===//
// tune
//===----------------------------------------------------------------------===//

class TuneCommand {
public:
  explicit TuneCommand(const Options &options) : bench(options) {}

  Error run() {
    OpenPackages packages;
    if (Error error = openPackages(bench.options, packages))
      return error;
    if (Error error = bench.open())
      return error;
    for (const auto &opened : packages)
      if (Error error = package(*opened))
        return error;
    json document = bench.header();
    document["format"] = "rms-tuning";
    document["version"] = 1;
    document["entries"] = entries;
    return writeJson(bench.options.output, document);
  }

private:
  Error package(const OpenPackage &opened) {
    std::vector<WorkItem> work;
    if (Error error =
            selectWork(bench.options, opened.package, defaultRows(), work))
      return error;
    for (const WorkItem &item : work)
      if (Error error = oneCase(opened, item))
        return error;
    return {};
  }

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
    Ring::Calls floorCalls;
    std::string floorName;
    bool hasFloor = false;
    if (Error error = bench.bestFloor(opened, ring, host, floorCalls, floorName,
                                      hasFloor))
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
    if (hasFloor) {
      Timing floor;
      if (Error error = bench.time(floorCalls, bench.options.warmups,
                                   bench.options.calls, floor))
        return error;
      entry["floor_us"] = rounded(floor.median);
      entry["floor_variant"] = floorName;
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
      if (hasFloor)
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
    small.reset();
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

  Bench bench;
  json entries = json::array();
};

} // namespace

Error runBench(const Options &options) { return BenchCommand(options).run(); }
Error runTune(const Options &options) { return TuneCommand(options).run(); }

} // namespace rms_run
