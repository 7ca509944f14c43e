//===-- NumbersTest.cpp - Types, the generator, the suites ----------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmscheck/Numbers.h"
#include "Support.h"
#include "rmscheck/Random.h"
#include "rmscheck/Suites.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace rmscheck;
using namespace support;
using rmsrt::Kernel;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Every number of a 16-bit type survives, and what lies between two of them
/// goes to the nearer one, or to the even one from the middle.
static void exhaust(Dtype dtype, uint16_t (*narrow)(float),
                    float (*widen)(uint16_t), uint32_t infinity) {
  for (uint32_t bits = 0; bits < infinity; ++bits) {
    const float low = widen(uint16_t(bits));
    ASSERT_EQ(narrow(low), bits);
    ASSERT_EQ(narrow(-low), bits | 0x8000);
    if (bits + 1 == infinity)
      break;
    const float high = widen(uint16_t(bits + 1));
    ASSERT_LT(low, high);
    const float middle = float((double(low) + double(high)) / 2);
    ASSERT_EQ(narrow(middle), bits & 1 ? bits + 1 : bits);
    ASSERT_EQ(narrow(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(narrow(std::nextafter(middle, INFINITY)), bits + 1);
    // Within a binade the unit in the last place is the distance.
    ASSERT_EQ(ulpOf(dtype, low), double(high) - double(low)) << bits;
  }
  EXPECT_EQ(narrow(INFINITY), infinity);
  EXPECT_EQ(narrow(-INFINITY), infinity | 0x8000);
  EXPECT_EQ(widen(uint16_t(infinity)), INFINITY);
  EXPECT_TRUE(std::isnan(widen(narrow(NAN))));
  EXPECT_TRUE(std::isnan(widen(uint16_t(infinity + 1))));
}

TEST(NumbersTest, F16) { exhaust(Dtype::F16, floatToF16, f16ToFloat, 0x7c00); }
TEST(NumbersTest, BF16) {
  exhaust(Dtype::BF16, floatToBf16, bf16ToFloat, 0x7f80);
}

TEST(NumbersTest, Overflow) {
  EXPECT_EQ(floatToF16(65504.0f), 0x7bff);
  EXPECT_EQ(floatToF16(65519.996f), 0x7bff);
  EXPECT_EQ(floatToF16(65520.0f), 0x7c00);
  EXPECT_EQ(floatToBf16(3.4028235e38f), 0x7f80);
  // A NaN whose payload is only in the low half must not become infinity.
  EXPECT_TRUE(std::isnan(bf16ToFloat(floatToBf16(floatOf(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(f16ToFloat(floatToF16(floatOf(0x7f800001u)))));
}

TEST(NumbersTest, UlpOfF32) {
  EXPECT_EQ(ulpOf(Dtype::F32, 1.0), 0x1p-23);
  EXPECT_EQ(ulpOf(Dtype::F32, -1.999), 0x1p-23);
  EXPECT_EQ(ulpOf(Dtype::F32, 0.0), 0x1p-149);
  EXPECT_EQ(ulpOf(Dtype::BF16, 1e60), 0x1p120);
}

TEST(NumbersTest, LoadsAndStores) {
  uint8_t memory[16] = {};
  storeElement(Dtype::BF16, memory, 1, 1.5f);
  storeElement(Dtype::F16, memory, 2, -2.25f);
  storeElement(Dtype::F32, memory, 2, 0.1f);
  EXPECT_EQ(loadElement(Dtype::BF16, memory, 1), 1.5f);
  EXPECT_EQ(loadElement(Dtype::F16, memory, 2), -2.25f);
  EXPECT_EQ(loadElement(Dtype::F32, memory, 2), 0.1f);
  EXPECT_EQ(roundTo(Dtype::BF16, 1.0 + 1.0 / 256), 1.0);
  EXPECT_EQ(roundTo(Dtype::F16, 1.0 + 3.0 / 2048), 1.0 + 4.0 / 2048);
  EXPECT_EQ(roundTo(Dtype::F32, 1.0 + 0x1p-30), 1.0);
}

//===----------------------------------------------------------------------===//
// The generator
//===----------------------------------------------------------------------===//

TEST(RandomTest, LogarithmAndInverseNormalAreRight) {
  for (double x : {1e-300, 1e-12, 0.3, 0.5, 0.99999, 1.0, 1.5, 2.0, 3e7})
    EXPECT_NEAR(basicLog(x), std::log(x),
                1e-14 * std::fabs(std::log(x)) + 1e-16)
        << x;
  for (double u :
       {1e-16, 1e-9, 0.001, 0.0749, 0.0751, 0.3, 0.5, 0.7, 0.93, 1 - 1e-9}) {
    const double value = inverseNormal(u);
    const double back = 0.5 * std::erfc(-value / std::sqrt(2.0));
    EXPECT_NEAR(back, u, 1e-13 * u + 1e-16) << u;
  }
  EXPECT_EQ(inverseNormal(0.5), 0);
  EXPECT_EQ(inverseNormal(0.25), -inverseNormal(0.75));
}

static rmsrt::Parameter named(const char *role, const char *name) {
  rmsrt::Parameter p;
  p.role = role;
  p.name = name;
  return p;
}

/// The generator is part of the interface: digests made on other machines and
/// by other versions hang on these bits.
TEST(RandomTest, KnownValues) {
  EXPECT_EQ(randomBits(0, 0), 0xe220a8397b1dcdafull); // SplitMix64's first.
  EXPECT_EQ(randomBits(0, 1), 0x6e789e6aa1b965f4ull);
  RandomStream x(1, 2048, 79, named("x", "hidden_states"));
  const uint32_t expected[] = {0xbf4bae33u, 0x3ffd2638u, 0x3f986394u,
                               0xbf56e603u};
  for (uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(bitsOf(x(i)), expected[i]) << i << ": " << x(i);
  RandomStream rstd(1, 2560, 128, named("rstd", "rstd"));
  const uint32_t expectedRstd[] = {0x3e1cf4c7u, 0x3f6395f6u, 0x3f8575acu,
                                   0x3f5d4345u};
  for (uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(bitsOf(rstd(i)), expectedRstd[i]) << i << ": " << rstd(i);
}

TEST(RandomTest, FillsWithTheSameBits) {
  for (const char *role : {"x", "rstd"}) {
    RandomStream stream(3, 100, 20, named(role, role));
    std::vector<float> values(1000);
    stream.fill(777, values.size(), values.data());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(bitsOf(values[i]), bitsOf(stream(777 + i))) << i;
  }
}

TEST(RandomTest, StreamsDependOnWhatTheySay) {
  const auto first = [](uint64_t seed, int64_t hidden, int64_t rows,
                        const char *role, const char *name) {
    return RandomStream(seed, hidden, rows, named(role, name))(0);
  };
  const float base = first(1, 8, 5, "x", "a");
  EXPECT_EQ(first(1, 8, 5, "x", "another name"), base);
  EXPECT_NE(first(2, 8, 5, "x", "a"), base);
  EXPECT_NE(first(1, 9, 5, "x", "a"), base);
  EXPECT_NE(first(1, 8, 6, "x", "a"), base);
  EXPECT_NE(first(1, 8, 5, "residual", "a"), base);
  EXPECT_NE(first(1, 8, 5, "unused", "a"), first(1, 8, 5, "unused", "b"));
}

TEST(RandomTest, IsNormal) {
  const int count = 200000;
  RandomStream stream(7, 100, 2000, named("x", "x"));
  double sum = 0, squares = 0, fourth = 0;
  int beyond2 = 0;
  for (int i = 0; i < count; ++i) {
    const double v = stream(uint64_t(i));
    sum += v;
    squares += v * v;
    fourth += v * v * v * v;
    beyond2 += std::fabs(v) > 2;
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1, 0.015);
  EXPECT_NEAR(fourth / count, 3, 0.1);
  EXPECT_NEAR(double(beyond2) / count, 0.0455, 0.002);
  RandomStream rstd(7, 100, 2000, named("rstd", "rstd"));
  double least = 10, mean = 0;
  for (int i = 0; i < count; ++i) {
    least = std::min(least, double(rstd(uint64_t(i))));
    mean += rstd(uint64_t(i));
  }
  EXPECT_GE(least, 0.1f);
  EXPECT_LT(least, 0.101);
  EXPECT_NEAR(mean / count, 0.1 + std::sqrt(2 / M_PI), 0.01);
}

//===----------------------------------------------------------------------===//
// The suites
//===----------------------------------------------------------------------===//

TEST(SuitesTest, HoldTheCases) {
  const Suite *forward = findSuite("forward");
  ASSERT_TRUE(forward);
  ASSERT_EQ(forward->cases.size(), 7u);
  EXPECT_EQ(forward->cases[5].rows, 12383);
  EXPECT_EQ(forward->cases[5].tolerance.rtol, 0.01);
  EXPECT_EQ(forward->cases[6].b200BaselineUs, 38.5445);
  const Suite *backward = findSuite("backward");
  ASSERT_TRUE(backward);
  ASSERT_EQ(backward->cases.size(), 16u);
  for (const SuiteCase &c : backward->cases)
    EXPECT_EQ(c.rows, c.batch * c.sequence);
  EXPECT_EQ(backward->cases[15].rows, 524288);
  EXPECT_EQ(backward->cases[15].tolerance.atol, 0.0007);
  EXPECT_EQ(backward->cases[15].tolerance.matchedRatio, 0.99);
  EXPECT_EQ(findSuite("sideways"), nullptr);
}

TEST(SuitesTest, FindTheirKernel) {
  json kernel = forwardKernel();
  kernel["hidden_size"] = 2048;
  const Suite &forward = *findSuite("forward");
  EXPECT_TRUE(computesSuite(parse(kernel), forward));
  EXPECT_FALSE(computesSuite(parse(kernel), *findSuite("backward")));
  json other = kernel;
  other["hidden_size"] = 4096;
  EXPECT_FALSE(computesSuite(parse(other), forward));
  other = kernel;
  other["operation"]["epsilon"] = 1e-5;
  EXPECT_FALSE(computesSuite(parse(other), forward));
  // Stated in f32.
  other["operation"]["epsilon"] = double(1e-6f);
  EXPECT_TRUE(computesSuite(parse(other), forward));
  other = kernel;
  other["operation"]["norm_rounding"] = "storage";
  EXPECT_FALSE(computesSuite(parse(other), forward));
  other = kernel;
  other["parameters"][2]["dtype"] = "f32";
  other["variants"] = {variant(other, "elem", "sm_90", true)};
  EXPECT_FALSE(computesSuite(parse(other), forward));
  json backward = backwardKernel();
  backward["hidden_size"] = 2560;
  EXPECT_TRUE(computesSuite(parse(backward), *findSuite("backward")));
}
