//===-- Call.h - calls of a package's kernels, emulated ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call as the runtime would make it: its checks, its choice of a variant, its
// grids and its arguments, on the buffers of a check (rmscheck). What is
// emulated is only the GPU.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_EMULATOR_CALL_H
#define RMSC_EMULATOR_CALL_H

#include "rmsc/Emulator/Code.h"
#include "rmsc/Emulator/Engine.h"
#include "rmscheck/Case.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace rmsc::emulator {

/// One run of a call.
struct Interleaving {
  Order order = Order::Forward;
  uint64_t seed = 0;
};

struct CallOptions {
  /// The call is run once in each; outputs whose bits differ are a fault.
  llvm::SmallVector<Interleaving> interleavings = {
      {Order::Forward, 0}, {Order::Reverse, 0}, {Order::Random, 1}};
  /// Host threads; 0: as many as the machine has.
  unsigned jobs = 0;
  uint64_t budget = RunOptions().budget;
  /// Run this variant; empty: the one that the runtime would choose.
  std::string variant;
};

/// The compiled code of a variant of the case's kernel (an index into its
/// `variants`). Called once a call.
using CodeOfVariant =
    llvm::function_ref<llvm::Expected<const Code *>(size_t variant)>;

struct CallResult {
  Report report;
  /// The variant that ran.
  size_t variant = 0;
};

/// An error where this machine has too little memory to emulate such a case
/// with every access watched. For before the case is made, which cannot fail
/// well.
llvm::Error checkMemory(const rmsrt::Kernel &kernel,
                        const rmscheck::CaseOptions &options);

/// The variant that the runtime would choose for the case on a chip of exactly
/// that name (or the one that `name` forces), and the workspace it needs: what
/// `CaseOptions::workspaceBytes` has to be. An error is the runtime's own.
llvm::Expected<size_t> chooseVariant(const rmscheck::Case &checked,
                                     llvm::StringRef chip,
                                     llvm::StringRef name = "");

/// Makes the call that `checked` holds, on a chip of exactly that name, in
/// place on its buffers. Afterwards they hold the results of the last run, for
/// `Case::verify`. Stops after the first interleaving with a fault.
llvm::Expected<CallResult> emulateCall(rmscheck::Case &checked,
                                       llvm::StringRef chip, CodeOfVariant code,
                                       const CallOptions &options = {});

} // namespace rmsc::emulator

#endif // RMSC_EMULATOR_CALL_H
