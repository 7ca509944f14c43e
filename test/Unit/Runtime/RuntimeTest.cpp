//===-- RuntimeTest.cpp - The C API against a stand-in driver -------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"
#include "Support.h"
#include "rmsrt/rmsrt.h"
#include "rmsrt/rmsrt.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

using namespace support;

namespace {

template <typename Function> Function *control(const char *name) {
  static void *library = dlopen(RMSRT_STANDIN, RTLD_NOW | RTLD_LOCAL);
  EXPECT_TRUE(library) << dlerror();
  return reinterpret_cast<Function *>(dlsym(library, name));
}

standin::Control &driver() {
  static standin::Control *state =
      control<standin::ControlFunction>("standinControl")();
  return *state;
}
void setCurrent(int context) {
  control<standin::SetCurrentFunction>("standinSetCurrent")(context);
}
int getCurrent() {
  return control<standin::GetCurrentFunction>("standinGetCurrent")();
}

void *at(uintptr_t address) { return reinterpret_cast<void *>(address); }
/// A stream of a context of the stand-in.
void *streamOf(int context) { return at(uintptr_t(1000 * context + 7)); }

std::string lastError() { return rmsrtLastError(); }

class RuntimeTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("RMSRT_CUDA_DRIVER", RMSRT_STANDIN, 1);
    driver() = standin::Control();
    setCurrent(1);
    open(document({forwardKernel(), backwardKernel()}));
  }
  void TearDown() override {
    driver().failing.clear();
    driver().capturing = false;
    rmsrtPackageClose(package);
    setCurrent(0);
  }

  void open(const json &whole) {
    if (package)
      rmsrtPackageClose(package);
    const std::string bytes = support::package(whole);
    ASSERT_EQ(rmsrtPackageOpenMemory(bytes.data(), bytes.size(), &package),
              RMSRT_SUCCESS)
        << lastError();
    ASSERT_EQ(rmsrtPackageGetKernel(package, 0, &forward), RMSRT_SUCCESS);
    if (rmsrtPackageKernelCount(package) > 1) {
      ASSERT_EQ(rmsrtPackageGetKernel(package, 1, &backward), RMSRT_SUCCESS);
    }
    for (uintptr_t i = 0; i < 8; ++i)
      tensors[i] = {at(0x100000 * (i + 1)), 0};
  }

  RmsrtCall call(size_t tensorCount, int64_t rows) {
    RmsrtCall c = {};
    c.tensors = tensors;
    c.tensorCount = tensorCount;
    c.rows = rows;
    c.workspace = at(0x2000000);
    c.workspaceBytes = 4096;
    driver().argumentCount = tensorCount == 4 ? 4 + 1 + 3 + 1 : 8 + 1 + 5 + 1;
    return c;
  }
  RmsrtCall forwardCall(int64_t rows) { return call(4, rows); }
  RmsrtCall backwardCall(int64_t rows) { return call(8, rows); }

  RmsrtPackage package = nullptr;
  RmsrtKernel forward = nullptr, backward = nullptr;
  RmsrtTensor tensors[8];
};

} // namespace

//===----------------------------------------------------------------------===//
// Packages and kernels
//===----------------------------------------------------------------------===//

TEST_F(RuntimeTest, NeedsNoDriverToLookInside) {
  EXPECT_EQ(rmsrtPackageKernelCount(package), 2u);
  EXPECT_STREQ(rmsrtKernelName(forward), "forward");
  EXPECT_EQ(rmsrtKernelHiddenSize(forward), 8);
  EXPECT_EQ(rmsrtKernelParameterCount(backward), 8u);
  RmsrtKernel found = nullptr;
  EXPECT_EQ(rmsrtPackageFindKernel(package, "backward", &found), RMSRT_SUCCESS);
  EXPECT_EQ(found, backward);
  EXPECT_EQ(rmsrtPackageFindKernel(package, "sideways", &found),
            RMSRT_NOT_FOUND);
  EXPECT_NE(lastError().find("it holds forward, backward"), std::string::npos);
  size_t bytes = 1;
  EXPECT_EQ(rmsrtKernelWorkspaceBytes(backward, 3, &bytes), RMSRT_SUCCESS);
  EXPECT_EQ(bytes, 320u);
  EXPECT_EQ(rmsrtKernelMaxWorkspaceBytes(backward, &bytes), RMSRT_SUCCESS);
  EXPECT_EQ(bytes, 384u);
  EXPECT_EQ(rmsrtKernelWorkspaceZeroedBytes(backward, &bytes), RMSRT_SUCCESS);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(rmsrtKernelWorkspaceBytes(backward, -3, &bytes), RMSRT_BAD_ROWS);
  EXPECT_EQ(driver().calls, 0u);
}

