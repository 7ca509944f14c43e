//===-- Output.cpp - writing files whole or not at all ----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "rmsc/Compiler/Package.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <utility>
#include <vector>

using namespace llvm;
using namespace rmsc;

namespace {
/// A file that is removed unless it is renamed to its place.
class PendingFile {
public:
  PendingFile() = default;
  PendingFile(PendingFile &&other) noexcept
      : path(std::exchange(other.path, {})) {}
  PendingFile &operator=(PendingFile &&) = delete;
  ~PendingFile() {
    if (path.empty())
      return;
    // There is nothing more to do about a file that cannot be removed.
    (void)sys::fs::remove(path);
    sys::DontRemoveFileOnSignal(path);
  }

  std::string path;
};
} // namespace

static Error writeError(StringRef path, std::error_code code) {
  StringRef remedy = code == std::errc::no_space_on_device
                         ? "free some space, or name another place with -o"
                     : code == std::errc::permission_denied ||
                             code == std::errc::read_only_file_system
                         ? "name a place that you may write to with -o"
                     : code == std::errc::is_a_directory
                         ? "name a file in it with -o"
                         : "name another place with -o";
  return makeError("cannot write '" + path + "': " + code.message() + "; " +
                   remedy);
}

/// Writes all bytes to an open file, which is closed whatever happens.
static std::error_code writeAndClose(int descriptor, StringRef bytes) {
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true, /*unbuffered=*/true);
  stream << bytes;
  // Some file systems find out only when it is closed that there is no room.
  stream.close();
  std::error_code code = stream.error();
  stream.clear_error();
  return code;
}

Error rmsc::writeFiles(ArrayRef<OutputFile> files) {
  std::vector<PendingFile> pending;
  for (const OutputFile &file : files) {
    sys::fs::file_status status;
    // A path that cannot be looked at has no status; writing to it says why.
    (void)sys::fs::status(file.path, status);
    if (sys::fs::is_directory(status))
      return writeError(file.path,
                        std::make_error_code(std::errc::is_a_directory));
    if (sys::fs::exists(status) && !sys::fs::is_regular_file(status)) {
      int descriptor = -1;
      std::error_code code = sys::fs::openFileForWrite(
          file.path, descriptor, sys::fs::CD_OpenExisting);
      if (!code)
        code = writeAndClose(descriptor, file.bytes);
      if (code)
        return writeError(file.path, code);
      pending.emplace_back();
      continue;
    }
    StringRef folder = sys::path::parent_path(file.path);
    if (!folder.empty() && !sys::fs::is_directory(folder))
      return makeError("cannot write '" + file.path + "': the folder '" +
                       folder +
                       "' does not exist; create it first, or name "
                       "another place with -o");
    // Hidden, so that nobody takes it for the file itself.
    SmallString<128> model(folder);
    sys::path::append(model,
                      "." + sys::path::filename(file.path) + ".%%%%%%%%");
    PendingFile &entry = pending.emplace_back();
    SmallString<128> unique;
    sys::fs::createUniquePath(model, unique, /*MakeAbsolute=*/false);
    entry.path = unique.str().str();
    // Before it is there, so that no signal finds it unregistered.
    sys::RemoveFileOnSignal(entry.path);
    int descriptor = -1;
    if (std::error_code code = sys::fs::openFileForWrite(entry.path, descriptor,
                                                         sys::fs::CD_CreateNew))
      return writeError(file.path, code);
    if (std::error_code code = writeAndClose(descriptor, file.bytes))
      return writeError(file.path, code);
  }
  // From here on only a rename can fail, and those before it are undone.
  for (size_t i = 0; i < files.size(); ++i) {
    if (pending[i].path.empty())
      continue;
    if (std::error_code code =
            sys::fs::rename(pending[i].path, files[i].path)) {
      for (size_t j = 0; j < i; ++j)
        if (sys::fs::is_regular_file(files[j].path))
          (void)sys::fs::remove(files[j].path);
      return writeError(files[i].path, code);
    }
    sys::DontRemoveFileOnSignal(pending[i].path);
    pending[i].path.clear();
  }
  return Error::success();
}
