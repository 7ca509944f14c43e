//===-- Numbers.cpp - bf16, f16 and f32 on the host -----------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmscheck/Numbers.h"

namespace rmscheck {

float f16ToFloat(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 31)
    return floatOf(sign | 0x7f800000u | mantissa << 13);
  if (exponent)
    return floatOf(sign | (exponent + 112) << 23 | mantissa << 13);
  // Subnormal: mantissa * 2^-24, exact in f32.
  float value = float(mantissa) * 0x1p-24f;
  return sign ? -value : value;
}

uint16_t floatToF16(float value) {
  const uint32_t bits = bitsOf(value);
  const uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  // 65520 and above round to infinity.
  if (magnitude >= 0x477ff000u)
    return uint16_t(sign | 0x7c00);
  if (magnitude >= 0x38800000u) {
    uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
    return uint16_t(sign | (rounded - 0x38000000u) >> 13);
  }
  // Subnormal: adding 0.5 puts the unit of f16's subnormals, 2^-24, at f32's
  // last place, so that the addition itself rounds to nearest even.
  float shifted = floatOf(magnitude) + 0.5f;
  return uint16_t(sign | (bitsOf(shifted) - 0x3f000000u));
}

} // namespace rmscheck
