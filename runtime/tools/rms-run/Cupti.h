//===-- Cupti.h - Kernel times from CUPTI -----------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMS_RUN_CUPTI_H
#define RMS_RUN_CUPTI_H

#include "rmsrt/Error.h"

#include <cstdint>
#include <vector>

namespace rms_run {

/// When one kernel ran, in nanoseconds of the GPU's clock.
struct KernelSpan {
  uint64_t start = 0;
  uint64_t end = 0;
};

/// Records of kernels from CUPTI's activity interface, found with dlopen. There
/// is one recorder a process.
class Cupti {
public:
  /// Opens libcupti, or says where it was looked for.
  static rmsrt::Error open(Cupti *&cupti);

  /// Begins to record every kernel of the process.
  rmsrt::Error start();
  /// Ends it; everything launched must have finished. Gives the spans in the
  /// order of their starts.
  rmsrt::Error stop(std::vector<KernelSpan> &spans);

private:
  Cupti() = default;
  rmsrt::Error resolve();
  rmsrt::Error error(int result, const char *what) const;

  void *handle = nullptr;
  int (*activityEnable)(int kind) = nullptr;
  int (*activityDisable)(int kind) = nullptr;
  int (*activityFlushAll)(uint32_t flag) = nullptr;
  int (*activityGetNextRecord)(uint8_t *buffer, size_t bytes,
                               void **record) = nullptr;
  int (*activityGetNumDroppedRecords)(void *context, uint32_t stream,
                                      size_t *dropped) = nullptr;
  int (*activityRegisterCallbacks)(
      void (*requested)(uint8_t **, size_t *, size_t *),
      void (*completed)(void *, uint32_t, uint8_t *, size_t, size_t)) = nullptr;
  int (*getResultString)(int result, const char **text) = nullptr;

  static void bufferRequested(uint8_t **buffer, size_t *bytes,
                              size_t *maxRecords);
  static void bufferCompleted(void *context, uint32_t stream, uint8_t *buffer,
                              size_t bytes, size_t validBytes);
};

} // namespace rms_run

#endif // RMS_RUN_CUPTI_H
