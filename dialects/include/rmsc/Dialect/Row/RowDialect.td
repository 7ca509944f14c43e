//===-- RowDialect.td - the row dialect -*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_ROW_ROWDIALECT_TD
#define RMSC_DIALECT_ROW_ROWDIALECT_TD

include "mlir/IR/OpBase.td"

def Row_Dialect : Dialect {
  let name = "row";
  let cppNamespace = "::mlir::row";
  let summary = "How a kernel walks the rows of its operands";
  let description = [{
    A `row.kernel` is a region that is executed for every row of its operands.
    Inside it a whole row is one value of type `vector<HxT>`, H being the hidden
    size, on which the element-wise ops of `arith` and `math` work. The dialect
    adds what those do not have: loads and stores of rows, reductions along a
    row, and accumulators along the columns.

    Nothing here says how a row is spread over threads. That is the schedule, an
    inherent property of the kernel (`#row.schedule`), chosen by
    `row-select-schedule` and carried out by `convert-row-to-gpu`.

    The dialect knows no RMSNorm: it must be able to say any computation whose
    rows are independent but for sums over the columns.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // RMSC_DIALECT_ROW_ROWDIALECT_TD
