//===-- Tuning.h - schedules that were measured -----------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuning table is what `rms-run tune` wrote on one chip: for a hidden size,
// the kinds and types of what a kernel reads and writes, and some numbers of
// rows, the times of the schedules that were tried. From it follow the row
// ranges of the variants and their schedules. Where a table has nothing, the
// scheduler's rules choose.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_COMPILER_TUNING_H
#define RMSC_LIB_COMPILER_TUNING_H

#include "rmsc/Target/Target.h"
#include "rmsrt/Manifest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace rmsc {

/// A schedule, as text, and the numbers of rows that it is for.
struct TunedRange {
  int64_t minRows, maxRows;
  std::string schedule;
};

class TuningTable {
public:
  /// Reads the text of a table; `name` stands for it in messages.
  static llvm::Expected<TuningTable> parse(llvm::StringRef text,
                                           llvm::StringRef name);
  static llvm::Expected<TuningTable> readFile(llvm::StringRef path);
  /// The tables that the compiler ships, read once in a process.
  static llvm::ArrayRef<TuningTable> getShipped();

  /// Where it is from, for messages.
  llvm::StringRef getName() const { return name; }

  /// Whether it was measured on a chip of this one's compute capability.
  bool isOf(const TargetInfo &target) const {
    return target.major == capability.major && target.minor == capability.minor;
  }
  /// The chip that it was measured on, as it says itself.
  llvm::StringRef getChip() const { return chip; }

  /// Ranges that cover every number of rows, or none where the table does not
  /// know a kernel of this shape on this chip. A schedule that takes strides is
  /// none of the choices: the variants of dense operands are what is tuned.
  std::vector<TunedRange> lookup(const rmsrt::Kernel &kernel,
                                 const TargetInfo &target) const;

private:
  /// Time in microseconds of each schedule.
  using Times = std::map<std::string, double>;

  std::string name, chip;
  rmsrt::ComputeCapability capability;
  /// By the kernel's shape (see `describeShape`) and the number of rows.
  std::map<std::string, std::map<int64_t, Times>> shapes;
};

/// The tables in the source tree, as text: name and contents. Generated.
llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>>
getShippedTuningTexts();

} // namespace rmsc

#endif // RMSC_LIB_COMPILER_TUNING_H
