#!/usr/bin/env python3
"""Times one compiler over many shapes, each beside its floor.

    bench/sweep.py compile DIR [--arch=sm_90]     anywhere
    bench/sweep.py measure DIR --json FILE        on the GPU; needs DIR and rms-run
    bench/sweep.py merge PART... --json FILE      where it was measured in parts

Hidden sizes from 128 to 16384, rows from 1 to 131072 (to a lower power of two where
a tensor would pass 2^28 elements): forward with and without a residual in bf16, backward in bf16
and in f32. bench/report.py turns the JSON into the table of docs/benchmarks.

Where no command may last as long as all of it, measure takes some of the packages
(--packages) or some of the row counts (--rows), each part into a FILE of its own.
FILE is written anew after each package, so that one that is stopped keeps what it has.
"""

import argparse
import json
import os
import shlex
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


# What all parts of a sweep have in common.
PROTOCOL = ("gpu", "driver", "chip", "clock", "calls", "warmups", "runs")


def read(path):
    """What rms-run bench or this script wrote, without what is of one package alone."""
    with open(path) as file:
        document = json.load(file)
    for key in ("geomean_us", "floor_geomean_us", "ratio", "host", "suite"):
        document.pop(key, None)
    runs = document.get("runs", 1)
    document["runs"] = len(runs) if isinstance(runs, list) else runs
    document.setdefault("until", document["date"])
    if "commands" not in document:
        document["commands"] = [document.pop("command")]
    return document


def merge_into(merged, part, path):
    """Adds the cases of a part, which must be of the same GPU and protocol."""
    for key in PROTOCOL:
        ours, its = merged.get(key), part.get(key)
        if ours != its:
            sys.exit(
                f"sweep.py: {path} has {key} {its!r}, the parts before it {ours!r}: "
                "measure all parts on one GPU with the same options"
            )
    seen = {(c["kernel"], c["rows"]) for c in merged["cases"]}
    for c in part["cases"]:
        if (c["kernel"], c["rows"]) in seen:
            sys.exit(
                f"sweep.py: {path} has {c['kernel']} at {c['rows']} rows, as a part "
                "before it: leave one of the two out"
            )
    merged["cases"] += part["cases"]
    merged["date"] = min(merged["date"], part["date"])
    merged["until"] = max(merged["until"], part["until"])
    merged["commands"] += [c for c in part["commands"] if c not in merged["commands"]]


def write(document, path):
    document["cases_wanted"] = sum(
        len(KINDS) * len(hidden_sizes) * len(rows)
        for _, hidden_sizes, rows in packages()
    )
    with open(path + ".new", "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    os.replace(path + ".new", path)


def chosen(text, every, what):
    """The members of a list that an option with commas names, or all of it."""
    if text is None:
        return every
    names = text.split(",")
    for name in names:
        if name not in every:
            sys.exit(f"sweep.py: no {what} {name!r}; there are {', '.join(every)}")
    return names


def measure(arguments):
    names = chosen(arguments.packages, [p[0] for p in packages()], "package")
    counts = dict.fromkeys(str(n) for _, _, rows in packages() for n in rows)
    counts = chosen(arguments.rows, sorted(counts, key=int), "row count")
    merged = None
    for name, _, rows in packages():
        rows = [str(n) for n in rows if str(n) in counts]
        if name not in names or not rows:
            continue
        part = f"{arguments.json}.{name}"
        command = [arguments.rms_run, "bench"]
        command += [os.path.join(arguments.directory, name + ".rmspkg")]
        command += ["--rows=" + ",".join(rows), f"--json={part}"]
        command += [f"--calls={arguments.calls}", f"--warmups={arguments.warmups}"]
        command += [f"--runs={arguments.runs}"]
        print(shlex.join(command), flush=True)
        status = subprocess.run(command).returncode
        if status != 0:
            kept = f"; {arguments.json} has the packages before it" if merged else ""
            sys.exit(f"sweep.py: rms-run failed on {name}, status {status}{kept}")
        document = read(part)
        os.remove(part)
        document["commands"] = ["bench/sweep.py " + shlex.join(sys.argv[1:])]
        if merged is None:
            merged = document
        else:
            merge_into(merged, document, name)
        write(merged, arguments.json)
    if merged is None:
        sys.exit("sweep.py: none of these packages has any of these row counts")


def merge(arguments):
    merged = read(arguments.parts[0])
    for path in arguments.parts[1:]:
        merge_into(merged, read(path), path)
    write(merged, arguments.json)
    have, wanted = len(merged["cases"]), merged["cases_wanted"]
    print(f"{have} of {wanted} cases" + (", the rest is missing" * (have < wanted)))


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
    step.add_argument("--runs", type=int, default=5)
    step.add_argument("--packages", metavar="NAME[,NAME...]", help="these alone")
    step.add_argument("--rows", metavar="N[,N...]", help="these row counts alone")
    step = steps.add_parser("merge")
    step.add_argument("parts", nargs="+", metavar="PART")
    step.add_argument("--json", required=True)
    arguments = parser.parse_args()
    {"compile": compile_all, "measure": measure, "merge": merge}[arguments.step](
        arguments
    )


if __name__ == "__main__":
    main()
