//===-- OperationsTest.cpp - what single ops give ---------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits must be the GPU's, so every conversion is tried over all or very
// many values against the check library's own.
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include "rmscheck/Numbers.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace rmsc::emulator;

namespace {

constexpr uint32_t block = 256;

/// Bit patterns of f32 around everything that matters to a rounding.
std::vector<float> manyFloats() {
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; ++high)
    for (uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu,
                         0x8000u, 0x8001u})
      values.push_back(rmscheck::floatOf(high << 16 | low));
  return values;
}

std::vector<uint16_t> allHalves() {
  std::vector<uint16_t> values(0x10000);
  for (uint32_t i = 0; i < values.size(); ++i)
    values[i] = uint16_t(i);
  return values;
}

std::string truncation(const std::string &type) {
  return kernelText("f32", type,
                    R"(
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %narrow = llvm.fptrunc %value : f32 to )" +
                        type + R"(
    llvm.store %narrow, %to {alignment = 2 : i64} : )" +
                        type + ", !llvm.ptr<1>\n");
}

std::string extension(const std::string &type) {
  return kernelText(type, "f32",
                    R"(
    %value = llvm.load %from {alignment = 2 : i64} : !llvm.ptr<1> -> )" +
                        type + R"(
    %wide = llvm.fpext %value : )" +
                        type + R"( to f32
    llvm.store %wide, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
)");
}

void testTruncation(const std::string &type, uint16_t (*reference)(float)) {
  std::vector<float> in = manyFloats();
  std::vector<uint16_t> out(in.size());
  KernelUnderTest kernel(truncation(type));
  Report report = kernel.run(in, out, in.size() / block, block);
  EXPECT_TRUE(report.empty()) << toText(report);
  for (size_t i = 0; i < in.size(); ++i) {
    // PTX knows one NaN of each type, whatever went in.
    uint16_t want = std::isnan(in[i]) ? 0x7fff : reference(in[i]);
    ASSERT_EQ(out[i], want)
        << "of bits " << std::hex << rmscheck::bitsOf(in[i]);
  }
}

void testExtension(const std::string &type, float (*reference)(uint16_t)) {
  std::vector<uint16_t> in = allHalves();
  std::vector<float> out(in.size());
  KernelUnderTest kernel(extension(type));
  Report report = kernel.run(in, out, in.size() / block, block);
  EXPECT_TRUE(report.empty()) << toText(report);
  for (size_t i = 0; i < in.size(); ++i) {
    float want = reference(in[i]);
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(out[i])) << "of bits " << i;
    else
      ASSERT_EQ(rmscheck::bitsOf(out[i]), rmscheck::bitsOf(want))
          << "of bits " << i;
  }
}

TEST(Conversions, RoundToBf16) {
  testTruncation("bf16", rmscheck::floatToBf16);
}
TEST(Conversions, RoundToF16) { testTruncation("f16", rmscheck::floatToF16); }
TEST(Conversions, ExtendBf16) { testExtension("bf16", rmscheck::bf16ToFloat); }
TEST(Conversions, ExtendF16) { testExtension("f16", rmscheck::f16ToFloat); }

// A bf16 has no registers of its own on the host. Only moved, it must keep its
// bits, NaN payloads too.
TEST(Conversions, MovedHalvesKeepTheirBits) {
  for (const char *type : {"bf16", "f16"}) {
    std::string t = type;
    std::string vector = "vector<2x" + t + ">";
    std::string text = kernelText("i32", "i32",
                                  R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %pair = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> )" +
                                      vector +
                                      R"(
    %low = llvm.extractelement %pair[%zero : i32] : )" +
                                      vector + R"(
    %high = llvm.extractelement %pair[%one : i32] : )" +
                                      vector + R"(
    %odd = llvm.and %tid, %one : i32
    %isOdd = llvm.icmp "ne" %odd, %zero : i32
    %chosen = llvm.select %isOdd, %low, %high : i1, )" +
                                      t + R"(
    %number = llvm.mlir.constant(1.5 : )" +
                                      t + R"() : )" + t + R"(
    %undef = llvm.mlir.undef : )" + vector +
                                      R"(
    %first = llvm.insertelement %chosen, %undef[%zero : i32] : )" +
                                      vector + R"(
    %second = llvm.insertelement %number, %first[%one : i32] : )" +
                                      vector + R"(
    llvm.br ^store(%second : )" + vector +
                                      R"()
  ^store(%stored: )" + vector + R"():
    llvm.store %stored, %to {alignment = 4 : i64} : )" +
                                      vector + ", !llvm.ptr<1>\n");
    std::vector<uint32_t> in(0x10000), out(in.size());
    for (uint32_t i = 0; i < in.size(); ++i)
      in[i] = i << 16 | (i ^ 0x5555);
    KernelUnderTest kernel(text);
    Report report = kernel.run(in, out, in.size() / block, block);
    EXPECT_TRUE(report.empty()) << toText(report);
    uint32_t onePointFive = t == "bf16" ? 0x3fc0 : 0x3e00;
    for (uint32_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], onePointFive << 16 | (i % 2 ? i ^ 0x5555 : i)) << t;
  }
}

