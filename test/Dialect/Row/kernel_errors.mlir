// One error for each numbered constraint of row.kernel. What the parser would
// catch by itself is written in the generic form, so that the verifier has to.
//
// RUN: rms-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'row.kernel' op needs a hidden size of at least 1, but has 0}}
row.kernel @hidden_size hidden 0 inputs(%s: !row.scalars<f32>) outputs() {
}

// -----

// expected-error @below {{'row.kernel' op operand #1 is no row handle but 'vector<8xf32>'}}
row.kernel @no_handle hidden 8
    inputs(%x: !row.rows<8xf32>, %v: vector<8xf32>) outputs() {
}

// -----

// (C1)
// expected-error @below {{'row.kernel' op has hidden size 8, but operand #1 is '!row.rows<16xf32>' (C1)}}
row.kernel @c1_rows hidden 8
    inputs(%x: !row.rows<8xf32>, %r: !row.rows<16xf32>) outputs() {
}

// -----

// (C1)
// expected-error @below {{'row.kernel' op has hidden size 8, but operand #0 is '!row.columns<4xbf16>' (C1)}}
row.kernel @c1_columns hidden 8 inputs(%w: !row.columns<4xbf16>) outputs() {
}

// -----

// (C2)
// expected-error @below {{'row.kernel' op says it has 2 inputs, but has 1 operands in all (C2)}}
"row.kernel"() <{sym_name = "c2_more", hidden_size = 8 : i64,
                 num_inputs = 2 : i64, may_alias = array<i64>}> ({
^bb0(%x: !row.rows<8xf32>):
}) : () -> ()

// -----

// (C2)
// expected-error @below {{'row.kernel' op says it has -1 inputs, but has 1 operands in all (C2)}}
"row.kernel"() <{sym_name = "c2_negative", hidden_size = 8 : i64,
                 num_inputs = -1 : i64, may_alias = array<i64>}> ({
^bb0(%x: !row.rows<8xf32>):
}) : () -> ()

// -----

// (C3)
// expected-error @below {{'row.kernel' op may_alias needs one entry for each of its 1 outputs (C3)}}
"row.kernel"() <{sym_name = "c3_count", hidden_size = 8 : i64,
                 num_inputs = 1 : i64, may_alias = array<i64>}> ({
^bb0(%x: !row.rows<8xf32>, %y: !row.rows<8xf32>):
  %0 = "row.load"(%x) : (!row.rows<8xf32>) -> vector<8xf32>
  "row.store"(%0, %y) : (vector<8xf32>, !row.rows<8xf32>) -> ()
}) : () -> ()

// -----

// (C3)
// expected-error @below {{'row.kernel' op may_alias names input #1, which does not exist (C3)}}
row.kernel @c3_no_input hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%y: !row.rows<8xf32>) may_alias [1] {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  row.store %0, %y : vector<8xf32>, !row.rows<8xf32>
}

// -----

// (C3): -1 is the only negative number there is.
// expected-error @below {{'row.kernel' op may_alias names input #-2, which does not exist (C3)}}
row.kernel @c3_negative hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%y: !row.rows<8xf32>) may_alias [-2] {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  row.store %0, %y : vector<8xf32>, !row.rows<8xf32>
}

// -----

// (C3): elements of another size would be overwritten before they are read.
// expected-error @below {{'row.kernel' op output #0 cannot share the buffer of input #0: both must be rows of one element type (C3)}}
row.kernel @c3_type hidden 8 inputs(%x: !row.rows<8xbf16>)
    outputs(%y: !row.rows<8xf32>) may_alias [0] {
  %0 = row.load %x : !row.rows<8xbf16> -> vector<8xbf16>
  %1 = arith.extf %0 : vector<8xbf16> to vector<8xf32>
  row.store %1, %y : vector<8xf32>, !row.rows<8xf32>
}

// -----

// (C3): what all rows share is read by every CTA.
// expected-error @below {{'row.kernel' op output #0 cannot share the buffer of input #1: both must be rows of one element type (C3)}}
row.kernel @c3_columns hidden 8
    inputs(%x: !row.rows<8xf32>, %w: !row.columns<8xf32>)
    outputs(%dw: !row.columns<8xf32>) may_alias [1] {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  %1 = row.load %w : !row.columns<8xf32> -> vector<8xf32>
  row.accumulate %0, %1 into %dw : vector<8xf32>, !row.columns<8xf32>
}

// -----

// (C4)
// expected-error @below {{'row.kernel' op must write output #1 exactly once, but writes it 0 times (C4)}}
row.kernel @c4_never hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%y: !row.rows<8xf32>, %z: !row.rows<8xf32>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  row.store %0, %y : vector<8xf32>, !row.rows<8xf32>
}

