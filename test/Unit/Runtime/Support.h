//===-- Support.h - Packages made in memory ---------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_TEST_SUPPORT_H
#define RMSRT_TEST_SUPPORT_H

#include "rmsrt/Manifest.h"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace support {

using nlohmann::json;
using Entries = std::vector<std::pair<std::string, std::string>>;

json parameter(const std::string &name, const std::string &role, bool output,
               const std::string &kind, const std::string &dtype);
json launch(const std::string &entry);
/// A variant of `kernel` whose image is the text "<chip>.<name>|...", element
/// aligned when `strided`, else 16-byte aligned. Its image's size and digest
/// are filled in by seal.
json variant(const json &kernel, const std::string &name,
             const std::string &chip, bool strided);

/// norm, H = 8, bf16: x, residual, weight -> y; variants vec16 and elem for
/// sm_90. y may be x.
json forwardKernel();
/// norm_backward, H = 8: grad_output bf16, x (unused) f32, normalized f32, rstd
/// f32, weight f32 -> dx bf16, dx2 bf16, dw f32; one two-launch variant with
/// partials.
json backwardKernel();
json document(const std::vector<json> &kernels);

/// Gives every variant an image, with its size and digest, and returns the
/// entries of the package.
Entries seal(json &document);
/// A zip archive with stored entries.
std::string zip(const Entries &entries);
/// The bytes of a whole package.
std::string package(json document);

/// The kernel that a manifest in JSON describes.
rmsrt::Kernel parse(const json &kernel);

/// Allocations of this thread since the start; and whether the next ones throw.
size_t allocations();
void failAllocations(bool fail);

} // namespace support

#endif // RMSRT_TEST_SUPPORT_H
