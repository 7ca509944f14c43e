//===-- RMSInterfaces.td - interfaces of the rms ops -*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_RMS_RMSINTERFACES_TD
#define RMSC_DIALECT_RMS_RMSINTERFACES_TD

include "mlir/IR/OpBase.td"

def RMS_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::mlir::rms";
  let description = [{
    An op that is compiled to one kernel. What a package's manifest says of the
    computation and of its parameters comes from here, so that no layer below
    has a list of the ops.
  }];
  let methods = [
    InterfaceMethod<
      [{The manifest's name of the computation: "norm" or "norm_backward".}],
      "::llvm::StringRef", "getOperationKind">,
    InterfaceMethod<
      [{Epsilon, weight offset and roundings, as the manifest's "operation"
        holds them beside the kind: floats as f32 attributes, roundings as
        strings.}],
      "::mlir::DictionaryAttr", "describeOperation">,
    InterfaceMethod<
      [{What the operand of this number is to the computation: "x", "residual",
        "weight", "grad_output", "normalized", "sum", "rstd" or "grad_sum".}],
      "::llvm::StringRef", "getOperandRole", (ins "unsigned":$index)>,
    InterfaceMethod<
      [{What the result of this number is: "y", "sum", "rstd", "normalized",
        "dx" or "dw".}],
      "::llvm::StringRef", "getResultRole", (ins "unsigned":$index)>,
    InterfaceMethod<
      [{Elements of a row.}],
      "int64_t", "getHiddenSize">,
  ];
}

#endif // RMSC_DIALECT_RMS_RMSINTERFACES_TD
