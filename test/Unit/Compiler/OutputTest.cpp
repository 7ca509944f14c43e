//===-- OutputTest.cpp - files whole or not at all --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Package.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/resource.h>

using namespace llvm;
using namespace rmsc;

namespace {
class WriteFiles : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("rmsc-test", folder));
  }
  void TearDown() override { sys::fs::remove_directories(folder); }

  std::string inFolder(StringRef name) {
    SmallString<128> path = folder;
    sys::path::append(path, name);
    return path.str().str();
  }
  std::string read(StringRef name) {
    auto buffer = MemoryBuffer::getFile(inFolder(name));
    return buffer ? (*buffer)->getBuffer().str() : "(missing)";
  }
  size_t countFiles() {
    std::error_code error;
    size_t count = 0;
    for (sys::fs::directory_iterator it(folder, error), end; it != end;
         it.increment(error))
      ++count;
    return count;
  }

  SmallString<128> folder;
};
} // namespace

TEST_F(WriteFiles, ReplacesAndLeavesNothingElse) {
  ASSERT_FALSE(bool(writeFiles({{inFolder("a"), "old"}})));
  ASSERT_FALSE(
      bool(writeFiles({{inFolder("a"), "new"}, {inFolder("b"), "x"}})));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(read("b"), "x");
  EXPECT_EQ(countFiles(), 2u);
}

TEST_F(WriteFiles, NoRoom) {
  ASSERT_FALSE(bool(writeFiles({{inFolder("a"), "old"}})));
  // A limit on the size of files stands in for a full disk: the write fails
  // half way. The signal would end the test.
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old, small;
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &small);
  std::string large(1 << 20, 'x');
  Error error = writeFiles({{inFolder("b"), "first"}, {inFolder("a"), large}});
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  ASSERT_TRUE(bool(error));
  std::string message = toString(std::move(error));
  EXPECT_NE(message.find("cannot write '" + inFolder("a") + "': "),
            std::string::npos)
      << message;
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(WriteFiles, FullDevice) {
  Error error = writeFiles({{inFolder("b"), "first"}, {"/dev/full", "x"}});
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(toString(std::move(error)),
            "cannot write '/dev/full': No space left on device; free some "
            "space, or name another place with -o");
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(WriteFiles, NoFolder) {
  Error error = writeFiles({{inFolder("no/a"), "x"}});
  ASSERT_TRUE(bool(error));
  EXPECT_NE(toString(std::move(error))
                .find("the folder '" + inFolder("no") + "' does not exist"),
            std::string::npos);
}

TEST_F(WriteFiles, AFolderIsNoFile) {
  ASSERT_FALSE(sys::fs::create_directory(inFolder("d")));
  Error error = writeFiles({{inFolder("a"), "x"}, {inFolder("d"), "x"}});
  ASSERT_TRUE(bool(error));
  EXPECT_NE(toString(std::move(error)).find("Is a directory"),
            std::string::npos);
  EXPECT_EQ(countFiles(), 1u);
}
