// The row-level mathematics of rms.norm: one case for each feature of the op.
//
// RUN: rms-opt %s --convert-rms-to-row | FileCheck %s

// Extended to f32 at once, rounded to the output's type at last; epsilon joins
// the mean in one rounding.
// CHECK-LABEL: row.kernel @plain hidden 8
// CHECK-NEXT: inputs(%[[X:.*]]: !row.rows<8xbf16>)
// CHECK-NEXT: outputs(%[[Y:.*]]: !row.rows<8xbf16>) {
// CHECK-NEXT: %[[LOAD:.*]] = row.load %[[X]] : !row.rows<8xbf16> -> vector<8xbf16>
// CHECK-NEXT: %[[S:.*]] = arith.extf %[[LOAD]] : vector<8xbf16> to vector<8xf32>
// CHECK-NEXT: %[[SUM:.*]] = row.dot %[[S]], %[[S]]
// CHECK-DAG: %[[RECIPROCAL:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-DAG: %[[EPSILON:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[VARIANCE:.*]] = math.fma %[[SUM]], %[[RECIPROCAL]], %[[EPSILON]] : f32
// CHECK-NEXT: %[[RSTD:.*]] = math.rsqrt %[[VARIANCE]] : f32
// CHECK-NEXT: %[[SPLAT:.*]] = vector.broadcast %[[RSTD]] : f32 to vector<8xf32>
// CHECK-NEXT: %[[N:.*]] = arith.mulf %[[S]], %[[SPLAT]] : vector<8xf32>
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[N]] : vector<8xf32> to vector<8xbf16>
// CHECK-NEXT: row.store %[[ROUNDED]], %[[Y]]
// CHECK-NEXT: }
func.func @plain(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %y = rms.norm x(%x : tensor<?x8xbf16>) epsilon(0.5) -> y(tensor<?x8xbf16>)
  return %y : tensor<?x8xbf16>
}

// Nothing is cast where nothing has to be.
// CHECK-LABEL: row.kernel @f32 hidden 8
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: }
func.func @f32(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  return %y : tensor<?x8xf32>
}

// A weight has a type of its own, and multiplies what is normalized.
// CHECK-LABEL: row.kernel @weight hidden 8
// CHECK-NEXT: inputs(%[[X:.*]]: !row.rows<8xbf16>, %[[W:.*]]: !row.columns<8xf16>)
// CHECK: %[[LOAD:.*]] = row.load %[[W]] : !row.columns<8xf16> -> vector<8xf16>
// CHECK-NEXT: %[[WEIGHT:.*]] = arith.extf %[[LOAD]] : vector<8xf16> to vector<8xf32>
// CHECK-NOT: addf
// CHECK: %[[SPLAT:.*]] = vector.broadcast
// CHECK-NEXT: %[[N:.*]] = arith.mulf %{{.*}}, %[[SPLAT]]
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[N]], %[[WEIGHT]]
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[Y]]
// CHECK-NEXT: row.store %[[ROUNDED]]
func.func @weight(%x: tensor<?x8xbf16>, %w: tensor<8xf16>)
    -> tensor<?x8xbf16> {
  %y = rms.norm x(%x : tensor<?x8xbf16>) weight(%w : tensor<8xf16>)
      epsilon(0.5) -> y(tensor<?x8xbf16>)
  return %y : tensor<?x8xbf16>
}

// The offset is added in f32, whatever the weight's type.
// CHECK-LABEL: row.kernel @weight_offset hidden 8
// CHECK: row.load %{{.*}} : !row.columns<8xbf16>
// CHECK-NEXT: %[[WEIGHT:.*]] = arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[ONES:.*]] = vector.broadcast %[[ONE]] : f32 to vector<8xf32>
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[WEIGHT]], %[[ONES]] : vector<8xf32>
// CHECK: arith.mulf %{{.*}}, %[[SUM]] : vector<8xf32>
func.func @weight_offset(%x: tensor<?x8xbf16>, %w: tensor<8xbf16>)
    -> tensor<?x8xbf16> {
  %y = rms.norm x(%x : tensor<?x8xbf16>) weight(%w : tensor<8xbf16>)
      epsilon(0.5) weight_offset(1.0) -> y(tensor<?x8xbf16>)
  return %y : tensor<?x8xbf16>
}

