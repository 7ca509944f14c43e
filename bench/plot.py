#!/usr/bin/env python3
"""Draws the time of a suite's cases over their rows, from bench/peers.py's JSON.

    bench/plot.py peers-forward.json docs/benchmarks/peers-forward

writes docs/benchmarks/peers-forward.png and .svg, as bench/peers.py itself does at
its end. Needs matplotlib.
"""

import argparse
import json

import matplotlib

matplotlib.use("Agg")
# The same figures give the same bytes, so that a redrawn plot shows no change.
matplotlib.rcParams["svg.hashsalt"] = "rmsc"
# No red among the peers: that is ours.
matplotlib.rcParams["axes.prop_cycle"] = matplotlib.cycler(
    color=["tab:blue", "tab:orange", "tab:green", "tab:purple", "tab:brown", "tab:cyan"]
)
import matplotlib.pyplot as plt  # noqa: E402

STYLES = {
    "floor": dict(color="0.45", linestyle="--", linewidth=1.2),
    "rmsc": dict(color="#c1121f", linewidth=2.2, marker="o", markersize=4),
}


def series_of(report, without):
    """The lines to draw: name -> [(rows, microseconds)]."""
    cases = sorted(report["cases"], key=lambda case: case["rows"])
    series = {
        "floor": [(c["rows"], c["floor_us"]) for c in cases],
        "rmsc": [(c["rows"], c["us"]) for c in cases],
    }
    for case in cases:
        for peer, time in case["peers"].items():
            if peer in without:
                continue
            series.setdefault(peer, []).append((case["rows"], time))
    return series


def draw(report, output, without=()):
    """Writes output.png and output.svg."""
    series = series_of(report, without)
    floor = dict(series["floor"])
    differs = {name for case in report["cases"] for name in case.get("differs", ())}
    figure, (times, ratios) = plt.subplots(1, 2, figsize=(10, 4))
    for name, points in series.items():
        style = STYLES.get(name, dict(linewidth=1.2, marker=".", alpha=0.85))
        label = f"{name} (not the same work)" if name in differs else name
        rows = [r for r, _ in points]
        times.plot(rows, [t for _, t in points], label=label, **style)
        ratios.plot(rows, [t / floor[r] for r, t in points], label=label, **style)
    times.set_ylabel("time (µs)")
    ratios.set_ylabel("time / floor")
    times.set_yscale("log")
    # A peer ten times the floor must not flatten the lines near it.
    ratios.set_ylim(0.95, min(ratios.get_ylim()[1], 4))
    for axes in (times, ratios):
        axes.set_xscale("log")
        axes.set_xlabel("rows")
        axes.grid(True, which="major", alpha=0.3)
    times.legend(fontsize=8)
    figure.suptitle(
        f"{report['suite']} suite on one {report['gpu']}, {report['date']}", fontsize=11
    )
    figure.tight_layout()
    figure.savefig(output + ".png", dpi=150)
    figure.savefig(output + ".svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("report", help="JSON written by bench/peers.py")
    parser.add_argument("output", help="path of the plots, without an ending")
    parser.add_argument("--without", default="", help="peers to leave out: eager")
    arguments = parser.parse_args()
    with open(arguments.report) as file:
        report = json.load(file)
    draw(report, arguments.output, arguments.without.split(","))


if __name__ == "__main__":
    main()
