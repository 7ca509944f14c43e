//===-- Package.cpp - Reads a .rmspkg -------------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsrt/Package.h"
#include "rmsrt/Sha256.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace rmsrt {

namespace {

//===----------------------------------------------------------------------===//
// Memory as a file, for minizip
//===----------------------------------------------------------------------===//

struct MemoryFile {
  std::string_view bytes;
  uint64_t position = 0;
};

MemoryFile *memory(voidpf stream) { return static_cast<MemoryFile *>(stream); }

// minizip "opens" the path it is given; the memory is in the opaque pointer.
voidpf openMemoryFile(voidpf opaque, const void *, int mode) {
  bool reading =
      (mode & ZLIB_FILEFUNC_MODE_READWRITEFILTER) == ZLIB_FILEFUNC_MODE_READ;
  return reading ? opaque : nullptr;
}
uLong readMemoryFile(voidpf, voidpf stream, void *buffer, uLong size) {
  MemoryFile *file = memory(stream);
  uint64_t left = file->bytes.size() - file->position;
  uLong take = uLong(std::min<uint64_t>(size, left));
  std::memcpy(buffer, file->bytes.data() + file->position, take);
  file->position += take;
  return take;
}
uLong writeMemoryFile(voidpf, voidpf, const void *, uLong) { return 0; }
ZPOS64_T tellMemoryFile(voidpf, voidpf stream) {
  return memory(stream)->position;
}
long seekMemoryFile(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  MemoryFile *file = memory(stream);
  const uint64_t size = file->bytes.size();
  uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                  : origin == ZLIB_FILEFUNC_SEEK_CUR ? file->position
                                                     : size;
  // A damaged archive holds any offset; none may leave the memory.
  if (offset > size || base + offset > size)
    return -1;
  file->position = base + offset;
  return 0;
}
int closeMemoryFile(voidpf, voidpf) { return 0; }
int errorMemoryFile(voidpf, voidpf) { return 0; }

struct UnzClose {
  void operator()(void *file) const { unzClose(file); }
};
using UnzHandle = std::unique_ptr<void, UnzClose>;

std::string printable(const std::string &name) {
  std::string text;
  for (char c : name)
    text += c >= 32 && c < 127 ? c : '?';
  return text;
}

/// Reads every entry of the archive into `entries`.
Error readEntries(std::string_view bytes, const std::string &package,
                  std::map<std::string, std::string> &entries) {
  auto foreign = [&](const std::string &what) {
    return Error(RMSRT_NOT_A_PACKAGE,
                 package + ": " + what +
                     "; pass a whole .rmspkg file as rmsc writes it");
  };
  // A zip ends with this record, and ours have no comment behind it. minizip
  // would look for it further up and make something of a torn file.
  constexpr size_t kEndBytes = 22;
  const bool looksLikeZip = bytes.substr(0, 2) == "PK";
  if (bytes.size() < kEndBytes ||
      bytes.substr(bytes.size() - kEndBytes, 4) != "PK\5\6")
    return foreign(looksLikeZip ? "the zip archive is cut short or damaged"
                                : "not a package (no zip archive)");
  if (bytes.size() == kEndBytes)
    return foreign("the zip archive is empty");
  MemoryFile file{bytes};
  zlib_filefunc64_def functions;
  functions.zopen64_file = openMemoryFile;
  functions.zread_file = readMemoryFile;
  functions.zwrite_file = writeMemoryFile;
  functions.ztell64_file = tellMemoryFile;
  functions.zseek64_file = seekMemoryFile;
  functions.zclose_file = closeMemoryFile;
  functions.zerror_file = errorMemoryFile;
  functions.opaque = &file;
  UnzHandle zip(unzOpen2_64(package.c_str(), &functions));
  unz_global_info64 info;
  if (!zip || unzGetGlobalInfo64(zip.get(), &info) != UNZ_OK)
    return foreign("the zip archive's directory is damaged");
  int status = unzGoToFirstFile(zip.get());
  for (ZPOS64_T i = 0; i < info.number_entry; ++i) {
    char name[512];
    unz_file_info64 entry;
    if (status != UNZ_OK ||
        unzGetCurrentFileInfo64(zip.get(), &entry, name, sizeof(name), nullptr,
                                0, nullptr, 0) != UNZ_OK ||
        entry.size_filename >= sizeof(name))
      return foreign("the zip archive's directory is damaged");
    const std::string key(name, entry.size_filename);
    const std::string shown = printable(key);
    if (entry.compression_method != 0 || entry.flag & 1 ||
        entry.compressed_size != entry.uncompressed_size)
      return foreign("entry " + shown +
                     " is compressed or encrypted; packages store theirs");
    if (entry.uncompressed_size > bytes.size())
      return foreign("entry " + shown + " is larger than the package");
    auto damaged = [&](const char *what) {
      return Error(RMSRT_CORRUPT, package + ": entry " + shown + " " + what +
                                      "; copy or build the package again");
    };
    if (unzOpenCurrentFile(zip.get()) != UNZ_OK)
      return damaged("cannot be read (its header is damaged)");
    std::string data(entry.uncompressed_size, '\0');
    size_t done = 0;
    while (done < data.size()) {
      unsigned chunk = unsigned(std::min<size_t>(data.size() - done, 1u << 30));
      int got = unzReadCurrentFile(zip.get(), &data[done], chunk);
      if (got <= 0)
        break;
      done += size_t(got);
    }
    // Closing compares the CRC, which reading to the end has computed.
    int closed = unzCloseCurrentFile(zip.get());
    if (done != data.size())
      return damaged("is cut short");
    if (closed != UNZ_OK)
      return damaged("is damaged (its CRC differs)");
    if (!entries.emplace(key, std::move(data)).second)
      return foreign("entry " + shown + " is there twice");
    status = unzGoToNextFile(zip.get());
  }
  if (status != UNZ_END_OF_LIST_OF_FILE)
    return foreign("the zip archive's directory is damaged");
  return {};
}

} // namespace

