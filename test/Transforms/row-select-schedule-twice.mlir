// A kernel that has its schedule keeps it: a second run changes nothing, and a
// schedule written in the program is not overruled.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 -o %t.once
// RUN: rms-opt %t.once --row-select-schedule=chip=sm_90 -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s --input-file=%t.once

row.kernel @backward hidden 2560
    inputs(%g: !row.rows<2560xbf16>, %n: !row.rows<2560xf32>)
    outputs(%dx: !row.rows<2560xbf16>, %dw: !row.columns<2560xf32>) {
  %0 = row.load %g : !row.rows<2560xbf16> -> vector<2560xbf16>
  %1 = row.load %n : !row.rows<2560xf32> -> vector<2560xf32>
  %2 = arith.extf %0 : vector<2560xbf16> to vector<2560xf32>
  %3 = row.dot %1, %2 : vector<2560xf32>
  %4 = vector.broadcast %3 : f32 to vector<2560xf32>
  %5 = arith.mulf %4, %2 : vector<2560xf32>
  %6 = arith.truncf %5 : vector<2560xf32> to vector<2560xbf16>
  row.store %6, %dx : vector<2560xbf16>, !row.rows<2560xbf16>
  row.accumulate %2, %1 into %dw : vector<2560xf32>, !row.columns<2560xf32>
}

// CHECK-LABEL: row.kernel @own hidden 64
// CHECK-NOT: variant
// CHECK: schedule(#row.schedule<threads_per_row = 32, elements = 2, access_bytes = 4>)
row.kernel @own hidden 64 inputs(%x: !row.rows<64xf32>)
    outputs(%y: !row.rows<64xf32>)
    schedule(#row.schedule<threads_per_row = 32, elements = 2,
                           access_bytes = 4>) {
  %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
  row.store %0, %y : vector<64xf32>, !row.rows<64xf32>
}
