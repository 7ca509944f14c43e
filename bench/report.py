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
    commands = document.get("commands", [])
    if "command" in document:
        commands = [document["command"]]
    # Another command may have had another machine, for all that is known.
    each = f" in {len(commands)} parts, each" if len(commands) > 1 else ""
    parts = [f"Measured{each} on one {document['gpu']}"]
    if "driver" in document:
        parts.append(f"CUDA driver {document['driver']}")
    if "date" in document:
        dates = {document["date"][:10], document.get("until", document["date"])[:10]}
        parts.append(" to ".join(sorted(dates)))
    text = ", ".join(parts)
    if commands:
        # A path says where a file was, not what was done.
        commands = [re.sub(r"(?<=[\s=])[^\s=]*/(?=\S+\.)", "", c) for c in commands]
        text += ", by " + ", ".join(f"`{c}`" for c in commands)
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

MANY_ROWS = 8192
# Of the floor's speed, from MANY_ROWS up and anywhere.
TARGET, TARGET_ANYWHERE = 0.95, 0.75


def parse_kernel(name):
    kind, _, hidden_size = name.rpartition("_h")
    return kind, int(hidden_size)


def misses(c):
    many = c["rows"] >= MANY_ROWS and c["ratio"] > 1 / TARGET
    return many or c["ratio"] > 1 / TARGET_ANYWHERE


# What a dependent second launch costs at the backward suite's shape (bench/notes.md).
SECOND_LAUNCH_US = 1.8
# A floor below this is made of latencies.
FEW_US = 4
# What an SM should have on its way: of the 4.4 MB that the memory of an H200 moves in a
# microsecond a backward reads two thirds, which is 22 KB for an SM, and a row that is
# walked takes about one microsecond.
AHEAD_BYTES = 24 << 10
# And a thread, where each has one row: two accesses.
THREAD_BYTES = 32
# CTAs of so many threads hardly share an SM.
LARGE_CTA = 512

# "Measured" is what bench/notes.md has a figure for.
REASONS = {
    "latency": f"one launch, and a floor below {FEW_US} us: a single chain of load, "
    "reduction, barrier and store is most of the time. Measured on a forward of one row, "
    "H = 2048: the weight's load, shuffles, barrier and the CTA's sum take 0.2 us of "
    "1.4. Inferred: that it is more where a thread has several chunks of a row, or "
    "where CTAs sum columns in the same launch",
    "column CTAs": "the CTAs that sum columns read the inputs of all rows again, from the "
    "L2. Inferred from the schedule: each thread of theirs has more than one row to load "
    "and add, or CTAs are large and, with those that do rows, more than the SMs. Measured "
    "at the backward suite's shape: one trip of loads in place of two is 0.2 to 0.3 us "
    "faster",
    "second launch": "more than half of the distance to the floor is the launch that adds "
    "the partial sums up. Measured at the backward suite's shape: it costs "
    f"{SECOND_LAUNCH_US} us at 1249 to 3412 rows, 2.2 us at 131072. Inferred: that it "
    "costs as much here, and why (partial sums have to reach the L2, the second grid to "
    "start, its loads to come back)",
    "registers": "the schedule has no row ahead, or has accumulators in shared memory, "
    "which the rules choose only where a thread has no registers for more. Inferred: "
    "that the distance to the floor is from there",
    "bytes in flight": "too little is on its way. Inferred from the schedule, by Little's "
    f"law: the rows ahead are less than {AHEAD_BYTES >> 10} KB an SM where CTAs walk rows; "
    f"elsewhere a thread has less than {THREAD_BYTES} bytes of its row. Measured at other "
    "shapes only: more of either was faster",
    "walked rows": "in each row a CTA waits for its reduction, with one row on its way; "
    "before the first it loads its columns, after the last it writes partial sums. The "
    "second launch is in it, too, as less than half. Inferred: from what is left where no "
    "other reason holds, and as the distance grows with the rows. Measured at the backward "
    "suite's shape: more rows ahead, in shared memory, and three CTAs an SM are slower; "
    "CTAs end 2 to 7% of the time apart, and neither pacing them nor dealing the last "
    "rows out as they end is faster",
    "unknown": "the schedule shows none of the others",
}


def reason(c):
    """Which of REASONS a case that is behind its floor has, by its schedule and times."""
    import model  # It imports this module.

    kind, hidden_size = parse_kernel(c["kernel"])
    case = model.Case(c["schedule"], c["rows"], hidden_size, c["bytes"])
    inputs = 1 if kind == "norm" else 2
    row_bytes = inputs * hidden_size * (4 if kind.endswith("f32") else 2)
    if case.column_sum == "partials":
        if c["us"] - c["floor_us"] < 2 * SECOND_LAUNCH_US:
            return "second launch"
        if case.prefetch == 0 or case.accumulators == "shared":
            return "registers"
        ahead = case.prefetch * case.ctas_per_sm * case.rows_per_cta * row_bytes
        return "bytes in flight" if ahead < AHEAD_BYTES else "walked rows"
    if case.column_sum == "role_split":
        threads = case.threads_per_row * case.rows_per_cta
        crowded = case.groups + case.column_ctas > model.H200.sms
        if case.summed_rows > 1 or (crowded and threads >= LARGE_CTA):
            return "column CTAs"
    if c["floor_us"] < FEW_US:
        return "latency"
    if row_bytes < THREAD_BYTES * case.threads_per_row:
        return "bytes in flight"
    return "unknown"


