//===-- LaunchPlanTest.cpp - launches, workspace, limits --------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Target/LaunchPlan.h"
#include "Kernels.h"

using namespace mlir;
using namespace rmsc;
using namespace rmsc::test;

namespace {
using PlanLaunches = KernelTest;
using VerifySchedule = KernelTest;
using RoleSplitObstacle = KernelTest;
using SharedBytes = KernelTest;
} // namespace

//===----------------------------------------------------------------------===//
// Launch plans
//===----------------------------------------------------------------------===//

TEST_F(PlanLaunches, OneShot) {
  row::KernelOp kernel = parse(
      forwardText(2048), "threads_per_row=256,elements=8,access_bytes=16");
  LaunchPlan plan = planLaunches(kernel, target("sm_90"));
  ASSERT_EQ(plan.launches.size(), 1u);
  const Launch &launch = plan.launches[0];
  EXPECT_EQ(launch.entry, "kernel");
  EXPECT_EQ(launch.block, 256);
  EXPECT_EQ(launch.rowsPerCta, 1);
  EXPECT_EQ(launch.ctasPerRow, 1);
  EXPECT_EQ(launch.maxCtas, 0);
  EXPECT_EQ(launch.extraCtas, 0);
  EXPECT_EQ(launch.cluster, 1);
  EXPECT_EQ(launch.dynamicSharedBytes, 0);
  EXPECT_FALSE(launch.dependent);
  EXPECT_FALSE(launch.waits);
  EXPECT_EQ(plan.workspaceBytes, 0);
  EXPECT_EQ(plan.workspaceBytesPerCta, 0);
  EXPECT_FALSE(plan.strided);
}

TEST_F(PlanLaunches, SeveralRowsACta) {
  row::KernelOp kernel =
      parse(forwardText(128),
            "threads_per_row=16,rows_per_cta=8,elements=8,access_bytes=16");
  LaunchPlan plan = planLaunches(kernel, target("sm_90"));
  ASSERT_EQ(plan.launches.size(), 1u);
  EXPECT_EQ(plan.launches[0].block, 128);
  EXPECT_EQ(plan.launches[0].rowsPerCta, 8);
}

TEST_F(PlanLaunches, SeveralCtasARow) {
  row::KernelOp kernel =
      parse(forwardText(2048),
            "threads_per_row=256,ctas_per_row=4,elements=8,access_bytes=16");
  LaunchPlan plan = planLaunches(kernel, target("sm_90"));
  ASSERT_EQ(plan.launches.size(), 1u);
  EXPECT_EQ(plan.launches[0].block, 256);
  EXPECT_EQ(plan.launches[0].rowsPerCta, 1);
  EXPECT_EQ(plan.launches[0].ctasPerRow, 4);
  EXPECT_EQ(plan.launches[0].maxCtas, 0);
  EXPECT_EQ(plan.launches[0].cluster, 1);
}

// The grid comes from the table's number of multiprocessors, never from a
// device.
TEST_F(PlanLaunches, Persistent) {
  row::KernelOp kernel =
      parse(forwardText(2048), "threads_per_row=256,elements=8,access_bytes=16,"
                               "grid=persistent,ctas_per_sm=3");
  EXPECT_EQ(planLaunches(kernel, target("sm_90")).launches[0].maxCtas, 3 * 132);
  EXPECT_EQ(planLaunches(kernel, target("sm_100")).launches[0].maxCtas,
            3 * 148);
}

TEST_F(PlanLaunches, DependentLaunch) {
  row::KernelOp kernel =
      parse(forwardText(2048), "threads_per_row=256,elements=8,access_bytes=16,"
                               "dependent_launch=true");
  LaunchPlan plan = planLaunches(kernel, target("sm_90"));
  EXPECT_TRUE(plan.launches[0].waits);
  // That it is launched ahead of the end of another grid is the caller's wish.
  EXPECT_FALSE(plan.launches[0].dependent);
}

