//===-- Package.h - writing manifests, packages and files -------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counterpart of the runtime's readers. The fields are documented in
// docs/artifact.md.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_COMPILER_PACKAGE_H
#define RMSC_COMPILER_PACKAGE_H

#include "rmsrt/Manifest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>

namespace rmsc {

/// The JSON text of a manifest; `rmsrt::parseManifest` reads it back.
std::string writeManifest(const rmsrt::Manifest &manifest);

/// A file in a package: its name there and its bytes.
using PackageEntry = std::pair<std::string, llvm::StringRef>;

/// A zip with stored (uncompressed) entries in the given order. The same
/// entries give the same bytes: no time of day is stored.
llvm::Expected<std::string> writeZip(llvm::ArrayRef<PackageEntry> entries);

/// A file to write: its path and its bytes.
struct OutputFile {
  std::string path;
  llvm::StringRef bytes;
};

/// Writes all files or none. Each is written to a temporary file beside its
/// place and renamed when all are complete, so that neither an error nor an
/// interruption leaves a part: the temporary files are removed on signals by
/// LLVM's handlers, which this call installs. A path that names something other
/// than a regular file (a device, a pipe) is written straight to.
/// Errors name the path and what to do.
llvm::Error writeFiles(llvm::ArrayRef<OutputFile> files);

} // namespace rmsc

#endif // RMSC_COMPILER_PACKAGE_H
