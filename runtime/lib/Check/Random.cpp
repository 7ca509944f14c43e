//===-- Random.cpp - The one generator of inputs --------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built with -ffp-contract=off: a fused multiply-add would change bits.
//
//===----------------------------------------------------------------------===//

#include "rmscheck/Random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace rmscheck {

uint64_t randomBits(uint64_t key, uint64_t index) {
  uint64_t z = key + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

double basicLog(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  int exponent = int(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
  double m;
  std::memcpy(&m, &bits, sizeof(m));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 atanh((m - 1) / (m + 1)), whose series converges fast here.
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double series = 0;
  for (int k = 21; k >= 1; k -= 2)
    series = series * z + 1.0 / k;
  return exponent * 0.6931471805599453 + 2 * s * series;
}

/// The value of one of AS 241's rational functions.
static inline double ratio(const double (&numerator)[8],
                           const double (&denominator)[8], double r) {
  double n = numerator[7], m = denominator[7];
  for (int i = 6; i >= 0; --i) {
    n = n * r + numerator[i];
    m = m * r + denominator[i];
  }
  return n / m;
}

/// Within 0.425 of the middle: 85% of all values.
static inline double central(double q) {
  static const double a[8] = {
      3.3871328727963666080e0,  1.3314166789178437745e+2,
      1.9715909503065514427e+3, 1.3731693765509461125e+4,
      4.5921953931549871457e+4, 6.7265770927008700853e+4,
      3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[8] = {1.0,
                              4.2313330701600911252e+1,
                              6.8718700749205790830e+2,
                              5.3941960214247511077e+3,
                              2.1213794301586595867e+4,
                              3.9307895800092710610e+4,
                              2.8729085735721942674e+4,
                              5.2264952788528545610e+3};
  return q * ratio(a, b, 0.180625 - q * q);
}

static double tail(double u, double q) {
  static const double c[8] = {
      1.42343711074968357734e0,  4.63033784615654529590e0,
      5.76949722146069140550e0,  3.64784832476320460504e0,
      1.27045825245236838258e0,  2.41780725177450611770e-1,
      2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[8] = {1.0,
                              2.05319162663775882187e0,
                              1.67638483018380384940e0,
                              6.89767334985100004550e-1,
                              1.48103976427480074590e-1,
                              1.51986665636164571966e-2,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
  static const double e[8] = {
      6.65790464350110377720e0,  5.46378491116411436990e0,
      1.78482653991729133580e0,  2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3,
      2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[8] = {1.0,
                              5.99832206555887937690e-1,
                              1.36929880922735805310e-1,
                              1.48753612908506148525e-2,
                              7.86869131145613259100e-4,
                              1.84631831751005468180e-5,
                              1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  const double r = std::sqrt(-basicLog(q < 0 ? u : 1 - u));
  const double value = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
  return q < 0 ? -value : value;
}

static inline bool isCentral(double q) { return std::fabs(q) <= 0.425; }

double inverseNormal(double u) {
  const double q = u - 0.5;
  return isCentral(q) ? central(q) : tail(u, q);
}

/// 52 bits and a half: exact, and never 0 or 1.
static inline double uniform(uint64_t bits) {
  return (double(bits >> 12) + 0.5) * 0x1p-52;
}

RandomStream::RandomStream(uint64_t seed, int64_t hiddenSize, int64_t rows,
                           const rmsrt::Parameter &parameter)
    : isRstd(parameter.role == "rstd") {
  const std::string text =
      std::to_string(seed) + "/" + std::to_string(hiddenSize) + "/" +
      std::to_string(rows) + "/" +
      (parameter.role == "unused" ? parameter.name : parameter.role);
  key = 0xcbf29ce484222325ull;
  for (unsigned char c : text)
    key = (key ^ c) * 0x100000001b3ull;
}

float RandomStream::operator()(uint64_t index) const {
  const double normal = inverseNormal(uniform(randomBits(key, index)));
  return float(isRstd ? std::fabs(normal) + 0.1 : normal);
}

void RandomStream::fill(uint64_t first, size_t count, float *values) const {
  // Blocks without a branch in their loops, which compilers make vectors of;
  // the tails, one value in seven, are mended one by one.
  constexpr size_t kBlock = 128;
  double u[kBlock], normal[kBlock];
  for (size_t done = 0; done < count; done += kBlock) {
    const size_t size = std::min(kBlock, count - done);
    for (size_t i = 0; i < size; ++i)
      u[i] = uniform(randomBits(key, first + done + i));
    for (size_t i = 0; i < size; ++i)
      normal[i] = central(u[i] - 0.5);
    for (size_t i = 0; i < size; ++i)
      if (!isCentral(u[i] - 0.5))
        normal[i] = tail(u[i], u[i] - 0.5);
    for (size_t i = 0; i < size; ++i)
      values[done + i] = float(isRstd ? std::fabs(normal[i]) + 0.1 : normal[i]);
  }
}

} // namespace rmscheck
