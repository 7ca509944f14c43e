//===-- Origin.cpp - where a pointer comes from -----------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Origin.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace rmsc::emulator;

Origin rmsc::emulator::traceOrigin(Value pointer,
                                   const llvm::StringMap<int> &objects,
                                   bool inKernel) {
  SmallVector<Value> worklist{pointer};
  llvm::SmallPtrSet<Value, 8> visited;
  Origin origin;
  bool first = true;
  auto leaf = [&](Origin::Kind kind, int index) {
    Origin found{kind, index};
    if (!first && !(origin == found)) {
      origin = Origin();
      return false;
    }
    origin = found;
    first = false;
    return kind != Origin::Unknown;
  };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Block *block = argument.getOwner();
      if (block->isEntryBlock()) {
        if (!leaf(inKernel ? Origin::Argument : Origin::Unknown,
                  argument.getArgNumber()))
          return Origin();
        continue;
      }
      for (auto it = block->pred_begin(), end = block->pred_end(); it != end;
           ++it) {
        auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
        Value incoming =
            branch ? branch.getSuccessorOperands(
                         it.getSuccessorIndex())[argument.getArgNumber()]
                   : Value();
        if (!incoming)
          return Origin();
        worklist.push_back(incoming);
      }
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto gep = dyn_cast<LLVM::GEPOp>(op))
      worklist.push_back(gep.getBase());
    else if (isa<LLVM::AddrSpaceCastOp, LLVM::BitcastOp, LLVM::FreezeOp>(op))
      worklist.push_back(op->getOperand(0));
    else if (auto select = dyn_cast<LLVM::SelectOp>(op))
      worklist.append({select.getTrueValue(), select.getFalseValue()});
    else if (isa<LLVM::AllocaOp>(op)) {
      if (!leaf(Origin::Local, 0))
        return Origin();
    } else if (auto reference = dyn_cast<LLVM::AddressOfOp>(op)) {
      auto object = objects.find(reference.getGlobalName());
      bool shared = object != objects.end();
      if (!leaf(shared ? Origin::SharedObject : Origin::Constant,
                shared ? object->second : 0))
        return Origin();
    } else if (auto number = op->getAttrOfType<IntegerAttr>(objectAttr)) {
      if (!leaf(Origin::SharedObject, number.getInt()))
        return Origin();
    } else {
      return Origin();
    }
  }
  return origin;
}
