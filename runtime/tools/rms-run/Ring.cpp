//===-- Ring.cpp - Fresh buffers for every timed call ---------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ring.h"

using namespace rmsrt;
using namespace rmscheck;

namespace rms_run {

static constexpr size_t kMostSets = 60;
static constexpr size_t kFewestSets = 2;
static constexpr size_t kRingBytes = size_t(24) * 1000 * 1000 * 1000;

Error Ring::build(const Gpu &gpu, const Case &host) {
  size_t bytes = 0;
  for (const Buffer &image : host.buffers())
    bytes += image.bytes;
  const size_t count =
      std::max(kFewestSets,
               std::min(kMostSets, kRingBytes / std::max<size_t>(bytes, 1)));
  sets.clear();
  for (size_t i = 0; i < count; ++i) {
    sets.emplace_back();
    if (Error error = sets.back().allocate(gpu, host))
      return error;
    if (i == 0) {
      if (Error error = sets[0].upload(gpu, host, false))
        return error;
      continue;
    }
    for (size_t b = 0; b < host.buffers().size(); ++b)
      if (Error error = gpu.check(gpu.memcpyDtoD(sets[i].memory[b].address(),
                                                 sets[0].memory[b].address(),
                                                 host.buffers()[b].bytes),
                                  "copying on the GPU"))
        return error;
  }
  // The streams that kernels run on do not wait for the default stream's work.
  return gpu.check(gpu.streamSynchronize(nullptr), "copying on the GPU");
}

/// The parameter of `of` that `p`, the `nth` of its role in its kernel, stands
/// for: the one of the same name, else the nth of the same role and direction.
static int counterpart(const Kernel &of, const Parameter &p, int nth) {
  auto alike = [&](const Parameter &q) {
    return q.kind == p.kind && q.dtype == p.dtype &&
           q.direction == p.direction && q.used;
  };
  for (size_t i = 0; i < of.parameters.size(); ++i)
    if (of.parameters[i].name == p.name && alike(of.parameters[i]))
      return int(i);
  for (size_t i = 0; i < of.parameters.size(); ++i)
    if (of.parameters[i].role == p.role && alike(of.parameters[i]) &&
        nth-- == 0)
      return int(i);
  return -1;
}

Error Ring::Calls::next() {
  const RmsrtCall &call = calls[position];
  position = (position + 1) % calls.size();
  return lastError(rmsrtKernelLaunch(handle, &call));
}

Error Ring::bind(const Gpu &gpu, const OpenPackage &package, const Case &host,
                 const Kernel &kernel, const std::string &variant,
                 const Options &options, Calls &calls) const {
  if (Error error = package.kernel(kernel, calls.handle))
    return error;
  const Kernel &base = host.kernel();
  std::vector<size_t> source;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &p = kernel.parameters[i];
    int nth = 0;
    for (size_t k = 0; k < i; ++k)
      nth += kernel.parameters[k].role == p.role &&
             kernel.parameters[k].direction == p.direction;
    int found = &kernel == &base ? int(i) : counterpart(base, p, nth);
    if (found < 0)
      return Error(RMSRT_NOT_FOUND,
                   concat("floor kernel \"", kernel.name, "\": parameter \"",
                          p.name, "\" (", p.role,
                          ") has no counterpart of the same kind and type in "
                          "kernel \"",
                          base.name, "\""));
    source.push_back(size_t(found));
  }
  calls.forced = variant;
  calls.tensors.clear();
  calls.calls.clear();
  calls.position = 0;
  for (const DeviceCase &set : sets) {
    std::vector<RmsrtTensor> all, mine;
    RmsrtCall call = toCall(host, set.addresses(), all, options, calls.forced,
                            gpu.streams[0]);
    for (size_t i : source)
      mine.push_back(all[i]);
    calls.tensors.push_back(std::move(mine));
    call.tensors = calls.tensors.back().data();
    call.tensorCount = calls.tensors.back().size();
    calls.calls.push_back(call);
  }
  const char *name = nullptr;
  if (Error error =
          lastError(rmsrtKernelSelect(calls.handle, &calls.calls[0], &name)))
    return error;
  std::vector<size_t> candidates;
  if (Error error =
          candidatesForDevice(kernel, {gpu.major, gpu.minor}, candidates))
    return error;
  for (size_t i : candidates)
    if (kernel.variants[i].name == name)
      calls.chosen = &kernel.variants[i];
  calls.launchCount = 0;
  for (const Launch &launch : calls.chosen->launches)
    calls.launchCount += launchCtas(launch, host.options().rows) > 0;
  return {};
}

} // namespace rms_run
