//===-- CaseTest.cpp - The reference, its bounds, poison and guards -------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmscheck/Case.h"
#include "Support.h"
#include "rmscheck/Numbers.h"
#include "rmscheck/Random.h"
#include "rmsrt/Sha256.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace rmscheck;
using namespace support;
using rmsrt::Kernel;

namespace {

/// A case whose buffers are the host's own, with access by parameter name.
class Subject {
public:
  Subject(const json &description, CaseOptions options)
      : kernel(parse(description)), checked(kernel, options) {
    std::vector<void *> addresses;
    for (Buffer &buffer : checked.buffers())
      addresses.push_back(buffer.memory.get());
    call = checked.call(addresses, tensors);
  }

  size_t index(const std::string &name) const {
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      if (kernel.parameters[i].name == name)
        return i;
    ADD_FAILURE() << "no parameter " << name;
    return 0;
  }
  int64_t place(size_t i, int64_t row, int64_t column) const {
    return row * checked.stride(i) + column;
  }
  float get(const std::string &name, int64_t row, int64_t column) const {
    size_t i = index(name);
    return loadElement(kernel.parameters[i].dtype, tensors[i].data,
                       place(i, row, column));
  }
  void set(const std::string &name, int64_t row, int64_t column, double value) {
    size_t i = index(name);
    storeElement(kernel.parameters[i].dtype, tensors[i].data,
                 place(i, row, column), float(value));
  }
  bool has(const std::string &name) const {
    for (const rmsrt::Parameter &p : kernel.parameters)
      if (p.name == name)
        return true;
    return false;
  }

  /// The forward in f32 as a straightforward kernel would do it.
  void forward() {
    const int64_t h = kernel.hiddenSize;
    const rmsrt::Operation &op = kernel.operation;
    for (int64_t row = 0; row < checked.options().rows; ++row) {
      std::vector<float> s;
      float squares = 0;
      for (int64_t j = 0; j < h; ++j) {
        float v = get("x", row, j);
        if (has("residual"))
          v += get("residual", row, j);
        if (op.residualRounding == rmsrt::Rounding::Storage)
          v = float(roundTo(Dtype::BF16, v));
        s.push_back(v);
        squares += v * v;
      }
      const float r = 1 / std::sqrt(squares / float(h) + float(op.epsilon));
      if (has("rstd"))
        set("rstd", row, 0, r);
      for (int64_t j = 0; j < h; ++j) {
        float n = s[size_t(j)] * r;
        if (has("sum"))
          set("sum", row, j, s[size_t(j)]);
        if (has("normalized"))
          set("normalized", row, j, n);
        if (op.normRounding == rmsrt::Rounding::Storage)
          n = float(roundTo(Dtype::BF16, n));
        set("y", row, j, n * (get("weight", 0, j) + float(op.weightOffset)));
      }
    }
  }

  /// The backward likewise.
  void backward() {
    const int64_t h = kernel.hiddenSize;
    std::vector<float> dw(size_t(h), 0);
    for (int64_t row = 0; row < checked.options().rows; ++row) {
      const float r = get("rstd", row, 0);
      std::vector<float> n, g;
      float mean = 0;
      for (int64_t j = 0; j < h; ++j) {
        n.push_back(has("normalized") ? get("normalized", row, j)
                                      : get("sum", row, j) * r);
        const float go = get("grad_output", row, j);
        g.push_back(
            go * (get("weight", 0, j) + float(kernel.operation.weightOffset)));
        mean += g.back() * n.back();
        dw[size_t(j)] += go * n.back();
      }
      mean /= float(h);
      for (int64_t j = 0; j < h; ++j) {
        float dx = r * (g[size_t(j)] - mean * n[size_t(j)]);
        if (has("grad_sum"))
          dx += get("grad_sum", row, j);
        set("dx", row, j, dx);
        if (has("dx2"))
          set("dx2", row, j, dx);
      }
    }
    for (int64_t j = 0; j < h; ++j)
      set("dw", 0, j, dw[size_t(j)]);
  }

