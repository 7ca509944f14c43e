// Sizes of results are those of the operand that gives the rows.
//
// RUN: rms-opt %s --resolve-shaped-type-result-dims --cse | FileCheck %s

// CHECK-LABEL: func.func @norm(
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xbf16>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[D0:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK-DAG: %[[D1:.*]] = tensor.dim %[[X]], %[[C1]]
// CHECK: return %[[D0]], %[[D1]], %[[D1]]
func.func @norm(%x: tensor<?x?x8xbf16>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y, %rstd = rms.norm x(%x : tensor<?x?x8xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x?x8xf32>) rstd(tensor<?x?x1xf32>)
  %0 = tensor.dim %y, %c0 : tensor<?x?x8xf32>
  %1 = tensor.dim %y, %c1 : tensor<?x?x8xf32>
  %2 = tensor.dim %rstd, %c1 : tensor<?x?x1xf32>
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func.func @norm_backward(
// CHECK-SAME: %[[G:.*]]: tensor<?x8xbf16>
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[ROWS:.*]] = tensor.dim %[[G]], %[[C0]]
// CHECK: return %[[ROWS]]
func.func @norm_backward(%g: tensor<?x8xbf16>, %n: tensor<?x8xf32>,
                         %rstd: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xbf16>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xbf16>)
  %0 = tensor.dim %dx, %c0 : tensor<?x8xbf16>
  return %0 : index
}
