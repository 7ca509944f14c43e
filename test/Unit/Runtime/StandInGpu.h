//===-- StandInGpu.h - The stand-in driver's GPU ----------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_TEST_STANDINGPU_H
#define RMSRT_TEST_STANDINGPU_H

#include <string>

namespace standin {

/// Whether launches are executed (RMSRT_STANDIN_COMPUTE is set).
bool computes();
/// Whether a stream is being captured.
bool isCapturing();
/// Executes a launch of the entry, or keeps it for the graph being captured.
void compute(const std::string &entry, void **parameters);

} // namespace standin

#endif // RMSRT_TEST_STANDINGPU_H
