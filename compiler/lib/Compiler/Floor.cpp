//===-- Floor.cpp - kernels that only move the bytes ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floor.h"

#include "llvm/ADT/STLExtras.h"

using namespace rmsc;

void rmsc::describeFloors(std::vector<rmsrt::Kernel> &kernels) {
  std::vector<rmsrt::Kernel> floors;
  for (const rmsrt::Kernel &kernel : kernels) {
    rmsrt::Kernel &floor = floors.emplace_back();
    floor.name = kernel.name + "_floor";
    floor.hiddenSize = kernel.hiddenSize;
    floor.operation.kind = rmsrt::OperationKind::Copy;
    floor.operation.floorOf = kernel.name;
    for (const rmsrt::Parameter &parameter : kernel.parameters) {
      if (parameter.kind != rmsrt::Kind::Rows || !parameter.used)
        continue;
      floor.parameters.push_back(parameter);
      floor.parameters.back().mayAlias = -1;
    }
    auto has = [&](rmsrt::Direction direction) {
      return llvm::any_of(floor.parameters,
                          [&](const rmsrt::Parameter &parameter) {
                            return parameter.direction == direction;
                          });
    };
    // The pass makes none either.
    if (!has(rmsrt::Direction::Input) || !has(rmsrt::Direction::Output))
      floors.pop_back();
  }
  llvm::move(floors, std::back_inserter(kernels));
}
