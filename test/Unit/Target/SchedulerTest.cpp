//===-- SchedulerTest.cpp - which schedules are chosen ----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Target/Scheduler.h"
#include "Kernels.h"

#include "rmsc/Target/LaunchPlan.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace rmsc;
using namespace rmsc::test;

static constexpr int64_t allRows = std::numeric_limits<int32_t>::max();
/// What a caller is asked for at most, for each multiprocessor.
static constexpr int64_t maxWorkspacePerSm = 96 << 10;

//===----------------------------------------------------------------------===//
// What a schedule depends on
//===----------------------------------------------------------------------===//

namespace {
using KernelShapeTest = KernelTest;
} // namespace

TEST_F(KernelShapeTest, CountsStreams) {
  KernelShape shape = KernelShape::of(
      parse(backwardText(256, {"bf16", "f32", "f16"}, /*accumulators=*/2)));
  EXPECT_EQ(shape.hiddenSize, 256);
  EXPECT_EQ(shape.minElementBytes, 2);
  EXPECT_EQ(shape.maxElementBytes, 4);
  // Of what is loaded row by row, which the weight is not.
  EXPECT_EQ(shape.maxRowElementBytes, 2);
  // x and y: a weight does not move with the rows.
  EXPECT_EQ(shape.bytesPerRow, 256 * (2 + 2));
  EXPECT_EQ(shape.rowInputs, 1);
  EXPECT_EQ(shape.rowOutputs, 1);
  EXPECT_EQ(shape.columnInputs, 1);
  EXPECT_EQ(shape.reductions, 1);
  EXPECT_EQ(shape.accumulators, 2);
}

TEST_F(KernelShapeTest, LeavesUnusedOperandsOut) {
  KernelShape shape = KernelShape::of(parse(
      "row.kernel @kernel hidden 8 inputs(%x: !row.rows<8xf32>, %u: "
      "!row.rows<8xbf16>, %w: !row.columns<8xbf16>, %s: !row.scalars<f32>) "
      "outputs(%y: !row.rows<8xf32>, %t: !row.scalars<f32>) {\n"
      "  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>\n"
      "  %1 = row.load %s : !row.scalars<f32> -> f32\n"
      "  row.store %0, %y : vector<8xf32>, !row.rows<8xf32>\n"
      "  row.store %1, %t : f32, !row.scalars<f32>\n}\n"));
  EXPECT_EQ(shape.minElementBytes, 4);
  EXPECT_EQ(shape.maxElementBytes, 4);
  EXPECT_EQ(shape.maxRowElementBytes, 4);
  EXPECT_EQ(shape.bytesPerRow, 64);
  EXPECT_EQ(shape.rowInputs, 1);
  EXPECT_EQ(shape.rowOutputs, 1);
  EXPECT_EQ(shape.columnInputs, 0);
  EXPECT_EQ(shape.reductions, 0);
  EXPECT_EQ(shape.accumulators, 0);
}

//===----------------------------------------------------------------------===//
// The choice, over a grid of kernels and chips
//===----------------------------------------------------------------------===//

/// Hidden sizes of every kind: all short ones, those around powers of two and
/// around what a warp or a CTA holds, primes, those of models, the largest.
static SmallVector<int64_t> hiddenSizes() {
  SmallVector<int64_t> sizes;
  for (int64_t size = 1; size <= 136; ++size)
    sizes.push_back(size);
  for (int64_t power = 256; power <= maxHiddenSize; power *= 2)
    for (int64_t offset : {-8, -4, -2, -1, 0, 1, 2, 4, 8, 24})
      if (power + offset <= maxHiddenSize)
        sizes.push_back(power + offset);
  sizes.append({251,  640,   1000,  1536,  2560,  2880,  3072,  3584,
                4093, 5120,  5376,  6144,  7168,  7919,  8190,  9216,
                9999, 10240, 11008, 12288, 12289, 14336, 15000, 16381});
  return sizes;
}

static SmallVector<Types> typeMixes() {
  SmallVector<Types> mixes;
  for (StringRef x : {"bf16", "f32"})
    for (StringRef weight : {"f16", "f32"})
      for (StringRef y : {"bf16", "f32"})
        mixes.push_back({x, weight, y});
  return mixes;
}

