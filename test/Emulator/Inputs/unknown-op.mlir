gpu.module @copy {
  llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                  %y_stride: i64, %workspace: !llvm.ptr<1>)
      attributes {gpu.kernel, nvvm.kernel} {
    nvvm.wgmma.fence.aligned
    llvm.return
  }
}
