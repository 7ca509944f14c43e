//===-- LaunchCost.cpp - What a launch costs the host ---------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchCost.h"
#include "Stopwatch.h"

#include "Executable.h"

#include <chrono>
#include <functional>

using namespace rmsrt;

namespace rms_run {

namespace {

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

} // namespace

Error measureLaunchCost(const Gpu &gpu, const OpenPackage &package,
                        const Kernel &kernel, Ring::Calls &calls,
                        LaunchCost &cost) {
  BareLauncher bare(gpu, package, kernel, calls.variant());
  if (Error error = bare.prepare(calls.call(0)))
    return error;
  if (Error error = hostCost(gpu, [&] { return calls.next(); }, cost.runtime))
    return error;
  return hostCost(gpu, [&] { return bare.launch(); }, cost.bare);
}

} // namespace rms_run
