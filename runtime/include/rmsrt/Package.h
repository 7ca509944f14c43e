//===-- Package.h - Reads a .rmspkg -----------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_PACKAGE_H
#define RMSRT_PACKAGE_H

#include "rmsrt/Manifest.h"

#include <map>
#include <string>

namespace rmsrt {

/// A package in memory, with everything in it checked: the manifest, and for
/// each image the size and the SHA-256 that the manifest states.
class Package {
public:
  /// Reads the file at `path`; see rmsrtPackageOpenFile for the errors.
  static Error openFile(const std::string &path, Package &package);
  /// Reads the bytes of a package; `name` stands for it in messages.
  static Error openMemory(std::string_view bytes, const std::string &name,
                          Package &package);

  const Manifest &manifest() const { return contents; }
  /// The bytes of an image that the manifest names. PTX is followed by a NUL.
  const std::string &image(const Image &image) const {
    return images.at(image.file);
  }

private:
  Manifest contents;
  std::map<std::string, std::string> images;
};

} // namespace rmsrt

#endif // RMSRT_PACKAGE_H