namespace {
class Choice : public KernelTest {
protected:
  /// What holds of every variant.
  void checkVariant(row::KernelOp kernel, const Variant &variant,
                    const TargetInfo &chip) {
    SCOPED_TRACE(variant.name);
    // The schedule is one that could also be written: its own verifier takes
    // it.
    std::string text;
    llvm::raw_string_ostream(text) << variant.schedule;
    EXPECT_EQ(schedule(text), variant.schedule);
    EXPECT_EQ(verify(kernel, variant.schedule, chip.chip), "") << text;

    kernel.setScheduleAttr(variant.schedule);
    LaunchPlan plan = planLaunches(kernel, chip);
    for (const Launch &launch : plan.launches) {
      EXPECT_GE(launch.block, 32);
      EXPECT_LE(launch.block, 1024);
      EXPECT_EQ(launch.block % 32, 0);
    }
    EXPECT_LE(plan.workspaceBytes +
                  plan.workspaceBytesPerCta * plan.launches[0].maxCtas,
              maxWorkspacePerSm * chip.sms)
        << text;
    kernel.removeScheduleAttr();
  }

  /// What holds of all of them together.
  void checkVariants(ArrayRef<Variant> variants, row::KernelOp kernel,
                     const TargetInfo &chip) {
    ASSERT_FALSE(variants.empty());
    llvm::StringSet<> names;
    int64_t nextRow = 0;
    bool seenStrided = false;
    for (const Variant &variant : variants) {
      EXPECT_TRUE(names.insert(variant.name).second) << variant.name;
      EXPECT_LE(variant.minRows, variant.maxRows) << variant.name;
      if (variant.schedule.getStrided()) {
        // One for all row counts each.
        EXPECT_EQ(variant.minRows, 0);
        EXPECT_EQ(variant.maxRows, allRows);
        seenStrided = true;
        continue;
      }
      // Dense ones are preferred, and follow each other without a gap.
      EXPECT_FALSE(seenStrided) << variant.name;
      EXPECT_EQ(variant.minRows, nextRow) << variant.name;
      nextRow = variant.maxRows + 1;
    }
    EXPECT_EQ(nextRow, allRows + 1);

    // The last one takes anything: any stride, any alignment of an element.
    kernel.setScheduleAttr(variants.back().schedule);
    LaunchPlan plan = planLaunches(kernel, chip);
    EXPECT_TRUE(plan.strided);
    for (auto [handle, alignment] :
         llvm::zip_equal(kernel.getHandles(), plan.alignments))
      EXPECT_EQ(
          alignment,
          row::getHandleElementType(handle.getType()).getIntOrFloatBitWidth() /
              8);
    kernel.removeScheduleAttr();
  }

  void checkAll(llvm::function_ref<std::string(int64_t, const Types &)> text,
                const ScheduleRequest &request) {
    for (int64_t hiddenSize : hiddenSizes())
      for (const Types &types : typeMixes()) {
        row::KernelOp kernel = parse(text(hiddenSize, types));
        for (StringRef chip : {"sm_90", "sm_100", "sm_120"}) {
          SCOPED_TRACE(("H = " + Twine(hiddenSize) + ", " + types.x + ", " +
                        types.weight + ", " + types.y + " on " + chip)
                           .str());
          SmallVector<Variant> variants =
              chooseVariants(kernel, target(chip), request);
          checkVariants(variants, kernel, target(chip));
          for (const Variant &variant : variants)
            checkVariant(kernel, variant, target(chip));
          // One report is enough.
          ASSERT_FALSE(HasFailure());
        }
      }
  }
};
} // namespace

TEST_F(Choice, Forward) {
  checkAll(
      [](int64_t size, const Types &types) { return forwardText(size, types); },
      {});
}

TEST_F(Choice, Backward) {
  checkAll([](int64_t size,
              const Types &types) { return backwardText(size, types); },
           {});
}

TEST_F(Choice, BackwardBatchInvariant) {
  ScheduleRequest request;
  request.batchInvariant = true;
  checkAll([](int64_t size,
              const Types &types) { return backwardText(size, types); },
           request);
}

// More accumulators than any op has today: what does not fit is not chosen.
// (Their workspace may pass the bound, so only the limits are checked.)
TEST_F(Choice, SeveralAccumulators) {
  for (int64_t hiddenSize : hiddenSizes()) {
    row::KernelOp kernel = parse(backwardText(hiddenSize, {}, 4));
    for (StringRef chip : {"sm_90", "sm_100", "sm_120"})
      for (const Variant &variant : chooseVariants(kernel, target(chip), {}))
        ASSERT_EQ(verify(kernel, variant.schedule, chip), "")
            << "H = " << hiddenSize << ", " << variant.name << " on "
            << chip.str();
  }
}

