//===-- Register.cpp - dialects and passes of the tools ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Register.h"

#include "rmsc/Conversion/Passes.h"
#include "rmsc/Dialect/RMS/RMS.h"
#include "rmsc/Dialect/Row/Row.h"
#include "rmsc/Pipelines/Pipelines.h"
#include "rmsc/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace rmsc;

std::optional<Level> rmsc::parseLevel(llvm::StringRef name) {
  if (name == "rms")
    return Level::RMS;
  if (name == "row")
    return Level::Row;
  if (name == "gpu")
    return Level::GPU;
  if (name == "nvvm")
    return Level::NVVM;
  return std::nullopt;
}

void rmsc::registerDialects(DialectRegistry &registry, Level level) {
  bool all = level == Level::All;
  if (all || level == Level::RMS) {
    registry.insert<rms::RMSDialect, func::FuncDialect, tensor::TensorDialect,
                    linalg::LinalgDialect, arith::ArithDialect,
                    math::MathDialect>();
    // rms-decompose's result is run on the CPU through bufferization.
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
        registry);
    linalg::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
  }
  if (all || level == Level::Row)
    registry.insert<row::RowDialect, arith::ArithDialect, math::MathDialect,
                    vector::VectorDialect>();
  if (all || level == Level::GPU)
    registry.insert<gpu::GPUDialect, scf::SCFDialect, vector::VectorDialect,
                    arith::ArithDialect, math::MathDialect, LLVM::LLVMDialect,
                    NVVM::NVVMDialect>();
  if (all || level == Level::NVVM)
    registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  if (all)
    registry.insert<bufferization::BufferizationDialect, memref::MemRefDialect,
                    cf::ControlFlowDialect>();
}

void rmsc::registerPasses() {
  registerRmscTransformsPasses();
  registerRmscConversionPasses();
  registerPipelines();
  registerTransformsPasses();
  registerConversionPasses();
  registerLinalgPasses();
  bufferization::registerBufferizationPasses();
  arith::registerArithPasses();
  memref::registerMemRefPasses(); // resolves the sizes of an op's results
}
