//===-- ManifestTest.cpp - The manifest's reader --------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <gtest/gtest.h>

using namespace rmsrt;
using namespace support;

static Error parseText(const json &whole) {
  Manifest manifest;
  return parseManifest(whole.dump(), manifest);
}

static json sealed() {
  json whole = document({forwardKernel(), backwardKernel()});
  seal(whole);
  return whole;
}

TEST(ManifestTest, ReadsEveryField) {
  Manifest manifest;
  Error error = parseManifest(sealed().dump(), manifest);
  ASSERT_FALSE(error) << error.message();
  EXPECT_EQ(manifest.compiler.name, "rmsc");
  EXPECT_EQ(manifest.compiler.version, "0.1.0");
  EXPECT_EQ(manifest.compiler.llvm, "22.1.8");
  EXPECT_EQ(manifest.compiler.ptxas, "13.0.88");
  ASSERT_EQ(manifest.kernels.size(), 2u);
  const Kernel &k = manifest.kernels[0];
  EXPECT_EQ(k.name, "forward");
  EXPECT_EQ(k.hiddenSize, 8);
  EXPECT_EQ(k.operation.kind, OperationKind::Norm);
  EXPECT_EQ(k.operation.epsilon, 1e-6);
  ASSERT_EQ(k.parameters.size(), 4u);
  EXPECT_EQ(k.parameters[0].mayAlias, 3);
  EXPECT_EQ(k.parameters[1].mayAlias, -1);
  EXPECT_EQ(k.parameters[2].kind, Kind::Columns);
  EXPECT_EQ(k.parameters[3].direction, Direction::Output);
  EXPECT_EQ(k.parameters[3].dtype, Dtype::BF16);
  ASSERT_EQ(k.variants.size(), 2u);
  EXPECT_EQ(k.variants[0].chip.name, "sm_90");
  EXPECT_EQ(k.variants[0].alignments, (std::vector<uint32_t>{16, 16, 16, 16}));
  EXPECT_FALSE(k.variants[0].strided);
  EXPECT_TRUE(k.variants[1].strided);
  EXPECT_EQ(k.variants[1].lastRows, RMSRT_MAX_ROWS);
  const Variant &v = manifest.kernels[1].variants[0];
  EXPECT_FALSE(manifest.kernels[1].parameters[1].used);
  EXPECT_EQ(v.workspace.bytes, 256u);
  EXPECT_EQ(v.workspace.bytesPerCta, 32u);
  ASSERT_EQ(v.launches.size(), 2u);
  EXPECT_EQ(v.launches[0].maxCtas, 4u);
  EXPECT_EQ(v.launches[0].rowsPerCta, 2u);
  EXPECT_TRUE(v.launches[0].waits);
  EXPECT_EQ(v.launches[1].entry, "backward_columns");
  EXPECT_EQ(v.launches[1].extraCtas, 3u);
  EXPECT_TRUE(v.launches[1].dependent);
  EXPECT_EQ(v.launches[0].registers, 32u);
  EXPECT_EQ(v.launches[0].sharedStaticBytes, 64u);
  EXPECT_EQ(v.schedule, "#row.schedule<partials>");
  EXPECT_EQ(v.image.sha256.size(), 64u);
}

TEST(ManifestTest, ReadsTheOperationsAttributes) {
  json whole = sealed();
  json &op = whole["kernels"][0]["operation"];
  op["weight_offset"] = 1;
  op["residual_rounding"] = "storage";
  op["norm_rounding"] = "storage";
  op["rsqrt"] = "exact";
  op["floor_of"] = "something";
  Manifest manifest;
  Error error = parseManifest(whole.dump(), manifest);
  ASSERT_FALSE(error) << error.message();
  const Operation &o = manifest.kernels[0].operation;
  EXPECT_EQ(o.weightOffset, 1);
  EXPECT_EQ(o.residualRounding, Rounding::Storage);
  EXPECT_EQ(o.normRounding, Rounding::Storage);
  EXPECT_EQ(o.rsqrt, Rsqrt::Exact);
  EXPECT_EQ(o.floorOf, "something");
}

