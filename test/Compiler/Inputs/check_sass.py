#!/usr/bin/env python3
"""Checks the machine code of packages against what their manifests promise.

For every cubin, as cuobjdump shows it: no local memory, so no spill; global
accesses of the width that the schedule says, and none wider; packed f32
arithmetic where the chip has it; registers, threads and shared memory that let
an SM hold as many CTAs as the schedule counts on.
"""

import json
import re
import subprocess
import sys
import tempfile
import zipfile

ELEMENT_BYTES = {"bf16": 2, "f16": 2, "f32": 4}
# Of one SM: registers, threads, bytes of shared memory.
SM = {"9": (65536, 2048, 228 << 10), "10": (65536, 2048, 228 << 10),
      "12": (65536, 1536, 100 << 10)}
ACCESS = re.compile(r"\b(LDG|STG|LDL|STL)((?:\.[A-Z0-9_a-z]+)*)")
PACKED = re.compile(r"\b(?:FADD2|FMUL2|FFMA2)\b")


def width(suffixes):
    """Bytes of an access, from the suffixes of its mnemonic."""
    for suffix in suffixes.split("."):
        if suffix in ("256", "128", "64"):
            return int(suffix) // 8
        if suffix in ("U8", "S8"):
            return 1
        if suffix in ("U16", "S16"):
            return 2
    return 4


def disassemble(code):
    """Machine code by entry point."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        text = subprocess.run(
            ["cuobjdump", "-sass", file.name],
            check=True, stdout=subprocess.PIPE, text=True,
        ).stdout
    parts = re.split(r"Function : (\S+)", text)
    return dict(zip(parts[1::2], parts[2::2]))


def faults_of(kernel, variant, code):
    schedule = dict(re.findall(r"(\w+) = (\w+)", variant["schedule"]))
    access, elements = int(schedule["access_bytes"]), int(schedule["elements"])
    chip = variant["chip"]
    functions = disassemble(code)
    for launch in variant["launches"]:
        for field in ("spill_bytes", "local_bytes"):
            if launch[field]:
                yield f"{launch['entry']}: {field} is {launch[field]}"
        if launch["entry"] not in functions:
            yield f"{launch['entry']}: not in the code"
            continue
        for name, _ in ACCESS.findall(functions[launch["entry"]]):
            if name in ("LDL", "STL"):
                yield f"{launch['entry']}: local memory ({name})"
                break

    first = variant["launches"][0]
    body = functions.get(first["entry"], "")
    widths = {"LDG": set(), "STG": set()}
    for name, suffixes in ACCESS.findall(body):
        widths.setdefault(name, set()).add(width(suffixes))
    wanted = {"LDG": set(), "STG": set()}
    others = {"LDG": set(), "STG": set()}
    for parameter in kernel["parameters"]:
        size = ELEMENT_BYTES[parameter["dtype"]]
        name = "LDG" if parameter["direction"] == "input" else "STG"
        if not parameter["used"]:
            continue
        if parameter["kind"] == "scalars":
            others[name].add(size)
        elif name == "LDG" or parameter["kind"] == "rows":
            wanted[name].add(max(size, min(access, elements * size)))
    for name, expected in wanted.items():
        for missing in expected - widths[name]:
            yield f"no {name} of {missing} bytes; there are {widths[name]}"
        # Partial sums are f32, whatever the streams are.
        sums = schedule.get("column_sum", "none") != "none"
        partials = max(4, min(access, elements * 4, 16)) if sums else 0
        limit = max(expected | others[name] | {partials})
        for wide in (w for w in widths[name] if w > limit):
            yield f"{name} of {wide} bytes, wider than the {limit} scheduled"
        # Column sums have accesses of their own: partials, or columns.
        if not sums:
            for extra in widths[name] - expected - others[name]:
                yield f"{name} of {extra} bytes that no stream needs"

    if chip.startswith("sm_10") and elements > 1 and not PACKED.search(body):
        yield "no packed f32 arithmetic"

    ctas = int(schedule.get("ctas_per_sm", 0))
    registers, threads, shared = SM[re.match(r"sm_(\d+)\d", chip).group(1)]
    if ctas * -(-first["registers"] // 8) * 8 * first["block"] > registers:
        yield f"{first['registers']} registers, too many for {ctas} CTAs an SM"
    if ctas * first["block"] > threads:
        yield f"{first['block']} threads, too many for {ctas} CTAs an SM"
    bytes_used = first["shared_static_bytes"] + first["shared_dynamic_bytes"]
    # The system keeps 1 KB for each CTA.
    if ctas * (bytes_used + 1024) > shared:
        yield f"{bytes_used} bytes shared, too many for {ctas} CTAs an SM"


def main():
    count = failed = 0
    for path in sys.argv[1:]:
        with zipfile.ZipFile(path) as package:
            manifest = json.loads(package.read("manifest.json"))
            for kernel in manifest["kernels"]:
                for variant in kernel["variants"]:
                    count += 1
                    code = package.read(variant["image"]["file"])
                    for fault in faults_of(kernel, variant, code):
                        failed += 1
                        print(f"{variant['image']['file']}: {fault}")
    print(f"{count} cubins, {failed} faults")
    return failed != 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
