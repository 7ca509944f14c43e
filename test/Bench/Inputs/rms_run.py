#!/usr/bin/env python3
"""Stands in for `rms-run bench` on a sweep's package: cases that are made up.

Called as bench/sweep.py calls rms-run. In the environment, DRIVER is the driver,
FLOOR_RUNS=none leaves the floor's runs out, and FAIL is a package to fail on.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../bench"))
import sweep

WALK = (
    "threads_per_row = 512, elements = 4, access_bytes = 16, grid = persistent, "
    "ctas_per_sm = 1, column_sum = partials, sum_columns = 128, sum_threads = 1024"
)
SPLIT = (
    "threads_per_row = 512, elements = 8, access_bytes = 16, column_sum = role_split, "
    "sum_columns = 128, sum_rows = 5"
)
ALONE = "threads_per_row = 256, elements = 8, access_bytes = 16"


def case(kind, hidden_size, rows, runs):
    """The ratios of its runs are `ratio`, 1% more and 1% less."""
    floor = 1 + 4 * rows * hidden_size / 4.4e6
    schedule, ratio, launches = ALONE, 1.02, 1
    if kind.startswith("backward"):
        schedule, launches = WALK + ", prefetch_rows = 1", 2
        ratio = (floor + 3) / floor if hidden_size == 5120 else 1.1
        if hidden_size == 7168 and kind == "backward_f32":
            schedule = WALK + ", accumulators = shared"
        if rows < 64:
            schedule, ratio, launches = SPLIT, 1.5, 1
    elif rows == 1:
        ratio = 1.4
    times = [floor * ratio * (1, 1.01, 0.99)[run % 3] for run in range(runs)]
    us = sorted(times)[runs // 2]
    c = {
        "kernel": f"{kind}_h{hidden_size}", "rows": rows, "hidden_size": hidden_size,
        "us": us, "floor_us": floor, "ratio": us / floor, "gb_per_s": 1000,
        "schedule": f"#row.schedule<{schedule}>", "launches": launches,
        "bytes": 4 * rows * hidden_size,
    }  # fmt: skip
    if runs > 1:
        c["runs_us"] = times
        if os.environ.get("FLOOR_RUNS") != "none":
            c["floor_runs_us"] = [floor] * runs
    return c


package = sys.argv[2]
options = dict(a.lstrip("-").split("=") for a in sys.argv[3:])
name = os.path.basename(package).removesuffix(".rmspkg")
if os.environ.get("FAIL") == name:
    sys.exit(3)
hidden_sizes = {n: sizes for n, sizes, _ in sweep.packages()}[name]
runs = int(options["runs"])
cases = [
    case(kind, h, int(rows), runs)
    for kind in sweep.KINDS for h in hidden_sizes for rows in options["rows"].split(",")
]  # fmt: skip
day = "2020-01-02" if name == "sweep_h16384" else "2020-01-03"
document = {
    "gpu": "G", "chip": "sm_90", "driver": os.environ.get("DRIVER", "1.0"),
    "date": day + "T03:04:05Z", "command": "rms-run bench", "clock": "cupti",
    "calls": int(options["calls"]), "warmups": int(options["warmups"]), "suite": "",
    "geomean_us": 1, "floor_geomean_us": 1, "ratio": 1, "host": [],
    "runs": [{"geomean_us": 1}] * runs, "cases": cases,
}  # fmt: skip
with open(options["json"], "w") as file:
    json.dump(document, file)
