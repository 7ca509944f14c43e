//===-- CudaTypes.h - The CUDA driver's types we use ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the driver's binary interface (CUDA 12.0 to 13) that the runtime
// and rms-run call, declared here so that neither building nor running them
// needs a CUDA toolkit. Layouts and numbers are the ABI's; the static asserts
// hold them in place.
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_LIB_CUDATYPES_H
#define RMSRT_LIB_CUDATYPES_H

#include <cstddef>
#include <cstdint>

namespace rmsrt {
namespace cuda {

using Result = int;
using Device = int;
using DevicePtr = unsigned long long;
using Context = struct ContextImpl *;
using Stream = struct StreamImpl *;
using Event = struct EventImpl *;
using Library = struct LibraryImpl *;
using KernelHandle = struct KernelHandleImpl *;
using Function = struct FunctionImpl *;
using Graph = struct GraphImpl *;
using GraphExec = struct GraphExecImpl *;

constexpr Result kSuccess = 0;
constexpr Result kErrorInvalidContext = 201;
constexpr Result kErrorNoBinaryForGpu = 209;

enum DeviceAttribute : int {
  kMultiprocessorCount = 16,
  kL2CacheSize = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
};

enum FunctionAttribute : int {
  kMaxDynamicSharedBytes = 8,
  kNonPortableClusterSizeAllowed = 14,
};

enum JitOption : int {
  kJitErrorLogBuffer = 5,
  kJitErrorLogBufferBytes = 6,
};

enum LaunchAttributeId : int {
  kLaunchClusterDimension = 4,
  kLaunchProgrammaticStreamSerialization = 6,
};

/// Which member counts is said by LaunchAttribute::id.
union LaunchAttributeValue {
  char pad[64];
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
};

// NOLINTNEXTLINE(bugprone-tagged-union-member-count): the padding is no member.
struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[8 - sizeof(LaunchAttributeId)];
  LaunchAttributeValue value;
};

struct LaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attrs;
  unsigned numAttrs;
};

static_assert(sizeof(LaunchAttribute) == 72 &&
                  offsetof(LaunchAttribute, value) == 8,
              "layout of CUlaunchAttribute");
static_assert(sizeof(LaunchConfig) == 56 &&
                  offsetof(LaunchConfig, stream) == 32 &&
                  offsetof(LaunchConfig, attrs) == 40 &&
                  offsetof(LaunchConfig, numAttrs) == 48,
              "layout of CUlaunchConfig");

} // namespace cuda
} // namespace rmsrt

#endif // RMSRT_LIB_CUDATYPES_H
