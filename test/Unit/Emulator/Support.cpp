//===-- Support.cpp - kernels for the emulator's unit tests -----*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace rmsc::emulator;

std::string kernelText(const std::string &inType, const std::string &outType,
                       const std::string &body, const std::string &globals) {
  return "gpu.module @module {\n" + globals +
         R"(
  llvm.func @kernel(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>)
      attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %block = nvvm.read.ptx.sreg.ntid.x : i32
    %start = llvm.mul %cta, %block : i32
    %i32 = llvm.add %start, %tid : i32
    %i = llvm.zext %i32 : i32 to i64
    %from = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, )" +
         inType + R"(
    %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, )" +
         outType + "\n" + body + "    llvm.return\n  }\n}\n";
}

KernelUnderTest::KernelUnderTest(const std::string &text,
                                 CompileOptions options) {
  context.loadDialect<mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                      mlir::NVVM::NVVMDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "the kernel does not parse:\n" << text;
    return;
  }
  auto compiled =
      Code::compile(*module->getOps<mlir::gpu::GPUModuleOp>().begin(), options);
  if (compiled)
    code = std::move(*compiled);
  else
    error = llvm::toString(compiled.takeError());
}

void KernelUnderTest::describe(Buffer &buffer, const char *name, void *data,
                               size_t elementBytes, size_t elements) {
  buffer.name = name;
  buffer.data = data;
  buffer.elementBytes = elementBytes;
  buffer.rowBytes = buffer.strideBytes = elementBytes * elements;
}

Report KernelUnderTest::runBuffers(std::vector<Buffer> buffers, uint64_t ctas,
                                   uint32_t block, RunOptions options,
                                   uint32_t cluster) {
  if (!code) {
    ADD_FAILURE() << error;
    return {};
  }
  std::vector<Argument> arguments;
  for (size_t i = 0; i < buffers.size(); ++i)
    arguments.push_back({reinterpret_cast<uint64_t>(buffers[i].data), int(i)});
  LaunchConfig launch;
  launch.code = code.get();
  launch.entry = "kernel";
  launch.ctas = ctas;
  launch.block = block;
  launch.cluster = cluster;
  auto report = rmsc::emulator::run(launch, buffers, arguments, options);
  if (!report) {
    ADD_FAILURE() << llvm::toString(report.takeError());
    return {};
  }
  return *report;
}

std::string toText(const Report &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  return text;
}
