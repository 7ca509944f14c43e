//===-- Gpu.cpp - Memory and streams of one GPU ---------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

using rmsrt::concat;

namespace rms_run {

Error Gpu::open(int ordinal) {
  if (Error error = Driver::get(driver))
    return error;
// NOLINTBEGIN(bugprone-macro-parentheses)
#define RMS_RUN_RESOLVE(member, symbolName, arguments)                         \
  member = reinterpret_cast<decltype(member)>(driver->symbol(#symbolName));    \
  if (!member)                                                                 \
    return Error(RMSRT_NO_DRIVER, "the CUDA driver has no " #symbolName        \
                                  "; update it to CUDA 12.4 or later");
  RMS_RUN_ENTRIES(RMS_RUN_RESOLVE)
#undef RMS_RUN_RESOLVE
  // NOLINTEND(bugprone-macro-parentheses)
  int count = 0;
  if (Error error = check(deviceGetCount(&count), "counting the GPUs"))
    return error;
  if (ordinal >= count)
    return Error(RMSRT_INVALID_ARGUMENT,
                 concat("--device=", ordinal, ": this machine has ", count,
                        " GPUs, counted from 0"));
  if (Error error = check(deviceGet(&device, ordinal), "opening the GPU"))
    return error;
  char text[256] = "";
  if (Error error = check(deviceGetName(text, sizeof(text) - 1, device),
                          "asking the GPU's name"))
    return error;
  name = text;
  int l2 = 0;
  struct {
    int attribute;
    int *value;
  } const facts[] = {{cuda::kComputeCapabilityMajor, &major},
                     {cuda::kComputeCapabilityMinor, &minor},
                     {cuda::kMultiprocessorCount, &multiprocessors},
                     {cuda::kL2CacheSize, &l2}};
  for (const auto &fact : facts)
    if (Error error = check(
            driver->deviceGetAttribute(fact.value, fact.attribute, device),
            "asking the GPU's attributes"))
      return error;
  l2Bytes = size_t(l2);
  if (Error error = check(driver->driverGetVersion(&driverVersion),
                          "asking the driver's version"))
    return error;
  cuda::Context context = nullptr;
  if (Error error =
          check(primaryCtxRetain(&context, device), "making the GPU's context"))
    return error;
  retained = true;
  if (Error error = check(ctxSetCurrent(context), "using the GPU's context"))
    return error;
  const unsigned nonBlocking = 1;
  for (cuda::Stream &stream : streams)
    if (Error error =
            check(streamCreate(&stream, nonBlocking), "making a stream"))
      return error;
  return {};
}

Gpu::~Gpu() {
  if (!retained)
    return;
  // The process ends after this: there is nobody left to tell of a failure.
  for (cuda::Stream stream : streams)
    if (stream)
      (void)streamDestroy(stream);
  (void)primaryCtxRelease(device);
}

Error DeviceMemory::allocate(const Gpu &owner, size_t bytes) {
  if (Error error = free())
    return error;
  gpu = &owner;
  return gpu->check(
      gpu->memAlloc(&pointer, bytes ? bytes : 256),
      concat("allocating ", bytes, " bytes of device memory").c_str());
}

Error DeviceMemory::free() {
  if (!pointer)
    return {};
  cuda::DevicePtr freed = pointer;
  pointer = 0;
  return gpu->check(gpu->memFree(freed), "freeing device memory");
}

} // namespace rms_run