// CTAs of their own beside those that walk rows, in one launch, and no
// workspace. The last slab of columns may be a part of one.
TEST_F(PlanLaunches, RoleSplit) {
  row::KernelOp kernel = parse(backwardText(2568),
                               "threads_per_row=352,elements=8,access_bytes=16,"
                               "column_sum=role_split,sum_columns=32");
  LaunchPlan plan = planLaunches(kernel, target("sm_90"));
  ASSERT_EQ(plan.launches.size(), 1u);
  EXPECT_EQ(plan.launches[0].block, 352);
  EXPECT_EQ(plan.launches[0].rowsPerCta, 1);
  EXPECT_EQ(plan.launches[0].maxCtas, 0);
  EXPECT_EQ(plan.launches[0].extraCtas, 81);
  EXPECT_EQ(plan.workspaceBytes, 0);
  EXPECT_EQ(plan.workspaceBytesPerCta, 0);
}

// A second launch whose grid depends on the columns alone, so that it also runs
// (and stores zeros) where there is no row; a workspace that is bounded by the
// first launch's grid.
TEST_F(PlanLaunches, Partials) {
  row::KernelOp kernel = parse(backwardText(2560),
                               "threads_per_row=320,elements=8,access_bytes=16,"
                               "grid=persistent,ctas_per_sm=2,column_sum="
                               "partials,sum_columns=64,sum_threads=512");
  LaunchPlan plan = planLaunches(kernel, target("sm_90"));
  ASSERT_EQ(plan.launches.size(), 2u);
  EXPECT_EQ(plan.launches[0].entry, "kernel");
  EXPECT_EQ(plan.launches[0].maxCtas, 2 * 132);
  EXPECT_EQ(plan.launches[0].extraCtas, 0);
  EXPECT_FALSE(plan.launches[0].dependent);
  const Launch &sum = plan.launches[1];
  EXPECT_EQ(sum.entry, "kernel_sum");
  EXPECT_EQ(sum.block, 512);
  EXPECT_EQ(sum.rowsPerCta, 0);
  EXPECT_EQ(sum.maxCtas, 0);
  EXPECT_EQ(sum.extraCtas, 40);
  EXPECT_TRUE(sum.dependent);
  EXPECT_TRUE(sum.waits);
  EXPECT_EQ(plan.workspaceBytes, 0);
  EXPECT_EQ(plan.workspaceBytesPerCta, 2560 * 4);
}

// A chip without dependent launch gets neither the attribute nor the wait.
TEST_F(PlanLaunches, PartialsWithoutDependentLaunch) {
  row::KernelOp kernel =
      parse(backwardText(64), "threads_per_row=32,elements=2,access_bytes=4,"
                              "grid=persistent,ctas_per_sm=1,column_sum="
                              "partials,sum_columns=32,sum_threads=32");
  TargetInfo old = target("sm_90");
  old.dependentLaunch = false;
  LaunchPlan plan = planLaunches(kernel, old);
  ASSERT_EQ(plan.launches.size(), 2u);
  EXPECT_FALSE(plan.launches[1].dependent);
  EXPECT_FALSE(plan.launches[1].waits);
}

// A CTA has one partial sum for each accumulator, however many rows it works on
// at once.
TEST_F(PlanLaunches, WorkspaceOfAccumulators) {
  row::KernelOp kernel =
      parse(backwardText(64, {}, /*accumulators=*/3),
            "threads_per_row=8,rows_per_cta=4,elements=8,access_bytes=16,grid="
            "persistent,ctas_per_sm=1,column_sum=partials,sum_columns=16,"
            "sum_threads=128");
  LaunchPlan plan = planLaunches(kernel, target("sm_90"));
  EXPECT_EQ(plan.workspaceBytesPerCta, 3 * 64 * 4);
  EXPECT_EQ(plan.launches[1].extraCtas, 4);
}