// One schedule for dense and aligned operands, whatever the row count.
TEST_F(Choice, BatchInvariantIsOne) {
  ScheduleRequest request;
  request.batchInvariant = true;
  for (const std::string &text : {forwardText(2048), backwardText(2560)}) {
    SmallVector<Variant> variants =
        chooseVariants(parse(text), target("sm_90"), request);
    EXPECT_EQ(llvm::count_if(variants,
                             [](const Variant &variant) {
                               return !variant.schedule.getStrided();
                             }),
              1);
  }
}

// A CTA of the longest rows has more partial sums than the workspace's bound
// has for a second one.
TEST_F(Choice, LongRowsTakeFewerCtas) {
  row::KernelOp kernel = parse(backwardText(16384));
  for (const Variant &variant : chooseVariants(kernel, target("sm_90"), {}))
    if (variant.schedule.getColumnSum() == row::ColumnSum::Partials)
      EXPECT_EQ(variant.schedule.getCtasPerSm(), 1) << variant.name;
}

// CTAs that sum columns take their time one after the other where two share an
// SM: there are no more of them than SMs, and no fewer than that asks for.
// Beside few rows there are half as many, where with more of them hardly an SM
// would be left for the rows.
TEST_F(Choice, ColumnCtasAreNoMoreThanSms) {
  for (int64_t hiddenSize : hiddenSizes()) {
    row::KernelOp kernel = parse(backwardText(hiddenSize));
    for (StringRef chip : {"sm_90", "sm_100", "sm_120"})
      for (const Variant &variant : chooseVariants(kernel, target(chip), {})) {
        row::ScheduleAttr one = variant.schedule;
        bool split = one.getColumnSum() == row::ColumnSum::RoleSplit;
        int64_t columns = one.getSumColumns(), sms = target(chip).sms;
        ASSERT_GE(columns * sms, hiddenSize) << variant.name;
        if (variant.name == "few") {
          EXPECT_TRUE(split);
          EXPECT_EQ(variant.minRows, 0);
          EXPECT_LE(variant.maxRows, sms / 2);
          columns /= 2;
          ASSERT_LT(columns * (sms - 16), hiddenSize)
              << "H = " << hiddenSize << " on " << chip.str();
        } else if (split && variant.minRows == 0) {
          ASSERT_GE(columns * (sms - 16), hiddenSize)
              << "H = " << hiddenSize << " on " << chip.str();
        }
        ASSERT_TRUE(columns == (split ? 32 : 16) ||
                    columns / 2 * sms < hiddenSize)
            << "H = " << hiddenSize << ", " << variant.name << " on "
            << chip.str();
      }
  }
}

// CTAs that sum columns load all their rows at once, also those of the last row
// count of a range.
TEST_F(Choice, RoleSplitTakesOneTrip) {
  bool any = false;
  for (int64_t hiddenSize : hiddenSizes())
    for (const Types &types : typeMixes()) {
      row::KernelOp kernel = parse(backwardText(hiddenSize, types));
      for (const Variant &variant :
           chooseVariants(kernel, target("sm_90"), {})) {
        row::ScheduleAttr one = variant.schedule;
        if (one.getColumnSum() != row::ColumnSum::RoleSplit)
          continue;
        any = true;
        int64_t lanes =
            one.getThreads() * one.getElements() / one.getSumColumns();
        ASSERT_LE(variant.maxRows, lanes * one.getSumRows())
            << "H = " << hiddenSize << ", " << variant.name;
      }
    }
  EXPECT_TRUE(any);
}