TEST_F(RuntimeTest, ParametersAreDescribed) {
  RmsrtParameter p;
  ASSERT_EQ(rmsrtKernelParameter(forward, 0, &p), RMSRT_SUCCESS);
  EXPECT_STREQ(p.name, "x");
  EXPECT_STREQ(p.role, "x");
  EXPECT_EQ(p.direction, RMSRT_INPUT);
  EXPECT_EQ(p.kind, RMSRT_ROWS);
  EXPECT_EQ(p.dtype, RMSRT_BF16);
  EXPECT_EQ(p.rank, 2);
  EXPECT_EQ(p.used, 1);
  EXPECT_EQ(p.mayAlias, 3);
  ASSERT_EQ(rmsrtKernelParameter(backward, 1, &p), RMSRT_SUCCESS);
  EXPECT_EQ(p.used, 0);
  EXPECT_EQ(p.mayAlias, -1);
  ASSERT_EQ(rmsrtKernelParameter(backward, 3, &p), RMSRT_SUCCESS);
  EXPECT_EQ(p.kind, RMSRT_SCALARS);
  EXPECT_EQ(p.dtype, RMSRT_F32);
  ASSERT_EQ(rmsrtKernelParameter(backward, 7, &p), RMSRT_SUCCESS);
  EXPECT_EQ(p.direction, RMSRT_OUTPUT);
  EXPECT_EQ(p.kind, RMSRT_COLUMNS);
  EXPECT_EQ(rmsrtKernelParameter(backward, 8, &p), RMSRT_INVALID_ARGUMENT);
}

TEST_F(RuntimeTest, MistakesOfTheCaller) {
  RmsrtPackage p = nullptr;
  RmsrtKernel k = nullptr;
  RmsrtParameter parameter;
  RmsrtCall c = forwardCall(1);
  size_t bytes = 0;
  const char *name = nullptr;
  const RmsrtStatus bad = RMSRT_INVALID_ARGUMENT;
  EXPECT_EQ(rmsrtPackageOpenFile(nullptr, &p), bad);
  EXPECT_EQ(rmsrtPackageOpenFile("x", nullptr), bad);
  EXPECT_EQ(rmsrtPackageOpenMemory(nullptr, 0, &p), bad);
  EXPECT_EQ(rmsrtPackageOpenMemory("x", 1, nullptr), bad);
  EXPECT_EQ(rmsrtPackageGetKernel(nullptr, 0, &k), bad);
  EXPECT_EQ(rmsrtPackageGetKernel(package, 0, nullptr), bad);
  EXPECT_EQ(rmsrtPackageGetKernel(package, 2, &k), bad);
  EXPECT_NE(lastError().find("holds 2 kernels"), std::string::npos);
  EXPECT_EQ(rmsrtPackageFindKernel(nullptr, "x", &k), bad);
  EXPECT_EQ(rmsrtPackageFindKernel(package, nullptr, &k), bad);
  EXPECT_EQ(rmsrtPackageFindKernel(package, "x", nullptr), bad);
  EXPECT_EQ(rmsrtKernelParameter(nullptr, 0, &parameter), bad);
  EXPECT_EQ(rmsrtKernelParameter(forward, 0, nullptr), bad);
  EXPECT_EQ(rmsrtKernelPrepare(nullptr), bad);
  EXPECT_EQ(rmsrtPackagePrepare(nullptr), bad);
  EXPECT_EQ(rmsrtKernelWorkspaceBytes(nullptr, 1, &bytes), bad);
  EXPECT_EQ(rmsrtKernelWorkspaceBytes(forward, 1, nullptr), bad);
  EXPECT_EQ(rmsrtKernelMaxWorkspaceBytes(nullptr, &bytes), bad);
  EXPECT_EQ(rmsrtKernelMaxWorkspaceBytes(forward, nullptr), bad);
  EXPECT_EQ(rmsrtKernelWorkspaceZeroedBytes(nullptr, &bytes), bad);
  EXPECT_EQ(rmsrtKernelWorkspaceZeroedBytes(forward, nullptr), bad);
  EXPECT_EQ(rmsrtKernelSelect(nullptr, &c, &name), bad);
  EXPECT_EQ(rmsrtKernelSelect(forward, nullptr, &name), bad);
  EXPECT_EQ(rmsrtKernelSelect(forward, &c, nullptr), bad);
  EXPECT_EQ(rmsrtKernelLaunch(nullptr, &c), bad);
  EXPECT_EQ(rmsrtKernelLaunch(forward, nullptr), bad);
  EXPECT_NE(lastError().find("`call` is NULL"), std::string::npos);
  EXPECT_EQ(rmsrtPackageClose(nullptr), RMSRT_SUCCESS);
  EXPECT_EQ(rmsrtPackageKernelCount(nullptr), 0u);
  EXPECT_STREQ(rmsrtKernelName(nullptr), "");
  EXPECT_EQ(rmsrtKernelHiddenSize(nullptr), 0);
  EXPECT_EQ(rmsrtKernelParameterCount(nullptr), 0u);
}

