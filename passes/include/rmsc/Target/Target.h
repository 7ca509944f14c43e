//===-- Target.h - facts about the chips ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of facts for each chip that the compiler knows. A pass that needs
// to know something about a chip asks here; nothing else in the project says
// what a chip can do.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TARGET_TARGET_H
#define RMSC_TARGET_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace rmsc {

/// Threads of a warp, on every chip.
inline constexpr int64_t warpSize = 32;

/// What the compiler has to know of a chip. Sizes are in bytes.
struct TargetInfo {
  /// Name as ptxas and LLVM spell it.
  llvm::StringLiteral chip;
  /// Compute capability.
  int major, minor;
  /// Multiprocessors of the product that grids are sized for. It is a fact of
  /// the table and not asked of the device at hand, so that two chips of one
  /// kind give the same bits.
  int sms;
  int64_t sharedPerSm, sharedPerCta;
  int64_t l2Bytes;
  int threadsPerSm, ctasPerSm, registersPerSm;
  /// Widest access of one thread to global memory.
  int64_t maxAccessBytes;
  /// Largest portable cluster.
  int maxCluster;
  /// Whether two f32 operations can be packed into one instruction.
  bool packedF32x2;
  /// Whether a launch may start before the one it depends on has ended
  /// (programmatic dependent launch).
  bool dependentLaunch;
  /// Oldest PTX version that knows the chip, times ten (8.6 is 86), and the
  /// oldest one with which `maxAccessBytes` can be used.
  int minPtx, accessPtx;
};

/// All known chips, in the order of their compute capability.
llvm::ArrayRef<TargetInfo> allTargets();

/// The chip that is compiled for where none is named.
inline constexpr llvm::StringLiteral defaultChip = "sm_100";

/// Facts about a chip, or null for a chip that is not known.
const TargetInfo *lookupTarget(llvm::StringRef chip);

/// Facts about a chip that the user named. For a chip that is not known: an
/// error that names it and lists the known ones.
llvm::Expected<const TargetInfo *> requireTarget(llvm::StringRef chip);

/// The names of all known chips, for messages: "sm_90, sm_90a, ...".
std::string listTargets();

/// Newest PTX version (times ten) that LLVM 22 can write.
inline constexpr int maxLlvmPtx = 88;

} // namespace rmsc

#endif // RMSC_TARGET_TARGET_H