// A thread of the second launch adds five partial sums at most, unless a CTA
// has no more threads or no more shared memory for them.
TEST_F(Choice, SecondLaunchAddsFewPartialsAThread) {
  for (int64_t accumulators : {1, 4})
    for (int64_t hiddenSize :
         {1, 7, 128, 1000, 1001, 2048, 2560, 8192, 16384}) {
      row::KernelOp kernel = parse(backwardText(hiddenSize, {}, accumulators));
      for (StringRef chip : {"sm_90", "sm_120"})
        for (const Variant &variant :
             chooseVariants(kernel, target(chip), {})) {
          row::ScheduleAttr one = variant.schedule;
          if (one.getColumnSum() != row::ColumnSum::Partials)
            continue;
          SCOPED_TRACE(
              ("H = " + Twine(hiddenSize) + ", " + variant.name + " on " + chip)
                  .str());
          // Four columns a thread.
          auto addsMore = [&](int64_t threads) {
            return one.getCtasPerSm() * target(chip).sms >
                   5 * threads * 4 / one.getSumColumns();
          };
          int64_t threads = one.getSumThreads();
          int64_t lanes = 2 * threads * 4 / one.getSumColumns();
          EXPECT_TRUE(!addsMore(threads) || threads == 1024 ||
                      4 * accumulators * lanes * (one.getSumColumns() + 1) >
                          maxStaticSharedBytes);
          // As few threads as that takes.
          EXPECT_TRUE(threads == 128 || addsMore(threads / 2));
        }
    }
}

// Several CTAs share a row where rows are long and so few that SMs idle: four
// up to an eighth of the SMs, then two up to a quarter of them, or half where
// the row is 8 KB. Each has the registers of an SM.
TEST_F(Choice, CtasShareFewLongRows) {
  for (int64_t hiddenSize : hiddenSizes())
    for (const Types &types : typeMixes()) {
      row::KernelOp kernel = parse(forwardText(hiddenSize, types));
      int64_t elementBytes = KernelShape::of(kernel).minElementBytes;
      for (StringRef chip : {"sm_90", "sm_100", "sm_120"}) {
        SCOPED_TRACE(("H = " + Twine(hiddenSize) + ", " + types.x + ", " +
                      types.weight + ", " + types.y + " on " + chip)
                         .str());
        int64_t rowBytes = hiddenSize * elementBytes, sms = target(chip).sms;
        int64_t last = 0, shared = 0;
        SmallVector<Variant> variants =
            chooseVariants(kernel, target(chip), {});
        for (const Variant &variant : variants) {
          row::ScheduleAttr one = variant.schedule;
          int64_t ctas = one.getCtasPerRow();
          if (ctas == 1)
            continue;
          ++shared;
          EXPECT_EQ(variant.name, ctas == 4 ? "quarters" : "halves");
          EXPECT_EQ(ctas, shared == 1 ? 4 : 2);
          EXPECT_EQ(one.getCtasPerSm(), 1);
          EXPECT_FALSE(one.getStrided());
          last = variant.maxRows;
          EXPECT_EQ(last, ctas == 4              ? sms / 8
                          : rowBytes < (8 << 10) ? sms / 4
                                                 : sms / 2);
          // Otherwise as what follows: one CTA a row.
          const Variant &alone = variants[2];
          EXPECT_EQ(alone.schedule.getCtasPerRow(), 1);
          EXPECT_EQ(one.getThreadsPerRow(), alone.schedule.getThreadsPerRow());
          EXPECT_EQ(one.getElements(), alone.schedule.getElements());
        }
        ASSERT_EQ(shared, rowBytes >= (4 << 10) ? 2 : 0);
        ASSERT_FALSE(HasFailure());
      }
    }
  // Whoever asks for the same bits whatever the rows has one variant; and what
  // is written in place is read by the CTA that writes it.
  ScheduleRequest request;
  request.batchInvariant = true;
  for (const Variant &variant :
       chooseVariants(parse(forwardText(8192)), target("sm_90"), request))
    EXPECT_EQ(variant.schedule.getCtasPerRow(), 1) << variant.name;
  std::string text = forwardText(8192);
  text.insert(text.find(" {\n"), " may_alias [0]");
  row::KernelOp inPlace = parse(text);
  for (const Variant &variant : chooseVariants(inPlace, target("sm_90"), {}))
    EXPECT_EQ(variant.schedule.getCtasPerRow(), 1) << variant.name;
  EXPECT_EQ(chooseVariants(inPlace, target("sm_90"), {})[0].minRows, 0);
}

// Half as many column CTAs beside few rows, where all of them would leave
// hardly an SM to those: 128 of 132 with H = 8192, and 80 with 2560.
TEST_F(Choice, FewRowsBesideColumnCtas) {
  auto first = [&](int64_t hiddenSize, StringRef chip) {
    return chooseVariants(parse(backwardText(hiddenSize)), target(chip), {})[0];
  };
  Variant few = first(8192, "sm_90");
  EXPECT_EQ(few.name, "few");
  EXPECT_EQ(few.schedule.getColumnSum(), row::ColumnSum::RoleSplit);
  EXPECT_EQ(few.schedule.getSumColumns(), 128);
  EXPECT_LE(few.maxRows, 132 / 2);
  EXPECT_EQ(first(8192, "sm_100").name, "split");
  EXPECT_EQ(first(8192, "sm_100").schedule.getSumColumns(), 64);
  EXPECT_EQ(first(2560, "sm_90").name, "split");
}

