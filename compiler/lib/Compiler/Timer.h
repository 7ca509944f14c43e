//===-- Timer.h - wall time -------------------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_TIMER_H
#define RMSC_LIB_COMPILER_TIMER_H

#include <chrono>

namespace rmsc {

/// Wall time since it was made.
class StageTimer {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start)
        .count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_TIMER_H
