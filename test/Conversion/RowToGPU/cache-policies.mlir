// Accesses with a cache policy are inline PTX from the one table, for rows only:
// what all CTAs share is meant to stay in the cache.
//
// RUN: rms-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @both(
// CHECK: nvvm.inline_ptx "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4];" ro(%{{.*}} : !llvm.ptr<1>) -> i32, i32, i32, i32
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: nvvm.inline_ptx "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};" ro(%{{.*}} : !llvm.ptr<1>, i32, i32, i32, i32)
// CHECK-NOT: llvm.store
module attributes {row.target = "sm_90"} {
  row.kernel @both hidden 256
      inputs(%x: !row.rows<256xbf16>, %w: !row.columns<256xbf16>)
      outputs(%y: !row.rows<256xbf16>)
      schedule(#row.schedule<threads_per_row = 32, elements = 8,
                             access_bytes = 16, loads = streaming,
                             stores = streaming>) {
    %0 = row.load %x : !row.rows<256xbf16> -> vector<256xbf16>
    %1 = row.load %w : !row.columns<256xbf16> -> vector<256xbf16>
    %2 = arith.mulf %0, %1 : vector<256xbf16>
    row.store %2, %y : vector<256xbf16>, !row.rows<256xbf16>
  }
}

// -----

// Loads alone, eight bytes wide.
// CHECK-LABEL: gpu.func @loads(
// CHECK: nvvm.inline_ptx "ld.global.cs.v2.b32 {$0, $1}, [$2];"
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
module attributes {row.target = "sm_90"} {
  row.kernel @loads hidden 64 inputs(%x: !row.rows<64xf32>)
      outputs(%y: !row.rows<64xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 2,
                             access_bytes = 8, loads = streaming>) {
    %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
    row.store %0, %y : vector<64xf32>, !row.rows<64xf32>
  }
}

// -----

// Stores alone, a word wide.
// CHECK-LABEL: gpu.func @stores(
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK: nvvm.inline_ptx "st.global.cs.b32 [$0], $1;"
module attributes {row.target = "sm_90"} {
  row.kernel @stores hidden 32 inputs(%x: !row.rows<32xf32>)
      outputs(%y: !row.rows<32xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 1,
                             access_bytes = 4, stores = streaming>) {
    %0 = row.load %x : !row.rows<32xf32> -> vector<32xf32>
    row.store %0, %y : vector<32xf32>, !row.rows<32xf32>
  }
}

// -----

// As wide as the chip has it.
// CHECK-LABEL: gpu.func @wide(
// CHECK: nvvm.inline_ptx "ld.global.cs.v8.b32 {$0, $1, $2, $3, $4, $5, $6, $7}, [$8];"
// CHECK: nvvm.inline_ptx "st.global.cs.v8.b32 [$0], {$1, $2, $3, $4, $5, $6, $7, $8};"
module attributes {row.target = "sm_100"} {
  row.kernel @wide hidden 256 inputs(%x: !row.rows<256xf32>)
      outputs(%y: !row.rows<256xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 8,
                             access_bytes = 32, loads = streaming,
                             stores = streaming>) {
    %0 = row.load %x : !row.rows<256xf32> -> vector<256xf32>
    row.store %0, %y : vector<256xf32>, !row.rows<256xf32>
  }
}

// -----

// Past the first-level cache, as wide as the chip has it: one access a chunk of
// bf16.
// CHECK-LABEL: gpu.func @no_allocate(
// CHECK: nvvm.inline_ptx "ld.global.L1::no_allocate.v8.b32 {$0, $1, $2, $3, $4, $5, $6, $7}, [$8];"
// CHECK: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr<1> -> vector<16xbf16>
// CHECK: llvm.store %{{.*}} {alignment = 32 : i64} : vector<16xbf16>, !llvm.ptr<1>
module attributes {row.target = "sm_100"} {
  row.kernel @no_allocate hidden 512
      inputs(%x: !row.rows<512xbf16>, %w: !row.columns<512xbf16>)
      outputs(%y: !row.rows<512xbf16>)
      schedule(#row.schedule<threads_per_row = 32, elements = 16,
                             access_bytes = 32, loads = no_allocate>) {
    %0 = row.load %x : !row.rows<512xbf16> -> vector<512xbf16>
    %1 = row.load %w : !row.columns<512xbf16> -> vector<512xbf16>
    %2 = arith.mulf %0, %1 : vector<512xbf16>
    row.store %2, %y : vector<512xbf16>, !row.rows<512xbf16>
  }
}

// -----

// Narrower than a word the table has no entry; a hint may be left out.
// CHECK-LABEL: gpu.func @half_word(
// CHECK-NOT: .global.cs
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @half_word hidden 32 inputs(%x: !row.rows<32xbf16>)
      outputs(%y: !row.rows<32xbf16>)
      schedule(#row.schedule<threads_per_row = 32, elements = 1,
                             access_bytes = 2, loads = streaming,
                             stores = streaming>) {
    %0 = row.load %x : !row.rows<32xbf16> -> vector<32xbf16>
    row.store %0, %y : vector<32xbf16>, !row.rows<32xbf16>
  }
}