  CaseReport verify() { return checked.verify(); }
  const OutputReport &output(const CaseReport &report,
                             const std::string &name) const {
    for (const OutputReport &o : report.outputs)
      if (o.parameter == index(name))
        return o;
    ADD_FAILURE() << "no output " << name;
    return report.outputs[0];
  }

  Kernel kernel;
  Case checked;
  std::vector<RmsrtTensor> tensors;
  rmsrt::Call call;
};

CaseOptions rows(int64_t count) {
  CaseOptions options;
  options.rows = count;
  options.threads = 2;
  return options;
}

/// A forward with every optional result, at a hidden size with an odd tail.
json fullForward() {
  json kernel = forwardKernel();
  kernel["hidden_size"] = 37;
  kernel["parameters"].push_back(parameter("sum", "sum", true, "rows", "f32"));
  kernel["parameters"].push_back(
      parameter("rstd", "rstd", true, "scalars", "f32"));
  kernel["parameters"].push_back(
      parameter("normalized", "normalized", true, "rows", "f16"));
  kernel["variants"] = {variant(kernel, "elem", "sm_90", true)};
  return kernel;
}

/// Gives a forward's y another type (which x's buffer is then no longer fit
/// for).
void setOutputType(json &kernel, const char *dtype) {
  kernel["parameters"][3]["dtype"] = dtype;
  kernel["parameters"][0].erase("may_alias");
  kernel["variants"] = {variant(kernel, "elem", "sm_90", true)};
}

json fullBackward() {
  json kernel = backwardKernel();
  kernel["hidden_size"] = 37;
  return kernel;
}

} // namespace

TEST(CaseTest, InputsComeFromTheGenerator) {
  Subject s(fullForward(), rows(5));
  RandomStream x(1, 37, 5, s.kernel.parameters[0]);
  RandomStream weight(1, 37, 5, s.kernel.parameters[2]);
  EXPECT_EQ(s.get("x", 0, 0), float(roundTo(Dtype::BF16, x(0))));
  EXPECT_EQ(s.get("x", 3, 7), float(roundTo(Dtype::BF16, x(3 * 37 + 7))));
  EXPECT_EQ(s.get("weight", 0, 36), float(roundTo(Dtype::BF16, weight(36))));
}

TEST(CaseTest, LayoutDoesNotChangeTheInputs) {
  CaseOptions options = rows(5);
  Subject plain(fullForward(), options);
  options.misalign = 3;
  options.extraStride = 11;
  Subject other(fullForward(), options);
  for (int64_t row = 0; row < 5; ++row)
    for (int64_t j = 0; j < 37; ++j)
      EXPECT_EQ(plain.get("x", row, j), other.get("x", row, j));
  EXPECT_EQ(other.tensors[0].rowStride, 48);
  EXPECT_EQ(plain.tensors[0].rowStride, 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(plain.tensors[0].data) % 256, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(other.tensors[0].data) % 256, 6u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(other.tensors[5].data) % 256, 12u);
}

TEST(CaseTest, ARightForwardPasses) {
  for (const char *residualRounding : {"none", "storage"})
    for (const char *normRounding : {"none", "storage"})
      for (double offset : {0.0, 1.0}) {
        json kernel = fullForward();
        kernel["operation"]["residual_rounding"] = residualRounding;
        kernel["operation"]["norm_rounding"] = normRounding;
        kernel["operation"]["weight_offset"] = offset;
        Subject s(kernel, rows(64));
        s.forward();
        CaseReport report = s.verify();
        EXPECT_TRUE(report.passed())
            << formatReport(s.checked, report, residualRounding);
        ASSERT_EQ(report.outputs.size(), 4u);
        EXPECT_EQ(s.output(report, "y").elements, 64 * 37);
        EXPECT_EQ(s.output(report, "rstd").elements, 64);
        EXPECT_GT(s.output(report, "y").worst, 0.1);
      }
}

