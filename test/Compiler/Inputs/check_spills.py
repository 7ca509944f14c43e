"""Checks that no launch of a package's kernels uses local memory, and that the rules
chose their schedules."""

import json
import sys
import zipfile


def problems(kernel):
    for variant in kernel["variants"]:
        # What a tuning table says is its own affair.
        if variant["name"].startswith("tuned"):
            yield f"{kernel['name']}: {variant['name']} is not of the rules"
        for launch in variant["launches"]:
            if launch["spill_bytes"] or launch["local_bytes"]:
                yield (
                    f"{launch['entry']} ({variant['chip']}): {launch['registers']} "
                    f"registers, {launch['spill_bytes']} bytes spilled, "
                    f"{launch['local_bytes']} bytes of local memory with "
                    f"{variant['schedule']}"
                )


with zipfile.ZipFile(sys.argv[1]) as package:
    kernels = json.loads(package.read("manifest.json"))["kernels"]
found = [problem for kernel in kernels for problem in problems(kernel)]
chips = {variant["chip"] for kernel in kernels for variant in kernel["variants"]}
if found:
    sys.exit("\n".join(found))
print(f"{len(kernels)} kernels for {', '.join(sorted(chips))}: no spills")