/// Every status that opening can give, through the C API.
TEST_F(RuntimeTest, PackagesThatDoNotOpen) {
  RmsrtPackage p = reinterpret_cast<RmsrtPackage>(this);
  EXPECT_EQ(rmsrtPackageOpenFile("/no/such/file.rmspkg", &p), RMSRT_IO_ERROR);
  EXPECT_EQ(p, nullptr);
  EXPECT_NE(lastError().find("/no/such/file.rmspkg"), std::string::npos);
  EXPECT_EQ(rmsrtPackageOpenMemory("rubbish", 7, &p), RMSRT_NOT_A_PACKAGE);
  json whole = document({forwardKernel()});
  whole["version"] = 9;
  std::string bytes = support::package(whole);
  EXPECT_EQ(rmsrtPackageOpenMemory(bytes.data(), bytes.size(), &p),
            RMSRT_UNSUPPORTED_VERSION);
  whole["version"] = rmsrt::kManifestVersion;
  whole["kernels"][0]["hidden_size"] = 0;
  bytes = support::package(whole);
  EXPECT_EQ(rmsrtPackageOpenMemory(bytes.data(), bytes.size(), &p),
            RMSRT_BAD_MANIFEST);
  bytes = support::package(document({forwardKernel()}));
  bytes[bytes.find("the code of a kernel")] = 'T';
  EXPECT_EQ(rmsrtPackageOpenMemory(bytes.data(), bytes.size(), &p),
            RMSRT_CORRUPT);
  failAllocations(true);
  RmsrtStatus status = rmsrtPackageOpenMemory(bytes.data(), bytes.size(), &p);
  failAllocations(false);
  EXPECT_EQ(status, RMSRT_OUT_OF_MEMORY);
  EXPECT_EQ(p, nullptr);
}

TEST(StatusTest, HaveNames) {
  for (int status = RMSRT_SUCCESS; status <= RMSRT_OUT_OF_MEMORY; ++status)
    EXPECT_EQ(std::string(rmsrtStatusName(RmsrtStatus(status))).find("RMSRT_"),
              0u)
        << status;
  EXPECT_STREQ(rmsrtStatusName(RmsrtStatus(999)), "unknown status");
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

TEST_F(RuntimeTest, LaunchesWithTheKernelsAbi) {
  RmsrtCall c = forwardCall(5);
  c.stream = streamOf(1);
  ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS) << lastError();
  ASSERT_EQ(driver().launches.size(), 1u);
  const standin::LaunchRecord &l = driver().launches[0];
  EXPECT_EQ(l.entry, "sm_90.vec16/forward_vec16");
  EXPECT_EQ(l.grid, 5u);
  EXPECT_EQ(l.block, 256u);
  EXPECT_EQ(l.shared, 0u);
  EXPECT_EQ(l.cluster, 0u);
  EXPECT_FALSE(l.overlaps);
  EXPECT_EQ(l.stream, streamOf(1));
  EXPECT_EQ(l.arguments,
            (std::vector<uint64_t>{0x100000, 0x200000, 0x300000, 0x400000, 5, 8,
                                   8, 8, 0x2000000}));
}

