//===-- LoweringTest.cpp - what the emulator refuses ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include "rmsc/Target/InlinePtx.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <array>
#include <numeric>

using namespace rmsc::emulator;
using testing::HasSubstr;

namespace {

/// The message with which a kernel of that body is refused.
std::string refusal(const std::string &body, const std::string &globals = "") {
  KernelUnderTest kernel(kernelText("f32", "f32", body, globals));
  EXPECT_EQ(kernel.code, nullptr) << "is accepted: " << body;
  return kernel.error;
}

const std::string load = R"(
    %x = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
)";

TEST(Refusals, NameTheOp) {
  EXPECT_THAT(refusal("    nvvm.wgmma.fence.aligned\n"),
              HasSubstr("does not support 'nvvm.wgmma.fence.aligned'"));
  EXPECT_THAT(refusal("    %t = nvvm.read.ptx.sreg.clock : i32\n"),
              HasSubstr("'nvvm.read.ptx.sreg.clock'"));
  EXPECT_THAT(refusal(load + "    %y = llvm.intr.exp(%x) : (f32) -> f32\n"),
              HasSubstr("'llvm.intr.exp'"));
  EXPECT_THAT(refusal(load + R"(
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%x) : (f32) -> f32
)"),
              HasSubstr("the intrinsic 'llvm.nvvm.ex2.approx.f'"));
}

TEST(Refusals, NamedBarriers) {
  EXPECT_THAT(refusal(R"(
    %one = llvm.mlir.constant(1 : i32) : i32
    nvvm.barrier id = %one
)"),
              HasSubstr("'nvvm.barrier' for the whole CTA only"));
}

TEST(Refusals, InlinePtxOutsideTheTable) {
  EXPECT_THAT(refusal(R"(    nvvm.inline_ptx "trap;"
)"),
              HasSubstr("has no twin of the inline PTX 'trap;'"));
}

TEST(Refusals, FastMath) {
  EXPECT_THAT(refusal(load + R"(
    %y = llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<contract>} : f32
)"),
              HasSubstr("fast-math flags leave the bits of the result open"));
}

TEST(Refusals, ArithmeticInNarrowTypes) {
  EXPECT_THAT(refusal(load + R"(
    %h = llvm.fptrunc %x : f32 to bf16
    %y = llvm.fmul %h, %h : bf16
)"),
              HasSubstr("arithmetic in f32 only, not in 'bf16'"));
}

TEST(Refusals, CallsOutOfTheModule) {
  EXPECT_THAT(refusal(load + R"(
    %y = llvm.call @__nv_rsqrtf(%x) : (f32) -> f32
)",
                      "  llvm.func @__nv_rsqrtf(f32) -> f32\n"),
              HasSubstr("cannot call '__nv_rsqrtf'"));
}

TEST(Refusals, GlobalVariables) {
  EXPECT_THAT(refusal("",
                      "  llvm.mlir.global internal @g(0 : i32) {addr_space = 1 "
                      ": i32} : i32\n"),
              HasSubstr("no global variable but shared memory and constants"));
}

TEST(Refusals, ModulesWithoutKernels) {
  KernelUnderTest kernel("gpu.module @module {\n}\n");
  EXPECT_THAT(kernel.error, HasSubstr("the module holds no kernel"));
}

TEST(Refusals, SayWhere) {
  EXPECT_THAT(refusal("    nvvm.wgmma.fence.aligned\n"), HasSubstr(":13:5: "));
}

// Every entry of the table of inline PTX has a twin that does the same.
TEST(InlinePtx, EveryEntryHasATwin) {
  using rmsc::InlinePtx;
  unsigned loads = 0, stores = 0;
  for (const InlinePtx &entry : rmsc::allInlinePtx()) {
    SCOPED_TRACE(entry.text.str());
    if (entry.kind == InlinePtx::Kind::Pin) {
      KernelUnderTest kernel(
          kernelText("f32", "f32",
                     load + "    nvvm.inline_ptx \"" + entry.text.str() +
                         "\" ro (%x : f32)\n"
                         "    llvm.store %x, %to {alignment = 4 : i64} : f32, "
                         "!llvm.ptr<1>\n"));
      std::vector<float> in = {1, 2}, out(2);
      EXPECT_TRUE(kernel.run(in, out, 1, 2).empty());
      EXPECT_EQ(out, in);
      continue;
    }
    if (entry.kind == InlinePtx::Kind::Zero) {
      KernelUnderTest kernel(
          kernelText("f32", "i32",
                     "    %n = llvm.mlir.constant(5 : i32) : i32\n    %z = "
                     "nvvm.inline_ptx \"" +
                         entry.text.str() +
                         "\" ro (%n : i32) -> i32\n"
                         "    llvm.store %z, %to {alignment = 4 : i64} : i32, "
                         "!llvm.ptr<1>\n"));
      std::vector<float> in = {1, 2};
      std::vector<int32_t> out = {3, 4};
      EXPECT_TRUE(kernel.run(in, out, 1, 2).empty());
      EXPECT_EQ(out, std::vector<int32_t>({0, 0}));
      continue;
    }
    // Thread t copies words from t * words on.
    unsigned words = entry.bytes / 4;
    std::string array = "!llvm.array<" + std::to_string(words) + " x i32>";
    std::string names, types;
    for (unsigned i = 0; i < words; ++i) {
      names += (i ? ", %w#" : "%w#") + std::to_string(i);
      types += i ? ", i32" : "i32";
    }
    std::string body;
    bool isLoad = entry.kind == InlinePtx::Kind::Load;
    ++(isLoad ? loads : stores);
    if (isLoad) {
      std::string text = entry.text.str();
      body = "    %w:" + std::to_string(words) + " = nvvm.inline_ptx \"" +
             text + "\" ro (%from : !llvm.ptr<1>) -> " + types + "\n";
      for (unsigned i = 0; i < words; ++i)
        body += "    %p" + std::to_string(i) + " = llvm.getelementptr %to[" +
                std::to_string(i) +
                "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n    llvm.store %w#" +
                std::to_string(i) + ", %p" + std::to_string(i) +
                " {alignment = 4 : i64} : i32, !llvm.ptr<1>\n";
    } else {
      std::string operands = "%to", operandTypes = "!llvm.ptr<1>";
      for (unsigned i = 0; i < words; ++i) {
        std::string n = std::to_string(i);
        body += "    %q" + n + " = llvm.getelementptr %from[" + n +
                "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n    %v" + n +
                " = llvm.load %q" + n +
                " {alignment = 4 : i64} : !llvm.ptr<1> -> i32\n";
        operands += ", %v" + n;
        operandTypes += ", i32";
      }
      body += "    nvvm.inline_ptx \"" + entry.text.str() + "\" ro (" +
              operands + " : " + operandTypes + ")\n";
    }
    KernelUnderTest kernel(kernelText(array, array, body));
    // 8 threads' words and 8 more.
    alignas(32) std::array<uint32_t, 8 * 8 + 8> in, out;
    std::iota(in.begin(), in.end(), 1);
    Report report = kernel.run(in, out, 1, 8);
    // The last elements are nobody's.
    ASSERT_EQ(report.faults.size(), 1u) << toText(report);
    EXPECT_EQ(report.faults[0].kind, FaultKind::NeverWritten);
    for (size_t i = 0; i < 8 * words; ++i)
      EXPECT_EQ(out[i], in[i]);
    // The access is looked at like any other.
    EXPECT_TRUE(kernel.run(in, out, 10, 8).has(FaultKind::OutOfBounds));
  }
  EXPECT_GT(loads, 0u);
  EXPECT_GT(stores, 0u);
}

} // namespace
