// rms.norm_backward survives its own text, the generic text and bytecode.
//
// RUN: rms-opt %s | FileCheck %s
// RUN: rms-opt %s | rms-opt | FileCheck %s
// RUN: rms-opt %s --mlir-print-op-generic | rms-opt | FileCheck %s
// RUN: rms-opt %s --emit-bytecode | rms-opt | FileCheck %s

// CHECK-LABEL: func.func @both_gradients(
// CHECK-SAME: %[[G:.*]]: tensor<?x?x2560xbf16>, %[[N:.*]]: tensor<?x?x2560xf32>, %[[RSTD:.*]]: tensor<?x?x1xf32>, %[[W:.*]]: tensor<2560xf32>)
// CHECK: rms.norm_backward grad_output(%[[G]] : tensor<?x?x2560xbf16>) normalized(%[[N]] : tensor<?x?x2560xf32>) rstd(%[[RSTD]] : tensor<?x?x1xf32>) weight(%[[W]] : tensor<2560xf32>) -> dx(tensor<?x?x2560xbf16>) dw(tensor<2560xf32>)
func.func @both_gradients(%grad_output: tensor<?x?x2560xbf16>,
                          %normalized: tensor<?x?x2560xf32>,
                          %rstd: tensor<?x?x1xf32>, %weight: tensor<2560xf32>)
    -> (tensor<?x?x2560xbf16>, tensor<2560xf32>) {
  %dx, %dw = rms.norm_backward grad_output(%grad_output : tensor<?x?x2560xbf16>)
      normalized(%normalized : tensor<?x?x2560xf32>)
      rstd(%rstd : tensor<?x?x1xf32>) weight(%weight : tensor<2560xf32>)
      weight_offset(0.0) -> dx(tensor<?x?x2560xbf16>) dw(tensor<2560xf32>)
  return %dx, %dw : tensor<?x?x2560xbf16>, tensor<2560xf32>
}

// CHECK-LABEL: func.func @everything(
// CHECK: grad_output(%{{.*}} : tensor<?x8xf16>) sum(%{{.*}} : tensor<?x8xbf16>) rstd(%{{.*}} : tensor<?xf32>) weight(%{{.*}} : tensor<8xbf16>) grad_sum(%{{.*}} : tensor<?x8xf32>) weight_offset(1.0) {note = "kept"} -> dx(tensor<?x8xf32>) dw(tensor<8xbf16>)
func.func @everything(%grad_output: tensor<?x8xf16>, %sum: tensor<?x8xbf16>,
                      %rstd: tensor<?xf32>, %weight: tensor<8xbf16>,
                      %grad_sum: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<8xbf16>) {
  %dx, %dw = rms.norm_backward grad_output(%grad_output : tensor<?x8xf16>)
      sum(%sum : tensor<?x8xbf16>) rstd(%rstd : tensor<?xf32>)
      weight(%weight : tensor<8xbf16>) grad_sum(%grad_sum : tensor<?x8xf32>)
      weight_offset(1.0) {note = "kept"}
      -> dx(tensor<?x8xf32>) dw(tensor<8xbf16>)
  return %dx, %dw : tensor<?x8xf32>, tensor<8xbf16>
}

// CHECK-LABEL: func.func @one_gradient(
// CHECK: %[[DX:.*]] = rms.norm_backward grad_output(%{{.*}} : tensor<4x8xf32>) normalized(%{{.*}} : tensor<4x8xf32>) rstd(%{{.*}} : tensor<4xf32>) -> dx(tensor<4x8xf32>)
// CHECK: %[[DW:.*]] = rms.norm_backward grad_output(%{{.*}} : tensor<4x8xf32>) normalized(%{{.*}} : tensor<4x8xf32>) rstd(%{{.*}} : tensor<4xf32>) -> dw(tensor<8xf32>)
// CHECK: return %[[DX]], %[[DW]]
func.func @one_gradient(%grad_output: tensor<4x8xf32>,
                        %normalized: tensor<4x8xf32>, %rstd: tensor<4xf32>)
    -> (tensor<4x8xf32>, tensor<8xf32>) {
  %dx = rms.norm_backward grad_output(%grad_output : tensor<4x8xf32>)
      normalized(%normalized : tensor<4x8xf32>) rstd(%rstd : tensor<4xf32>)
      -> dx(tensor<4x8xf32>)
  %dw = rms.norm_backward grad_output(%grad_output : tensor<4x8xf32>)
      normalized(%normalized : tensor<4x8xf32>) rstd(%rstd : tensor<4xf32>)
      -> dw(tensor<8xf32>)
  return %dx, %dw : tensor<4x8xf32>, tensor<8xf32>
}