/// Each attribute changes the reference: a kernel that ignores it fails.
TEST(CaseTest, AttributesMatter) {
  const std::pair<const char *, json> attributes[] = {
      {"residual_rounding", "storage"},
      {"norm_rounding", "storage"},
      {"weight_offset", 1.0},
      {"epsilon", 0.01}};
  for (const auto &[name, value] : attributes) {
    json kernel = fullForward();
    // In f32 a rounding to 16 bits shows.
    setOutputType(kernel, "f32");
    Subject plain(kernel, rows(8));
    plain.forward();
    EXPECT_TRUE(plain.verify().passed());
    kernel["operation"][name] = value;
    Subject s(kernel, rows(8));
    // Computes as if the attribute were not there.
    s.kernel.operation = plain.kernel.operation;
    s.forward();
    s.kernel.operation = parse(kernel).operation;
    EXPECT_FALSE(s.verify().passed()) << name;
  }
}

TEST(CaseTest, ByHand) {
  // H = 4, s = (1, 2, 3, 4) + 0, mean square 7.5, epsilon 0.5: rstd = 1/sqrt 8.
  json kernel = forwardKernel();
  kernel["hidden_size"] = 4;
  kernel["operation"]["epsilon"] = 0.5;
  setOutputType(kernel, "f32");
  Subject s(kernel, rows(1));
  for (int j = 0; j < 4; ++j) {
    s.set("x", 0, j, j + 1);
    s.set("residual", 0, j, 0);
    s.set("weight", 0, j, 2);
    s.set("y", 0, j, 2 * (j + 1) / std::sqrt(8.0));
  }
  EXPECT_TRUE(s.verify().passed());
  // 34 of 2^24 off is beyond 32 of them.
  s.set("y", 0, 1, 4 / std::sqrt(8.0) * (1 + 34 * 0x1p-24));
  CaseReport report = s.verify();
  EXPECT_EQ(report.outputs[0].wrong, 1);
  EXPECT_EQ(report.outputs[0].worstColumn, 1);
  EXPECT_NEAR(report.outputs[0].worst, 34.0 / 32, 0.04);
  s.set("y", 0, 1, 4 / std::sqrt(8.0) * (1 + 30 * 0x1p-24));
  EXPECT_TRUE(s.verify().passed());
}

TEST(CaseTest, BackwardByHand) {
  // H = 2, one row: go = (1, 2), w = (3, -1), n = (0.5, 2), rstd = 2.
  // g = (3, -2), m = (1.5 - 4) / 2 = -1.25, dx = 2 (3.625, 0.5), dw = (0.5, 4).
  json kernel = backwardKernel();
  kernel["hidden_size"] = 2;
  Subject s(kernel, rows(1));
  const double go[] = {1, 2}, w[] = {3, -1}, n[] = {0.5, 2};
  const double dx[] = {7.25, 1}, dw[] = {0.5, 4};
  s.set("rstd", 0, 0, 2);
  for (int j = 0; j < 2; ++j) {
    s.set("grad_output", 0, j, go[j]);
    s.set("weight", 0, j, w[j]);
    s.set("normalized", 0, j, n[j]);
    s.set("dx", 0, j, dx[j]);
    s.set("dx2", 0, j, dx[j]);
    s.set("dw", 0, j, dw[j]);
  }
  CaseReport report = s.verify();
  EXPECT_TRUE(report.passed());
  for (const OutputReport &o : report.outputs)
    EXPECT_EQ(o.worst, 0);
  s.set("dw", 0, 1, 4 * (1 + 6e-6));
  report = s.verify();
  EXPECT_EQ(s.output(report, "dw").wrong, 1);
  EXPECT_NEAR(s.output(report, "dw").worst, 1.2, 0.02);
}

