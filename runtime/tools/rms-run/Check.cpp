//===-- Check.cpp - rms-run check -----------------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "rmscheck/Suites.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace rmsrt;
using namespace rmscheck;
using nlohmann::json;

namespace rms_run {

//===----------------------------------------------------------------------===//
// Shared with bench and tune
//===----------------------------------------------------------------------===//

Error lastError(RmsrtStatus status) {
  return status ? Error(status, rmsrtLastError()) : Error();
}

Error OpenPackage::open(const std::string &path) {
  if (Error error = Package::openFile(path, package))
    return error;
  return lastError(rmsrtPackageOpenFile(path.c_str(), &handle));
}

Error OpenPackage::kernel(const Kernel &kernel, RmsrtKernel &result) const {
  return lastError(
      rmsrtPackageFindKernel(handle, kernel.name.c_str(), &result));
}

Error openPackages(const Options &options, OpenPackages &packages) {
  for (const std::string &path : options.packages) {
    packages.push_back(std::make_unique<OpenPackage>());
    if (Error error = packages.back()->open(path))
      return error;
  }
  return {};
}

static std::string kernelNames(const Package &package) {
  std::string names;
  for (const Kernel &kernel : package.manifest().kernels)
    names += (names.empty() ? "" : ", ") + kernel.name;
  return names;
}

/// `--rows` of a suite must be row counts of its cases.
static Error checkSuiteRows(const Options &options, const Suite &suite) {
  for (int64_t count : options.rows) {
    std::string known;
    bool found = false;
    for (const SuiteCase &c : suite.cases) {
      found |= c.rows == count;
      known += (known.empty() ? "" : ", ") + std::to_string(c.rows);
    }
    if (!found)
      return Error(RMSRT_NOT_FOUND,
                   concat("--rows=", count, ": the ", suite.name,
                          " suite has no such case; it has ", known));
  }
  return {};
}

static Error selectWork(const Options &options, const Package &package,
                        const std::vector<int64_t> &defaultRows,
                        std::vector<WorkItem> &work) {
  const std::vector<Kernel> &kernels = package.manifest().kernels;
  if (!options.kernel.empty() && !package.manifest().find(options.kernel))
    return Error(RMSRT_NOT_FOUND, "--kernel=" + options.kernel +
                                      ": the package holds " +
                                      kernelNames(package));
  const Suite *suite = nullptr;
  if (!options.suite.empty()) {
    suite = findSuite(options.suite);
    if (!suite)
      return Error(RMSRT_NOT_FOUND,
                   "--suite=" + options.suite +
                       ": the suites are forward and backward");
    if (Error error = checkSuiteRows(options, *suite))
      return error;
  }
  const std::vector<int64_t> &rows =
      options.rows.empty() ? defaultRows : options.rows;
  for (const Kernel &kernel : kernels) {
    if (!options.kernel.empty() ? kernel.name != options.kernel
                                : kernel.operation.kind == OperationKind::Copy)
      continue;
    if (!suite) {
      for (int64_t count : rows)
        work.push_back({&kernel, nullptr, count, std::nullopt});
      continue;
    }
    if (!computesSuite(kernel, *suite))
      continue;
    for (const SuiteCase &c : suite->cases) {
      bool wanted = options.rows.empty();
      for (int64_t count : options.rows)
        wanted |= count == c.rows;
      if (wanted)
        work.push_back({&kernel, suite, c.rows, c.tolerance});
    }
    // A suite is one kernel: the first that computes it.
    return {};
  }
  if (suite)
    return Error(RMSRT_NOT_FOUND,
                 concat("no kernel of the package computes the ", suite->name,
                        " suite (", toString(suite->operation),
                        ", hidden size ", suite->hiddenSize,
                        ", the types and epsilon of ", suite->kernel,
                        "); it holds ", kernelNames(package)));
  if (work.empty())
    return Error(RMSRT_NOT_FOUND,
                 "the package holds floor kernels only; name one with "
                 "--kernel: " +
                     kernelNames(package));
  return {};
}

Error selectWork(const Options &options, const OpenPackages &packages,
                 const std::vector<int64_t> &defaultRows, Work &work) {
  for (const auto &package : packages) {
    std::vector<WorkItem> items;
    if (Error error = selectWork(options, package->package, defaultRows, items))
      return error;
    for (const WorkItem &item : items) {
      CaseOptions settings;
      settings.rows = item.rows;
      settings.extraStride = options.extraStride;
      if (Error error = checkHostMemory(
              *item.kernel, item.rows, measureCase(*item.kernel, settings).all))
        return error;
      work.emplace_back(package.get(), item);
    }
  }
  return {};
}

Error DeviceCase::allocate(const Gpu &gpu, const Case &host) {
  memory.clear();
  for (const Buffer &image : host.buffers()) {
    memory.emplace_back();
    if (Error error = memory.back().allocate(gpu, image.bytes))
      return error;
  }
  return {};
}

Error DeviceCase::upload(const Gpu &gpu, const Case &host, bool onlyWritten) {
  for (size_t i = 0; i < memory.size(); ++i) {
    const Buffer &image = host.buffers()[i];
    if (onlyWritten && !image.written)
      continue;
    if (Error error = gpu.check(gpu.memcpyHtoD(memory[i].address(),
                                               image.memory.get(), image.bytes),
                                "copying to the GPU"))
      return error;
  }
  // A copy from pageable memory may return while its last part is under way,
  // and the streams that kernels run on do not wait for the default stream's
  // work.
  return gpu.check(gpu.streamSynchronize(nullptr), "copying to the GPU");
}

Error DeviceCase::download(const Gpu &gpu, Case &host) const {
  for (size_t i = 0; i < memory.size(); ++i) {
    Buffer &image = host.buffers()[i];
    if (!image.written)
      continue;
    if (Error error =
            gpu.check(gpu.memcpyDtoH(image.memory.get(), memory[i].address(),
                                     image.bytes),
                      "copying from the GPU"))
      return error;
  }
  return {};
}

std::vector<void *> DeviceCase::addresses() const {
  std::vector<void *> result;
  result.reserve(memory.size());
  for (const DeviceMemory &m : memory)
    result.push_back(m.data());
  return result;
}

RmsrtCall toCall(const Case &host, const std::vector<void *> &addresses,
                 std::vector<RmsrtTensor> &tensors, const Options &options,
                 const std::string &variant, cuda::Stream stream) {
  Call call = host.call(addresses, tensors);
  RmsrtCall result = {};
  result.tensors = call.tensors;
  result.tensorCount = call.tensorCount;
  result.rows = call.rows;
  result.workspace = const_cast<void *>(call.workspace);
  result.workspaceBytes = call.workspaceBytes;
  result.stream = stream;
  if (options.batchInvariant)
    result.flags |= RMSRT_LAUNCH_BATCH_INVARIANT;
  if (options.dependent)
    result.flags |= RMSRT_LAUNCH_DEPENDENT;
  result.variant = variant.empty() ? nullptr : variant.c_str();
  return result;
}

Error variantsToRun(const Gpu &gpu, const Kernel &kernel,
                    const std::string &variant,
                    std::vector<std::string> &names) {
  names.clear();
  if (variant != "all") {
    names.push_back(variant);
    return {};
  }
  std::vector<size_t> candidates;
  if (Error error =
          candidatesForDevice(kernel, {gpu.major, gpu.minor}, candidates))
    return error;
  for (size_t i : candidates)
    names.push_back(kernel.variants[i].name);
  return {};
}

void sizeWorkspace(const Kernel &kernel, const std::string &variant,
                   CaseOptions &options) {
  options.workspaceBytes = options.workspaceZeroedBytes = 0;
  for (const Variant &v : kernel.variants) {
    const bool serves = variant.empty() ? options.rows >= v.firstRows &&
                                              options.rows <= v.lastRows
                                        : variant == "all" || v.name == variant;
    if (!serves)
      continue;
    options.workspaceBytes =
        std::max(options.workspaceBytes, workspaceBytes(v, options.rows));
    options.workspaceZeroedBytes =
        std::max(options.workspaceZeroedBytes, v.workspace.zeroedBytes);
  }
}

Error runOnce(const Gpu &gpu, RmsrtKernel handle, Case &host,
              DeviceCase &memory, const Options &options,
              const std::string &variant, const WorkItem &item,
              CaseReport &report, std::string &chosen) {
  std::vector<RmsrtTensor> tensors;
  RmsrtCall call = toCall(host, memory.addresses(), tensors, options, variant,
                          gpu.streams[0]);
  const char *name = nullptr;
  if (Error error = lastError(rmsrtKernelSelect(handle, &call, &name)))
    return error;
  chosen = name;
  if (Error error = memory.upload(gpu, host, false))
    return error;
  if (Error error = lastError(rmsrtKernelLaunch(handle, &call)))
    return error;
  if (Error error = gpu.check(gpu.streamSynchronize(gpu.streams[0]),
                              ("running " + item.kernel->name).c_str()))
    return error;
  if (Error error = memory.download(gpu, host))
    return error;
  report = host.verify(item.tolerance ? &*item.tolerance : nullptr);
  return {};
}

//===----------------------------------------------------------------------===//
// check
//===----------------------------------------------------------------------===//

namespace {

/// Bytes up to which inputs are fetched back to see that nothing changed them.
constexpr size_t kInputCheckBytes = size_t(256) << 20;

class Checker {
public:
  Checker(const Gpu &gpu, const Options &options)
      : gpu(gpu), options(options) {}

