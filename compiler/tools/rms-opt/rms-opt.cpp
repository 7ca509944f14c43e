//===-- rms-opt.cpp - the optimizer driver ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with this project's dialects and passes and the upstream ones that
// its pipeline is made of. `--level` registers only the dialects that the IR of
// a level may hold, so that what leaks from the level above fails to parse.
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Register.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  rmsc::Level level = rmsc::Level::All;
  // Dialects are registered before MlirOptMain reads the command line, so this
  // option is taken out of it here.
  for (char *argument : arguments) {
    llvm::StringRef text = argument;
    if (!text.consume_front("--level="))
      continue;
    std::optional<rmsc::Level> parsed = rmsc::parseLevel(text);
    if (!parsed) {
      llvm::errs() << "rms-opt: error: unknown level '" << text
                   << "'; known are rms, row, gpu, nvvm\n";
      return 1;
    }
    level = *parsed;
  }
  llvm::erase_if(arguments, [](llvm::StringRef text) {
    return text.starts_with("--level=");
  });
  rmsc::registerDialects(registry, level);
  rmsc::registerPasses();
  int count = arguments.size();
  arguments.push_back(nullptr);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      count, arguments.data(), "rmsc optimizer driver\n", registry));
}
