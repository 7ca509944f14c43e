//===-- RowTypes.td - handles of a row kernel's operands -*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_ROW_ROWTYPES_TD
#define RMSC_DIALECT_ROW_ROWTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "rmsc/Dialect/Row/RowDialect.td"

class Row_HandleType<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Row_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Row_RowsType : Row_HandleType<"Rows", "rows"> {
  let summary = "one row of `hiddenSize` elements for every row";
  let description = [{
    A buffer of shape [rows, H] whose rows lie a run-time stride apart; the
    elements of one row are contiguous. Example: `!row.rows<2048xbf16>`.
  }];
  let parameters = (ins "int64_t":$hiddenSize, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Row_ColumnsType : Row_HandleType<"Columns", "columns"> {
  let summary = "one row of `hiddenSize` elements shared by all rows";
  let description = [{
    A contiguous buffer of shape [H]: a weight where it is an input, the target
    of a column accumulator where it is an output.
    Example: `!row.columns<2048xf32>`.
  }];
  let parameters = (ins "int64_t":$hiddenSize, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Row_ScalarsType : Row_HandleType<"Scalars", "scalars"> {
  let summary = "one element for every row";
  let description = [{
    A contiguous buffer of shape [rows]. Example: `!row.scalars<f32>`.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

#endif // RMSC_DIALECT_ROW_ROWTYPES_TD