TEST(Arithmetic, NothingIsContractedAndFmaIsFused) {
  // a * b + c with an exact answer that only a fused multiply-add gives.
  std::string text = kernelText("f32", "f32", R"(
    %x = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %minusOne = llvm.mlir.constant(-1.0 : f32) : f32
    %product = llvm.fmul %x, %x : f32
    %plain = llvm.fadd %product, %minusOne : f32
    %fused = llvm.intr.fma(%x, %x, %minusOne) : (f32, f32, f32) -> f32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %isPlain = llvm.icmp "eq" %tid, %zero : i32
    %result = llvm.select %isPlain, %plain, %fused : i1, f32
    llvm.store %result, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
)");
  std::vector<float> in(2, 1.0f + 0x1p-12f), out(2);
  KernelUnderTest kernel(text);
  EXPECT_TRUE(kernel.run(in, out, 1, 2).empty());
  EXPECT_EQ(out[0], 0x1p-11f);
  EXPECT_EQ(out[1], 0x1p-11f + 0x1p-24f);
}

TEST(Arithmetic, DenormalsAreKept) {
  std::string text = kernelText("f32", "f32", R"(
    %x = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %half = llvm.mlir.constant(0.5 : f32) : f32
    %y = llvm.fmul %x, %half : f32
    llvm.store %y, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
)");
  std::vector<float> in = {0x1p-126f, 0x1p-148f}, out(2);
  KernelUnderTest kernel(text);
  EXPECT_TRUE(kernel.run(in, out, 1, 2).empty());
  EXPECT_EQ(out[0], 0x1p-127f);
  EXPECT_EQ(out[1], 0x1p-149f);
}

TEST(Arithmetic, ApproximateRoot) {
  std::string text = kernelText("f32", "f32", R"(
    %x = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %y = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%x) : (f32) -> f32
    llvm.store %y, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
)");
  float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> in = {4.0f, 0.0f, -0.0f, infinity, -1.0f, 0x1p-140f};
  std::vector<float> out(in.size());
  KernelUnderTest kernel(text);
  EXPECT_TRUE(kernel.run(in, out, 1, in.size()).empty());
  EXPECT_EQ(out[0], 0.5f);
  EXPECT_EQ(out[1], infinity);
  EXPECT_EQ(out[2], -infinity);
  EXPECT_EQ(out[3], 0.0f);
  EXPECT_TRUE(std::isnan(out[4]));
  EXPECT_EQ(out[5], 0x1p70f);
}

/// Value and validity of a shuffle of the lane numbers with one operand pair.
std::string shuffle(const std::string &kind, int offset, int clamp) {
  return kernelText(
      "i32", "i64",
      R"(
    %all = llvm.mlir.constant(-1 : i32) : i32
    %offset = llvm.mlir.constant()" +
          std::to_string(offset) + R"( : i32) : i32
    %clamp = llvm.mlir.constant()" +
          std::to_string(clamp) + R"( : i32) : i32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %pair = nvvm.shfl.sync )" +
          kind +
          R"( %all, %value, %offset, %clamp {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %got = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>
    %valid = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>
    %wide = llvm.zext %got : i32 to i64
    %bit = llvm.zext %valid : i1 to i64
    %shift = llvm.mlir.constant(32 : i64) : i64
    %high = llvm.shl %bit, %shift : i64
    %both = llvm.or %wide, %high : i64
    llvm.store %both, %to {alignment = 8 : i64} : i64, !llvm.ptr<1>
)");
}

void testShuffle(const std::string &kind, int offset, int clamp,
                 int (*source)(int lane)) {
  std::vector<uint32_t> in(32);
  for (uint32_t lane = 0; lane < 32; ++lane)
    in[lane] = 100 + lane;
  std::vector<uint64_t> out(32);
  KernelUnderTest kernel(shuffle(kind, offset, clamp));
  for (Order order : {Order::Forward, Order::Reverse, Order::Random}) {
    RunOptions options;
    options.order = order;
    Report report = kernel.run(in, out, 1, 32, options);
    EXPECT_TRUE(report.empty()) << toText(report);
    for (int lane = 0; lane < 32; ++lane) {
      // A negative number is a source that the shuffle may not read.
      int from = source(lane);
      EXPECT_EQ(out[lane] & 0xffffffff, 100u + (from < 0 ? lane : from))
          << kind << " lane " << lane;
      EXPECT_EQ(out[lane] >> 32, from < 0 ? 0u : 1u)
          << kind << " lane " << lane;
    }
  }
}

