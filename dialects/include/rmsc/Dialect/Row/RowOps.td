//===-- RowOps.td - ops of the row dialect -*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_ROW_ROWOPS_TD
#define RMSC_DIALECT_ROW_ROWOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "rmsc/Dialect/Row/RowAttrs.td"
include "rmsc/Dialect/Row/RowTypes.td"

class Row_Op<string mnemonic, list<Trait> traits = []>
    : Op<Row_Dialect, mnemonic, traits>;

def Row_Float : AnyTypeOf<[BF16, F16, F32]>;
def Row_RowVector : FixedVectorOfRankAndType<[1], [BF16, F16, F32]>;
def Row_F32RowVector : FixedVectorOfRankAndType<[1], [F32]>;
def Row_Handle : AnyTypeOf<[Row_RowsType, Row_ColumnsType, Row_ScalarsType]>;

def Row_KernelOp
    : Row_Op<"kernel", [IsolatedFromAbove, NoTerminator, SingleBlock,
                        Symbol]> {
  let summary = "a computation carried out for every row";
  let description = [{
    The region is executed once for every row, in no particular order. Its block
    arguments are handles of the operands, inputs first, then outputs. The
    kernel's arguments at the GPU level follow from them: one pointer for each
    handle in order, the number of rows, a row stride for each `!row.rows`
    handle, the workspace.

    `may_alias` holds one entry for every output: the number of the input whose
    buffer it may share exactly (element for element), or -1. Every element of
    such an input is read by the thread that later writes it, so sharing is
    safe. Every other pair of buffers is disjoint.

    `schedule` is absent until `row-select-schedule` has run. A kernel with a
    schedule is one variant of a program: `variant` is its name, with which its
    symbol ends, and it is meant for row counts from `min_rows` to `max_rows`.

    Constraints:
    - (C1) every handle of rows or columns has `hidden_size` elements.
    - (C2) `num_inputs` is between 0 and the number of block arguments.
    - (C3) `may_alias` has one entry an output: -1, or the number of an input
      that is `!row.rows` with the output's own type.
    - (C4) every output of rows or scalars is stored exactly once; every output
      of columns is the target of exactly one `row.accumulate`.
    - (C5) no input is stored to.
    - (C6) the body holds only `row` ops and ops without side effects.
    - (C7) `elements` of the schedule divides `hidden_size`.
    - (C8) a schedule sums columns (`column_sum`) exactly if the kernel
      accumulates along columns.
    - (C9) `min_rows` is not above `max_rows`.

    Example:

    ```mlir
    row.kernel @double hidden 256 inputs(%x: !row.rows<256xf32>)
        outputs(%y: !row.rows<256xf32>) {
      %0 = row.load %x : !row.rows<256xf32> -> vector<256xf32>
      %1 = arith.addf %0, %0 : vector<256xf32>
      row.store %1, %y : vector<256xf32>, !row.rows<256xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       I64Attr:$hidden_size,
                       I64Attr:$num_inputs,
                       DenseI64ArrayAttr:$may_alias,
                       OptionalAttr<Row_ScheduleAttr>:$schedule,
                       OptionalAttr<StrAttr>:$variant,
                       DefaultValuedAttr<I64Attr, "0">:$min_rows,
                       DefaultValuedAttr<I64Attr, "2147483647">:$max_rows);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "int64_t":$hiddenSize,
                                 "::mlir::TypeRange":$inputs,
                                 "::mlir::TypeRange":$outputs,
                                 "::llvm::ArrayRef<int64_t>":$mayAlias)>];
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getHandles() {
      return getBody().getArguments();
    }
    ::mlir::Block::BlockArgListType getInputs() {
      return getHandles().take_front(getNumInputs());
    }
    ::mlir::Block::BlockArgListType getOutputs() {
      return getHandles().drop_front(getNumInputs());
    }
    /// Whether an output may share the buffer of this input, or the other way
    /// round.
    bool mayBeAliased(::mlir::BlockArgument handle);
    /// Name of the program that this kernel is a variant of: its symbol without
    /// the variant's name.
    ::llvm::StringRef getProgramName();
  }];
}

def Row_LoadOp : Row_Op<"load", []> {
  let summary = "load the current row, a shared row, or the row's scalar";
  let description = [{
    `!row.rows` gives the current row, `!row.columns` the row shared by all,
    both as `vector<HxT>`; `!row.scalars` gives the row's scalar. The handle must
    be an input of the kernel.

    Constraints:
    - (C1) the result is what the handle holds.
    - (C2) the handle is an input of the enclosing kernel.
  }];
  let arguments = (ins Arg<Row_Handle, "", [MemRead]>:$source);
  let results = (outs AnyTypeOf<[Row_RowVector, Row_Float]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Row_StoreOp : Row_Op<"store", []> {
  let summary = "store the current row or the row's scalar";
  let description = [{
    Constraints:
    - (C1) the value is what the handle holds.
    - (C2) the handle is an output of rows or scalars of the enclosing kernel.
  }];
  let arguments = (ins AnyTypeOf<[Row_RowVector, Row_Float]>:$value,
                       Arg<AnyTypeOf<[Row_RowsType, Row_ScalarsType]>, "",
                           [MemWrite]>:$target);
  let assemblyFormat =
      "$value `,` $target attr-dict `:` type($value) `,` type($target)";
  let hasVerifier = 1;
}

def Row_ReduceOp
    : Row_Op<"reduce", [Pure, TypesMatchWith<
          "result type is the element type", "value", "result",
          "::llvm::cast<::mlir::VectorType>($_self).getElementType()">]> {
  let summary = "combine the elements of a row";
  let description = [{
    Reduces a row to one f32. The order in which the elements are combined
    depends on the schedule and on nothing else.

    ```mlir
    %m = row.reduce <max> %v : vector<256xf32>
    ```
  }];
  let arguments = (ins Row_ReduceKindAttr:$kind, Row_F32RowVector:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value)";
}

def Row_DotOp : Row_Op<"dot", [Pure, SameTypeOperands]> {
  let summary = "sum of the products of two rows";
  let description = [{
    The sum over a row of lhs * rhs, each product entering its partial sum
    through a fused multiply-add: one rounding where a multiplication and a
    `row.reduce` would have two.

    ```mlir
    %sum_of_squares = row.dot %v, %v : vector<256xf32>
    ```
  }];
  let arguments = (ins Row_F32RowVector:$lhs, Row_F32RowVector:$rhs);
  let results = (outs F32:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Row_AccumulateOp : Row_Op<"accumulate", [AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "add the product of two rows to a column accumulator";
  let description = [{
    target[j] = sum over all rows of lhs[j] * rhs[j], summed in f32 with fused
    multiply-adds and rounded once to the target's type. The order depends on
    the number of rows and the schedule only. With no rows the target is zero.

    Constraints:
    - (C1) the target has as many elements as the operands.
    - (C2) the target is an output of columns of the enclosing kernel.
  }];
  let arguments = (ins Row_F32RowVector:$lhs, Row_F32RowVector:$rhs,
                       Arg<Row_ColumnsType, "", [MemWrite]>:$target);
  let assemblyFormat =
      "$lhs `,` $rhs `into` $target attr-dict `:` type($lhs) `,` type($target)";
  let hasVerifier = 1;
}

#endif // RMSC_DIALECT_ROW_ROWOPS_TD
