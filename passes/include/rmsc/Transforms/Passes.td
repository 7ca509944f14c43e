//===-- Passes.td - transformations within a level -*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each description the first `mlir` block is what the pass is given and the
// second is what it leaves; test/Transforms/doc-examples.test runs them.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TRANSFORMS_PASSES_TD
#define RMSC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Passes on the rms dialect
//===----------------------------------------------------------------------===//

def RMSDecompose : Pass<"rms-decompose"> {
  let summary = "Rewrite rms ops into linalg and arith on tensors";
  let description = [{
    Rewrites every `rms` op into `linalg`, `arith`, `math` and `tensor` ops. The
    result is the op's executable definition: it runs on a CPU, and every other
    way to compute the op is checked against it. It is not on the way to a GPU.

    All arithmetic is f32, in the order in which the op's description states it;
    the reciprocal root is a square root and a division. Sums run in the order of
    the columns (rows for `dw`) where linalg is lowered to loops. No operation is
    fused or contracted. Where an op's types are all f32, the result holds no
    cast at all, so that putting f64 for f32 in its text gives the same
    mathematics in double precision.

    Example:

    ```mlir
    func.func @norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %y = rms.norm x(%x : tensor<4x8xf32>) epsilon(0.5)
          -> y(tensor<4x8xf32>)
      return %y : tensor<4x8xf32>
    }
    ```

    becomes

    ```mlir
    #rows = affine_map<(d0, d1) -> (d0, d1)>
    #leading = affine_map<(d0, d1) -> (d0)>
    #scalars = affine_map<(d0) -> (d0)>
    func.func @norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      %2 = linalg.generic {indexing_maps = [#rows, #leading],
                           iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<4x8xf32>) outs(%1 : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %7 = arith.mulf %in, %in : f32
        %8 = arith.addf %out, %7 : f32
        linalg.yield %8 : f32
      } -> tensor<4xf32>
      %3 = tensor.empty() : tensor<4xf32>
      %4 = linalg.generic {indexing_maps = [#scalars, #scalars],
                           iterator_types = ["parallel"]}
          ins(%2 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %over_h = arith.constant 0.125 : f32
        %7 = arith.mulf %in, %over_h : f32
        %epsilon = arith.constant 0.5 : f32
        %8 = arith.addf %7, %epsilon : f32
        %9 = math.sqrt %8 : f32
        %one = arith.constant 1.0 : f32
        %10 = arith.divf %one, %9 : f32
        linalg.yield %10 : f32
      } -> tensor<4xf32>
      %5 = tensor.empty() : tensor<4x8xf32>
      %6 = linalg.generic {indexing_maps = [#rows, #leading, #rows],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x, %4 : tensor<4x8xf32>, tensor<4xf32>)
          outs(%5 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %rstd: f32, %out: f32):
        %7 = arith.mulf %in, %rstd : f32
        linalg.yield %7 : f32
      } -> tensor<4x8xf32>
      return %6 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numDecomposed", "num-decomposed", "Number of rms ops rewritten">
  ];
}

def RMSFuseResidualAdd : Pass<"rms-fuse-residual-add"> {
  let summary = "Fold residual adds and casts into rms ops";
  let description = [{
    Folds the element-wise computation around an `rms` op into the op, so that
    one kernel reads the program's inputs and writes its results. No value
    changes: whatever the program rounds stays rounded at the same place, and
    what would round differently is left alone.

    Folded into `rms.norm`:
    - an addition that gives `x`. In f32 it becomes a residual; in bf16 or f16, or
      in f32 with a truncation after it, a residual with
      `residual_rounding(storage)`. A sum that has another use is returned as
      `sum`, in the type in which it is used.
    - an addition in f32 of a constant to the weight becomes `weight_offset`.

    Folded into `rms.norm_backward`:
    - an addition in f32 to an unrounded `dx` becomes `grad_sum`.

    Folded into both:
    - extensions of operands: the op takes the narrow type.
    - truncations of f32 results: the op gives the narrow type.

    Additions and casts may be `arith` on tensors or element-wise `linalg` ops
    (`linalg.generic`, `linalg.map`, `linalg.add` and the like). A fold that would
    change a value is refused; each refusal has its reason, which `remarks` makes
    visible.

    The pass reaches its result in one run: a second one changes nothing. It
    leaves constants and `tensor.empty` without use to `canonicalize`.

    Example:

    ```mlir
    func.func @add_norm(%x: tensor<?x64xbf16>, %residual: tensor<?x64xbf16>,
                        %weight: tensor<64xbf16>) -> tensor<?x64xbf16> {
      %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
      %1 = arith.extf %residual : tensor<?x64xbf16> to tensor<?x64xf32>
      %2 = arith.addf %0, %1 : tensor<?x64xf32>
      %y = rms.norm x(%2 : tensor<?x64xf32>)
          weight(%weight : tensor<64xbf16>) epsilon(1.0e-06)
          -> y(tensor<?x64xf32>)
      %3 = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
      return %3 : tensor<?x64xbf16>
    }
    ```

    becomes

    ```mlir
    func.func @add_norm(%x: tensor<?x64xbf16>, %residual: tensor<?x64xbf16>,
                        %weight: tensor<64xbf16>) -> tensor<?x64xbf16> {
      %y = rms.norm x(%x : tensor<?x64xbf16>)
          residual(%residual : tensor<?x64xbf16>)
          weight(%weight : tensor<64xbf16>) epsilon(1.0e-06)
          -> y(tensor<?x64xbf16>)
      return %y : tensor<?x64xbf16>
    }
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Emit a remark with the reason for every fold that is refused">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numAdds", "num-adds", "Number of additions folded">,
    Statistic<"numCasts", "num-casts", "Number of casts folded">,
    Statistic<"numLinalg", "num-linalg",
              "Number of linalg ops rewritten as arith on tensors">
  ];
}

def RMSCheckFused : Pass<"rms-check-fused", "::mlir::ModuleOp"> {
  let summary = "Check that every function is one rms op";
  let description = [{
    Enforces what later passes rely on (level L1): a module holds functions, and
    the body of every public function is one `rms` op and a return. Nothing is
    changed. Each thing that stays outside the op is an error that names it, with
    the reason why `rms-fuse-residual-add` has not folded it where there is one.

    For every public function:
    - (C1) it has a body of one block.
    - (C2) it holds exactly one op that is compiled to a kernel.
    - (C3) it holds no other op but the return.
    - (C4) every returned value is a result of the op.
    - (C5) every result of the op is returned; one may be returned twice.
    - (C6) every argument is a ranked tensor of bf16, f16 or f32.
    - (C7) an argument that the op does not use has the shape of rows, of columns
      or of one element a row, since it keeps its place in the kernel's
      parameters.
    - (C8) no argument is two operands of the op.
    And for the module:
    - (C9) it holds at least one public function.
    - (C10) it holds nothing but functions.

    Example, which passes and is left as it is:

    ```mlir
    func.func @norm(%x: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
      %y = rms.norm x(%x : tensor<?x64xbf16>) epsilon(1.0e-06)
          -> y(tensor<?x64xbf16>)
      return %y : tensor<?x64xbf16>
    }
    ```

    stays

    ```mlir
    func.func @norm(%x: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
      %y = rms.norm x(%x : tensor<?x64xbf16>) epsilon(1.0e-06)
          -> y(tensor<?x64xbf16>)
      return %y : tensor<?x64xbf16>
    }
    ```
  }];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of functions that passed">
  ];
}

