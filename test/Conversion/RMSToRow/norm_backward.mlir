// The row-level mathematics of rms.norm_backward: one case for each feature.
//
// RUN: rms-opt %s --convert-rms-to-row | FileCheck %s

// CHECK-LABEL: row.kernel @both hidden 8
// CHECK-NEXT: inputs(%[[HG:.*]]: !row.rows<8xbf16>, %[[HN:.*]]: !row.rows<8xf32>, %[[HRSTD:.*]]: !row.scalars<f32>, %[[HW:.*]]: !row.columns<8xf32>)
// CHECK-NEXT: outputs(%[[DX:.*]]: !row.rows<8xbf16>, %[[DW:.*]]: !row.columns<8xf32>) {
// CHECK-NEXT: %[[NARROW:.*]] = row.load %[[HG]]
// CHECK-NEXT: %[[GRAD:.*]] = arith.extf %[[NARROW]]
// CHECK-NEXT: %[[N:.*]] = row.load %[[HN]]
// CHECK-NEXT: %[[RSTD:.*]] = row.load %[[HRSTD]] : !row.scalars<f32> -> f32
// CHECK-NEXT: %[[W:.*]] = row.load %[[HW]]
// CHECK-NEXT: %[[G:.*]] = arith.mulf %[[GRAD]], %[[W]]
// CHECK-NEXT: %[[DOT:.*]] = row.dot %[[G]], %[[N]]
// CHECK-NEXT: %[[RECIPROCAL:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[DOT]], %[[RECIPROCAL]] : f32
// CHECK-NEXT: %[[MINUS:.*]] = arith.negf %[[M]] : f32
// CHECK-NEXT: %[[SPLAT:.*]] = vector.broadcast %[[MINUS]]
// CHECK-NEXT: %[[CENTRED:.*]] = math.fma %[[SPLAT]], %[[N]], %[[G]]
// CHECK-NEXT: %[[RSTDS:.*]] = vector.broadcast %[[RSTD]]
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[CENTRED]], %[[RSTDS]]
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[D]] : vector<8xf32> to vector<8xbf16>
// CHECK-NEXT: row.store %[[ROUNDED]], %[[DX]]
// The weight has no part in its own gradient.
// CHECK-NEXT: row.accumulate %[[GRAD]], %[[N]] into %[[DW]]
// CHECK-NEXT: }
func.func @both(%g: tensor<?x8xbf16>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>,
                %w: tensor<8xf32>) -> (tensor<?x8xbf16>, tensor<8xf32>) {
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<?x8xbf16>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<8xf32>) -> dx(tensor<?x8xbf16>) dw(tensor<8xf32>)
  return %dx, %dw : tensor<?x8xbf16>, tensor<8xf32>
}

// From the saved sum: normalized is computed, in f32, and used for both.
// CHECK-LABEL: row.kernel @from_sum hidden 8
// CHECK-NEXT: inputs(%[[HG:.*]]: !row.rows<8xf32>, %[[HS:.*]]: !row.rows<8xbf16>, %[[HRSTD:.*]]: !row.scalars<f32>)
// CHECK-DAG: %[[GRAD:.*]] = row.load %[[HG]]
// CHECK-DAG: %[[RSTD:.*]] = row.load %[[HRSTD]]
// CHECK-DAG: %[[NARROW:.*]] = row.load %[[HS]]
// CHECK-DAG: %[[S:.*]] = arith.extf %[[NARROW]] : vector<8xbf16> to vector<8xf32>
// CHECK: %[[SPLAT:.*]] = vector.broadcast %[[RSTD]]
// CHECK-NEXT: %[[N:.*]] = arith.mulf %[[S]], %[[SPLAT]]
// CHECK-NOT: row.load
// CHECK: row.dot %[[GRAD]], %[[N]]
// CHECK: math.fma %{{.*}}, %[[N]], %[[GRAD]]
// CHECK: row.accumulate %[[GRAD]], %[[N]] into
func.func @from_sum(%g: tensor<?x8xf32>, %s: tensor<?x8xbf16>,
                    %rstd: tensor<?xf32>) -> (tensor<?x8xf32>, tensor<8xf32>) {
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      sum(%s : tensor<?x8xbf16>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>) dw(tensor<8xf32>)
  return %dx, %dw : tensor<?x8xf32>, tensor<8xf32>
}

// CHECK-LABEL: row.kernel @weight_offset hidden 8
// CHECK: %[[W:.*]] = row.load %{{.*}} : !row.columns<8xf32>
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[ONES:.*]] = vector.broadcast %[[ONE]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[W]], %[[ONES]]
// CHECK-NEXT: arith.mulf %{{.*}}, %[[SUM]]
func.func @weight_offset(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>,
                         %rstd: tensor<?xf32>, %w: tensor<8xf32>)
    -> tensor<?x8xf32> {
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<8xf32>) weight_offset(1.0) -> dx(tensor<?x8xf32>)
  return %dx : tensor<?x8xf32>
}

// The direct gradient of the residual stream joins in one rounding.
// CHECK-LABEL: row.kernel @grad_sum hidden 8
// CHECK: %[[NARROW:.*]] = row.load %{{.*}} : !row.rows<8xf16>
// CHECK-NEXT: %[[DIRECT:.*]] = arith.extf %[[NARROW]]
// CHECK: %[[RSTD:.*]] = row.load %{{.*}} : !row.scalars<f32>
// CHECK: %[[CENTRED:.*]] = math.fma
// CHECK: %[[RSTDS:.*]] = vector.broadcast %[[RSTD]]
// CHECK-NEXT: %[[D:.*]] = math.fma %[[RSTDS]], %[[CENTRED]], %[[DIRECT]]
// CHECK-NEXT: row.store %[[D]]
func.func @grad_sum(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>,
                    %rstd: tensor<?xf32>, %direct: tensor<?x8xf16>)
    -> tensor<?x8xf32> {
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      grad_sum(%direct : tensor<?x8xf16>) -> dx(tensor<?x8xf32>)
  return %dx : tensor<?x8xf32>
}

// A gradient nobody asks for is not computed, and what only it needs is not
// loaded: here the weight and rstd.
// CHECK-LABEL: row.kernel @dw_only hidden 8
// CHECK-NEXT: inputs(%[[HG:.*]]: !row.rows<8xf32>, %[[HN:.*]]: !row.rows<8xf32>, %{{.*}}: !row.scalars<f32>, %{{.*}}: !row.columns<8xf32>)
// CHECK-NEXT: outputs(%[[DW:.*]]: !row.columns<8xbf16>) {
// CHECK-NEXT: %[[G:.*]] = row.load %[[HG]]
// CHECK-NEXT: %[[N:.*]] = row.load %[[HN]]
// CHECK-NEXT: row.accumulate %[[G]], %[[N]] into %[[DW]] : vector<8xf32>, <8xbf16>
// CHECK-NEXT: }
func.func @dw_only(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>,
                   %rstd: tensor<?xf32>, %w: tensor<8xf32>)
    -> tensor<8xbf16> {
  %dw = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<8xf32>) -> dw(tensor<8xbf16>)
  return %dw : tensor<8xbf16>
}

// CHECK-LABEL: row.kernel @dx_only hidden 8
// CHECK-NOT: row.accumulate
// CHECK: }
func.func @dx_only(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>,
                   %rstd: tensor<?xf32>) -> tensor<?x8xf32> {
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>)
  return %dx : tensor<?x8xf32>
}
