//===-- Manifest.h - What a package says of its kernels ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest as data, and its reader. No CUDA and no file access: the
// emulator and the compiler's tests use it as well as the runtime. The format
// is documented in docs/artifact.md.
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_MANIFEST_H
#define RMSRT_MANIFEST_H

#include "rmsrt/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rmsrt {

/// The manifest version this library reads.
constexpr int kManifestVersion = 2;
/// The name of the manifest's entry in the zip.
constexpr const char *kManifestEntry = "manifest.json";
/// The value of the manifest's "format".
constexpr const char *kManifestFormat = "rmspkg";

/// Limits that keep a launch free of allocation; the compiler stays far below.
constexpr size_t kMaxParameters = 32;
constexpr size_t kMaxLaunches = 8;

enum class Direction { Input, Output };
enum class Kind { Rows, Columns, Scalars };
enum class Dtype { BF16, F16, F32 };
enum class OperationKind { Norm, NormBackward, Copy };
enum class Rounding { None, Storage };
enum class Rsqrt { Approx, Exact };
enum class ImageFormat { Cubin, Ptx };

/// Bytes of one element.
inline int64_t sizeOf(Dtype dtype) { return dtype == Dtype::F32 ? 4 : 2; }
const char *toString(Dtype dtype);
const char *toString(Kind kind);
const char *toString(OperationKind kind);

/// A compute capability, and a chip's name with its suffix.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

struct Chip {
  /// As written: sm_90, sm_100a, sm_103f.
  std::string name;
  ComputeCapability capability;
  /// 0, 'a' (that capability only) or 'f' (that family).
  char suffix = 0;
};

/// Reads "sm_<major><minor>[a|f]"; false when the text is no such name.
bool parseChip(std::string_view text, Chip &chip);

struct Parameter {
  std::string name;
  std::string role;
  Direction direction = Direction::Input;
  Kind kind = Kind::Rows;
  Dtype dtype = Dtype::F32;
  int rank = 0;
  bool used = true;
  /// Index of the output that may be this input's buffer, or -1.
  int mayAlias = -1;
};

/// What a kernel computes, in the words of the semantics' text.
struct Operation {
  OperationKind kind = OperationKind::Norm;
  double epsilon = 0;
  double weightOffset = 0;
  Rounding residualRounding = Rounding::None;
  Rounding normRounding = Rounding::None;
  Rsqrt rsqrt = Rsqrt::Approx;
  /// For Copy: the kernel whose compulsory bytes it moves; may be empty.
  std::string floorOf;
};

struct Launch {
  std::string entry;
  uint32_t block = 0;
  uint32_t rowsPerCta = 0;
  uint32_t ctasPerRow = 1;
  uint32_t maxCtas = 0;
  uint32_t extraCtas = 0;
  uint32_t cluster = 1;
  bool dependent = false;
  bool waits = false;
  uint32_t registers = 0;
  uint32_t spillBytes = 0;
  uint32_t localBytes = 0;
  uint32_t sharedStaticBytes = 0;
  uint32_t sharedDynamicBytes = 0;
};

struct Workspace {
  uint64_t bytes = 0;
  uint64_t bytesPerCta = 0;
  /// Bytes at the start that must be zero at first use and are left zero.
  uint64_t zeroedBytes = 0;
};

struct Image {
  std::string file;
  ImageFormat format = ImageFormat::Cubin;
  uint64_t bytes = 0;
  std::string sha256;
};

struct Variant {
  std::string name;
  Chip chip;
  int64_t firstRows = 0;
  int64_t lastRows = 0;
  /// Bytes, one a parameter: what its pointer (and, when strided, its row
  /// stride) must be a multiple of.
  std::vector<uint32_t> alignments;
  bool strided = false;
  Workspace workspace;
  Image image;
  std::vector<Launch> launches;
  std::string schedule;
};

struct Kernel {
  std::string name;
  int64_t hiddenSize = 0;
  Operation operation;
  std::vector<Parameter> parameters;
  /// In order of preference within a chip.
  std::vector<Variant> variants;

  /// Index of the first parameter of that role (and direction), or -1.
  int find(std::string_view role, Direction direction) const;
};

struct CompilerInfo {
  std::string name, version, llvm, ptxas;
};

struct Manifest {
  CompilerInfo compiler;
  std::vector<Kernel> kernels;

  const Kernel *find(std::string_view name) const;
};

/// Reads and checks the text of a manifest. Fields that this version does not
/// know are ignored; everything it knows must be there and possible.
/// \return RMSRT_UNSUPPORTED_VERSION, or RMSRT_BAD_MANIFEST with the path of
/// the field.
Error parseManifest(std::string_view text, Manifest &manifest);

} // namespace rmsrt

#endif // RMSRT_MANIFEST_H
