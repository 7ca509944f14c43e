//===-- Lowering.h - NVVM ops become calls of the emulator ------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is decided here, before LLVM sees the code: an NVVM op that got as
// far as the x86 back end would end the process. So this is a closed list; what
// is not on it is an error with the op's name.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_EMULATOR_LOWERING_H
#define RMSC_LIB_EMULATOR_LOWERING_H

#include "Halves.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "rmsc/Emulator/Code.h"
#include "llvm/ADT/StringMap.h"

namespace rmsc::emulator {

/// Lowers one gpu.module: a copy of each function, op by op, and an entry that
/// the engine calls for each kernel.
class Lowering {
public:
  Lowering(mlir::gpu::GPUModuleOp source, const CompileOptions &options)
      : source(source), options(options), builder(source.getContext()) {}

  mlir::FailureOr<LoweredModule> run();

private:
  // In Lowering.cpp.
  mlir::LogicalResult lowerGlobal(mlir::LLVM::GlobalOp global);
  mlir::LogicalResult lowerFunction(mlir::LLVM::LLVMFuncOp function);
  void addEntry(mlir::LLVM::LLVMFuncOp function);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  void addTicks(mlir::LLVM::LLVMFuncOp function);

  // In LowerMemory.cpp.
  mlir::LogicalResult lowerAccess(mlir::Operation *op);
  mlir::LogicalResult lowerInlinePtx(mlir::NVVM::InlinePtxOp op);

  // In LowerNVVM.cpp.
  mlir::LogicalResult lowerNVVM(mlir::Operation *op);
  mlir::LogicalResult lowerIntrinsicCall(mlir::LLVM::CallIntrinsicOp op);

  /// Enters an op into the table of sites.
  uint32_t site(mlir::Operation *op);
  /// Enters an access; false where it needs no check.
  bool accessSite(mlir::Operation *op, mlir::Value pointer, uint64_t bytes,
                  uint64_t alignment, uint32_t &number);

  mlir::Value constant(mlir::Type type, uint64_t value) {
    return createConstant(builder, location, type, value);
  }
  mlir::Value i32(uint32_t value) {
    return constant(builder.getI32Type(), value);
  }
  mlir::Value address(mlir::Value pointer) {
    return mlir::LLVM::PtrToIntOp::create(builder, location,
                                          builder.getI64Type(), pointer);
  }
  /// Calls an emulator function; null where it returns nothing.
  mlir::Value call(llvm::StringRef name, mlir::Type result,
                   mlir::ValueRange operands);
  /// A pointer to memory of the calling thread that holds `value`.
  mlir::Value spill(mlir::Value value);

  mlir::gpu::GPUModuleOp source;
  CompileOptions options;
  mlir::OpBuilder builder;
  mlir::Location location = builder.getUnknownLoc();
  LoweredModule result;
  llvm::StringMap<int> objectNumbers;
  mlir::LLVM::LLVMFuncOp current;
  bool currentIsKernel = false;
  /// Of the current function, made at the first spill.
  mlir::Value scratch;
  mlir::DataLayout layout = mlir::DataLayout();
};

} // namespace rmsc::emulator

#endif // RMSC_LIB_EMULATOR_LOWERING_H
