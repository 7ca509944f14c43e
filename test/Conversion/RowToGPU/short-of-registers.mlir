// A thread that walks long rows has registers for a row as it was loaded, but not
// for what is computed from it: that is forgotten behind the reduction, and
// computed anew. The row's words meet a zero there that only we know to be one,
// so that neither LLVM nor ptxas finds out that it had the values before. A
// weight that is loaded late is loaded anew too.
//
// RUN: rms-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s

// CHECK: gpu.func @long(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[W:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK: %[[ZERO:.*]] = nvvm.inline_ptx
// CHECK: scf.for
// CHECK: %[[ROW0:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: %[[ROW1:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: arith.shli
// CHECK: llvm.getelementptr inbounds|nuw %[[W]]
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: arith.xori %{{.*}} : vector
// CHECK: nvvm.barrier
// With no row ahead every thread adds the parts of the row up by itself.
// CHECK-NOT: nvvm.shfl.sync
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[ROW0]] : vector<8xbf16> to vector<4xi32>
// CHECK-NEXT: %[[ZEROS:.*]] = vector.broadcast %[[ZERO]] : i32 to vector<4xi32>
// CHECK-NEXT: %[[COPY:.*]] = arith.xori %[[WORDS]], %[[ZEROS]]
// CHECK-NEXT: %[[AGAIN:.*]] = vector.bitcast %[[COPY]] : vector<4xi32> to vector<8xbf16>
// CHECK: llvm.getelementptr inbounds|nuw %[[W]]
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: vector.bitcast %[[AGAIN]] : vector<8xbf16> to vector<4xi32>
// CHECK: arith.shli
// CHECK: scf.yield
module attributes {row.target = "sm_90"} {
  row.kernel @long hidden 16384
      inputs(%x: !row.rows<16384xbf16>, %w: !row.columns<16384xf32>)
      outputs(%y: !row.rows<16384xf32>)
      schedule(#row.schedule<threads_per_row = 1024, elements = 8,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 1, column_load = late>) {
    %0 = row.load %x : !row.rows<16384xbf16> -> vector<16384xbf16>
    %1 = row.load %w : !row.columns<16384xf32> -> vector<16384xf32>
    %2 = arith.extf %0 : vector<16384xbf16> to vector<16384xf32>
    %3 = row.dot %2, %1 : vector<16384xf32>
    %4 = vector.broadcast %3 : f32 to vector<16384xf32>
    %5 = arith.mulf %4, %1 : vector<16384xf32>
    %6 = arith.mulf %5, %2 : vector<16384xf32>
    row.store %6, %y : vector<16384xf32>, !row.rows<16384xf32>
  }
}

// -----

// With a row ahead the parts of the row are combined across lanes, in the order
// in which one thread would combine them; lanes beyond the last part hold what
// changes nothing. Columns loaded early are kept, as they were loaded: each row
// computes from copies of them.
// CHECK: gpu.func @ahead(%{{[a-z0-9]+}}: !llvm.ptr<1>, %[[W:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK: llvm.getelementptr inbounds|nuw %[[W]]
// CHECK: %[[W0:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: scf.for %[[ROW:[a-z0-9]+]] =
// CHECK: %[[NUMBER:.*]] = arith.trunci %[[ROW]] : i64 to i32
// CHECK: %[[ZERO:.*]] = nvvm.inline_ptx {{.*}} ro(%[[NUMBER]] : i32)
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[W0]] : vector<8xbf16> to vector<4xi32>
// CHECK-NEXT: %[[ZEROS:.*]] = vector.broadcast %[[ZERO]] : i32 to vector<4xi32>
// CHECK-NEXT: %[[COPIED:.*]] = arith.xori %[[WORDS]], %[[ZEROS]]
// CHECK-NEXT: %[[COPY:.*]] = vector.bitcast %[[COPIED]]
// CHECK: nvvm.barrier
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: %[[SOURCE:.*]] = arith.minui %[[LANE]],
// CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%[[SOURCE]]] : (!llvm.ptr<3>
// CHECK: %[[PART:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[V:.*]] = arith.select %{{.*}}, %[[PART]], %[[NEUTRAL]] : f32
// CHECK: arith.xori
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[O:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[ONE]],
// CHECK: %[[SUM:.*]] = arith.addf %[[V]], %[[O]]
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %[[SUM]], %[[TWO]],
// CHECK-COUNT-3: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK: vector.bitcast %[[COPY]] : vector<8xbf16> to vector<4xi32>
// CHECK: arith.xori
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
// CHECK: scf.yield
module attributes {row.target = "sm_90"} {
  row.kernel @ahead hidden 14336
      inputs(%x: !row.rows<14336xbf16>, %w: !row.columns<14336xbf16>)
      outputs(%y: !row.rows<14336xf32>)
      schedule(#row.schedule<threads_per_row = 896, elements = 8,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 1, prefetch_rows = 1>) {
    %0 = row.load %x : !row.rows<14336xbf16> -> vector<14336xbf16>
    %1 = row.load %w : !row.columns<14336xbf16> -> vector<14336xbf16>
    %2 = arith.extf %0 : vector<14336xbf16> to vector<14336xf32>
    %3 = arith.extf %1 : vector<14336xbf16> to vector<14336xf32>
    %4 = row.dot %2, %3 : vector<14336xf32>
    %5 = vector.broadcast %4 : f32 to vector<14336xf32>
    %6 = arith.mulf %5, %3 : vector<14336xf32>
    row.store %6, %y : vector<14336xf32>, !row.rows<14336xf32>
  }
}

