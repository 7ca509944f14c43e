// Several rows a CTA: the threads of a row that does not exist load the last
// one, and store neither rows nor scalars.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s

// CHECK: gpu.func @kernel(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[Y:[a-z0-9]+]]: !llvm.ptr<1> {llvm.noalias}, %[[S:[a-z0-9]+]]: !llvm.ptr<1> {llvm.noalias}, %[[ROWS:[a-z0-9]+]]: i64
// CHECK-DAG: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-DAG: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[PER_ROW:.*]] = arith.constant 16 : i32
// CHECK: %[[IN_ROW:.*]] = arith.remui %[[THREAD]], %[[PER_ROW]]
// CHECK: %[[GROUP32:.*]] = arith.divui %[[THREAD]]
// CHECK: %[[GROUP:.*]] = arith.extui %[[GROUP32]] : i32 to i64
// CHECK: %[[WIDE:.*]] = arith.extui %[[CTA]] : i32 to i64
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : i64
// CHECK: %[[FIRST:.*]] = arith.muli %[[WIDE]], %[[EIGHT]] : i64
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[GROUP]] : i64
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %{{.*}} : i64
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[ROW]], %[[LAST]] : i64
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[ROW]], %[[ROWS]] : i64
// CHECK: %[[OFFSET:.*]] = arith.muli %[[CLAMPED]],
// CHECK: llvm.getelementptr inbounds|nuw %[[X]][%[[OFFSET]]]
// CHECK: llvm.load
// CHECK: scf.if %[[EXISTS]] {
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store %{{.*}} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NEXT: }
// One thread of an existing row stores its scalar.
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[IN_ROW]],
// CHECK: %[[STORES:.*]] = arith.andi %[[EXISTS]], %[[IS_FIRST]]
// CHECK: scf.if %[[STORES]] {
// CHECK-NEXT: %[[P:.*]] = llvm.getelementptr inbounds|nuw %[[S]][%[[CLAMPED]]] : (!llvm.ptr<1>, i64)
// CHECK-NEXT: llvm.store %{{.*}}, %[[P]] {alignment = 4 : i64} : f32
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 128 inputs(%x: !row.rows<128xbf16>)
      outputs(%y: !row.rows<128xbf16>, %s: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 16, rows_per_cta = 8,
                             elements = 8, access_bytes = 16>) {
    %0 = row.load %x : !row.rows<128xbf16> -> vector<128xbf16>
    %1 = arith.extf %0 : vector<128xbf16> to vector<128xf32>
    %2 = row.dot %1, %1 : vector<128xf32>
    row.store %0, %y : vector<128xbf16>, !row.rows<128xbf16>
    row.store %2, %s : f32, !row.scalars<f32>
  }
}
