//===-- Manifest.cpp - writing a manifest -----------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Package.h"

#include <nlohmann/json.hpp>

// The order of the fields is kept: a manifest is also read by people.
using json = nlohmann::ordered_json;

using namespace rmsrt;

static const char *toText(Rounding rounding) {
  return rounding == Rounding::Storage ? "storage" : "none";
}

static json writeOperation(const Operation &operation) {
  json object;
  object["kind"] = toString(operation.kind);
  if (operation.kind == OperationKind::Copy) {
    object["floor_of"] = operation.floorOf;
    return object;
  }
  object["epsilon"] = operation.epsilon;
  object["weight_offset"] = operation.weightOffset;
  object["residual_rounding"] = toText(operation.residualRounding);
  object["norm_rounding"] = toText(operation.normRounding);
  object["rsqrt"] = operation.rsqrt == Rsqrt::Exact ? "exact" : "approx";
  return object;
}

static json writeParameter(const Parameter &parameter, const Kernel &kernel) {
  json object;
  object["name"] = parameter.name;
  object["role"] = parameter.role;
  object["direction"] =
      parameter.direction == Direction::Input ? "input" : "output";
  object["kind"] = toString(parameter.kind);
  object["dtype"] = toString(parameter.dtype);
  object["rank"] = parameter.rank;
  object["used"] = parameter.used;
  if (parameter.mayAlias >= 0)
    object["may_alias"] = kernel.parameters[parameter.mayAlias].name;
  return object;
}

static json writeLaunch(const Launch &launch) {
  json object;
  object["entry"] = launch.entry;
  object["block"] = launch.block;
  object["rows_per_cta"] = launch.rowsPerCta;
  object["ctas_per_row"] = launch.ctasPerRow;
  object["max_ctas"] = launch.maxCtas;
  object["extra_ctas"] = launch.extraCtas;
  object["cluster"] = launch.cluster;
  object["dependent"] = launch.dependent;
  object["waits"] = launch.waits;
  object["registers"] = launch.registers;
  object["spill_bytes"] = launch.spillBytes;
  object["local_bytes"] = launch.localBytes;
  object["shared_static_bytes"] = launch.sharedStaticBytes;
  object["shared_dynamic_bytes"] = launch.sharedDynamicBytes;
  return object;
}

static json writeVariant(const Variant &variant) {
  json object;
  object["name"] = variant.name;
  object["chip"] = variant.chip.name;
  object["rows"] = {variant.firstRows, variant.lastRows};
  object["alignments"] = variant.alignments;
  object["strided"] = variant.strided;
  json &workspace = object["workspace"];
  workspace["bytes"] = variant.workspace.bytes;
  workspace["bytes_per_cta"] = variant.workspace.bytesPerCta;
  if (variant.workspace.zeroedBytes != 0)
    workspace["zeroed_bytes"] = variant.workspace.zeroedBytes;
  json &image = object["image"];
  image["file"] = variant.image.file;
  image["format"] = variant.image.format == ImageFormat::Ptx ? "ptx" : "cubin";
  image["bytes"] = variant.image.bytes;
  image["sha256"] = variant.image.sha256;
  json &launches = object["launches"] = json::array();
  for (const Launch &launch : variant.launches)
    launches.push_back(writeLaunch(launch));
  object["schedule"] = variant.schedule;
  return object;
}

std::string rmsc::writeManifest(const Manifest &manifest) {
  json document;
  document["format"] = kManifestFormat;
  document["version"] = kManifestVersion;
  json &compiler = document["compiler"];
  compiler["name"] = manifest.compiler.name;
  compiler["version"] = manifest.compiler.version;
  compiler["llvm"] = manifest.compiler.llvm;
  compiler["ptxas"] = manifest.compiler.ptxas;
  json &kernels = document["kernels"] = json::array();
  for (const Kernel &kernel : manifest.kernels) {
    json object;
    object["name"] = kernel.name;
    object["hidden_size"] = kernel.hiddenSize;
    object["operation"] = writeOperation(kernel.operation);
    json &parameters = object["parameters"] = json::array();
    for (const Parameter &parameter : kernel.parameters)
      parameters.push_back(writeParameter(parameter, kernel));
    json &variants = object["variants"] = json::array();
    for (const Variant &variant : kernel.variants)
      variants.push_back(writeVariant(variant));
    kernels.push_back(std::move(object));
  }
  // A name in the program may be any bytes; JSON takes UTF-8 only.
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}
