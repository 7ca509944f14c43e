// Where the gradient may be written over what the columns are summed from, no
// other CTA may read it: no role split, whatever the number of rows.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 enumerate" | FileCheck %s --check-prefix=ALL
// ALL: row.kernel @over_grad_output_s0
// ALL-NOT: role_split
// ALL: row.kernel @over_another_s0
// ALL: column_sum = role_split

// CHECK-NOT: role_split
// CHECK-LABEL: row.kernel @over_grad_output_middle
// CHECK: variant "middle" rows [0, [[#LAST:]]]
// CHECK: row.kernel @over_grad_output_many
// CHECK: variant "many" rows [[[#LAST + 1]], 2147483647]
// CHECK-NOT: role_split
row.kernel @over_grad_output hidden 256
    inputs(%g: !row.rows<256xf32>, %n: !row.rows<256xf32>)
    outputs(%dx: !row.rows<256xf32>, %dw: !row.columns<256xf32>)
    may_alias [0, -1] {
  %0 = row.load %g : !row.rows<256xf32> -> vector<256xf32>
  %1 = row.load %n : !row.rows<256xf32> -> vector<256xf32>
  row.store %0, %dx : vector<256xf32>, !row.rows<256xf32>
  row.accumulate %0, %1 into %dw : vector<256xf32>, !row.columns<256xf32>
}

// Nor where a sum along the row enters: a CTA that sums columns holds no row.
// CHECK-LABEL: row.kernel @sum_enters_middle
// CHECK: variant "middle" rows [0,
// CHECK-NOT: role_split
row.kernel @sum_enters hidden 256 inputs(%g: !row.rows<256xf32>)
    outputs(%dw: !row.columns<256xf32>) {
  %0 = row.load %g : !row.rows<256xf32> -> vector<256xf32>
  %1 = row.reduce <sum> %0 : vector<256xf32>
  %2 = vector.broadcast %1 : f32 to vector<256xf32>
  row.accumulate %0, %2 into %dw : vector<256xf32>, !row.columns<256xf32>
}

// What the columns do not need may be written over.
// CHECK-LABEL: row.kernel @over_another_split
// CHECK: column_sum = role_split
row.kernel @over_another hidden 256
    inputs(%g: !row.rows<256xf32>, %r: !row.rows<256xf32>)
    outputs(%dx: !row.rows<256xf32>, %dw: !row.columns<256xf32>)
    may_alias [1, -1] {
  %0 = row.load %g : !row.rows<256xf32> -> vector<256xf32>
  %1 = row.load %r : !row.rows<256xf32> -> vector<256xf32>
  row.store %1, %dx : vector<256xf32>, !row.rows<256xf32>
  row.accumulate %0, %0 into %dw : vector<256xf32>, !row.columns<256xf32>
}

// Nor may another CTA read the row where each of several reads all of it: a row that
// is written in place has one CTA, however few there are.
// CHECK-NOT: ctas_per_row
// CHECK-LABEL: row.kernel @forward_vec
// CHECK: variant "vec" rows [0,
// CHECK-NOT: ctas_per_row
// CHECK-LABEL: row.kernel @elsewhere_quarters
// CHECK: ctas_per_row = 4
// CHECK: row.kernel @elsewhere_halves
// CHECK: ctas_per_row = 2
// ALL: row.kernel @forward_s0
// ALL-NOT: ctas_per_row
// ALL: row.kernel @elsewhere_s0
// ALL: ctas_per_row = 2
row.kernel @forward hidden 8192 inputs(%x: !row.rows<8192xbf16>)
    outputs(%y: !row.rows<8192xbf16>) may_alias [0] {
  %0 = row.load %x : !row.rows<8192xbf16> -> vector<8192xbf16>
  row.store %0, %y : vector<8192xbf16>, !row.rows<8192xbf16>
}

row.kernel @elsewhere hidden 8192 inputs(%x: !row.rows<8192xbf16>)
    outputs(%y: !row.rows<8192xbf16>) may_alias [-1] {
  %0 = row.load %x : !row.rows<8192xbf16> -> vector<8192xbf16>
  row.store %0, %y : vector<8192xbf16>, !row.rows<8192xbf16>
}
