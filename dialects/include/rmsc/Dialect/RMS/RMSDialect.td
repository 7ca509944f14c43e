//===-- RMSDialect.td - the rms dialect -*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_RMS_RMSDIALECT_TD
#define RMSC_DIALECT_RMS_RMSDIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def RMS_Dialect : Dialect {
  let name = "rms";
  let cppNamespace = "::mlir::rms";
  let summary = "RMSNorm and its gradient as composite ops on tensors";
  let description = [{
    The `rms` dialect says WHAT is computed: one op for the forward computation,
    one for the backward. It knows no GPU; `rms-decompose` rewrites each op into
    `linalg` and `arith`, which is the op's executable definition.

    Leading dimensions of a tensor are rows; the last dimension is the hidden
    size H, static at compile time. All arithmetic is f32; each result is
    rounded once, to its own element type, to nearest even. A place where
    frameworks round differently is an attribute of the op, never an accident.

    Attributes of function arguments and results:
    - `rms.name = "hidden_states"` names a kernel's parameter. It is a string
      that starts with a letter or `_` and goes on with letters, digits and `_`;
      no two arguments or results of one function share a name.
    - `rms.may_alias = 0 : index`, on an argument only: the argument may share
      its buffer, element for element, with result number 0 of the function.
      The two have the same type, and no result has two such arguments.
  }];
  // Sizes of results are told in terms of tensor.dim.
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Name of the attribute that names a kernel's parameter.
    static constexpr ::llvm::StringLiteral getNameAttrName() {
      return "rms.name";
    }
    /// Name of the attribute that declares exact in-place use.
    static constexpr ::llvm::StringLiteral getMayAliasAttrName() {
      return "rms.may_alias";
    }
  }];
}

def RMS_Rounding
    : I32EnumAttr<"Rounding", "whether an intermediate value is rounded",
                  [I32EnumAttrCase<"None", 0, "none">,
                   I32EnumAttrCase<"Storage", 1, "storage">]> {
  let cppNamespace = "::mlir::rms";
  let genSpecializedAttr = 0;
}
def RMS_RoundingAttr : EnumAttr<RMS_Dialect, RMS_Rounding, "rounding">;

#endif // RMSC_DIALECT_RMS_RMSDIALECT_TD
