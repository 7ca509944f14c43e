// What rms-check-fused would name in full is refused here too: the pass may be
// run by itself.
//
// RUN: rms-opt %s --convert-rms-to-row --split-input-file --verify-diagnostics

// expected-error @below {{holds 0 rms ops, but one kernel is made from one; run rms-check-fused to see what is left over}}
func.func @none(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @below {{holds 2 rms ops, but one kernel is made from one; run rms-check-fused to see what is left over}}
func.func @two(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  %1 = rms.norm x(%0 : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  return %1 : tensor<?x8xf32>
}

// -----

// A private function that computes nothing is dropped, one that does is not.
func.func private @declared(tensor<?x8xf32>) -> tensor<?x8xf32>

// expected-error @below {{holds 2 rms ops, but one kernel is made from one; run rms-check-fused to see what is left over}}
func.func private @two(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  %1 = rms.norm x(%0 : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  return %1 : tensor<?x8xf32>
}

// -----

func.func @computed(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %0 = arith.addf %a, %b : tensor<?x8xf32>
  // expected-error @below {{operand #0 is computed outside of the kernel; only arguments of its function can be read}}
  %y = rms.norm x(%0 : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  return %y : tensor<?x8xf32>
}

// -----

// expected-error @below {{argument #1 is no ranked tensor but 'f32'}}
func.func @scalar(%x: tensor<?x8xf32>, %epsilon: f32) -> tensor<?x8xf32> {
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  return %y : tensor<?x8xf32>
}

// -----

func.func @returns_argument(%x: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  // expected-error @below {{returns value #1, which no rms op computes}}
  return %y, %x : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

func.func @returns_other(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
  %0 = arith.negf %y : tensor<?x8xf32>
  // expected-error @below {{returns value #0, which no rms op computes}}
  return %0 : tensor<?x8xf32>
}

// -----

// A function that the pass does not look at would be lost.
module {
  module {
    // expected-error @below {{'func.func' is not at the top of the module, where kernels are made from functions}}
    func.func @nested(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0.5) -> y(tensor<?x8xf32>)
      return %y : tensor<?x8xf32>
    }
  }
}