// A CTA that walks rows beside those that sum columns is left the registers to
// have all loads of a row on their way: two an SM, one where its threads hold
// 32 elements or it is large, and as many as ptxas finds where it has several
// rows and more than 256 threads.
TEST_F(Choice, RoleSplitBoundsTheCtasOfAnSm) {
  int64_t bounds[3] = {};
  for (int64_t hiddenSize : hiddenSizes()) {
    row::KernelOp kernel = parse(backwardText(hiddenSize));
    for (const Variant &variant : chooseVariants(kernel, target("sm_90"), {})) {
      row::ScheduleAttr one = variant.schedule;
      if (one.getColumnSum() != row::ColumnSum::RoleSplit)
        continue;
      int64_t held = one.getChunks(hiddenSize) * one.getElements();
      int64_t expected = one.getThreads() > 256 && one.getRowsPerCta() > 1 ? 0
                         : held >= 32 || one.getThreads() > 512            ? 1
                                                                           : 2;
      ++bounds[expected];
      ASSERT_EQ(one.getCtasPerSm(), expected)
          << "H = " << hiddenSize << ", " << variant.name;
    }
  }
  for (int64_t count : bounds)
    EXPECT_GT(count, 0);
}

// Of inputs of several widths the widest has a chunk for each access, or
// neighbouring threads would touch every other piece of a line: with 16 bytes
// at a time 4 elements of f32, with 32 bytes 8.
TEST_F(Choice, ChunksOfTheWidestInput) {
  const char *text =
      "row.kernel @kernel hidden 2560 inputs(%g: !row.rows<2560xbf16>, "
      "%n: !row.rows<2560xf32>) outputs(%dx: !row.rows<2560xbf16>, "
      "%dw: !row.columns<2560xf32>) {\n"
      "  %0 = row.load %g : !row.rows<2560xbf16> -> vector<2560xbf16>\n"
      "  %1 = row.load %n : !row.rows<2560xf32> -> vector<2560xf32>\n"
      "  %2 = arith.extf %0 : vector<2560xbf16> to vector<2560xf32>\n"
      "  row.store %0, %dx : vector<2560xbf16>, !row.rows<2560xbf16>\n"
      "  row.accumulate %2, %1 into %dw : vector<2560xf32>, "
      "!row.columns<2560xf32>\n}\n";
  row::KernelOp kernel = parse(text);
  for (auto [chip, elements, bytes] :
       {std::tuple<const char *, int64_t, int64_t>{"sm_90", 4, 16},
        {"sm_100", 8, 32}}) {
    SCOPED_TRACE(chip);
    int64_t count = 0;
    for (const Variant &variant : chooseVariants(kernel, target(chip), {})) {
      row::ScheduleAttr one = variant.schedule;
      if (one.getStrided() || one.getColumnSum() != row::ColumnSum::Partials)
        continue;
      ++count;
      EXPECT_EQ(one.getElements(), elements) << variant.name;
      EXPECT_EQ(one.getAccessBytes(), bytes) << variant.name;
      // 32 bytes of the widest input on the way for each thread.
      EXPECT_EQ(one.getChunks(2560) * one.getElements(), 8) << variant.name;
    }
    EXPECT_EQ(count, 2);
    bool offered = false;
    for (row::ScheduleAttr one : enumerateSchedules(kernel, target(chip)))
      offered |= one.getColumnSum() == row::ColumnSum::Partials &&
                 one.getElements() == 4 && one.getAccessBytes() == 16;
    EXPECT_TRUE(offered);
  }
  // Where all are of one width, all accesses of a chunk are one.
  for (const Variant &variant :
       chooseVariants(parse(backwardText(2560)), target("sm_90"), {}))
    if (variant.name == "many")
      EXPECT_EQ(variant.schedule.getElements(), 8);
}

