//===-- Covering.h - pairwise coverage --------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TEST_NUMERIC_COVERING_H
#define RMSC_TEST_NUMERIC_COVERING_H

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace rmsc::numeric {

/// One level of every factor.
using Choice = std::vector<unsigned>;

/// Choices in which every pair of levels of two factors occurs, but for the
/// pairs that `allowed` refuses in every choice that was tried; greedy and the
/// same for one seed. `levels` is the number of levels of each factor.
std::vector<Choice>
coverPairs(const std::vector<unsigned> &levels,
           const std::function<bool(const Choice &)> &allowed, uint64_t seed);

/// Pairs of levels (of factors below `factors`) that no choice of the list has.
unsigned missingPairs(const std::vector<unsigned> &levels, unsigned factors,
                      const std::vector<Choice> &choices, unsigned &total);

} // namespace rmsc::numeric

#endif // RMSC_TEST_NUMERIC_COVERING_H