  Error run(const OpenPackage &opened, const WorkItem &item) {
    RmsrtKernel handle = nullptr;
    if (Error error = opened.kernel(*item.kernel, handle))
      return error;
    std::vector<std::string> variants;
    if (Error error =
            variantsToRun(gpu, *item.kernel, options.variant, variants))
      return error;
    for (const std::string &variant : variants)
      if (Error error = one(handle, item, variant))
        return error;
    return {};
  }

  bool allPassed() const { return failed == 0; }
  int passedCount() const { return passed; }
  int failedCount() const { return failed; }
  const json &results() const { return cases; }

private:
  std::string title(const WorkItem &item) const {
    std::string text =
        concat(item.kernel->name, " rows=", item.rows, " seed=", options.seed);
    if (options.misalign)
      text += concat(" misalign=", options.misalign);
    if (options.extraStride)
      text += concat(" stride=+", options.extraStride);
    if (options.inPlace)
      text += " in-place";
    return text;
  }

  Error one(RmsrtKernel handle, const WorkItem &item,
            const std::string &variant) {
    CaseOptions settings;
    settings.rows = item.rows;
    settings.seed = options.seed;
    settings.misalign = options.misalign;
    settings.extraStride = options.extraStride;
    settings.inPlace = options.inPlace;
    sizeWorkspace(*item.kernel, variant, settings);
    Case host(*item.kernel, settings);
    DeviceCase memory;
    if (Error error = memory.allocate(gpu, host))
      return error;
    CaseReport report;
    std::string chosen;
    if (Error error = runOnce(gpu, handle, host, memory, options, variant, item,
                              report, chosen)) {
      // Of all variants, some cannot take every alignment or stride.
      if (options.variant == "all" && error.status() == RMSRT_NO_VARIANT) {
        std::printf("SKIP %s variant=%s does not take this call\n",
                    title(item).c_str(), variant.c_str());
        return {};
      }
      return error;
    }
    if (Error error = inputsUnchanged(host, memory, report))
      return error;
    if (options.repeat || options.graph)
      if (Error error = again(handle, item, host, memory, variant, report))
        return error;
    if (options.streams > 1)
      if (Error error = twoStreams(handle, item, host, memory, variant, report))
        return error;
    std::string line = title(item) + " variant=" + chosen;
    std::fputs(formatReport(host, report, line).c_str(), stdout);
    if (options.digest)
      std::fputs(formatDigests(host, title(item)).c_str(), stdout);
    std::fflush(stdout);
    ++(report.passed() ? passed : failed);
    record(host, report, item, chosen);
    return {};
  }

