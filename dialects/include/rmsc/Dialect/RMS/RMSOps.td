//===-- RMSOps.td - ops of the rms dialect -*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_RMS_RMSOPS_TD
#define RMSC_DIALECT_RMS_RMSOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "rmsc/Dialect/RMS/RMSDialect.td"
include "rmsc/Dialect/RMS/RMSInterfaces.td"

// The predicate checks less than the descriptions say: shapes and element types
// are left to the verifiers, which can name the operand and the remedy.
class RMS_Tensor<string description>
    : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
           "ranked tensor " # description, "::mlir::RankedTensorType">;
def RMS_Rows : RMS_Tensor<"[..., H] of bf16, f16 or f32">;
def RMS_Columns : RMS_Tensor<"[H] of bf16, f16 or f32, shared by all rows">;
def RMS_Scalars : RMS_Tensor<"[...] or [..., 1] of f32, one element a row">;

class RMS_Op<string mnemonic>
    : Op<RMS_Dialect, mnemonic,
         [Pure, AttrSizedOperandSegments, AttrSizedResultSegments,
          DeclareOpInterfaceMethods<RMS_KernelOpInterface>,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                    ["reifyResultShapes"]>]> {
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def RMS_NormOp : RMS_Op<"norm"> {
  let summary = "root mean square normalization of every row";
  let description = [{
    For every row i and every column j, in f32:

    ```
    s[i,j]  = x[i,j] (+ residual[i,j])
    rstd[i] = 1 / sqrt((1/H) * sum_j s[i,j]^2 + epsilon)
    n[i,j]  = s[i,j] * rstd[i]
    y[i,j]  = n[i,j] * (weight[j] + weight_offset)
    ```

    Without a weight, y is n. Each result is rounded once, to its own element
    type. Beside `y` an op may return, each asked for by name, `sum` (s), `rstd`
    and `normalized` (n).

    Roundings in between are attributes:
    - `residual_rounding`: `none` keeps s in f32; `storage` rounds s to the
      residual's element type before it is squared and used.
    - `norm_rounding`: `none` keeps n in f32; `storage` rounds n to x's element
      type before the weight multiplies it. The result `normalized` is n before
      this rounding.

    A row that holds a NaN gives NaN in that row only. A row whose sum of squares
    is beyond f32's range has rstd = 0. A row of zeros with epsilon = 0 is NaN.

    Element types of `x`, `residual`, `weight`, `y`, `sum` and `normalized` are
    independent of each other. Any number of leading dimensions, static or
    dynamic and none included, counts as rows; no rows at all is no error.
    Dynamic sizes that meet at run time must agree.

    Constraints, each an error of the verifier:
    - (C1) `x` has a last dimension, the hidden size, that is static and at
      least 1.
    - (C2) element types are bf16, f16 or f32, and tensors have no encoding.
    - (C3) `residual`, `y`, `sum` and `normalized` have x's shape.
    - (C4) `weight` has the shape [H].
    - (C5) `rstd` has the leading dimensions of x, or these and a last one of 1.
    - (C6) `rstd` holds f32.
    - (C7) `epsilon` is finite and at least 0.
    - (C8) `weight_offset` is finite.
    - (C9) a `weight_offset` other than 0 needs a `weight`.
    - (C10) the result `sum` needs a `residual`.
    - (C11) `residual_rounding(storage)` needs a `residual`.

    Canonical form: a result without use, beside `y`, is dropped; a rounding that
    changes no value (to f32; of n to y's own type where there is no weight) is
    `none`.

    Example:

    ```mlir
    // Residual add and norm; the updated residual is returned too.
    %y, %sum = rms.norm x(%x : tensor<?x2048xbf16>)
        residual(%residual : tensor<?x2048xbf16>)
        weight(%weight : tensor<2048xbf16>) epsilon(1.0e-06)
        residual_rounding(storage)
        -> y(tensor<?x2048xbf16>) sum(tensor<?x2048xbf16>)
    ```
  }];
  let arguments = (ins RMS_Rows:$x,
                       Optional<RMS_Rows>:$residual,
                       Optional<RMS_Columns>:$weight,
                       F32Attr:$epsilon,
                       DefaultValuedAttr<F32Attr, "0.0f">:$weight_offset,
                       DefaultValuedAttr<RMS_RoundingAttr,
                           "::mlir::rms::Rounding::None">:$residual_rounding,
                       DefaultValuedAttr<RMS_RoundingAttr,
                           "::mlir::rms::Rounding::None">:$norm_rounding);
  let results = (outs RMS_Rows:$y,
                      Optional<RMS_Rows>:$sum,
                      Optional<RMS_Scalars>:$rstd,
                      Optional<RMS_Rows>:$normalized);
  let assemblyFormat = [{
    `x` `(` $x `:` type($x) `)`
    (`residual` `(` $residual^ `:` type($residual) `)`)?
    (`weight` `(` $weight^ `:` type($weight) `)`)?
    `epsilon` `(` custom<ShortFloat>($epsilon) `)`
    (`weight_offset` `(` custom<ShortFloat>($weight_offset)^ `)`)?
    (`residual_rounding` `(` custom<Rounding>($residual_rounding)^ `)`)?
    (`norm_rounding` `(` custom<Rounding>($norm_rounding)^ `)`)?
    attr-dict
    `->` `y` `(` type($y) `)`
    (`sum` `(` type($sum)^ `)`)?
    (`rstd` `(` type($rstd)^ `)`)?
    (`normalized` `(` type($normalized)^ `)`)?
  }];
}

def RMS_NormBackwardOp : RMS_Op<"norm_backward"> {
  let summary = "gradients of rms.norm";
  let description = [{
    For every row i and every column j, in f32:

    ```
    n[i,j]  = normalized[i,j], or sum[i,j] * rstd[i]
    g[i,j]  = grad_output[i,j] * (weight[j] + weight_offset)
    m[i]    = (1/H) * sum_j g[i,j] * n[i,j]
    dx[i,j] = rstd[i] * (g[i,j] - m[i] * n[i,j]) (+ grad_sum[i,j])
    dw[j]   = sum_i grad_output[i,j] * n[i,j]
    ```

    `normalized`, when given, is read and never recomputed from anything else.
    Without a weight, g is grad_output. `grad_sum` is the gradient that reaches
    the sum x + residual by another way than through the norm; it is added before
    dx is rounded. dx is the gradient of x and of the residual alike.

    Each result is rounded once, to its own element type; one that is not asked
    for is not computed. dw is summed in f32; without rows it is zero.

    Constraints, each an error of the verifier:
    - (C1) `grad_output` has a last dimension, the hidden size, that is static
      and at least 1.
    - (C2) element types are bf16, f16 or f32, and tensors have no encoding.
    - (C3) exactly one of `normalized` and `sum` is given.
    - (C4) `normalized`, `sum`, `grad_sum` and `dx` have grad_output's shape.
    - (C5) `weight` and `dw` have the shape [H].
    - (C6) `rstd` has the leading dimensions of grad_output, or these and a last
      one of 1.
    - (C7) `rstd` holds f32.
    - (C8) `weight_offset` is finite.
    - (C9) a `weight_offset` other than 0 needs a `weight`.
    - (C10) at least one of `dx` and `dw` is a result.
    - (C11) `grad_sum` needs the result `dx`.

    Canonical form: a result without use is dropped where the other one is in
    use; without `dx` there is no `weight` and no `weight_offset`, which dw does
    not depend on.

    Example:

    ```mlir
    %dx, %dw = rms.norm_backward
        grad_output(%grad_output : tensor<?x?x2560xbf16>)
        normalized(%normalized : tensor<?x?x2560xf32>)
        rstd(%rstd : tensor<?x?x1xf32>) weight(%weight : tensor<2560xf32>)
        -> dx(tensor<?x?x2560xbf16>) dw(tensor<2560xf32>)
    ```
  }];
  let arguments = (ins RMS_Rows:$grad_output,
                       Optional<RMS_Rows>:$normalized,
                       Optional<RMS_Rows>:$sum,
                       RMS_Scalars:$rstd,
                       Optional<RMS_Columns>:$weight,
                       Optional<RMS_Rows>:$grad_sum,
                       DefaultValuedAttr<F32Attr, "0.0f">:$weight_offset);
  let results = (outs Optional<RMS_Rows>:$dx,
                      Optional<RMS_Columns>:$dw);
  let assemblyFormat = [{
    `grad_output` `(` $grad_output `:` type($grad_output) `)`
    (`normalized` `(` $normalized^ `:` type($normalized) `)`)?
    (`sum` `(` $sum^ `:` type($sum) `)`)?
    `rstd` `(` $rstd `:` type($rstd) `)`
    (`weight` `(` $weight^ `:` type($weight) `)`)?
    (`grad_sum` `(` $grad_sum^ `:` type($grad_sum) `)`)?
    (`weight_offset` `(` custom<ShortFloat>($weight_offset)^ `)`)?
    attr-dict
    `->` (`dx` `(` type($dx)^ `)`)? (`dw` `(` type($dw)^ `)`)?
  }];
}

#endif // RMSC_DIALECT_RMS_RMSOPS_TD
