//===-- Suites.cpp - The two suites as data -------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmscheck/Suites.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace rmsrt;

namespace rmscheck {

static const Suite &forwardSuite() {
  static const Suite suite = {
      "forward",
      "fused_add_rmsnorm_h2048",
      OperationKind::Norm,
      2048,
      1e-6,
      {{"x", Direction::Input, Dtype::BF16},
       {"residual", Direction::Input, Dtype::BF16},
       {"weight", Direction::Input, Dtype::BF16},
       {"y", Direction::Output, Dtype::BF16}},
      // Rows, batch, sequence, {atol, rtol, matched ratio}, B200 roofline and
      // baseline in us.
      {
          {1, 1, 1, {0.01, 0.01, 0.99}, 0.4, 3.264},
          {6, 1, 6, {0.01, 0.01, 0.99}, 0.4, 3.28},
          {34, 1, 34, {0.01, 0.01, 0.99}, 0.5, 3.1995},
          {64, 1, 64, {0.01, 0.01, 0.99}, 0.5, 2.976},
          {79, 1, 79, {0.01, 0.01, 0.99}, 0.5, 3.072},
          {12383, 1, 12383, {0.01, 0.01, 0.99}, 20.2, 31.8875},
          {16254, 1, 16254, {0.01, 0.01, 0.99}, 26.4, 38.5445},
      }};
  return suite;
}

static const Suite &backwardSuite() {
  static const Suite suite = {
      "backward",
      "fused_residual_rms_norm_backward",
      OperationKind::NormBackward,
      2560,
      0,
      {{"grad_output", Direction::Input, Dtype::BF16},
       {"normalized", Direction::Input, Dtype::F32},
       {"rstd", Direction::Input, Dtype::F32},
       {"weight", Direction::Input, Dtype::F32},
       {"dx", Direction::Output, Dtype::BF16},
       {"dx", Direction::Output, Dtype::BF16},
       {"dw", Direction::Output, Dtype::F32}},
      {
          {128, 1, 128, {1e-05, 0.05, 0.99}, 0.6, 71.328},
          {131, 1, 131, {1e-05, 0.05, 0.99}, 0.6, 71.232},
          {422, 2, 211, {1e-05, 0.05, 0.99}, 1.0, 95.776},
          {512, 2, 256, {1e-05, 0.05, 0.99}, 1.1, 95.953},
          {1546, 2, 773, {1.2e-05, 0.05, 0.99}, 2.5, 35.28},
          {3412, 4, 853, {2.1e-05, 0.05, 0.99}, 5.0, 61.936},
          {15952, 16, 997, {6.4e-05, 0.05, 0.99}, 21.7, 215.744},
          {8192, 8, 1024, {4.7e-05, 0.05, 0.99}, 11.3, 121.744},
          {34784, 32, 1087, {8.9e-05, 0.05, 0.99}, 46.9, 518.896},
          {1249, 1, 1249, {1.4e-05, 0.05, 0.99}, 2.1, 31.104},
          {53024, 32, 1657, {0.00015, 0.05, 0.99}, 71.2, 709.281},
          {110144, 64, 1721, {0.00015, 0.05, 0.99}, 147.5, 1288.753},
          {1801, 1, 1801, {1.2e-05, 0.05, 0.99}, 2.8, 37.248},
          {7892, 4, 1973, {4.7e-05, 0.05, 0.99}, 10.9, 117.392},
          {131072, 32, 4096, {0.00022, 0.05, 0.99}, 175.5, 1497.889},
          {524288, 64, 8192, {0.0007, 0.05, 0.99}, 700.6, 5691.17},
      }};
  return suite;
}

const Suite *findSuite(std::string_view name) {
  for (const Suite *suite : {&forwardSuite(), &backwardSuite()})
    if (suite->name == name)
      return suite;
  return nullptr;
}

bool computesSuite(const Kernel &kernel, const Suite &suite) {
  const Operation &op = kernel.operation;
  // The program may have stated epsilon in f32.
  if (op.kind != suite.operation || kernel.hiddenSize != suite.hiddenSize ||
      std::fabs(op.epsilon - suite.epsilon) > 1e-6 * suite.epsilon ||
      op.weightOffset != 0 || op.residualRounding != Rounding::None ||
      op.normRounding != Rounding::None)
    return false;
  using Key = std::pair<std::string_view, std::pair<Direction, Dtype>>;
  std::vector<Key> have, want;
  for (const Parameter &p : kernel.parameters)
    if (p.used)
      have.push_back({p.role, {p.direction, p.dtype}});
  for (const SuiteParameter &p : suite.parameters)
    want.push_back({p.role, {p.direction, p.dtype}});
  std::sort(have.begin(), have.end());
  std::sort(want.begin(), want.end());
  return have == want;
}

} // namespace rmscheck