// Threads go by the bytes of a row, also where chunks are narrow: an odd row
// takes no more than the even ones beside it, in whole warps.
TEST_F(Choice, ThreadsOfARowGoByItsBytes) {
  for (int64_t hiddenSize : {129, 1025, 2049, 2559, 4097, 8191, 16383}) {
    auto threads = [&](int64_t size) {
      return chooseVariants(parse(forwardText(size)), target("sm_90"), {})[0]
          .schedule.getThreadsPerRow();
    };
    SCOPED_TRACE(hiddenSize);
    int64_t rowBytes = 2 * hiddenSize;
    int64_t most = rowBytes > (16 << 10)  ? 512
                   : rowBytes > (5 << 10) ? 256
                                          : llvm::divideCeil(rowBytes, 16);
    EXPECT_LE(threads(hiddenSize), llvm::alignTo(most, 32));
    EXPECT_GT(2 * threads(hiddenSize), most);
  }
}

// Row loads stream where a launch moves from a quarter of what the L2 holds on
// to 1.1 times that, and nowhere else.
TEST_F(Choice, ForwardStreamsAboutTheL2) {
  for (int64_t hiddenSize : {128, 1000, 2048, 4096, 7168, 16384}) {
    row::KernelOp kernel = parse(forwardText(hiddenSize));
    for (StringRef chip : {"sm_90", "sm_100", "sm_120"}) {
      // Two bytes in, two bytes out.
      double l2Rows = target(chip).l2Bytes / (4.0 * hiddenSize);
      for (const Variant &variant : chooseVariants(kernel, target(chip), {})) {
        SCOPED_TRACE(
            ("H = " + Twine(hiddenSize) + ", " + variant.name + " on " + chip)
                .str());
        row::ScheduleAttr one = variant.schedule;
        EXPECT_EQ(one.getStores(), one.getLoads());
        if (one.getStrided()) {
          EXPECT_EQ(one.getLoads(), row::CachePolicy::Plain);
          continue;
        }
        bool streams =
            variant.minRows > l2Rows / 4 - 1 && variant.maxRows <= 1.1 * l2Rows;
        EXPECT_EQ(one.getLoads() == row::CachePolicy::Streaming, streams);
        if (streams) {
          EXPECT_LE(variant.minRows, l2Rows / 4 + 1);
          EXPECT_GT(variant.maxRows + 1, 1.1 * l2Rows);
        }
      }
    }
  }
}

// Accumulators stay in registers wherever a row ahead fits beside them.
TEST_F(Choice, SharedAccumulatorsAreTheLastResort) {
  int64_t shared = 0, all = 0;
  for (int64_t hiddenSize : hiddenSizes()) {
    row::KernelOp kernel = parse(backwardText(hiddenSize));
    for (const Variant &variant : chooseVariants(kernel, target("sm_90"), {})) {
      row::ScheduleAttr one = variant.schedule;
      if (one.getColumnSum() != row::ColumnSum::Partials)
        continue;
      ++all;
      if (one.getAccumulators() != row::Accumulators::Shared)
        continue;
      ++shared;
      // What costs less has been given up.
      EXPECT_EQ(one.getColumnLoad(), row::ColumnLoad::Late);
      EXPECT_EQ(one.getRowsPerCta(), 1);
    }
  }
  EXPECT_GT(shared, 0);
  EXPECT_LT(shared, all / 2);
}

// The same request gives the same answer: packages are reproducible.
TEST_F(Choice, IsDeterministic) {
  row::KernelOp kernel = parse(backwardText(2560));
  SmallVector<Variant> first = chooseVariants(kernel, target("sm_90"), {});
  SmallVector<Variant> second = chooseVariants(kernel, target("sm_90"), {});
  ASSERT_EQ(first.size(), second.size());
  for (auto [lhs, rhs] : llvm::zip_equal(first, second)) {
    EXPECT_EQ(lhs.name, rhs.name);
    EXPECT_EQ(lhs.minRows, rhs.minRows);
    EXPECT_EQ(lhs.maxRows, rhs.maxRows);
    EXPECT_EQ(lhs.schedule, rhs.schedule);
  }
}

//===----------------------------------------------------------------------===//
// Schedules that are given, and all of them
//===----------------------------------------------------------------------===//

namespace {
using Forced = KernelTest;
using Enumerate = KernelTest;
using SplitIntoVariants = KernelTest;
} // namespace

