#!/usr/bin/env bash
# Builds the runtime by itself, as someone without LLVM and without a CUDA toolkit
# does, installs it, and links C programs with the archive and the library.
# usage: runtime.sh SOURCE WORK CC CXX
set -euo pipefail
source=$1 work=$2

rm -rf "$work"
mkdir -p "$work/use"
cmake -S "$source/runtime" -B "$work/build" -G Ninja \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$work/prefix" \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON \
  -DCMAKE_C_COMPILER="$3" -DCMAKE_CXX_COMPILER="$4"
if grep -iE 'llvm.*/include|cuda.*/include' "$work/build/compile_commands.json"
then
  echo "error: the runtime is compiled with headers of LLVM or of CUDA" >&2
  exit 1
fi
cmake --build "$work/build"
cmake --install "$work/build" --component runtime

cat >"$work/use/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(use LANGUAGES C CXX)
find_package(rmsrt 0.1 REQUIRED)
foreach(kind rmsrt rmsrt-shared)
  add_executable(use-${kind} use.c)
  target_link_libraries(use-${kind} PRIVATE rmsrt::${kind})
endforeach()
set_target_properties(use-rmsrt PROPERTIES LINKER_LANGUAGE CXX)
END
cat >"$work/use/use.c" <<'END'
#include "rmsrt/rmsrt.h"
#include <stdio.h>
int main(void) {
  RmsrtPackage package = NULL;
  RmsrtStatus status = rmsrtPackageOpenFile("no-such.rmspkg", &package);
  printf("%s: %s\n", rmsrtStatusName(status), rmsrtLastError());
  return status != RMSRT_IO_ERROR;
}
END
cmake -S "$work/use" -B "$work/use/build" -G Ninja \
  -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_C_COMPILER="$3" -DCMAKE_CXX_COMPILER="$4"
cmake --build "$work/use/build"
for program in use-rmsrt use-rmsrt-shared; do
  "$work/use/build/$program" | tee "$work/out"
  grep -q 'no-such.rmspkg' "$work/out"
done

# The C example is a project of its own too.
cmake -S "$source/examples/c" -B "$work/example" -G Ninja \
  -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_C_COMPILER="$3" -DCMAKE_CXX_COMPILER="$4"
cmake --build "$work/example"

# Nothing of CUDA or LLVM is linked: what the tool and the library need is there
# on any machine.
for file in "$work/prefix/bin/rms-run" "$work"/prefix/lib*/librmsrt.so; do
  if readelf -d "$file" | grep NEEDED | grep -iE 'cuda|LLVM|MLIR'; then
    echo "error: $file needs more than the system's libraries" >&2
    exit 1
  fi
done