TEST(CaseTest, ARightBackwardPasses) {
  json given = fullBackward();
  json saved = fullBackward();
  saved["parameters"][2] = parameter("sum", "sum", false, "rows", "bf16");
  saved["parameters"][1] =
      parameter("grad_sum", "grad_sum", false, "rows", "f32");
  saved["operation"]["weight_offset"] = 1.0;
  saved["variants"] = {variant(saved, "elem", "sm_90", true)};
  for (const json &kernel : {given, saved}) {
    Subject s(kernel, rows(133));
    s.backward();
    CaseReport report = s.verify();
    EXPECT_TRUE(report.passed()) << formatReport(s.checked, report, "");
    EXPECT_GT(s.output(report, "dw").worst, 0);
    // One row's contribution left out of one column.
    const float all = s.get("dw", 0, 20);
    s.set("dw", 0, 20, all - s.get("grad_output", 132, 20));
    report = s.verify();
    EXPECT_EQ(s.output(report, "dw").wrong, 1);
    EXPECT_EQ(s.output(report, "dw").worstColumn, 20);
    s.set("dw", 0, 20, all);
    // The second buffer of dx counts as well.
    s.set("dx2", 7, 3, s.get("dx2", 7, 3) + 1);
    report = s.verify();
    EXPECT_EQ(s.output(report, "dx").wrong, 0);
    EXPECT_EQ(s.output(report, "dx2").wrong, 1);
    EXPECT_EQ(s.output(report, "dx2").worstRow, 7);
  }
}

TEST(CaseTest, ForgettingTheDirectGradientFails) {
  json kernel = fullBackward();
  kernel["parameters"][1] =
      parameter("grad_sum", "grad_sum", false, "rows", "bf16");
  kernel["variants"] = {variant(kernel, "elem", "sm_90", true)};
  Subject s(kernel, rows(3));
  s.backward();
  EXPECT_TRUE(s.verify().passed());
  for (int j = 0; j < 37; ++j)
    s.set("dx", 1, j, s.get("dx", 1, j) - s.get("grad_sum", 1, j));
  CaseReport report = s.verify();
  EXPECT_GT(s.output(report, "dx").wrong, 30);
}

/// What a case takes is known before it is made: no less than its images hold
/// beside their guards, and not much more.
TEST(CaseTest, MemoryIsMeasuredAhead) {
  for (const json &description : {forwardKernel(), backwardKernel()})
    for (int64_t stride : {0, 100}) {
      CaseOptions options;
      options.rows = 1000;
      options.extraStride = stride;
      options.workspaceBytes = 50000;
      Kernel kernel = parse(description);
      CaseBytes bytes = measureCase(kernel, options);
      Case made(kernel, options);
      double all = 0, written = 0;
      for (const Buffer &image : made.buffers()) {
        all += double(image.bytes);
        written += image.written ? double(image.bytes) : 0;
      }
      const double guards = 2304.0 * double(made.buffers().size());
      EXPECT_LE(bytes.all, all);
      EXPECT_GE(bytes.all, all - guards);
      EXPECT_LE(bytes.written, written);
      EXPECT_GE(bytes.written, written - guards);
    }
  Kernel kernel = parse(forwardKernel());
  EXPECT_FALSE(checkHostMemory(kernel, 3, 1e6));
  EXPECT_EQ(checkHostMemory(kernel, 3, 1e18).status(), RMSRT_OUT_OF_MEMORY);
}

TEST(CaseTest, NoRows) {
  Subject s(fullBackward(), rows(0));
  CaseReport report = s.verify();
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(s.output(report, "dw").unwritten, 37);
  for (int j = 0; j < 37; ++j)
    s.set("dw", 0, j, 0);
  EXPECT_TRUE(s.verify().passed());
  s.set("dw", 0, 5, 1e-30);
  EXPECT_FALSE(s.verify().passed());
  Subject forward(fullForward(), rows(0));
  EXPECT_TRUE(forward.verify().passed());
}