// Accumulators in shared memory: four bytes for each element of each thread,
// also of those that reach beyond the row.
TEST_F(PlanLaunches, SharedAccumulators) {
  auto plan = [&](std::string fields) {
    return planLaunches(
        parse(backwardText(2568, {}, /*accumulators=*/2),
              ("threads_per_row=64,elements=8,access_bytes=16,grid=persistent,"
               "ctas_per_sm=1,column_sum=partials,sum_columns=16,"
               "sum_threads=128" +
               fields)
                  .c_str()),
        target("sm_90"));
  };
  LaunchPlan shared = plan(",accumulators=shared");
  EXPECT_EQ(shared.launches[0].dynamicSharedBytes, 2 * 64 * 6 * 8 * 4);
  EXPECT_EQ(shared.launches[1].dynamicSharedBytes, 0);
  EXPECT_EQ(shared.workspaceBytesPerCta, 2 * 2568 * 4);
  EXPECT_EQ(plan("").launches[0].dynamicSharedBytes, 0);
}

// The alignment of a pointer is the width of its accesses: for rows and columns
// by their own element type, for scalars one element.
TEST_F(PlanLaunches, Alignments) {
  const char *text =
      "row.kernel @kernel hidden 64 inputs(%a: !row.rows<64xbf16>, "
      "%b: !row.rows<64xf32>, %c: !row.columns<64xf16>, %d: !row.scalars<f32>) "
      "outputs(%e: !row.rows<64xf32>) {\n"
      "  %0 = row.load %b : !row.rows<64xf32> -> vector<64xf32>\n"
      "  row.store %0, %e : vector<64xf32>, !row.rows<64xf32>\n}\n";
  auto alignments = [&](const char *fields) {
    return planLaunches(parse(text, fields), target("sm_100")).alignments;
  };
  using Bytes = SmallVector<int64_t>;
  EXPECT_EQ(alignments("threads_per_row=32,elements=8,access_bytes=16"),
            Bytes({16, 16, 16, 4, 16}));
  // A chunk of 4 elements of bf16 is 8 bytes.
  EXPECT_EQ(alignments("threads_per_row=32,elements=4,access_bytes=16"),
            Bytes({8, 16, 8, 4, 16}));
  EXPECT_EQ(alignments("threads_per_row=32,elements=16,access_bytes=32"),
            Bytes({32, 32, 32, 4, 32}));
  EXPECT_EQ(alignments("threads_per_row=64,elements=1,access_bytes=1"),
            Bytes({2, 4, 2, 4, 4}));
}

TEST_F(PlanLaunches, Strided) {
  row::KernelOp kernel =
      parse(forwardText(2048), "threads_per_row=256,elements=8,access_bytes=16,"
                               "strided=true");
  EXPECT_TRUE(planLaunches(kernel, target("sm_90")).strided);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

TEST_F(VerifySchedule, AcceptsWhatFits) {
  row::KernelOp kernel = parse(forwardText(2048));
  EXPECT_EQ(verify(kernel,
                   schedule("threads_per_row=256,elements=8,access_bytes=16"),
                   "sm_90"),
            "");
  // At each limit: 64 elements a thread, 2048 threads, 32 CTAs.
  EXPECT_EQ(verify(kernel,
                   schedule("threads_per_row=32,elements=8,access_bytes=16"),
                   "sm_90"),
            "");
  EXPECT_EQ(verify(kernel,
                   schedule("threads_per_row=1024,elements=2,access_bytes=4,"
                            "ctas_per_sm=2"),
                   "sm_90"),
            "");
  EXPECT_EQ(verify(kernel,
                   schedule("threads_per_row=64,elements=8,access_bytes=16,"
                            "ctas_per_sm=32"),
                   "sm_90"),
            "");
}

TEST_F(VerifySchedule, AccessWidth) {
  row::KernelOp kernel = parse(forwardText(2048));
  row::ScheduleAttr wide =
      schedule("threads_per_row=128,elements=16,access_bytes=32");
  EXPECT_EQ(verify(kernel, wide, "sm_90"),
            "accesses of 32 bytes are wider than the 16 bytes of sm_90; lower "
            "access_bytes");
  EXPECT_EQ(verify(kernel, wide, "sm_100"), "");
}

TEST_F(VerifySchedule, Elements) {
  EXPECT_EQ(verify(parse(forwardText(2052)),
                   schedule("threads_per_row=288,elements=8,access_bytes=16"),
                   "sm_90"),
            "hidden size 2052 is not divisible by elements = 8");
}

TEST_F(VerifySchedule, ElementsOfAThread) {
  EXPECT_EQ(verify(parse(forwardText(2056)),
                   schedule("threads_per_row=32,elements=8,access_bytes=16"),
                   "sm_90"),
            "a thread would hold 72 elements of a row of 2056, and at most 64 "
            "fit its registers; raise threads_per_row");
}

TEST_F(VerifySchedule, Threads) {
  row::KernelOp kernel = parse(forwardText(2048));
  row::ScheduleAttr two =
      schedule("threads_per_row=1024,elements=2,access_bytes=4,ctas_per_sm=2");
  EXPECT_EQ(verify(kernel, two, "sm_90"), "");
  EXPECT_EQ(verify(kernel, two, "sm_120"),
            "2 CTAs of 1024 threads do not fit an SM of sm_120, which holds "
            "1536 threads; lower ctas_per_sm");
}

TEST_F(VerifySchedule, Ctas) {
  EXPECT_EQ(verify(parse(forwardText(2048)),
                   schedule("threads_per_row=32,elements=8,access_bytes=16,"
                            "ctas_per_sm=25"),
                   "sm_120"),
            "25 CTAs do not fit an SM of sm_120, which holds 24; lower "
            "ctas_per_sm");
}

TEST_F(VerifySchedule, DependentLaunch) {
  row::KernelOp kernel = parse(forwardText(2048));
  row::ScheduleAttr waits = schedule(
      "threads_per_row=256,elements=8,access_bytes=16,dependent_launch=true");
  TargetInfo old = target("sm_90");
  old.dependentLaunch = false;
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(
      verifySchedule(kernel, waits, old, [&] { return kernel.emitError(); })));
  EXPECT_EQ(message, "sm_90 has no dependent launch");
}

