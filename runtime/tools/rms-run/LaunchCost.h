//===-- LaunchCost.h - What a launch costs the host -------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMS_RUN_LAUNCHCOST_H
#define RMS_RUN_LAUNCHCOST_H

#include "Ring.h"

namespace rms_run {

/// Median time of the host for one call, in microseconds.
struct LaunchCost {
  double runtime = 0;
  /// Of the same launches with nothing around cuLaunchKernelEx.
  double bare = 0;
};

/// Measures the calls' first variant. CUPTI must not be recording.
Error measureLaunchCost(const Gpu &gpu, const OpenPackage &package,
                        const rmsrt::Kernel &kernel, Ring::Calls &calls,
                        LaunchCost &cost);

} // namespace rms_run

#endif // RMS_RUN_LAUNCHCOST_H