def run_ratios(c):
    """A case's ratios to its floor, run by run."""
    if "runs_us" not in c:
        return [c["ratio"]]
    floors = c.get("floor_runs_us", [c["floor_us"]] * len(c["runs_us"]))
    return ratios(c["runs_us"], floors)


def spreads(cases):
    """In words, how far the runs of some cases are apart."""
    widths = []
    for c in cases:
        values = run_ratios(c)
        widths.append((max(values) - min(values)) / statistics.median(values))
    widest = max(zip(widths, range(len(cases))))
    c = cases[widest[1]]
    return (
        f"{100 * statistics.median(widths):.1f}% in the middle case, at most "
        f"{100 * widest[0]:.1f}% ({c['kernel']}, rows = {c['rows']})"
    )


def sweep(document):
    cases = {}
    for c in document["cases"]:
        kind, hidden_size = parse_kernel(c["kernel"])
        cases[kind, hidden_size, c["rows"]] = c
    runs = document.get("runs", 1)
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
    if runs > 1:
        text = (
            f"A case has {runs} runs, each the median of {document['calls']} calls after "
            f"{document['warmups']} warm-ups; a ratio is the median of the runs' ratios. "
            "Its spread is the highest less the lowest of them, over the median"
        )
        if not all("floor_runs_us" in c for c in cases.values()):
            text += " (of our times' runs, over the median of the floor's)"
        yield text + "."
    else:
        yield "One run a case: no spread is known."
    wanted = document.get("cases_wanted", len(cases))
    if len(cases) < wanted:
        yield f"**Cut short: {len(cases)} of {wanted} cases were measured.**"
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
        many = [c for c in ours if c["rows"] >= MANY_ROWS]
        text = f"Geometric mean of the ratios {geomean([c['ratio'] for c in ours]):.3f}"
        if many:
            text += (
                f"; from {MANY_ROWS:,} rows up {geomean([c['ratio'] for c in many]):.3f}, "
                f"worst {max(c['ratio'] for c in many):.3f}"
            )
        yield ""
        yield f"{text}, best bandwidth {max(c['gb_per_s'] for c in ours):.0f} GB/s."
        if runs > 1:
            text = f"Spread of a case's ratio over the runs: {spreads(ours)}"
            if many:
                text += f"; from {MANY_ROWS:,} rows up {spreads(many)}"
            yield text + "."
    yield ""
    yield "## Cases behind the targets"
    yield ""
    many = [c for c in cases.values() if c["rows"] >= MANY_ROWS]
    limit = [c for c in many if c["ratio"] > 1 / TARGET]
    slow = sum(c["ratio"] > 1 / TARGET_ANYWHERE for c in cases.values())
    yield (
        f"From {MANY_ROWS:,} rows up, below {TARGET} of the floor's speed: {len(limit)} of "
        f"{len(many)} cases. Anywhere, below {TARGET_ANYWHERE}: {slow} of {len(cases)}."
    )
    if runs > 1:
        sure = sum(min(run_ratios(c)) > 1 / TARGET for c in limit)
        yield f"Of the {len(limit)}, {sure} are below {TARGET} in every run."
    second = [c for c in limit if c["launches"] > 1]
    if second:
        without = sum(
            c["us"] - SECOND_LAUNCH_US <= c["floor_us"] / TARGET for c in second
        )
        yield (
            f"Of the {len(limit)}, {len(second)} have a second launch; {without} of them "
            f"would be at {TARGET} or more if they took {SECOND_LAUNCH_US} us less, which "
            "it costs at the backward suite's shape. That is arithmetic, not a measurement."
        )
    worst = sorted(filter(misses, cases.values()), key=lambda c: -c["ratio"])
    if worst:
        found = [reason(c) for c in worst]
        rows = []
        for c, why in zip(worst, found):
            rows.append([c["kernel"], str(c["rows"]), f"{c['us']:.3f}",
                         f"{c['floor_us']:.3f}", f"{1 / c['ratio']:.3f}"])  # fmt: skip
            if runs > 1:
                rows[-1].append(f"{min(run_ratios(c)):.3f} to {max(run_ratios(c)):.3f}")
            rows[-1].append(why)
        head = ["kernel", "rows", "us", "floor, us", "of floor's speed"]
        head += ["ratio, over the runs"] * (runs > 1) + ["reason"]
        yield ""
        yield from table(head, rows)
        yield ""
        yield (
            "The reason is the chief one, found by rules over schedule and times (`reason` "
            "in bench/report.py); what is called measured is in bench/notes.md:"
        )
        for name, text in REASONS.items():
            if name in found:
                yield f"- {name} ({found.count(name)}): {text}"


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
    if "passed" in document:
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
