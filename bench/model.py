#!/usr/bin/env python3
"""A model of a kernel's time, fitted to the sweep, checked on the suites.

    bench/model.py --sweep sweep.json --suite forward.json --suite backward.json \\
        [--sm100 forward.rmspkg --sm100 backward.rmspkg] [--json model.json] > model.md

docs/model.md explains the terms. The parameters are fitted to the sweep alone; the
suites are what the model is tested on, and the exit status is 1 where it misses one
of their geometric means by more than 15%. With packages that were compiled for sm_100
it also states what it would predict there. That is arithmetic on published figures:
nothing has been measured on such a chip.
"""

import argparse
import json
import math
import random
import re
import sys
import zipfile

import report

LIMIT = 0.15


class Chip:
    """What is known of a chip: `scale` of latencies, and throughputs over those that
    are fitted to the H200's."""

    def __init__(self, sms, bandwidth=None, latency=1.0, cache=1.0):
        self.sms = sms
        # Bytes a microsecond; None: the fitted one.
        self.bandwidth = bandwidth
        self.latency, self.cache = latency, cache


H200 = Chip(132)
# Published: 148 SMs, a marginal bandwidth of 7.05 TB/s, and about 2.0 us for a norm
# kernel of one wave, from which `latency` follows (see sm100).
B200_SMS, B200_BANDWIDTH, B200_ONE_WAVE_US = 148, 7.05e6, 2.0
ONE_WAVE_ROWS = 79

# Name: first guess (microseconds; bytes a microsecond; bytes; or a ratio).
PARAMETERS = {
    "start": 1.0,  # one CTA: launch, load, arithmetic, store
    "barrier": 0.1,  # a reduction over more than a warp
    "warp": 0.01,  # each warp that takes part in it
    "chunk": 0.2,  # each further chunk of a thread
    "spread": 0.3,  # CTAs on all SMs in place of one
    "ramp": 2.0,  # until the memory system streams, and its tail
    "ramp_bytes": 3e7,  # bytes within which that happens
    "bandwidth": 4.4e6,  # marginal
    "turn": 2.0,  # from a CTA's start to that of the one that takes its place
    "walk": 0.95,  # of the bandwidth, where CTAs walk rows
    "row": 1.0,  # latency of a walked row that nothing hides
    "sum_start": 1.5,  # the second launch, released early
    "sum_cache": 3e6,  # rate of writing and reading partial sums
    "split_start": 0.5,  # column CTAs in the same launch
    "split_trip": 0.5,  # each time that a thread of theirs loads rows
    "split_row": 0.1,  # each row that it loads
}


def parse_schedule(text):
    fields = {"rows_per_cta": "1", "grid": "one_shot", "column_sum": "none",
              "prefetch_rows": "0", "ctas_per_sm": "0", "accumulators": "registers",
              "sum_columns": "1", "sum_rows": "4"}  # fmt: skip
    fields.update(re.findall(r"(\w+) = (\w+)", text))
    return {k: int(v) if v.isdigit() else v for k, v in fields.items()}


