//===-- Halves.cpp - f16 and bf16 on the host -------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Halves.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace rmsc::emulator;

/// Marks an op that really is about f16.
static constexpr llvm::StringLiteral keepAttr("rmsemu.keep");

Value rmsc::emulator::createConstant(OpBuilder &builder, Location location,
                                     Type type, uint64_t value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return LLVM::ConstantOp::create(
        builder, location, type,
        DenseElementsAttr::get(vector,
                               APInt(vector.getElementTypeBitWidth(), value)));
  return LLVM::ConstantOp::create(builder, location, type,
                                  builder.getIntegerAttr(type, value));
}

LogicalResult rmsc::emulator::lowerConversion(Operation *op,
                                              OpBuilder &builder) {
  Location location = op->getLoc();
  auto constant = [&](Type type, uint64_t value) {
    return createConstant(builder, location, type, value);
  };
  Value operand = op->getOperand(0);
  Type from = operand.getType(), to = op->getResult(0).getType();
  Type fromElement = getElementTypeOrSelf(from);
  Type toElement = getElementTypeOrSelf(to);
  auto withElement = [&](Type element) -> Type {
    if (auto vector = dyn_cast<VectorType>(from))
      return VectorType::get(vector.getShape(), element);
    return element;
  };
  Type words = withElement(builder.getI32Type());
  Type halves = withElement(builder.getIntegerType(16));
  Value value;
  if (isa<LLVM::FPExtOp>(op)) {
    if (!isNarrowFloat(fromElement) || !toElement.isF32())
      return op->emitError("the emulator does not support this conversion");
    Value bits = LLVM::BitcastOp::create(builder, location, halves, operand);
    if (fromElement.isF16()) {
      // Exact, and the host has an instruction for it.
      auto half = LLVM::BitcastOp::create(builder, location, from, bits);
      half->setAttr(keepAttr, builder.getUnitAttr());
      op->setOperand(0, half);
      op->setAttr(keepAttr, builder.getUnitAttr());
      return success();
    }
    bits = LLVM::ZExtOp::create(builder, location, words, bits);
    bits = LLVM::ShlOp::create(builder, location, bits, constant(words, 16));
    value = LLVM::BitcastOp::create(builder, location, to, bits);
  } else {
    if (!fromElement.isF32() || !(toElement.isF16() || toElement.isBF16()))
      return op->emitError("the emulator does not support this conversion");
    Value bits;
    if (toElement.isBF16()) {
      // Round to nearest, ties to even.
      bits = LLVM::BitcastOp::create(builder, location, words, operand);
      Value last =
          LLVM::LShrOp::create(builder, location, bits, constant(words, 16));
      last = LLVM::AndOp::create(builder, location, last, constant(words, 1));
      bits =
          LLVM::AddOp::create(builder, location, bits, constant(words, 0x7fff));
      bits = LLVM::AddOp::create(builder, location, bits, last);
      bits = LLVM::LShrOp::create(builder, location, bits, constant(words, 16));
      bits = LLVM::TruncOp::create(builder, location, halves, bits);
    } else {
      auto narrow = LLVM::FPTruncOp::create(builder, location, to, operand);
      narrow->setAttr(keepAttr, builder.getUnitAttr());
      auto cast = LLVM::BitcastOp::create(builder, location, halves, narrow);
      cast->setAttr(keepAttr, builder.getUnitAttr());
      bits = cast;
    }
    // PTX has one NaN of each 16-bit type.
    Value isNaN = LLVM::FCmpOp::create(
        builder, location, LLVM::FCmpPredicate::uno, operand, operand);
    bits = LLVM::SelectOp::create(builder, location, isNaN,
                                  constant(halves, 0x7fff), bits);
    value = LLVM::BitcastOp::create(builder, location, to, bits);
  }
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

void rmsc::emulator::moveHalvesAsIntegers(LLVM::LLVMFuncOp function) {
  Builder builder(function.getContext());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FloatType type) -> std::optional<Type> {
    if (isNarrowFloat(type))
      return builder.getIntegerType(16);
    return std::nullopt;
  });
  for (Block &block : function.getBody())
    for (BlockArgument argument : block.getArguments())
      argument.setType(replacer.replace(argument.getType()));
  function.walk([&](Operation *op) {
    if (op->hasAttr(keepAttr)) {
      op->removeAttr(keepAttr);
      return;
    }
    for (Value value : op->getResults())
      value.setType(replacer.replace(value.getType()));
    if (auto constant = dyn_cast<LLVM::ConstantOp>(op)) {
      Attribute value = constant.getValue();
      if (auto number = dyn_cast<FloatAttr>(value);
          number && isNarrowFloat(number.getType()))
        constant.setValueAttr(IntegerAttr::get(
            builder.getIntegerType(16), number.getValue().bitcastToAPInt()));
      if (auto elements = dyn_cast<DenseElementsAttr>(value);
          elements && isNarrowFloat(elements.getElementType()))
        constant.setValueAttr(elements.bitcast(builder.getIntegerType(16)));
    } else if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
      gep.setElemType(replacer.replace(gep.getElemType()));
    } else if (auto alloca = dyn_cast<LLVM::AllocaOp>(op)) {
      alloca.setElemType(replacer.replace(alloca.getElemType()));
    } else if (auto cast = dyn_cast<LLVM::BitcastOp>(op);
               cast && cast.getArg().getType() == cast.getRes().getType()) {
      cast.replaceAllUsesWith(cast.getArg());
      cast.erase();
    }
  });
}
