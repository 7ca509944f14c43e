//===-- embed.cpp - rmsc inside another compiler ----------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler does that comes across a residual add and an RMSNorm in a
// program of its own: it writes them at tensor level, hands the text to rmsc
// and gets a package of GPU kernels back. Nothing here knows a GPU.
//
// usage: embed OUTPUT.rmspkg [CHIP...]
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Compiler.h"
#include "rmsc/Dialect/RMS/RMS.h"
#include "rmsrt/rmsrt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using namespace mlir;

/// y = rmsnorm(x + residual) * weight, in bf16 with the sum kept in f32.
static std::string writeProgram(int64_t hiddenSize) {
  MLIRContext context;
  context
      .loadDialect<arith::ArithDialect, func::FuncDialect, rms::RMSDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());

  auto rows = [&](Type element) {
    return RankedTensorType::get({ShapedType::kDynamic, hiddenSize}, element);
  };
  Type narrow = rows(builder.getBF16Type()), wide = rows(builder.getF32Type());
  Type weight = RankedTensorType::get({hiddenSize}, builder.getBF16Type());
  auto function = func::FuncOp::create(
      builder, loc, "add_norm",
      builder.getFunctionType({narrow, narrow, weight}, {narrow}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);

  Value x = arith::ExtFOp::create(builder, loc, wide, body->getArgument(0));
  Value residual =
      arith::ExtFOp::create(builder, loc, wide, body->getArgument(1));
  Value sum = arith::AddFOp::create(builder, loc, x, residual);
  auto norm = rms::NormOp::create(
      builder, loc, /*y=*/wide, /*sum=*/Type(), /*rstd=*/Type(),
      /*normalized=*/Type(), sum, /*residual=*/Value(), body->getArgument(2),
      /*epsilon=*/builder.getF32FloatAttr(1e-6f),
      /*weight_offset=*/builder.getF32FloatAttr(0.0f));
  Value y = arith::TruncFOp::create(builder, loc, narrow, norm.getY());
  func::ReturnOp::create(builder, loc, y);

  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: embed OUTPUT.rmspkg [CHIP...]\n";
    return 2;
  }
  std::string program = writeProgram(/*hiddenSize=*/4096);

  rmsc::CompileOptions options;
  options.chips.assign(argv + 2, argv + argc);
  llvm::Expected<rmsc::Compilation> compilation =
      rmsc::compile({program, "add_norm"}, options);
  if (!compilation) {
    llvm::errs() << "embed: " << llvm::toString(compilation.takeError())
                 << '\n';
    return 1;
  }
  llvm::Expected<std::string> package = compilation->package();
  if (!package) {
    llvm::errs() << "embed: " << llvm::toString(package.takeError()) << '\n';
    return 1;
  }

  // The bytes can be kept anywhere. A program that launches the kernels opens
  // them like this, without LLVM.
  RmsrtPackage opened = nullptr;
  if (rmsrtPackageOpenMemory(package->data(), package->size(), &opened)) {
    llvm::errs() << "embed: " << rmsrtLastError() << '\n';
    return 1;
  }
  for (size_t i = 0, e = rmsrtPackageKernelCount(opened); i != e; ++i) {
    RmsrtKernel kernel = nullptr;
    if (rmsrtPackageGetKernel(opened, i, &kernel))
      return 1;
    llvm::outs() << rmsrtKernelName(kernel) << ": hidden size "
                 << rmsrtKernelHiddenSize(kernel) << ", "
                 << rmsrtKernelParameterCount(kernel) << " parameters\n";
  }
  rmsrtPackageClose(opened);

  std::error_code error;
  llvm::raw_fd_ostream file(argv[1], error);
  if (!error) {
    file << *package;
    file.close();
    error = file.error();
  }
  if (error) {
    llvm::errs() << "embed: " << argv[1] << ": " << error.message() << '\n';
    return 1;
  }
  return 0;
}
