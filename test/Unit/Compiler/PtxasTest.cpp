//===-- PtxasTest.cpp - finding ptxas, reading its report -------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Ptxas.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace llvm;
using namespace rmsc;

namespace {
/// A folder with programs that stand in for ptxas, and an environment of its
/// own.
class FindPtxas : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("rmsc-test", folder));
    for (const char *name : {"RMSC_PTXAS", "PATH", "CUDA_HOME"}) {
      const char *value = std::getenv(name);
      saved.emplace_back(name, value ? value : "");
      hadValue.push_back(value != nullptr);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (auto [entry, had] : llvm::zip(saved, hadValue))
      had ? setenv(entry.first, entry.second.c_str(), 1)
          : unsetenv(entry.first);
    sys::fs::remove_directories(folder);
  }

  /// Writes a ptxas that says it is of a CUDA release.
  std::string makePtxas(StringRef subfolder, StringRef release) {
    SmallString<128> path = folder;
    sys::path::append(path, subfolder);
    EXPECT_FALSE(sys::fs::create_directories(path));
    sys::path::append(path, "ptxas");
    std::error_code error;
    raw_fd_ostream stream(path, error);
    EXPECT_FALSE(error);
    stream << "#!/bin/sh\necho \"Cuda compilation tools, release " << release
           << ", V" << release << ".7\"\n";
    stream.close();
    sys::fs::setPermissions(path, sys::fs::all_all);
    return path.str().str();
  }
  std::string inFolder(StringRef name) {
    SmallString<128> path = folder;
    sys::path::append(path, name);
    return path.str().str();
  }

  SmallString<128> folder;
  std::vector<std::pair<const char *, std::string>> saved;
  std::vector<bool> hadValue;
};
} // namespace

TEST_F(FindPtxas, TakesTheFirstPlaceThatHasOne) {
  std::string home = makePtxas("cuda/bin", "12.8");
  setenv("CUDA_HOME", inFolder("cuda").c_str(), 1);
  Expected<Ptxas> found = findPtxas();
  ASSERT_TRUE(bool(found)) << toString(found.takeError());
  EXPECT_EQ(found->path, home);
  EXPECT_EQ(found->version, "12.8.7");
  EXPECT_EQ(found->maxPtx, 87);

  std::string onPath = makePtxas("path", "12.4");
  setenv("PATH", inFolder("path").c_str(), 1);
  found = findPtxas();
  ASSERT_TRUE(bool(found)) << toString(found.takeError());
  EXPECT_EQ(found->path, onPath);
  EXPECT_EQ(found->maxPtx, 84);

  std::string named = makePtxas("named", "13.0");
  setenv("RMSC_PTXAS", named.c_str(), 1);
  found = findPtxas();
  ASSERT_TRUE(bool(found)) << toString(found.takeError());
  EXPECT_EQ(found->path, named);

  std::string given = makePtxas("given", "12.0");
  found = findPtxas(given);
  ASSERT_TRUE(bool(found)) << toString(found.takeError());
  EXPECT_EQ(found->path, given);
  EXPECT_EQ(found->maxPtx, 80);
}

TEST_F(FindPtxas, NamedButMissing) {
  // Another one on PATH is not taken in its place.
  makePtxas("path", "12.4");
  setenv("PATH", inFolder("path").c_str(), 1);
  setenv("RMSC_PTXAS", inFolder("nothing").c_str(), 1);
  Expected<Ptxas> found = findPtxas();
  ASSERT_FALSE(bool(found));
  EXPECT_EQ(toString(found.takeError()),
            "RMSC_PTXAS names '" + inFolder("nothing") +
                "', which does not exist; correct it, or leave it out to have "
                "ptxas looked for");
}

TEST_F(FindPtxas, TooOld) {
  Expected<Ptxas> found = findPtxas(makePtxas("old", "11.4"));
  ASSERT_FALSE(bool(found));
  EXPECT_NE(toString(found.takeError())
                .find("is ptxas 11.4.7, which is too "
                      "old for every chip"),
            std::string::npos);
}

TEST_F(FindPtxas, AnotherProgram) {
  Expected<Ptxas> found = findPtxas("/bin/true");
  ASSERT_FALSE(bool(found));
  EXPECT_NE(toString(found.takeError())
                .find("'/bin/true' does not answer --version like a ptxas"),
            std::string::npos);
}

TEST(MaxPtx, FollowsTheReleaseNotes) {
  EXPECT_EQ(maxPtxOfRelease(11, 7), 0);
  EXPECT_EQ(maxPtxOfRelease(11, 8), 78);
  EXPECT_EQ(maxPtxOfRelease(12, 6), 85);
  EXPECT_EQ(maxPtxOfRelease(12, 9), 88);
  EXPECT_EQ(maxPtxOfRelease(13, 0), 90);
  // Unknown, but newer than all that are known.
  EXPECT_EQ(maxPtxOfRelease(14, 2), 91);
}

