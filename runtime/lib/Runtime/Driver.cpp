//===-- Driver.cpp - The CUDA driver, found at first use ------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>

namespace rmsrt {

// cuFuncLoad, without which lazy loading could strike inside a capture, came
// with CUDA 12.4.
static constexpr int kOldestDriver = 12040;

Error Driver::open() {
  const char *named = std::getenv("RMSRT_CUDA_DRIVER");
  const char *name = named && *named ? named : "libcuda.so.1";
  handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return Error(RMSRT_NO_DRIVER,
                 concat("no CUDA driver: ", reason ? reason : name,
                        name == named
                            ? "; RMSRT_CUDA_DRIVER must name a driver library"
                            : "; install the NVIDIA driver, or run on a "
                              "machine with a GPU"));
  }
// NOLINTBEGIN(bugprone-macro-parentheses)
#define RMSRT_RESOLVE(member, symbol, arguments)                               \
  member = reinterpret_cast<decltype(member)>(dlsym(handle, #symbol));         \
  if (!member)                                                                 \
    return Error(RMSRT_NO_DRIVER,                                              \
                 concat("the CUDA driver ", name, " has no ", #symbol,         \
                        "; update it to CUDA 12.4 or later"));
  RMSRT_DRIVER_ENTRIES(RMSRT_RESOLVE)
#undef RMSRT_RESOLVE
  // NOLINTEND(bugprone-macro-parentheses)
  int version = 0;
  if (cuda::Result result = driverGetVersion(&version))
    return error(result, "asking the driver's version");
  if (version < kOldestDriver)
    return Error(RMSRT_NO_DRIVER,
                 concat("the CUDA driver ", name, " is for CUDA ",
                        version / 1000, ".", version % 1000 / 10,
                        "; update it to CUDA 12.4 or later"));
  if (cuda::Result result = init(0))
    return Error(RMSRT_NO_DRIVER,
                 error(result, "initialising the driver").message() +
                     "; check that a GPU is visible to this process");
  return {};
}

Error Driver::get(const Driver *&driver) {
  // Trivially destructible statics: nothing runs at exit, when the driver may
  // be gone already.
  static std::atomic<const Driver *> opened;
  static std::mutex mutex;
  driver = opened.load(std::memory_order_acquire);
  if (driver)
    return {};
  std::lock_guard<std::mutex> lock(mutex);
  driver = opened.load(std::memory_order_relaxed);
  if (driver)
    return {};
  auto attempt = std::make_unique<Driver>();
  if (Error error = attempt->open()) {
    if (attempt->handle)
      dlclose(attempt->handle);
    return error;
  }
  driver = attempt.release();
  opened.store(driver, std::memory_order_release);
  return {};
}

void *Driver::symbol(const char *name) const { return dlsym(handle, name); }

Error Driver::error(cuda::Result result, const std::string &what) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != cuda::kSuccess || !name)
    name = "an unknown error";
  if (getErrorString(result, &text) != cuda::kSuccess || !text)
    text = "no description";
  return Error(RMSRT_DRIVER_ERROR, concat("CUDA driver: ", what, " gave ", name,
                                          " (", result, ": ", text, ")"));
}

} // namespace rmsrt
