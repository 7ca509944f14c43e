// The reason for a refusal is told when it is asked for, and only then.
//
// RUN: rms-opt %s --rms-fuse-residual-add=remarks 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: rms-opt %s --rms-fuse-residual-add 2>&1 | FileCheck %s --check-prefix=SILENT
//
// ASKED: remark: not folded into 'rms.norm': the op adds nothing to y
// SILENT-NOT: not folded

func.func @norm(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %y = rms.norm x(%x : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  %0 = arith.addf %y, %r : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
