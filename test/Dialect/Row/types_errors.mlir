// What no handle can be. The verifiers of types report when one is made.
//
// RUN: rms-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{hidden size must be at least 1, but is 0}}
row.kernel @rows hidden 8 inputs(%x: !row.rows<0xf32>) outputs() {
}

// -----

// expected-error @below {{hidden size must be at least 1, but is 0}}
row.kernel @columns hidden 8 inputs(%w: !row.columns<0xf32>) outputs() {
}

// -----

// expected-error @below {{element type must be bf16, f16 or f32, but is 'f64'}}
row.kernel @rows hidden 8 inputs(%x: !row.rows<8xf64>) outputs() {
}

// -----

// expected-error @below {{element type must be bf16, f16 or f32, but is 'i32'}}
row.kernel @columns hidden 8 inputs(%w: !row.columns<8xi32>) outputs() {
}

// -----

// expected-error @below {{element type must be bf16, f16 or f32, but is 'index'}}
row.kernel @scalars hidden 8 inputs(%s: !row.scalars<index>) outputs() {
}

// -----

// expected-error @below {{expected one hidden size, as in `<2048xbf16>`}}
row.kernel @rank hidden 8 inputs(%x: !row.rows<4x8xf32>) outputs() {
}