  /// Fetches the inputs back, where they are few enough, and compares.
  Error inputsUnchanged(const Case &host, const DeviceCase &memory,
                        CaseReport &report) const {
    size_t total = 0;
    for (const Buffer &image : host.buffers())
      total += image.bytes;
    if (total > kInputCheckBytes)
      return {};
    for (size_t i = 0; i < memory.memory.size(); ++i) {
      const Buffer &image = host.buffers()[i];
      if (image.written)
        continue;
      std::vector<uint8_t> now(image.bytes);
      if (Error error =
              gpu.check(gpu.memcpyDtoH(now.data(), memory.memory[i].address(),
                                       image.bytes),
                        "copying from the GPU"))
        return error;
      if (std::memcmp(now.data(), image.memory.get(), image.bytes) != 0)
        report.damage +=
            concat("  input ", nameOf(host, i), " was written to\n");
    }
    return {};
  }

  static std::string nameOf(const Case &host, size_t buffer) {
    const auto &parameters = host.kernel().parameters;
    for (size_t p = 0; p < parameters.size(); ++p)
      if (host.bufferOf(p) == buffer)
        return parameters[p].name;
    return "workspace";
  }

  /// Fetches the written buffers of `memory` and says which outputs differ from
  /// the ones in `host`.
  Error compareBits(const Case &host, const DeviceCase &memory,
                    const char *what, CaseReport &report) const {
    const auto &parameters = host.kernel().parameters;
    for (size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].direction != Direction::Output)
        continue;
      const Buffer &image = host.buffers()[host.bufferOf(p)];
      Buffer other;
      other.bytes = image.bytes;
      other.offset = image.offset;
      other.memory.reset(static_cast<uint8_t *>(std::malloc(image.bytes)));
      if (!other.memory)
        return Error(RMSRT_OUT_OF_MEMORY, "the host is out of memory");
      if (Error error = gpu.check(
              gpu.memcpyDtoH(other.memory.get(),
                             memory.memory[host.bufferOf(p)].address(),
                             image.bytes),
              "copying from the GPU"))
        return error;
      if (!host.sameBits(p, other))
        report.damage +=
            concat("  ", parameters[p].name, ": ", what, " gave other bits\n");
    }
    return {};
  }

