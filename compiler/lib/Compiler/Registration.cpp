//===-- Registration.cpp - what a program may hold --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Compiler.h"
#include "rmsc/Dialect/RMS/RMS.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

using namespace mlir;

void rmsc::registerDialects(DialectRegistry &registry) {
  // L0: without one of these, a program that the compiler is made for fails to
  // parse ("Dialect `linalg' not found for custom op 'linalg.generic'"). The
  // dialects of the lower levels are dependencies of the passes that make their
  // ops, and are loaded with them.
  registry.insert<rms::RMSDialect, func::FuncDialect, arith::ArithDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  tensor::TensorDialect>();

  // L5 to LLVM IR: without one of these, translation fails with "cannot be
  // converted to LLVM IR: missing `LLVMTranslationDialectInterface`
  // registration for dialect for op", the op being
  registerBuiltinDialectTranslation(registry); // builtin.module and attributes
  registerGPUDialectTranslation(registry);     // gpu.module
  registerLLVMDialectTranslation(registry);    // llvm.func
  registerNVVMDialectTranslation(registry);    // nvvm.read.ptx.sreg.tid.x
}
