//===-- Runner.h - runs cases of the numeric suite --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TEST_NUMERIC_RUNNER_H
#define RMSC_TEST_NUMERIC_RUNNER_H

#include "Spec.h"
#include "rmsc/Compiler/Compiler.h"
#include "rmsc/Emulator/Code.h"
#include <map>
#include <memory>

namespace rmsc::numeric {

/// A program compiled to L5, and what of it was compiled for the host.
class Program {
public:
  /// Compiles the program of a case, or every schedule that is enumerated for
  /// it as variants.
  static llvm::Expected<std::unique_ptr<Program>>
  compile(const Spec &spec, bool enumerateSchedules = false);

  const rmsrt::Kernel &kernel() const {
    return compilation->manifest().kernels.front();
  }
  llvm::Expected<const emulator::Code *> code(size_t variant);
  /// Forgets the host code of all variants.
  void dropCode() { codes.clear(); }

private:
  std::unique_ptr<Compilation> compilation;
  std::map<size_t, std::unique_ptr<emulator::Code>> codes;
};

/// Runs one case of a program, on the calling thread alone. The text says what
/// failed and is empty where nothing did. `ran` receives, where it is not null,
/// the variant that ran.
std::string runCase(Program &program, const Spec &spec,
                    const rmsrt::Variant **ran = nullptr);

} // namespace rmsc::numeric

#endif // RMSC_TEST_NUMERIC_RUNNER_H
