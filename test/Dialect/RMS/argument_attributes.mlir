// RUN: rms-opt %s | rms-opt | FileCheck %s

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %{{.*}}: tensor<?x8xbf16> {rms.may_alias = 0 : index, rms.name = "x"}
// CHECK-SAME: %{{.*}}: tensor<?x8xbf16> {rms.may_alias = 1 : index, rms.name = "_r0"}
// CHECK-SAME: -> (tensor<?x8xbf16> {rms.name = "y"}, tensor<?x8xbf16>)
func.func @in_place(
    %x: tensor<?x8xbf16> {rms.name = "x", rms.may_alias = 0 : index},
    %r: tensor<?x8xbf16> {rms.name = "_r0", rms.may_alias = 1 : index})
    -> (tensor<?x8xbf16> {rms.name = "y"}, tensor<?x8xbf16>) {
  return %x, %r : tensor<?x8xbf16>, tensor<?x8xbf16>
}
