// The backward op against central differences of the forward op, in double
// precision: a program in f32 decomposes without a cast, so its text with f64 in
// the place of f32 is the same mathematics in f64. Weights are far from one.
//
// RUN: rms-opt %s --rms-decompose | sed s/f32/f64/g | %lower_decomposed \
// RUN:   | FileCheck %s
//
// CHECK: gradient of x: failures of 30
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: gradient of weight: failures of 10
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: largest gradient of x is not small
// CHECK-NEXT: {{^}}1{{$}}

#rows = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// loss = sum(grad_output * y + grad_sum * s): the sum s reaches the loss through
// the norm and directly, as a residual stream does.
func.func @loss(%x: tensor<3x5xf32>, %r: tensor<3x5xf32>, %w: tensor<5xf32>,
                %g: tensor<3x5xf32>, %direct: tensor<3x5xf32>) -> f32 {
  %y, %s = rms.norm x(%x : tensor<3x5xf32>) residual(%r : tensor<3x5xf32>)
      weight(%w : tensor<5xf32>) epsilon(0.01) weight_offset(1.0)
      -> y(tensor<3x5xf32>) sum(tensor<3x5xf32>)
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {
      indexing_maps = [#rows, #rows, #rows, #rows, #none],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %g, %s, %direct : tensor<3x5xf32>, tensor<3x5xf32>,
                                tensor<3x5xf32>, tensor<3x5xf32>)
      outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %c, %d : f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<f32>
  %loss = tensor.extract %sum[] : tensor<f32>
  return %loss : f32
}

// 1 unless the two agree; a NaN does not.
func.func @disagree(%difference: f32, %gradient: f32) -> index {
  %tolerance = arith.constant 1.0e-07 : f32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = arith.subf %difference, %gradient : f32
  %1 = math.absf %0 : f32
  %2 = arith.cmpf ole, %1, %tolerance : f32
  %3 = arith.select %2, %zero, %one : index
  return %3 : index
}

func.func @main() {
  %x = arith.constant dense<[[0.5, -1.25, 2.0, 0.75, -0.5],
                             [3.0, 0.25, -2.5, 1.5, 1.0],
                             [-0.125, 0.5, 0.25, -0.75, 0.0]]> : tensor<3x5xf32>
  %r = arith.constant dense<[[1.5, 0.5, -0.25, 0.125, 2.0],
                             [-1.0, 0.75, 0.5, -3.0, 0.25],
                             [0.5, -0.25, 0.125, 0.25, -0.5]]> : tensor<3x5xf32>
  %w = arith.constant dense<[-3.5, 2.25, 0.5, -7.0, 4.0]> : tensor<5xf32>
  %g = arith.constant dense<[[1.0, -0.5, 0.25, 2.0, -1.5],
                             [0.75, 1.25, -2.0, 0.5, 3.0],
                             [-1.0, 2.5, 1.5, -0.25, 0.5]]> : tensor<3x5xf32>
  %direct = arith.constant dense<[[0.5, 1.0, -2.0, 0.25, 3.0],
                                  [-1.5, 0.5, 0.75, 2.0, -0.25],
                                  [1.0, -3.0, 0.5, 0.125, 2.0]]>
      : tensor<3x5xf32>

  // Both ways to give the backward op what the forward has saved.
  %y, %s, %rstd, %n = rms.norm x(%x : tensor<3x5xf32>)
      residual(%r : tensor<3x5xf32>) weight(%w : tensor<5xf32>) epsilon(0.01)
      weight_offset(1.0) -> y(tensor<3x5xf32>) sum(tensor<3x5xf32>)
      rstd(tensor<3x1xf32>) normalized(tensor<3x5xf32>)
  %dx0, %dw0 = rms.norm_backward grad_output(%g : tensor<3x5xf32>)
      normalized(%n : tensor<3x5xf32>) rstd(%rstd : tensor<3x1xf32>)
      weight(%w : tensor<5xf32>) grad_sum(%direct : tensor<3x5xf32>)
      weight_offset(1.0) -> dx(tensor<3x5xf32>) dw(tensor<5xf32>)
  %dx1, %dw1 = rms.norm_backward grad_output(%g : tensor<3x5xf32>)
      sum(%s : tensor<3x5xf32>) rstd(%rstd : tensor<3x1xf32>)
      weight(%w : tensor<5xf32>) grad_sum(%direct : tensor<3x5xf32>)
      weight_offset(1.0) -> dx(tensor<3x5xf32>) dw(tensor<5xf32>)

  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  // 2^-17, so that the constants mean the same in both types.
  %step = arith.constant 7.62939453125e-06 : f32
  %over_two_steps = arith.constant 65536.0 : f32

  vector.print str "gradient of x: failures of 30\n"
  %x_failures = scf.for %i = %c0 to %c3 step %c1
      iter_args(%count = %c0) -> index {
    %row = scf.for %j = %c0 to %c5 step %c1
        iter_args(%row_count = %count) -> index {
      %at = tensor.extract %x[%i, %j] : tensor<3x5xf32>
      %up = arith.addf %at, %step : f32
      %x_up = tensor.insert %up into %x[%i, %j] : tensor<3x5xf32>
      %loss_up = func.call @loss(%x_up, %r, %w, %g, %direct)
          : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<5xf32>,
             tensor<3x5xf32>, tensor<3x5xf32>) -> f32
      %down = arith.subf %at, %step : f32
      %x_down = tensor.insert %down into %x[%i, %j] : tensor<3x5xf32>
      %loss_down = func.call @loss(%x_down, %r, %w, %g, %direct)
          : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<5xf32>,
             tensor<3x5xf32>, tensor<3x5xf32>) -> f32
      %rise = arith.subf %loss_up, %loss_down : f32
      %difference = arith.mulf %rise, %over_two_steps : f32
      %gradient0 = tensor.extract %dx0[%i, %j] : tensor<3x5xf32>
      %gradient1 = tensor.extract %dx1[%i, %j] : tensor<3x5xf32>
      %bad0 = func.call @disagree(%difference, %gradient0) : (f32, f32) -> index
      %bad1 = func.call @disagree(%difference, %gradient1) : (f32, f32) -> index
      %0 = arith.addi %row_count, %bad0 : index
      %1 = arith.addi %0, %bad1 : index
      scf.yield %1 : index
    }
    scf.yield %row : index
  }
  vector.print %x_failures : index

  vector.print str "gradient of weight: failures of 10\n"
  %w_failures = scf.for %j = %c0 to %c5 step %c1
      iter_args(%count = %c0) -> index {
    %at = tensor.extract %w[%j] : tensor<5xf32>
    %up = arith.addf %at, %step : f32
    %w_up = tensor.insert %up into %w[%j] : tensor<5xf32>
    %loss_up = func.call @loss(%x, %r, %w_up, %g, %direct)
        : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<5xf32>, tensor<3x5xf32>,
           tensor<3x5xf32>) -> f32
    %down = arith.subf %at, %step : f32
    %w_down = tensor.insert %down into %w[%j] : tensor<5xf32>
    %loss_down = func.call @loss(%x, %r, %w_down, %g, %direct)
        : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<5xf32>, tensor<3x5xf32>,
           tensor<3x5xf32>) -> f32
    %rise = arith.subf %loss_up, %loss_down : f32
    %difference = arith.mulf %rise, %over_two_steps : f32
    %gradient0 = tensor.extract %dw0[%j] : tensor<5xf32>
    %gradient1 = tensor.extract %dw1[%j] : tensor<5xf32>
    %bad0 = func.call @disagree(%difference, %gradient0) : (f32, f32) -> index
    %bad1 = func.call @disagree(%difference, %gradient1) : (f32, f32) -> index
    %0 = arith.addi %count, %bad0 : index
    %1 = arith.addi %0, %bad1 : index
    scf.yield %1 : index
  }
  vector.print %w_failures : index

  // Gradients that are all zero would agree with a loss that is constant.
  vector.print str "largest gradient of x is not small\n"
  %g00 = tensor.extract %dx0[%c0, %c3] : tensor<3x5xf32>
  %size = math.absf %g00 : f32
  %one = arith.constant 1.0 : f32
  %large = arith.cmpf ogt, %size, %one : f32
  %flag = arith.extui %large : i1 to i32
  vector.print %flag : i32
  return
}