  /// Puts what a run writes on the device back to its state before, leaving the
  /// host's images, which hold the first run's results, alone.
  Error resetDevice(const Case &host, DeviceCase &memory) const {
    for (size_t i = 0; i < memory.memory.size(); ++i) {
      if (!host.buffers()[i].written)
        continue;
      Buffer image = host.pristine(i);
      if (Error error =
              gpu.check(gpu.memcpyHtoD(memory.memory[i].address(),
                                       image.memory.get(), image.bytes),
                        "copying to the GPU"))
        return error;
    }
    return gpu.check(gpu.streamSynchronize(nullptr), "copying to the GPU");
  }

  Error again(RmsrtKernel handle, const WorkItem &item, Case &host,
              DeviceCase &memory, const std::string &variant,
              CaseReport &report) const {
    std::vector<RmsrtTensor> tensors;
    RmsrtCall call = toCall(host, memory.addresses(), tensors, options, variant,
                            gpu.streams[0]);
    if (options.repeat) {
      if (Error error = resetDevice(host, memory))
        return error;
      if (Error error = lastError(rmsrtKernelLaunch(handle, &call)))
        return error;
      if (Error error = gpu.check(gpu.streamSynchronize(gpu.streams[0]),
                                  ("repeating " + item.kernel->name).c_str()))
        return error;
      if (Error error = compareBits(host, memory, "a second run", report))
        return error;
    }
    if (!options.graph)
      return {};
    if (Error error = resetDevice(host, memory))
      return error;
    return throughGraph(handle, call, host, memory, report);
  }

  /// Captures the call, replays it, and compares. The first replay runs on
  /// poison; a second follows at once when nothing is used in place.
  Error throughGraph(RmsrtKernel handle, const RmsrtCall &call, Case &host,
                     DeviceCase &memory, CaseReport &report) const {
    const cuda::Stream stream = gpu.streams[0];
    const int threadLocal = 1;
    if (Error error = gpu.check(gpu.streamBeginCapture(stream, threadLocal),
                                "beginning a capture"))
      return error;
    Error launched = lastError(rmsrtKernelLaunch(handle, &call));
    cuda::Graph graph = nullptr;
    Error ended =
        gpu.check(gpu.streamEndCapture(stream, &graph), "ending a capture");
    if (launched)
      return launched;
    if (ended)
      return ended;
    // With rows = 0 a forward captures nothing at all, which is right.
    cuda::GraphExec exec = nullptr;
    Error error = gpu.check(gpu.graphInstantiate(&exec, graph, 0),
                            "instantiating a graph");
    for (int replay = 0; replay < (options.inPlace ? 1 : 2) && !error; ++replay)
      error = gpu.check(gpu.graphLaunch(exec, stream), "launching a graph");
    if (!error)
      error = gpu.check(gpu.streamSynchronize(stream), "running a graph");
    if (exec)
      (void)gpu.graphExecDestroy(exec);
    if (graph)
      (void)gpu.graphDestroy(graph);
    if (error)
      return error;
    return compareBits(host, memory, "a replayed graph", report);
  }

