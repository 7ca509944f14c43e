//===-- Report.cpp - what the emulator has to say of a run ------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Emulator/Report.h"
#include "llvm/Support/raw_ostream.h"

using namespace rmsc::emulator;

const char *rmsc::emulator::toString(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
    return "out-of-bounds";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::UninitializedRead:
    return "uninitialized-read";
  case FaultKind::StoreToInput:
    return "store-to-input";
  case FaultKind::NeverWritten:
    return "never-written";
  case FaultKind::Rewritten:
    return "rewritten";
  case FaultKind::SharedRace:
    return "shared-race";
  case FaultKind::GlobalRace:
    return "global-race";
  case FaultKind::Divergence:
    return "divergence";
  case FaultKind::BadShuffle:
    return "bad-shuffle";
  case FaultKind::Runaway:
    return "runaway";
  case FaultKind::ReadBeforeWait:
    return "read-before-wait";
  case FaultKind::StoreBeforeWait:
    return "store-before-wait";
  case FaultKind::InvariantLoad:
    return "invariant-load";
  case FaultKind::ExitedRemote:
    return "exited-remote";
  case FaultKind::CounterNotReset:
    return "counter-not-reset";
  case FaultKind::Nondeterminism:
    return "nondeterminism";
  }
  return "fault";
}

std::string Fault::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << toString(kind) << ": ";
  if (!entry.empty())
    os << entry << ", ";
  if (launch > 0)
    os << "launch " << launch << ", ";
  if (block >= 0)
    os << "block " << block << ", ";
  if (thread >= 0)
    os << "thread " << thread << ": ";
  os << message;
  if (!location.empty())
    os << " [" << location << "]";
  if (count > 1)
    os << " (" << count << " times)";
  return text;
}

bool Report::has(FaultKind kind) const {
  for (const Fault &fault : faults)
    if (fault.kind == kind)
      return true;
  return false;
}

void Report::append(const Report &other) {
  faults.insert(faults.end(), other.faults.begin(), other.faults.end());
}

void Report::print(llvm::raw_ostream &os) const {
  for (const Fault &fault : faults)
    os << "error: " << fault.str() << "\n";
}
