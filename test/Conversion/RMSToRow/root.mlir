// The GPU's approximate root by default; the IEEE root and division on request,
// so that two back ends give the same bits.
//
// RUN: rms-opt %s --convert-rms-to-row | FileCheck %s --check-prefix=APPROX
// RUN: rms-opt %s --convert-rms-to-row=rsqrt=approx | FileCheck %s --check-prefix=APPROX
// RUN: rms-opt %s --convert-rms-to-row=rsqrt=exact | FileCheck %s --check-prefix=EXACT
// RUN: not rms-opt %s --convert-rms-to-row=rsqrt=fast 2>&1 | FileCheck %s --check-prefix=ERROR

// APPROX-NOT: math.sqrt
// APPROX: %[[ROOT:.*]] = math.rsqrt %{{.*}} : f32
// APPROX-NEXT: vector.broadcast %[[ROOT]]
// APPROX-NOT: arith.divf

// EXACT-NOT: math.rsqrt
// EXACT: %[[ROOT:.*]] = math.sqrt %{{.*}} : f32
// EXACT-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// EXACT-NEXT: %[[RSTD:.*]] = arith.divf %[[ONE]], %[[ROOT]] : f32
// EXACT-NEXT: vector.broadcast %[[RSTD]]

// ERROR: error: rsqrt must be approx or exact, but is 'fast'
func.func @norm(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  return %y : tensor<?x8xf32>
}
