//===-- Support.cpp - Packages made in memory -----------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include "rmsrt/Sha256.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace support {

json parameter(const std::string &name, const std::string &role, bool output,
               const std::string &kind, const std::string &dtype) {
  return {{"name", name},
          {"role", role},
          {"direction", output ? "output" : "input"},
          {"kind", kind},
          {"dtype", dtype},
          {"rank", kind == "columns" ? 1 : 2},
          {"used", true}};
}

json launch(const std::string &entry) {
  return {{"entry", entry},
          {"block", 256},
          {"rows_per_cta", 1},
          {"ctas_per_row", 1},
          {"max_ctas", 0},
          {"extra_ctas", 0},
          {"cluster", 1},
          {"dependent", false},
          {"waits", false},
          {"registers", 32},
          {"spill_bytes", 0},
          {"local_bytes", 0},
          {"shared_static_bytes", 64},
          {"shared_dynamic_bytes", 0}};
}

json variant(const json &kernel, const std::string &name,
             const std::string &chip, bool strided) {
  json alignments = json::array();
  for (const json &p : kernel["parameters"])
    alignments.push_back(!strided ? 16 : p["dtype"] == "f32" ? 4 : 2);
  const std::string kernelName = kernel["name"];
  return {{"name", name},
          {"chip", chip},
          {"rows", {0, 2147483647}},
          {"alignments", alignments},
          {"strided", strided},
          {"workspace", {{"bytes", 0}, {"bytes_per_cta", 0}}},
          {"image",
           {{"file", chip + "/" + kernelName + "." + name + ".cubin"},
            {"format", "cubin"}}},
          {"launches", {launch(kernelName + "_" + name)}},
          {"schedule", "#row.schedule<" + name + ">"}};
}

json forwardKernel() {
  json kernel = {{"name", "forward"},
                 {"hidden_size", 8},
                 {"operation",
                  {{"kind", "norm"},
                   {"epsilon", 1e-6},
                   {"weight_offset", 0.0},
                   {"residual_rounding", "none"},
                   {"norm_rounding", "none"},
                   {"rsqrt", "approx"}}},
                 {"parameters",
                  {parameter("x", "x", false, "rows", "bf16"),
                   parameter("residual", "residual", false, "rows", "bf16"),
                   parameter("weight", "weight", false, "columns", "bf16"),
                   parameter("y", "y", true, "rows", "bf16")}}};
  kernel["parameters"][0]["may_alias"] = "y";
  kernel["variants"] = {variant(kernel, "vec16", "sm_90", false),
                        variant(kernel, "elem", "sm_90", true)};
  return kernel;
}

json backwardKernel() {
  json kernel = {
      {"name", "backward"},
      {"hidden_size", 8},
      {"operation", {{"kind", "norm_backward"}, {"weight_offset", 0.0}}},
      {"parameters",
       {parameter("grad_output", "grad_output", false, "rows", "bf16"),
        parameter("x", "unused", false, "rows", "f32"),
        parameter("normalized", "normalized", false, "rows", "f32"),
        parameter("rstd", "rstd", false, "scalars", "f32"),
        parameter("weight", "weight", false, "columns", "f32"),
        parameter("dx", "dx", true, "rows", "bf16"),
        parameter("dx2", "dx", true, "rows", "bf16"),
        parameter("dw", "dw", true, "columns", "f32")}}};
  kernel["parameters"][1]["used"] = false;
  json v = variant(kernel, "partials", "sm_90", true);
  v["workspace"] = {{"bytes", 256}, {"bytes_per_cta", 32}};
  v["launches"][0]["max_ctas"] = 4;
  v["launches"][0]["rows_per_cta"] = 2;
  v["launches"][0]["waits"] = true;
  json columns = launch("backward_columns");
  columns["rows_per_cta"] = 0;
  columns["extra_ctas"] = 3;
  columns["dependent"] = true;
  columns["waits"] = true;
  v["launches"].push_back(columns);
  kernel["variants"] = {v};
  return kernel;
}

json document(const std::vector<json> &kernels) {
  return {{"format", "rmspkg"},
          {"version", rmsrt::kManifestVersion},
          {"compiler",
           {{"name", "rmsc"},
            {"version", "0.1.0"},
            {"llvm", "22.1.8"},
            {"ptxas", "13.0.88"}}},
          {"kernels", kernels}};
}

Entries seal(json &document) {
  Entries entries;
  for (json &kernel : document["kernels"])
    for (json &v : kernel["variants"]) {
      json &image = v["image"];
      const std::string bytes = v["chip"].get<std::string>() + "." +
                                v["name"].get<std::string>() +
                                "|the code of a kernel";
      image["bytes"] = bytes.size();
      image["sha256"] = rmsrt::sha256(bytes.data(), bytes.size());
      entries.emplace_back(image["file"].get<std::string>(), bytes);
    }
  entries.insert(entries.begin(), {"manifest.json", document.dump(1)});
  return entries;
}

static void put(std::string &bytes, uint64_t value, int size) {
  for (int i = 0; i < size; ++i)
    bytes += char(value >> (8 * i));
}

std::string zip(const Entries &entries) {
  std::string bytes, directory;
  for (const auto &entry : entries) {
    const std::string &name = entry.first, &data = entry.second;
    const size_t offset = bytes.size();
    const uint32_t crc = uint32_t(crc32(
        0, reinterpret_cast<const Bytef *>(data.data()), uInt(data.size())));
    auto common = [&](std::string &to) {
      put(to, 20, 2); // Version needed.
      put(to, 0, 2);  // Flags.
      put(to, 0, 2);  // Stored.
      put(to, 0, 4);  // Time and date.
      put(to, crc, 4);
      put(to, data.size(), 4);
      put(to, data.size(), 4);
      put(to, name.size(), 2);
      put(to, 0, 2); // Extra field.
    };
    put(bytes, 0x04034b50, 4);
    common(bytes);
    bytes += name + data;
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    common(directory);
    put(directory, 0, 2); // Comment.
    put(directory, 0, 2); // Disk.
    put(directory, 0, 2); // Internal attributes.
    put(directory, 0, 4); // External attributes.
    put(directory, offset, 4);
    directory += name;
  }
  const size_t start = bytes.size();
  bytes += directory;
  put(bytes, 0x06054b50, 4);
  put(bytes, 0, 4);
  put(bytes, entries.size(), 2);
  put(bytes, entries.size(), 2);
  put(bytes, directory.size(), 4);
  put(bytes, start, 4);
  put(bytes, 0, 2);
  return bytes;
}

std::string package(json document) {
  Entries entries = seal(document);
  return zip(entries);
}

rmsrt::Kernel parse(const json &kernel) {
  json whole = document({kernel});
  seal(whole);
  rmsrt::Manifest manifest;
  rmsrt::Error error = rmsrt::parseManifest(whole.dump(), manifest);
  EXPECT_FALSE(error) << error.message();
  return manifest.kernels.empty() ? rmsrt::Kernel() : manifest.kernels[0];
}

} // namespace support
