// One error for each numbered constraint of the ops in a kernel's body. Those
// that a custom form cannot say are in the generic one.
//
// RUN: rms-opt %s --split-input-file --verify-diagnostics

// row.load (C1): another length.
row.kernel @load_c1_length hidden 8 inputs(%x: !row.rows<8xf32>) outputs() {
  // expected-error @below {{'row.load' op loads 'vector<8xf32>' from '!row.rows<8xf32>', but its result is 'vector<4xf32>' (C1)}}
  %0 = row.load %x : !row.rows<8xf32> -> vector<4xf32>
}

// -----

// row.load (C1): another element type.
row.kernel @load_c1_type hidden 8 inputs(%x: !row.columns<8xbf16>) outputs() {
  // expected-error @below {{'row.load' op loads 'vector<8xbf16>' from '!row.columns<8xbf16>', but its result is 'vector<8xf32>' (C1)}}
  %0 = row.load %x : !row.columns<8xbf16> -> vector<8xf32>
}

// -----

// row.load (C1): a scalar is no row.
row.kernel @load_c1_scalar hidden 8 inputs(%s: !row.scalars<f32>) outputs() {
  // expected-error @below {{'row.load' op loads 'f32' from '!row.scalars<f32>', but its result is 'vector<8xf32>' (C1)}}
  %0 = row.load %s : !row.scalars<f32> -> vector<8xf32>
}

// -----

// row.load (C2): an output.
row.kernel @load_c2_output hidden 8 inputs() outputs(%y: !row.rows<8xf32>) {
  // expected-error @below {{'row.load' op loads from a value that is no input of its row.kernel (C2)}}
  %0 = row.load %y : !row.rows<8xf32> -> vector<8xf32>
  row.store %0, %y : vector<8xf32>, !row.rows<8xf32>
}

// -----

// row.load (C2): no kernel's argument at all.
row.kernel @load_c2_value hidden 8 inputs() outputs() {
  %0 = builtin.unrealized_conversion_cast to !row.rows<8xf32>
  // expected-error @below {{'row.load' op loads from a value that is no input of its row.kernel (C2)}}
  %1 = row.load %0 : !row.rows<8xf32> -> vector<8xf32>
}

// -----

// row.load (C2): outside of a kernel.
%0 = builtin.unrealized_conversion_cast to !row.rows<8xf32>
// expected-error @below {{'row.load' op loads from a value that is no input of its row.kernel (C2)}}
%1 = row.load %0 : !row.rows<8xf32> -> vector<8xf32>

// -----

// row.store (C1)
row.kernel @store_c1 hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%y: !row.rows<8xbf16>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // expected-error @below {{'row.store' op stores 'vector<8xf32>' to '!row.rows<8xbf16>', which holds 'vector<8xbf16>' (C1)}}
  row.store %0, %y : vector<8xf32>, !row.rows<8xbf16>
}

// -----

// row.store (C1)
row.kernel @store_c1_scalar hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%y: !row.scalars<f32>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // expected-error @below {{'row.store' op stores 'vector<8xf32>' to '!row.scalars<f32>', which holds 'f32' (C1)}}
  row.store %0, %y : vector<8xf32>, !row.scalars<f32>
}

// -----

// row.store (C2)
row.kernel @store_c2 hidden 8 inputs(%x: !row.rows<8xf32>) outputs() {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // expected-error @below {{'row.store' op stores to a value that is no output of its row.kernel (C2)}}
  row.store %0, %x : vector<8xf32>, !row.rows<8xf32>
}

// -----

// row.store (C2): columns are summed and never stored.
row.kernel @store_c2_columns hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%w: !row.columns<8xf32>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // expected-error @below {{'row.store' op operand #1 must be one row of `hiddenSize` elements for every row or one element for every row, but got '!row.columns<8xf32>'}}
  row.store %0, %w : vector<8xf32>, !row.columns<8xf32>
}

// -----

// row.reduce and row.dot work on f32: a sum in 16 bits is of no use.
row.kernel @reduce_type hidden 8 inputs(%x: !row.rows<8xbf16>) outputs() {
  %0 = row.load %x : !row.rows<8xbf16> -> vector<8xbf16>
  // expected-error @below {{'row.reduce' op operand #0 must be fixed-length vector of 32-bit float values of ranks 1, but got 'vector<8xbf16>'}}
  %1 = "row.reduce"(%0) <{kind = #row.reduce_kind<sum>}>
      : (vector<8xbf16>) -> f32
}

// -----

row.kernel @dot_type hidden 8 inputs(%x: !row.rows<8xf16>) outputs() {
  %0 = row.load %x : !row.rows<8xf16> -> vector<8xf16>
  // expected-error @below {{'row.dot' op operand #0 must be fixed-length vector of 32-bit float values of ranks 1, but got 'vector<8xf16>'}}
  %1 = row.dot %0, %0 : vector<8xf16>
}

// -----

row.kernel @dot_types hidden 8 inputs(%x: !row.rows<8xf32>) outputs() {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  %1 = arith.constant dense<1.0> : vector<4xf32>
  // expected-error @below {{'row.dot' op requires all operands to have the same type}}
  %2 = "row.dot"(%0, %1) : (vector<8xf32>, vector<4xf32>) -> f32
}

// -----

// row.accumulate (C1)
row.kernel @accumulate_c1 hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%dw: !row.columns<8xf32>) {
  %0 = arith.constant dense<1.0> : vector<4xf32>
  // expected-error @below {{'row.accumulate' op adds 'vector<4xf32>' to '!row.columns<8xf32>', which has another number of elements (C1)}}
  row.accumulate %0, %0 into %dw : vector<4xf32>, !row.columns<8xf32>
}

// -----

// row.accumulate (C2)
row.kernel @accumulate_c2 hidden 8
    inputs(%x: !row.rows<8xf32>, %w: !row.columns<8xf32>) outputs() {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // expected-error @below {{'row.accumulate' op adds to a value that is no output of its row.kernel (C2)}}
  row.accumulate %0, %0 into %w : vector<8xf32>, !row.columns<8xf32>
}

// -----

// row.accumulate (C2): rows are stored, each to a place of its own.
row.kernel @accumulate_c2_rows hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%y: !row.rows<8xf32>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // expected-error @below {{'row.accumulate' op operand #2 must be one row of `hiddenSize` elements shared by all rows, but got '!row.rows<8xf32>'}}
  "row.accumulate"(%0, %0, %y)
      : (vector<8xf32>, vector<8xf32>, !row.rows<8xf32>) -> ()
}

// -----

row.kernel @accumulate_types hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%dw: !row.columns<8xf32>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  %1 = arith.constant dense<1.0> : vector<4xf32>
  // expected-error @below {{'row.accumulate' op failed to verify that all of {lhs, rhs} have same type}}
  "row.accumulate"(%0, %1, %dw)
      : (vector<8xf32>, vector<4xf32>, !row.columns<8xf32>) -> ()
}
