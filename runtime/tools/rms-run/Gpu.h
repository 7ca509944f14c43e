//===-- Gpu.h - Memory and streams of one GPU -------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What rms-run does with a GPU beside launching kernels through the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef RMS_RUN_GPU_H
#define RMS_RUN_GPU_H

#include "Driver.h"

#include <string>

namespace rms_run {

using rmsrt::Driver;
using rmsrt::Error;
namespace cuda = rmsrt::cuda;

/// The driver's entries that rms-run needs beyond the runtime's.
#define RMS_RUN_ENTRIES(X)                                                     \
  X(deviceGetCount, cuDeviceGetCount, (int *count))                            \
  X(deviceGet, cuDeviceGet, (cuda::Device * device, int ordinal))              \
  X(deviceGetName, cuDeviceGetName,                                            \
    (char *name, int length, cuda::Device device))                             \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain,                                \
    (cuda::Context * context, cuda::Device device))                            \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (cuda::Device device))    \
  X(ctxSetCurrent, cuCtxSetCurrent, (cuda::Context context))                   \
  X(ctxSynchronize, cuCtxSynchronize, (void))                                  \
  X(ctxResetPersistingL2, cuCtxResetPersistingL2Cache, (void))                 \
  X(memAlloc, cuMemAlloc_v2, (cuda::DevicePtr * pointer, size_t bytes))        \
  X(memFree, cuMemFree_v2, (cuda::DevicePtr pointer))                          \
  X(memcpyHtoD, cuMemcpyHtoD_v2,                                               \
    (cuda::DevicePtr to, const void *from, size_t bytes))                      \
  X(memcpyDtoH, cuMemcpyDtoH_v2,                                               \
    (void *to, cuda::DevicePtr from, size_t bytes))                            \
  X(memcpyDtoD, cuMemcpyDtoD_v2,                                               \
    (cuda::DevicePtr to, cuda::DevicePtr from, size_t bytes))                  \
  X(memsetD8Async, cuMemsetD8Async,                                            \
    (cuda::DevicePtr to, unsigned char value, size_t bytes,                    \
     cuda::Stream stream))                                                     \
  X(streamCreate, cuStreamCreate, (cuda::Stream * stream, unsigned flags))     \
  X(streamDestroy, cuStreamDestroy_v2, (cuda::Stream stream))                  \
  X(streamSynchronize, cuStreamSynchronize, (cuda::Stream stream))             \
  X(streamBeginCapture, cuStreamBeginCapture_v2,                               \
    (cuda::Stream stream, int mode))                                           \
  X(streamEndCapture, cuStreamEndCapture,                                      \
    (cuda::Stream stream, cuda::Graph * graph))                                \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (cuda::GraphExec * exec, cuda::Graph graph, unsigned long long flags))     \
  X(graphLaunch, cuGraphLaunch, (cuda::GraphExec exec, cuda::Stream stream))   \
  X(graphExecDestroy, cuGraphExecDestroy, (cuda::GraphExec exec))              \
  X(graphDestroy, cuGraphDestroy, (cuda::Graph graph))                         \
  X(eventCreate, cuEventCreate, (cuda::Event * event, unsigned flags))         \
  X(eventDestroy, cuEventDestroy_v2, (cuda::Event event))                      \
  X(eventRecord, cuEventRecord, (cuda::Event event, cuda::Stream stream))      \
  X(eventElapsedTime, cuEventElapsedTime,                                      \
    (float *milliseconds, cuda::Event start, cuda::Event end))

/// One GPU with its primary context current on this thread, and two streams.
class Gpu {
public:
  Gpu() = default;
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  Error open(int ordinal);

  /// Turns a result into an error; `what` says what was being done.
  Error check(cuda::Result result, const char *what) const {
    return result ? driver->error(result, what) : Error();
  }

  const Driver *driver = nullptr;
  cuda::Device device = 0;
  cuda::Stream streams[2] = {};
  std::string name;
  int driverVersion = 0, major = 0, minor = 0, multiprocessors = 0;
  size_t l2Bytes = 0;

// NOLINTBEGIN(bugprone-macro-parentheses)
#define RMS_RUN_DECLARE(member, symbol, arguments)                             \
  cuda::Result(*member) arguments = nullptr;
  RMS_RUN_ENTRIES(RMS_RUN_DECLARE)
#undef RMS_RUN_DECLARE
  // NOLINTEND(bugprone-macro-parentheses)

private:
  bool retained = false;
};

/// Device memory, freed with the object.
class DeviceMemory {
public:
  DeviceMemory() = default;
  ~DeviceMemory() { (void)free(); }
  DeviceMemory(DeviceMemory &&other) noexcept { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    swap(other);
    return *this;
  }

  Error allocate(const Gpu &gpu, size_t bytes);
  Error free();
  void *data() const { return reinterpret_cast<void *>(uintptr_t(pointer)); }
  cuda::DevicePtr address() const { return pointer; }

private:
  void swap(DeviceMemory &other) noexcept {
    std::swap(gpu, other.gpu);
    std::swap(pointer, other.pointer);
  }

  const Gpu *gpu = nullptr;
  cuda::DevicePtr pointer = 0;
};

} // namespace rms_run

#endif // RMS_RUN_GPU_H
