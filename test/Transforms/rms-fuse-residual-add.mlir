// What rms-fuse-residual-add folds into rms.norm. A second run changes nothing.
//
// RUN: rms-opt %s --rms-fuse-residual-add | FileCheck %s
// RUN: rms-opt %s --rms-fuse-residual-add > %t.once
// RUN: rms-opt %t.once --rms-fuse-residual-add | diff %t.once -

// An f32 sum of bf16 tensors stays in f32: no rounding, and no cast is left.
//
// CHECK-LABEL: func.func @f32_add(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xbf16>, %[[R:.*]]: tensor<?x64xbf16>, %[[W:.*]]: tensor<64xbf16>)
// CHECK-NEXT: %[[Y:.*]] = rms.norm x(%[[X]] : tensor<?x64xbf16>) residual(%[[R]] : tensor<?x64xbf16>) weight(%[[W]] : tensor<64xbf16>) epsilon(1.0e-06) {note = "kept"} -> y(tensor<?x64xbf16>)
// CHECK-NEXT: return %[[Y]]
func.func @f32_add(%x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>,
                   %w: tensor<64xbf16>) -> tensor<?x64xbf16> {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  %y = rms.norm x(%2 : tensor<?x64xf32>) weight(%w : tensor<64xbf16>)
      epsilon(1.0e-06) {note = "kept"} -> y(tensor<?x64xf32>)
  %3 = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
  return %3 : tensor<?x64xbf16>
}

