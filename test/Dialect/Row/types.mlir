// Handles print as they are written, also through the generic form.
//
// RUN: rms-opt %s | rms-opt | FileCheck %s
// RUN: rms-opt %s --mlir-print-op-generic | rms-opt | FileCheck %s
// RUN: rms-opt %s --emit-bytecode | rms-opt | FileCheck %s

// CHECK-LABEL: row.kernel @handles hidden 8
// CHECK-NEXT: inputs(%{{.*}}: !row.rows<8xbf16>, %{{.*}}: !row.rows<8xf16>, %{{.*}}: !row.rows<8xf32>, %{{.*}}: !row.columns<8xbf16>, %{{.*}}: !row.columns<8xf16>, %{{.*}}: !row.columns<8xf32>, %{{.*}}: !row.scalars<bf16>, %{{.*}}: !row.scalars<f16>, %{{.*}}: !row.scalars<f32>)
// CHECK-NEXT: outputs()
row.kernel @handles hidden 8
    inputs(%0: !row.rows<8xbf16>, %1: !row.rows<8xf16>, %2: !row.rows<8xf32>,
           %3: !row.columns<8xbf16>, %4: !row.columns<8xf16>,
           %5: !row.columns<8xf32>, %6: !row.scalars<bf16>,
           %7: !row.scalars<f16>, %8: !row.scalars<f32>)
    outputs() {
}

// The smallest row there is.
// CHECK-LABEL: row.kernel @one hidden 1
// CHECK-NEXT: inputs(%{{.*}}: !row.rows<1xf32>, %{{.*}}: !row.columns<1xf32>)
row.kernel @one hidden 1
    inputs(%0: !row.rows<1xf32>, %1: !row.columns<1xf32>) outputs() {
}
