//===-- PackageTest.cpp - The package's reader, and its checksum ----------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsrt/Package.h"
#include "Support.h"
#include "rmsrt/Sha256.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace rmsrt;
using namespace support;

static json twoKernels() {
  return document({forwardKernel(), backwardKernel()});
}

static Error open(const std::string &bytes) {
  Package package;
  return Package::openMemory(bytes, "test.rmspkg", package);
}

static void expectError(const std::string &bytes, RmsrtStatus status,
                        const std::string &text) {
  Error error = open(bytes);
  EXPECT_EQ(error.status(), status) << error.message();
  EXPECT_NE(error.message().find(text), std::string::npos) << error.message();
  EXPECT_EQ(error.message().find("test.rmspkg: "), 0u) << error.message();
}

TEST(PackageTest, GivesManifestAndImages) {
  Package package;
  Error error =
      Package::openMemory(support::package(twoKernels()), "p", package);
  ASSERT_FALSE(error) << error.message();
  ASSERT_EQ(package.manifest().kernels.size(), 2u);
  const Variant &v = package.manifest().kernels[0].variants[0];
  EXPECT_EQ(package.image(v.image), "sm_90.vec16|the code of a kernel");
}

TEST(PackageTest, ReadsFiles) {
  const std::string path = ::testing::TempDir() + "rmsrt-package-test.rmspkg";
  const std::string bytes = support::package(twoKernels());
  std::FILE *file = std::fopen(path.c_str(), "wb");
  ASSERT_TRUE(file);
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  Package package;
  EXPECT_FALSE(Package::openFile(path, package));
  EXPECT_EQ(package.manifest().kernels.size(), 2u);
  std::remove(path.c_str());
  Error error = Package::openFile(path, package);
  EXPECT_EQ(error.status(), RMSRT_IO_ERROR);
  EXPECT_NE(error.message().find("No such file"), std::string::npos);
  error = Package::openFile(::testing::TempDir(), package);
  EXPECT_EQ(error.status(), RMSRT_IO_ERROR) << error.message();
}

TEST(PackageTest, RefusesWhatIsNoZip) {
  expectError("", RMSRT_NOT_A_PACKAGE, "no zip archive");
  expectError("\x7f"
              "ELF and so on",
              RMSRT_NOT_A_PACKAGE, "no zip archive");
  expectError(std::string(1 << 17, 'x'), RMSRT_NOT_A_PACKAGE, "no zip archive");
}

TEST(PackageTest, RefusesForeignZips) {
  expectError(zip({{"readme.txt", "hello"}}), RMSRT_NOT_A_PACKAGE,
              "without manifest.json");
  expectError(zip({}), RMSRT_NOT_A_PACKAGE, "zip archive is empty");
  expectError(zip({{"manifest.json", "{}"}}), RMSRT_BAD_MANIFEST,
              "format is missing");
}

TEST(PackageTest, RefusesOtherVersions) {
  json whole = twoKernels();
  whole["version"] = 7;
  expectError(support::package(whole), RMSRT_UNSUPPORTED_VERSION,
              "version is 7");
}

TEST(PackageTest, RefusesEveryTruncation) {
  const std::string bytes = support::package(document({forwardKernel()}));
  // And what follows the end is not ours either.
  expectError(bytes + "x", RMSRT_NOT_A_PACKAGE, "cut short or damaged");
  for (size_t size = 0; size < bytes.size(); ++size) {
    Error error = open(bytes.substr(0, size));
    ASSERT_EQ(error.status(), RMSRT_NOT_A_PACKAGE)
        << size << ": " << error.message();
  }
}

/// A flipped bit is found, or it is in a field that means nothing (a time
/// stamp) and the contents are the same.
TEST(PackageTest, FindsEveryFlippedBit) {
  const std::string bytes = support::package(document({forwardKernel()}));
  Package whole;
  ASSERT_FALSE(Package::openMemory(bytes, "p", whole));
  size_t found = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = char(damaged[i] ^ (1 << i % 8));
    Package package;
    Error error = Package::openMemory(damaged, "p", package);
    if (error) {
      EXPECT_TRUE(error.status() == RMSRT_NOT_A_PACKAGE ||
                  error.status() == RMSRT_CORRUPT ||
                  error.status() == RMSRT_BAD_MANIFEST)
          << i << ": " << error.message();
      ++found;
      continue;
    }
    ASSERT_EQ(package.manifest().kernels.size(), 1u) << i;
    for (const Variant &v : package.manifest().kernels[0].variants)
      EXPECT_EQ(package.image(v.image), whole.image(v.image)) << i;
  }
  EXPECT_GT(found, bytes.size() * 8 / 10);
}

TEST(PackageTest, FindsDamagedCode) {
  json whole = twoKernels();
  Entries entries = seal(whole);
  // With a right CRC: only the SHA-256 can tell.
  entries[1].second[3] ^= 1;
  expectError(zip(entries), RMSRT_CORRUPT, "SHA-256 differs");
  expectError(zip(entries), RMSRT_CORRUPT, "kernel \"forward\", variant vec16");
  entries[1].second += "more";
  expectError(zip(entries), RMSRT_CORRUPT, "bytes, not the");
  entries.erase(entries.begin() + 1);
  expectError(zip(entries), RMSRT_CORRUPT, "is missing");
  // With a wrong one.
  std::string bytes = support::package(twoKernels());
  bytes[bytes.find("the code of a kernel")] = 'T';
  expectError(bytes, RMSRT_CORRUPT, "CRC differs");
}

TEST(PackageTest, RefusesWhatPackagesDoNotHold) {
  json whole = twoKernels();
  Entries entries = seal(whole);
  entries.push_back(entries[1]);
  expectError(zip(entries), RMSRT_NOT_A_PACKAGE, "is there twice");
  // The method is at offset 8 of a local header, 10 of a directory entry.
  std::string bytes = support::package(twoKernels());
  bytes[8] = 8;
  bytes[bytes.find("PK\x01\x02") + 10] = 8;
  expectError(bytes, RMSRT_NOT_A_PACKAGE, "compressed or encrypted");
  // The flags stand before it.
  bytes = support::package(twoKernels());
  bytes[6] = 1;
  bytes[bytes.find("PK\x01\x02") + 8] = 1;
  expectError(bytes, RMSRT_NOT_A_PACKAGE, "compressed or encrypted");
}

TEST(Sha256Test, KnownDigests) {
  EXPECT_EQ(sha256("", 0),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495"
            "991b7852b855");
  EXPECT_EQ(sha256("abc", 3),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb4"
            "10ff61f20015ad");
  // A million times 'a', in pieces that straddle the blocks.
  Sha256 hash;
  const std::string piece(1000, 'a');
  for (int i = 0; i < 1000; ++i)
    hash.update(piece.data(), piece.size());
  EXPECT_EQ(hash.finish(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d3"
            "9ccc7112cd0");
}
