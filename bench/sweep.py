#!/usr/bin/env python3
"""Times one compiler over many shapes, each beside its floor.

    bench/sweep.py compile DIR [--arch=sm_90]     anywhere
    bench/sweep.py measure DIR --json FILE        on the GPU; needs DIR and rms-run

Hidden sizes from 128 to 16384, rows from 1 to 131072 (to a lower power of two where
a tensor would pass 2^28 elements): forward with and without a residual in bf16, backward in bf16
and in f32. bench/report.py turns the JSON into the table of docs/benchmarks.
"""

import argparse
import json
import os
import subprocess
import sys

import programs

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HIDDEN_SIZES = [128, 512, 1000, 1536, 2048, 2560, 4096, 5120, 7168, 8192, 16384]
ROWS = [1, 16, 128, 1024, 4096, 8192, 32768, 131072]
MOST_ELEMENTS = 1 << 28

KINDS = {
    "norm": lambda name, h: programs.norm(name, h, weight="bf16"),
    "add_norm": lambda name, h: programs.norm(
        name, h, residual="bf16", weight="bf16"
    ),
    "backward_bf16": lambda name, h: programs.norm_backward(
        name, h, sum="bf16", weight="bf16"
    ),
    "backward_f32": lambda name, h: programs.norm_backward(
        name, h, grad_output="f32", sum="f32", weight="f32", dx="f32"
    ),
}


def rows_for(hidden_size):
    """The row counts of a hidden size: all that fit, and the most that fit."""
    most = min(ROWS[-1], 1 << (MOST_ELEMENTS // hidden_size).bit_length() - 1)
    return [r for r in ROWS if r < most] + [most]


def packages():
    """One package for all hidden sizes that have the same row counts."""
    by_rows = {}
    for hidden_size in HIDDEN_SIZES:
        by_rows.setdefault(tuple(rows_for(hidden_size)), []).append(hidden_size)
    for rows, hidden_sizes in by_rows.items():
        yield f"sweep_h{hidden_sizes[0]}", hidden_sizes, rows


def compile_all(arguments):
    os.makedirs(arguments.directory, exist_ok=True)
    for name, hidden_sizes, _ in packages():
        source = os.path.join(arguments.directory, name + ".mlir")
        with open(source, "w") as file:
            for kind, program in KINDS.items():
                for hidden_size in hidden_sizes:
                    file.write(program(f"{kind}_h{hidden_size}", hidden_size) + "\n")
        package = os.path.join(arguments.directory, name + ".rmspkg")
        command = [arguments.rmsc, source, f"--arch={arguments.arch}"]
        command += ["--with-floors", "-o", package]
        print(" ".join(command), flush=True)
        subprocess.run(command, check=True)


def measure(arguments):
    merged = None
    for name, _, rows in packages():
        package = os.path.join(arguments.directory, name + ".rmspkg")
        part = os.path.join(arguments.directory, name + ".json")
        if not os.access(arguments.directory, os.W_OK):
            part = arguments.json + "." + name
        command = [arguments.rms_run, "bench", package]
        command += ["--rows=" + ",".join(map(str, rows)), f"--json={part}"]
        command += [f"--calls={arguments.calls}", f"--warmups={arguments.warmups}"]
        command += [f"--runs={arguments.runs}"]
        print(" ".join(command), flush=True)
        subprocess.run(command, check=True)
        with open(part) as file:
            document = json.load(file)
        if part.startswith(arguments.json):
            os.remove(part)
        if merged is None:
            merged = document
        else:
            merged["cases"] += document["cases"]
    # Means and host costs are those of one package, and say nothing here.
    for key in ("geomean_us", "floor_geomean_us", "ratio", "runs", "host", "suite"):
        merged.pop(key, None)
    merged["command"] = "bench/sweep.py " + " ".join(sys.argv[1:])
    with open(arguments.json, "w") as file:
        json.dump(merged, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("compile")
    step.add_argument("directory")
    step.add_argument("--arch", default="sm_90")
    step.add_argument("--rmsc", default=os.path.join(ROOT, "build", "bin", "rmsc"))
    step = steps.add_parser("measure")
    step.add_argument("directory")
    step.add_argument("--json", required=True)
    step.add_argument(
        "--rms-run", default=os.path.join(ROOT, "build", "bin", "rms-run")
    )
    step.add_argument("--calls", type=int, default=50)
    step.add_argument("--warmups", type=int, default=10)
    step.add_argument("--runs", type=int, default=1)
    arguments = parser.parse_args()
    (compile_all if arguments.step == "compile" else measure)(arguments)


if __name__ == "__main__":
    main()
