// Strides from the arguments, each operand's own, in every access to its rows;
// scalars and columns have none.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s

// CHECK-LABEL: gpu.func @kernel(
// CHECK-SAME: %[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[S:[a-z0-9]+]]: !llvm.ptr<1>, %[[R:[a-z0-9]+]]: !llvm.ptr<1>, %[[Y:[a-z0-9]+]]: !llvm.ptr<1> {llvm.noalias}, %[[ROWS:[a-z0-9]+]]: i64,
// CHECK-SAME: %[[XS:[a-z0-9]+]]: i64, %[[RS:[a-z0-9]+]]: i64, %[[YS:[a-z0-9]+]]: i64, %{{[a-z0-9]+}}: !llvm.ptr<1>)
// CHECK: %[[ROW:.*]] = arith.extui
// CHECK: %[[XO:.*]] = arith.muli %[[ROW]], %[[XS]] overflow<nsw, nuw> : i64
// CHECK-NEXT: llvm.getelementptr inbounds|nuw %[[X]][%[[XO]]]
// CHECK: llvm.getelementptr inbounds|nuw %[[S]][%[[ROW]]]
// CHECK: %[[RO:.*]] = arith.muli %[[ROW]], %[[RS]] overflow<nsw, nuw> : i64
// CHECK-NEXT: llvm.getelementptr inbounds|nuw %[[R]][%[[RO]]]
// CHECK: %[[YO:.*]] = arith.muli %[[ROW]], %[[YS]] overflow<nsw, nuw> : i64
// CHECK-NEXT: llvm.getelementptr inbounds|nuw %[[Y]][%[[YO]]]
module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 256
      inputs(%x: !row.rows<256xf32>, %s: !row.scalars<f32>,
             %r: !row.rows<256xf32>)
      outputs(%y: !row.rows<256xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 4,
                             access_bytes = 16, strided = true>) {
    %0 = row.load %x : !row.rows<256xf32> -> vector<256xf32>
    %1 = row.load %s : !row.scalars<f32> -> f32
    %2 = row.load %r : !row.rows<256xf32> -> vector<256xf32>
    %3 = vector.broadcast %1 : f32 to vector<256xf32>
    %4 = math.fma %0, %3, %2 : vector<256xf32>
    row.store %4, %y : vector<256xf32>, !row.rows<256xf32>
  }
}