TEST_F(RuntimeTest, ChoosesByAlignmentAndByName) {
  RmsrtCall c = forwardCall(5);
  const char *name = nullptr;
  EXPECT_EQ(rmsrtKernelSelect(forward, &c, &name), RMSRT_SUCCESS);
  EXPECT_STREQ(name, "vec16");
  tensors[1].data = at(0x200002);
  EXPECT_EQ(rmsrtKernelSelect(forward, &c, &name), RMSRT_SUCCESS);
  EXPECT_STREQ(name, "elem");
  EXPECT_EQ(driver().launches.size(), 0u);
  ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS);
  EXPECT_EQ(driver().launches[0].entry, "sm_90.elem/forward_elem");
  c.variant = "vec16";
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_NO_VARIANT);
  c.variant = "other";
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_NOT_FOUND);
  EXPECT_EQ(driver().launches.size(), 1u);
}

TEST_F(RuntimeTest, ACallOfTwoLaunches) {
  RmsrtCall c = backwardCall(100);
  ASSERT_EQ(rmsrtKernelLaunch(backward, &c), RMSRT_SUCCESS) << lastError();
  ASSERT_EQ(driver().launches.size(), 2u);
  EXPECT_EQ(driver().launches[0].grid, 4u);
  EXPECT_EQ(driver().launches[1].grid, 3u);
  EXPECT_FALSE(driver().launches[0].overlaps);
  EXPECT_TRUE(driver().launches[1].overlaps);
  EXPECT_EQ(driver().launches[0].arguments, driver().launches[1].arguments);
  EXPECT_EQ(driver().launches[0].arguments.size(), 15u);
}

TEST_F(RuntimeTest, OverlapsTheEarlierKernelOnlyOnRequest) {
  RmsrtCall c = backwardCall(100);
  c.flags = RMSRT_LAUNCH_DEPENDENT;
  ASSERT_EQ(rmsrtKernelLaunch(backward, &c), RMSRT_SUCCESS);
  EXPECT_TRUE(driver().launches[0].overlaps);
  // The forward was not compiled to wait.
  c = forwardCall(5);
  c.flags = RMSRT_LAUNCH_DEPENDENT;
  ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS);
  EXPECT_FALSE(driver().launches[2].overlaps);
}

TEST_F(RuntimeTest, NoRowsLaunchNoRows) {
  RmsrtCall c = forwardCall(0);
  ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS) << lastError();
  EXPECT_EQ(driver().launches.size(), 0u);
  c = backwardCall(0);
  ASSERT_EQ(rmsrtKernelLaunch(backward, &c), RMSRT_SUCCESS) << lastError();
  ASSERT_EQ(driver().launches.size(), 1u);
  EXPECT_EQ(driver().launches[0].entry, "sm_90.partials/backward_columns");
  // It is the call's first launch now: nothing of ours to overlap with.
  EXPECT_FALSE(driver().launches[0].overlaps);
}

TEST_F(RuntimeTest, ClustersAndSharedMemory) {
  json kernel = forwardKernel();
  json &launch = kernel["variants"][0]["launches"][0];
  launch["cluster"] = 16;
  launch["shared_dynamic_bytes"] = 100000;
  open(document({kernel}));
  driver() = standin::Control();
  RmsrtCall c = forwardCall(5);
  ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS) << lastError();
  const standin::LaunchRecord &l = driver().launches[0];
  EXPECT_EQ(l.grid, 80u);
  EXPECT_EQ(l.cluster, 16u);
  EXPECT_EQ(l.shared, 100000u);
  ASSERT_EQ(driver().attributes.size(), 2u);
  EXPECT_EQ(driver().attributes[0].attribute, 8);
  EXPECT_EQ(driver().attributes[0].value, 100000);
  EXPECT_EQ(driver().attributes[0].device, 0);
  EXPECT_EQ(driver().attributes[0].entry, "sm_90.vec16/forward_vec16");
  EXPECT_EQ(driver().attributes[1].attribute, 14);
  EXPECT_EQ(driver().attributes[1].value, 1);
}

TEST_F(RuntimeTest, LaunchesInTheStreamsContextAndRestoresTheCurrentOne) {
  for (int current : {1, 2, 0}) {
    setCurrent(current);
    RmsrtCall c = forwardCall(5);
    c.stream = streamOf(2);
    ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS) << lastError();
    EXPECT_EQ(driver().launches.back().contextAtLaunch, at(2));
    EXPECT_EQ(getCurrent(), current);
    // Also when it fails, before and after the launch's checks.
    driver().failing = "cuLaunchKernelEx";
    driver().failure = 719;
    EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_DRIVER_ERROR);
    EXPECT_EQ(getCurrent(), current);
    driver().failing.clear();
  }
}

