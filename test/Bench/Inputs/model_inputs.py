"""A sweep and a suite as a chip would give them that the model describes exactly.

usage: model_inputs.py FOLDER
"""

import json
import math
import os
import sys

START, BANDWIDTH = 1.2, 4.0e6
SCHEDULES = {
    "norm": "threads_per_row = 256, elements = 8, access_bytes = 16",
    "backward_f32": "threads_per_row = 256, elements = 8, access_bytes = 16, "
    "grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_sum = partials, "
    "sum_columns = 32, sum_threads = 1024",
}


def us(kind, rows, hidden_size, moved):
    """Written down apart from bench/model.py, from docs/model.md."""
    ctas = rows if kind == "norm" else min(rows, 264)
    latency = START + 0.12 + 0.3 * (1 - math.exp(-ctas / 132))
    latency += 1.8 * (1 - math.exp(-moved / 30e6))
    work = moved / BANDWIDTH
    if kind == "norm":
        return latency + work
    chain = 0.9 * (math.ceil(rows / ctas) - 1) / 2
    work = ((work / 0.96) ** 3 + chain**3) ** (1 / 3)
    return latency + work + 1.3 + 2 * ctas * 4 * hidden_size / 4e6


def case(kind, rows, hidden_size, name):
    moved = rows * hidden_size * (4 if kind == "norm" else 12)
    return {"kernel": name, "rows": rows, "hidden_size": hidden_size, "bytes": moved,
            "schedule": f"#row.schedule<{SCHEDULES[kind]}>",
            "us": us(kind, rows, hidden_size, moved)}  # fmt: skip


folder = sys.argv[1]
sweep = [case(kind, rows, h, f"{kind}_h{h}") for kind in SCHEDULES
         for h in (512, 2048, 8192) for rows in (1, 16, 256, 1024, 8192, 65536)]  # fmt: skip
suite = [case("norm", rows, 3072, "norm_h3072") for rows in (3, 40, 500, 12000)]
with open(os.path.join(folder, "sweep.json"), "w") as file:
    json.dump({"gpu": "G", "cases": sweep}, file)
with open(os.path.join(folder, "suite.json"), "w") as file:
    json.dump({"gpu": "G", "suite": "forward", "cases": suite}, file)
for c in suite:
    c["us"] *= 1.3
with open(os.path.join(folder, "slow.json"), "w") as file:
    json.dump({"gpu": "G", "suite": "forward", "cases": suite}, file)
