//===-- Npy.h - NumPy's array files -----------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files (versions 1 to 3, C order, little endian). NumPy
// has no bf16: such a tensor is read from an array of f4 (each value is rounded
// to bf16), or of u2 or V2, which hold the bits; it is written as f4, which
// holds every bf16 value exactly.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TOOLS_RMS_EMULATE_NPY_H
#define RMSC_TOOLS_RMS_EMULATE_NPY_H

#include "rmsrt/Manifest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace rmsc {

struct NpyArray {
  std::vector<int64_t> shape;
  /// As in the file, without the byte order: "f4", "f2", "f8", "u2", "V2".
  std::string type;
  std::string data;

  int64_t elements() const;
};

llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// Element `index` of an array as the tensor's type, stored at `target`.
void copyElement(const NpyArray &array, int64_t index, rmsrt::Dtype dtype,
                 void *target);
/// Whether a tensor of that type can be read from the array.
bool canHold(const NpyArray &array, rmsrt::Dtype dtype);

/// Writes `count` rows of `columns` elements, `stride` elements apart. Writes
/// to a temporary file and renames it.
llvm::Error writeNpy(llvm::StringRef path, llvm::ArrayRef<int64_t> shape,
                     rmsrt::Dtype dtype, const void *data, int64_t count,
                     int64_t columns, int64_t stride);

} // namespace rmsc

#endif // RMSC_TOOLS_RMS_EMULATE_NPY_H
