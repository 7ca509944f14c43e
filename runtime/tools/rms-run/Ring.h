//===-- Ring.h - Fresh buffers for every timed call -------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMS_RUN_RING_H
#define RMS_RUN_RING_H

#include "Commands.h"

#include <deque>

namespace rms_run {

/// A kernel as it is called on each of a ring of buffer sets in turn. A kernel
/// that met its old buffers again could be measured in the cache: a line loaded
/// with evict_last survives a flush.
class Ring {
public:
  /// Makes min(60, 24 GB / bytes of a set) sets, at least 2, and fills each
  /// with the inputs of `host`.
  Error build(const Gpu &gpu, const rmscheck::Case &host);

  size_t size() const { return sets.size(); }

  /// The calls of `kernel` (the case's own, or a floor kernel, whose parameters
  /// are found in the case's sets by name, or else by role), one a set.
  class Calls {
  public:
    /// Launches on the next set.
    Error next();
    /// The launches of one call, and the variant that makes them.
    size_t launches() const { return launchCount; }
    const rmsrt::Variant &variant() const { return *chosen; }
    const RmsrtCall &call(size_t set) const { return calls[set]; }

  private:
    friend class Ring;
    RmsrtKernel handle = nullptr;
    std::string forced;
    std::deque<std::vector<RmsrtTensor>> tensors;
    std::vector<RmsrtCall> calls;
    size_t position = 0, launchCount = 0;
    const rmsrt::Variant *chosen = nullptr;
  };

  /// \return RMSRT_NO_VARIANT when the variant does not take these buffers.
  Error bind(const Gpu &gpu, const OpenPackage &package,
             const rmscheck::Case &host, const rmsrt::Kernel &kernel,
             const std::string &variant, const Options &options,
             Calls &calls) const;

private:
  std::deque<DeviceCase> sets;
};

} // namespace rms_run

#endif // RMS_RUN_RING_H
