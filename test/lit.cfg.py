# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# How lit runs the tests in this directory.
#
# Tools are found on PATH: ours first, then LLVM's (FileCheck, not, count,
# split-file, mlir-opt, mlir-translate). Substitutions beside lit's own:
#
#   %gc_source   the source tree
#   %python      the Python that has numpy and onnx
#   %plugin      GCPlugin.so                    (REQUIRES: plugin)
#   %shared      the folder `shared` beside the source tree, which holds
#                reference files and workloads  (REQUIRES: shared)
#
# Other features: `mlir-opt` (the stock one), `avx2`, `avx512f`, `numpy`, and
# `long`, for tests that take more than half a minute: they run when lit is
# called with `--param long=1`.

import os
import shutil
import subprocess

import lit.formats

config.name = "GC"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.join(config.gc_source_dir, "test")
config.test_exec_root = os.path.join(config.gc_build_dir, "test")

config.environment["PATH"] = os.path.pathsep.join(
    (config.gc_tools_dir, config.llvm_tools_dir, os.environ["PATH"])
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
# A user's OpenMP settings must not decide what a test sees.
for name in list(config.environment):
    if name.startswith(("OMP_", "KMP_", "GOMP_")):
        del config.environment[name]

# A check that proves little does not do for a test; --strict=false takes it
# back where a test wants that.
config.substitutions.append(
    (r"(?<![\w./-])gc-runner(?![\w./-])", "gc-runner --strict")
)

config.substitutions += [
    ("%gc_source", config.gc_source_dir),
    ("%python", config.gc_python),
]

shared = os.path.join(os.path.dirname(config.gc_source_dir), "shared")
if os.path.isdir(os.path.join(shared, "workloads")):
    config.available_features.add("shared")
    config.substitutions.append(("%shared", shared))

if config.gc_plugin:
    config.available_features.add("plugin")
    config.substitutions.append(("%plugin", config.gc_plugin))

if shutil.which("mlir-opt", path=config.llvm_tools_dir):
    config.available_features.add("mlir-opt")

has_numpy = subprocess.run(
    [config.gc_python, "-c", "import numpy"], stderr=subprocess.DEVNULL
)
if has_numpy.returncode == 0:
    config.available_features.add("numpy")

if os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as cpuinfo:
        flags = {
            flag
            for line in cpuinfo
            if line.startswith("flags")
            for flag in line.split()
        }
    config.available_features.update(flags & {"avx2", "avx512f"})

if lit_config.params.get("long", "0") != "0":
    config.available_features.add("long")

# A test that hangs is a failure. lit needs psutil to end one.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 600
