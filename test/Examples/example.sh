#!/usr/bin/env bash
# What is asked of every file in examples/: it compiles for both chips, its package
# opens, and its kernels run in the emulator with the right values and no fault.
# usage: example.sh BIN WORK EXAMPLE
set -euo pipefail
bin=$1 work=$2 example=$3
name=$(basename "$example" .mlir)

mkdir -p "$work"
"$bin/rmsc" "$example" --arch=sm_90,sm_100 -o "$work/$name.rmspkg"
"$bin/rms-run" info "$work/$name.rmspkg"
for chip in sm_90 sm_100; do
  "$bin/rms-emulate" "$example" --arch=$chip --rows=5 \
    --variant=all --check |
    tee "$work/$name.out"
  grep -q '^PASS' "$work/$name.out"
done
