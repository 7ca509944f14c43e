#!/usr/bin/env python3
"""Writes the tables of docs/benchmarks from the JSON of the measurements.

    bench/report.py FILE.json... > docs/benchmarks/TABLE.md

Knows what rms-run bench, bench/peers.py, bench/sweep.py, bench/floor_check.py and
scripts/awkward-grid write, and says which command and GPU each table is from.
"""

import json
import math
import re
import statistics
import sys

# One tick of CUPTI's clock: a smaller difference is none.
TICK_US = 0.032


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join("---:" if i else "---" for i in range(len(head))) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def source(document):
    """Where the figures are from, in a sentence."""
    parts = [f"Measured on one {document['gpu']}"]
    if "driver" in document:
        parts.append(f"CUDA driver {document['driver']}")
    if "date" in document:
        parts.append(document["date"][:10])
    text = ", ".join(parts)
    if "command" in document:
        # A path says where a file was, not what was done.
        command = re.sub(r"(?<=[\s=])[^\s=]*/(?=\S+\.)", "", document["command"])
        text += f", by `{command}`"
    return text + "."


# ---- The suites --------------------------------------------------------------


def suite(document):
    runs = document["runs"]
    cases = document["cases"]
    yield f"# The {document['suite']} suite"
    yield ""
    yield source(document)
    yield (
        f"Clock: {document['clock']}; a case is the median of {document['calls']} calls "
        f"after {document['warmups']} warm-ups, here the median of {len(runs)} runs; "
        "the spread is that of the runs' medians. The floor is measured in the same "
        "runs; a ratio is the median of the runs' ratios."
    )
    yield ""
    rows = []
    for c in sorted(cases, key=lambda c: c["rows"]):
        spread = c.get("runs_us", [c["us"]])
        rows.append([
            str(c["rows"]), f"{c['us']:.3f}", f"{min(spread):.3f} to {max(spread):.3f}",
            f"{c['floor_us']:.3f}", f"{c['ratio']:.3f}", f"{c['gb_per_s']:.0f}",
            c["variant"],
        ])  # fmt: skip
    yield from table(
        ["rows", "us", "spread", "floor, us", "ratio", "GB/s", "variant"], rows
    )
    yield ""
    means = [run["geomean_us"] for run in runs]
    ratios = [run["ratio"] for run in runs]
    yield (
        f"Geometric mean: {document['geomean_us']:.3f} us ({min(means):.3f} to "
        f"{max(means):.3f}), floor {document['floor_geomean_us']:.3f} us, ratio "
        f"**{document['ratio']:.4f}** ({min(ratios):.4f} to {max(ratios):.4f})."
    )
    yield ""
    for host in document["host"]:
        yield (
            f"Host's cost of a call ({host['launches']} launch"
            f"{'es' if host['launches'] > 1 else ''}): {host['host_us']:.2f} us, of as "
            f"many bare cuLaunchKernelEx calls {host['host_bare_us']:.2f} us."
        )
    yield ""
    yield "Schedules:"
    seen = {}
    for c in cases:
        seen.setdefault((c["variant"], c["schedule"]), []).append(c["rows"])
    for (variant, schedule), counts in seen.items():
        yield f"- `{variant}`, from {min(counts)} rows: `{schedule}`"


# ---- Peers -------------------------------------------------------------------


def peers_means(document):
    """The geometric means of bench/peers.py's cases, run by run. A peer that was not
    timed in every case has none."""
    cases = document["cases"]
    names = [n for n in cases[0]["runs_us"] if all(n in c["runs_us"] for c in cases)]
    runs = {
        n: [geomean(run) for run in zip(*(c["runs_us"][n] for c in cases))]
        for n in names
    }
    means = {n: statistics.median(r) for n, r in runs.items()}
    return {
        "geomean_us": means.pop("rmsc"),
        "floor_geomean_us": means.pop("floor"),
        "peers_geomean_us": means,
        "geomean_runs_us": runs,
    }


