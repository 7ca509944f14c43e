//===-- PackageTest.cpp - what is written can be read -----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Package.h"
#include "rmsrt/Package.h"
#include "rmsrt/Sha256.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace rmsc;

/// A manifest in which no field has the value that its absence would give.
static rmsrt::Manifest makeManifest(const std::string &code) {
  rmsrt::Manifest manifest;
  manifest.compiler = {"rmsc", "1.2.3", "22.1", "13.0.88"};
  rmsrt::Kernel &kernel = manifest.kernels.emplace_back();
  kernel.name = "k";
  kernel.hiddenSize = 96;
  kernel.operation.kind = rmsrt::OperationKind::Norm;
  kernel.operation.epsilon = 1e-6;
  kernel.operation.weightOffset = 1;
  kernel.operation.residualRounding = rmsrt::Rounding::Storage;
  kernel.operation.normRounding = rmsrt::Rounding::Storage;
  kernel.operation.rsqrt = rmsrt::Rsqrt::Exact;
  rmsrt::Parameter x;
  x.name = "a";
  x.role = "x";
  x.dtype = rmsrt::Dtype::F16;
  x.rank = 3;
  x.mayAlias = 3;
  rmsrt::Parameter weight;
  weight.name = "w";
  weight.role = "weight";
  weight.kind = rmsrt::Kind::Columns;
  weight.dtype = rmsrt::Dtype::BF16;
  weight.rank = 1;
  rmsrt::Parameter extra;
  extra.name = "e";
  extra.role = "unused";
  extra.kind = rmsrt::Kind::Scalars;
  extra.rank = 2;
  extra.used = false;
  rmsrt::Parameter y = x;
  y.name = "b";
  y.role = "y";
  y.direction = rmsrt::Direction::Output;
  y.mayAlias = -1;
  kernel.parameters = {x, weight, extra, y};
  rmsrt::Variant &variant = kernel.variants.emplace_back();
  variant.name = "v";
  rmsrt::parseChip("sm_100a", variant.chip);
  variant.firstRows = 5;
  variant.lastRows = 600;
  variant.alignments = {16, 8, 4, 32};
  variant.strided = true;
  variant.workspace = {128, 256, 64};
  variant.image = {"sm_100a/k.v.cubin", rmsrt::ImageFormat::Cubin, code.size(),
                   rmsrt::sha256(code.data(), code.size())};
  rmsrt::Launch &launch = variant.launches.emplace_back();
  launch.entry = "k_v";
  launch.block = 320;
  launch.rowsPerCta = 2;
  launch.ctasPerRow = 8;
  launch.maxCtas = 296;
  launch.extraCtas = 80;
  launch.cluster = 4;
  launch.dependent = true;
  launch.waits = true;
  launch.registers = 88;
  launch.spillBytes = 8;
  launch.localBytes = 16;
  launch.sharedStaticBytes = 64;
  launch.sharedDynamicBytes = 1024;
  variant.schedule = "#row.schedule<...>";
  return manifest;
}