TEST(Shuffles, Bfly) {
  testShuffle("bfly", 16, 31, [](int lane) { return lane ^ 16; });
}
TEST(Shuffles, DownStopsAtTheEnd) {
  testShuffle("down", 5, 31,
              [](int lane) { return lane + 5 < 32 ? lane + 5 : -1; });
}
TEST(Shuffles, UpStopsAtTheStart) {
  testShuffle("up", 3, 0, [](int lane) { return lane >= 3 ? lane - 3 : -1; });
}
TEST(Shuffles, IdxInSegmentsOfEight) {
  // Segment mask 0b11000: four segments of eight lanes.
  testShuffle("idx", 2, 0x18 << 8 | 31,
              [](int lane) { return (lane & 24) | 2; });
}
TEST(Shuffles, DownInSegmentsOfEight) {
  testShuffle("down", 3, 0x18 << 8 | 31,
              [](int lane) { return (lane & 7) + 3 < 8 ? lane + 3 : -1; });
}

TEST(Votes, AllKinds) {
  std::string text = kernelText("i32", "i32", R"(
    %all = llvm.mlir.constant(-1 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %bit = llvm.icmp "ne" %value, %zero : i32
    %ballot = nvvm.vote.sync ballot %all, %bit -> i32
    %any = nvvm.vote.sync any %all, %bit -> i1
    %every = nvvm.vote.sync all %all, %bit -> i1
    %same = nvvm.vote.sync uni %all, %bit -> i1
    %a = llvm.zext %any : i1 to i32
    %e = llvm.zext %every : i1 to i32
    %s = llvm.zext %same : i1 to i32
    %count = llvm.intr.ctpop(%ballot) : (i32) -> i32
    %c1 = llvm.mlir.constant(100 : i32) : i32
    %c2 = llvm.mlir.constant(1000 : i32) : i32
    %c3 = llvm.mlir.constant(10000 : i32) : i32
    %a1 = llvm.mul %a, %c1 : i32
    %e1 = llvm.mul %e, %c2 : i32
    %s1 = llvm.mul %s, %c3 : i32
    %t1 = llvm.add %count, %a1 : i32
    %t2 = llvm.add %t1, %e1 : i32
    %t3 = llvm.add %t2, %s1 : i32
    llvm.store %t3, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
)");
  KernelUnderTest kernel(text);
  // Warps with no bit, with five and with all.
  std::vector<int32_t> in(96), out(96);
  for (int i = 0; i < 5; ++i)
    in[32 + i * 3] = 1;
  for (int i = 64; i < 96; ++i)
    in[i] = 1;
  Report report = kernel.run(in, out, 1, 96);
  EXPECT_TRUE(report.empty()) << toText(report);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], 10000);
    EXPECT_EQ(out[32 + i], 105);
    EXPECT_EQ(out[64 + i], 11132);
  }
}

TEST(SpecialRegisters, Numbers) {
  std::string text = kernelText("i32", "i32", R"(
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %warp = nvvm.read.ptx.sreg.warpid : i32
    %ctas = nvvm.read.ptx.sreg.nctaid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %cluster = nvvm.read.ptx.sreg.clusterid.x : i32
    %size = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
    %y = nvvm.read.ptx.sreg.tid.y : i32
    %ny = nvvm.read.ptx.sreg.ntid.y : i32
    %ten = llvm.mlir.constant(10 : i32) : i32
    %hundred = llvm.mlir.constant(100 : i32) : i32
    %a = llvm.mul %lane, %hundred : i32
    %b = llvm.add %a, %warp : i32
    %c = llvm.mul %b, %ten : i32
    %d = llvm.add %c, %ctas : i32
    %e = llvm.mul %d, %ten : i32
    %f = llvm.add %e, %rank : i32
    %g = llvm.mul %f, %ten : i32
    %h = llvm.add %g, %cluster : i32
    %j = llvm.mul %h, %ten : i32
    %k = llvm.add %j, %size : i32
    %l = llvm.add %k, %y : i32
    %m = llvm.mul %l, %ten : i32
    %n = llvm.add %m, %ny : i32
    llvm.store %n, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
)");
  KernelUnderTest kernel(text);
  std::vector<int32_t> in(256), out(256);
  Report report = kernel.run(in, out, 4, 64, {}, /*cluster=*/2);
  EXPECT_TRUE(report.empty()) << toText(report);
  for (int cta = 0; cta < 4; ++cta)
    for (int t = 0; t < 64; ++t) {
      int want = (t % 32) * 100 + t / 32;
      for (int digit : {4, cta % 2, cta / 2, 2, 1})
        want = want * 10 + digit;
      EXPECT_EQ(out[cta * 64 + t], want);
    }
}

} // namespace
