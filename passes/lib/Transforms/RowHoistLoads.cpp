//===-- RowHoistLoads.cpp - loads to the top of row kernels ---------*- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/Row/Row.h"
#include "rmsc/Transforms/Passes.h"

namespace rmsc {
#define GEN_PASS_DEF_ROWHOISTLOADS
#include "rmsc/Transforms/Passes.h.inc"
} // namespace rmsc

using namespace mlir;

namespace {
struct RowHoistLoads : public rmsc::impl::RowHoistLoadsBase<RowHoistLoads> {
  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    // Rows come from memory, columns from the cache: rows are asked for first.
    SmallVector<Operation *> rows, columns;
    for (auto load : body.getOps<row::LoadOp>())
      (isa<row::ColumnsType>(load.getSource().getType()) ? columns : rows)
          .push_back(load);
    rows.append(columns);
    Block::iterator position = body.begin();
    for (Operation *load : rows) {
      if (&*position == load) {
        ++position;
        continue;
      }
      load->moveBefore(&body, position);
      ++numHoisted;
    }
  }
};
} // namespace
