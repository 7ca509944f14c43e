//===-- LaunchPlanTest.cpp - Variant choice, grids, buffers ---------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsrt/LaunchPlan.h"
#include "Support.h"

#include <gtest/gtest.h>

using namespace rmsrt;
using namespace support;

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

static bool runs(const char *name, ImageFormat format, int major, int minor) {
  Chip chip;
  EXPECT_TRUE(parseChip(name, chip));
  return runsOn(chip, format, {major, minor});
}

TEST(ChipTest, ArchitectureSpecificCodeMatchesExactly) {
  EXPECT_TRUE(runs("sm_100a", ImageFormat::Cubin, 10, 0));
  EXPECT_FALSE(runs("sm_100a", ImageFormat::Cubin, 10, 3));
  EXPECT_FALSE(runs("sm_103a", ImageFormat::Cubin, 10, 0));
  EXPECT_FALSE(runs("sm_90a", ImageFormat::Ptx, 10, 0));
}

TEST(ChipTest, FamilyCodeRunsOnLaterMembers) {
  EXPECT_TRUE(runs("sm_100f", ImageFormat::Cubin, 10, 0));
  EXPECT_TRUE(runs("sm_100f", ImageFormat::Cubin, 10, 3));
  EXPECT_FALSE(runs("sm_103f", ImageFormat::Cubin, 10, 0));
  EXPECT_FALSE(runs("sm_100f", ImageFormat::Cubin, 12, 0));
  EXPECT_FALSE(runs("sm_100f", ImageFormat::Ptx, 12, 0));
}

TEST(ChipTest, PlainCodeRunsUpwardsWithinItsMajorVersion) {
  EXPECT_TRUE(runs("sm_80", ImageFormat::Cubin, 8, 9));
  EXPECT_FALSE(runs("sm_89", ImageFormat::Cubin, 8, 0));
  EXPECT_FALSE(runs("sm_80", ImageFormat::Cubin, 9, 0));
  EXPECT_TRUE(runs("sm_80", ImageFormat::Ptx, 9, 0));
  EXPECT_FALSE(runs("sm_90", ImageFormat::Ptx, 8, 9));
}

static Kernel kernelFor(
    const std::vector<std::pair<std::string, std::string>> &chipsAndFormats) {
  json kernel = forwardKernel();
  kernel["variants"] = json::array();
  for (const auto &[chip, format] : chipsAndFormats) {
    json v = variant(kernel, "v" + format, chip, true);
    v["image"]["format"] = format;
    kernel["variants"].push_back(v);
  }
  return parse(kernel);
}

static std::string chosenChip(const Kernel &kernel, int major, int minor) {
  std::vector<size_t> variants;
  Error error = candidatesForDevice(kernel, {major, minor}, variants);
  if (error)
    return rmsrtStatusName(error.status());
  const Variant &v = kernel.variants[variants[0]];
  return v.chip.name + (v.image.format == ImageFormat::Ptx ? " ptx" : "");
}

TEST(ChipTest, TheMostSpecificCodeIsTaken) {
  Kernel k = kernelFor({{"sm_100", "ptx"},
                        {"sm_100", "cubin"},
                        {"sm_103", "cubin"},
                        {"sm_100f", "cubin"},
                        {"sm_100a", "cubin"},
                        {"sm_90", "cubin"},
                        {"sm_90", "ptx"}});
  EXPECT_EQ(chosenChip(k, 10, 0), "sm_100a");
  EXPECT_EQ(chosenChip(k, 10, 3), "sm_100f");
  EXPECT_EQ(chosenChip(k, 9, 0), "sm_90");
  EXPECT_EQ(chosenChip(k, 12, 0), "sm_100 ptx");
  EXPECT_EQ(chosenChip(k, 8, 9), "RMSRT_NO_CODE");
  k = kernelFor({{"sm_80", "cubin"}, {"sm_86", "cubin"}, {"sm_89", "cubin"}});
  EXPECT_EQ(chosenChip(k, 8, 0), "sm_80");
  EXPECT_EQ(chosenChip(k, 8, 6), "sm_86");
  EXPECT_EQ(chosenChip(k, 8, 7), "sm_86");
  EXPECT_EQ(chosenChip(k, 8, 9), "sm_89");
}

