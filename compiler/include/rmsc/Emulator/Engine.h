//===-- Engine.h - runs compiled kernels under watch ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated GPU: launches over buffers. Nothing here knows a manifest; see
// Call.h for the calls that the runtime would make.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_EMULATOR_ENGINE_H
#define RMSC_EMULATOR_ENGINE_H

#include "rmsc/Emulator/Code.h"
#include "rmsc/Emulator/Report.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>

namespace rmsc::emulator {

/// A piece of global memory.
struct Buffer {
  enum class Kind {
    /// Written before the call, only read in it.
    Input,
    /// Every element is to be written in the call.
    Output,
    /// An input and an output that share their memory.
    InputOutput,
    /// Scratch memory: nothing in it is known before the call.
    Workspace,
  };
  std::string name;
  Kind kind = Kind::Input;
  void *data = nullptr;
  /// The buffer holds `rows` rows of `rowBytes` bytes, `strideBytes` apart;
  /// what lies between two rows belongs to nobody.
  int64_t rows = 1, rowBytes = 0, strideBytes = 0;
  int64_t elementBytes = 4;
  /// Bytes at the start of a workspace that are zero before a call and have to
  /// be zero after it.
  int64_t zeroedBytes = 0;

  /// Bytes from the first one to the last one of the buffer.
  int64_t bytes() const {
    return rows == 0 ? 0 : (rows - 1) * strideBytes + rowBytes;
  }
};

/// An argument of all launches of a call: a pointer into a buffer or a number.
struct Argument {
  uint64_t value = 0;
  /// Index of the buffer whose start `value` is the address of, or -1.
  int buffer = -1;
};

struct LaunchConfig {
  const Code *code = nullptr;
  std::string entry;
  /// CTAs of the grid, a multiple of `cluster`; threads of a CTA.
  uint64_t ctas = 0;
  uint32_t block = 0, cluster = 1;
  uint64_t dynamicSharedBytes = 0;
  /// May start before the launch ahead of it in the call has ended.
  bool dependent = false;
  /// May start before whatever ran before the call has ended, so that nothing
  /// in global memory may be touched before griddepcontrol.wait.
  bool waits = false;
};

/// Which of the threads that could go on does.
enum class Order { Forward, Reverse, Random };

struct RunOptions {
  Order order = Order::Forward;
  /// Of the random order.
  uint64_t seed = 0;
  /// Host threads that blocks are spread over; 0: as many as the machine has.
  unsigned jobs = 0;
  /// Instructions inside of loops that one thread may execute.
  uint64_t budget = uint64_t(1) << 28;
};

/// Runs the launches in order over the buffers. A fault that leaves a thread
/// nothing sensible to do (a wild access, a divergence) ends its CTA (its
/// cluster); the rest of the launch runs on, later launches do not.
/// An error is a mistake of the caller: an unknown entry, a block that the
/// entry is not compiled for, a wrong number of arguments.
llvm::Expected<Report> run(llvm::ArrayRef<LaunchConfig> launches,
                           llvm::ArrayRef<Buffer> buffers,
                           llvm::ArrayRef<Argument> arguments,
                           const RunOptions &options);

} // namespace rmsc::emulator

#endif // RMSC_EMULATOR_ENGINE_H
