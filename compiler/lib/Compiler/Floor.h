//===-- Floor.h - kernels that only move the bytes --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The floor of a kernel is the time of the fastest kernel that reads the same
// rows and writes the same rows and computes nothing worth mentioning. A
// benchmark measures it beside the kernel, in the same run.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_FLOOR_H
#define RMSC_LIB_COMPILER_FLOOR_H

#include "rmsrt/Manifest.h"

namespace rmsc {

/// Adds the descriptions of the floors that the pass `row-add-floors` makes:
/// for each kernel that reads and writes rows, its rows in their order and by
/// their names.
void describeFloors(std::vector<rmsrt::Kernel> &kernels);

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_FLOOR_H