  /// Runs the case and a second one, with inputs of their own, at once.
  Error twoStreams(RmsrtKernel handle, const WorkItem &item, Case &host,
                   DeviceCase &memory, const std::string &variant,
                   CaseReport &report) const {
    CaseOptions settings = host.options();
    settings.seed += 1;
    Case second(*item.kernel, settings);
    DeviceCase secondMemory;
    if (Error error = secondMemory.allocate(gpu, second))
      return error;
    if (Error error = secondMemory.upload(gpu, second, false))
      return error;
    if (Error error = resetDevice(host, memory))
      return error;
    std::vector<RmsrtTensor> tensors[2];
    RmsrtCall calls[2] = {toCall(host, memory.addresses(), tensors[0], options,
                                 variant, gpu.streams[0]),
                          toCall(second, secondMemory.addresses(), tensors[1],
                                 options, variant, gpu.streams[1])};
    // In place a call's inputs are gone after it.
    const int rounds = options.inPlace ? 1 : 8;
    for (int round = 0; round < rounds; ++round)
      for (const RmsrtCall &call : calls)
        if (Error error = lastError(rmsrtKernelLaunch(handle, &call)))
          return error;
    for (cuda::Stream stream : gpu.streams)
      if (Error error = gpu.check(gpu.streamSynchronize(stream),
                                  "running on two streams"))
        return error;
    if (Error error =
            compareBits(host, memory, "running beside another call", report))
      return error;
    if (Error error = secondMemory.download(gpu, second))
      return error;
    CaseReport other = second.verify(nullptr);
    if (!other.withinBounds())
      report.damage += "  on the second stream:\n" +
                       formatReport(second, other, "second stream");
    return {};
  }

  void record(const Case &host, const CaseReport &report, const WorkItem &item,
              const std::string &chosen) {
    json outputs = json::array();
    for (const OutputReport &output : report.outputs) {
      const Parameter &p = host.kernel().parameters[output.parameter];
      json entry = {{"name", p.name},
                    {"elements", output.elements},
                    {"wrong", output.wrong},
                    {"unwritten", output.unwritten},
                    {"guard_damage", output.guardDamage}};
      // JSON has no infinity.
      if (std::isfinite(output.worst))
        entry["worst"] = output.worst;
      if (report.hasTolerance && output.elements)
        entry["matched_ratio"] =
            double(output.matched) / double(output.elements);
      if (options.digest)
        entry["sha256"] = host.digest(output.parameter);
      outputs.push_back(entry);
    }
    cases.push_back({{"kernel", item.kernel->name},
                     {"rows", item.rows},
                     {"seed", options.seed},
                     {"misalign", options.misalign},
                     {"stride", options.extraStride},
                     {"in_place", options.inPlace},
                     {"variant", chosen},
                     {"passed", report.passed()},
                     {"outputs", outputs}});
  }

  const Gpu &gpu;
  const Options &options;
  int passed = 0, failed = 0;
  json cases = json::array();
};

} // namespace

Error runCheck(const Options &options, bool &passed) {
  Gpu gpu; // Outlives the code that is loaded on it.
  OpenPackages packages;
  if (Error error = openPackages(options, packages))
    return error;
  Work work;
  if (Error error = selectWork(options, packages, {0, 1, 3, 133, 1024}, work))
    return error;
  if (Error error = gpu.open(int(options.device)))
    return error;
  std::printf("%s, compute capability %d.%d; worst errors in units of the "
              "bound\n",
              gpu.name.c_str(), gpu.major, gpu.minor);
  Checker checker(gpu, options);
  for (const auto &[package, item] : work)
    if (Error error = checker.run(*package, item))
      return error;
  std::printf("%d passed, %d failed\n", checker.passedCount(),
              checker.failedCount());
  passed = checker.allPassed();
  if (options.json.empty())
    return {};
  return writeJson(options.json, {{"gpu", gpu.name},
                                  {"date", timestamp()},
                                  {"command", options.commandLine},
                                  {"passed", checker.passedCount()},
                                  {"failed", checker.failedCount()},
                                  {"cases", checker.results()}});
}

} // namespace rms_run