// -----

// (C4)
// expected-error @below {{'row.kernel' op must write output #0 exactly once, but writes it 2 times (C4)}}
row.kernel @c4_twice hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%y: !row.rows<8xf32>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  row.store %0, %y : vector<8xf32>, !row.rows<8xf32>
  row.store %0, %y : vector<8xf32>, !row.rows<8xf32>
}

// -----

// (C4): scalars.
// expected-error @below {{'row.kernel' op must write output #0 exactly once, but writes it 0 times (C4)}}
row.kernel @c4_scalars hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%rstd: !row.scalars<f32>) {
}

// -----

// (C4): columns have accumulators.
// expected-error @below {{'row.kernel' op must write output #0 exactly once, but writes it 2 times (C4)}}
row.kernel @c4_columns hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%dw: !row.columns<8xf32>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  row.accumulate %0, %0 into %dw : vector<8xf32>, !row.columns<8xf32>
  row.accumulate %0, %0 into %dw : vector<8xf32>, !row.columns<8xf32>
}

// -----

// (C5), which row.store enforces as its own C2.
row.kernel @c5_input hidden 8 inputs(%x: !row.rows<8xf32>) outputs() {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // expected-error @below {{'row.store' op stores to a value that is no output of its row.kernel (C2)}}
  row.store %0, %x : vector<8xf32>, !row.rows<8xf32>
}

// -----

// (C6)
row.kernel @c6_effects hidden 8 inputs(%x: !row.rows<8xf32>) outputs() {
  // expected-error @below {{'memref.alloc' op has effects that a row kernel cannot order; only row ops and ops without side effects are allowed in it (C6)}}
  %0 = memref.alloc() : memref<8xf32>
}

// -----

// (C6): an op that says nothing about its effects may have any.
row.kernel @c6_unknown hidden 8 inputs() outputs() {
  // expected-error @below {{'gpu.printf' op has effects that a row kernel cannot order; only row ops and ops without side effects are allowed in it (C6)}}
  gpu.printf "row"
}

// -----

// (C7)
// expected-error @below {{'row.kernel' op hidden size 12 is not divisible by the schedule's elements = 8 (C7)}}
row.kernel @c7 hidden 12 inputs(%x: !row.rows<12xf32>) outputs()
    schedule(#row.schedule<threads_per_row = 32, elements = 8,
                           access_bytes = 16>) {
}

// -----

// (C8)
// expected-error @below {{'row.kernel' op accumulates along columns, so its schedule needs a column_sum (C8)}}
row.kernel @c8_missing hidden 8 inputs(%x: !row.rows<8xf32>)
    outputs(%dw: !row.columns<8xf32>)
    schedule(#row.schedule<threads_per_row = 32, elements = 4,
                           access_bytes = 16>) {
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  row.accumulate %0, %0 into %dw : vector<8xf32>, !row.columns<8xf32>
}

// -----

// (C8)
// expected-error @below {{'row.kernel' op accumulates nothing along columns, so its schedule must not have a column_sum (C8)}}
row.kernel @c8_too_much hidden 8 inputs(%x: !row.rows<8xf32>) outputs()
    schedule(#row.schedule<threads_per_row = 32, elements = 4,
                           access_bytes = 16, column_sum = role_split,
                           sum_columns = 32>) {
}

// -----

// (C9)
// expected-error @below {{'row.kernel' op is meant for rows from 7 to 6, which is no range (C9)}}
row.kernel @c9_empty hidden 8 inputs() outputs() variant "v" rows [7, 6] {
}

// -----

// (C9)
// expected-error @below {{'row.kernel' op is meant for rows from -1 to 6, which is no range (C9)}}
row.kernel @c9_negative hidden 8 inputs() outputs() variant "v" rows [-1, 6] {
}

// -----

// The schedule is a schedule.
// expected-error @below {{Invalid attribute `schedule` in property conversion: "fast"}}
"row.kernel"() <{sym_name = "schedule", hidden_size = 8 : i64,
                 num_inputs = 0 : i64, may_alias = array<i64>,
                 schedule = "fast"}> ({
^bb0:
}) : () -> ()

// -----

// Nothing of the outside reaches in.
%c = arith.constant dense<1.0> : vector<8xf32>
// expected-note @below {{required by region isolation constraints}}
row.kernel @isolated hidden 8 inputs() outputs(%y: !row.rows<8xf32>) {
  // expected-error @below {{using value defined outside the region}}
  row.store %c, %y : vector<8xf32>, !row.rows<8xf32>
}