def spread(values, digits=3):
    """The median of some figures, and between which they lie."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def ratios(of, to):
    return [a / b for a, b in zip(of, to)]


def peers(document):
    cases = sorted(document["cases"], key=lambda c: c["rows"])
    names = list(dict.fromkeys(n for c in cases for n in [*c["peers"], *c["notes"]]))
    differs = {n: text for c in cases for n, text in c["differs"].items()}
    yield f"# Peers, {document['suite']} suite"
    yield ""
    yield source(document)
    yield (
        "With " + ", ".join(f"{n} {v}" for n, v in document["versions"].items()) + "."
    )
    yield (
        f"In a run a case is the median of {document['calls']} calls after "
        f"{document['warmups']} warm-ups. The table gives the median of "
        f"{document['runs']} runs in us, in brackets the lowest and the highest of "
        "them; a ratio is the median of the runs' ratios: ours to the floor, a peer's "
        "to ours."
    )
    if len(cases) < document["cases_wanted"]:
        yield (
            f"**Cut short: {len(cases)} of {document['cases_wanted']} cases were "
            "measured.**"
        )
    yield ""

    def row(label, runs, fewer={}, notes={}):
        ours = runs["rmsc"]
        cells = [label, spread(runs["floor"]), spread(ours)]
        cells.append(spread(ratios(ours, runs["floor"])))
        for name in names:
            if name in runs:
                ratio = statistics.median(ratios(runs[name], ours))
                text = f"{spread(runs[name])}, {ratio:.2f}x"
                if name in fewer:
                    text += f", {fewer[name]} calls"
            elif name in notes:
                text = notes[name].split(":")[0].split(" (")[0].split(",")[0]
            else:
                text = "-"
            cells.append(text)
        return cells

    rows = [row(c["case"], c["runs_us"], c["fewer_calls"], c["notes"]) for c in cases]
    rows.append(row("geometric mean", document["geomean_runs_us"]))
    head = ["case", "floor", "ours", "ours / floor"]
    head += [f"{n} \\*" if n in differs else n for n in names]
    yield from table(head, rows)
    yield ""
    if differs:
        yield "\\* Does not compute just what the case asks for:"
        for name, text in differs.items():
            yield f"- {name}: {text}"
        yield ""
    notes = {}
    for c in cases:
        for name, text in c["notes"].items():
            notes.setdefault((name, text), []).append(c["case"])
    for (name, text), where in notes.items():
        every = len(where) == len(cases)
        yield f"- {name}{'' if every else ' at ' + ', '.join(where)}: {text}"
    tuned = {}
    for c in cases:
        for name, text in c["tuned"].items():
            tuned.setdefault(name, []).append(f"{text} at {c['case']}")
    for name, texts in tuned.items():
        yield f"- {name}, chosen by measuring: {'; '.join(texts)}"
    if any(c["fewer_calls"] for c in cases):
        yield "- where a number of calls is given, they are few because each is long"
    behind = [
        f"{c['case']} ({c['fastest_peer']})" for c in cases if not c.get("ahead", True)
    ]
    yield (
        "- cases slower than their fastest peer by more than 1% and a tick of the "
        f"clock ({TICK_US} us): {', '.join(behind) or 'none'}"
    )


# ---- The sweep ---------------------------------------------------------------

KIND_TITLES = {
    "norm": "Forward without residual, bf16",
    "add_norm": "Forward with residual, bf16",
    "backward_bf16": "Backward from the saved sum, bf16, dx and dw",
    "backward_f32": "Backward from the saved sum, f32, dx and dw",
}


def parse_kernel(name):
    kind, _, hidden_size = name.rpartition("_h")
    return kind, int(hidden_size)


REASONS = {
    "latency": "the floor itself is a few microseconds, of which a barrier, a second "
    "launch or column CTAs are a good part",
    "column CTAs": "few CTAs sum the columns, and each walks all rows in more than two "
    "trips",
    "registers": "a long row's elements, weights and accumulators leave a thread no "
    "registers for a row ahead, or not even for themselves",
    "bytes in flight": "the threads that fit an SM do not ask for enough bytes at once",
}


def reason(c):
    """Which of REASONS a case that is behind its floor has, by its schedule."""
    import model  # It imports this module.

    case = model.Case(c["schedule"], c["rows"], c["hidden_size"], c["bytes"])
    if case.column_sum == "role_split" and case.trips > 2:
        return "column CTAs"
    if c["floor_us"] < 4:
        return "latency"
    if case.walks and (case.chunks > 1 or case.warps >= 28):
        return "registers"
    return "bytes in flight"


def sweep(document):
    cases = {}
    for c in document["cases"]:
        kind, hidden_size = parse_kernel(c["kernel"])
        cases[kind, hidden_size, c["rows"]] = c
    kinds = [k for k in KIND_TITLES if any(key[0] == k for key in cases)]
    hidden_sizes = sorted({key[1] for key in cases})
    counts = sorted({key[2] for key in cases})
    yield "# One compiler over many shapes"
    yield ""
    yield source(document)
    yield (
        "Each figure is the time over that of the floor of the same shape, measured in "
        "the same run: the fastest kernel that moves the same rows and computes "
        "nothing (columns and scalars, as the weight and dw, are not in it). Few rows "
        "are latency: there a floor is 1.2 to 2 us, and a barrier or a second launch "
        "is a good part of that."
    )
    for kind in kinds:
        yield ""
        yield f"## {KIND_TITLES[kind]}"
        yield ""
        rows = []
        for h in hidden_sizes:
            row = [str(h)]
            for n in counts:
                c = cases.get((kind, h, n))
                row.append(f"{c['ratio']:.3f}" if c else "")
            rows.append(row)
        yield from table(["hidden size \\ rows", *map(str, counts)], rows)
        ours = [c for key, c in cases.items() if key[0] == kind]
        many = [c["ratio"] for c in ours if c["rows"] >= 8192]
        yield ""
        yield (
            f"Geometric mean of the ratios {geomean([c['ratio'] for c in ours]):.3f}; "
            f"from 8,192 rows up {geomean(many):.3f}, worst {max(many):.3f}, best "
            f"bandwidth {max(c['gb_per_s'] for c in ours):.0f} GB/s."
        )
    limit = [c for c in cases.values() if c["rows"] >= 8192 and c["ratio"] > 1 / 0.95]
    slow = [c for c in cases.values() if c["ratio"] > 1 / 0.75]
    yield ""
    yield "## Cases behind the targets"
    yield ""
    yield (
        f"From 8,192 rows up, below 0.95 of the floor's speed: {len(limit)} of "
        f"{sum(c['rows'] >= 8192 for c in cases.values())} cases. Anywhere, below 0.75: "
        f"{len(slow)} of {len(cases)}."
    )
    worst = {c["kernel"] + str(c["rows"]): c for c in limit + slow}
    if worst:
        yield ""
        yield from table(
            ["kernel", "rows", "us", "floor, us", "of floor's speed", "reason"],
            [
                [c["kernel"], str(c["rows"]), f"{c['us']:.3f}", f"{c['floor_us']:.3f}",
                 f"{1 / c['ratio']:.3f}", reason(c)]
                for c in sorted(worst.values(), key=lambda c: -c["ratio"])
            ],
        )  # fmt: skip
        yield ""
        for name, text in REASONS.items():
            if any(reason(c) == name for c in worst.values()):
                yield f"- {name}: {text}"


# ---- Checks ------------------------------------------------------------------


def floors(document):
    cases = document["cases"]
    runs = range(len(cases[0]["runs"]["kernel_us"]))
    means = {
        name: [geomean([c["runs"][name][run] for c in cases]) for run in runs]
        for name in ("kernel_us", "floor_us", "cuda_us")
    }

    def against(name):
        ratios = [k / f for k, f in zip(means["kernel_us"], means[name])]
        return (
            f"{statistics.median(ratios):.4f} ({min(ratios):.4f} to {max(ratios):.4f})"
        )

    yield f"# The {document['suite']} suite and its floors against CUDA C++"
    yield ""
    yield source(document)
    yield (
        "All in one run and in turn, call by call: the kernel, the best of the package's "
        "floors, and the best grid of copy kernels in CUDA C++. Medians of "
        f"{len(runs)} runs."
    )
    yield ""
    yield from table(
        ["rows", "kernel, us", "our floor, us", "CUDA's floor, us", "floors' ratio",
         "kernel / CUDA's floor"],
        [
            [str(c["rows"]), f"{c['kernel_us']:.3f}", f"{c['us']:.3f}",
             f"{c['cuda_us']:.3f}", f"{c['ratio']:.4f}",
             f"{c['kernel_us'] / c['cuda_us']:.3f}"]
            for c in cases
        ],
    )  # fmt: skip
    middle = {name: statistics.median(values) for name, values in means.items()}
    yield ""
    yield (
        f"Geometric mean: kernel {middle['kernel_us']:.3f} us, our floor "
        f"{middle['floor_us']:.3f} us, CUDA's floor {middle['cuda_us']:.3f} us. Kernel to "
        f"our floor **{against('floor_us')}**, to CUDA's **{against('cuda_us')}**."
    )


def grid(document):
    yield "# The awkward grid"
    yield ""
    yield source(document)
    yield (
        f"{document['passed']} cases passed, {document['failed']} failed. The worst error "
        "is in units of its bound (docs/numerics.md)."
    )
    yield ""
    rows = []
    for run in document["runs"]:
        worst = {}
        for case in run["cases"]:
            for name, error in case["worst"].items():
                worst[name] = max(worst.get(name, 0), error)
        text = ", ".join(f"{name} {error:.2f}" for name, error in worst.items())
        rows.append([f"`{run['run']}`", str(run["passed"]), str(run["failed"]), text])
    yield from table(["run", "passed", "failed", "worst errors"], rows)


def report(document):
    if "geomean_runs_us" in document:
        return peers(document)
    if document.get("suite") and "runs" in document and "host" in document:
        return suite(document)
    if "runs" in document:
        return grid(document)
    if all("cuda_us" in c for c in document["cases"]):
        return floors(document)
    return sweep(document)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    texts = []
    for path in sys.argv[1:]:
        with open(path) as file:
            texts.append("\n".join(report(json.load(file))))
    print("\n\n".join(texts))


if __name__ == "__main__":
    main()
