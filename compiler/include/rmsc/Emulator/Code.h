//===-- Code.h - an L5 gpu.module compiled for the host ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator runs the very IR that is translated to PTX: a `gpu.module` of
// `llvm` and `nvvm` ops. A clone of it gets its NVVM ops replaced by calls into
// the emulator, checks put before its accesses, and is then compiled for this
// machine. One compilation serves any number of runs.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_EMULATOR_CODE_H
#define RMSC_EMULATOR_CODE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace rmsc::emulator {

/// An instruction that calls into the emulator, as far as a check or a message
/// needs to know it.
struct Site {
  /// Name of the op, "llvm.store".
  std::string op;
  /// "file.mlir:3:5", or empty.
  std::string location;
  /// Of an access: bytes, the alignment in bytes that the instruction relies
  /// on, and bytes of one element (what one bit of a mask stands for).
  uint32_t bytes = 0, alignment = 1, elementBytes = 0;
  /// Address space of the pointer: 0 generic, 1 global, 3 shared, 7 the shared
  /// memory of a cluster.
  uint32_t space = 0;
  /// The kernel argument that the pointer was computed from, or -1.
  int argument = -1;
  /// The shared object that the pointer was computed from, or -1.
  int object = -1;
  /// The load promises that nobody writes the memory while the kernel runs
  /// (it becomes ld.global.nc).
  bool invariant = false;
  /// An atomic access, by itself or through an atomic instruction.
  bool atomic = false;
};

/// An array in shared memory. A size of 0 bytes stands for the dynamic shared
/// memory, whose size the launch states.
struct SharedObject {
  std::string name;
  uint64_t bytes = 0, alignment = 1;
};

/// An entry point: takes the address of its arguments, 8 bytes each.
using EntryFunction = void (*)(const uint64_t *arguments);
struct Entry {
  std::string name;
  unsigned arguments = 0;
  /// Threads of a CTA that the entry is compiled for, 0 where it does not say,
  /// and whether no other number may be launched.
  unsigned maxThreads = 0;
  bool exactThreads = false;
  /// CTAs of a cluster that the entry is compiled for, 0 where it does not say.
  unsigned cluster = 0;
  EntryFunction function = nullptr;
};

struct CompileOptions {
  /// Put the checks in. Without them a kernel runs faster and a wild access
  /// ends the process.
  bool checks = true;
};

/// Kernels compiled for this machine. Immutable; any number of threads may run
/// it at once.
class Code {
public:
  ~Code();
  /// Compiles every kernel of `module`, which is left as it is. An op that the
  /// emulator does not know, a fast-math flag (the bits would be free) or a
  /// processor without the instructions needed is an error with file and line.
  static llvm::Expected<std::unique_ptr<Code>>
  compile(mlir::gpu::GPUModuleOp module, const CompileOptions &options = {});

  const Entry *find(llvm::StringRef name) const;
  /// Whether it was compiled with checks.
  bool isChecked() const { return checked; }
  const std::vector<Site> &sites() const { return siteTable; }
  const std::vector<SharedObject> &sharedObjects() const { return objects; }

private:
  Code();
  struct Jit;
  std::unique_ptr<Jit> jit;
  std::vector<Entry> entries;
  std::vector<Site> siteTable;
  std::vector<SharedObject> objects;
  bool checked = true;
};

/// The first half of `Code::compile`: a module of `llvm` ops alone that calls
/// the emulator, and the tables that go with it. Errors are diagnostics of the
/// module's context.
struct LoweredModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Entry> entries;
  std::vector<Site> sites;
  std::vector<SharedObject> objects;
};
mlir::FailureOr<LoweredModule>
lowerToEmulatorCalls(mlir::gpu::GPUModuleOp module,
                     const CompileOptions &options);

} // namespace rmsc::emulator

#endif // RMSC_EMULATOR_CODE_H
