//===-- Zip.cpp - zip files in memory ---------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "rmsc/Compiler/Package.h"

#include <minizip/ioapi.h>
#include <minizip/zip.h>

using namespace llvm;
using namespace rmsc;

namespace {
/// The file that minizip believes it writes.
struct MemoryStream {
  std::string bytes;
  size_t position = 0;
};
} // namespace

// minizip hands `opaque` to every function, and what `open` returned as the
// stream.
static voidpf openStream(voidpf opaque, const char *, int) { return opaque; }

static uLong readStream(voidpf, voidpf stream, void *buffer, uLong size) {
  auto &memory = *static_cast<MemoryStream *>(stream);
  size_t count = std::min<size_t>(size, memory.bytes.size() - memory.position);
  memory.bytes.copy(static_cast<char *>(buffer), count, memory.position);
  memory.position += count;
  return count;
}

static uLong writeStream(voidpf, voidpf stream, const void *buffer,
                         uLong size) {
  auto &memory = *static_cast<MemoryStream *>(stream);
  if (memory.bytes.size() < memory.position + size)
    memory.bytes.resize(memory.position + size);
  std::copy_n(static_cast<const char *>(buffer), size,
              memory.bytes.begin() + memory.position);
  memory.position += size;
  return size;
}

static long tellStream(voidpf, voidpf stream) {
  return static_cast<MemoryStream *>(stream)->position;
}

static long seekStream(voidpf, voidpf stream, uLong offset, int origin) {
  auto &memory = *static_cast<MemoryStream *>(stream);
  size_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? memory.position
                : origin == ZLIB_FILEFUNC_SEEK_END ? memory.bytes.size()
                                                   : 0;
  if (base + offset > memory.bytes.size())
    return -1;
  memory.position = base + offset;
  return 0;
}

static int closeStream(voidpf, voidpf) { return 0; }
static int streamError(voidpf, voidpf) { return 0; }

Expected<std::string> rmsc::writeZip(ArrayRef<PackageEntry> entries) {
  MemoryStream memory;
  zlib_filefunc_def functions = {};
  functions.zopen_file = openStream;
  functions.zread_file = readStream;
  functions.zwrite_file = writeStream;
  functions.ztell_file = tellStream;
  functions.zseek_file = seekStream;
  functions.zclose_file = closeStream;
  functions.zerror_file = streamError;
  functions.opaque = &memory;

  zipFile zip = zipOpen2("package", APPEND_STATUS_CREATE, nullptr, &functions);
  if (!zip)
    return makeError("cannot begin the package: out of memory");
  zip_fileinfo info = {};
  // The first day that a zip can state, in place of today.
  info.dosDate = (1 << 21) | (1 << 16);
  int status = ZIP_OK;
  for (const auto &[name, bytes] : entries) {
    if (status == ZIP_OK)
      status = zipOpenNewFileInZip(zip, name.c_str(), &info, nullptr, 0,
                                   nullptr, 0, nullptr, /*method=*/0,
                                   /*level=*/0);
    if (status == ZIP_OK)
      status = zipWriteInFileInZip(zip, bytes.data(), bytes.size());
    if (status == ZIP_OK)
      status = zipCloseFileInZip(zip);
    if (status != ZIP_OK) {
      zipClose(zip, nullptr);
      return makeError("cannot put '" + name +
                       "' into the package: minizip's " + "status is " +
                       Twine(status));
    }
  }
  status = zipClose(zip, nullptr);
  if (status != ZIP_OK)
    return makeError("cannot end the package: minizip's status is " +
                     Twine(status));
  return std::move(memory.bytes);
}
