//===-- LaunchPlan.h - From a call to its launches --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All arithmetic between a call and the grids it launches: which variants fit a
// chip, which of them a call takes, how large its grids and its workspace are,
// and whether its buffers may be used together. Pure functions, shared by the
// runtime and the emulator, so that what the emulator tests is what runs. None
// of them allocates unless it fails.
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_LAUNCHPLAN_H
#define RMSRT_LAUNCHPLAN_H

#include "rmsrt/Manifest.h"

#include <vector>

namespace rmsrt {

/// True when code for `chip` runs on a device of that capability: `a` means
/// that capability alone, `f` the same major version from that minor version
/// up, neither the same for machine code, and every later device for PTX.
bool runsOn(const Chip &chip, ImageFormat format, ComputeCapability device);

/// The variants (indices, in order of preference) of the chip that matches the
/// device best: `a` before `f` before the highest plain chip; PTX only where no
/// machine code fits.
/// \return RMSRT_NO_CODE, naming the chips that the kernel holds code for.
Error candidatesForDevice(const Kernel &kernel, ComputeCapability device,
                          std::vector<size_t> &variants);

/// The variants of the chip of exactly that name.
Error candidatesForChip(const Kernel &kernel, std::string_view chip,
                        std::vector<size_t> &variants);

/// The pointers and strides of a call; see RmsrtCall for each member.
struct Call {
  const RmsrtTensor *tensors = nullptr;
  size_t tensorCount = 0;
  int64_t rows = 0;
  const void *workspace = nullptr;
  size_t workspaceBytes = 0;
  uint32_t flags = 0;
  /// Empty unless forced.
  std::string_view variant;
};

/// Checks everything that does not depend on the variant: count, rows, flags,
/// pointers, element alignment, strides, overlaps.
Error checkCall(const Kernel &kernel, const Call &call);

/// Chooses, among `candidates`, the first variant that takes the call's rows,
/// alignments and strides (or the forced one, whose row range is not asked
/// for), and checks the workspace against it. Expects checkCall to have passed.
Error chooseVariant(const Kernel &kernel, const std::vector<size_t> &candidates,
                    const Call &call, size_t &variant);

/// The number of CTAs of a launch, before the multiplication with the cluster:
/// min(ceil(rows / rowsPerCta) * ctasPerRow, maxCtas) + extraCtas. 0 means that
/// the launch is left out.
uint64_t launchCtas(const Launch &launch, int64_t rows);

/// The workspace that `variant` needs for a call with `rows` rows.
uint64_t workspaceBytes(const Variant &variant, int64_t rows);

/// The largest workspace of any variant that serves `rows` rows.
uint64_t workspaceBytes(const Kernel &kernel, int64_t rows);

/// The largest workspace of any variant at any row count.
uint64_t maxWorkspaceBytes(const Kernel &kernel);

/// The stride that is meant: the hidden size for 0.
inline int64_t effectiveStride(const Kernel &kernel,
                               const RmsrtTensor &tensor) {
  return tensor.rowStride ? tensor.rowStride : kernel.hiddenSize;
}

/// The arguments of every launch of a call, in the kernel's ABI: pointers of
/// the inputs and outputs, `rows`, a stride for each parameter of kind Rows,
/// and the workspace.
struct ArgumentList {
  static constexpr size_t kCapacity = 2 * kMaxParameters + 2;
  /// Every argument is 8 bytes wide: a pointer or an i64.
  uint64_t values[kCapacity];
  /// Addresses of the values, as cuLaunchKernelEx takes them.
  void *pointers[kCapacity];
  size_t count = 0;

  ArgumentList(const Kernel &kernel, const Call &call);
  ArgumentList(const ArgumentList &) = delete;
  ArgumentList &operator=(const ArgumentList &) = delete;
};

} // namespace rmsrt

#endif // RMSRT_LAUNCHPLAN_H