TEST(ManifestTest, CtasOfARow) {
  json whole = sealed();
  json &launch = whole["kernels"][0]["variants"][0]["launches"][0];
  const std::string path = "kernels[0].variants[0].launches[0].ctas_per_row";
  auto ctas = [&] {
    Manifest manifest;
    Error error = parseManifest(whole.dump(), manifest);
    EXPECT_FALSE(error) << error.message();
    return error ? 0 : manifest.kernels[0].variants[0].launches[0].ctasPerRow;
  };
  EXPECT_EQ(ctas(), 1u);
  launch["ctas_per_row"] = 4;
  EXPECT_EQ(ctas(), 4u);
  for (const json &bad :
       {json(0), json(-1), json(1025), json("2"), json(1.5)}) {
    launch["ctas_per_row"] = bad;
    Error error = parseText(whole);
    EXPECT_EQ(error.status(), RMSRT_BAD_MANIFEST) << bad;
    EXPECT_NE(error.message().find(path), std::string::npos) << error.message();
  }
}

TEST(ManifestTest, RefusesOtherVersions) {
  json whole = sealed();
  whole["version"] = kManifestVersion + 1;
  Error error = parseText(whole);
  EXPECT_EQ(error.status(), RMSRT_UNSUPPORTED_VERSION);
  EXPECT_NE(error.message().find("use a newer rmsrt"), std::string::npos);
  // An old package's launches may mean something else.
  whole["version"] = kManifestVersion - 1;
  error = parseText(whole);
  EXPECT_EQ(error.status(), RMSRT_UNSUPPORTED_VERSION);
  EXPECT_NE(error.message().find("rebuild"), std::string::npos);
}

TEST(ManifestTest, RefusesOtherText) {
  Manifest manifest;
  EXPECT_EQ(parseManifest("{", manifest).status(), RMSRT_BAD_MANIFEST);
  EXPECT_EQ(parseManifest("[]", manifest).status(), RMSRT_BAD_MANIFEST);
  json whole = sealed();
  whole["format"] = "tarball";
  EXPECT_EQ(parseText(whole).status(), RMSRT_BAD_MANIFEST);
}

/// Every member of every object, but those that have a default, must be there,
/// and its absence is reported by its path.
TEST(ManifestTest, EveryFieldIsNeeded) {
  const json whole = sealed();
  const std::vector<std::string> optional = {
      "may_alias",     "weight_offset", "residual_rounding",
      "norm_rounding", "rsqrt",         "floor_of"};
  int removed = 0;
  const json flat = whole.flatten();
  std::vector<json::json_pointer> members;
  for (const auto &entry : flat.items()) {
    json::json_pointer pointer(entry.key());
    // The member's parents too: whole objects may be missing as well.
    for (; !pointer.empty(); pointer = pointer.parent_pointer())
      members.push_back(pointer);
  }
  for (const json::json_pointer &pointer : members) {
    const std::string key = pointer.back();
    if (key.find_first_not_of("0123456789") == std::string::npos ||
        std::count(optional.begin(), optional.end(), key))
      continue;
    json damaged = whole;
    damaged[pointer.parent_pointer()].erase(key);
    Error error = parseText(damaged);
    ASSERT_EQ(error.status(), RMSRT_BAD_MANIFEST) << pointer;
    EXPECT_NE(error.message().find(key + " is missing"), std::string::npos)
        << error.message();
    ++removed;
  }
  EXPECT_GT(removed, 80);
}

namespace {
struct Fault {
  const char *pointer;
  json value;
  const char *message;
};
} // namespace

