//===-- CompilerTest.cpp - the compiler as a library ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Compiler.h"
#include "rmsrt/Package.h"
#include "rmsrt/Sha256.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <thread>

using namespace llvm;
using namespace rmsc;

static std::string readInput(StringRef name) {
  auto buffer = MemoryBuffer::getFile(RMSC_TEST_INPUTS + ("/" + name).str());
  EXPECT_TRUE(bool(buffer)) << name.str();
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static Expected<Compilation> compileInput(StringRef name,
                                          const CompileOptions &options) {
  return compile(MemoryBufferRef(readInput(name), name), options);
}

TEST(Compiler, LevelsHaveNames) {
  for (int i = 0; i <= static_cast<int>(Level::Cubin); ++i) {
    auto level = static_cast<Level>(i);
    EXPECT_EQ(symbolizeLevel(stringifyLevel(level)), level);
  }
  EXPECT_FALSE(symbolizeLevel("nothing"));
}

TEST(Compiler, DescribesParameters) {
  CompileOptions options;
  options.stopAfter = Level::Row;
  Expected<Compilation> compilation = compileInput("backward.mlir", options);
  ASSERT_TRUE(bool(compilation)) << toString(compilation.takeError());
  ASSERT_EQ(compilation->manifest().kernels.size(), 1u);
  const rmsrt::Kernel &kernel = compilation->manifest().kernels[0];
  EXPECT_EQ(kernel.name, "backward");
  EXPECT_EQ(kernel.hiddenSize, 2560);
  EXPECT_EQ(kernel.operation.kind, rmsrt::OperationKind::NormBackward);
  struct {
    const char *name, *role;
    rmsrt::Direction direction;
    rmsrt::Kind kind;
    rmsrt::Dtype dtype;
    int rank;
    bool used;
  } expected[] = {
      {"grad_output", "grad_output", rmsrt::Direction::Input, rmsrt::Kind::Rows,
       rmsrt::Dtype::BF16, 3, true},
      {"x", "unused", rmsrt::Direction::Input, rmsrt::Kind::Rows,
       rmsrt::Dtype::F32, 3, false},
      {"normalized", "normalized", rmsrt::Direction::Input, rmsrt::Kind::Rows,
       rmsrt::Dtype::F32, 3, true},
      {"rstd", "rstd", rmsrt::Direction::Input, rmsrt::Kind::Scalars,
       rmsrt::Dtype::F32, 3, true},
      {"weight", "weight", rmsrt::Direction::Input, rmsrt::Kind::Columns,
       rmsrt::Dtype::F32, 1, true},
      {"grad_hidden_states", "dx", rmsrt::Direction::Output, rmsrt::Kind::Rows,
       rmsrt::Dtype::BF16, 3, true},
      {"grad_residual", "dx", rmsrt::Direction::Output, rmsrt::Kind::Rows,
       rmsrt::Dtype::BF16, 3, true},
      {"grad_weight", "dw", rmsrt::Direction::Output, rmsrt::Kind::Columns,
       rmsrt::Dtype::F32, 1, true},
  };
  ASSERT_EQ(kernel.parameters.size(), std::size(expected));
  for (auto [parameter, want] : llvm::zip(kernel.parameters, expected)) {
    EXPECT_EQ(parameter.name, want.name);
    EXPECT_EQ(parameter.role, want.role) << want.name;
    EXPECT_EQ(parameter.direction, want.direction) << want.name;
    EXPECT_EQ(parameter.kind, want.kind) << want.name;
    EXPECT_EQ(parameter.dtype, want.dtype) << want.name;
    EXPECT_EQ(parameter.rank, want.rank) << want.name;
    EXPECT_EQ(parameter.used, want.used) << want.name;
  }
}

TEST(Compiler, NamesParametersAfterTheirRole) {
  const char *program = R"(
    func.func @k(%a: tensor<?x64xf32> {rms.may_alias = 0 : index},
                 %b: tensor<?x64xf32> {rms.name = "y"})
        -> (tensor<?x64xf32>, tensor<?x64xf32>) {
      %y, %sum = rms.norm x(%a : tensor<?x64xf32>)
          residual(%b : tensor<?x64xf32>) epsilon(1.0e-05)
          -> y(tensor<?x64xf32>) sum(tensor<?x64xf32>)
      return %y, %sum : tensor<?x64xf32>, tensor<?x64xf32>
    })";
  CompileOptions options;
  options.stopAfter = Level::Row;
  Expected<Compilation> compilation =
      compile(MemoryBufferRef(program, "p"), options);
  ASSERT_TRUE(bool(compilation)) << toString(compilation.takeError());
  const rmsrt::Kernel &kernel = compilation->manifest().kernels[0];
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[0].name, "x");
  EXPECT_EQ(kernel.parameters[1].name, "y");
  EXPECT_EQ(kernel.parameters[2].name, "y2");
  EXPECT_EQ(kernel.parameters[3].name, "sum");
  EXPECT_EQ(kernel.parameters[0].mayAlias, 2);
  EXPECT_EQ(kernel.parameters[1].mayAlias, -1);
  EXPECT_EQ(kernel.operation.epsilon, 1e-5);
}