TEST(ChipTest, MachineCodeIsPreferredToPtx) {
  EXPECT_EQ(chosenChip(kernelFor({{"sm_90", "ptx"}, {"sm_90", "cubin"}}), 9, 0),
            "sm_90");
  EXPECT_EQ(
      chosenChip(kernelFor({{"sm_90a", "ptx"}, {"sm_90", "cubin"}}), 9, 0),
      "sm_90");
  EXPECT_EQ(chosenChip(kernelFor({{"sm_89", "ptx"}, {"sm_80", "cubin"}}), 8, 9),
            "sm_80");
}

TEST(ChipTest, TheErrorNamesWhatThePackageHolds) {
  Kernel k = kernelFor({{"sm_90a", "cubin"}, {"sm_100", "ptx"}});
  std::vector<size_t> variants;
  Error error = candidatesForDevice(k, {8, 0}, variants);
  EXPECT_EQ(error.status(), RMSRT_NO_CODE);
  EXPECT_NE(error.message().find("compute capability 8.0"), std::string::npos);
  EXPECT_NE(error.message().find("sm_100 (PTX), sm_90a"), std::string::npos)
      << error.message();
  EXPECT_NE(error.message().find("--arch=sm_80"), std::string::npos);
}

TEST(ChipTest, ChipsAreFoundByName) {
  Kernel k = kernelFor({{"sm_90", "cubin"}, {"sm_90a", "cubin"}});
  std::vector<size_t> variants;
  EXPECT_FALSE(candidatesForChip(k, "sm_90a", variants));
  EXPECT_EQ(variants, std::vector<size_t>{1});
  EXPECT_EQ(candidatesForChip(k, "sm_100", variants).status(), RMSRT_NO_CODE);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {

/// A call of a kernel on addresses that are never followed.
struct TestCall {
  explicit TestCall(const Kernel &kernel, int64_t rows) : kernel(kernel) {
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      tensors.push_back({at(0x100000 * (i + 1)), 0});
    call.rows = rows;
    candidates.resize(kernel.variants.size());
    for (size_t i = 0; i < candidates.size(); ++i)
      candidates[i] = i;
  }

  static void *at(uintptr_t address) {
    return reinterpret_cast<void *>(address);
  }

  Error check() {
    call.tensors = tensors.data();
    call.tensorCount = tensors.size();
    return checkCall(kernel, call);
  }
  RmsrtStatus status() { return check().status(); }

  /// The variant's name, or the status.
  std::string choose() {
    if (Error error = check())
      return rmsrtStatusName(error.status());
    size_t index = 0;
    if (Error error = chooseVariant(kernel, candidates, call, index)) {
      message = error.message();
      return rmsrtStatusName(error.status());
    }
    return kernel.variants[index].name;
  }

  const Kernel &kernel;
  std::vector<RmsrtTensor> tensors;
  std::vector<size_t> candidates;
  Call call;
  std::string message;
};

} // namespace

TEST(VariantTest, AlignmentDecides) {
  Kernel k = parse(forwardKernel());
  for (size_t i = 0; i < 4; ++i) {
    TestCall c(k, 5);
    EXPECT_EQ(c.choose(), "vec16");
    c.tensors[i].data = TestCall::at(0x100000 * (i + 1) + 2);
    EXPECT_EQ(c.choose(), "elem") << i;
  }
}

TEST(VariantTest, StridesDecide) {
  Kernel k = parse(forwardKernel());
  TestCall c(k, 5);
  c.tensors[1].rowStride = 8;
  EXPECT_EQ(c.choose(), "vec16");
  c.tensors[1].rowStride = 16;
  EXPECT_EQ(c.choose(), "elem");
  // One row has no stride.
  c.call.rows = 1;
  EXPECT_EQ(c.choose(), "vec16");
}

TEST(VariantTest, AStridedVariantNeedsAlignedStrides) {
  json kernel = forwardKernel();
  json wide = variant(kernel, "wide", "sm_90", true);
  wide["alignments"] = {16, 16, 16, 16};
  kernel["variants"] = {wide, kernel["variants"][1]};
  Kernel k = parse(kernel);
  TestCall c(k, 5);
  c.tensors[0].rowStride = 16; // 32 bytes.
  EXPECT_EQ(c.choose(), "wide");
  c.tensors[0].rowStride = 12; // 24 bytes.
  EXPECT_EQ(c.choose(), "elem");
  c.call.rows = 1;
  EXPECT_EQ(c.choose(), "wide");
}

static Kernel byRows() {
  json kernel = forwardKernel();
  json few = variant(kernel, "few", "sm_90", false);
  few["rows"] = {1, 64};
  json some = variant(kernel, "some", "sm_90", false);
  some["rows"] = {32, 1000};
  kernel["variants"] = {few, some, kernel["variants"][1]};
  return parse(kernel);
}

TEST(VariantTest, TheFirstThatServesTheRows) {
  Kernel k = byRows();
  const std::pair<int64_t, const char *> expected[] = {
      {0, "elem"},  {1, "few"},     {64, "few"},
      {65, "some"}, {1000, "some"}, {1001, "elem"}};
  for (auto [rows, name] : expected)
    EXPECT_EQ(TestCall(k, rows).choose(), name) << rows;
}

TEST(VariantTest, BatchInvariantMeansOneForAllRows) {
  Kernel k = byRows();
  for (int64_t rows : {1, 65, 5000}) {
    TestCall c(k, rows);
    c.call.flags = RMSRT_LAUNCH_BATCH_INVARIANT;
    EXPECT_EQ(c.choose(), "elem") << rows;
  }
}

TEST(VariantTest, ForcedIgnoresTheRowsAlone) {
  Kernel k = byRows();
  TestCall c(k, 5000);
  c.call.variant = "few";
  EXPECT_EQ(c.choose(), "few");
  c.tensors[3].data = TestCall::at(0x400002);
  EXPECT_EQ(c.choose(), "RMSRT_NO_VARIANT");
  EXPECT_NE(c.message.find("few needs better aligned pointers"),
            std::string::npos)
      << c.message;
  c.call.variant = "none";
  EXPECT_EQ(c.choose(), "RMSRT_NOT_FOUND");
  EXPECT_NE(c.message.find("it has few, some, elem"), std::string::npos)
      << c.message;
}

TEST(VariantTest, SaysWhyNoneFits) {
  json kernel = forwardKernel();
  kernel["variants"].erase(1);
  Kernel k = parse(kernel);
  TestCall c(k, 5);
  c.tensors[0].rowStride = 16;
  EXPECT_EQ(c.choose(), "RMSRT_NO_VARIANT");
  EXPECT_NE(c.message.find("vec16 takes dense rows only"), std::string::npos)
      << c.message;
}

TEST(VariantTest, UnusedParametersDoNotMatter) {
  Kernel k = parse(backwardKernel());
  TestCall c(k, 5);
  c.call.workspace = TestCall::at(0x2000000);
  c.call.workspaceBytes = 1 << 20;
  c.tensors[1].data = TestCall::at(3);
  EXPECT_EQ(c.choose(), "partials");
  c.tensors[1].data = nullptr;
  EXPECT_EQ(c.choose(), "partials");
  c.tensors[1] = c.tensors[5];
  EXPECT_EQ(c.choose(), "partials");
}

TEST(CallTest, CountFlagsAndRows) {
  Kernel k = parse(forwardKernel());
  TestCall c(k, 5);
  EXPECT_EQ(c.status(), RMSRT_SUCCESS);
  c.tensors.pop_back();
  EXPECT_EQ(c.status(), RMSRT_INVALID_ARGUMENT);
  EXPECT_EQ(checkCall(k, Call()).status(), RMSRT_INVALID_ARGUMENT);
  TestCall flags(k, 5);
  flags.call.flags = 4;
  EXPECT_EQ(flags.status(), RMSRT_INVALID_ARGUMENT);
  flags.call.flags = RMSRT_LAUNCH_DEPENDENT | RMSRT_LAUNCH_BATCH_INVARIANT;
  EXPECT_EQ(flags.status(), RMSRT_SUCCESS);
  EXPECT_EQ(TestCall(k, -1).status(), RMSRT_BAD_ROWS);
  EXPECT_EQ(TestCall(k, RMSRT_MAX_ROWS + 1).status(), RMSRT_BAD_ROWS);
  EXPECT_EQ(TestCall(k, INT64_MIN).status(), RMSRT_BAD_ROWS);
}

TEST(CallTest, Pointers) {
  Kernel k = parse(forwardKernel());
  for (size_t i = 0; i < 4; ++i) {
    TestCall c(k, 5);
    c.tensors[i].data = nullptr;
    EXPECT_EQ(c.status(), RMSRT_NULL_POINTER) << i;
    EXPECT_NE(c.check().message().find("\"" + k.parameters[i].name + "\""),
              std::string::npos);
    c.tensors[i].data = TestCall::at(0x900001);
    EXPECT_EQ(c.status(), RMSRT_MISALIGNED) << i;
  }
}

TEST(CallTest, NoRowsNeedNoRowPointers) {
  Kernel k = parse(backwardKernel());
  TestCall c(k, 0);
  c.call.workspace = TestCall::at(0x2000000);
  c.call.workspaceBytes = 256;
  for (size_t i : {0, 1, 2, 3, 5, 6})
    c.tensors[i].data = nullptr;
  EXPECT_EQ(c.choose(), "partials");
  c.tensors[7].data = nullptr;
  EXPECT_EQ(c.status(), RMSRT_NULL_POINTER);
}

TEST(CallTest, Strides) {
  Kernel k = parse(backwardKernel());
  TestCall c(k, 5);
  c.tensors[0].rowStride = 7;
  EXPECT_EQ(c.status(), RMSRT_BAD_STRIDE);
  c.tensors[0].rowStride = -8;
  EXPECT_EQ(c.status(), RMSRT_BAD_STRIDE);
  c.tensors[0].rowStride = (int64_t(1) << 29) + 1;
  EXPECT_EQ(c.status(), RMSRT_BAD_STRIDE);
  c.tensors[0].rowStride = 8;
  EXPECT_EQ(c.status(), RMSRT_SUCCESS);
  c.tensors[3].rowStride = 1; // Scalars.
  EXPECT_EQ(c.status(), RMSRT_BAD_STRIDE);
  c.tensors[3].rowStride = 0;
  c.tensors[7].rowStride = 8; // Columns.
  EXPECT_EQ(c.status(), RMSRT_BAD_STRIDE);
}

TEST(CallTest, InPlaceOnlyAsDeclared) {
  Kernel k = parse(forwardKernel()); // y may be x.
  TestCall c(k, 5);
  c.tensors[3] = c.tensors[0];
  EXPECT_EQ(c.status(), RMSRT_SUCCESS);
  // Not the same rows.
  c.tensors[3].rowStride = 16;
  EXPECT_EQ(c.status(), RMSRT_OVERLAP);
  c.tensors[3].rowStride = 0;
  c.tensors[3].data = TestCall::at(0x100000 + 16);
  EXPECT_EQ(c.status(), RMSRT_OVERLAP);
  EXPECT_NE(c.check().message().find("the same pointer and the same stride"),
            std::string::npos);
  // Not declared.
  TestCall other(k, 5);
  other.tensors[3] = other.tensors[1];
  EXPECT_EQ(other.status(), RMSRT_OVERLAP);
  EXPECT_NE(other.check().message().find("\"y\", overlaps \"residual\""),
            std::string::npos)
      << other.check().message();
  // Inputs may share memory.
  TestCall inputs(k, 5);
  inputs.tensors[1] = inputs.tensors[0];
  EXPECT_EQ(inputs.status(), RMSRT_SUCCESS);
}

TEST(CallTest, OutputsMayNotOverlap) {
  Kernel k = parse(backwardKernel());
  TestCall c(k, 5);
  c.tensors[6] = c.tensors[5];
  EXPECT_EQ(c.status(), RMSRT_OVERLAP);
  EXPECT_NE(c.check().message().find("another output"), std::string::npos);
  // dw behind the last row of dx is fine, one byte earlier is not: 5 rows of 8
  // bf16 are 80 bytes.
  TestCall edge(k, 5);
  edge.tensors[5].data = TestCall::at(0x600000);
  edge.tensors[7].data = TestCall::at(0x600000 + 80);
  EXPECT_EQ(edge.status(), RMSRT_SUCCESS);
  edge.tensors[7].data = TestCall::at(0x600000 + 76);
  EXPECT_EQ(edge.status(), RMSRT_OVERLAP);
  // dw (32 bytes) before it.
  edge.tensors[7].data = TestCall::at(0x600000 - 32);
  EXPECT_EQ(edge.status(), RMSRT_SUCCESS);
  edge.tensors[7].data = TestCall::at(0x600000 - 28);
  EXPECT_EQ(edge.status(), RMSRT_OVERLAP);
}

TEST(CallTest, ColumnRangesOfOneMatrixDoNotOverlap) {
  Kernel k = parse(forwardKernel());
  TestCall c(k, 5);
  // x is columns 0..7 and y columns 8..15 of one [5, 16] matrix.
  c.tensors[0] = {TestCall::at(0x100000), 16};
  c.tensors[3] = {TestCall::at(0x100000 + 16), 16};
  EXPECT_EQ(c.status(), RMSRT_SUCCESS);
  c.tensors[3].data = TestCall::at(0x100000 + 14);
  EXPECT_EQ(c.status(), RMSRT_OVERLAP);
  // y spills over into the next row of x.
  c.tensors[3].data = TestCall::at(0x100000 + 18);
  EXPECT_EQ(c.status(), RMSRT_OVERLAP);
  // Rows further down.
  c.tensors[3].data = TestCall::at(0x100000 + 16 + 64);
  EXPECT_EQ(c.status(), RMSRT_SUCCESS);
  // The other way round.
  std::swap(c.tensors[0], c.tensors[3]);
  EXPECT_EQ(c.status(), RMSRT_SUCCESS);
}

TEST(CallTest, TheWeightMayLieInAGapOfTheOutput) {
  Kernel k = parse(forwardKernel());
  TestCall c(k, 5);
  c.tensors[3] = {TestCall::at(0x400000), 16};
  c.tensors[2].data = TestCall::at(0x400000 + 16);
  EXPECT_EQ(c.status(), RMSRT_SUCCESS);
  c.tensors[2].data = TestCall::at(0x400000 + 18);
  EXPECT_EQ(c.status(), RMSRT_OVERLAP);
  c.tensors[2].data = TestCall::at(0x400000 + 14);
  EXPECT_EQ(c.status(), RMSRT_OVERLAP);
  // Behind the last row there is no next one.
  c.tensors[2].data = TestCall::at(0x400000 + 4 * 32 + 18);
  EXPECT_EQ(c.status(), RMSRT_SUCCESS);
}

TEST(CallTest, Workspace) {
  Kernel k = parse(backwardKernel());
  TestCall c(k, 5); // 256 + 32 * min(ceil(5 / 2), 4) = 352 bytes.
  EXPECT_EQ(c.choose(), "RMSRT_WORKSPACE_TOO_SMALL");
  EXPECT_NE(c.message.find("352 bytes"), std::string::npos) << c.message;
  c.call.workspaceBytes = 352;
  EXPECT_EQ(c.choose(), "RMSRT_WORKSPACE_TOO_SMALL");
  c.call.workspace = TestCall::at(0x2000000);
  EXPECT_EQ(c.choose(), "partials");
  c.call.workspaceBytes = 351;
  EXPECT_EQ(c.choose(), "RMSRT_WORKSPACE_TOO_SMALL");
  c.call.workspaceBytes = 4096;
  c.call.workspace = TestCall::at(0x2000040);
  EXPECT_EQ(c.choose(), "RMSRT_MISALIGNED");
  c.call.workspace = c.tensors[7].data;
  EXPECT_EQ(c.choose(), "RMSRT_OVERLAP");
  c.call.workspace = c.tensors[0].data;
  EXPECT_EQ(c.choose(), "RMSRT_OVERLAP");
  // What is behind the part that is used may be anything.
  c.call.workspace = TestCall::at(0x100000 - 384);
  EXPECT_EQ(c.choose(), "partials");
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

TEST(GridTest, Arithmetic) {
  Launch l;
  l.rowsPerCta = 4;
  EXPECT_EQ(launchCtas(l, 0), 0u);
  EXPECT_EQ(launchCtas(l, 1), 1u);
  EXPECT_EQ(launchCtas(l, 4), 1u);
  EXPECT_EQ(launchCtas(l, 5), 2u);
  EXPECT_EQ(launchCtas(l, RMSRT_MAX_ROWS), 536870912u);
  l.maxCtas = 264;
  EXPECT_EQ(launchCtas(l, 1052), 263u);
  EXPECT_EQ(launchCtas(l, 1056), 264u);
  EXPECT_EQ(launchCtas(l, 100000), 264u);
  l.extraCtas = 40;
  EXPECT_EQ(launchCtas(l, 0), 40u);
  EXPECT_EQ(launchCtas(l, 100000), 304u);
  l.rowsPerCta = 0;
  EXPECT_EQ(launchCtas(l, 100000), 40u);
}

TEST(GridTest, SeveralCtasARow) {
  Launch l;
  l.rowsPerCta = 1;
  EXPECT_EQ(launchCtas(l, 3), 3u);
  l.ctasPerRow = 2;
  EXPECT_EQ(launchCtas(l, 0), 0u);
  EXPECT_EQ(launchCtas(l, 1), 2u);
  EXPECT_EQ(launchCtas(l, 3), 6u);
  EXPECT_EQ(launchCtas(l, RMSRT_MAX_ROWS), 4294967294u);
  // The bound and the other CTAs are of CTAs, not of rows.
  l.maxCtas = 264;
  l.extraCtas = 40;
  EXPECT_EQ(launchCtas(l, 132), 304u);
  EXPECT_EQ(launchCtas(l, 133), 304u);
  EXPECT_EQ(launchCtas(l, 131), 302u);
}

TEST(GridTest, WorkspaceFollowsTheRowCtas) {
  Kernel k = parse(backwardKernel());
  const Variant &v = k.variants[0];
  EXPECT_EQ(workspaceBytes(v, 0), 256u);
  EXPECT_EQ(workspaceBytes(v, 1), 288u);
  EXPECT_EQ(workspaceBytes(v, 2), 288u);
  EXPECT_EQ(workspaceBytes(v, 3), 320u);
  EXPECT_EQ(workspaceBytes(v, 8), 384u);
  EXPECT_EQ(workspaceBytes(v, RMSRT_MAX_ROWS), 384u);
  EXPECT_EQ(maxWorkspaceBytes(k), 384u);
  json kernel = backwardKernel();
  json second = kernel["variants"][0];
  second["name"] = "second";
  second["rows"] = {100, 200};
  second["workspace"]["bytes"] = 5000;
  kernel["variants"].push_back(second);
  k = parse(kernel);
  EXPECT_EQ(workspaceBytes(k, 99), 384u);
  EXPECT_EQ(workspaceBytes(k, 100), 5128u);
  EXPECT_EQ(maxWorkspaceBytes(k), 5128u);
}

TEST(GridTest, RefusesGridsBeyondALaunch) {
  json kernel = forwardKernel();
  kernel["variants"][0]["launches"][0]["extra_ctas"] = 5;
  Kernel k = parse(kernel);
  for (auto [rows, expected] :
       {std::pair<int64_t, const char *>{RMSRT_MAX_ROWS - 5, "vec16"},
        {RMSRT_MAX_ROWS - 4, "RMSRT_BAD_ROWS"}}) {
    TestCall c(k, rows);
    for (size_t i = 0; i < 4; ++i)
      c.tensors[i].data = TestCall::at((i + 1) << 40);
    EXPECT_EQ(c.choose(), expected);
  }
}

TEST(GridTest, Arguments) {
  Kernel k = parse(backwardKernel());
  TestCall c(k, 5);
  c.call.workspace = TestCall::at(0x2000000);
  c.tensors[2].rowStride = 24;
  ASSERT_FALSE(c.check());
  ArgumentList arguments(k, c.call);
  // 8 pointers, rows, the strides of 5 row parameters, the workspace.
  ASSERT_EQ(arguments.count, 15u);
  const uint64_t expected[15] = {0x100000, 0x200000, 0x300000, 0x400000,
                                 0x500000, 0x600000, 0x700000, 0x800000,
                                 5,        8,        8,        24,
                                 8,        8,        0x2000000};
  for (size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(arguments.values[i], expected[i]) << i;
    EXPECT_EQ(arguments.pointers[i], &arguments.values[i]);
  }
}
