//===-- Driver.h - The CUDA driver, found at first use ----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_LIB_DRIVER_H
#define RMSRT_LIB_DRIVER_H

#include "CudaTypes.h"
#include "rmsrt/Error.h"

namespace rmsrt {

/// The entries of the driver that launching needs, X(member, symbol, result
/// and arguments).
#define RMSRT_DRIVER_ENTRIES(X)                                                \
  X(init, cuInit, (unsigned flags))                                            \
  X(driverGetVersion, cuDriverGetVersion, (int *version))                      \
  X(getErrorName, cuGetErrorName, (cuda::Result error, const char **name))     \
  X(getErrorString, cuGetErrorString, (cuda::Result error, const char **text)) \
  X(deviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *value, int attribute, cuda::Device device))                          \
  X(ctxGetCurrent, cuCtxGetCurrent, (cuda::Context * context))                 \
  X(ctxPushCurrent, cuCtxPushCurrent_v2, (cuda::Context context))              \
  X(ctxPopCurrent, cuCtxPopCurrent_v2, (cuda::Context * context))              \
  X(ctxGetDevice, cuCtxGetDevice, (cuda::Device * device))                     \
  X(ctxGetId, cuCtxGetId, (cuda::Context context, unsigned long long *id))     \
  X(streamGetCtx, cuStreamGetCtx,                                              \
    (cuda::Stream stream, cuda::Context * context))                            \
  X(streamIsCapturing, cuStreamIsCapturing,                                    \
    (cuda::Stream stream, int *status))                                        \
  X(libraryLoadData, cuLibraryLoadData,                                        \
    (cuda::Library * library, const void *code, cuda::JitOption *jitOptions,   \
     void **jitValues, unsigned jitCount, int *libraryOptions,                 \
     void **libraryValues, unsigned libraryCount))                             \
  X(libraryUnload, cuLibraryUnload, (cuda::Library library))                   \
  X(libraryGetKernel, cuLibraryGetKernel,                                      \
    (cuda::KernelHandle * kernel, cuda::Library library, const char *name))    \
  X(kernelSetAttribute, cuKernelSetAttribute,                                  \
    (int attribute, int value, cuda::KernelHandle kernel,                      \
     cuda::Device device))                                                     \
  X(kernelGetFunction, cuKernelGetFunction,                                    \
    (cuda::Function * function, cuda::KernelHandle kernel))                    \
  X(funcLoad, cuFuncLoad, (cuda::Function function))                           \
  X(launchKernelEx, cuLaunchKernelEx,                                          \
    (const cuda::LaunchConfig *config, cuda::Function function,                \
     void **parameters, void **extra))

/// The driver library and its entries.
class Driver {
public:
  /// The driver of this process, opened at the first call that succeeds and
  /// never closed (threads may be inside it). A failure is not remembered: a
  /// later call tries again.
  /// \return RMSRT_NO_DRIVER when there is none, it is older than CUDA 12.4, or
  /// it finds no GPU.
  static Error get(const Driver *&driver);

  /// An entry that is not in the table, or null. For rms-run, which allocates
  /// and copies as well.
  void *symbol(const char *name) const;

  /// The error for a result other than success: `what` names the call's
  /// purpose.
  Error error(cuda::Result result, const std::string &what) const;

// The arguments are a name and a list, not values.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define RMSRT_DECLARE(member, symbol, arguments)                               \
  cuda::Result(*member) arguments = nullptr;
  RMSRT_DRIVER_ENTRIES(RMSRT_DECLARE)
#undef RMSRT_DECLARE
  // NOLINTEND(bugprone-macro-parentheses)

private:
  Error open();

  void *handle = nullptr;
};

} // namespace rmsrt

#endif // RMSRT_LIB_DRIVER_H