static void expectSame(const rmsrt::Manifest &a, const rmsrt::Manifest &b) {
  EXPECT_EQ(a.compiler.name, b.compiler.name);
  EXPECT_EQ(a.compiler.version, b.compiler.version);
  EXPECT_EQ(a.compiler.llvm, b.compiler.llvm);
  EXPECT_EQ(a.compiler.ptxas, b.compiler.ptxas);
  ASSERT_EQ(a.kernels.size(), b.kernels.size());
  const rmsrt::Kernel &k = a.kernels[0], &l = b.kernels[0];
  EXPECT_EQ(k.name, l.name);
  EXPECT_EQ(k.hiddenSize, l.hiddenSize);
  EXPECT_EQ(k.operation.kind, l.operation.kind);
  EXPECT_EQ(k.operation.epsilon, l.operation.epsilon);
  EXPECT_EQ(k.operation.weightOffset, l.operation.weightOffset);
  EXPECT_EQ(k.operation.residualRounding, l.operation.residualRounding);
  EXPECT_EQ(k.operation.normRounding, l.operation.normRounding);
  EXPECT_EQ(k.operation.rsqrt, l.operation.rsqrt);
  ASSERT_EQ(k.parameters.size(), l.parameters.size());
  for (size_t i = 0; i < k.parameters.size(); ++i) {
    EXPECT_EQ(k.parameters[i].name, l.parameters[i].name);
    EXPECT_EQ(k.parameters[i].role, l.parameters[i].role);
    EXPECT_EQ(k.parameters[i].direction, l.parameters[i].direction);
    EXPECT_EQ(k.parameters[i].kind, l.parameters[i].kind);
    EXPECT_EQ(k.parameters[i].dtype, l.parameters[i].dtype);
    EXPECT_EQ(k.parameters[i].rank, l.parameters[i].rank);
    EXPECT_EQ(k.parameters[i].used, l.parameters[i].used);
    EXPECT_EQ(k.parameters[i].mayAlias, l.parameters[i].mayAlias);
  }
  ASSERT_EQ(k.variants.size(), l.variants.size());
  const rmsrt::Variant &v = k.variants[0], &w = l.variants[0];
  EXPECT_EQ(v.name, w.name);
  EXPECT_EQ(v.chip.name, w.chip.name);
  EXPECT_EQ(v.firstRows, w.firstRows);
  EXPECT_EQ(v.lastRows, w.lastRows);
  EXPECT_EQ(v.alignments, w.alignments);
  EXPECT_EQ(v.strided, w.strided);
  EXPECT_EQ(v.workspace.bytes, w.workspace.bytes);
  EXPECT_EQ(v.workspace.bytesPerCta, w.workspace.bytesPerCta);
  EXPECT_EQ(v.workspace.zeroedBytes, w.workspace.zeroedBytes);
  EXPECT_EQ(v.image.file, w.image.file);
  EXPECT_EQ(v.image.format, w.image.format);
  EXPECT_EQ(v.image.bytes, w.image.bytes);
  EXPECT_EQ(v.image.sha256, w.image.sha256);
  EXPECT_EQ(v.schedule, w.schedule);
  ASSERT_EQ(v.launches.size(), w.launches.size());
  const rmsrt::Launch &m = v.launches[0], &n = w.launches[0];
  EXPECT_EQ(m.entry, n.entry);
  EXPECT_EQ(m.block, n.block);
  EXPECT_EQ(m.rowsPerCta, n.rowsPerCta);
  EXPECT_EQ(m.ctasPerRow, n.ctasPerRow);
  EXPECT_EQ(m.maxCtas, n.maxCtas);
  EXPECT_EQ(m.extraCtas, n.extraCtas);
  EXPECT_EQ(m.cluster, n.cluster);
  EXPECT_EQ(m.dependent, n.dependent);
  EXPECT_EQ(m.waits, n.waits);
  EXPECT_EQ(m.registers, n.registers);
  EXPECT_EQ(m.spillBytes, n.spillBytes);
  EXPECT_EQ(m.localBytes, n.localBytes);
  EXPECT_EQ(m.sharedStaticBytes, n.sharedStaticBytes);
  EXPECT_EQ(m.sharedDynamicBytes, n.sharedDynamicBytes);
}

TEST(Package, TheRuntimeReadsWhatIsWritten) {
  std::string code("\x7f"
                   "ELF\0code",
                   9);
  rmsrt::Manifest manifest = makeManifest(code);
  std::string text = writeManifest(manifest);
  Expected<std::string> zip =
      writeZip({{rmsrt::kManifestEntry, text}, {"sm_100a/k.v.cubin", code}});
  ASSERT_TRUE(bool(zip)) << toString(zip.takeError());
  rmsrt::Package package;
  rmsrt::Error error = rmsrt::Package::openMemory(*zip, "test", package);
  ASSERT_FALSE(bool(error)) << error.message();
  expectSame(manifest, package.manifest());
  EXPECT_EQ(package.image(package.manifest().kernels[0].variants[0].image),
            code);
}

TEST(Package, SameEntriesSameBytes) {
  std::string code = "code";
  std::string text = writeManifest(makeManifest(code));
  PackageEntry entries[] = {{rmsrt::kManifestEntry, text}, {"c", code}};
  Expected<std::string> first = writeZip(entries), second = writeZip(entries);
  ASSERT_TRUE(bool(first)) << toString(first.takeError());
  ASSERT_TRUE(bool(second)) << toString(second.takeError());
  EXPECT_EQ(*first, *second);
  // Stored, so the bytes are there as they are.
  EXPECT_NE(first->find(text), std::string::npos);
}

TEST(Manifest, EpsilonIsShort) {
  EXPECT_NE(writeManifest(makeManifest("c")).find("\"epsilon\": 1e-06,"),
            std::string::npos);
}
