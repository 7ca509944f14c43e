//===-- Report.h - what the emulator has to say of a run --------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_EMULATOR_REPORT_H
#define RMSC_EMULATOR_REPORT_H

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace rmsc::emulator {

/// What a kernel did wrong. docs/emulator.md says of each what it means on a
/// GPU and how it is detected.
enum class FaultKind {
  OutOfBounds,
  Misaligned,
  UninitializedRead,
  StoreToInput,
  NeverWritten,
  Rewritten,
  SharedRace,
  GlobalRace,
  Divergence,
  BadShuffle,
  Runaway,
  ReadBeforeWait,
  StoreBeforeWait,
  InvariantLoad,
  ExitedRemote,
  CounterNotReset,
  Nondeterminism,
};

/// The kind as it is spelled in reports: "out-of-bounds".
const char *toString(FaultKind kind);

/// One fault. Faults of one kind at one instruction on one operand are a single
/// entry, which describes the one of the lowest block and thread.
struct Fault {
  FaultKind kind = FaultKind::OutOfBounds;
  /// The kernel's entry point; empty for a fault of the whole call.
  std::string entry;
  /// Index of the launch within the call, -1 for a fault of the whole call.
  int launch = -1;
  /// Linear numbers of the CTA in the grid and of the thread in the CTA; -1
  /// where the fault belongs to no thread.
  int64_t block = -1;
  int thread = -1;
  /// The parameter or the shared object, empty where it is not known.
  std::string operand;
  /// One sentence without the names above: what was done, and where.
  std::string message;
  /// Where the instruction stands in the source ("file.mlir:3:5"), or empty.
  std::string location;
  /// How often it happened.
  uint64_t count = 1;

  /// The whole fault in one line.
  std::string str() const;
};

/// All faults of a run, in the order of launch, block and thread.
struct Report {
  std::vector<Fault> faults;

  bool empty() const { return faults.empty(); }
  bool has(FaultKind kind) const;
  void append(const Report &other);
  /// One line a fault, "error: ...".
  void print(llvm::raw_ostream &os) const;
};

} // namespace rmsc::emulator

#endif // RMSC_EMULATOR_REPORT_H
