// rms.norm survives its own text, the generic text and bytecode.
//
// RUN: rms-opt %s | FileCheck %s
// RUN: rms-opt %s | rms-opt | FileCheck %s
// RUN: rms-opt %s --mlir-print-op-generic | rms-opt | FileCheck %s
// RUN: rms-opt %s --emit-bytecode | rms-opt | FileCheck %s

// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[X:.*]]: tensor<?x2048xbf16>)
// CHECK: %[[Y:.*]] = rms.norm x(%[[X]] : tensor<?x2048xbf16>) epsilon(1.0e-06) -> y(tensor<?x2048xbf16>)
func.func @plain(%x: tensor<?x2048xbf16>) -> tensor<?x2048xbf16> {
  %y = rms.norm x(%x : tensor<?x2048xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x2048xbf16>)
  return %y : tensor<?x2048xbf16>
}

// Every clause, in the order of the definition.
//
// CHECK-LABEL: func.func @everything(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf16>, %[[RESIDUAL:.*]]: tensor<?x8xbf16>, %[[WEIGHT:.*]]: tensor<8xf32>)
// CHECK: rms.norm x(%[[X]] : tensor<?x8xf16>) residual(%[[RESIDUAL]] : tensor<?x8xbf16>) weight(%[[WEIGHT]] : tensor<8xf32>) epsilon(1.5e-05) weight_offset(1.0) residual_rounding(storage) norm_rounding(storage) {note = "kept"} -> y(tensor<?x8xf16>) sum(tensor<?x8xbf16>) rstd(tensor<?xf32>) normalized(tensor<?x8xf32>)
func.func @everything(%x: tensor<?x8xf16>, %residual: tensor<?x8xbf16>,
                      %weight: tensor<8xf32>)
    -> (tensor<?x8xf16>, tensor<?x8xbf16>, tensor<?xf32>, tensor<?x8xf32>) {
  %y, %sum, %rstd, %normalized = rms.norm x(%x : tensor<?x8xf16>)
      residual(%residual : tensor<?x8xbf16>) weight(%weight : tensor<8xf32>)
      epsilon(1.5e-05) weight_offset(1.0) residual_rounding(storage)
      norm_rounding(storage) {note = "kept"}
      -> y(tensor<?x8xf16>) sum(tensor<?x8xbf16>) rstd(tensor<?xf32>)
         normalized(tensor<?x8xf32>)
  return %y, %sum, %rstd, %normalized
      : tensor<?x8xf16>, tensor<?x8xbf16>, tensor<?xf32>, tensor<?x8xf32>
}

// Attributes that have their default are not printed.
//
// CHECK-LABEL: func.func @defaults(
// CHECK: rms.norm x(%{{.*}} : tensor<4x8xf32>) residual(%{{.*}} : tensor<4x8xf32>) weight(%{{.*}} : tensor<8xf32>) epsilon(0.0) -> y(tensor<4x8xf32>)
func.func @defaults(%x: tensor<4x8xf32>, %weight: tensor<8xf32>)
    -> tensor<4x8xf32> {
  %y = rms.norm x(%x : tensor<4x8xf32>) residual(%x : tensor<4x8xf32>)
      weight(%weight : tensor<8xf32>) epsilon(0.0) weight_offset(0.0)
      residual_rounding(none) norm_rounding(none) -> y(tensor<4x8xf32>)
  return %y : tensor<4x8xf32>
}

// One optional result does not need the ones before it.
//
// CHECK-LABEL: func.func @one_optional_result(
// CHECK: %{{.*}}, %{{.*}} = rms.norm x(%{{.*}} : tensor<?x?x3xf32>) epsilon(1.0e-05) -> y(tensor<?x?x3xf32>) rstd(tensor<?x?x1xf32>)
func.func @one_optional_result(%x: tensor<?x?x3xf32>)
    -> (tensor<?x?x3xf32>, tensor<?x?x1xf32>) {
  %y, %rstd = rms.norm x(%x : tensor<?x?x3xf32>) epsilon(1.0e-05)
      -> y(tensor<?x?x3xf32>) rstd(tensor<?x?x1xf32>)
  return %y, %rstd : tensor<?x?x3xf32>, tensor<?x?x1xf32>
}

// A single row has no leading dimension, and its rstd has no dimension or one.
//
// CHECK-LABEL: func.func @single_row(
// CHECK: -> y(tensor<7xf32>) rstd(tensor<f32>)
// CHECK: -> y(tensor<7xf32>) rstd(tensor<1xf32>)
func.func @single_row(%x: tensor<7xf32>)
    -> (tensor<7xf32>, tensor<f32>, tensor<7xf32>, tensor<1xf32>) {
  %y0, %rstd0 = rms.norm x(%x : tensor<7xf32>) epsilon(0.5)
      -> y(tensor<7xf32>) rstd(tensor<f32>)
  %y1, %rstd1 = rms.norm x(%x : tensor<7xf32>) epsilon(0.25)
      -> y(tensor<7xf32>) rstd(tensor<1xf32>)
  return %y0, %rstd0, %y1, %rstd1
      : tensor<7xf32>, tensor<f32>, tensor<7xf32>, tensor<1xf32>
}

// A dynamic size may meet a static one; no rows at all are rows too.
//
// CHECK-LABEL: func.func @sizes(
// CHECK: x(%{{.*}} : tensor<?x8xf32>) residual(%{{.*}} : tensor<4x8xf32>) epsilon(1.0e-06) -> y(tensor<?x8xf32>)
// CHECK: x(%{{.*}} : tensor<0x8xf32>) epsilon(1.0e-06) -> y(tensor<0x8xf32>)
func.func @sizes(%x: tensor<?x8xf32>, %residual: tensor<4x8xf32>,
                 %none: tensor<0x8xf32>)
    -> (tensor<?x8xf32>, tensor<0x8xf32>) {
  %y = rms.norm x(%x : tensor<?x8xf32>) residual(%residual : tensor<4x8xf32>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  %y_none = rms.norm x(%none : tensor<0x8xf32>) epsilon(1.0e-06)
      -> y(tensor<0x8xf32>)
  return %y, %y_none : tensor<?x8xf32>, tensor<0x8xf32>
}

// A float is printed with the digits that it needs, and no bit is lost.
//
// CHECK-LABEL: func.func @digits(
// CHECK: epsilon(1.0)
// CHECK-SAME: weight_offset(-0.5)
// CHECK: epsilon(1.0000001) ->
// CHECK: epsilon(1.0e-45) ->
// CHECK: epsilon(3.4028235e+38) ->
// CHECK: epsilon(-0.0) ->
func.func @digits(%x: tensor<8xf32>, %weight: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>) {
  %0 = rms.norm x(%x : tensor<8xf32>) weight(%weight : tensor<8xf32>)
      epsilon(1.0) weight_offset(-0.5) -> y(tensor<8xf32>)
  %1 = rms.norm x(%x : tensor<8xf32>) epsilon(0x3F800001) -> y(tensor<8xf32>)
  %2 = rms.norm x(%x : tensor<8xf32>) epsilon(0x1) -> y(tensor<8xf32>)
  %3 = rms.norm x(%x : tensor<8xf32>) epsilon(0x7F7FFFFF) -> y(tensor<8xf32>)
  %4 = rms.norm x(%x : tensor<8xf32>) epsilon(-0.0) -> y(tensor<8xf32>)
  return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
                              tensor<8xf32>, tensor<8xf32>
}
