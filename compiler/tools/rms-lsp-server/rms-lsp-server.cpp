//===-- rms-lsp-server.cpp - language server for rmsc's IR ------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's MLIR language server, with the dialects that rms-opt has: an
// editor shows the same errors as the tool.
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Register.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  rmsc::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