// Addends of different types, one of them f32.
//
// CHECK-LABEL: func.func @f32_add_of_mixed_types(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf16>, %[[R:.*]]: tensor<?x64xf32>)
// CHECK-NEXT: rms.norm x(%[[X]] : tensor<?x64xf16>) residual(%[[R]] : tensor<?x64xf32>) epsilon(1.0e-06) -> y(tensor<?x64xf32>)
// CHECK-NEXT: return
func.func @f32_add_of_mixed_types(%x: tensor<?x64xf16>, %r: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %x : tensor<?x64xf16> to tensor<?x64xf32>
  %1 = arith.addf %0, %r : tensor<?x64xf32>
  %y = rms.norm x(%1 : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// A sum in bf16 is rounded by the addition.
//
// CHECK-LABEL: func.func @bf16_add(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<?x64xbf16>) residual(%arg1 : tensor<?x64xbf16>) epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x64xbf16>)
// CHECK-NEXT: return
func.func @bf16_add(%x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>)
    -> tensor<?x64xbf16> {
  %0 = arith.addf %x, %r : tensor<?x64xbf16>
  %y = rms.norm x(%0 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xbf16>)
  return %y : tensor<?x64xbf16>
}

// The same where the rounded sum is extended before the norm.
//
// CHECK-LABEL: func.func @f16_add_extended(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<?x64xf16>) residual(%arg1 : tensor<?x64xf16>) epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x64xf16>)
// CHECK-NEXT: return
func.func @f16_add_extended(%x: tensor<?x64xf16>, %r: tensor<?x64xf16>)
    -> tensor<?x64xf16> {
  %0 = arith.addf %x, %r : tensor<?x64xf16>
  %1 = arith.extf %0 : tensor<?x64xf16> to tensor<?x64xf32>
  %y = rms.norm x(%1 : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  %2 = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xf16>
  return %2 : tensor<?x64xf16>
}

// A sum in f32 that is truncated: rounding to the residual's type says so.
//
// CHECK-LABEL: func.func @truncated_sum(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<?x64xbf16>) residual(%arg1 : tensor<?x64xbf16>) epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x64xf32>)
// CHECK-NEXT: return
func.func @truncated_sum(%x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  %3 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xbf16>
  %y = rms.norm x(%3 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// The addend that is stored in the type of the rounding becomes the residual,
// whichever side it stands on.
//
// CHECK-LABEL: func.func @truncated_sum_swapped(
// CHECK-SAME: %[[A:.*]]: tensor<?x64xbf16>, %[[B:.*]]: tensor<?x64xf32>)
// CHECK-NEXT: rms.norm x(%[[B]] : tensor<?x64xf32>) residual(%[[A]] : tensor<?x64xbf16>) epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x64xf32>)
// CHECK-NEXT: return
func.func @truncated_sum_swapped(%a: tensor<?x64xbf16>, %b: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %a : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.addf %0, %b : tensor<?x64xf32>
  %2 = arith.truncf %1 : tensor<?x64xf32> to tensor<?x64xbf16>
  %y = rms.norm x(%2 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// norm_rounding is to x's type, which is the same before and after.
//
// CHECK-LABEL: func.func @truncated_sum_and_norm_rounding(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<?x64xbf16>) residual(%arg1 : tensor<?x64xbf16>) weight(%arg2 : tensor<64xf32>) epsilon(1.0e-06) residual_rounding(storage) norm_rounding(storage) -> y(tensor<?x64xf32>)
// CHECK-NEXT: return
func.func @truncated_sum_and_norm_rounding(
    %x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>, %w: tensor<64xf32>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  %3 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xbf16>
  %y = rms.norm x(%3 : tensor<?x64xbf16>) weight(%w : tensor<64xf32>)
      epsilon(1.0e-06) norm_rounding(storage) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// norm_rounding to f32 is none, and must not become one to bf16 with x's type.
//
// CHECK-LABEL: func.func @norm_rounding_to_f32(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<?x64xbf16>) weight(%arg1 : tensor<64xf32>) epsilon(1.0e-06) -> y(tensor<?x64xf32>)
// CHECK-NEXT: return
func.func @norm_rounding_to_f32(%x: tensor<?x64xbf16>, %w: tensor<64xf32>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %y = rms.norm x(%0 : tensor<?x64xf32>) weight(%w : tensor<64xf32>)
      epsilon(1.0e-06) norm_rounding(storage) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// residual_rounding to f32 likewise.
//
// CHECK-LABEL: func.func @residual_rounding_to_f32(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<?x64xf32>) residual(%arg1 : tensor<?x64xbf16>) epsilon(1.0e-06) -> y(tensor<?x64xf32>)
// CHECK-NEXT: return
func.func @residual_rounding_to_f32(%x: tensor<?x64xf32>,
                                    %r: tensor<?x64xbf16>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %y = rms.norm x(%x : tensor<?x64xf32>) residual(%0 : tensor<?x64xf32>)
      epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// The norm uses the unrounded sum, the program returns it rounded.
//
// CHECK-LABEL: func.func @returned_rounded_sum(
// CHECK-NEXT: %[[Y:.*]], %[[SUM:.*]] = rms.norm x(%arg0 : tensor<?x64xbf16>) residual(%arg1 : tensor<?x64xbf16>) epsilon(1.0e-06) -> y(tensor<?x64xf32>) sum(tensor<?x64xbf16>)
// CHECK-NEXT: return %[[Y]], %[[SUM]]
func.func @returned_rounded_sum(%x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>)
    -> (tensor<?x64xf32>, tensor<?x64xbf16>) {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  %3 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xbf16>
  %y = rms.norm x(%2 : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y, %3 : tensor<?x64xf32>, tensor<?x64xbf16>
}

// Both use the rounded sum.
//
// CHECK-LABEL: func.func @returned_sum_of_bf16_add(
// CHECK-NEXT: %[[Y:.*]], %[[SUM:.*]] = rms.norm x(%arg0 : tensor<?x64xbf16>) residual(%arg1 : tensor<?x64xbf16>) epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x64xf32>) sum(tensor<?x64xbf16>)
// CHECK-NEXT: return %[[SUM]], %[[Y]]
func.func @returned_sum_of_bf16_add(%x: tensor<?x64xbf16>,
                                    %r: tensor<?x64xbf16>)
    -> (tensor<?x64xbf16>, tensor<?x64xf32>) {
  %0 = arith.addf %x, %r : tensor<?x64xbf16>
  %y = rms.norm x(%0 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %0, %y : tensor<?x64xbf16>, tensor<?x64xf32>
}

// Two equal truncations of the sum are one value; the other results stay.
//
// CHECK-LABEL: func.func @returned_truncated_sums(
// CHECK-NEXT: %[[Y:.*]], %[[SUM:.*]], %[[RSTD:.*]], %[[N:.*]] = rms.norm x(%arg0 : tensor<?x64xbf16>) residual(%arg1 : tensor<?x64xbf16>) epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x64xf32>) sum(tensor<?x64xbf16>) rstd(tensor<?xf32>) normalized(tensor<?x64xf32>)
// CHECK-NEXT: return %[[Y]], %[[SUM]], %[[SUM]], %[[RSTD]], %[[N]]
func.func @returned_truncated_sums(%x: tensor<?x64xbf16>,
                                   %r: tensor<?x64xbf16>)
    -> (tensor<?x64xf32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>,
        tensor<?x64xf32>) {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  %3 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xbf16>
  %4 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xbf16>
  %y, %rstd, %n = rms.norm x(%3 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>) rstd(tensor<?xf32>) normalized(tensor<?x64xf32>)
  return %y, %3, %4, %rstd, %n
      : tensor<?x64xf32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>,
        tensor<?x64xf32>
}

// The rounded sum is returned, and extended again for the norm.
//
// CHECK-LABEL: func.func @returned_and_extended_sum(
// CHECK-NEXT: %[[Y:.*]], %[[SUM:.*]] = rms.norm x(%arg0 : tensor<?x64xbf16>) residual(%arg1 : tensor<?x64xbf16>) weight(%arg2 : tensor<64xbf16>) epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x64xbf16>) sum(tensor<?x64xbf16>)
// CHECK-NEXT: return %[[Y]], %[[SUM]]
func.func @returned_and_extended_sum(%x: tensor<?x64xbf16>,
                                     %r: tensor<?x64xbf16>,
                                     %w: tensor<64xbf16>)
    -> (tensor<?x64xbf16>, tensor<?x64xbf16>) {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  %3 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xbf16>
  %4 = arith.extf %3 : tensor<?x64xbf16> to tensor<?x64xf32>
  %5 = arith.extf %w : tensor<64xbf16> to tensor<64xf32>
  %y = rms.norm x(%4 : tensor<?x64xf32>) weight(%5 : tensor<64xf32>)
      epsilon(1.0e-06) -> y(tensor<?x64xf32>)
  %6 = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
  return %6, %3 : tensor<?x64xbf16>, tensor<?x64xbf16>
}

// The op moves up to where the sum is used first.
//
// CHECK-LABEL: func.func @sum_used_before_norm(
// CHECK-NEXT: %[[Y:.*]], %[[SUM:.*]] = rms.norm
// CHECK-SAME: sum(tensor<?x64xf32>)
// CHECK-NEXT: %[[NEG:.*]] = arith.negf %[[SUM]]
// CHECK-NEXT: return %[[Y]], %[[NEG]]
func.func @sum_used_before_norm(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %0 = arith.addf %x, %r : tensor<?x64xf32>
  %1 = arith.negf %0 : tensor<?x64xf32>
  %y = rms.norm x(%0 : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y, %1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// The op stays below its weight where the sum is used after it only.
//
// CHECK-LABEL: func.func @weight_after_add(
// CHECK-NEXT: %[[W:.*]] = arith.negf
// CHECK-NEXT: %[[Y:.*]], %[[SUM:.*]] = rms.norm {{.*}} weight(%[[W]] : tensor<64xf32>)
// CHECK-NEXT: return %[[Y]], %[[SUM]]
func.func @weight_after_add(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>,
                            %w: tensor<64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %0 = arith.addf %x, %r : tensor<?x64xf32>
  %1 = arith.negf %w : tensor<64xf32>
  %y = rms.norm x(%0 : tensor<?x64xf32>) weight(%1 : tensor<64xf32>)
      epsilon(1.0e-06) -> y(tensor<?x64xf32>)
  return %y, %0 : tensor<?x64xf32>, tensor<?x64xf32>
}

// Two equal truncations of y, and truncations of the other results.
//
// CHECK-LABEL: func.func @truncated_results(
// CHECK-NEXT: %[[Y:.*]], %[[SUM:.*]], %[[N:.*]] = rms.norm
// CHECK-SAME: -> y(tensor<?x64xf16>) sum(tensor<?x64xbf16>) normalized(tensor<?x64xbf16>)
// CHECK-NEXT: return %[[Y]], %[[Y]], %[[SUM]], %[[N]]
func.func @truncated_results(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>)
    -> (tensor<?x64xf16>, tensor<?x64xf16>, tensor<?x64xbf16>,
        tensor<?x64xbf16>) {
  %y, %sum, %n = rms.norm x(%x : tensor<?x64xf32>)
      residual(%r : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>) sum(tensor<?x64xf32>) normalized(tensor<?x64xf32>)
  %0 = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xf16>
  %1 = arith.truncf %y to_nearest_even : tensor<?x64xf32> to tensor<?x64xf16>
  %2 = arith.truncf %sum : tensor<?x64xf32> to tensor<?x64xbf16>
  %3 = arith.truncf %n : tensor<?x64xf32> to tensor<?x64xbf16>
  return %0, %1, %2, %3 : tensor<?x64xf16>, tensor<?x64xf16>,
                          tensor<?x64xbf16>, tensor<?x64xbf16>
}

// A constant that f32 arithmetic adds to the weight is the offset.
//
// CHECK-LABEL: func.func @weight_offset(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<?x64xf32>) weight(%arg1 : tensor<64xbf16>) epsilon(1.0e-06) weight_offset(1.0) -> y(tensor<?x64xf32>)
// CHECK-NEXT: return
func.func @weight_offset(%x: tensor<?x64xf32>, %w: tensor<64xbf16>)
    -> tensor<?x64xf32> {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %0 = arith.extf %w : tensor<64xbf16> to tensor<64xf32>
  %1 = arith.addf %one, %0 : tensor<64xf32>
  %y = rms.norm x(%x : tensor<?x64xf32>) weight(%1 : tensor<64xf32>)
      epsilon(1.0e-06) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// A function without an rms op is none of the pass's business.
//
// CHECK-LABEL: func.func @no_norm(
// CHECK-NEXT: arith.extf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: return
func.func @no_norm(%x: tensor<?x64xbf16>, %r: tensor<?x64xf32>)
    -> tensor<?x64xbf16> {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.addf %0, %r : tensor<?x64xf32>
  %2 = arith.truncf %1 : tensor<?x64xf32> to tensor<?x64xbf16>
  return %2 : tensor<?x64xbf16>
}