// The sum stays in f32, and is rounded where it is an output.
// CHECK-LABEL: row.kernel @residual hidden 8
// CHECK-NEXT: inputs(%[[X:.*]]: !row.rows<8xbf16>, %[[R:.*]]: !row.rows<8xf16>)
// CHECK-NEXT: outputs(%[[Y:.*]]: !row.rows<8xbf16>, %[[SUM:.*]]: !row.rows<8xf16>)
// CHECK-DAG: %[[VX:.*]] = arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK-DAG: %[[VR:.*]] = arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK: %[[S:.*]] = arith.addf %[[VX]], %[[VR]] : vector<8xf32>
// CHECK-NEXT: row.dot %[[S]], %[[S]]
// CHECK: %[[N:.*]] = arith.mulf %[[S]],
// CHECK: row.store %{{.*}}, %[[Y]]
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[S]] : vector<8xf32> to vector<8xf16>
// CHECK-NEXT: row.store %[[ROUNDED]], %[[SUM]]
func.func @residual(%x: tensor<?x8xbf16>, %r: tensor<?x8xf16>)
    -> (tensor<?x8xbf16>, tensor<?x8xf16>) {
  %y, %sum = rms.norm x(%x : tensor<?x8xbf16>) residual(%r : tensor<?x8xf16>)
      epsilon(0.5) -> y(tensor<?x8xbf16>) sum(tensor<?x8xf16>)
  return %y, %sum : tensor<?x8xbf16>, tensor<?x8xf16>
}

// The sum is rounded to the residual's type before it is squared and used.
// CHECK-LABEL: row.kernel @residual_rounding hidden 8
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[SUM]] : vector<8xf32> to vector<8xf16>
// CHECK-NEXT: %[[S:.*]] = arith.extf %[[NARROW]] : vector<8xf16> to vector<8xf32>
// CHECK-NEXT: row.dot %[[S]], %[[S]]
// CHECK: arith.mulf %[[S]],
func.func @residual_rounding(%x: tensor<?x8xbf16>, %r: tensor<?x8xf16>)
    -> tensor<?x8xbf16> {
  %y = rms.norm x(%x : tensor<?x8xbf16>) residual(%r : tensor<?x8xf16>)
      epsilon(0.5) residual_rounding(storage) -> y(tensor<?x8xbf16>)
  return %y : tensor<?x8xbf16>
}

// The normalized row is rounded to x's type before the weight multiplies it;
// as an output it is not.
// CHECK-LABEL: row.kernel @norm_rounding hidden 8
// CHECK-NEXT: inputs
// CHECK-NEXT: outputs(%[[Y:.*]]: !row.rows<8xf32>, %[[NORMALIZED:.*]]: !row.rows<8xf32>)
// CHECK: %[[WEIGHT:.*]] = row.load %{{.*}} : !row.columns<8xf32>
// CHECK: %[[SPLAT:.*]] = vector.broadcast
// CHECK-NEXT: %[[N:.*]] = arith.mulf %{{.*}}, %[[SPLAT]]
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[N]] : vector<8xf32> to vector<8xbf16>
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[NARROW]] : vector<8xbf16> to vector<8xf32>
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[WEIGHT]]
// CHECK-NEXT: row.store %[[PRODUCT]], %[[Y]]
// CHECK-NEXT: row.store %[[N]], %[[NORMALIZED]]
func.func @norm_rounding(%x: tensor<?x8xbf16>, %w: tensor<8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %y, %n = rms.norm x(%x : tensor<?x8xbf16>) weight(%w : tensor<8xf32>)
      epsilon(0.5) norm_rounding(storage)
      -> y(tensor<?x8xf32>) normalized(tensor<?x8xf32>)
  return %y, %n : tensor<?x8xf32>, tensor<?x8xf32>
}

// One rstd a row, in whatever shape; results are written in the order in which
// the function returns them.
// CHECK-LABEL: row.kernel @rstd hidden 8
// CHECK-NEXT: inputs(%{{.*}}: !row.rows<8xf32>)
// CHECK-NEXT: outputs(%[[RSTD:.*]]: !row.scalars<f32>, %[[Y:.*]]: !row.rows<8xf32>)
// CHECK: %[[ROOT:.*]] = math.rsqrt
// CHECK: row.store %[[ROOT]], %[[RSTD]] : f32, !row.scalars<f32>
// CHECK-NEXT: row.store %{{.*}}, %[[Y]]
func.func @rstd(%x: tensor<?x?x8xf32>) -> (tensor<?x?x1xf32>, tensor<?x?x8xf32>) {
  %y, %rstd = rms.norm x(%x : tensor<?x?x8xf32>) epsilon(0.5)
      -> y(tensor<?x?x8xf32>) rstd(tensor<?x?x1xf32>)
  return %rstd, %y : tensor<?x?x1xf32>, tensor<?x?x8xf32>
}
