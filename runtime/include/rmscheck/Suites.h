//===-- Suites.h - The two suites as data -----------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSCHECK_SUITES_H
#define RMSCHECK_SUITES_H

#include "rmsrt/Manifest.h"

#include <string_view>
#include <vector>

namespace rmscheck {

/// A case's own tolerance: |got - want| <= atol + rtol * |want| must hold for
/// that fraction of the elements.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
  double matchedRatio = 1;
};

struct SuiteCase {
  int64_t rows;
  /// How the suite writes the rows: batch * sequence.
  int64_t batch, sequence;
  Tolerance tolerance;
  /// The suite's published estimates for a B200, in microseconds.
  double b200RooflineUs, b200BaselineUs;
};

/// A parameter that the suite's kernel must have, by what it is.
struct SuiteParameter {
  std::string_view role;
  rmsrt::Direction direction;
  rmsrt::Dtype dtype;
};

struct Suite {
  std::string_view name;
  /// The suite's name for its kernel; a package may call it otherwise.
  std::string_view kernel;
  rmsrt::OperationKind operation;
  int64_t hiddenSize;
  double epsilon;
  std::vector<SuiteParameter> parameters;
  std::vector<SuiteCase> cases;
};

/// The suite called "forward" or "backward", or null.
const Suite *findSuite(std::string_view name);

/// Whether a kernel computes what the suite asks for: the operation, hidden
/// size, epsilon, and the same used parameters in any order.
bool computesSuite(const rmsrt::Kernel &kernel, const Suite &suite);

} // namespace rmscheck

#endif // RMSCHECK_SUITES_H