TEST_F(RuntimeTest, AFailedPrepareRestoresTheCurrentContextToo) {
  driver().failing = "cuLibraryLoadData";
  driver().failure = 2;
  RmsrtCall c = forwardCall(5);
  c.stream = streamOf(2);
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_DRIVER_ERROR);
  EXPECT_EQ(getCurrent(), 1);
}

TEST_F(RuntimeTest, EachContextIsPreparedOnceAndCodeIsLoadedOnce) {
  RmsrtCall c = forwardCall(5);
  for (int context : {1, 2, 1, 2, 1}) {
    c.stream = streamOf(context);
    ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS);
  }
  EXPECT_EQ(driver().loads, 2u); // Two images.
  EXPECT_EQ(driver().loadedEntries.size(), 4u);
  EXPECT_EQ(rmsrtKernelPrepare(forward), RMSRT_SUCCESS);
  EXPECT_EQ(driver().loadedEntries.size(), 4u);
  EXPECT_EQ(rmsrtPackageClose(package), RMSRT_SUCCESS);
  package = nullptr;
  EXPECT_EQ(driver().unloads, 2u);
}

TEST_F(RuntimeTest, EachDeviceRunsItsOwnCode) {
  json kernel = forwardKernel();
  json later = variant(kernel, "vec16", "sm_100", false);
  later["launches"][0]["shared_dynamic_bytes"] = 60000;
  kernel["variants"].push_back(later);
  open(document({kernel}));
  driver().secondMajor = 10;
  RmsrtCall c = forwardCall(5);
  const char *entries[] = {"sm_90.vec16/forward_vec16",
                           "sm_100.vec16/forward_vec16"};
  for (int context : {1, 2, 1, 2}) {
    c.stream = streamOf(context);
    ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS) << lastError();
    EXPECT_EQ(driver().launches.back().entry, entries[context - 1]);
  }
  ASSERT_EQ(driver().attributes.size(), 1u);
  EXPECT_EQ(driver().attributes[0].device, 1);
}

TEST_F(RuntimeTest, PrepareLoadsEveryVariant) {
  ASSERT_EQ(rmsrtPackagePrepare(package), RMSRT_SUCCESS) << lastError();
  EXPECT_EQ(driver().loadedEntries,
            (std::vector<std::string>{"sm_90.vec16/forward_vec16",
                                      "sm_90.elem/forward_elem",
                                      "sm_90.partials/backward_partials",
                                      "sm_90.partials/backward_columns"}));
}

TEST_F(RuntimeTest, APreparedLaunchAllocatesAndLoadsNothing) {
  ASSERT_EQ(rmsrtPackagePrepare(package), RMSRT_SUCCESS);
  driver().launches.reserve(64);
  const uint64_t loads = driver().loads;
  driver().capturing = true;
  for (int64_t rows : {0, 1, 5, 10000})
    for (int variants = 0; variants < 2; ++variants) {
      tensors[0].data = at(variants ? 0x100002 : 0x100000);
      RmsrtCall f = forwardCall(rows), b = backwardCall(rows);
      f.stream = b.stream = streamOf(1);
      // The two calls have different numbers of arguments: none is recorded.
      driver().argumentCount = 0;
      // What the stand-in's records take is subtracted by doing it once more.
      ASSERT_EQ(rmsrtKernelLaunch(forward, &f), RMSRT_SUCCESS) << lastError();
      driver().launches.clear();
      size_t before = allocations();
      ASSERT_EQ(rmsrtKernelLaunch(forward, &f), RMSRT_SUCCESS);
      ASSERT_EQ(rmsrtKernelLaunch(backward, &b), RMSRT_SUCCESS);
      size_t recorded = 0;
      for (const standin::LaunchRecord &l : driver().launches)
        recorded += l.entry.size() > 15; // One string each.
      EXPECT_EQ(allocations() - before, recorded);
    }
  EXPECT_EQ(driver().forbidden, "");
  EXPECT_EQ(driver().loads, loads);
}

