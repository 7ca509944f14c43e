//===-- Cupti.cpp - Kernel times from CUPTI -------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cupti.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <string>

using rmsrt::concat;
using rmsrt::Error;

namespace rms_run {

// CUPTI_ACTIVITY_KIND_KERNEL and CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL. A
// memset is an activity of another kind, so the flush is not among the records.
static constexpr int kKindKernel = 3;
static constexpr int kKindConcurrentKernel = 10;
static constexpr uint32_t kFlushForced = 1;
static constexpr size_t kBufferBytes = size_t(4) << 20;

namespace {

/// The beginning of CUpti_ActivityKernel4 to 10 (CUDA 9 to 13), which is all we
/// read: every version has only added fields at the end.
struct ActivityKernelPrefix {
  uint32_t kind;
  uint32_t cacheAndRegisters;
  uint32_t partitionedCacheRequested;
  uint32_t partitionedCacheExecuted;
  uint64_t start;
  uint64_t end;
};
static_assert(offsetof(ActivityKernelPrefix, start) == 16 &&
                  offsetof(ActivityKernelPrefix, end) == 24,
              "layout of CUpti_ActivityKernel");

} // namespace

// CUPTI's callbacks carry no pointer of ours, and come on a thread of its own.
static Cupti *theRecorder;
static std::mutex spansMutex;
static std::vector<KernelSpan> recorded;
static size_t droppedRecords;

Error Cupti::error(int result, const char *what) const {
  const char *text = nullptr;
  if (getResultString(result, &text) || !text)
    text = "unknown";
  return Error(RMSRT_DRIVER_ERROR,
               concat("CUPTI: ", what, " gave ", text, " (", result, ")"));
}

void Cupti::bufferRequested(uint8_t **buffer, size_t *bytes,
                            size_t *maxRecords) {
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, kBufferBytes));
  *bytes = *buffer ? kBufferBytes : 0;
  *maxRecords = 0;
}

void Cupti::bufferCompleted(void *context, uint32_t stream, uint8_t *buffer,
                            size_t, size_t validBytes) {
  std::lock_guard<std::mutex> lock(spansMutex);
  void *record = nullptr;
  while (validBytes &&
         theRecorder->activityGetNextRecord(buffer, validBytes, &record) == 0) {
    ActivityKernelPrefix kernel;
    std::memcpy(&kernel, record, sizeof(kernel));
    if (kernel.kind == uint32_t(kKindKernel) ||
        kernel.kind == uint32_t(kKindConcurrentKernel))
      recorded.push_back({kernel.start, kernel.end});
  }
  size_t dropped = 0;
  if (theRecorder->activityGetNumDroppedRecords(context, stream, &dropped) == 0)
    droppedRecords += dropped;
  std::free(buffer);
}

Error Cupti::resolve() {
  std::vector<std::string> names;
  if (const char *named = std::getenv("RMSRT_CUPTI")) {
    names.push_back(named);
  } else {
    const char *home = std::getenv("CUDA_HOME");
    const std::string root = home ? home : "/usr/local/cuda";
    for (const char *file : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
      for (const std::string &folder :
           {std::string(), root + "/extras/CUPTI/lib64/", root + "/lib64/"})
        names.push_back(folder + file);
  }
  std::string tried;
  for (const std::string &name : names) {
    handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      break;
    tried += (tried.empty() ? "" : ", ") + name;
  }
  if (!handle)
    return Error(RMSRT_NO_DRIVER,
                 "no CUPTI (looked for " + tried +
                     "); name the library in RMSRT_CUPTI, or set CUDA_HOME");
  struct {
    const char *name;
    void **where;
  } const entries[] = {
      {"cuptiActivityEnable", reinterpret_cast<void **>(&activityEnable)},
      {"cuptiActivityDisable", reinterpret_cast<void **>(&activityDisable)},
      {"cuptiActivityFlushAll", reinterpret_cast<void **>(&activityFlushAll)},
      {"cuptiActivityGetNextRecord",
       reinterpret_cast<void **>(&activityGetNextRecord)},
      {"cuptiActivityGetNumDroppedRecords",
       reinterpret_cast<void **>(&activityGetNumDroppedRecords)},
      {"cuptiActivityRegisterCallbacks",
       reinterpret_cast<void **>(&activityRegisterCallbacks)},
      {"cuptiGetResultString", reinterpret_cast<void **>(&getResultString)}};
  for (const auto &entry : entries) {
    *entry.where = dlsym(handle, entry.name);
    if (!*entry.where)
      return Error(RMSRT_NO_DRIVER,
                   concat("the CUPTI library has no ", entry.name));
  }
  return {};
}

Error Cupti::open(Cupti *&cupti) {
  static std::unique_ptr<Cupti> instance;
  if (!instance) {
    std::unique_ptr<Cupti> attempt(new Cupti);
    if (Error error = attempt->resolve())
      return error;
    theRecorder = attempt.get();
    if (int result = attempt->activityRegisterCallbacks(bufferRequested,
                                                        bufferCompleted))
      return attempt->error(result, "registering its buffers");
    instance = std::move(attempt);
  }
  cupti = instance.get();
  return {};
}

Error Cupti::start() {
  {
    std::lock_guard<std::mutex> lock(spansMutex);
    recorded.clear();
    droppedRecords = 0;
  }
  if (int result = activityEnable(kKindConcurrentKernel))
    return error(result, "beginning to record kernels");
  return {};
}

Error Cupti::stop(std::vector<KernelSpan> &spans) {
  if (int result = activityFlushAll(kFlushForced))
    return error(result, "fetching its records");
  if (int result = activityDisable(kKindConcurrentKernel))
    return error(result, "ending the record");
  std::lock_guard<std::mutex> lock(spansMutex);
  if (droppedRecords)
    return Error(RMSRT_DRIVER_ERROR,
                 concat("CUPTI dropped ", droppedRecords,
                        " records; measure fewer calls at once (--calls)"));
  spans = std::move(recorded);
  recorded.clear();
  std::sort(spans.begin(), spans.end(),
            [](const KernelSpan &a, const KernelSpan &b) {
              return a.start < b.start;
            });
  return {};
}

} // namespace rms_run