TEST(ManifestTest, RefusesImpossibleValues) {
  const std::string v = "/kernels/1/variants/0";
  const std::string l = v + "/launches/0";
  const Fault faults[] = {
      {"/kernels", json::array(), "kernels is not a list of 1"},
      {"/kernels/1/name", "forward", "has the name \"forward\" a second time"},
      {"/kernels/0/name", "", "kernels[0].name is not a string with something"},
      {"/kernels/0/hidden_size", 0, "hidden_size is 0, not an integer from 1"},
      {"/kernels/0/hidden_size", -1, "hidden_size is -1"},
      {"/kernels/0/hidden_size", 1.5, "hidden_size is 1.5"},
      {"/kernels/0/hidden_size", 18446744073709551615u, "hidden_size is 18446"},
      {"/kernels/0/hidden_size", "8", "hidden_size is \"8\""},
      {"/kernels/0/operation/kind", "softmax",
       "is \"softmax\", not one of norm"},
      {"/kernels/0/operation/epsilon", -1.0, "epsilon is negative"},
      {"/kernels/0/operation/epsilon", "0", "epsilon is not a finite number"},
      {"/kernels/0/operation/residual_rounding", "up",
       "not one of none, storage"},
      {"/kernels/0/operation/norm_rounding", "up", "not one of none, storage"},
      {"/kernels/0/operation/rsqrt", "fast", "not one of approx, exact"},
      {"/kernels/0/operation/weight_offset", "1",
       "weight_offset is not a finite"},
      {"/kernels/0/parameters", json::array(), "parameters is not a list of 1"},
      {"/kernels/0/parameters/0/name", "y", "has the name \"y\" a second time"},
      {"/kernels/0/parameters/0/role", "bias",
       "role is \"bias\", not one of x"},
      {"/kernels/0/parameters/0/direction", "in", "not one of input, output"},
      {"/kernels/0/parameters/0/kind", "cube", "not one of rows, columns"},
      {"/kernels/0/parameters/0/dtype", "f64", "not one of bf16, f16, f32"},
      {"/kernels/0/parameters/0/rank", 0, "rank is 0"},
      {"/kernels/0/parameters/0/used", 1, "used is not true or false"},
      {"/kernels/0/parameters/3/used", false, "but the parameter is an output"},
      {"/kernels/0/parameters/3/direction", "input",
       "parameters has no output"},
      {"/kernels/0/parameters/0/direction", "output", "an input that follows"},
      {"/kernels/0/parameters/0/may_alias", "z", "names \"z\", which is no"},
      {"/kernels/0/parameters/0/may_alias", "weight", "which is no output"},
      {"/kernels/0/parameters/2/may_alias", "y", "whose shape or element size"},
      {"/kernels/0/parameters/3/may_alias", "y", "is given for an output"},
      {"/kernels/0/variants", json::array(), "variants is not a list of 1"},
      {"/kernels/0/variants/1/name", "vec16", "a second \"vec16\" for sm_90"},
      {"/kernels/0/variants/0/chip", "gfx942", "not a name like sm_90a"},
      {"/kernels/0/variants/0/chip", "sm_9x", "not a name like sm_90a"},
      {"/kernels/0/variants/0/rows",
       {5, 4},
       "rows[1] is 4, not an integer from 5"},
      {"/kernels/0/variants/0/rows", {0}, "rows is not a list of 2"},
      {"/kernels/0/variants/0/rows", {0, 2147483648}, "rows[1] is 2147483648"},
      {"/kernels/0/variants/0/alignments",
       {16, 16, 16},
       "not a list of 4 to 4"},
      {"/kernels/0/variants/0/alignments/1", 1, "alignments[1] is 1"},
      {"/kernels/0/variants/0/alignments/1", 24, "24, not a power of two"},
      {"/kernels/0/variants/0/strided", "no", "strided is not true or false"},
      {"/kernels/1/variants/0/workspace/bytes", -1, "workspace.bytes is -1"},
      {"/kernels/1/variants/0/workspace/bytes_per_cta", -1,
       "bytes_per_cta is -1"},
      {"/kernels/1/variants/0/workspace/zeroed_bytes", 257,
       "zeroed_bytes is 257"},
      {"/kernels/1/variants/0/launches/0/max_ctas", 0, "without bound"},
      {"/kernels/0/variants/0/image/format", "elf", "not one of cubin, ptx"},
      {"/kernels/0/variants/0/image/bytes", 0, "image.bytes is 0"},
      {"/kernels/0/variants/0/image/sha256", "abc",
       "64 lower-case hexadecimal"},
      {"/kernels/0/variants/0/image/file", "",
       "image.file is not a string with"},
      {"/kernels/0/variants/0/launches", json::array(),
       "launches is not a list"},
      {"/kernels/1/variants/0/launches/0/entry", "",
       "entry is not a string with"},
      {"/kernels/1/variants/0/launches/0/block", 0, "block is 0"},
      {"/kernels/1/variants/0/launches/0/block", 1025, "block is 1025"},
      {"/kernels/1/variants/0/launches/0/cluster", 0, "cluster is 0"},
      {"/kernels/1/variants/0/launches/0/cluster", 17, "cluster is 17"},
      {"/kernels/1/variants/0/launches/1/extra_ctas", 0, "would never launch"},
      {"/kernels/1/variants/0/launches/1/extra_ctas", -1, "extra_ctas is -1"},
      {"/kernels/1/variants/0/launches/0/registers", 256, "registers is 256"},
      {"/kernels/1/variants/0/launches/0/spill_bytes", -4, "spill_bytes is -4"},
      {"/kernels/1/variants/0/launches/0/local_bytes", -4, "local_bytes is -4"},
      {"/kernels/1/variants/0/launches/0/shared_static_bytes", -1,
       "shared_static_bytes is -1"},
      {"/kernels/1/variants/0/launches/0/shared_dynamic_bytes", 2000000,
       "shared_dynamic_bytes is 2000000"},
      {"/kernels/1/variants/0/launches/0/dependent", 0,
       "dependent is not true"},
      {"/kernels/1/variants/0/launches/0/waits", 0, "waits is not true"},
      {"/kernels/1/variants/0/schedule", 5, "schedule is not a string"},
  };
  for (const Fault &fault : faults) {
    json damaged = sealed();
    damaged[json::json_pointer(fault.pointer)] = fault.value;
    Error error = parseText(damaged);
    EXPECT_EQ(error.status(), RMSRT_BAD_MANIFEST) << fault.pointer;
    EXPECT_NE(error.message().find(fault.message), std::string::npos)
        << fault.pointer << ": " << error.message();
  }
}

TEST(ManifestTest, IgnoresFieldsOfLaterCompilers) {
  json whole = sealed();
  whole["comment"] = "more";
  whole["kernels"][0]["variants"][0]["launches"][0]["occupancy"] = 2;
  EXPECT_FALSE(parseText(whole));
}

TEST(ManifestTest, ReadsChipNames) {
  Chip chip;
  ASSERT_TRUE(parseChip("sm_90", chip));
  EXPECT_EQ(chip.capability.major, 9);
  EXPECT_EQ(chip.capability.minor, 0);
  EXPECT_EQ(chip.suffix, 0);
  ASSERT_TRUE(parseChip("sm_103a", chip));
  EXPECT_EQ(chip.capability.major, 10);
  EXPECT_EQ(chip.capability.minor, 3);
  EXPECT_EQ(chip.suffix, 'a');
  ASSERT_TRUE(parseChip("sm_100f", chip));
  EXPECT_EQ(chip.suffix, 'f');
  for (const char *bad : {"", "sm_", "sm_9", "sm_90b", "sm_a", "90", "sm_90aa",
                          "sm_09", "sm_90 ", "compute_90", "sm_12345"})
    EXPECT_FALSE(parseChip(bad, chip)) << bad;
}
