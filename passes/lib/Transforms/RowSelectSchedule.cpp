//===-- RowSelectSchedule.cpp - schedules for row kernels -------*- C++ -*-===//
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

namespace rmsc {
#define GEN_PASS_DEF_ROWSELECTSCHEDULE
#include "rmsc/Transforms/Passes.h.inc"
} // namespace rmsc

using namespace mlir;
using namespace rmsc;

namespace {
struct RowSelectSchedule
    : public rmsc::impl::RowSelectScheduleBase<RowSelectSchedule> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<const TargetInfo *> target = requireTarget(chip);
    if (!target) {
      module.emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    ScheduleRequest request;
    request.batchInvariant = batchInvariant;
    request.enumerate = enumerate;
    SmallVector<StringRef> texts;
    StringRef(schedule).split(texts, ';', /*MaxSplit=*/-1,
                              /*KeepEmpty=*/false);
    for (StringRef text : texts) {
      request.forced.push_back(row::parseSchedule(
          text.trim(), &getContext(), [&] { return module.emitError(); }));
      if (!request.forced.back())
        return signalPassFailure();
    }
    module->setAttr("row.target", StringAttr::get(&getContext(), chip));
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<row::KernelOp>())) {
      // A kernel that has its schedule keeps it: the pass may run twice.
      if (kernel.getScheduleAttr())
        continue;
      if (failed(selectFor(kernel, **target, request)))
        return signalPassFailure();
    }
  }

  LogicalResult selectFor(row::KernelOp kernel, const TargetInfo &target,
                          const ScheduleRequest &request) {
    if (kernel.getHiddenSize() > maxHiddenSize)
      return kernel.emitError()
             << "hidden size " << kernel.getHiddenSize()
             << " is above the largest supported one, " << maxHiddenSize;
    return splitIntoVariants(kernel, chooseVariants(kernel, target, request),
                             target);
  }
};
} // namespace
