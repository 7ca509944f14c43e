# How the lit tests run. `lit build/test/Dialect/RMS` runs one folder.

import os
import subprocess
import sys

import lit.formats

config.name = "rmsc"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Unit"]

# The tools of this build come first, then the LLVM release it was built with,
# then what a user has, then what scripts/setup fetched.
system_path = os.environ.get("PATH", "")
config.environment["PATH"] = os.pathsep.join(
    [
        config.rmsc_tools_dir,
        config.llvm_tools_dir,
        system_path,
        os.path.join(config.rmsc_source_root, ".tools", "bin"),
    ]
)

# lit hands a test only a few of the caller's variables. These decide which
# ptxas is found, and whether a GPU may be used.
for variable in ("RMSC_PTXAS", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "TMPDIR"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

# A tool that was not built must fail the test that calls it, and never be
# replaced by another copy of it that happens to be on PATH.
for directory, tools in (
    (
        config.rmsc_tools_dir,
        ("rms-opt", "rmsc", "rms-emulate", "rms-run", "rms-lsp-server"),
    ),
    (config.llvm_tools_dir, ("FileCheck", "not", "count", "split-file")),
):
    for tool in tools:
        path = os.path.join(directory, tool)
        if not os.path.isfile(path):
            config.substitutions.append((r"(?<![\w./-])%s(?![\w./-])" % tool, path))

config.substitutions += [
    ("%examples", os.path.join(config.rmsc_source_root, "examples")),
    ("%rmsc_src", config.rmsc_source_root),
    ("%rmsc_bin", config.rmsc_binary_root),
    ("%host_cc", config.host_cc),
    ("%host_cxx", config.host_cxx),
]


# Only a GPU may be absent. A missing ptxas or disassembler fails its tests.
gpu_count = os.path.join(config.rmsc_source_root, "scripts", "gpu-count")
if int(subprocess.check_output([sys.executable, gpu_count])) > 0:
    config.available_features.add("gpu")
