// What becomes of a function's arguments and results: the kernel's parameters,
// in their order.
//
// RUN: rms-opt %s --convert-rms-to-row | FileCheck %s

// An argument that the mathematics does not need keeps its place and is never
// loaded. Its shape tells what it is.
// CHECK-LABEL: row.kernel @unused hidden 8
// CHECK-NEXT: inputs(%{{.*}}: !row.rows<8xf16>, %[[X:.*]]: !row.rows<8xf32>, %{{.*}}: !row.columns<8xbf16>, %{{.*}}: !row.scalars<f32>, %{{.*}}: !row.scalars<f32>)
// CHECK-NOT: row.load
// CHECK: row.load %[[X]]
// CHECK-NOT: row.load
// CHECK: }
func.func @unused(%a: tensor<?x8xf16>, %x: tensor<?x8xf32>, %b: tensor<8xbf16>,
                  %c: tensor<?xf32>, %d: tensor<?x1xf32>) -> tensor<?x8xf32> {
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  return %y : tensor<?x8xf32>
}

// A result that is returned twice is computed once and stored to two buffers.
// CHECK-LABEL: row.kernel @twice hidden 8
// CHECK-NEXT: inputs
// CHECK-NEXT: outputs(%[[A:.*]]: !row.rows<8xf32>, %[[B:.*]]: !row.rows<8xf32>)
// CHECK: %[[D:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NEXT: row.store %[[D]], %[[A]]
// CHECK-NEXT: row.store %[[D]], %[[B]]
// CHECK-NEXT: }
func.func @twice(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>)
  return %dx, %dx : tensor<?x8xf32>, tensor<?x8xf32>
}

// Declared on an argument, kept for an output.
// CHECK-LABEL: row.kernel @in_place hidden 8
// CHECK-NEXT: inputs
// CHECK-NEXT: outputs(%{{.*}}: !row.rows<8xf32>, %{{.*}}: !row.rows<8xf32>, %{{.*}}: !row.scalars<f32>) may_alias [1, 0, -1] {
func.func @in_place(%x: tensor<?x8xf32> {rms.may_alias = 1 : index},
                    %r: tensor<?x8xf32> {rms.may_alias = 0 : index})
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>) {
  %y, %sum, %rstd = rms.norm x(%x : tensor<?x8xf32>)
      residual(%r : tensor<?x8xf32>) epsilon(0.5)
      -> y(tensor<?x8xf32>) sum(tensor<?x8xf32>) rstd(tensor<?xf32>)
  return %y, %sum, %rstd : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>
}

// Any number of leading dimensions, none included, and any static sizes.
// CHECK-LABEL: row.kernel @single_row hidden 8
// CHECK-NEXT: inputs(%{{.*}}: !row.rows<8xf32>, %{{.*}}: !row.columns<8xf32>)
// CHECK-NEXT: outputs(%{{.*}}: !row.rows<8xf32>)
func.func @single_row(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %y = rms.norm x(%x : tensor<8xf32>) weight(%w : tensor<8xf32>) epsilon(0.5)
      -> y(tensor<8xf32>)
  return %y : tensor<8xf32>
}

// CHECK-LABEL: row.kernel @deep hidden 8
// CHECK-NEXT: inputs(%{{.*}}: !row.rows<8xf32>)
func.func @deep(%x: tensor<2x?x3x8xf32>) -> tensor<2x?x3x8xf32> {
  %y = rms.norm x(%x : tensor<2x?x3x8xf32>) epsilon(0.5)
      -> y(tensor<2x?x3x8xf32>)
  return %y : tensor<2x?x3x8xf32>
}

// Nothing of the levels above is left.
// RUN: rms-opt %s --convert-rms-to-row | FileCheck %s --check-prefix=GONE --implicit-check-not=rms. --implicit-check-not=func. --implicit-check-not=tensor
// GONE: row.kernel
