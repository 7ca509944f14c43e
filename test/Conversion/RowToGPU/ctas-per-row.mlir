// Several CTAs share a row: each loads and reduces all of it, and stores what the
// threads of its own part hold. A column that enters no reduction is loaded for that
// part alone, again and again by the threads of each part; one that enters must be
// there in full.
//
// RUN: rms-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s

// CHECK: gpu.func @kernel(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[W:[a-z0-9]+]]: !llvm.ptr<1>, %[[U:[a-z0-9]+]]: !llvm.ptr<1>, %[[Y:[a-z0-9]+]]: !llvm.ptr<1> {llvm.noalias}, %[[S:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK-DAG: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-DAG: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x : i32
// CHECK: %[[ZERO:.*]] = nvvm.inline_ptx {{.*}} ro(%[[THREAD]] : i32)
// CHECK: %[[IN_ROW:.*]] = arith.remui %[[THREAD]], %{{.*}} : i32
// CHECK: %[[COLUMN:.*]] = arith.muli %[[IN_ROW]],
// Four CTAs a row, and so 64 of its 256 threads are a part.
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK-NEXT: %[[PART:.*]] = arith.remui %[[CTA]], %[[FOUR]] : i32
// CHECK-NEXT: %[[THREADS:.*]] = arith.constant 64 : i32
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[PART]], %[[THREADS]] : i32
// CHECK-NEXT: %[[THREADS2:.*]] = arith.constant 64 : i32
// CHECK-NEXT: %[[AMONG:.*]] = arith.remui %[[THREAD]], %[[THREADS2]] : i32
// CHECK-NEXT: %[[IN_PART:.*]] = arith.addi %[[FIRST]], %[[AMONG]] : i32
// CHECK: %[[PART_COLUMN:.*]] = arith.muli %[[IN_PART]],
// CHECK: %[[STORES:.*]] = arith.cmpi eq, %[[IN_PART]], %[[THREAD]] : i32
// CHECK: %[[FOUR2:.*]] = arith.constant 4 : i32
// CHECK-NEXT: %[[ROW32:.*]] = arith.divui %[[CTA]], %[[FOUR2]] : i32
// CHECK-NEXT: %[[ROW:.*]] = arith.extui %[[ROW32]] : i32 to i64

// All of the row, whatever the part; the weight of the part; all of the other
// columns, which the sum needs.
// CHECK: %[[PX:.*]] = llvm.getelementptr inbounds|nuw %[[X]][
// CHECK-NEXT: %[[PXC:.*]] = llvm.getelementptr inbounds|nuw %[[PX]][%[[COLUMN]]]
// CHECK-NEXT: llvm.load %[[PXC]]
// CHECK: %[[PW:.*]] = llvm.getelementptr inbounds|nuw %[[W]][%[[PART_COLUMN]]]
// CHECK-NEXT: llvm.load %[[PW]]
// CHECK: %[[PU:.*]] = llvm.getelementptr inbounds|nuw %[[U]][%[[COLUMN]]]
// CHECK-NEXT: llvm.load %[[PU]]
// CHECK: nvvm.inline_ptx "// pinned"
// CHECK-NOT: scf.if %[[STORES]]
// Where the parts of the sum lie is not known at compile time, so that it is worked
// out ahead of the barrier and kept.
// CHECK: %[[SLOT:.*]] = arith.addi %{{.*}}, %[[ZERO]] : i32
// CHECK: arith.muli %[[SLOT]],
// CHECK: nvvm.barrier
// CHECK-NOT: llvm.store
// What is stored is computed by every thread, so that none leaves at the barrier.
// CHECK: arith.truncf
// CHECK: nvvm.inline_ptx "// pinned"
// CHECK: %[[PY:.*]] = llvm.getelementptr inbounds|nuw %[[Y]][
// CHECK-NEXT: scf.if %[[STORES]] {
// CHECK-NEXT: %[[PYC:.*]] = llvm.getelementptr inbounds|nuw %[[PY]][%[[COLUMN]]]
// CHECK-NEXT: llvm.store %{{.*}}, %[[PYC]] {{.*}} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NEXT: }
// The row's scalar comes from the CTA of the first part alone.
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[IN_ROW]],
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[STORES]], %[[IS_FIRST]]
// CHECK-NEXT: scf.if %[[BOTH]] {
// CHECK-NEXT: llvm.getelementptr inbounds|nuw %[[S]][%[[ROW]]]
// CHECK-NEXT: llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK-NEXT: }
// CHECK-NOT: llvm.store
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 2048
      inputs(%x: !row.rows<2048xbf16>, %w: !row.columns<2048xbf16>,
             %u: !row.columns<2048xbf16>)
      outputs(%y: !row.rows<2048xbf16>, %s: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 256, ctas_per_row = 4,
                             elements = 8, access_bytes = 16>) {
    %0 = row.load %x : !row.rows<2048xbf16> -> vector<2048xbf16>
    %1 = row.load %w : !row.columns<2048xbf16> -> vector<2048xbf16>
    %2 = row.load %u : !row.columns<2048xbf16> -> vector<2048xbf16>
    %3 = arith.extf %0 : vector<2048xbf16> to vector<2048xf32>
    %4 = arith.extf %1 : vector<2048xbf16> to vector<2048xf32>
    %5 = arith.extf %2 : vector<2048xbf16> to vector<2048xf32>
    %6 = arith.mulf %3, %5 : vector<2048xf32>
    %7 = row.dot %6, %3 : vector<2048xf32>
    %8 = vector.broadcast %7 : f32 to vector<2048xf32>
    %9 = arith.mulf %8, %4 : vector<2048xf32>
    %10 = arith.truncf %9 : vector<2048xf32> to vector<2048xbf16>
    row.store %10, %y : vector<2048xbf16>, !row.rows<2048xbf16>
    row.store %7, %s : f32, !row.scalars<f32>
  }
}

// -----

// A chunk beyond the row is stored by no CTA, not even that of its part.
// CHECK: gpu.func @tail(
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}} : i32
// CHECK: %[[PART:.*]] = arith.cmpi slt, %{{.*}} : i32
// CHECK: %[[STORES:.*]] = arith.cmpi eq, %{{.*}} : i32
// CHECK: %[[BOTH:.*]] = arith.andi %[[STORES]], %[[IN]] : i1
// CHECK: scf.if %[[BOTH]] {
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store
// CHECK-NOT: llvm.store
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @tail hidden 1000 inputs(%x: !row.rows<1000xbf16>)
      outputs(%y: !row.rows<1000xbf16>)
      schedule(#row.schedule<threads_per_row = 128, ctas_per_row = 2,
                             elements = 8, access_bytes = 16>) {
    %0 = row.load %x : !row.rows<1000xbf16> -> vector<1000xbf16>
    row.store %0, %y : vector<1000xbf16>, !row.rows<1000xbf16>
  }
}
