#!/usr/bin/env bash
# Installs this build into a fresh folder, builds examples/embed against what was
# installed and nothing else, and runs it: what another compiler's author does.
# usage: embed.sh SOURCE BUILD WORK CC CXX
set -euo pipefail
source=$1 build=$2 work=$3

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || {
  cat "$work/install.log"; exit 1; }

# A copy, so that no path leads back into the source tree.
cp -r "$source/examples/embed" "$work/source"
cmake -S "$work/source" -B "$work/build" -G Ninja \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_C_COMPILER="$4" -DCMAKE_CXX_COMPILER="$5"
cmake --build "$work/build"

layers=()
for layer in dialects passes compiler runtime; do
  layers+=(-e "$source/$layer" -e "$build/$layer")
done
if grep -rlF "${layers[@]}" "$work"/prefix/lib*/cmake "$work/build/build.ninja"
then
  echo "error: the installed package refers to the build it came from" >&2
  exit 1
fi

cd "$work"
build/embed add_norm.rmspkg sm_90 sm_100 | tee embed.out
grep -qx 'add_norm: hidden size 4096, 4 parameters' embed.out
# The installed tools read it, by themselves.
prefix/bin/rms-run info add_norm.rmspkg | tee info.out
grep -q sm_90 info.out
grep -q sm_100 info.out

# An error of the compiler arrives as one message and a status, and no file.
if build/embed none.rmspkg sm_1 2>error.out; then
  echo "error: an unknown chip was taken" >&2
  exit 1
fi
cat error.out
grep -q sm_1 error.out
[ ! -e none.rmspkg ]
