"""Prints the programs of scripts/awkward-grid, one module a part.

usage: grid_programs.py scripts/awkward-grid
"""

import importlib.machinery
import importlib.util
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("grid", sys.argv[1])
grid = importlib.util.module_from_spec(importlib.util.spec_from_loader("grid", loader))
loader.exec_module(grid)
print("\n// -----\n".join("\n".join(part.programs()) for part in grid.PARTS))
