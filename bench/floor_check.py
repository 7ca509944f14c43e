#!/usr/bin/env python3
"""Compares a package's kernel and floors with copy kernels in CUDA C++, in one run.

    bench/floor_check.py --suite forward --package forward.rmspkg --source floor.cu

A floor that is slower than it need be flatters every ratio to it. The CUDA source
is not a part of this project; any will do that defines, as `extern "C"`,

    void floor_fwd(void *x, void *residual, void *y, size_t vectors, int grid,
                   int block, int hint, cudaStream_t stream);
    void floor_bwd(void *grad_output, void *normalized, void *dx, void *dr,
                   size_t vectors, int grid, int block, int hint, cudaStream_t stream);

where a vector is 16 bytes of a bf16 tensor and hint asks for streaming accesses.
All candidates are timed in turn, call by call, so that none has the quieter minute;
then the best of our floors, the best of theirs and the kernel itself, in several runs,
against each other. Fails where a floor of ours is more than 2% and more than one tick
slower.
"""

import argparse
import ctypes
import datetime
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

import torch

import peers
import protocol
import rmsrt


def build(source):
    """Compiles the CUDA source and returns it as a library."""
    major, minor = torch.cuda.get_device_capability()
    library = os.path.join(tempfile.mkdtemp(), "floor.so")
    command = ["nvcc", "-O3", "-std=c++17", f"-arch=sm_{major}{minor}"]
    command += ["-Xcompiler", "-fPIC", "-shared", source, "-o", library]
    subprocess.run(command, check=True)
    return ctypes.CDLL(library)


def cuda_launchers(suite, library, rows):
    """Every block size, grid and cache policy that the source is worth trying in."""
    vectors = rows * suite.hidden_size // 8
    forward = suite is peers.Forward
    function = library.floor_fwd if forward else library.floor_bwd
    names = ("x", "residual", "y") if forward else ("g", "n", "dx", "dr")
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    for block in (256, 512, 1024):
        one_shot = -(-vectors // block)
        grids = {one_shot} | {min(one_shot, peers.SMS * k) for k in (1, 2, 4, 8)}
        for grid in sorted(grids):
            for hint in (0, 1):

                def run(b, grid=grid, block=block, hint=hint):
                    pointers = (ctypes.c_void_p(b[n].data_ptr()) for n in names)
                    function(*pointers, ctypes.c_size_t(vectors), grid, block, hint, stream)

                yield f"{grid} x {block}" + ", streaming" * hint, run


def in_turn(launchers, ring, rounds):
    """Median time of each launcher; a round calls each of them once."""
    turn = 0

    def call():
        nonlocal turn
        launchers[turn % len(launchers)](ring())
        turn += 1

    spans = protocol.spans_us(call, rounds * len(launchers), 2 * len(launchers))
    return [statistics.median(spans[i :: len(launchers)]) for i in range(len(launchers))]


def compare(suite, ours, library, rows, rounds, runs):
    ring = protocol.Ring(lambda: suite.make(rows), suite.set_bytes(rows))
    candidates = [("ours", n, run) for n, run in ours.floor_launchers(rows, ring)]
    if not candidates:
        sys.exit("the package holds no floor for this GPU: compile it --with-floors")
    candidates += [("cuda", n, run) for n, run in cuda_launchers(suite, library, rows)]
    times = in_turn([run for _, _, run in candidates], ring, rounds)
    best = {}
    for time, candidate in sorted(zip(times, candidates), key=lambda pair: pair[0]):
        best.setdefault(candidate[0], candidate)
    calls = ours.calls(ours.kernel, rows, ring)
    final = [best["ours"][2], best["cuda"][2], lambda b: calls[id(b)].launch()]
    rounds = max(rounds, protocol.CALLS)
    mine, theirs, kernel = zip(*(in_turn(final, ring, rounds) for _ in range(runs)))
    all_times = {f"{c[0]}: {c[1]}": round(t, 4) for t, c in zip(times, candidates)}
    median = statistics.median
    return {
        "rows": rows, "us": median(mine), "by": best["ours"][1],
        "cuda_us": median(theirs), "cuda_by": best["cuda"][1],
        "ratio": median(m / t for m, t in zip(mine, theirs)),
        "kernel_us": median(kernel),
        "runs": {"floor_us": mine, "cuda_us": theirs, "kernel_us": kernel},
        "all": all_times,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", choices=["forward", "backward"], required=True)
    parser.add_argument("--package", required=True)
    parser.add_argument("--source", required=True, help="the CUDA source")
    parser.add_argument("--library", default=rmsrt.DEFAULT_LIBRARY)
    parser.add_argument("--rows", help="only these cases, by rows: 1,79")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", help="write every figure to this file")
    arguments = parser.parse_args()

    suite = {"forward": peers.Forward, "backward": peers.Backward}[arguments.suite]
    rows = [case[0] for case in suite.cases]
    if arguments.rows:
        rows = [int(r) for r in arguments.rows.split(",")]
    torch.empty(1, device="cuda")  # makes a context current on this thread
    library = build(arguments.source)
    ours = peers.Ours(rmsrt.Package(arguments.package, arguments.library), suite)
    results = []
    print(
        "| rows | kernel, us | floor, us | CUDA's floor, us | floors' ratio | floor | "
        "CUDA's |\n|---|---|---|---|---|---|---|"
    )
    for count in rows:
        big = suite.set_bytes(count) > 1e9
        rounds = 5 if big else arguments.rounds
        r = compare(suite, ours, library, count, rounds, arguments.runs)
        torch.cuda.empty_cache()
        results.append(r)
        print(
            f"| {count} | {r['kernel_us']:.3f} | {r['us']:.3f} | {r['cuda_us']:.3f} | "
            f"{r['ratio']:.4f} | "
            f"{r['by']} | {r['cuda_by']} |",
            flush=True,
        )
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(
                {"gpu": torch.cuda.get_device_name(), "suite": arguments.suite,
                 "date": datetime.date.today().isoformat(),
                 "command": shlex.join(["bench/floor_check.py", *sys.argv[1:]]),
                 "cases": results},
                file, indent=1,
            )  # fmt: skip
            file.write("\n")
    slow = [
        str(r["rows"])
        for r in results
        if r["us"] > r["cuda_us"] + max(0.02 * r["cuda_us"], peers.TICK_US)
    ]
    print(f"floors that are too slow, by rows: {', '.join(slow) or 'none'}")
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
