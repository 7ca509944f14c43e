//===-- TargetTest.cpp - the table of chips ---------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Target/Target.h"

#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace rmsc;

TEST(Target, KnowsItsChips) {
  EXPECT_EQ(listTargets(), "sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103, "
                           "sm_103a, sm_120");
  EXPECT_EQ(defaultChip, "sm_100");
  ASSERT_TRUE(lookupTarget(defaultChip));
}

TEST(Target, KnowsNoOther) {
  for (StringRef chip : {"", "sm_", "sm_9", "sm_80", "sm_900", "SM_90",
                         "sm_90 ", "sm_90b", "90", "compute_90"})
    EXPECT_FALSE(lookupTarget(chip)) << chip.str();
}

// Every pass and the driver say this of a chip that the user named.
TEST(Target, RequiredOnesAreKnownOrAnError) {
  Expected<const TargetInfo *> known = requireTarget("sm_90");
  ASSERT_TRUE(bool(known));
  EXPECT_EQ(*known, lookupTarget("sm_90"));
  EXPECT_EQ(toString(requireTarget("sm_80").takeError()),
            "unknown chip 'sm_80'; known are " + listTargets());
}

TEST(Target, FindsTheRowOfTheName) {
  StringSet<> names;
  for (const TargetInfo &info : allTargets()) {
    EXPECT_EQ(lookupTarget(info.chip), &info);
    EXPECT_TRUE(names.insert(info.chip).second) << info.chip.str();
  }
}

// A name says what the capability is: sm_103a is 10.3.
TEST(Target, NamesAgreeWithCapabilities) {
  const TargetInfo *previous = nullptr;
  for (const TargetInfo &info : allTargets()) {
    StringRef digits = info.chip;
    ASSERT_TRUE(digits.consume_front("sm_"));
    digits = digits.rtrim("af");
    int capability = 0;
    ASSERT_FALSE(digits.getAsInteger(10, capability)) << info.chip.str();
    EXPECT_EQ(capability, info.major * 10 + info.minor) << info.chip.str();
    if (previous)
      EXPECT_LE(previous->major * 10 + previous->minor, capability);
    previous = &info;
  }
}

// What holds of any chip, so that a row of the table cannot be filled in
// half.
TEST(Target, FactsAreConsistent) {
  for (const TargetInfo &info : allTargets()) {
    SCOPED_TRACE(info.chip.str());
    EXPECT_GT(info.sms, 0);
    EXPECT_GE(info.sharedPerCta, 48 << 10);
    EXPECT_LT(info.sharedPerCta, info.sharedPerSm);
    EXPECT_GT(info.l2Bytes, info.sharedPerSm);
    EXPECT_GE(info.threadsPerSm, 1024);
    EXPECT_EQ(info.threadsPerSm % 32, 0);
    EXPECT_GE(info.ctasPerSm, info.threadsPerSm / 1024);
    EXPECT_EQ(info.registersPerSm, 64 << 10);
    EXPECT_TRUE(info.maxAccessBytes == 16 || info.maxAccessBytes == 32);
    EXPECT_GE(info.maxCluster, 1);
    // Both times ten; the newest that LLVM writes must do for everything.
    EXPECT_GE(info.accessPtx, info.minPtx);
    EXPECT_LE(info.accessPtx, maxLlvmPtx);
  }
}

// The facts that choose between instructions (PTX ISA 8.8: ld and st of 256
// bits from sm_100 on with PTX 8.8; fma.f32x2 from sm_100 on).
TEST(Target, InstructionsOfEachChip) {
  for (const TargetInfo &info : allTargets()) {
    SCOPED_TRACE(info.chip.str());
    bool blackwell = info.major == 10;
    EXPECT_EQ(info.maxAccessBytes, blackwell ? 32 : 16);
    EXPECT_EQ(info.packedF32x2, blackwell);
    EXPECT_TRUE(info.dependentLaunch);
    if (blackwell)
      EXPECT_EQ(info.accessPtx, 88);
  }
}

// Results must not change bits between two chips of one kind, so these numbers
// are facts that every package depends on.
TEST(Target, GridsAreSizedFor) {
  EXPECT_EQ(lookupTarget("sm_90")->sms, 132);
  EXPECT_EQ(lookupTarget("sm_90a")->sms, 132);
  EXPECT_EQ(lookupTarget("sm_100")->sms, 148);
  EXPECT_EQ(lookupTarget("sm_120")->sms, 188);
}
