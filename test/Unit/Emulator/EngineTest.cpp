//===-- EngineTest.cpp - launches, scheduling, memory order -----*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include "rmsc/Emulator/Call.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <numeric>
#include <unistd.h>

using namespace rmsc::emulator;
using testing::HasSubstr;

namespace {

const std::string copyBody = R"(
    %x = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    llvm.store %x, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
)";

/// Each thread stores its number into shared memory, the others of its block
/// read it after a barrier, many times over.
const std::string ringGlobal =
    "  llvm.mlir.global internal @ring() {addr_space = 3 : i32} : "
    "!llvm.array<64 x i32>\n";
const std::string ringBody = R"(
    %base = llvm.mlir.addressof @ring : !llvm.ptr<3>
    %one = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %mask = llvm.mlir.constant(63 : i32) : i32
    %rounds = llvm.mlir.constant(50 : i32) : i32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %mine = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %next0 = llvm.add %tid, %one : i32
    %next = llvm.and %next0, %mask : i32
    %theirs = llvm.getelementptr %base[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.br ^loop(%zero, %value : i32, i32)
  ^loop(%round: i32, %carried: i32):
    llvm.store %carried, %mine {alignment = 4 : i64} : i32, !llvm.ptr<3>
    nvvm.barrier
    %got = llvm.load %theirs {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    nvvm.barrier
    %following = llvm.add %round, %one : i32
    %more = llvm.icmp "slt" %following, %rounds : i32
    llvm.cond_br %more, ^loop(%following, %got : i32, i32), ^end(%got : i32)
  ^end(%last: i32):
    llvm.store %last, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
)";

TEST(Engine, BarriersInEveryOrderAndOnSeveralHostThreads) {
  KernelUnderTest kernel(kernelText("i32", "i32", ringBody, ringGlobal));
  std::vector<int32_t> in(64 * 40), out(in.size());
  std::iota(in.begin(), in.end(), 0);
  for (Order order : {Order::Forward, Order::Reverse, Order::Random})
    for (unsigned jobs : {1u, 4u}) {
      RunOptions options;
      options.order = order;
      options.jobs = jobs;
      options.seed = 7;
      std::fill(out.begin(), out.end(), -1);
      Report report = kernel.run(in, out, 40, 64, options);
      EXPECT_TRUE(report.empty()) << toText(report);
      for (int cta = 0; cta < 40; ++cta)
        for (int t = 0; t < 64; ++t)
          ASSERT_EQ(out[cta * 64 + t], cta * 64 + (t + 50) % 64);
    }
}

TEST(Engine, WithoutChecksTheValuesAreTheSame) {
  CompileOptions unchecked;
  unchecked.checks = false;
  KernelUnderTest kernel(kernelText("i32", "i32", ringBody, ringGlobal),
                         unchecked);
  std::vector<int32_t> in(64), out(64);
  std::iota(in.begin(), in.end(), 0);
  EXPECT_TRUE(kernel.run(in, out, 1, 64).empty());
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(out[t], (t + 50) % 64);
}

TEST(Engine, AThreadThatSpinsLetsOthersRun) {
  // Thread 1 of a warp waits in a loop for what thread 0 or 2 does later.
  std::string text =
      kernelText("i32", "i32", R"(
    %base = llvm.mlir.addressof @flag : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %isOne = llvm.icmp "eq" %tid, %one : i32
    %isTwo = llvm.icmp "eq" %tid, %two : i32
    %isZero = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %isZero, ^clear, ^cleared
  ^clear:
    %c = llvm.atomicrmw xchg %base, %one monotonic : !llvm.ptr<3>, i32
    llvm.br ^cleared
  ^cleared:
    llvm.cond_br %isOne, ^spin, ^other
  ^spin:
    %seen = llvm.load %base atomic monotonic {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    %done = llvm.icmp "eq" %seen, %two : i32
    llvm.cond_br %done, ^end, ^spin
  ^other:
    llvm.cond_br %isTwo, ^set, ^end
  ^set:
    %s = llvm.atomicrmw xchg %base, %two monotonic : !llvm.ptr<3>, i32
    llvm.br ^end
  ^end:
    llvm.store %tid, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
)",
                 "  llvm.mlir.global internal @flag() "
                 "{addr_space = 3 : i32} : !llvm.array<1 x i32>\n");
  KernelUnderTest kernel(text);
  std::vector<int32_t> in(32), out(32);
  RunOptions options;
  options.order = Order::Forward;
  Report report = kernel.run(in, out, 1, 32, options);
  // Thread 0 finds the flag unset, which is a fault of its own here.
  for (const Fault &fault : report.faults)
    EXPECT_EQ(fault.kind, FaultKind::UninitializedRead) << fault.str();
  EXPECT_EQ(out[1], 1);
}

TEST(Engine, CountsFaultsOfOnePlaceTogether) {
  KernelUnderTest kernel(kernelText("i32", "i32", R"(
    %one = llvm.mlir.constant(1 : i64) : i64
    %beyond = llvm.getelementptr %from[%one] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %x = llvm.load %beyond {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    llvm.store %x, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
)"));
  std::vector<int32_t> in(32), out(128);
  Report report = kernel.run(in, out, 4, 32);
  ASSERT_EQ(report.faults.size(), 1u) << toText(report);
  const Fault &fault = report.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::OutOfBounds);
  EXPECT_EQ(fault.block, 0);
  EXPECT_EQ(fault.thread, 31);
  EXPECT_EQ(fault.operand, "in");
  EXPECT_EQ(fault.count, 4u);
  EXPECT_THAT(fault.str(), HasSubstr("4 bytes beyond its end"));
}

// Two racing threads on two host threads: one of them sees the other, whichever
// comes first.
TEST(Engine, RacesBetweenHostThreadsAreSeen) {
  KernelUnderTest kernel(kernelText("i32", "i32", R"(
    llvm.store %tid, %out {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.store %tid, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
)"));
  for (int round = 0; round < 20; ++round) {
    std::vector<int32_t> in(8), out(8);
    RunOptions options;
    options.jobs = 2;
    Report report = kernel.run(in, out, 8, 1, options);
    EXPECT_TRUE(report.has(FaultKind::GlobalRace)) << toText(report);
  }
}

TEST(Engine, AtomicsOfManyBlocksAddUp) {
  KernelUnderTest kernel(kernelText("i32", "i32", R"(
    %x = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %old = llvm.atomicrmw add %out, %x monotonic : !llvm.ptr<1>, i32
)"));
  std::vector<int32_t> in(64 * 64, 3), out(1);
  RunOptions options;
  options.jobs = 4;
  Report report = kernel.run(in, out, 64, 64, options);
  // The counter was never set, and nothing else is wrong.
  ASSERT_EQ(report.faults.size(), 1u) << toText(report);
  EXPECT_EQ(report.faults[0].kind, FaultKind::UninitializedRead);
  EXPECT_EQ(out[0], 3 * 64 * 64);
}

TEST(Engine, ClustersExchangeThroughSharedMemory) {
  std::string text =
      kernelText("i32", "i32", R"(
    %base = llvm.mlir.addressof @box : !llvm.ptr<3>
    %one = llvm.mlir.constant(1 : i32) : i32
    %mask = llvm.mlir.constant(3 : i32) : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %next0 = llvm.add %rank, %one : i32
    %next = llvm.and %next0, %mask : i32
    %mine = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %x = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    llvm.store %x, %mine {alignment = 4 : i64} : i32, !llvm.ptr<3>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %remote = nvvm.mapa %mine, %next : !llvm.ptr<3> -> !llvm.ptr<7>
    %y = llvm.load %remote {alignment = 4 : i64} : !llvm.ptr<7> -> i32
    llvm.store %y, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
)",
                 "  llvm.mlir.global internal @box() "
                 "{addr_space = 3 : i32} : !llvm.array<32 x i32>\n");
  KernelUnderTest kernel(text);
  std::vector<int32_t> in(32 * 16), out(in.size());
  std::iota(in.begin(), in.end(), 0);
  for (Order order : {Order::Forward, Order::Reverse, Order::Random}) {
    RunOptions options;
    options.order = order;
    Report report = kernel.run(in, out, 16, 32, options, /*cluster=*/4);
    EXPECT_TRUE(report.empty()) << toText(report);
    for (int cta = 0; cta < 16; ++cta)
      for (int t = 0; t < 32; ++t)
        EXPECT_EQ(out[cta * 32 + t], (cta / 4 * 4 + (cta + 1) % 4) * 32 + t);
  }
}

// A relaxed arrival says that a block is there, and nothing of its memory.
TEST(Engine, RelaxedArrivalsOrderNoMemory) {
  auto text = [](const std::string &relaxed) {
    return kernelText("i32", "i32", R"(
    %base = llvm.mlir.addressof @box : !llvm.ptr<3>
    %one = llvm.mlir.constant(1 : i32) : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %next = llvm.xor %rank, %one : i32
    llvm.store %tid, %base {alignment = 4 : i64} : i32, !llvm.ptr<3>
    nvvm.cluster.arrive)" + relaxed + R"(
    nvvm.cluster.wait
    %remote = nvvm.mapa %base, %next : !llvm.ptr<3> -> !llvm.ptr<7>
    %y = llvm.load %remote {alignment = 4 : i64} : !llvm.ptr<7> -> i32
    llvm.store %y, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
    nvvm.cluster.arrive
    nvvm.cluster.wait
)",
                      "  llvm.mlir.global internal @box() {addr_space = 3 : "
                      "i32} : !llvm.array<1 x i32>\n");
  };
  std::vector<int32_t> in(2), out(2);
  KernelUnderTest ordered(text("")), relaxed(text(".relaxed"));
  EXPECT_TRUE(ordered.run(in, out, 2, 1, {}, 2).empty());
  EXPECT_TRUE(relaxed.run(in, out, 2, 1, {}, 2).has(FaultKind::SharedRace));
}

// All lanes read a word, and after a barrier of the warp one of them writes it:
// no race, but one without the barrier.
TEST(Engine, WarpBarriersOrderReadersAndWriters) {
  auto text = [](const std::string &barrier) {
    return kernelText("i32", "i32", R"(
    %base = llvm.mlir.addressof @box : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %isFirst = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %isFirst, ^set, ^read
  ^set:
    llvm.store %all, %base {alignment = 4 : i64} : i32, !llvm.ptr<3>
    llvm.br ^read
  ^read:
    nvvm.bar.warp.sync %all : i32
    %x = llvm.load %base {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    llvm.store %x, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
)" + barrier + R"(
    llvm.cond_br %isFirst, ^again, ^end
  ^again:
    llvm.store %zero, %base {alignment = 4 : i64} : i32, !llvm.ptr<3>
    llvm.br ^end
  ^end:
)",
                      "  llvm.mlir.global internal @box() {addr_space = 3 : "
                      "i32} : !llvm.array<1 x i32>\n");
  };
  std::vector<int32_t> in(32), out(32);
  KernelUnderTest right(text("    nvvm.bar.warp.sync %all : i32")),
      wrong(text(""));
  for (Order order : {Order::Forward, Order::Reverse, Order::Random}) {
    RunOptions options;
    options.order = order;
    Report report = right.run(in, out, 1, 32, options);
    EXPECT_TRUE(report.empty()) << toText(report);
    EXPECT_TRUE(wrong.run(in, out, 1, 32, options).has(FaultKind::SharedRace));
  }
}

TEST(Engine, ALargeGridOfEmptyBlocksIsQuick) {
  KernelUnderTest kernel(kernelText("i32", "i32", R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %first = llvm.icmp "eq" %i32, %zero : i32
    llvm.cond_br %first, ^store, ^end
  ^store:
    llvm.store %tid, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
)"));
  std::vector<int32_t> in(1), out(1);
  Report report = kernel.run(in, out, 20000, 32);
  EXPECT_TRUE(report.empty()) << toText(report);
}

//===----------------------------------------------------------------------===//
// Mistakes of the caller
//===----------------------------------------------------------------------===//

class LaunchErrors : public testing::Test {
protected:
  LaunchErrors() : kernel(kernelText("i32", "i32", copyBody)) {
    launch.code = kernel.code.get();
    launch.entry = "kernel";
    launch.ctas = 1;
    launch.block = 32;
  }
  std::string messageOf(size_t argumentCount = 2) {
    std::vector<Argument> arguments(argumentCount);
    auto report = rmsc::emulator::run(launch, {}, arguments, {});
    return report ? "" : llvm::toString(report.takeError());
  }
  KernelUnderTest kernel;
  LaunchConfig launch;
};

TEST_F(LaunchErrors, UnknownEntry) {
  launch.entry = "other";
  EXPECT_THAT(messageOf(), HasSubstr("'other': the module holds no kernel"));
}
TEST_F(LaunchErrors, WrongNumberOfArguments) {
  EXPECT_THAT(messageOf(3), HasSubstr("takes 2 arguments, the call has 3"));
}
TEST_F(LaunchErrors, BlockTooLarge) {
  launch.block = 1025;
  EXPECT_THAT(messageOf(), HasSubstr("1 to 1024 threads, not 1025"));
}
TEST_F(LaunchErrors, PartOfACluster) {
  launch.cluster = 2;
  EXPECT_THAT(messageOf(), HasSubstr("no whole clusters of 2"));
}
TEST_F(LaunchErrors, ClusterTooLarge) {
  launch.cluster = 17;
  EXPECT_THAT(messageOf(), HasSubstr("1 to 16 CTAs, not 17"));
}

TEST(LaunchBounds, AreTheKernelsOwn) {
  auto withBound = [](const std::string &attribute) {
    std::string text = kernelText("i32", "i32", copyBody);
    std::string kernel = "nvvm.kernel";
    return text.replace(text.find(kernel), kernel.size(),
                        kernel + ", " + attribute);
  };
  KernelUnderTest atMost(withBound("nvvm.maxntid = array<i32: 64>")),
      exactly(withBound("nvvm.reqntid = array<i32: 64>"));
  LaunchConfig launch;
  launch.entry = "kernel";
  launch.ctas = 1;
  auto message = [&](KernelUnderTest &kernel, unsigned block) {
    launch.code = kernel.code.get();
    launch.block = block;
    int32_t in[64] = {}, out[64];
    Buffer buffers[2];
    for (int i = 0; i < 2; ++i) {
      buffers[i].data = i ? out : in;
      buffers[i].rowBytes = buffers[i].strideBytes = block * 4;
      if (block > 64)
        buffers[i].rows = 0;
    }
    buffers[1].kind = Buffer::Kind::Output;
    Argument arguments[2] = {{reinterpret_cast<uint64_t>(in), 0},
                             {reinterpret_cast<uint64_t>(out), 1}};
    auto report = rmsc::emulator::run(launch, buffers, arguments, {});
    return report ? toText(*report) : llvm::toString(report.takeError());
  };
  EXPECT_EQ(message(atMost, 32), "");
  EXPECT_EQ(message(atMost, 64), "");
  EXPECT_THAT(message(atMost, 96),
              HasSubstr("blocks of 64 threads, not of 96"));
  EXPECT_EQ(message(exactly, 64), "");
  EXPECT_THAT(message(exactly, 32),
              HasSubstr("blocks of 64 threads, not of 32"));
}

} // namespace

// Output rows cost more than their own bytes: every two of them are watched by
// a cell. Rows whose images fit the machine may be too many for that.
TEST(Memory, CountsWhatWatchesTheOutputs) {
  rmsrt::Kernel kernel;
  kernel.name = "copy";
  kernel.hiddenSize = 1 << 16;
  for (rmsrt::Direction direction :
       {rmsrt::Direction::Input, rmsrt::Direction::Output}) {
    rmsrt::Parameter parameter;
    parameter.direction = direction;
    kernel.parameters.push_back(parameter);
  }
  double there =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  rmscheck::CaseOptions options;
  options.rows = int64_t(there / 2 / (2 * 4 << 16));
  EXPECT_FALSE(rmscheck::checkHostMemory(
      kernel, options.rows, rmscheck::measureCase(kernel, options).all));
  EXPECT_THAT(llvm::toString(checkMemory(kernel, options)),
              HasSubstr("use fewer --rows"));
  options.rows = 3;
  EXPECT_EQ(llvm::toString(checkMemory(kernel, options)), "");
}
