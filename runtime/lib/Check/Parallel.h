//===-- Parallel.h - Ranges over the host's threads -------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSCHECK_LIB_PARALLEL_H
#define RMSCHECK_LIB_PARALLEL_H

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace rmscheck {

/// How many pieces parallelRanges makes of `count` elements.
inline unsigned rangeCount(int64_t count, int64_t grain, unsigned threads) {
  int64_t pieces = (count + grain - 1) / std::max<int64_t>(grain, 1);
  return unsigned(std::max<int64_t>(1, std::min<int64_t>(pieces, threads)));
}

/// Calls body(piece, begin, end) for contiguous pieces of [0, count), each on a
/// thread of its own; none smaller than `grain` but the last.
template <typename Body>
void parallelRanges(int64_t count, int64_t grain, unsigned threads, Body body) {
  const unsigned pieces = rangeCount(count, grain, threads);
  if (pieces == 1) {
    body(0u, int64_t(0), count);
    return;
  }
  std::vector<std::thread> pool;
  pool.reserve(pieces);
  for (unsigned i = 0; i < pieces; ++i)
    pool.emplace_back(body, i, count * i / pieces, count * (i + 1) / pieces);
  for (std::thread &thread : pool)
    thread.join();
}

} // namespace rmscheck

#endif // RMSCHECK_LIB_PARALLEL_H
