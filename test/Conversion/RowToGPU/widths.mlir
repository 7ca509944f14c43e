// Accesses are as wide as the schedule says: a chunk that is wider is cut, one
// that is narrower is one access, and the alignment that is stated is the width.
//
// RUN: rms-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s

// 32 bytes: a chunk of bf16 is one access, one of f32 is two.
// CHECK-LABEL: gpu.func @wide(
// CHECK: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr<1> -> vector<16xbf16>
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr<1> -> vector<8xf32>
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} {alignment = 32 : i64} : vector<16xbf16>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
module attributes {row.target = "sm_100"} {
  row.kernel @wide hidden 512
      inputs(%x: !row.rows<512xbf16>, %w: !row.columns<512xf32>)
      outputs(%y: !row.rows<512xbf16>)
      schedule(#row.schedule<threads_per_row = 32, elements = 16,
                             access_bytes = 32>) {
    %0 = row.load %x : !row.rows<512xbf16> -> vector<512xbf16>
    %1 = row.load %w : !row.columns<512xf32> -> vector<512xf32>
    %2 = arith.extf %0 : vector<512xbf16> to vector<512xf32>
    %3 = arith.mulf %1, %2 : vector<512xf32>
    %4 = arith.truncf %3 : vector<512xf32> to vector<512xbf16>
    row.store %4, %y : vector<512xbf16>, !row.rows<512xbf16>
  }
}

// -----

// 8 bytes: two accesses for a chunk of bf16, the parts in their order.
// CHECK-LABEL: gpu.func @narrow(
// CHECK: %[[A:.*]] = llvm.load %[[P:.*]] {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xbf16>
// CHECK-NEXT: %[[Q:.*]] = llvm.getelementptr inbounds|nuw %[[P]][4]
// CHECK-NEXT: %[[B:.*]] = llvm.load %[[Q]] {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xbf16>
// CHECK-NEXT: vector.shuffle %[[A]], %[[B]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: %[[C:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [4], strides = [1]}
// CHECK: llvm.store %[[C]], %[[R:.*]] {alignment = 8 : i64}
// CHECK: %[[D:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [4], sizes = [4], strides = [1]}
// CHECK-NEXT: %[[S:.*]] = llvm.getelementptr inbounds|nuw %[[R]][4]
// CHECK-NEXT: llvm.store %[[D]], %[[S]] {alignment = 8 : i64}
module attributes {row.target = "sm_90"} {
  row.kernel @narrow hidden 256 inputs(%x: !row.rows<256xbf16>)
      outputs(%y: !row.rows<256xbf16>)
      schedule(#row.schedule<threads_per_row = 32, elements = 8,
                             access_bytes = 8>) {
    %0 = row.load %x : !row.rows<256xbf16> -> vector<256xbf16>
    row.store %0, %y : vector<256xbf16>, !row.rows<256xbf16>
  }
}

// -----

// Element by element, whatever the type: nothing but the element is aligned.
// CHECK-LABEL: gpu.func @any(
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> vector<1xf16>
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK: llvm.store %{{.*}} {alignment = 2 : i64} : vector<1xf16>, !llvm.ptr<1>
module attributes {row.target = "sm_90"} {
  row.kernel @any hidden 32
      inputs(%x: !row.rows<32xf16>, %r: !row.rows<32xf32>)
      outputs(%y: !row.rows<32xf16>)
      schedule(#row.schedule<threads_per_row = 32, elements = 1,
                             access_bytes = 1, strided = true>) {
    %0 = row.load %x : !row.rows<32xf16> -> vector<32xf16>
    %1 = row.load %r : !row.rows<32xf32> -> vector<32xf32>
    %2 = arith.extf %0 : vector<32xf16> to vector<32xf32>
    %3 = arith.mulf %1, %2 : vector<32xf32>
    %4 = arith.truncf %3 : vector<32xf32> to vector<32xf16>
    row.store %4, %y : vector<32xf16>, !row.rows<32xf16>
  }
}
