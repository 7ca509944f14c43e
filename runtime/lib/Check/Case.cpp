//===-- Case.cpp - Buffers of a check -------------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmscheck/Case.h"
#include "Parallel.h"
#include "rmscheck/Numbers.h"
#include "rmscheck/Random.h"
#include "rmsrt/Sha256.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace rmsrt;

namespace rmscheck {

// What surrounds a tensor. Long enough for a whole warp's widest store.
static constexpr size_t kGuardBytes = 1024;
static constexpr uint8_t kGuard = 0xA5;
// All ones is a NaN of every type, with a payload that no arithmetic gives.
static constexpr uint8_t kPoison = 0xFF;
// Elements a thread should have to be worth starting.
static constexpr int64_t kGrain = 1 << 16;

void Buffer::Free::operator()(uint8_t *memory) const { std::free(memory); }

static Buffer allocate(size_t offset, size_t contents) {
  Buffer buffer;
  buffer.offset = offset;
  buffer.bytes = (offset + contents + kGuardBytes + 255) / 256 * 256;
  buffer.memory.reset(
      static_cast<uint8_t *>(std::aligned_alloc(256, buffer.bytes)));
  if (!buffer.memory)
    throw std::bad_alloc();
  return buffer;
}

CaseBytes measureCase(const Kernel &kernel, const CaseOptions &options) {
  const double rows = double(options.rows), hidden = double(kernel.hiddenSize);
  CaseBytes bytes;
  for (const Parameter &p : kernel.parameters) {
    if (!p.used)
      continue;
    double elements = hidden;
    if (p.kind == Kind::Rows)
      elements = rows * (hidden + double(options.extraStride));
    else if (p.kind == Kind::Scalars)
      elements = rows;
    bytes.all += elements * double(sizeOf(p.dtype));
    if (p.direction == Direction::Output)
      bytes.written += elements * double(sizeOf(p.dtype));
  }
  bytes.all += double(options.workspaceBytes);
  bytes.written += double(options.workspaceBytes);
  return bytes;
}

Error checkHostMemory(const Kernel &kernel, int64_t rows, double bytes) {
  const double there =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (bytes <= there)
    return {};
  char text[128];
  std::snprintf(text, sizeof(text),
                " rows take %.1f GB of host memory, and this machine has "
                "%.1f GB; use fewer --rows",
                bytes / 1e9, there / 1e9);
  return Error(RMSRT_OUT_OF_MEMORY, concat(kernel.name, ": ", rows, text));
}

unsigned Case::threads() const {
  if (settings.threads)
    return settings.threads;
  return std::max(1u, std::thread::hardware_concurrency());
}

int64_t Case::matrixRows(size_t i) const {
  switch (subject.parameters[i].kind) {
  case Kind::Rows:
    return settings.rows;
  case Kind::Columns:
    return 1;
  case Kind::Scalars:
    return settings.rows;
  }
  return 0;
}

int64_t Case::matrixColumns(size_t i) const {
  return subject.parameters[i].kind == Kind::Scalars ? 1 : subject.hiddenSize;
}

int64_t Case::elements(size_t i) const {
  return matrixRows(i) * matrixColumns(i);
}

int64_t Case::stride(size_t i) const {
  return subject.parameters[i].kind == Kind::Rows
             ? subject.hiddenSize + settings.extraStride
             : matrixColumns(i);
}

Case::Case(const Kernel &kernel, const CaseOptions &options)
    : subject(kernel), settings(options) {
  const size_t count = kernel.parameters.size();
  bufferIndex.resize(count);
  originals.resize(count);
  std::vector<int> sharedWith(count, -1);
  if (options.inPlace)
    for (size_t i = 0; i < count; ++i)
      if (int output = kernel.parameters[i].mayAlias; output >= 0) {
        // One input only can be the output's buffer.
        bool taken = false;
        for (size_t j = 0; j < i; ++j)
          taken |= sharedWith[j] == output;
        if (!taken)
          sharedWith[i] = output;
      }
  for (size_t i = 0; i < count; ++i) {
    const Parameter &p = kernel.parameters[i];
    if (sharedWith[i] >= 0)
      continue;
    const int64_t size = sizeOf(p.dtype);
    const int64_t rows = matrixRows(i);
    // What no kernel reads gets no memory to speak of: a read would meet
    // poison, and soon the end.
    int64_t span = 0;
    if (p.used && rows > 0)
      span = (rows - 1) * stride(i) + matrixColumns(i);
    bufferIndex[i] = images.size();
    images.push_back(allocate(kGuardBytes + size_t(options.misalign * size),
                              size_t(span * size)));
    images.back().written = p.direction == Direction::Output;
  }
  for (size_t i = 0; i < count; ++i)
    if (sharedWith[i] >= 0)
      bufferIndex[i] = bufferIndex[sharedWith[i]];
  if (options.workspaceBytes) {
    workspaceIndex = int(images.size());
    images.push_back(allocate(kGuardBytes, options.workspaceBytes));
    images.back().written = true;
  }
  for (Buffer &image : images)
    parallelRanges(int64_t(image.bytes), kGrain * 16, threads(),
                   [&](unsigned, int64_t begin, int64_t end) {
                     std::memset(image.memory.get() + begin, kGuard,
                                 size_t(end - begin));
                   });
  for (size_t i = 0; i < count; ++i)
    if (kernel.parameters[i].direction == Direction::Input)
      fillInput(i);
  reset();
}

/// One loop a type: the type is decided outside of it.
static void storeElements(Dtype dtype, uint8_t *data, int64_t first,
                          int64_t count, const float *values) {
  switch (dtype) {
  case Dtype::F32:
    std::memcpy(data + first * 4, values, size_t(count) * 4);
    return;
  case Dtype::BF16:
    for (int64_t k = 0; k < count; ++k)
      storeElement(Dtype::BF16, data, first + k, values[k]);
    return;
  case Dtype::F16:
    for (int64_t k = 0; k < count; ++k)
      storeElement(Dtype::F16, data, first + k, values[k]);
    return;
  }
}

void Case::fillInput(size_t i) {
  const Parameter &p = subject.parameters[i];
  if (!p.used)
    return;
  const RandomStream stream(settings.seed, subject.hiddenSize, settings.rows,
                            p);
  const int64_t columns = matrixColumns(i);
  uint8_t *data;
  int64_t pitch;
  if (images[bufferIndex[i]].written) {
    originals[i].resize(size_t(elements(i) * sizeOf(p.dtype)));
    data = originals[i].data();
    pitch = columns;
  } else {
    data = images[bufferIndex[i]].data();
    pitch = stride(i);
  }
  parallelRanges(elements(i), kGrain, threads(),
                 [&](unsigned, int64_t begin, int64_t end) {
                   std::vector<float> values(size_t(std::min(columns, kGrain)));
                   for (int64_t e = begin; e < end;) {
                     // At most to the end of the row that `e` is in.
                     const int64_t row = e / columns, column = e % columns;
                     const int64_t count = std::min(
                         {columns - column, end - e, int64_t(values.size())});
                     stream.fill(uint64_t(e), size_t(count), values.data());
                     storeElements(p.dtype, data, row * pitch + column, count,
                                   values.data());
                     e += count;
                   }
                 });
}

const uint8_t *Case::inputData(size_t i) const {
  return originals[i].empty() ? images[bufferIndex[i]].data()
                              : originals[i].data();
}

int64_t Case::inputStride(size_t i) const {
  return originals[i].empty() ? stride(i) : matrixColumns(i);
}

/// Sets an output to poison, or to the values of the input that it replaces.
void Case::fillOutput(size_t i, Buffer &image) const {
  const int64_t size = sizeOf(subject.parameters[i].dtype);
  const size_t width = size_t(matrixColumns(i) * size);
  const uint8_t *source = nullptr;
  for (size_t input = 0; input < i; ++input)
    if (!originals[input].empty() && bufferIndex[input] == bufferIndex[i])
      source = originals[input].data();
  std::memset(image.memory.get(), kGuard, image.bytes);
  parallelRanges(matrixRows(i),
                 std::max<int64_t>(1, kGrain * 8 / int64_t(width)), threads(),
                 [&](unsigned, int64_t begin, int64_t end) {
                   for (int64_t row = begin; row < end; ++row) {
                     uint8_t *at = image.data() + row * stride(i) * size;
                     if (source)
                       std::memcpy(at, source + size_t(row) * width, width);
                     else
                       std::memset(at, kPoison, width);
                   }
                 });
}

void Case::fillWorkspace(Buffer &image) const {
  std::memset(image.memory.get(), kGuard, image.bytes);
  std::memset(image.data(), kPoison, settings.workspaceBytes);
  std::memset(image.data(), 0, settings.workspaceZeroedBytes);
}

void Case::fillWritten(size_t buffer, Buffer &image) const {
  if (int(buffer) == workspaceIndex)
    return fillWorkspace(image);
  for (size_t i = 0; i < subject.parameters.size(); ++i)
    if (bufferIndex[i] == buffer &&
        subject.parameters[i].direction == Direction::Output)
      fillOutput(i, image);
}

void Case::reset() {
  for (size_t b = 0; b < images.size(); ++b)
    if (images[b].written)
      fillWritten(b, images[b]);
}

Buffer Case::pristine(size_t buffer) const {
  const Buffer &like = images[buffer];
  Buffer image = allocate(like.offset, like.bytes - like.offset - kGuardBytes);
  image.written = like.written;
  fillWritten(buffer, image);
  return image;
}

Call Case::call(const std::vector<void *> &addresses,
                std::vector<RmsrtTensor> &tensors) const {
  tensors.clear();
  for (size_t i = 0; i < subject.parameters.size(); ++i) {
    const size_t b = bufferIndex[i];
    RmsrtTensor tensor;
    tensor.data = static_cast<uint8_t *>(addresses[b]) + images[b].offset;
    tensor.rowStride =
        subject.parameters[i].kind == Kind::Rows && settings.extraStride
            ? stride(i)
            : 0;
    tensors.push_back(tensor);
  }
  Call call;
  call.tensors = tensors.data();
  call.tensorCount = tensors.size();
  call.rows = settings.rows;
  if (workspaceIndex >= 0) {
    call.workspace = static_cast<uint8_t *>(addresses[workspaceIndex]) +
                     images[workspaceIndex].offset;
    call.workspaceBytes = settings.workspaceBytes;
  }
  return call;
}

static int64_t countOther(const uint8_t *bytes, int64_t size, uint8_t value) {
  int64_t other = 0;
  for (int64_t i = 0; i < size; ++i)
    other += bytes[i] != value;
  return other;
}

/// Bytes around and between the rows of a parameter's tensor that are no longer
/// the guard's.
int64_t Case::guardDamage(size_t i) const {
  const Buffer &image = images[bufferIndex[i]];
  const Parameter &p = subject.parameters[i];
  const int64_t size = sizeOf(p.dtype);
  const int64_t rows = p.used ? matrixRows(i) : 0;
  const int64_t width = matrixColumns(i) * size, pitch = stride(i) * size;
  int64_t damage =
      countOther(image.memory.get(), int64_t(image.offset), kGuard);
  const int64_t end =
      int64_t(image.offset) + (rows > 0 ? (rows - 1) * pitch + width : 0);
  damage +=
      countOther(image.memory.get() + end, int64_t(image.bytes) - end, kGuard);
  if (pitch > width)
    for (int64_t row = 0; row + 1 < rows; ++row)
      damage +=
          countOther(image.data() + row * pitch + width, pitch - width, kGuard);
  return damage;
}

std::string Case::digest(size_t i) const {
  const int64_t size = sizeOf(subject.parameters[i].dtype);
  Sha256 hash;
  for (int64_t row = 0; row < matrixRows(i); ++row)
    hash.update(images[bufferIndex[i]].data() + row * stride(i) * size,
                size_t(matrixColumns(i) * size));
  return hash.finish();
}

bool Case::sameBits(size_t i, const Buffer &other) const {
  const int64_t size = sizeOf(subject.parameters[i].dtype);
  for (int64_t row = 0; row < matrixRows(i); ++row) {
    const int64_t at = row * stride(i) * size;
    if (std::memcmp(images[bufferIndex[i]].data() + at, other.data() + at,
                    size_t(matrixColumns(i) * size)) != 0)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

bool CaseReport::withinBounds() const {
  if (!damage.empty())
    return false;
  for (const OutputReport &output : outputs)
    if (output.wrong || output.unwritten || output.guardDamage)
      return false;
  return true;
}

bool CaseReport::withinTolerance() const {
  if (!hasTolerance)
    return true;
  for (const OutputReport &output : outputs)
    if (double(output.matched) < tolerance.matchedRatio * output.elements)
      return false;
  return true;
}

static std::string format(const char *text, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), text, value);
  return buffer;
}

std::string formatReport(const Case &checked, const CaseReport &report,
                         const std::string &title) {
  std::string text = (report.passed() ? "PASS " : "FAIL ") + title;
  std::string details;
  for (const OutputReport &output : report.outputs) {
    const std::string &name =
        checked.kernel().parameters[output.parameter].name;
    text += "  " + name + " ";
    text += report.hasReference ? format("%.3f", output.worst) : "written";
    if (report.hasTolerance && output.elements)
      text += format(" (%.2f%%)", 100.0 * output.matched / output.elements);
    std::string at =
        concat("[", output.worstRow, ", ", output.worstColumn, "]");
    if (output.wrong)
      details += concat("  ", name, ": ", output.wrong, " of ", output.elements,
                        " elements beyond the bound, worst at ", at, ": got ",
                        format("%.9g", output.worstGot), ", want ",
                        format("%.9g", output.worstWant), "\n");
    if (output.unwritten)
      details += concat("  ", name, ": ", output.unwritten, " of ",
                        output.elements, " elements were never written\n");
    if (output.guardDamage)
      details += concat("  ", name, ": ", output.guardDamage,
                        " bytes outside the tensor were written\n");
    if (report.hasTolerance &&
        double(output.matched) <
            report.tolerance.matchedRatio * double(output.elements))
      details +=
          concat("  ", name, ": only ", output.matched, " of ", output.elements,
                 " elements within atol ", report.tolerance.atol, ", rtol ",
                 report.tolerance.rtol, "\n");
  }
  return text + "\n" + details + report.damage;
}

std::string formatDigests(const Case &checked, const std::string &title) {
  std::string text;
  const auto &parameters = checked.kernel().parameters;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].direction == Direction::Output)
      text += "digest " + title + " " + parameters[i].name + " " +
              checked.digest(i) + "\n";
  return text;
}

} // namespace rmscheck