TEST_F(VerifySchedule, ColumnSums) {
  row::ScheduleAttr none =
      schedule("threads_per_row=32,elements=8,access_bytes=16");
  row::ScheduleAttr split = schedule("threads_per_row=32,elements=8,"
                                     "access_bytes=16,column_sum=role_split,"
                                     "sum_columns=32");
  EXPECT_EQ(verify(parse(forwardText(256)), split, "sm_90"),
            "the kernel accumulates nothing along columns; drop column_sum");
  EXPECT_EQ(verify(parse(forwardText(256)), none, "sm_90"), "");
  EXPECT_EQ(verify(parse(backwardText(256)), none, "sm_90"),
            "the kernel accumulates along columns; say how with column_sum");
  EXPECT_EQ(verify(parse(backwardText(256)), split, "sm_90"), "");
}

// A CTA writes its part of a row while the others may still read all of it.
TEST_F(VerifySchedule, CtasOfARowInPlace) {
  row::ScheduleAttr two =
      schedule("threads_per_row=256,ctas_per_row=2,elements=8,access_bytes=16");
  std::string text = forwardText(2048);
  EXPECT_EQ(verify(parse(text), two, "sm_90"), "");
  text.insert(text.find(" {\n"), " may_alias [0]");
  row::KernelOp kernel = parse(text);
  EXPECT_EQ(verify(kernel, two, "sm_90"),
            "input #0, which several CTAs would read whole, may share its "
            "buffer with an output; drop ctas_per_row");
  EXPECT_EQ(verify(kernel,
                   schedule("threads_per_row=256,elements=8,access_bytes=16"),
                   "sm_90"),
            "");
}

TEST_F(VerifySchedule, SharedMemory) {
  EXPECT_EQ(
      verify(parse(backwardText(512)),
             schedule("threads_per_row=32,rows_per_cta=32,elements=16,access_"
                      "bytes=32,column_sum=role_split,sum_columns=32"),
             "sm_100"),
      "a CTA would need 67584 bytes of shared memory, and at most 49152 can be "
      "declared; lower the threads of a CTA, or elements, or raise "
      "sum_columns");
}

