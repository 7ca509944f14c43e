//===-- Sha256.h - SHA-256 --------------------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_SHA256_H
#define RMSRT_SHA256_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace rmsrt {

/// SHA-256 (FIPS 180-4) of a stream of bytes. Our own, because a library that
/// is linked into other people's programs should not bring a whole crypto
/// library for one checksum.
class Sha256 {
public:
  Sha256();
  void update(const void *data, size_t size);
  /// The digest so far as 64 lower-case hexadecimal digits; ends the stream.
  std::string finish();

private:
  void block(const uint8_t *bytes);

  uint32_t state[8];
  uint64_t length = 0;
  uint8_t buffer[64];
};

/// The digest of one buffer.
std::string sha256(const void *data, size_t size);

} // namespace rmsrt

#endif // RMSRT_SHA256_H
