//===-- RowAddFloors.cpp - kernels that only move the rows ------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/Row/Row.h"
#include "rmsc/Target/LaunchPlan.h"
#include "rmsc/Target/Scheduler.h"
#include "rmsc/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rmsc {
#define GEN_PASS_DEF_ROWADDFLOORS
#include "rmsc/Transforms/Passes.h.inc"
} // namespace rmsc

using namespace mlir;
using namespace rmsc;

/// The upper bits of each element, as integers of `bits` bits.
static Value toBits(ImplicitLocOpBuilder &b, Value row, unsigned bits) {
  auto type = cast<VectorType>(row.getType());
  unsigned width = type.getElementTypeBitWidth();
  auto integers = [&](unsigned elementBits) {
    return VectorType::get(type.getShape(), b.getIntegerType(elementBits));
  };
  Value value = arith::BitcastOp::create(b, integers(width), row);
  if (width > bits) {
    Value shift = arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               cast<ShapedType>(value.getType()),
               b.getIntegerAttr(b.getIntegerType(width), width - bits)));
    value = arith::ShRUIOp::create(b, value, shift);
    return arith::TruncIOp::create(b, integers(bits), value);
  }
  return width < bits ? arith::ExtUIOp::create(b, integers(bits), value)
                      : value;
}

/// Loads every input and stores one combination of them to every output. The
/// combination is a bitwise `and`: no instructions to speak of, and where the
/// inputs are finite it is too, so that a result never looks like the NaN that
/// stands for "not written".
static void buildBody(row::KernelOp floor) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(floor.getLoc(),
                                            &floor.getBody().front());
  SmallVector<Value> rows;
  for (BlockArgument input : floor.getInputs())
    rows.push_back(row::LoadOp::create(
        b,
        VectorType::get({static_cast<int64_t>(floor.getHiddenSize())},
                        row::getHandleElementType(input.getType())),
        input));
  for (BlockArgument output : floor.getOutputs()) {
    Type elementType = row::getHandleElementType(output.getType());
    unsigned bits = elementType.getIntOrFloatBitWidth();
    Value all;
    for (Value row : rows) {
      Value value = toBits(b, row, bits);
      all = all ? arith::AndIOp::create(b, all, value) : value;
    }
    auto type = VectorType::get({static_cast<int64_t>(floor.getHiddenSize())},
                                elementType);
    row::StoreOp::create(b, arith::BitcastOp::create(b, type, all), output);
  }
}

/// The rows that a kernel reads or writes.
static SmallVector<Type> movedRows(Block::BlockArgListType handles) {
  SmallVector<Type> types;
  for (BlockArgument handle : handles)
    if (isa<row::RowsType>(handle.getType()) && !handle.use_empty())
      types.push_back(handle.getType());
  return types;
}

namespace {
struct RowAddFloors : public rmsc::impl::RowAddFloorsBase<RowAddFloors> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<const TargetInfo *> target = requireTarget(chip);
    if (!target) {
      module.emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<row::KernelOp>()))
      if (!kernel.getScheduleAttr())
        addFloor(kernel, **target);
  }

  void addFloor(row::KernelOp kernel, const TargetInfo &target) {
    SmallVector<Type> inputs = movedRows(kernel.getInputs());
    SmallVector<Type> outputs = movedRows(kernel.getOutputs());
    // Without rows on one side there is nothing to copy.
    if (inputs.empty() || outputs.empty())
      return;
    OpBuilder builder(kernel->getBlock(), std::next(kernel->getIterator()));
    std::string name = (kernel.getSymName() + "_floor").str();
    auto floor = row::KernelOp::create(
        builder, kernel.getLoc(), name, kernel.getHiddenSize(), inputs, outputs,
        SmallVector<int64_t>(outputs.size(), -1));
    buildBody(floor);
    for (auto [number, schedule] :
         llvm::enumerate(floorSchedules(floor, target))) {
      std::string variant = "s" + std::to_string(number);
      auto clone = cast<row::KernelOp>(builder.clone(*floor));
      clone.setSymName(name + "_" + variant);
      clone.setVariant(variant);
      clone.setScheduleAttr(schedule);
      ++numFloors;
    }
    floor.erase();
  }
};
} // namespace