// A CTA's accumulators must fit the chip's shared memory, and those of all CTAs
// of an SM too.
TEST_F(VerifySchedule, SharedAccumulators) {
  auto fields = [&](int64_t ctas) {
    return schedule(("threads_per_row=1024,elements=8,access_bytes=16,grid="
                     "persistent,column_sum=partials,accumulators=shared,"
                     "sum_columns=16,sum_threads=128,ctas_per_sm=" +
                     std::to_string(ctas))
                        .c_str());
  };
  auto verifyOn = [&](const char *chip, int64_t accumulators, int64_t ctas) {
    return verify(parse(backwardText(16384, {}, accumulators)), fields(ctas),
                  chip);
  };
  // Beside 64 KB for each accumulator, a float for each of 32 warps that reduce
  // a row, twice. The second launch has CTAs of its own.
  std::string two = std::to_string(2 * (64 << 10) + 2 * 32 * 4);
  EXPECT_EQ(verifyOn("sm_90", 3, 1), "");
  EXPECT_EQ(verifyOn("sm_120", 1, 1), "");
  EXPECT_EQ(verifyOn("sm_120", 2, 1),
            "a CTA would need " + two +
                " bytes of shared memory, and one on sm_120 can have 101376; "
                "use accumulators = registers");
  EXPECT_EQ(verifyOn("sm_90", 1, 2), "");
  EXPECT_EQ(
      verifyOn("sm_90", 2, 2),
      "2 CTAs with " + two +
          " bytes of shared memory each do not fit an "
          "SM of sm_90, which holds 233472 bytes; lower ctas_per_sm or use "
          "accumulators = registers");
}

//===----------------------------------------------------------------------===//
// Column sums by CTAs of their own
//===----------------------------------------------------------------------===//

TEST_F(RoleSplitObstacle, NoneForInputs) {
  EXPECT_EQ(roleSplitObstacle(parse(backwardText(256))), "");
  EXPECT_EQ(roleSplitObstacle(parse(forwardText(256))), "");
}

TEST_F(RoleSplitObstacle, Reduction) {
  EXPECT_EQ(roleSplitObstacle(parse(
                "row.kernel @kernel hidden 8 inputs(%x: !row.rows<8xf32>) "
                "outputs(%s: !row.columns<8xf32>) {\n"
                "  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>\n"
                "  %1 = row.reduce <max> %0 : vector<8xf32>\n"
                "  %2 = vector.broadcast %1 : f32 to vector<8xf32>\n"
                "  %3 = arith.divf %0, %2 : vector<8xf32>\n"
                "  row.accumulate %0, %3 into %s : vector<8xf32>, "
                "!row.columns<8xf32>\n}\n")),
            "a reduction along the row enters what is summed along columns");
}