TEST_F(RuntimeTest, RefusesToLoadDuringACapture) {
  driver().capturing = true;
  RmsrtCall c = forwardCall(5);
  c.stream = streamOf(1);
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_NOT_PREPARED);
  EXPECT_NE(lastError().find("rmsrtKernelPrepare"), std::string::npos);
  EXPECT_EQ(driver().forbidden, "");
  EXPECT_EQ(driver().launches.size(), 0u);
  driver().capturing = false;
  ASSERT_EQ(rmsrtKernelPrepare(forward), RMSRT_SUCCESS);
  driver().capturing = true;
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS) << lastError();
  // Prepared in one context is not prepared in another.
  c.stream = streamOf(2);
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_NOT_PREPARED);
}

TEST_F(RuntimeTest, NoContext) {
  setCurrent(0);
  RmsrtCall c = forwardCall(5);
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_NO_CONTEXT);
  EXPECT_NE(lastError().find("cuCtxSetCurrent"), std::string::npos);
  EXPECT_EQ(rmsrtKernelPrepare(forward), RMSRT_NO_CONTEXT);
  EXPECT_EQ(rmsrtPackagePrepare(package), RMSRT_NO_CONTEXT);
  for (uintptr_t special : {1, 2}) { // Legacy and per-thread default streams.
    c.stream = at(special);
    EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_NO_CONTEXT);
    setCurrent(1);
    EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS);
    setCurrent(0);
  }
  c.stream = at(999); // A stream without a context.
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_NO_CONTEXT);
}

TEST_F(RuntimeTest, NoCodeForTheDevice) {
  driver().major = 10;
  RmsrtCall c = forwardCall(5);
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_NO_CODE);
  EXPECT_NE(
      lastError().find("compute capability 10.0: the package holds sm_90"),
      std::string::npos)
      << lastError();
  EXPECT_EQ(rmsrtKernelPrepare(forward), RMSRT_NO_CODE);
}

TEST_F(RuntimeTest, RefusedCallsLaunchNothing) {
  const auto expect = [&](RmsrtStatus status, const RmsrtCall &c,
                          RmsrtKernel kernel) {
    EXPECT_EQ(rmsrtKernelLaunch(kernel, &c), status) << lastError();
    EXPECT_FALSE(lastError().empty());
    EXPECT_EQ(driver().launches.size(), 0u);
  };
  expect(RMSRT_BAD_ROWS, forwardCall(-1), forward);
  expect(RMSRT_BAD_ROWS, forwardCall(RMSRT_MAX_ROWS + 1), forward);
  expect(RMSRT_INVALID_ARGUMENT, call(3, 1), forward);
  RmsrtCall c = forwardCall(1);
  c.flags = 8;
  expect(RMSRT_INVALID_ARGUMENT, c, forward);
  tensors[2].data = nullptr;
  expect(RMSRT_NULL_POINTER, forwardCall(1), forward);
  tensors[2].data = at(0x300001);
  expect(RMSRT_MISALIGNED, forwardCall(1), forward);
  tensors[2].data = at(0x300000);
  tensors[0].rowStride = 4;
  expect(RMSRT_BAD_STRIDE, forwardCall(1), forward);
  tensors[0].rowStride = 0;
  tensors[3] = tensors[1];
  expect(RMSRT_OVERLAP, forwardCall(1), forward);
  tensors[3].data = at(0x400000);
  c = backwardCall(3);
  c.workspaceBytes = 319;
  expect(RMSRT_WORKSPACE_TOO_SMALL, c, backward);
}

TEST_F(RuntimeTest, EveryFailureOfTheDriverIsReturned) {
  const char *preparing[] = {
      "cuCtxGetCurrent",      "cuCtxPushCurrent_v2", "cuCtxGetId",
      "cuStreamGetCtx",       "cuStreamIsCapturing", "cuCtxGetDevice",
      "cuDeviceGetAttribute", "cuLibraryLoadData",   "cuLibraryGetKernel",
      "cuKernelGetFunction",  "cuFuncLoad",          "cuLaunchKernelEx",
      "cuCtxPopCurrent_v2",   "cuKernelSetAttribute"};
  json kernel = forwardKernel();
  kernel["variants"][0]["launches"][0]["shared_dynamic_bytes"] = 60000;
  for (const char *entry : preparing) {
    open(document({kernel}));
    RmsrtCall c = forwardCall(5);
    c.stream = streamOf(2);
    driver().failing = entry;
    driver().failure = 46;
    EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_DRIVER_ERROR) << entry;
    EXPECT_NE(lastError().find("CUDA_ERROR_STAND_IN (46: as the test asked)"),
              std::string::npos)
        << entry << ": " << lastError();
    driver().failing.clear();
    setCurrent(1); // A failed pop leaves its mark on the stand-in.
    // The next call is as good as new.
    EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS)
        << entry << ": " << lastError();
  }
  driver().failing = "cuLibraryUnload";
  driver().failure = 46;
  EXPECT_EQ(rmsrtPackageClose(package), RMSRT_DRIVER_ERROR);
  package = nullptr;
}

