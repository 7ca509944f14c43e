// What cannot be lowered, and why.
//
// RUN: rms-opt %s --convert-row-to-gpu --split-input-file --verify-diagnostics

// expected-error @below {{the module has no `row.target`; run row-select-schedule first}}
module {
  row.kernel @kernel hidden 8 inputs() outputs() {
  }
}

// -----

// expected-error @below {{unknown chip 'sm_80'; known are sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_120}}
module attributes {row.target = "sm_80"} {
  row.kernel @kernel hidden 8 inputs() outputs() {
  }
}

// -----

module attributes {row.target = "sm_90"} {
  // expected-error @below {{has no schedule; run row-select-schedule first}}
  row.kernel @kernel hidden 8 inputs() outputs() {
  }
}

// -----

// A schedule that somebody wrote for another chip.
module attributes {row.target = "sm_90"} {
  // expected-error @below {{accesses of 32 bytes are wider than the 16 bytes of sm_90; lower access_bytes}}
  row.kernel @kernel hidden 512 inputs() outputs()
      schedule(#row.schedule<threads_per_row = 32, elements = 16,
                             access_bytes = 32>) {
  }
}

// -----

module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 4 inputs() outputs(%y: !row.rows<4xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 1,
                             access_bytes = 4>) {
    // expected-error @below {{a constant row must be one value for all columns; pass others as an operand of columns}}
    %0 = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : vector<4xf32>
    row.store %0, %y : vector<4xf32>, !row.rows<4xf32>
  }
}

// -----

module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 4 inputs(%x: !row.rows<4xf32>)
      outputs(%y: !row.rows<4xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 1,
                             access_bytes = 4>) {
    %0 = row.load %x : !row.rows<4xf32> -> vector<4xf32>
    // expected-error @below {{a root is supported on one f32 of a row only}}
    %1 = math.rsqrt %0 : vector<4xf32>
    row.store %1, %y : vector<4xf32>, !row.rows<4xf32>
  }
}

// -----

module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 4 inputs(%x: !row.rows<4xf32>)
      outputs(%y: !row.rows<4xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 1,
                             access_bytes = 4>) {
    %0 = row.load %x : !row.rows<4xf32> -> vector<4xf32>
    // expected-error @below {{'math.exp' cannot be spread over the threads of a row; a row kernel holds row ops, element-wise arith, math.fma, and roots of scalars}}
    %1 = math.exp %0 : vector<4xf32>
    row.store %1, %y : vector<4xf32>, !row.rows<4xf32>
  }
}

// -----

// Columns are not exchanged.
module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 4 inputs(%x: !row.rows<4xf32>)
      outputs(%y: !row.rows<4xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 1,
                             access_bytes = 4>) {
    %0 = row.load %x : !row.rows<4xf32> -> vector<4xf32>
    // expected-error @below {{'vector.shuffle' cannot be spread over the threads of a row}}
    %1 = vector.shuffle %0, %0 [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
    row.store %1, %y : vector<4xf32>, !row.rows<4xf32>
  }
}

// -----

// A vector of another length is no row, and would be taken for one.
module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 8 inputs(%x: !row.rows<8xf32>)
      outputs(%s: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 1,
                             access_bytes = 4>) {
    // expected-error @below {{works on 'vector<4xf32>', which is no row: a row has 8 elements}}
    %0 = arith.constant dense<1.0> : vector<4xf32>
    %1 = row.reduce <sum> %0 : vector<4xf32>
    row.store %1, %s : f32, !row.scalars<f32>
  }
}

// -----

// A kernel that the pass does not look at would be lost.
module attributes {row.target = "sm_90"} {
  module {
    // expected-error @below {{is not at the top of the module}}
    row.kernel @kernel hidden 8 inputs() outputs() {
    }
  }
}

// -----

// Nothing to lower is no error, with or without a chip.
module {
}