TEST_F(Forced, ReplacesTheDenseVariants) {
  row::KernelOp kernel = parse(forwardText(2048));
  ScheduleRequest request;
  request.forced = {schedule("threads_per_row=128,elements=8,access_bytes=16")};
  SmallVector<Variant> variants =
      chooseVariants(kernel, target("sm_90"), request);
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[0].name, "forced");
  EXPECT_EQ(variants[0].schedule, request.forced[0]);
  EXPECT_EQ(variants[0].minRows, 0);
  EXPECT_EQ(variants[0].maxRows, allRows);
  EXPECT_EQ(variants[1].name, "strided");
  EXPECT_EQ(variants[2].name, "any");
}

TEST_F(Forced, SeveralAreNumbered) {
  row::KernelOp kernel = parse(forwardText(2048));
  ScheduleRequest request;
  request.forced = {schedule("threads_per_row=128,elements=8,access_bytes=16"),
                    schedule("threads_per_row=256,elements=8,access_bytes=16")};
  SmallVector<Variant> variants =
      chooseVariants(kernel, target("sm_90"), request);
  ASSERT_EQ(variants.size(), 4u);
  EXPECT_EQ(variants[0].name, "s0");
  EXPECT_EQ(variants[0].schedule, request.forced[0]);
  EXPECT_EQ(variants[1].name, "s1");
  EXPECT_EQ(variants[1].schedule, request.forced[1]);
}

TEST_F(Enumerate, AllFitAndAreDistinct) {
  // What cannot be is left out in silence.
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  for (int64_t hiddenSize : {1, 7, 128, 2048, 2049, 2560, 5120, 16383, 16384})
    for (const std::string &text :
         {forwardText(hiddenSize), backwardText(hiddenSize),
          forwardText(hiddenSize, {"f32", "f32", "f32"}),
          backwardText(hiddenSize, {"f32", "f32", "f32"})}) {
      row::KernelOp kernel = parse(text);
      for (StringRef chip : {"sm_90", "sm_100", "sm_120"}) {
        SCOPED_TRACE(("H = " + Twine(hiddenSize) + " on " + chip).str());
        SmallVector<row::ScheduleAttr> all =
            enumerateSchedules(kernel, target(chip));
        EXPECT_FALSE(all.empty());
        DenseSet<Attribute> distinct;
        for (row::ScheduleAttr one : all) {
          std::string text;
          llvm::raw_string_ostream(text) << one;
          EXPECT_EQ(schedule(text), one);
          EXPECT_EQ(verify(kernel, one, chip), "") << text;
          EXPECT_TRUE(distinct.insert(one).second) << text;
          EXPECT_FALSE(one.getStrided()) << text;
        }
        EXPECT_EQ(enumerateSchedules(kernel, target(chip)), all);
        EXPECT_EQ(messages, "");
        ASSERT_FALSE(HasFailure());
      }
    }
}

// The rules are judged by what is measured.
TEST_F(Enumerate, HoldsWhatTheRulesChoose) {
  for (int64_t hiddenSize : {128, 1000, 2560, 16384})
    for (const std::string &text :
         {forwardText(hiddenSize), backwardText(hiddenSize)}) {
      row::KernelOp kernel = parse(text);
      SmallVector<row::ScheduleAttr> all =
          enumerateSchedules(kernel, target("sm_90"));
      for (const Variant &variant : chooseVariants(kernel, target("sm_90"), {}))
        EXPECT_NE(variant.schedule.getStrided(),
                  llvm::is_contained(all, variant.schedule))
            << variant.name;
    }
}

// Each way to sum columns is among them, and the widest access of the chip.
TEST_F(Enumerate, CoversTheSpace) {
  row::KernelOp kernel = parse(backwardText(2560));
  SmallVector<row::ScheduleAttr> all =
      enumerateSchedules(kernel, target("sm_100"));
  auto any = [&](llvm::function_ref<bool(row::ScheduleAttr)> holds) {
    return llvm::any_of(all, holds);
  };
  for (row::ColumnSum sum :
       {row::ColumnSum::Partials, row::ColumnSum::RoleSplit})
    EXPECT_TRUE(any([&](auto one) { return one.getColumnSum() == sum; }));
  for (int64_t bytes : {8, 16, 32})
    EXPECT_TRUE(any([&](auto one) { return one.getAccessBytes() == bytes; }));
  for (row::CachePolicy policy :
       {row::CachePolicy::Plain, row::CachePolicy::Streaming})
    EXPECT_TRUE(any([&](auto one) { return one.getLoads() == policy; }));
  for (int64_t rows : {0, 1, 2})
    EXPECT_TRUE(any([&](auto one) { return one.getPrefetchRows() == rows; }));
}

