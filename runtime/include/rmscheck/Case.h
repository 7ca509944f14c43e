//===-- Case.h - Buffers of a check, and its verdict ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything of a check but the running: host images of the buffers that one
// call of a kernel takes, filled with the generator's inputs and with poison,
// and the comparison of what a run left in them with the float64 reference.
// rms-run copies the images to a GPU and back; the emulator runs on them in
// place.
//
//===----------------------------------------------------------------------===//

#ifndef RMSCHECK_CASE_H
#define RMSCHECK_CASE_H

#include "rmscheck/Suites.h"
#include "rmsrt/Error.h"
#include "rmsrt/LaunchPlan.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rmscheck {

/// What one check runs.
struct CaseOptions {
  int64_t rows = 1;
  uint64_t seed = 1;
  /// Elements by which every tensor's pointer is off a 256-byte boundary.
  int64_t misalign = 0;
  /// Elements between the end of a row and the start of the next.
  int64_t extraStride = 0;
  /// Use every input that may be used in place in place.
  bool inPlace = false;
  /// Bytes of workspace, and how many at its start must be zero.
  uint64_t workspaceBytes = 0;
  uint64_t workspaceZeroedBytes = 0;
  /// Threads for filling and checking; 0 means all processors.
  unsigned threads = 0;
};

/// The host image of one allocation: guard, contents, guard. An image and its
/// allocation on the device are laid out alike, and both start on a 256-byte
/// boundary.
struct Buffer {
  struct Free {
    void operator()(uint8_t *memory) const;
  };
  std::unique_ptr<uint8_t[], Free> memory;
  size_t bytes = 0;
  /// Where the first element lies.
  size_t offset = 0;
  /// Whether a run may change it: an output, or the workspace.
  bool written = false;

  uint8_t *data() const { return memory.get() + offset; }
};

/// What became of one output.
struct OutputReport {
  size_t parameter = 0;
  int64_t elements = 0;
  /// The largest error in units of its bound; a NaN or an infinity in the wrong
  /// place counts as infinite.
  double worst = 0;
  int64_t worstRow = 0, worstColumn = 0;
  double worstGot = 0, worstWant = 0;
  /// Elements beyond their bound, and elements that nothing wrote.
  int64_t wrong = 0;
  int64_t unwritten = 0;
  /// Elements within the suite's tolerance.
  int64_t matched = 0;
  /// Bytes written outside the tensor: before it, after it, or between rows.
  int64_t guardDamage = 0;
};

struct CaseReport {
  std::vector<OutputReport> outputs;
  /// Guard bytes of inputs or the workspace that were written, inputs that were
  /// changed, and bytes of the workspace that should have been left zero.
  std::string damage;
  bool hasTolerance = false;
  Tolerance tolerance;
  /// False for operations of which only the writing is checked (copies).
  bool hasReference = true;

  bool withinBounds() const;
  bool withinTolerance() const;
  bool passed() const { return withinBounds() && withinTolerance(); }
};

/// Bytes of host memory that the images of a case take: all of them, and those
/// that a run writes. Doubles, because what is asked for may be beyond any
/// integer.
struct CaseBytes {
  double all = 0, written = 0;
};
CaseBytes measureCase(const rmsrt::Kernel &kernel, const CaseOptions &options);

/// RMSRT_OUT_OF_MEMORY where `bytes` are more than this machine's memory. Asked
/// before a case is made: Linux gives out more memory than there is and ends
/// the process, without a word, once it is touched.
rmsrt::Error checkHostMemory(const rmsrt::Kernel &kernel, int64_t rows,
                             double bytes);

class Case {
public:
  /// The kernel must outlive the case. Allocates and fills all images; throws
  /// std::bad_alloc where that fails.
  Case(const rmsrt::Kernel &kernel, const CaseOptions &options);

  const rmsrt::Kernel &kernel() const { return subject; }
  const CaseOptions &options() const { return settings; }

  /// Images: one a tensor (in-place pairs share one), and the workspace last
  /// where there is any.
  std::vector<Buffer> &buffers() { return images; }
  const std::vector<Buffer> &buffers() const { return images; }
  /// The image that holds a parameter's tensor.
  size_t bufferOf(size_t parameter) const { return bufferIndex[parameter]; }
  /// The workspace's image, or -1.
  int workspaceBuffer() const { return workspaceIndex; }

  /// The call on these images, given where each of them is (its own memory, or
  /// its copy on a device). `tensors` is filled and must outlive the call.
  rmsrt::Call call(const std::vector<void *> &addresses,
                   std::vector<RmsrtTensor> &tensors) const;

  /// Sets everything a run writes back to its state before the run.
  void reset();
  /// An image of one written buffer as it was before the run.
  Buffer pristine(size_t buffer) const;

  /// Compares what a run left in the images with the reference.
  CaseReport verify(const Tolerance *tolerance = nullptr) const;

  /// The bytes of one output without gaps, and their SHA-256 (row after row,
  /// little endian).
  std::string digest(size_t parameter) const;
  /// Whether an output's elements are the same bits in another run's image of
  /// the same buffer.
  bool sameBits(size_t parameter, const Buffer &other) const;

  /// Elements of a parameter's tensor.
  int64_t elements(size_t parameter) const;
  /// Row stride of a parameter of kind Rows, in elements.
  int64_t stride(size_t parameter) const;

private:
  friend class Verifier;
  void fillInput(size_t parameter);
  void fillOutput(size_t parameter, Buffer &image) const;
  void fillWorkspace(Buffer &image) const;
  void fillWritten(size_t buffer, Buffer &image) const;
  /// Rows and columns of a parameter's tensor as a matrix.
  int64_t matrixRows(size_t parameter) const;
  int64_t matrixColumns(size_t parameter) const;
  /// Where an input's original values are, and their stride in elements.
  const uint8_t *inputData(size_t parameter) const;
  int64_t inputStride(size_t parameter) const;
  int64_t guardDamage(size_t parameter) const;
  unsigned threads() const;

  const rmsrt::Kernel &subject;
  CaseOptions settings;
  std::vector<Buffer> images;
  std::vector<size_t> bufferIndex;
  int workspaceIndex = -1;
  /// Dense copies of inputs that are used in place.
  std::vector<std::vector<uint8_t>> originals;
};

/// The lines that a check prints for a case: PASS or FAIL with `title`, then
/// each output's worst error, and whatever else went wrong.
std::string formatReport(const Case &checked, const CaseReport &report,
                         const std::string &title);

/// One line "digest <title> <output> <sha256>" for every output.
std::string formatDigests(const Case &checked, const std::string &title);

} // namespace rmscheck

#endif // RMSCHECK_CASE_H