// -----

// Fewer warps than a warp has lanes: a part in each of as many lanes as there are
// parts, rounded up to a power of two, and again in the next ones. Four steps do for
// 14 warps.
// CHECK: gpu.func @fewer
// CHECK: scf.for
// CHECK: nvvm.barrier
// CHECK: %[[SIXTEEN:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[LANE:.*]] = arith.remui %{{.*}}, %[[SIXTEEN]]
// CHECK-NEXT: %[[MOST:.*]] = arith.constant 13 : i32
// CHECK-NEXT: arith.minui %[[LANE]], %[[MOST]]
// CHECK: %[[COUNT:.*]] = arith.constant 14 : i32
// CHECK-NEXT: %[[HOLDS:.*]] = arith.cmpi slt, %[[LANE]], %[[COUNT]]
// CHECK: arith.select %[[HOLDS]]
// CHECK-COUNT-3: nvvm.shfl.sync
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %[[EIGHT]],
// CHECK-NOT: nvvm.shfl.sync
// CHECK: scf.yield
module attributes {row.target = "sm_90"} {
  row.kernel @fewer hidden 7168
      inputs(%x: !row.rows<7168xbf16>, %w: !row.columns<7168xbf16>)
      outputs(%y: !row.rows<7168xf32>)
      schedule(#row.schedule<threads_per_row = 448, elements = 8,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 2, prefetch_rows = 1>) {
    %0 = row.load %x : !row.rows<7168xbf16> -> vector<7168xbf16>
    %1 = row.load %w : !row.columns<7168xbf16> -> vector<7168xbf16>
    %2 = arith.extf %0 : vector<7168xbf16> to vector<7168xf32>
    %3 = arith.extf %1 : vector<7168xbf16> to vector<7168xf32>
    %4 = row.dot %2, %3 : vector<7168xf32>
    %5 = vector.broadcast %4 : f32 to vector<7168xf32>
    %6 = arith.mulf %5, %3 : vector<7168xf32>
    row.store %6, %y : vector<7168xf32>, !row.rows<7168xf32>
  }
}

// -----

// Eight elements a thread leave registers enough: nothing is forgotten.
// CHECK-LABEL: gpu.func @short(
// CHECK: scf.for
// CHECK: nvvm.barrier
// CHECK-NOT: arith.xori %{{.*}} : vector
// CHECK-NOT: arith.shli
// CHECK: scf.yield
module attributes {row.target = "sm_90"} {
  row.kernel @short hidden 8192
      inputs(%x: !row.rows<8192xbf16>, %w: !row.columns<8192xf32>)
      outputs(%y: !row.rows<8192xf32>)
      schedule(#row.schedule<threads_per_row = 1024, elements = 8,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 1>) {
    %0 = row.load %x : !row.rows<8192xbf16> -> vector<8192xbf16>
    %1 = row.load %w : !row.columns<8192xf32> -> vector<8192xf32>
    %2 = arith.extf %0 : vector<8192xbf16> to vector<8192xf32>
    %3 = row.dot %2, %1 : vector<8192xf32>
    %4 = vector.broadcast %3 : f32 to vector<8192xf32>
    %5 = arith.mulf %4, %2 : vector<8192xf32>
    row.store %5, %y : vector<8192xf32>, !row.rows<8192xf32>
  }
}

// -----

// Several rows at once take registers too.
// CHECK-LABEL: gpu.func @groups(
// CHECK: scf.for
// CHECK: nvvm.shfl.sync
// CHECK: arith.xori %{{.*}} : vector<4xi32>
// CHECK: arith.shli
// CHECK: scf.yield
module attributes {row.target = "sm_90"} {
  row.kernel @groups hidden 128
      inputs(%x: !row.rows<128xbf16>, %w: !row.columns<128xf32>)
      outputs(%y: !row.rows<128xf32>)
      schedule(#row.schedule<threads_per_row = 16, rows_per_cta = 64,
                             elements = 8, access_bytes = 16,
                             grid = persistent, ctas_per_sm = 2>) {
    %0 = row.load %x : !row.rows<128xbf16> -> vector<128xbf16>
    %1 = row.load %w : !row.columns<128xf32> -> vector<128xf32>
    %2 = arith.extf %0 : vector<128xbf16> to vector<128xf32>
    %3 = row.dot %2, %1 : vector<128xf32>
    %4 = vector.broadcast %3 : f32 to vector<128xf32>
    %5 = arith.mulf %4, %2 : vector<128xf32>
    row.store %5, %y : vector<128xf32>, !row.rows<128xf32>
  }
}
