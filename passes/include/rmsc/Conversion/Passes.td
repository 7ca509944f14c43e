//===-- Passes.td - conversions between the levels ---------*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_CONVERSION_PASSES_TD
#define RMSC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertRMSToRow : Pass<"convert-rms-to-row", "::mlir::ModuleOp"> {
  let summary = "Turn functions of one `rms` op into row kernels";
  let description = [{
    Writes the row-level mathematics of an `rms` op as a `row.kernel` and erases
    the function around it. Operands become handles: a tensor of rows
    `!row.rows`, a weight `!row.columns`, one value a row `!row.scalars`. All
    arithmetic is f32; each result is rounded once, to its own type.

    Order: after the `rms-fuse-*` passes and `rms-check-fused` (level L1).
    Full conversion: `rms` and `func` are illegal afterwards. It chooses no
    schedule and knows no chip.

    `rsqrt=exact` writes the reciprocal root as an IEEE square root and division,
    so that two back ends give the same bits.
  }];
  let options = [
    Option<"rsqrt", "rsqrt", "std::string", [{"approx"}],
           "Reciprocal root: approx (the GPU's instruction) or exact (IEEE)">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::row::RowDialect", "::mlir::vector::VectorDialect"];
}

def ConvertRowToGPU : Pass<"convert-row-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn scheduled row kernels into GPU functions";
  let description = [{
    Each scheduled `row.kernel` becomes a `gpu.module` that holds one function
    for each launch of its plan (rmsc/Target/LaunchPlan.h). A row-level value
    becomes the chunks of it that a thread holds, a reduction becomes warp
    shuffles and at most one barrier, a column accumulator becomes registers that
    live over the rows.

    Order: after `row-select-schedule` (level L3), which names the chip in the
    module's `row.target`. Full: no `row` op is left. It decides nothing that the
    schedule has not decided, and it knows no RMSNorm.

    Loads are not predicated, unless an output may be written over the input:
    what lies beyond a row or beyond the last row repeats the last chunk or row,
    counts nothing in a sum and is not stored.
  }];
  let options = [
    Option<"ptx", "ptx", "int", "0",
           "PTX version times ten that the modules ask for; 0: the newest one">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def RMSCheckNVVM : Pass<"rms-check-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Check that a GPU module is ready for the back ends";
  let description = [{
    Enforces what LLVM's NVPTX back end and the emulator rely on (level L5). The
    upstream conversions leave what they cannot convert where it is; here that is
    an error that names it. Nothing is changed.

    - (C1) the module holds only `llvm` and `nvvm` ops.
    - (C2) inline PTX is an entry of the one table (rmsc/Target/InlinePtx.h): the
      emulator knows no other.
    - (C3) every function has a body: a library call that a conversion made up
      would fail only in ptxas.
  }];
}

#endif // RMSC_CONVERSION_PASSES_TD