TEST(CaseTest, SumsAreExact) {
  Subject s(fullForward(), rows(2));
  s.forward();
  s.set("sum", 1, 4, std::nextafter(s.get("sum", 1, 4), INFINITY));
  CaseReport report = s.verify();
  EXPECT_EQ(s.output(report, "sum").wrong, 1);
}

TEST(CaseTest, UlpsOf16Bits) {
  json kernel = forwardKernel();
  kernel["operation"]["epsilon"] = 0.0;
  for (const char *rounding : {"none", "storage"}) {
    kernel["operation"]["norm_rounding"] = rounding;
    Subject s(kernel, rows(1));
    for (int j = 0; j < 8; ++j) {
      s.set("x", 0, j, 2);
      s.set("residual", 0, j, 0);
      s.set("weight", 0, j, 1);
      s.set("y", 0, j, 1);
    }
    EXPECT_EQ(s.verify().outputs[0].worst, 0);
    // One unit of 2^-7 is allowed, and two where n is rounded as well.
    const int allowed = std::string(rounding) == "storage" ? 2 : 1;
    s.set("y", 0, 3, 1 + allowed * 0x1p-7);
    EXPECT_TRUE(s.verify().passed()) << rounding;
    s.set("y", 0, 3, 1 + (allowed + 1) * 0x1p-7);
    EXPECT_EQ(s.verify().outputs[0].wrong, 1) << rounding;
  }
}

TEST(CaseTest, BoundsOfDx) {
  // H = 1, one row: go = 3, w = 1, n = 1, rstd = 1: g = m = 3 and dx =
  // grad_sum. The bound is 8 u (3 + 3) + 4 u |grad_sum|, u = 2^-24.
  json kernel = backwardKernel();
  kernel["hidden_size"] = 1;
  kernel["parameters"][1] =
      parameter("grad_sum", "grad_sum", false, "rows", "f32");
  kernel["parameters"][5]["dtype"] = "f32";
  kernel["variants"] = {variant(kernel, "elem", "sm_90", true)};
  for (double direct : {0.5, 64.0}) {
    Subject s(kernel, rows(1));
    for (const char *one : {"weight", "normalized", "rstd"})
      s.set(one, 0, 0, 1);
    s.set("grad_output", 0, 0, 3);
    s.set("grad_sum", 0, 0, direct);
    s.set("dx", 0, 0, direct);
    s.set("dx2", 0, 0, direct);
    s.set("dw", 0, 0, 3);
    EXPECT_TRUE(s.verify().passed());
    const double bound = (48 + 4 * direct) * 0x1p-24;
    // Within the bound, and beyond it by one unit of the result.
    const double ulp = ulpOf(Dtype::F32, direct);
    const double steps = std::floor(bound / ulp);
    s.set("dx", 0, 0, direct + steps * ulp);
    EXPECT_TRUE(s.verify().passed()) << direct;
    s.set("dx", 0, 0, direct + (steps + 1) * ulp);
    CaseReport report = s.verify();
    EXPECT_EQ(s.output(report, "dx").wrong, 1) << direct;
    EXPECT_LT(s.output(report, "dx").worst, 1.3) << direct;
  }
}

TEST(CaseTest, FindsUnwrittenElements) {
  CaseOptions options = rows(3);
  options.extraStride = 5;
  Subject s(fullForward(), options);
  CaseReport report = s.verify();
  EXPECT_EQ(s.output(report, "y").unwritten, 3 * 37);
  EXPECT_EQ(s.output(report, "rstd").unwritten, 3);
  s.forward();
  EXPECT_TRUE(s.verify().passed());
  // The run is undone.
  s.checked.reset();
  EXPECT_EQ(s.output(s.verify(), "y").unwritten, 3 * 37);
}