def resident(threads, held):
    """CTAs on an SM, from its threads and registers; a thread needs as many of these
    as it holds elements, and some for addresses (what ptxas gave, rounded)."""
    registers = 32 if held <= 8 else 40 if held <= 16 else 64 if held <= 32 else 128
    return max(1, min(32, 2048 // threads, 65536 // (threads * registers)))


class Case:
    """What the model sees of a call."""

    def __init__(self, schedule, rows, hidden_size, bytes, us=None):
        s = parse_schedule(schedule)
        self.rows, self.bytes, self.us = rows, bytes, us
        self.groups = math.ceil(rows / s["rows_per_cta"])
        self.walks = s["grid"] == "persistent"
        self.ctas_per_sm = s["ctas_per_sm"]
        self.prefetch = s["prefetch_rows"]
        self.warps = s["threads_per_row"] / 32
        self.column_sum = s["column_sum"]
        self.accumulators = s["accumulators"]
        self.threads_per_row = s["threads_per_row"]
        self.rows_per_cta = s["rows_per_cta"]
        self.column_ctas = math.ceil(hidden_size / s["sum_columns"])
        # Of a CTA, whose rows are combined before they are written.
        self.partial_bytes = 4 * hidden_size
        threads = s["threads_per_row"] * s["rows_per_cta"]
        width = s["threads_per_row"] * s["elements"]
        self.chunks = math.ceil(hidden_size / width)
        held = self.chunks * s["elements"]
        self.resident = s["ctas_per_sm"] or resident(threads, held)
        # Rows that one thread of a column CTA sums.
        self.summed_rows = rows * s["sum_columns"] / (threads * s["elements"])
        self.trips = math.ceil(self.summed_rows / s["sum_rows"])


def longer(a, b):
    """The longer of two times that overlap, with a soft corner between them."""
    return (a**3 + b**3) ** (1 / 3)


def time(case, p, chip=H200):
    """Microseconds, by the model."""
    bandwidth = chip.bandwidth or p["bandwidth"]
    ratio = bandwidth / p["bandwidth"]
    ctas = min(case.groups, case.ctas_per_sm * chip.sms) if case.walks else case.groups
    long_row = p["chunk"] * (case.chunks - 1)
    if case.warps > 1:
        long_row += p["barrier"] + p["warp"] * case.warps
    latency = p["start"] + long_row
    latency += p["spread"] * (1 - math.exp(-ctas / chip.sms))
    latency += p["ramp"] * (1 - math.exp(-case.bytes / (p["ramp_bytes"] * ratio)))
    work = case.bytes / bandwidth
    if case.walks:
        work /= p["walk"]
        walked = math.ceil(case.groups / ctas)
        chain = p["row"] * (walked - 1) / (1 + case.prefetch)
    else:
        turns = case.groups / (case.resident * chip.sms) - 1
        chain = (p["turn"] + long_row) * max(0, turns)
    work = longer(work, chip.latency * chain)
    if case.column_sum == "partials":
        latency += p["sum_start"]
        work += 2 * ctas * case.partial_bytes / (p["sum_cache"] * chip.cache)
    rows = chip.latency * latency + work
    if case.column_sum != "role_split":
        return rows
    # Beside the CTAs that do rows, and behind them.
    columns = p["start"] + p["split_start"] + p["split_trip"] * case.trips
    columns = chip.latency * (columns + p["split_row"] * case.summed_rows)
    return longer(rows, columns)


# ---- Fitting -----------------------------------------------------------------


def misfit(cases, p):
    """Mean over the cases of a loss that grows like the square of small errors and
    hardly at all with large ones: what the model does not know (a kernel that spills,
    say) shall not bend what it does know."""
    errors = (math.log(time(c, p) / c.us) for c in cases)
    return sum(math.log1p((e / 0.1) ** 2) for e in errors) / len(cases)


def nelder_mead(function, start, step, rounds):
    """Minimises a function of a list of numbers."""
    size = len(start)
    points = [list(start)]
    for i in range(size):
        point = list(start)
        point[i] += step
        points.append(point)
    scored = sorted((function(x), x) for x in points)
    for _ in range(rounds):
        centre = [sum(x[i] for _, x in scored[:-1]) / size for i in range(size)]
        worst_score, worst = scored[-1]

        def at(factor):
            x = [c + factor * (w - c) for c, w in zip(centre, worst)]
            return function(x), x

        reflected = at(-1)
        if reflected[0] < scored[0][0]:
            scored[-1] = min(reflected, at(-2))
        elif reflected[0] < scored[-2][0]:
            scored[-1] = reflected
        else:
            contracted = at(-0.5) if reflected[0] < worst_score else at(0.5)
            if contracted[0] < min(worst_score, reflected[0]):
                scored[-1] = contracted
            else:
                best = scored[0][1]
                shrunk = ([b + 0.5 * (v - b) for b, v in zip(best, x)]
                          for _, x in scored[1:])  # fmt: skip
                scored[1:] = [(function(x), x) for x in shrunk]
        scored.sort(key=lambda pair: pair[0])
    return scored[0]


def fit(cases):
    """The parameters that miss the cases least, as logarithms of ratios."""
    names = list(PARAMETERS)
    # In logarithms, so that no parameter turns negative.
    def parameters(x):
        return {n: PARAMETERS[n] * math.exp(v) for n, v in zip(names, x)}

    def cost(x):
        return misfit(cases, parameters(x)) + 1e-3 * sum(v * v for v in x)

    # Restarted, because a simplex collapses early in this many dimensions. The
    # seed is fixed: the same sweep gives the same parameters.
    generator = random.Random(1)
    best = cost([0.0] * len(names)), [0.0] * len(names)
    for _ in range(12):
        start = [v + generator.gauss(0, 0.1) for v in best[1]]
        best = min(best, nelder_mead(cost, start, 0.3, 600))
    return parameters(best[1])


# ---- Cases -------------------------------------------------------------------


def cases_of(document):
    return [
        Case(c["schedule"], c["rows"], c["hidden_size"], c["bytes"], c["us"])
        for c in document["cases"]
    ]


DTYPE_BYTES = {"bf16": 2, "f16": 2, "f32": 4}


def package_case(path, rows):
    """The case that a package's own kernel makes of this number of rows, where the
    operands are dense and aligned."""
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    kernel = next(
        k for k in manifest["kernels"] if k["operation"]["kind"] != "copy"
    )
    hidden_size = kernel["hidden_size"]
    elements = {"rows": rows * hidden_size, "columns": hidden_size, "scalars": rows}
    moved = sum(
        elements[p["kind"]] * DTYPE_BYTES[p["dtype"]]
        for p in kernel["parameters"]
        if p["used"]
    )
    variant = next(
        v for v in kernel["variants"]
        if v["chip"] == "sm_100" and v["rows"][0] <= rows <= v["rows"][1]
    )  # fmt: skip
    return Case(variant["schedule"], rows, hidden_size, moved), kernel


# Per suite and number of rows: the suites' own estimate of the least time on a B200
# and the baseline of the score, in microseconds.
SCORES = {
    "norm": {
        1: (0.4, 3.264), 6: (0.4, 3.28), 34: (0.5, 3.1995), 64: (0.5, 2.976),
        79: (0.5, 3.072), 12383: (20.2, 31.8875), 16254: (26.4, 38.5445),
    },
    "norm_backward": {
        128: (0.6, 71.328), 131: (0.6, 71.232), 422: (1.0, 95.776), 512: (1.1, 95.953),
        1546: (2.5, 35.28), 3412: (5.0, 61.936), 15952: (21.7, 215.744),
        8192: (11.3, 121.744), 34784: (46.9, 518.896), 1249: (2.1, 31.104),
        53024: (71.2, 709.281), 110144: (147.5, 1288.753), 1801: (2.8, 37.248),
        7892: (10.9, 117.392), 131072: (175.5, 1497.889), 524288: (700.6, 5691.17),
    },
}  # fmt: skip


def score(us, least, baseline):
    return 1 / (1 + (us - least) / (baseline - least))


# ---- Text --------------------------------------------------------------------

UNITS = {"walk": "", "ramp_bytes": "MB"}


def parameter_rows(p):
    for name, value in p.items():
        if name in UNITS:
            text = f"{value / 1e6:.1f} MB" if UNITS[name] else f"{value:.3f}"
        elif name.endswith(("bandwidth", "cache")):
            text = f"{value / 1e6:.2f} TB/s"
        else:
            text = f"{value:.3f} us"
        yield [f"`{name}`", text]


def sm100(paths, p):
    """Lines about sm_100, and the figures."""
    wave = min(
        (package_case(path, ONE_WAVE_ROWS)[0] for path in paths
         if package_case(path, ONE_WAVE_ROWS)[1]["operation"]["kind"] == "norm"),
        key=lambda c: c.bytes,
    )  # fmt: skip
    chip = Chip(B200_SMS, B200_BANDWIDTH, cache=B200_SMS / H200.sms)
    # The time grows linearly with the scale, where CTAs do not walk.
    chip.latency = 0
    work = time(wave, p, chip)
    chip.latency = 1
    chip.latency = (B200_ONE_WAVE_US - work) / (time(wave, p, chip) - work)
    figures = {"latency_scale": chip.latency, "suites": {}}
    lines = [
        "## sm_100: modelled, never measured", "",
        "No chip of compute capability 10.x was at hand. The figures below are the "
        f"model's, with the fitted latencies times {chip.latency:.3f} (so that a norm of "
        f"{ONE_WAVE_ROWS} rows takes the published {B200_ONE_WAVE_US} us), the published "
        f"marginal bandwidth of {B200_BANDWIDTH / 1e6:.2f} TB/s and {B200_SMS} SMs, and "
        "rates of the cache that grow with the SMs. The schedules are the ones that rmsc "
        "chooses for sm_100. S is the suites' own score.",
    ]  # fmt: skip
    for path in paths:
        _, kernel = package_case(path, 1)
        kind = kernel["operation"]["kind"]
        results = []
        for rows, (least, baseline) in sorted(SCORES[kind].items()):
            case, _ = package_case(path, rows)
            us = time(case, p, chip)
            results.append((rows, us, least, baseline, score(us, least, baseline)))
        mean = report.geomean([r[1] for r in results])
        mean_score = sum(r[4] for r in results) / len(results)
        figures["suites"][kernel["name"]] = {
            "modelled_geomean_us": round(mean, 3),
            "modelled_score": round(mean_score, 4),
        }
        lines += ["", f"### {kernel['name']}", ""]
        lines += report.table(
            ["rows", "modelled us", "suite's least", "suite's baseline", "S"],
            [[str(r[0]), f"{r[1]:.2f}", f"{r[2]}", f"{r[3]}", f"{r[4]:.3f}"]
             for r in results],
        )  # fmt: skip
        lines += ["", f"Modelled geometric mean {mean:.2f} us, modelled score "
                  f"**{mean_score:.3f}**."]  # fmt: skip
    return lines, figures


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sweep", required=True)
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--sm100", action="append", default=[], metavar="PACKAGE")
    parser.add_argument("--json", help="write the parameters and errors to this file")
    arguments = parser.parse_args()

    with open(arguments.sweep) as file:
        sweep = json.load(file)
    cases = cases_of(sweep)
    p = fit(cases)
    errors = sorted(abs(math.log(time(c, p) / c.us)) for c in cases)
    print("# What the model says\n")
    print("Written by `bench/model.py`; [the model](../model.md) explains the terms.\n")
    print("## Parameters, fitted to the sweep alone\n")
    print("\n".join(report.table(["term", "value"], parameter_rows(p))))
    print(
        f"\nOver the {len(cases)} cases of the sweep ({sweep['gpu']}) half the errors are "
        f"below {100 * errors[len(errors) // 2]:.1f}%, nine in ten below "
        f"{100 * errors[len(errors) * 9 // 10]:.1f}%."
    )
    failed = False
    checked = {}
    for path in arguments.suite:
        with open(path) as file:
            document = json.load(file)
        rows, ratios = [], []
        pairs = zip(document["cases"], cases_of(document))
        for c, case in sorted(pairs, key=lambda pair: pair[0]["rows"]):
            ratios.append(time(case, p) / case.us)
            rows.append([str(c["rows"]), f"{case.us:.3f}", f"{time(case, p):.3f}",
                         f"{100 * (ratios[-1] - 1):+.1f}%"])  # fmt: skip
        mean = report.geomean(ratios)
        worst = max(abs(r - 1) for r in ratios)
        failed |= abs(mean - 1) > LIMIT
        checked[document["suite"]] = {
            "ratio_of_geomeans": round(mean, 4), "worst": round(worst, 4),
        }  # fmt: skip
        print(f"\n## The {document['suite']} suite, predicted and measured\n")
        print("\n".join(report.table(["rows", "measured us", "modelled us", "error"], rows)))
        print(f"\nOf the geometric mean: {100 * (mean - 1):+.1f}%; worst case "
              f"{100 * worst:.1f}%.")  # fmt: skip
    figures = {"parameters": p, "suites": checked}
    if arguments.sm100:
        lines, figures["sm_100_modelled"] = sm100(arguments.sm100, p)
        print("\n" + "\n".join(lines))
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(figures, file, indent=1)
            file.write("\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