TEST_F(RoleSplitObstacle, WrittenInPlace) {
  auto text = [](const char *mayAlias) {
    return std::string(
               "row.kernel @kernel hidden 8 inputs(%r: "
               "!row.rows<8xf32>, %x: !row.rows<8xf32>) outputs(%y: "
               "!row.rows<8xf32>, %s: !row.columns<8xf32>) may_alias [") +
           mayAlias +
           ", -1] {\n"
           "  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>\n"
           "  %1 = row.load %r : !row.rows<8xf32> -> vector<8xf32>\n"
           "  row.store %1, %y : vector<8xf32>, !row.rows<8xf32>\n"
           "  row.accumulate %0, %0 into %s : vector<8xf32>, "
           "!row.columns<8xf32>\n}\n";
  };
  EXPECT_EQ(roleSplitObstacle(parse(text("1"))),
            "input #1, which it would read, may share its buffer with an "
            "output");
  // What the columns do not need may be written over.
  EXPECT_EQ(roleSplitObstacle(parse(text("0"))), "");
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST_F(SharedBytes, OfReductions) {
  auto bytes = [&](const std::string &text, const char *fields) {
    return sharedBytes(parse(text), schedule(fields));
  };
  // Inside a warp: none.
  EXPECT_EQ(
      bytes(forwardText(256), "threads_per_row=32,elements=8,access_bytes=16"),
      0);
  // A float for each of eight warps, twice.
  EXPECT_EQ(bytes(forwardText(2048),
                  "threads_per_row=256,elements=8,access_bytes=16"),
            2 * 8 * 4);
  // Three warps take the room of four, for each of two rows.
  EXPECT_EQ(bytes(forwardText(768), "threads_per_row=96,rows_per_cta=2,"
                                    "elements=8,access_bytes=16"),
            2 * 2 * 4 * 4);
}

TEST_F(SharedBytes, OfColumnSums) {
  // 64 threads for 8 chunks: eight lanes of 64 columns and one float between.
  EXPECT_EQ(sharedBytes(parse(backwardText(256)),
                        schedule("threads_per_row=32,rows_per_cta=2,elements=8,"
                                 "access_bytes=16,column_sum=role_split,"
                                 "sum_columns=64")),
            8 * 65 * 4);
  // The launch that needs more: here the second one. Of 128 threads, each with
  // four columns, 16 share the same ones.
  EXPECT_EQ(sharedBytes(parse(backwardText(2048)),
                        schedule("threads_per_row=256,elements=8,access_bytes="
                                 "16,grid=persistent,ctas_per_sm=1,column_sum="
                                 "partials,sum_columns=32,sum_threads=128")),
            16 * 33 * 4);
}

// The second launch loads as many neighbouring partial sums at once as divide
// the hidden size, so that those of every row of the workspace are aligned.
TEST_F(SharedBytes, OfTheSecondLaunchByItsWidth) {
  row::ScheduleAttr sums =
      schedule("threads_per_row=64,elements=1,access_bytes=1,grid=persistent,"
               "ctas_per_sm=1,column_sum=partials,sum_columns=16,"
               "sum_threads=512");
  struct {
    int64_t hiddenSize, width;
  } cases[] = {{64, 4}, {62, 2}, {63, 1}, {4, 4}, {2, 2}, {1, 1}};
  for (auto [hiddenSize, width] : cases) {
    SCOPED_TRACE(hiddenSize);
    SumLayout layout(sums, hiddenSize);
    EXPECT_EQ(layout.width, width);
    EXPECT_EQ(layout.lanes, 512 * width / 16);
    EXPECT_EQ(sharedBytes(parse(backwardText(hiddenSize)), sums),
              layout.lanes * 17 * 4);
  }
  // Fewer columns a CTA than an access has floats.
  EXPECT_EQ(SumLayout(schedule("threads_per_row=64,elements=1,access_bytes=1,"
                               "grid=persistent,ctas_per_sm=1,column_sum="
                               "partials,sum_columns=2,sum_threads=32"),
                      64)
                .width,
            2);
}

// What the groups of a CTA add up goes through shared memory in rounds of at
// most 16 KB; a single access of every thread is the least.
TEST_F(SharedBytes, OfGroupsOfThreads) {
  auto bytes = [&](int64_t hiddenSize, std::string fields) {
    return sharedBytes(
        parse(backwardText(hiddenSize)),
        schedule((fields + ",access_bytes=16,grid=persistent,ctas_per_sm=1,"
                           "column_sum=partials,sum_columns=8,sum_threads=32")
                     .c_str()));
  };
  // One warp: its lanes exchange what they hold, and the second launch alone
  // needs shared memory.
  EXPECT_EQ(bytes(64, "threads_per_row=8,rows_per_cta=4,elements=8"),
            bytes(64, "threads_per_row=32,rows_per_cta=1,elements=2"));
  // Four warps, of which 8 lanes each hold 8 floats.
  EXPECT_EQ(bytes(64, "threads_per_row=8,rows_per_cta=16,elements=8"),
            4 * 8 * 8 * 4);
  // Two groups of 64 threads with 8 floats each, beside what the reduction of
  // the row takes.
  EXPECT_EQ(bytes(512, "threads_per_row=64,rows_per_cta=2,elements=8"),
            2 * 64 * 8 * 4 + 2 * 2 * 4 * 4);
  EXPECT_EQ(bytes(16384, "threads_per_row=512,rows_per_cta=2,elements=16"),
            (16 << 10) + 2 * 2 * 16 * 4);
}
