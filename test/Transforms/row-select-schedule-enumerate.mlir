// Every schedule worth measuring, numbered, ahead of the variants that always
// fit; the same ones in the same order every time.
//
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 enumerate" -o %t.90
// RUN: FileCheck %s --input-file=%t.90
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 enumerate" -o %t.again
// RUN: diff %t.90 %t.again
// CHECK-LABEL: row.kernel @backward_s0 hidden
// CHECK: row.kernel @backward_s1 hidden
// CHECK: row.kernel @backward_s2 hidden
// CHECK: row.kernel @backward_strided hidden
// CHECK: row.kernel @backward_any hidden
//
// None twice.
// RUN: grep "schedule(" %t.90 | sort | uniq -d | count 0
//
// What cannot be is left out in silence.
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 enumerate" -o /dev/null 2>&1 | count 0
//
// Two and four CTAs a row, where a row has threads enough for them, and each with all
// registers of an SM; one row a CTA then.
// RUN: grep -A4 "row.kernel @forward_s" %t.90 | grep "schedule(" > %t.forward
// RUN: grep "threads_per_row = 256, ctas_per_row = 2, elements = 8, access_bytes = 16, ctas_per_sm = 1>" %t.forward | count 1
// RUN: grep "threads_per_row = 512, ctas_per_row = 4, elements = 8, access_bytes = 16, ctas_per_sm = 1, stores = streaming>" %t.forward | count 1
// RUN: grep "ctas_per_row" %t.forward | not grep -E "rows_per_cta|persistent|loads|threads_per_row = (64|128),"
// RUN: grep "column_sum" %t.90 | not grep "ctas_per_row"
//
// Chunks of which one access holds the widest input's, too: 4 of 8 elements, with
// 16 bytes of the f32 each and 8 of the bf16.
// RUN: grep "column_sum = partials" %t.90 | grep -c "elements = 4, access_bytes = 16,"
//
// Both ways to sum columns, each chunk and cache policy, with and without rows
// ahead.
// RUN: grep -c "column_sum = role_split" %t.90
// RUN: grep -c "column_sum = partials" %t.90
// RUN: grep -c "loads = streaming, stores = streaming" %t.90
// RUN: grep -c "prefetch_rows = 2" %t.90
// RUN: grep -c "elements = 4, access_bytes = 8," %t.90
// RUN: grep -c "elements = 8, access_bytes = 16," %t.90
//
// 32-byte accesses where the chip has them.
// RUN: not grep "access_bytes = 32" %t.90
// RUN: rms-opt %s --row-select-schedule="chip=sm_100 enumerate" -o %t.100
// RUN: grep -c "elements = 16, access_bytes = 32," %t.100
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

row.kernel @forward hidden 8192 inputs(%x: !row.rows<8192xbf16>)
    outputs(%y: !row.rows<8192xbf16>) {
  %0 = row.load %x : !row.rows<8192xbf16> -> vector<8192xbf16>
  row.store %0, %y : vector<8192xbf16>, !row.rows<8192xbf16>
}
