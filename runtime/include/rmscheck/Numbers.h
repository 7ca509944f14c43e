//===-- Numbers.h - bf16, f16 and f32 on the host ---------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSCHECK_NUMBERS_H
#define RMSCHECK_NUMBERS_H

#include "rmsrt/Manifest.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace rmscheck {

using rmsrt::Dtype;

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float bf16ToFloat(uint16_t bits) {
  return floatOf(uint32_t(bits) << 16);
}
/// Rounds to nearest, ties to even; a NaN stays a (quiet) NaN.
inline uint16_t floatToBf16(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

float f16ToFloat(uint16_t bits);
/// Rounds to nearest, ties to even; overflows to infinity.
uint16_t floatToF16(float value);

/// Element `index` of an array of `dtype`.
inline float loadElement(Dtype dtype, const void *data, int64_t index) {
  if (dtype == Dtype::F32) {
    float value;
    std::memcpy(&value, static_cast<const char *>(data) + index * 4, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, static_cast<const char *>(data) + index * 2, 2);
  return dtype == Dtype::BF16 ? bf16ToFloat(bits) : f16ToFloat(bits);
}

/// Rounds `value` (once, from f32) into element `index`.
inline void storeElement(Dtype dtype, void *data, int64_t index, float value) {
  if (dtype == Dtype::F32) {
    std::memcpy(static_cast<char *>(data) + index * 4, &value, 4);
    return;
  }
  uint16_t bits = dtype == Dtype::BF16 ? floatToBf16(value) : floatToF16(value);
  std::memcpy(static_cast<char *>(data) + index * 2, &bits, 2);
}

/// `value` rounded to f32 and from there to `dtype`.
inline double roundTo(Dtype dtype, double value) {
  float f = float(value);
  if (dtype == Dtype::F32)
    return f;
  return dtype == Dtype::BF16 ? bf16ToFloat(floatToBf16(f))
                              : f16ToFloat(floatToF16(f));
}

/// The distance between the numbers of `dtype` around `value`: a unit in the
/// last place, and the smallest subnormal for what is below the normal range.
inline double ulpOf(Dtype dtype, double value) {
  // Mantissa bits after the leading one, and the smallest normal exponent.
  const int mantissa = dtype == Dtype::BF16 ? 7 : dtype == Dtype::F16 ? 10 : 23;
  const int lowest = dtype == Dtype::F16 ? -14 : -126;
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  if (exponent > 127)
    exponent = 127;
  if (exponent < lowest)
    exponent = lowest;
  bits = uint64_t(exponent - mantissa + 1023) << 52;
  double ulp;
  std::memcpy(&ulp, &bits, sizeof(ulp));
  return ulp;
}

} // namespace rmscheck

#endif // RMSCHECK_NUMBERS_H