TEST(Compiler, EveryVariantHasItsModule) {
  CompileOptions options;
  options.chips = {"sm_90", "sm_100", "sm_90"};
  options.stopAfter = Level::NVVM;
  Expected<Compilation> compilation = compileInput("backward.mlir", options);
  ASSERT_TRUE(bool(compilation)) << toString(compilation.takeError());
  const rmsrt::Kernel &kernel = compilation->manifest().kernels[0];
  ASSERT_EQ(compilation->variants().size(), kernel.variants.size());
  bool seen90 = false, seen100 = false;
  for (auto [i, variant] : llvm::enumerate(compilation->variants())) {
    EXPECT_EQ(variant.variantIndex, i);
    const rmsrt::Variant &described = kernel.variants[i];
    for (const rmsrt::Launch &launch : described.launches)
      EXPECT_TRUE(
          mlir::SymbolTable::lookupSymbolIn(variant.module, launch.entry))
          << launch.entry;
    seen90 |= described.chip.name == "sm_90";
    seen100 |= described.chip.name == "sm_100";
    EXPECT_TRUE(variant.cubin.empty());
  }
  EXPECT_TRUE(seen90);
  EXPECT_TRUE(seen100);
  EXPECT_TRUE(compilation->module("sm_90"));
  EXPECT_FALSE(compilation->module("sm_120"));
}

TEST(Compiler, PackageIsReadByTheRuntime) {
  CompileOptions options;
  options.chips = {"sm_90", "sm_100"};
  options.includePtx = true;
  Expected<Compilation> compilation = compileInput("forward.mlir", options);
  ASSERT_TRUE(bool(compilation)) << toString(compilation.takeError());
  Expected<std::string> bytes = compilation->package();
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  rmsrt::Package package;
  rmsrt::Error error = rmsrt::Package::openMemory(*bytes, "p", package);
  ASSERT_FALSE(bool(error)) << error.message();
  const rmsrt::Kernel &kernel = package.manifest().kernels[0];
  size_t cubins = compilation->variants().size();
  ASSERT_EQ(kernel.variants.size(), 2 * cubins);
  for (auto [i, variant] : llvm::enumerate(kernel.variants)) {
    bool isPtx = i >= cubins;
    EXPECT_EQ(variant.image.format,
              isPtx ? rmsrt::ImageFormat::Ptx : rmsrt::ImageFormat::Cubin);
    StringRef image = package.image(variant.image);
    EXPECT_TRUE(
        isPtx ? image.contains(".visible .entry " + variant.launches[0].entry)
              : image.starts_with("\x7f"
                                  "ELF"));
    EXPECT_GT(variant.launches[0].registers, 0u);
  }
}

TEST(Compiler, FloorsMoveTheSameRows) {
  CompileOptions options;
  options.chips = {"sm_90"};
  options.stopAfter = Level::NVVM;
  options.withFloors = true;
  Expected<Compilation> compilation = compileInput("backward.mlir", options);
  ASSERT_TRUE(bool(compilation)) << toString(compilation.takeError());
  ASSERT_EQ(compilation->manifest().kernels.size(), 2u);
  const rmsrt::Kernel &floor = compilation->manifest().kernels[1];
  EXPECT_EQ(floor.name, "backward_floor");
  EXPECT_EQ(floor.operation.kind, rmsrt::OperationKind::Copy);
  EXPECT_EQ(floor.operation.floorOf, "backward");
  // Neither what is not read, nor what is not a row.
  std::vector<std::string> names;
  for (const rmsrt::Parameter &parameter : floor.parameters) {
    names.push_back(parameter.name);
    EXPECT_EQ(parameter.kind, rmsrt::Kind::Rows);
    EXPECT_TRUE(parameter.used);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"grad_output", "normalized",
                                      "grad_hidden_states", "grad_residual"}));
  // Several grids and both cache policies, of which the fastest is the floor.
  size_t oneShot = 0, persistent = 0, streaming = 0;
  for (const rmsrt::Variant &variant : floor.variants) {
    bool bounded = variant.launches[0].maxCtas != 0;
    (bounded ? persistent : oneShot) += 1;
    streaming += StringRef(variant.schedule).contains("streaming");
    EXPECT_EQ(variant.launches.size(), 1u);
    EXPECT_EQ(variant.alignments, (std::vector<uint32_t>(4, 16)));
  }
  EXPECT_GT(oneShot, 1u);
  EXPECT_GT(persistent, 1u);
  EXPECT_GT(streaming, 1u);
  EXPECT_LT(streaming, floor.variants.size());
}

TEST(Compiler, SameBytesWhateverTheThreads) {
  CompileOptions options;
  options.chips = {"sm_90", "sm_100"};
  std::string packages[2];
  for (unsigned threads : {1, 4}) {
    options.threads = threads;
    Expected<Compilation> compilation = compileInput("forward.mlir", options);
    ASSERT_TRUE(bool(compilation)) << toString(compilation.takeError());
    Expected<std::string> bytes = compilation->package();
    ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
    packages[threads == 1] = std::move(*bytes);
  }
  EXPECT_EQ(rmsrt::sha256(packages[0].data(), packages[0].size()),
            rmsrt::sha256(packages[1].data(), packages[1].size()));
}

TEST(Compiler, SeveralAtOnce) {
  std::string failures[4];
  std::vector<std::thread> threads;
  for (std::string &failure : failures)
    threads.emplace_back([&failure] {
      CompileOptions options;
      options.stopAfter = Level::PTX;
      options.threads = 2;
      Expected<Compilation> compilation = compileInput("forward.mlir", options);
      if (!compilation)
        failure = toString(compilation.takeError());
      else if (compilation->variants().empty())
        failure = "no variants";
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &failure : failures)
    EXPECT_EQ(failure, "");
}

TEST(Compiler, UnknownChip) {
  CompileOptions options;
  options.chips = {"sm_90", "sm_1"};
  Expected<Compilation> compilation = compileInput("forward.mlir", options);
  ASSERT_FALSE(bool(compilation));
  EXPECT_EQ(StringRef(toString(compilation.takeError()))
                .find("unknown chip 'sm_1'; known are sm_90,"),
            0u);
}