Error Package::openMemory(std::string_view bytes, const std::string &name,
                          Package &package) {
  std::map<std::string, std::string> entries;
  if (Error error = readEntries(bytes, name, entries))
    return error;
  auto manifestEntry = entries.find(kManifestEntry);
  if (manifestEntry == entries.end())
    return Error(RMSRT_NOT_A_PACKAGE,
                 name + ": a zip archive without " + kManifestEntry +
                     ", so not a package; pass a .rmspkg file of rmsc");
  Package result;
  if (Error error = parseManifest(manifestEntry->second, result.contents))
    return Error(error.status(), name + ": " + error.message());
  for (const Kernel &kernel : result.contents.kernels)
    for (const Variant &variant : kernel.variants) {
      const Image &image = variant.image;
      auto corrupt = [&](const std::string &what) {
        return Error(RMSRT_CORRUPT,
                     concat(name, ": entry ", printable(image.file),
                            " (kernel \"", kernel.name, "\", variant ",
                            variant.name, ") ", what,
                            "; copy or build the package again"));
      };
      auto entry = entries.find(image.file);
      if (entry == entries.end())
        return corrupt("is missing");
      const std::string &data = entry->second;
      if (data.size() != image.bytes)
        return corrupt(concat("has ", data.size(), " bytes, not the ",
                              image.bytes, " that the manifest states"));
      if (sha256(data.data(), data.size()) != image.sha256)
        return corrupt("is not what was written (its SHA-256 differs)");
      result.images[image.file] = data;
    }
  package = std::move(result);
  return {};
}

Error Package::openFile(const std::string &path, Package &package) {
  auto failure = [&](const char *what) {
    return Error(RMSRT_IO_ERROR,
                 concat(path, ": cannot be ", what, " (", std::strerror(errno),
                        "); check the path and its rights"));
  };
  struct FileClose {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, FileClose> file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return failure("opened");
  std::string bytes;
  char buffer[1 << 16];
  errno = 0;
  while (size_t got = std::fread(buffer, 1, sizeof(buffer), file.get()))
    bytes.append(buffer, got);
  if (std::ferror(file.get()))
    return failure("read");
  return openMemory(bytes, path, package);
}

} // namespace rmsrt
