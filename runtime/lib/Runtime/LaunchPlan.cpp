//===-- LaunchPlan.cpp - From a call to its launches ----------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsrt/LaunchPlan.h"

#include <algorithm>
#include <set>

namespace rmsrt {

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

bool runsOn(const Chip &chip, ImageFormat format, ComputeCapability device) {
  const ComputeCapability &c = chip.capability;
  if (chip.suffix == 'a')
    return c.major == device.major && c.minor == device.minor;
  if (c.major == device.major)
    return c.minor <= device.minor;
  // The driver compiles plain PTX for any later device.
  return format == ImageFormat::Ptx && !chip.suffix && c.major < device.major;
}

/// Orders matching chips: machine code over PTX, `a` over `f` over plain, then
/// the higher capability.
static int preference(const Variant &variant) {
  const Chip &chip = variant.chip;
  int rank = chip.suffix == 'a' ? 2 : chip.suffix == 'f' ? 1 : 0;
  if (variant.image.format == ImageFormat::Cubin)
    rank += 3;
  return (rank * 100 + chip.capability.major) * 10 + chip.capability.minor;
}

static std::string chipsOf(const Kernel &kernel) {
  std::set<std::string> chips;
  for (const Variant &v : kernel.variants)
    chips.insert(v.chip.name +
                 (v.image.format == ImageFormat::Ptx ? " (PTX)" : ""));
  std::string list;
  for (const std::string &chip : chips)
    list += (list.empty() ? "" : ", ") + chip;
  return list;
}

static std::string quoted(const std::string &name) {
  return "\"" + name + "\"";
}

static std::string joined(const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

Error candidatesForDevice(const Kernel &kernel, ComputeCapability device,
                          std::vector<size_t> &variants) {
  variants.clear();
  int best = -1;
  for (size_t i = 0; i < kernel.variants.size(); ++i) {
    const Variant &v = kernel.variants[i];
    if (!runsOn(v.chip, v.image.format, device))
      continue;
    int rank = preference(v);
    if (rank > best) {
      best = rank;
      variants.clear();
    }
    if (rank == best)
      variants.push_back(i);
  }
  if (variants.empty())
    return Error(RMSRT_NO_CODE,
                 concat("kernel ", quoted(kernel.name),
                        " has no code for "
                        "compute capability ",
                        device.major, ".", device.minor, ": the package holds ",
                        chipsOf(kernel), "; rebuild it with rmsc --arch=sm_",
                        device.major, device.minor));
  return {};
}

Error candidatesForChip(const Kernel &kernel, std::string_view chip,
                        std::vector<size_t> &variants) {
  variants.clear();
  for (size_t i = 0; i < kernel.variants.size(); ++i)
    if (kernel.variants[i].chip.name == chip)
      variants.push_back(i);
  if (variants.empty())
    return Error(RMSRT_NO_CODE,
                 concat("kernel ", quoted(kernel.name), " has no code for ",
                        chip, ": the package holds ", chipsOf(kernel),
                        "; rebuild it with rmsc --arch=", chip));
  return {};
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {

/// The bytes that a call touches through one pointer: `rows` runs of `width`
/// bytes, `stride` bytes apart.
struct Region {
  uint64_t begin = 0;
  uint64_t rows = 0;
  uint64_t width = 0;
  uint64_t stride = 0;

  bool empty() const { return rows == 0 || width == 0; }
  uint64_t end() const { return begin + (rows - 1) * stride + width; }
};

Region regionOf(const Kernel &kernel, const Parameter &p, const RmsrtTensor &t,
                int64_t rows) {
  Region region;
  region.begin = reinterpret_cast<uintptr_t>(t.data);
  const uint64_t size = uint64_t(sizeOf(p.dtype));
  switch (p.kind) {
  case Kind::Rows:
    region.rows = uint64_t(rows);
    region.width = uint64_t(kernel.hiddenSize) * size;
    region.stride = uint64_t(effectiveStride(kernel, t)) * size;
    break;
  case Kind::Columns:
    region.rows = 1;
    region.width = uint64_t(kernel.hiddenSize) * size;
    break;
  case Kind::Scalars:
    region.rows = 1;
    region.width = uint64_t(rows) * size;
    break;
  }
  return region;
}

/// Whether two regions share a byte. Exact for regions of one stride (two
/// column ranges of the same matrix do not overlap, though their extents do),
/// otherwise by their extents, which refuses interleavings of different strides
/// that nobody has.
bool overlap(const Region &a, const Region &b) {
  if (a.empty() || b.empty() || a.begin >= b.end() || b.begin >= a.end())
    return false;
  if (a.rows == 1 || b.rows == 1 || a.stride != b.stride) {
    // One contiguous run against rows: the run may lie in a gap.
    const Region &run = a.rows == 1 ? a : b;
    const Region &other = a.rows == 1 ? b : a;
    if (run.rows != 1 || other.rows == 1 || run.begin < other.begin)
      return true;
    uint64_t offset = (run.begin - other.begin) % other.stride;
    bool last = (run.begin - other.begin) / other.stride == other.rows - 1;
    return offset < other.width || (!last && offset + run.width > other.stride);
  }
  const Region &low = a.begin <= b.begin ? a : b;
  const Region &high = a.begin <= b.begin ? b : a;
  uint64_t distance = high.begin - low.begin;
  uint64_t offset = distance % low.stride;
  // Row k of `high` lies `offset` behind row k + distance / stride of `low`.
  if (offset < low.width)
    return true;
  return offset + high.width > low.stride &&
         distance / low.stride + 1 < low.rows;
}

} // namespace

static bool needsPointer(const Parameter &p, int64_t rows) {
  return p.used && (rows > 0 || p.kind == Kind::Columns);
}

static std::string named(const Kernel &kernel, size_t index) {
  const Parameter &p = kernel.parameters[index];
  return concat("kernel ", quoted(kernel.name), ": tensor ", index, ", ",
                quoted(p.name), ",");
}

static Error checkTensor(const Kernel &kernel, size_t index,
                         const RmsrtTensor &t, int64_t rows) {
  const Parameter &p = kernel.parameters[index];
  if (!p.used)
    return {};
  if (p.kind != Kind::Rows && t.rowStride != 0)
    return Error(RMSRT_BAD_STRIDE,
                 concat(named(kernel, index), " has a row stride of ",
                        t.rowStride, ", but its kind is ", toString(p.kind),
                        ", which is always dense; pass 0"));
  if (t.rowStride != 0 && t.rowStride < kernel.hiddenSize)
    return Error(RMSRT_BAD_STRIDE,
                 concat(named(kernel, index), " has a row stride of ",
                        t.rowStride, " elements, less than the hidden size ",
                        kernel.hiddenSize,
                        "; pass the distance between rows in elements, or 0 "
                        "when they are dense"));
  const uint64_t size = uint64_t(sizeOf(p.dtype));
  // 2^31 rows times the stride must stay within 63 bits of bytes.
  if (t.rowStride > (int64_t(1) << 29))
    return Error(RMSRT_BAD_STRIDE,
                 concat(named(kernel, index), " has a row stride of ",
                        t.rowStride, " elements; at most 2^29 are supported"));
  if (!needsPointer(p, rows))
    return {};
  if (!t.data)
    return Error(
        RMSRT_NULL_POINTER,
        concat(named(kernel, index), " is NULL; pass its ",
               p.direction == Direction::Input ? "values" : "destination",
               " in device memory"));
  if (reinterpret_cast<uintptr_t>(t.data) % size)
    return Error(RMSRT_MISALIGNED,
                 concat(named(kernel, index), " is at ", t.data,
                        ", not a multiple of its element's ", size,
                        " bytes; pass a pointer to a whole element"));
  return {};
}

/// Checks output `o` against parameter `other`.
static Error checkPair(const Kernel &kernel, const Call &call, size_t o,
                       size_t other) {
  const Parameter &output = kernel.parameters[o];
  const Parameter &p = kernel.parameters[other];
  if (!p.used || !needsPointer(output, call.rows) ||
      !needsPointer(p, call.rows))
    return {};
  Region a = regionOf(kernel, output, call.tensors[o], call.rows);
  Region b = regionOf(kernel, p, call.tensors[other], call.rows);
  if (!overlap(a, b))
    return {};
  bool same = a.begin == b.begin && (a.stride == b.stride || a.rows <= 1);
  if (p.mayAlias == int(o)) {
    if (same)
      return {};
    return Error(RMSRT_OVERLAP,
                 concat(named(kernel, o), " overlaps ", quoted(p.name),
                        " without being the same rows; in place they must have "
                        "the same pointer and the same stride"));
  }
  return Error(RMSRT_OVERLAP,
               concat(named(kernel, o), " overlaps ", quoted(p.name),
                      p.direction == Direction::Input
                          ? ", which the program does not declare as used in "
                            "place; pass separate buffers"
                          : ", another output; pass separate buffers"));
}

static Error checkWorkspace(const Kernel &kernel, const Call &call) {
  if (!call.workspace || call.workspaceBytes == 0)
    return {};
  auto address = reinterpret_cast<uintptr_t>(call.workspace);
  if (address % RMSRT_WORKSPACE_ALIGNMENT)
    return Error(RMSRT_MISALIGNED,
                 concat("kernel ", quoted(kernel.name),
                        ": the workspace is at ", call.workspace,
                        ", not a multiple of ", RMSRT_WORKSPACE_ALIGNMENT,
                        " bytes; align it as device memory is allocated"));
  // Only what some variant would write counts: a caller may pass the size of a
  // larger arena.
  Region w;
  w.begin = address;
  w.rows = 1;
  w.width = std::min<uint64_t>(call.workspaceBytes,
                               workspaceBytes(kernel, call.rows));
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &p = kernel.parameters[i];
    if (needsPointer(p, call.rows) &&
        overlap(w, regionOf(kernel, p, call.tensors[i], call.rows)))
      return Error(RMSRT_OVERLAP, concat(named(kernel, i),
                                         " overlaps the workspace; pass memory "
                                         "of the workspace's own"));
  }
  return {};
}

Error checkCall(const Kernel &kernel, const Call &call) {
  const size_t count = kernel.parameters.size();
  if (call.tensorCount != count || !call.tensors)
    return Error(RMSRT_INVALID_ARGUMENT,
                 concat("kernel ", quoted(kernel.name), " takes ", count,
                        " tensors, inputs then outputs, and the call passes ",
                        call.tensors ? call.tensorCount : 0));
  const uint32_t known = RMSRT_LAUNCH_DEPENDENT | RMSRT_LAUNCH_BATCH_INVARIANT;
  if (call.flags & ~known)
    return Error(RMSRT_INVALID_ARGUMENT,
                 concat("kernel ", quoted(kernel.name), ": the flags ",
                        call.flags,
                        " hold a bit that this library does not know; or "
                        "together RMSRT_LAUNCH_... only"));
  if (call.rows < 0 || call.rows > RMSRT_MAX_ROWS)
    return Error(RMSRT_BAD_ROWS,
                 concat("kernel ", quoted(kernel.name), ": rows is ", call.rows,
                        ", not from 0 to ", RMSRT_MAX_ROWS,
                        "; split the call"));
  for (size_t i = 0; i < count; ++i)
    if (Error error = checkTensor(kernel, i, call.tensors[i], call.rows))
      return error;
  for (size_t o = 0; o < count; ++o) {
    if (kernel.parameters[o].direction != Direction::Output)
      continue;
    // Outputs follow inputs, so each pair is seen once.
    for (size_t other = 0; other < o; ++other)
      if (Error error = checkPair(kernel, call, o, other))
        return error;
  }
  return checkWorkspace(kernel, call);
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// Why a variant does not take a call, as the message tells it; null when it
/// does. The forced variant's row range is not asked for.
static const char *refusal(const Kernel &kernel, const Variant &v,
                           const Call &call, bool forced) {
  if (!forced) {
    if (call.rows < v.firstRows || call.rows > v.lastRows)
      return "serves other row counts";
    if ((call.flags & RMSRT_LAUNCH_BATCH_INVARIANT) &&
        (v.firstRows > 0 || v.lastRows < RMSRT_MAX_ROWS))
      return "does not serve every row count";
  }
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &p = kernel.parameters[i];
    const RmsrtTensor &t = call.tensors[i];
    if (!needsPointer(p, call.rows))
      continue;
    const uint64_t alignment = v.alignments[i];
    if (reinterpret_cast<uintptr_t>(t.data) % alignment)
      return "needs better aligned pointers";
    if (p.kind != Kind::Rows || call.rows <= 1)
      continue;
    const int64_t stride = effectiveStride(kernel, t);
    if (!v.strided && stride != kernel.hiddenSize)
      return "takes dense rows only";
    if (v.strided && uint64_t(stride * sizeOf(p.dtype)) % alignment)
      return "needs better aligned row strides";
  }
  return nullptr;
}

static Error noVariant(const Kernel &kernel,
                       const std::vector<size_t> &candidates, const Call &call,
                       bool forced) {
  std::vector<std::string> reasons;
  for (size_t i : candidates) {
    const Variant &v = kernel.variants[i];
    if (forced && v.name != call.variant)
      continue;
    if (reasons.size() == 8) {
      reasons.push_back("and more");
      break;
    }
    reasons.push_back(v.name + " " + refusal(kernel, v, call, forced));
  }
  return Error(RMSRT_NO_VARIANT,
               concat("kernel ", quoted(kernel.name), ", rows = ", call.rows,
                      ": no variant takes this call (", joined(reasons),
                      "); pass dense, 16-byte-aligned tensors, or rebuild the "
                      "package with all variants"));
}

Error chooseVariant(const Kernel &kernel, const std::vector<size_t> &candidates,
                    const Call &call, size_t &variant) {
  const bool forced = !call.variant.empty();
  bool known = false, found = false;
  for (size_t i : candidates) {
    const Variant &v = kernel.variants[i];
    if (forced && v.name != call.variant)
      continue;
    known = true;
    if (refusal(kernel, v, call, forced))
      continue;
    variant = i;
    found = true;
    break;
  }
  if (!known && forced) {
    std::vector<std::string> names;
    names.reserve(candidates.size());
    for (size_t i : candidates)
      names.push_back(kernel.variants[i].name);
    return Error(RMSRT_NOT_FOUND,
                 concat("kernel ", quoted(kernel.name), " has no variant ",
                        quoted(std::string(call.variant)),
                        " for this chip; it has ", joined(names)));
  }
  if (!found)
    return noVariant(kernel, candidates, call, forced);
  const Variant &v = kernel.variants[variant];
  const uint64_t needed = workspaceBytes(v, call.rows);
  if (needed && (!call.workspace || call.workspaceBytes < needed))
    return Error(RMSRT_WORKSPACE_TOO_SMALL,
                 concat("kernel ", quoted(kernel.name), ", rows = ", call.rows,
                        ": variant ", v.name, " needs a workspace of ", needed,
                        " bytes, and the call passes ",
                        call.workspace ? call.workspaceBytes : 0,
                        "; allocate what rmsrtKernelWorkspaceBytes returns"));
  for (const Launch &l : v.launches)
    if (launchCtas(l, call.rows) * l.cluster > uint64_t(INT32_MAX))
      return Error(RMSRT_BAD_ROWS,
                   concat("kernel ", quoted(kernel.name), ": ", call.rows,
                          " rows make a grid of more than 2^31 - 1 CTAs in ",
                          l.entry, "; split the call"));
  return {};
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The CTAs that walk over rows.
static uint64_t rowCtas(const Launch &launch, int64_t rows) {
  if (!launch.rowsPerCta)
    return 0;
  uint64_t ctas = (uint64_t(rows) + launch.rowsPerCta - 1) / launch.rowsPerCta *
                  launch.ctasPerRow;
  return launch.maxCtas ? std::min<uint64_t>(ctas, launch.maxCtas) : ctas;
}

uint64_t launchCtas(const Launch &launch, int64_t rows) {
  return rowCtas(launch, rows) + launch.extraCtas;
}

uint64_t workspaceBytes(const Variant &variant, int64_t rows) {
  return variant.workspace.bytes +
         variant.workspace.bytesPerCta * rowCtas(variant.launches[0], rows);
}

uint64_t workspaceBytes(const Kernel &kernel, int64_t rows) {
  uint64_t bytes = 0;
  for (const Variant &v : kernel.variants)
    if (rows >= v.firstRows && rows <= v.lastRows)
      bytes = std::max(bytes, workspaceBytes(v, rows));
  return bytes;
}

uint64_t maxWorkspaceBytes(const Kernel &kernel) {
  uint64_t bytes = 0;
  for (const Variant &v : kernel.variants)
    bytes = std::max(bytes, workspaceBytes(v, v.lastRows));
  return bytes;
}

ArgumentList::ArgumentList(const Kernel &kernel, const Call &call) {
  for (size_t i = 0; i < call.tensorCount; ++i)
    values[count++] = reinterpret_cast<uintptr_t>(call.tensors[i].data);
  values[count++] = uint64_t(call.rows);
  for (size_t i = 0; i < call.tensorCount; ++i)
    if (kernel.parameters[i].kind == Kind::Rows)
      values[count++] = uint64_t(effectiveStride(kernel, call.tensors[i]));
  values[count++] = reinterpret_cast<uintptr_t>(call.workspace);
  for (size_t i = 0; i < count; ++i)
    pointers[i] = &values[i];
}

} // namespace rmsrt