static constexpr StringLiteral reportOfTwo = R"(
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'rows' for 'sm_90'
ptxas info    : Function properties for rows
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 88 registers, used 1 barriers, 8 bytes cumulative stack size, 64 bytes smem
ptxas info    : Compile time = 2.899 ms
ptxas info    : Compiling entry function 'rows_sum' for 'sm_90'
ptxas info    : Function properties for helper
    99 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads
ptxas info    : Function properties for rows_sum
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, used 0 barriers
)";

TEST(PtxasReport, ReadsEveryEntry) {
  Expected<PtxasReport> report = parsePtxasReport(reportOfTwo);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  ASSERT_EQ(report->entries.size(), 2u);
  const PtxasEntry *rows = report->find("rows");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->registers, 88);
  EXPECT_EQ(rows->stack, 8);
  EXPECT_EQ(rows->spillStores, 12);
  EXPECT_EQ(rows->spillLoads, 16);
  EXPECT_EQ(rows->shared, 64);
  const PtxasEntry *sum = report->find("rows_sum");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->registers, 20);
  EXPECT_EQ(sum->stack, 0);
  EXPECT_EQ(sum->shared, 0);
  EXPECT_FALSE(report->find("helper"));
}

TEST(PtxasReport, EveryMissingLineIsAnError) {
  for (StringRef line : {"Used 88", "Used 20", "0 bytes stack frame, 0"}) {
    std::string text = reportOfTwo.str();
    size_t begin = text.find(line.str());
    text.erase(begin, text.find('\n', begin) - begin);
    Expected<PtxasReport> report = parsePtxasReport(text);
    EXPECT_FALSE(bool(report)) << "without " << line.str();
    consumeError(report.takeError());
  }
  Expected<PtxasReport> report = parsePtxasReport("");
  ASSERT_FALSE(bool(report));
  EXPECT_NE(toString(report.takeError()).find("any entry point"),
            std::string::npos);
}

static constexpr StringLiteral smallKernel = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 p) .maxntid 64 {
  .reg .b64 %rd<2>;
  .shared .align 4 .b8 buffer[64];
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  st.shared.u32 [buffer], %r1;
  bar.sync 0;
  ld.shared.u32 %r1, [buffer];
  st.global.u32 [%rd1], %r1;
  ret;
})";

TEST(Assemble, GivesCodeAndReport) {
  Expected<Ptxas> ptxas = findPtxas();
  ASSERT_TRUE(bool(ptxas)) << toString(ptxas.takeError());
  Expected<PtxasOutput> output = assemble(*ptxas, smallKernel, "sm_90", "k");
  ASSERT_TRUE(bool(output)) << toString(output.takeError());
  EXPECT_TRUE(StringRef(output->cubin)
                  .starts_with("\x7f"
                               "ELF"));
  const PtxasEntry *entry = output->report.find("kernel");
  ASSERT_TRUE(entry);
  EXPECT_GT(entry->registers, 0);
  EXPECT_EQ(entry->shared, 64);
}

TEST(Assemble, RefusalQuotesPtxas) {
  Expected<Ptxas> ptxas = findPtxas();
  ASSERT_TRUE(bool(ptxas)) << toString(ptxas.takeError());
  std::string wrong = smallKernel.str();
  wrong.replace(wrong.find("bar.sync 0"), 10, "bar.snyc 0");
  Expected<PtxasOutput> output = assemble(*ptxas, wrong, "sm_90", "my kernel");
  ASSERT_FALSE(bool(output));
  std::string message = toString(output.takeError());
  EXPECT_TRUE(StringRef(message).starts_with("my kernel: ptxas "));
  EXPECT_NE(message.find("for sm_90: "), std::string::npos);
  EXPECT_NE(message.find("PTX, line 12;"), std::string::npos) << message;
  EXPECT_EQ(message.find("/proc/"), std::string::npos) << message;
}

TEST(CheckPtx, NamesLibdeviceAndOtherCalls) {
  EXPECT_FALSE(bool(checkPtx(smallKernel, "k")));
  Error error = checkPtx(".extern .func  (.param .b32 func_retval0) "
                         "__nv_rsqrtf\n(\n\t.param .b32 x\n)\n;\n"
                         ".extern .func vprintf(.param .b64 f)\n;\n",
                         "k");
  ASSERT_TRUE(bool(error));
  std::string message = toString(std::move(error));
  EXPECT_NE(message.find("calls '__nv_rsqrtf', 'vprintf' and holds"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("libdevice"), std::string::npos);
}