TEST_F(RuntimeTest, AFailureToRestoreTheContextIsReturned) {
  RmsrtCall c = forwardCall(5);
  c.stream = streamOf(2);
  ASSERT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS);
  driver().failing = "cuCtxPopCurrent_v2";
  driver().failure = 46;
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_DRIVER_ERROR);
  EXPECT_NE(lastError().find("restoring the current context"),
            std::string::npos);
}

TEST_F(RuntimeTest, TheSecondLaunchsFailureIsReturned) {
  driver().failing = "cuLaunchKernelEx";
  driver().failure = 701;
  driver().failAfter = 1;
  RmsrtCall c = backwardCall(100);
  EXPECT_EQ(rmsrtKernelLaunch(backward, &c), RMSRT_DRIVER_ERROR);
  EXPECT_NE(lastError().find("launching backward_columns"), std::string::npos);
  EXPECT_NE(lastError().find("rows = 100"), std::string::npos);
}

TEST_F(RuntimeTest, ThePtxCompilersMessageIsPassedOn) {
  json kernel = forwardKernel();
  for (json &v : kernel["variants"])
    v["image"]["format"] = "ptx";
  open(document({kernel}));
  driver().failing = "ptx";
  driver().failure = 218;
  RmsrtCall c = forwardCall(5);
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_DRIVER_ERROR);
  EXPECT_NE(lastError().find("line 7 is no PTX"), std::string::npos)
      << lastError();
}

TEST_F(RuntimeTest, OutOfMemory) {
  RmsrtCall c = forwardCall(5);
  failAllocations(true);
  RmsrtStatus status = rmsrtKernelLaunch(forward, &c);
  failAllocations(false);
  EXPECT_EQ(status, RMSRT_OUT_OF_MEMORY);
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_SUCCESS) << lastError();
}

TEST_F(RuntimeTest, MessagesBelongToTheirThread) {
  RmsrtCall c = forwardCall(-1);
  EXPECT_EQ(rmsrtKernelLaunch(forward, &c), RMSRT_BAD_ROWS);
  const std::string mine = lastError();
  std::thread([&] {
    EXPECT_STREQ(rmsrtLastError(), "");
    RmsrtKernel k = nullptr;
    rmsrtPackageFindKernel(package, "sideways", &k);
    EXPECT_NE(lastError(), mine);
  }).join();
  EXPECT_EQ(lastError(), mine);
}

TEST_F(RuntimeTest, EightThreads) {
  constexpr int kThreads = 8, kCalls = 200;
  // Long enough for all threads to meet at the first call.
  driver().loadMs = 20;
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  RmsrtCall call = backwardCall(9);
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      // Half of the threads in each of two contexts, all from the first call
      // on.
      setCurrent(1 + t % 2);
      RmsrtCall c = call;
      c.stream = streamOf(1 + t / 4);
      for (int i = 0; i < kCalls; ++i)
        if (rmsrtKernelLaunch(backward, &c) != RMSRT_SUCCESS ||
            getCurrent() != 1 + t % 2)
          ++failures;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(driver().loads, 1u);
  EXPECT_EQ(driver().loadedEntries.size(), 4u); // Two launches, two contexts.
  ASSERT_EQ(driver().launches.size(), size_t(2 * kThreads * kCalls));
  for (const standin::LaunchRecord &l : driver().launches) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(l.stream) / 1000,
              reinterpret_cast<uintptr_t>(l.contextAtLaunch));
    EXPECT_EQ(l.arguments.size(), 15u);
  }
}

//===----------------------------------------------------------------------===//
// The C++ wrapper
//===----------------------------------------------------------------------===//

