"""Runs the examples of a Passes.td: doc-examples.py FILE PASS...

In the description of each pass the first `mlir` block is what the pass is given
and the second is what it has to leave, up to the names of values.
"""

import re
import subprocess
import sys
import textwrap


def read_examples(path):
    """Returns {pass argument: [its mlir blocks]}."""
    with open(path) as file:
        text = file.read()
    # Each piece is the pass's argument and all that follows up to the next one.
    pieces = re.split(r"^def \w+\s*:\s*Pass<\s*\"([\w-]+)\"", text, flags=re.M)
    return {
        name: [
            textwrap.dedent(block)
            for block in re.findall(r"```mlir\n(.*?)```", body, re.S)
        ]
        for name, body in zip(pieces[1::2], pieces[2::2])
    }


def run(text, *options):
    result = subprocess.run(
        ["rms-opt", *options], input=text, capture_output=True, text=True
    )
    if result.returncode:
        sys.exit(f"rms-opt {' '.join(options)} failed:\n{result.stderr}\non\n{text}")
    return result.stdout


def main():
    path, *names = sys.argv[1:]
    examples = read_examples(path)
    for name in names:
        blocks = examples.get(name, [])
        if len(blocks) < 2:
            sys.exit(f"{path}: pass {name} has no example of before and after")
        actual, expected = run(blocks[0], f"--{name}"), run(blocks[1])
        if actual != expected:
            sys.exit(
                f"{path}: the example of {name} is out of date; it leaves\n{actual}\n"
                f"and the description says\n{expected}"
            )
        print(f"{name}: example holds")


if __name__ == "__main__":
    main()
