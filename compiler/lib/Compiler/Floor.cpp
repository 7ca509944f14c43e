//===-- Floor.cpp - kernels that only move the bytes ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floor.h"
#include "rmsc/Target/Scheduler.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace rmsc;

/// The sum of all rows that the kernel reads, stored to all that it writes. A
/// sum, because each load must have a use.
static void buildBody(row::KernelOp floor) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(floor.getLoc(),
                                            &floor.getBody().front());
  auto rowType = [&](Type elementType) {
    return VectorType::get({static_cast<int64_t>(floor.getHiddenSize())},
                           elementType);
  };
  VectorType f32Row = rowType(b.getF32Type());
  Value sum;
  for (BlockArgument input : floor.getInputs()) {
    VectorType type = rowType(row::getHandleElementType(input.getType()));
    Value value = row::LoadOp::create(b, type, input);
    if (type != f32Row)
      value = arith::ExtFOp::create(b, f32Row, value);
    sum = sum ? arith::AddFOp::create(b, sum, value) : value;
  }
  for (BlockArgument output : floor.getOutputs()) {
    VectorType type = rowType(row::getHandleElementType(output.getType()));
    Value value = type == f32Row ? sum : arith::TruncFOp::create(b, type, sum);
    row::StoreOp::create(b, value, output);
  }
}

void rmsc::addFloors(ModuleOp module, std::vector<rmsrt::Kernel> &kernels) {
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<row::KernelOp>())) {
    auto it = llvm::find_if(kernels, [&](const rmsrt::Kernel &candidate) {
      return candidate.name == kernel.getSymName();
    });
    assert(it != kernels.end() && "kernels are described before their floors");
    rmsrt::Kernel described;
    described.name = it->name + "_floor";
    described.hiddenSize = it->hiddenSize;
    described.operation.kind = rmsrt::OperationKind::Copy;
    described.operation.floorOf = it->name;
    SmallVector<Type> inputs, outputs;
    for (auto [parameter, handle] :
         llvm::zip_equal(it->parameters, kernel.getHandles())) {
      if (!isa<row::RowsType>(handle.getType()) || !parameter.used)
        continue;
      bool isInput = parameter.direction == rmsrt::Direction::Input;
      (isInput ? inputs : outputs).push_back(handle.getType());
      described.parameters.push_back(parameter);
      described.parameters.back().mayAlias = -1;
    }
    // Without rows on one side there is nothing to copy.
    if (inputs.empty() || outputs.empty())
      continue;
    OpBuilder builder(kernel->getBlock(), std::next(kernel->getIterator()));
    auto floor = row::KernelOp::create(
        builder, kernel.getLoc(), described.name, described.hiddenSize, inputs,
        outputs, SmallVector<int64_t>(outputs.size(), -1));
    buildBody(floor);
    kernels.push_back(std::move(described));
  }
}

void rmsc::scheduleFloor(row::KernelOp floor, const TargetInfo &target) {
  SmallVector<row::ScheduleAttr> all = enumerateSchedules(floor, target);
  int64_t hiddenSize = floor.getHiddenSize();
  int64_t widest = 0, fewestChunks = std::numeric_limits<int64_t>::max();
  for (row::ScheduleAttr schedule : all) {
    widest = std::max(widest, schedule.getAccessBytes());
    fewestChunks = std::min(fewestChunks, schedule.getChunks(hiddenSize));
  }
  // A copy is fastest with wide accesses and many threads; what else it likes
  // depends on the chip and the number of rows, and is left to the measurement.
  auto isCandidate = [&](row::ScheduleAttr schedule) {
    if (schedule.getAccessBytes() < std::min<int64_t>(16, widest) ||
        schedule.getChunks(hiddenSize) > fewestChunks ||
        schedule.getColumnLoad() != row::ColumnLoad::Early)
      return false;
    return schedule.getGrid() == row::Grid::OneShot ||
           (schedule.getPrefetchRows() <= 1 &&
            schedule.getCtasPerSm() % 2 == 0);
  };
  SmallVector<row::ScheduleAttr> chosen =
      llvm::filter_to_vector(all, isCandidate);
  OpBuilder builder(floor);
  for (auto [number, schedule] : llvm::enumerate(chosen)) {
    auto clone = cast<row::KernelOp>(builder.clone(*floor));
    std::string variant = "s" + std::to_string(number);
    clone.setSymName((floor.getSymName() + "_" + variant).str());
    clone.setVariant(variant);
    clone.setScheduleAttr(schedule);
  }
  floor.erase();
}