TEST_F(RuntimeTest, TheWrapperDoesTheSame) {
  const std::string bytes =
      support::package(document({forwardKernel(), backwardKernel()}));
  rmsrt::api::Package wrapped =
      rmsrt::api::Package::fromMemory(bytes.data(), bytes.size());
  ASSERT_EQ(wrapped.kernels().size(), 2u);
  rmsrt::api::Kernel kernel = wrapped.kernel("backward");
  EXPECT_EQ(kernel.name(), "backward");
  EXPECT_EQ(kernel.hiddenSize(), 8);
  EXPECT_EQ(kernel.parameters().size(), 8u);
  EXPECT_EQ(kernel.workspaceBytes(3), 320u);
  EXPECT_EQ(kernel.maxWorkspaceBytes(), 384u);
  wrapped.prepare();
  RmsrtCall c = backwardCall(9);
  EXPECT_EQ(kernel.select(c), "partials");
  kernel.launch(c);
  EXPECT_EQ(driver().launches.size(), 2u);
  c.rows = -1;
  try {
    kernel.launch(c);
    FAIL() << "nothing was thrown";
  } catch (const rmsrt::api::Exception &e) {
    EXPECT_EQ(e.status(), RMSRT_BAD_ROWS);
    EXPECT_NE(std::string(e.what()).find("rows is -1"), std::string::npos);
  }
  rmsrt::api::Package moved = std::move(wrapped);
  EXPECT_EQ(moved.kernels().size(), 2u);
  EXPECT_THROW(rmsrt::api::Package::fromFile("/no/such/file"),
               rmsrt::api::Exception);
}

//===----------------------------------------------------------------------===//
// Finding the driver
//===----------------------------------------------------------------------===//

namespace {

/// Launches in a process that has not opened a driver yet; 0 when the status
/// and the message are as expected.
int launchWith(const char *library, RmsrtStatus expected, const char *message) {
  setenv("RMSRT_CUDA_DRIVER", library, 1);
  const std::string bytes = support::package(document({forwardKernel()}));
  RmsrtPackage package = nullptr;
  RmsrtKernel kernel = nullptr;
  if (rmsrtPackageOpenMemory(bytes.data(), bytes.size(), &package) ||
      rmsrtPackageGetKernel(package, 0, &kernel))
    return 1;
  RmsrtTensor tensors[4];
  for (uintptr_t i = 0; i < 4; ++i)
    tensors[i] = {at(0x100000 * (i + 1)), 0};
  RmsrtCall call = {};
  call.tensors = tensors;
  call.tensorCount = 4;
  call.rows = 1;
  RmsrtStatus status = rmsrtKernelLaunch(kernel, &call);
  if (status != expected || lastError().find(message) == std::string::npos) {
    std::fprintf(stderr, "%s: %s\n", rmsrtStatusName(status), rmsrtLastError());
    return 2;
  }
  if (expected == RMSRT_SUCCESS)
    return 0;
  // Later attempts may find one: nothing bad is remembered.
  setenv("RMSRT_CUDA_DRIVER", RMSRT_STANDIN, 1);
  driver() = standin::Control();
  setCurrent(1);
  return rmsrtKernelLaunch(kernel, &call) == RMSRT_SUCCESS ? 0 : 3;
}

/// Each test runs in a new process, where nothing has been opened.
class DriverDeathTest : public ::testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

} // namespace

TEST_F(DriverDeathTest, Missing) {
  EXPECT_EXIT(std::exit(launchWith("/no/such/libcuda.so", RMSRT_NO_DRIVER,
                                   "RMSRT_CUDA_DRIVER must name")),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(DriverDeathTest, WithoutAnEntry) {
  EXPECT_EXIT(std::exit(launchWith(RMSRT_STANDIN_OLD, RMSRT_NO_DRIVER,
                                   "update it to CUDA 12.4")),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(DriverDeathTest, TooOld) {
  EXPECT_EXIT(
      {
        driver().version = 12020;
        std::exit(
            launchWith(RMSRT_STANDIN, RMSRT_NO_DRIVER, "is for CUDA 12.2"));
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(DriverDeathTest, WithoutAGpu) {
  EXPECT_EXIT(
      {
        driver().initResult = 100;
        std::exit(launchWith(RMSRT_STANDIN, RMSRT_NO_DRIVER,
                             "check that a GPU is visible"));
      },
      ::testing::ExitedWithCode(0), "");
}
