//===-- Random.h - The one generator of inputs ------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs of checks, on the GPU and in the emulator, come from this generator
// and no other. It is counter based: a value is a function of
//
//   the seed, the hidden size, the rows, the parameter's role (its name where
//   the role is `unused`), and the element's index (row * hidden size + column)
//
// and of nothing else, so a value can be computed alone, in any order and on
// any thread. Its bits are the same on every machine: it uses integer
// arithmetic, and of floating point only + - * / and the square root, which
// IEEE 754 defines to the last bit (a library's logarithm is not: the C library
// picks its code by the processor). Step by step:
//
//   key    = FNV-1a (64 bits) of the text "seed/hidden size/rows/role"
//   bits   = mix(key + (index + 1) * 0x9E3779B97F4A7C15), mix being the output
//            function of SplitMix64
//   u      = (bits >> 12 + 1/2) * 2^-52, in (0, 1)
//   normal = the inverse of the normal distribution at u by Wichura's AS 241
//            (PPND16), with our own logarithm in the tails
//
// Each value is computed in f64, rounded to f32, and from there to its type.
// rstd is |normal| + 0.1, everything else the normal itself.
//
//===----------------------------------------------------------------------===//

#ifndef RMSCHECK_RANDOM_H
#define RMSCHECK_RANDOM_H

#include "rmsrt/Manifest.h"

#include <cstdint>
#include <string_view>

namespace rmscheck {

/// The stream of one parameter of one case.
class RandomStream {
public:
  RandomStream(uint64_t seed, int64_t hiddenSize, int64_t rows,
               const rmsrt::Parameter &parameter);

  /// Element `index`, before its rounding to the parameter's type.
  float operator()(uint64_t index) const;

  /// Elements first to first + count - 1: the same bits, sooner.
  void fill(uint64_t first, size_t count, float *values) const;

private:
  uint64_t key;
  bool isRstd;
};

/// 64 random bits of a key's stream.
uint64_t randomBits(uint64_t key, uint64_t index);
/// The inverse of the standard normal distribution function, 0 < u < 1.
double inverseNormal(double u);
/// The natural logarithm of a positive, normal number, from basic operations.
double basicLog(double x);

} // namespace rmscheck

#endif // RMSCHECK_RANDOM_H
