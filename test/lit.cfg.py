# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# How lit runs the tests in this directory.
#
# Tools are found on PATH: ours first, then LLVM's (FileCheck, not, count,
# split-file, mlir-opt, mlir-translate). Substitutions besides lit's own:
#
#   %gc_source   the source tree
#   %python      the Python that has numpy and onnx
#   %plugin      GCPlugin.so                    (REQUIRES: plugin)
#   %runner_libs the libraries that mlir-runner needs for programs with graphs
#                in them                        (REQUIRES: plugin, mlir-opt)
#   %shared      the folder `shared` next to the source tree, which holds
#                reference files and workloads  (REQUIRES: shared)
#
#   %programs    how many random programs a test makes: `--param programs=300`,
#                by default 30
#
# Other features: `mlir-opt` (the stock one), `chromium`, `numpy`, `onnx` (the
# Python package, where the build reads models), `torch`, `onnx-testdata` (Debian's
# package of ONNX's own tests, as %onnx_testdata), and `long`, for tests that take
# more than half a minute: they run when lit is called with `--param long=1`.
#
# No expectation may depend on the host. Every test runs with GC_MACHINE set to
# one machine: `--param machine=PRESET`, by default zen3-2. A test whose outcome
# depends on the machine names its own (`--machine=zen4-2`, or `machine=` among
# the pipeline's options); all others have to pass for every preset, which
# scripts/test.sh checks.
#
# Code that runs may only use instructions that the host has. Folders whose tests
# run code (`lit.local.cfg` there sets GC_MACHINE to config.gc_runnable_machine) see
# the preset with the instruction sets that the host lacks left out of its
# description, and its vectors as wide as those that stay allow: cores, caches
# and speeds are still the preset's. The other folders see the preset as it is,
# and may run code with `--machine=%runnable_machine`.
# A test that names a machine and runs code for it names it as
# `--machine=%runnable-PRESET`, the preset restricted in this way, or has
# `REQUIRES: runs-PRESET`, which is there if the host has all its instructions. `host-avx2` and the like
# (LLVM's names without punctuation) are the instruction sets of the host,
# whatever the machine is.

import json
import os
import re
import shutil
import subprocess

import lit.formats

config.name = "GC"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "lib", "lit.cfg.py", "lit.site.cfg.py"]
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

# A check that proves little is not enough for a test; --strict=false takes it
# back where a test wants that.
config.substitutions.append(
    (r"(?<![\w./=-])gc-runner(?![\w./-])", "gc-runner --strict")
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
    llvm_libs = os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")
    runner_libs = [
        os.path.join(llvm_libs, "libmlir_runner_utils.so"),
        os.path.join(llvm_libs, "libmlir_c_runner_utils.so"),
        os.path.join(os.path.dirname(config.gc_plugin), "libgc_runtime.so"),
    ]
    config.substitutions.append(("%runner_libs", ",".join(runner_libs)))

# How many random programs of other dialects are compared with upstream.
config.substitutions.append(("%programs", lit_config.params.get("programs", "30")))

if shutil.which("mlir-opt", path=config.llvm_tools_dir):
    config.available_features.add("mlir-opt")

if shutil.which("chromium", path=config.environment["PATH"]):
    config.available_features.add("chromium")
else:
    lit_config.note("chromium is not installed: tests of HTML pages are skipped")

has_numpy = subprocess.run(
    [config.gc_python, "-c", "import numpy"], stderr=subprocess.DEVNULL
)
if has_numpy.returncode == 0:
    config.available_features.add("numpy")
has_onnx = subprocess.run(
    [config.gc_python, "-c", "import onnx"], stderr=subprocess.DEVNULL
)
if has_onnx.returncode == 0 and config.gc_reads_onnx:
    config.available_features.add("onnx")
has_torch = subprocess.run(
    [
        config.gc_python,
        "-c",
        "import importlib.util as util; exit(util.find_spec('torch') is None)",
    ]
)
if has_torch.returncode == 0:
    config.available_features.add("torch")
testdata = "/usr/share/libonnx-testdata/data"
if os.path.isdir(testdata):
    config.available_features.add("onnx-testdata")
    config.substitutions.append(("%onnx_testdata", testdata))



def read_host_features():
    """What /proc/cpuinfo lists, by LLVM's names without punctuation."""
    aliases = {"pni": "sse3", "abm": "lzcnt", "bmi1": "bmi"}
    try:
        with open("/proc/cpuinfo") as cpuinfo:
            flags = re.findall(r"^flags\s*:(.*)$", cpuinfo.read(), re.M)
    except OSError:
        flags = []
    return {
        re.sub("[._-]", "", aliases.get(flag, flag))
        for line in flags[:1]
        for flag in line.split()
    }


def restrict(machine, host):
    """The description without instruction sets that the host lacks."""
    features = [
        name for name in machine["features"] if re.sub("[._-]", "", name) in host
    ]
    if features == machine["features"]:
        return machine
    wide = "avx512f" in features
    bits = 512 if wide else 256 if "avx" in features else 128
    return {
        **machine,
        "name": machine["name"] + "-restricted",
        "features": features,
        "vector_bits": min(machine["vector_bits"], bits),
        "vector_registers": machine["vector_registers"] if wide else 16,
    }


presets = os.path.join(config.gc_source_dir, "lib", "Machine", "presets")
machine_name = lit_config.params.get("machine", "zen3-2")
host_features = read_host_features()
config.gc_runnable_machine = None
for file in sorted(os.listdir(presets)):
    with open(os.path.join(presets, file)) as stream:
        machine = json.load(stream)
    restricted = restrict(machine, host_features)
    runnable = machine["name"]
    if restricted is machine:
        config.available_features.add("runs-" + machine["name"])
    else:
        runnable = os.path.join(
            config.test_exec_root, "Machines", restricted["name"] + ".json"
        )
        os.makedirs(os.path.dirname(runnable), exist_ok=True)
        with open(runnable, "w") as stream:
            json.dump(restricted, stream, indent=2)
    config.substitutions.append(("%runnable-" + machine["name"], runnable))
    if machine["name"] == machine_name:
        config.gc_runnable_machine = runnable
if not config.gc_runnable_machine:
    lit_config.fatal(f"--param machine={machine_name}: not one of the presets")
config.environment["GC_MACHINE"] = machine_name
config.substitutions.append(("%runnable_machine", config.gc_runnable_machine))
config.available_features.update("host-" + name for name in host_features)

if lit_config.params.get("long", "0") != "0":
    config.available_features.add("long")

# A test that hangs is a failure. lit needs psutil to end one.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 600
