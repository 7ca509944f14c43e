//===-- Compiler.h - from MLIR text to packages -----------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole compiler behind one options struct and one function. The command
// line tool, the C API and the emulator are written on it.
//
// Errors are `llvm::Error`s whose text is one message: what is wrong, with file
// and line where there is one, and what to do. Nothing is printed.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_COMPILER_COMPILER_H
#define RMSC_COMPILER_COMPILER_H

#include "rmsc/Compiler/Ptxas.h"
#include "rmsrt/Manifest.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rmsc {

/// Version of this compiler, as the manifest states it.
llvm::StringRef getVersion();
/// Version of the LLVM that it is linked with.
llvm::StringRef getLLVMVersion();

/// How far to compile. The levels up to `NVVM` are MLIR; from `LLVM` on there
/// is one output for each variant of a kernel.
enum class Level {
  Input,    ///< as parsed and verified (L0)
  RMS,      ///< one `rms` op a kernel (L1)
  Row,      ///< row kernels without a schedule (L2)
  Schedule, ///< row kernels with their schedules, one module a chip (L3)
  GPU,      ///< `gpu.module`s, one a variant (L4)
  NVVM,     ///< only `llvm` and `nvvm` in the `gpu.module`s (L5)
  LLVM,     ///< optimized LLVM IR
  PTX,      ///< PTX; needs no ptxas
  Cubin,    ///< machine code
};

/// The names that the command line uses: "input", "rms", "row", "schedule",
/// "gpu", "nvvm", "llvm", "ptx", "cubin".
llvm::StringRef stringifyLevel(Level level);
std::optional<Level> symbolizeLevel(llvm::StringRef name);

enum class Rsqrt { Approx, Exact };

struct CompileOptions {
  /// Chips to compile for, as in "sm_90". None: `defaultChip` of the target
  /// table. A chip that is named twice is compiled for once.
  std::vector<std::string> chips;
  /// How far to go. Nothing beyond it is computed.
  Level stopAfter = Level::Cubin;
  /// Compile this variant of each kernel only; empty: all of them.
  std::string variant;
  /// Compile only the most preferred variant of each kernel and chip. Ignored
  /// where `variant` is given.
  bool firstVariantOnly = false;
  /// Text of a schedule (`#row.schedule<...>` or what stands between its angle
  /// brackets) that replaces the rules' choice for dense and aligned operands;
  /// several, with semicolons between them, each become a variant.
  std::string schedule;
  /// Reciprocal root: the GPU's approximate one, or IEEE division and root.
  Rsqrt rsqrt = Rsqrt::Approx;
  /// One schedule for every row count, so that the result of a row does not
  /// depend on how many rows there are.
  bool batchInvariant = false;
  /// A tuning table (JSON) whose entries come before the shipped tables' and
  /// the rules' choice; empty: none.
  std::string tuningFile;
  /// Every schedule that is worth measuring becomes a variant ("s0", "s1", ...)
  /// in place of the chosen ones.
  bool enumerateSchedules = false;
  /// Also compile, for each kernel, one that only moves its rows
  /// (`<kernel>_floor`, operation "copy"), in every schedule that may be the
  /// fastest.
  bool withFloors = false;
  /// Also put the PTX of each variant into the package, for chips that no cubin
  /// fits.
  bool includePtx = false;
  /// ptxas to call; empty: look for one (see `findPtxas`).
  std::string ptxas;
  /// Threads to compile with; 0: one for each core, 1: none beside the
  /// caller's.
  unsigned threads = 0;
};

/// One variant of a kernel on one chip. What is there depends on
/// `CompileOptions::stopAfter`.
struct CompiledVariant {
  /// Numbers of the kernel in `manifest().kernels` and of the variant in that
  /// kernel's `variants`.
  size_t kernelIndex = 0, variantIndex = 0;
  /// From `Level::GPU` on: the module that holds the variant's entry points, at
  /// that level (from `Level::LLVM` on, L5 with inline PTX spelled out). It
  /// lives as long as the compilation.
  mlir::gpu::GPUModuleOp module;
  /// Optimized LLVM IR, at `Level::LLVM` only.
  std::string llvmIR;
  /// From `Level::PTX` on.
  std::string ptx;
  /// From `Level::Cubin` on.
  std::string cubin;
  /// What ptxas said, from `Level::Cubin` on.
  PtxasReport report;
};

/// Wall time of one stage, in milliseconds. Stages that run for several
/// variants at once are summed over the variants.
struct StageTime {
  std::string name;
  double milliseconds;
};

class CompilationImpl;

/// The result of `compile`.
class Compilation {
public:
  Compilation(std::unique_ptr<CompilationImpl> impl);
  Compilation(Compilation &&) noexcept;
  Compilation &operator=(Compilation &&) noexcept;
  ~Compilation();

  /// The same description as in a package's manifest, from `Level::Schedule`
  /// on; before that it has kernels without variants. `image` of a variant is
  /// empty where there is no machine code; registers, spills, local and static
  /// shared memory are 0 then.
  const rmsrt::Manifest &manifest() const;

  /// All variants, by kernel and then in the order of the manifest. Empty
  /// before `Level::GPU`.
  llvm::ArrayRef<CompiledVariant> variants() const;

  /// The module of a chip (from `Level::Schedule` on) or of all chips (before).
  /// Null where `chip` was not compiled for.
  mlir::ModuleOp module(llvm::StringRef chip = "") const;
  /// Text of the module or, for several chips, of all modules with a `// -----`
  /// line between them.
  std::string moduleText() const;

  /// Bytes of the package. Only at `Level::Cubin`.
  llvm::Expected<std::string> package() const;
  /// Manifest (JSON) of one variant alone, for a cubin or a PTX text that is
  /// written beside it. `imageFile` is the name it gives to that file.
  std::string variantManifest(const CompiledVariant &variant,
                              llvm::StringRef imageFile) const;

  llvm::ArrayRef<StageTime> times() const;

private:
  std::unique_ptr<CompilationImpl> impl;
};

/// Adds the dialects and translations that the compiler needs to a registry,
/// and no more: what is registered is what a program may hold.
void registerDialects(mlir::DialectRegistry &registry);

/// Compiles a program: MLIR text or bytecode, whose name is used in messages.
/// The program's functions that hold `rms` ops each become one kernel.
llvm::Expected<Compilation> compile(llvm::MemoryBufferRef input,
                                    const CompileOptions &options);

} // namespace rmsc

#endif // RMSC_COMPILER_COMPILER_H