//===----------------------------------------------------------------------===//
// Passes on the row dialect
//===----------------------------------------------------------------------===//

def RowHoistLoads : Pass<"row-hoist-loads", "::mlir::row::KernelOp"> {
  let summary = "Move the loads of a row kernel to its top";
  let description = [{
    Moves every `row.load` to the top of its kernel: rows and scalars first, then
    columns (weights). A load that stands behind a reduction would be asked for
    only when the row has been summed; at the top its latency is hidden behind
    the row's own. Buffers of inputs and outputs are disjoint, or shared
    element for element by the thread that reads and later writes them, so no
    load can see a store that it did not see before.

    Example:

    ```mlir
    row.kernel @scale hidden 64
        inputs(%x: !row.rows<64xf32>, %w: !row.columns<64xf32>)
        outputs(%y: !row.rows<64xf32>) {
      %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
      %1 = row.dot %0, %0 : vector<64xf32>
      %2 = vector.broadcast %1 : f32 to vector<64xf32>
      %3 = row.load %w : !row.columns<64xf32> -> vector<64xf32>
      %4 = arith.mulf %2, %3 : vector<64xf32>
      row.store %4, %y : vector<64xf32>, !row.rows<64xf32>
    }
    ```

    becomes

    ```mlir
    row.kernel @scale hidden 64
        inputs(%x: !row.rows<64xf32>, %w: !row.columns<64xf32>)
        outputs(%y: !row.rows<64xf32>) {
      %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
      %1 = row.load %w : !row.columns<64xf32> -> vector<64xf32>
      %2 = row.dot %0, %0 : vector<64xf32>
      %3 = vector.broadcast %2 : f32 to vector<64xf32>
      %4 = arith.mulf %3, %1 : vector<64xf32>
      row.store %4, %y : vector<64xf32>, !row.rows<64xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "num-hoisted", "Number of loads moved">
  ];
}

def RowAddFloors : Pass<"row-add-floors", "::mlir::ModuleOp"> {
  let summary = "Add kernels that only move the rows of others";
  let description = [{
    The floor of a kernel is the fastest kernel that reads the rows that it reads
    and writes the rows that it writes, and computes nothing worth mentioning: a
    benchmark measures it in the same run and states a kernel's time as a ratio
    to it. For every `row.kernel` without a schedule that has rows on both sides,
    this pass adds `@<kernel>_floor` in every schedule that may be the fastest
    copy on the chip (`@<kernel>_floor_s0`, `_s1`, ...); which one it is, is left
    to the measurement. Columns, scalars and operands that are not used are left
    out. The values stored are a bitwise `and` of the inputs and mean nothing.

    It runs ahead of `row-select-schedule`, which leaves the floors as they are.

    Example:

    ```mlir
    row.kernel @twice hidden 64 inputs(%x: !row.rows<64xf32>)
        outputs(%y: !row.rows<64xf32>) {
      %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
      %1 = arith.addf %0, %0 : vector<64xf32>
      row.store %1, %y : vector<64xf32>, !row.rows<64xf32>
    }
    ```

    gets, once for each schedule,

    ```mlir
    row.kernel @twice_floor hidden 64 inputs(%x: !row.rows<64xf32>)
        outputs(%y: !row.rows<64xf32>) {
      %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
      %1 = arith.bitcast %0 : vector<64xf32> to vector<64xi32>
      %2 = arith.bitcast %1 : vector<64xi32> to vector<64xf32>
      row.store %2, %y : vector<64xf32>, !row.rows<64xf32>
    }
    ```

    Fails where the chip is not known.
  }];
  let options = [Option<"chip", "chip", "std::string", [{"sm_100"}],
                        "Chip to choose schedules for">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::row::RowDialect"];
  let statistics = [
    Statistic<"numFloors", "num-floors", "Number of scheduled floors added">
  ];
}

def RowSelectSchedule : Pass<"row-select-schedule", "::mlir::ModuleOp"> {
  let summary = "Choose the schedules of row kernels for a chip";
  let description = [{
    Puts in place of every `row.kernel` without a schedule one scheduled clone
    for each variant: for dense and aligned operands (one, or one for each range
    of row counts), for strided and aligned ones, and for any. The variants stand
    in order of preference; a clone is named after its kernel and its variant.
    The module's `row.target` names the chip from here on.

    `schedule` replaces the choice for dense and aligned operands; several
    schedules stand one after the other with a semicolon between them.
    `enumerate` puts in every schedule that is worth measuring.
    `batch-invariant` gives one schedule for every row count, so that a row's
    result does not depend on how many rows there are.

    Fails where the chip is not known, the hidden size is above the largest
    supported one, or a schedule does not fit the kernel or the chip.
  }];
  let options = [
    Option<"chip", "chip", "std::string", [{"sm_100"}],
           "Chip to choose schedules for">,
    Option<"schedule", "schedule", "std::string", [{""}],
           "Schedules to use in place of the chosen ones">,
    Option<"enumerate", "enumerate", "bool", "false",
           "Every schedule worth measuring, in place of the chosen ones">,
    Option<"batchInvariant", "batch-invariant", "bool", "false",
           "One schedule for every row count">];
  let dependentDialects = ["::mlir::row::RowDialect"];
}

#endif // RMSC_TRANSFORMS_PASSES_TD
