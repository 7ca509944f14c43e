//===-- Halves.h - f16 and bf16 on the host ---------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_EMULATOR_HALVES_H
#define RMSC_LIB_EMULATOR_HALVES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace rmsc::emulator {

inline bool isNarrowFloat(mlir::Type type) {
  return type.isF16() || type.isBF16();
}

/// An integer, or a vector of it.
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location location,
                           mlir::Type type, uint64_t value);

/// Spells a conversion between f32 and a 16-bit type out, because what x86 does
/// with one depends on the processor: a library call here, an instruction that
/// flushes denormals there. Any other conversion is an error.
mlir::LogicalResult lowerConversion(mlir::Operation *op,
                                    mlir::OpBuilder &builder);

/// Turns values of f16 and bf16 into integers wherever they are only moved.
/// What the x86 back end does with a bf16 that it has no register for is a
/// conversion to f32 and back.
void moveHalvesAsIntegers(mlir::LLVM::LLVMFuncOp function);

} // namespace rmsc::emulator

#endif // RMSC_LIB_EMULATOR_HALVES_H