TEST(CaseTest, FindsWritesOutside) {
  CaseOptions options = rows(3);
  options.extraStride = 2;
  options.workspaceBytes = 64;
  options.workspaceZeroedBytes = 8;
  const auto damage = [&](const std::function<void(Subject &)> &harm) {
    Subject s(fullForward(), options);
    s.forward();
    EXPECT_TRUE(s.verify().passed());
    harm(s);
    CaseReport report = s.verify();
    EXPECT_FALSE(report.passed());
    return formatReport(s.checked, report, "");
  };
  const auto at = [](Subject &s, const char *name) {
    return static_cast<uint8_t *>(s.tensors[s.index(name)].data);
  };
  const std::string outside = "bytes outside the tensor were written";
  EXPECT_NE(
      damage([&](Subject &s) { at(s, "y")[-1] = 1; }).find("y: 1 " + outside),
      std::string::npos);
  // Between two rows, and behind the last.
  EXPECT_NE(damage([&](Subject &s) {
              at(s, "y")[37 * 2] = 1;
            }).find("y: 1 " + outside),
            std::string::npos);
  EXPECT_NE(damage([&](Subject &s) {
              std::memset(at(s, "y") + (2 * 39 + 37) * 2, 0, 4);
            }).find("y: 4 " + outside),
            std::string::npos);
  EXPECT_NE(damage([&](Subject &s) {
              at(s, "weight")[37 * 2] = 1;
            }).find("weight: 1 bytes around the input"),
            std::string::npos);
  EXPECT_NE(damage([](Subject &s) {
              const_cast<uint8_t *>(
                  static_cast<const uint8_t *>(s.call.workspace))[64] = 0;
            }).find("workspace: 1 bytes outside"),
            std::string::npos);
  EXPECT_NE(damage([](Subject &s) {
              const_cast<uint8_t *>(
                  static_cast<const uint8_t *>(s.call.workspace))[7] = 1;
            }).find("workspace: 1 bytes at its start"),
            std::string::npos);
}

TEST(CaseTest, InPlace) {
  CaseOptions options = rows(6);
  options.inPlace = true;
  Subject s(forwardKernel(), options);
  ASSERT_EQ(s.tensors[0].data, s.tensors[3].data);
  Subject apart(forwardKernel(), rows(6));
  for (int64_t row = 0; row < 6; ++row)
    for (int64_t j = 0; j < 8; ++j)
      EXPECT_EQ(s.get("x", row, j), apart.get("x", row, j));
  s.forward();
  EXPECT_TRUE(s.verify().passed());
  EXPECT_FALSE(rmsrt::checkCall(s.kernel, s.call));
  // Leaving x where y belongs is an error, though nothing is poison.
  s.checked.reset();
  EXPECT_GT(s.output(s.verify(), "y").wrong, 40);
}

TEST(CaseTest, SpecialValues) {
  json kernel = fullForward();
  Subject s(kernel, rows(4));
  s.set("x", 0, 5, NAN);   // That row is NaN.
  s.set("x", 1, 5, 3e38f); // Its square leaves f32: rstd = 0.
  s.set("x", 2, 5, INFINITY);
  s.forward();
  CaseReport report = s.verify();
  EXPECT_TRUE(report.passed()) << formatReport(s.checked, report, "");
  EXPECT_EQ(s.get("rstd", 1, 0), 0);
  // A NaN that leaks into another row, or is missing, is found.
  s.set("y", 3, 0, NAN);
  report = s.verify();
  EXPECT_EQ(s.output(report, "y").wrong, 1);
  EXPECT_EQ(s.output(report, "y").worstRow, 3);
  s.set("y", 0, 0, 1);
  EXPECT_EQ(s.output(s.verify(), "y").wrong, 2);
}

