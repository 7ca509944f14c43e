//===-- Target.cpp - facts about the chips ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace rmsc;

// Sources: CUDA C++ Programming Guide 13.0, "Compute Capabilities" (threads,
// CTAs, registers and shared memory of a multiprocessor, cluster size), PTX ISA
// 8.8, "Target directives" and ld/st (PTX version of a chip; 256-bit accesses
// from sm_100 and PTX 8.8 on), and the vendor's product pages (multiprocessors
// and L2 of H200, B200, B300 and RTX PRO 6000, for which grids are sized).
static constexpr TargetInfo targets[] = {
    // chip, major, minor, sms, sharedPerSm, sharedPerCta, l2Bytes,
    // threadsPerSm, ctasPerSm, registersPerSm, maxAccessBytes, maxCluster,
    // packedF32x2, dependentLaunch, minPtx, accessPtx
    {"sm_90", 9, 0, 132, 228 << 10, 227 << 10, 60 << 20, 2048, 32, 65536, 16, 8,
     false, true, 78, 78},
    {"sm_90a", 9, 0, 132, 228 << 10, 227 << 10, 60 << 20, 2048, 32, 65536, 16,
     8, false, true, 80, 80},
    {"sm_100", 10, 0, 148, 228 << 10, 227 << 10, 126 << 20, 2048, 32, 65536, 32,
     8, true, true, 86, 88},
    {"sm_100a", 10, 0, 148, 228 << 10, 227 << 10, 126 << 20, 2048, 32, 65536,
     32, 8, true, true, 86, 88},
    {"sm_100f", 10, 0, 148, 228 << 10, 227 << 10, 126 << 20, 2048, 32, 65536,
     32, 8, true, true, 88, 88},
    {"sm_103", 10, 3, 148, 228 << 10, 227 << 10, 126 << 20, 2048, 32, 65536, 32,
     8, true, true, 88, 88},
    {"sm_103a", 10, 3, 148, 228 << 10, 227 << 10, 126 << 20, 2048, 32, 65536,
     32, 8, true, true, 88, 88},
    {"sm_120", 12, 0, 188, 100 << 10, 99 << 10, 128 << 20, 1536, 24, 65536, 16,
     8, false, true, 87, 87},
};

llvm::ArrayRef<TargetInfo> rmsc::allTargets() { return targets; }

const TargetInfo *rmsc::lookupTarget(llvm::StringRef chip) {
  const TargetInfo *target = llvm::find_if(
      targets, [&](const TargetInfo &info) { return info.chip == chip; });
  return target == std::end(targets) ? nullptr : target;
}

llvm::Expected<const TargetInfo *> rmsc::requireTarget(llvm::StringRef chip) {
  if (const TargetInfo *target = lookupTarget(chip))
    return target;
  return llvm::createStringError("unknown chip '" + chip + "'; known are " +
                                 listTargets());
}

std::string rmsc::listTargets() {
  return llvm::join(
      llvm::map_range(targets,
                      [](const TargetInfo &info) { return info.chip.str(); }),
      ", ");
}