// Several CTAs for a row that has threads enough for them, but none of what is
// written in place.
TEST_F(Enumerate, OffersCtasThatShareARow) {
  auto counts = [&](const std::string &text) {
    SmallVector<int64_t> counts(9, 0);
    for (row::ScheduleAttr one :
         enumerateSchedules(parse(text), target("sm_90"))) {
      ++counts[one.getCtasPerRow()];
      if (one.getCtasPerRow() > 1) {
        EXPECT_GE(one.getThreadsPerRow(), 256);
        EXPECT_EQ(one.getCtasPerSm(), 1);
      }
    }
    return counts;
  };
  SmallVector<int64_t> shared = counts(forwardText(8192));
  EXPECT_GT(shared[2], 0);
  EXPECT_EQ(shared[2], shared[4]);
  EXPECT_EQ(counts(forwardText(128))[2], 0);
  EXPECT_EQ(counts(backwardText(8192))[2], 0);
  std::string text = forwardText(8192);
  text.insert(text.find(" {\n"), " may_alias [0]");
  EXPECT_EQ(counts(text)[2] + counts(text)[4], 0);
}

// Rows that share a CTA cannot share accumulators: what the schedule's own
// verifier refuses is not offered.
TEST_F(Enumerate, SharesNoAccumulatorsBetweenRows) {
  for (int64_t hiddenSize : {1, 64, 512}) {
    row::KernelOp kernel = parse(backwardText(hiddenSize, {}, 4));
    for (row::ScheduleAttr one : enumerateSchedules(kernel, target("sm_90")))
      if (one.getRowsPerCta() > 1)
        EXPECT_EQ(one.getAccumulators(), row::Accumulators::Registers);
  }
}

// What writes over an input that columns are summed from is not offered.
TEST_F(Enumerate, OffersNoRoleSplitInPlace) {
  std::string text = backwardText(256, {"f32", "f32", "f32"});
  text.insert(text.find(" {\n"), " may_alias [0, -1]");
  row::KernelOp kernel = parse(text);
  for (row::ScheduleAttr one : enumerateSchedules(kernel, target("sm_90")))
    EXPECT_NE(one.getColumnSum(), row::ColumnSum::RoleSplit);
  for (const Variant &variant : chooseVariants(kernel, target("sm_90"), {}))
    EXPECT_NE(variant.schedule.getColumnSum(), row::ColumnSum::RoleSplit);
}

TEST_F(SplitIntoVariants, ClonesTheKernel) {
  row::KernelOp kernel = parse(forwardText(2048));
  auto module = kernel->getParentOfType<ModuleOp>();
  SmallVector<Variant> variants = {
      {"a", 0, 9, schedule("threads_per_row=256,elements=8,access_bytes=16")},
      {"b", 10, 99,
       schedule("threads_per_row=128,elements=8,access_bytes=16")}};
  ASSERT_TRUE(succeeded(splitIntoVariants(kernel, variants, target("sm_90"))));
  auto kernels = llvm::to_vector(module.getOps<row::KernelOp>());
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].getSymName(), "kernel_a");
  EXPECT_EQ(kernels[0].getProgramName(), "kernel");
  EXPECT_EQ(kernels[0].getVariant(), "a");
  EXPECT_EQ(kernels[1].getSymName(), "kernel_b");
  EXPECT_EQ(static_cast<int64_t>(kernels[1].getMinRows()), 10);
  EXPECT_EQ(static_cast<int64_t>(kernels[1].getMaxRows()), 99);
  EXPECT_EQ(kernels[1].getScheduleAttr(), variants[1].schedule);
}

// Where one does not fit, nothing is changed.
TEST_F(SplitIntoVariants, AllOrNothing) {
  row::KernelOp kernel = parse(forwardText(2048));
  auto module = kernel->getParentOfType<ModuleOp>();
  SmallVector<Variant> variants = {
      {"a", 0, 9, schedule("threads_per_row=256,elements=8,access_bytes=16")},
      {"b", 10, 99,
       schedule("threads_per_row=128,elements=16,access_bytes=32")}};
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  EXPECT_TRUE(failed(splitIntoVariants(kernel, variants, target("sm_90"))));
  auto kernels = llvm::to_vector(module.getOps<row::KernelOp>());
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].getSymName(), "kernel");
  EXPECT_FALSE(kernels[0].getScheduleAttr());
}