TEST(CaseTest, OverflowOfTheOutputsType) {
  json kernel = forwardKernel();
  setOutputType(kernel, "f16");
  Subject s(kernel, rows(1));
  for (int j = 0; j < 8; ++j) {
    s.set("x", 0, j, 1);
    s.set("residual", 0, j, 0);
    s.set("weight", 0, j, 1e6);
  }
  s.forward();
  EXPECT_EQ(s.get("y", 0, 0), INFINITY);
  EXPECT_TRUE(s.verify().passed());
  s.set("y", 0, 0, -INFINITY);
  EXPECT_EQ(s.verify().outputs[0].wrong, 1);
  s.set("y", 0, 0, 1e4);
  EXPECT_EQ(s.verify().outputs[0].wrong, 1);
}

TEST(CaseTest, TheSuitesTolerance) {
  Subject s(forwardKernel(), rows(25)); // 200 elements.
  s.forward();
  Tolerance tolerance{0.01, 0.01, 0.99};
  CaseReport report = s.checked.verify(&tolerance);
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.outputs[0].matched, 200);
  for (int i = 0; i < 3; ++i) {
    s.set("y", i, 0, s.get("y", i, 0) + 1);
    report = s.checked.verify(&tolerance);
    EXPECT_EQ(report.outputs[0].matched, 199 - i);
    EXPECT_EQ(report.withinTolerance(), i < 2);
    EXPECT_FALSE(report.withinBounds());
  }
}

TEST(CaseTest, FloorsAreOnlyWritten) {
  json kernel = forwardKernel();
  kernel["operation"] = {{"kind", "copy"}, {"floor_of", "forward"}};
  Subject s(kernel, rows(3));
  EXPECT_EQ(s.verify().outputs[0].unwritten, 24);
  for (int row = 0; row < 3; ++row)
    for (int j = 0; j < 8; ++j)
      s.set("y", row, j, 1);
  EXPECT_TRUE(s.verify().passed());
}

TEST(CaseTest, DigestsAreOfTheElementsAlone) {
  CaseOptions options = rows(2);
  Subject dense(forwardKernel(), options);
  options.extraStride = 3;
  options.misalign = 1;
  Subject strided(forwardKernel(), options);
  dense.forward();
  strided.forward();
  const std::string digest = dense.checked.digest(3);
  EXPECT_EQ(digest, strided.checked.digest(3));
  EXPECT_EQ(digest, rmsrt::sha256(dense.tensors[3].data, 2 * 8 * 2));
  EXPECT_EQ(formatDigests(dense.checked, "case"),
            "digest case y " + digest + "\n");
  strided.set("y", 1, 7, 0);
  EXPECT_NE(digest, strided.checked.digest(3));
}

TEST(CaseTest, BitsAreComparedWithoutTheGaps) {
  CaseOptions options = rows(2);
  options.extraStride = 3;
  Subject s(forwardKernel(), options);
  Buffer other = s.checked.pristine(s.checked.bufferOf(3));
  EXPECT_TRUE(s.checked.sameBits(3, other));
  other.data()[8 * 2] ^= 1; // In the gap.
  EXPECT_TRUE(s.checked.sameBits(3, other));
  other.data()[8 * 2 - 1] ^= 1;
  EXPECT_FALSE(s.checked.sameBits(3, other));
}

TEST(CaseTest, ThreadsDoNotChangeTheVerdict) {
  json kernel = fullBackward();
  CaseOptions options = rows(5000);
  options.threads = 1;
  Subject one(kernel, options);
  options.threads = 7;
  Subject seven(kernel, options);
  one.backward();
  seven.backward();
  EXPECT_EQ(one.checked.digest(5), seven.checked.digest(5));
  CaseReport a = one.verify(), b = seven.verify();
  EXPECT_TRUE(a.passed());
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    EXPECT_EQ(a.outputs[i].elements, b.outputs[i].elements);
    EXPECT_NEAR(a.outputs[i].worst, b.outputs[i].worst, 1e-6);
    EXPECT_EQ(a.outputs[i].worstRow, b.outputs[i].worstRow);
  }
}
