//===-- RuntimeCalls.h - what compiled kernels call -------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seam between the lowering, which writes calls by name, and the engine,
// which defines them. All take plain numbers: addresses as i64, the number of
// the site as i32. They act for the GPU thread that the host thread is running.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_EMULATOR_RUNTIMECALLS_H
#define RMSC_LIB_EMULATOR_RUNTIMECALLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace rmsc::emulator {

/// Suffix of the function that unpacks the arguments and calls the entry.
inline constexpr llvm::StringLiteral entrySuffix = ".run";

/// Special registers, by what they hold. The grid is one-dimensional.
enum class SpecialRegister : uint32_t {
  Tid,
  Ntid,
  Ctaid,
  Nctaid,
  Laneid,
  Warpid,
  Warps,
  ClusterId,
  Clusters,
  ClusterRank,
  ClusterSize,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  WarpSize,
  Zero,
  One,
};

/// The register of an op's name without "read.ptx.sreg.", "tid.x".
std::optional<SpecialRegister> lookupSpecialRegister(llvm::StringRef name);

/// A function that kernels may call, by its name.
struct RuntimeCall {
  llvm::StringLiteral name;
  void *address;
};
llvm::ArrayRef<RuntimeCall> runtimeCalls();

} // namespace rmsc::emulator

#endif // RMSC_LIB_EMULATOR_RUNTIMECALLS_H
