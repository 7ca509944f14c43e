//===-- StandInDriver.cpp - A driver without a GPU ------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports the entries of the CUDA driver that the runtime uses. It checks what
// it is called with, records it, and fails where it is told to.
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"
#include "StandInGpu.h"

#include "Driver.h"

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

using namespace rmsrt::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

static standin::Control control;
static std::mutex mutex;
static std::map<uint64_t, std::string> entries; // By kernel handle.
static thread_local std::vector<int> contextStack;

EXPORT standin::Control *standinControl() { return &control; }
EXPORT void standinSetCurrent(int context) {
  contextStack.clear();
  if (context)
    contextStack.push_back(context);
}
EXPORT int standinGetCurrent() {
  return contextStack.empty() ? 0 : contextStack.back();
}

template <typename T> static T handle(uint64_t value) {
  return reinterpret_cast<T>(uintptr_t(value));
}
template <typename T> static uint64_t number(T handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

/// Counts a call and says whether it is the one that fails. `loads` marks what
/// may allocate or load, which ends a capture.
static Result enter(const char *name, bool loads = false) {
  ++control.calls;
  if (control.capturing && loads)
    control.forbidden = name;
  if (control.failing != name)
    return kSuccess;
  return control.failAfter-- > 0 ? kSuccess : control.failure;
}

#define ENTER(...)                                                             \
  std::lock_guard<std::mutex> lock(mutex);                                     \
  if (Result result = enter(__VA_ARGS__))                                      \
  return result

EXPORT Result cuInit(unsigned) { return control.initResult; }
EXPORT Result cuDriverGetVersion(int *version) {
  ENTER("cuDriverGetVersion");
  *version = control.version;
  return kSuccess;
}
EXPORT Result cuGetErrorName(Result, const char **name) {
  *name = "CUDA_ERROR_STAND_IN";
  return kSuccess;
}
EXPORT Result cuGetErrorString(Result, const char **text) {
  *text = "as the test asked";
  return kSuccess;
}
EXPORT Result cuDeviceGetAttribute(int *value, int attribute, Device device) {
  ENTER("cuDeviceGetAttribute");
  const int major =
      device && control.secondMajor ? control.secondMajor : control.major;
  *value = attribute == kComputeCapabilityMajor   ? major
           : attribute == kComputeCapabilityMinor ? control.minor
                                                  : 1024;
  return kSuccess;
}
EXPORT Result cuCtxGetCurrent(Context *context) {
  ENTER("cuCtxGetCurrent");
  *context = handle<Context>(uint64_t(standinGetCurrent()));
  return kSuccess;
}
EXPORT Result cuCtxPushCurrent_v2(Context context) {
  ENTER("cuCtxPushCurrent_v2");
  contextStack.push_back(int(number(context)));
  return kSuccess;
}
EXPORT Result cuCtxPopCurrent_v2(Context *context) {
  ENTER("cuCtxPopCurrent_v2");
  *context = handle<Context>(uint64_t(standinGetCurrent()));
  contextStack.pop_back();
  return kSuccess;
}
EXPORT Result cuCtxGetDevice(Device *device) {
  ENTER("cuCtxGetDevice");
  *device = standinGetCurrent() - 1;
  return kSuccess;
}
EXPORT Result cuCtxGetId(Context context, unsigned long long *id) {
  ENTER("cuCtxGetId");
  *id = 700 + number(context);
  return kSuccess;
}
EXPORT Result cuStreamGetCtx(Stream stream, Context *context) {
  ENTER("cuStreamGetCtx");
  *context = handle<Context>(number(stream) / 1000);
  return kSuccess;
}
EXPORT Result cuStreamIsCapturing(Stream, int *status) {
  ENTER("cuStreamIsCapturing");
  *status = control.capturing || standin::isCapturing();
  return kSuccess;
}
EXPORT Result cuLibraryLoadData(Library *library, const void *code,
                                JitOption *options, void **values,
                                unsigned count, int *, void **, unsigned) {
  ENTER("cuLibraryLoadData", true);
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == kJitErrorLogBuffer && control.failing == "ptx")
      std::snprintf(static_cast<char *>(values[i]), 100, "line 7 is no PTX");
  if (control.failing == "ptx")
    return control.failure;
  ++control.loads;
  // The test's images are text: their name, up to a bar.
  std::string text(static_cast<const char *>(code));
  entries[100 * control.loads] = text.substr(0, text.find('|'));
  *library = handle<Library>(100 * control.loads);
  return kSuccess;
}
EXPORT Result cuLibraryUnload(Library) {
  ENTER("cuLibraryUnload", true);
  ++control.unloads;
  return kSuccess;
}
EXPORT Result cuLibraryGetKernel(KernelHandle *kernel, Library library,
                                 const char *name) {
  ENTER("cuLibraryGetKernel", true);
  uint64_t id = number(library) * 100000 + entries.size();
  entries[id] = entries[number(library)] + "/" + name;
  *kernel = handle<KernelHandle>(id);
  return kSuccess;
}
EXPORT Result cuKernelSetAttribute(int attribute, int value,
                                   KernelHandle kernel, Device device) {
  ENTER("cuKernelSetAttribute", true);
  control.attributes.push_back(
      {entries[number(kernel)], attribute, value, device});
  return kSuccess;
}
EXPORT Result cuKernelGetFunction(Function *function, KernelHandle kernel) {
  ENTER("cuKernelGetFunction", true);
  *function = handle<Function>(number(kernel));
  return kSuccess;
}
EXPORT Result cuFuncLoad(Function function) {
  // Outside of the lock, so that others may come in.
  if (int ms = control.loadMs)
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  ENTER("cuFuncLoad", true);
  control.loadedEntries.push_back(entries[number(function)]);
  return kSuccess;
}
EXPORT Result cuLaunchKernelEx(const LaunchConfig *config, Function function,
                               void **parameters, void **extra) {
  ENTER("cuLaunchKernelEx");
  if (extra || config->gridDimX == 0 || config->gridDimY != 1 ||
      config->blockDimY != 1)
    return 1;
  standin::LaunchRecord record;
  record.entry = entries[number(function)];
  record.grid = config->gridDimX;
  record.block = config->blockDimX;
  record.shared = config->sharedMemBytes;
  record.stream = config->stream;
  record.contextAtLaunch = handle<void *>(uint64_t(standinGetCurrent()));
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const LaunchAttribute &a = config->attrs[i];
    if (a.id == kLaunchClusterDimension)
      record.cluster = a.value.clusterDim.x;
    else if (a.id == kLaunchProgrammaticStreamSerialization)
      record.overlaps = a.value.programmaticStreamSerializationAllowed;
    else
      return 1;
  }
  for (size_t i = 0; i < control.argumentCount; ++i)
    record.arguments.push_back(*static_cast<uint64_t *>(parameters[i]));
  if (standin::computes())
    standin::compute(record.entry, parameters);
  else
    control.launches.push_back(std::move(record));
  return kSuccess;
}
