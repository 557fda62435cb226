# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The systems that the benchmark runs, each as a command of its own.

A peer is prepared once (installed and built where missing, saying what) and
then measured by running its driver, which prints one JSON report. Nothing here
raises for a driver that fails: the failure becomes the report.
"""

import glob
import json
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ORT_VERSION = "1.30.0"
TIMEOUT_S = 900


class SetupError(Exception):
    """A peer cannot be installed or built; the message says why."""


def run_quietly(command, **kwargs):
    """Runs a set-up command; SetupError with the end of its output if it fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False, **kwargs)
    except OSError as error:
        raise SetupError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        tail = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise SetupError(f"{' '.join(command)} failed:\n{tail}")


def apt_install(packages, reason, allowed):
    """Installs Debian packages, saying which and why."""
    if not allowed:
        raise SetupError(f"{reason}: install {' '.join(packages)}")
    print(f"bench: installing {' '.join(packages)} with apt ({reason})",
          flush=True)
    prefix = [] if os.geteuid() == 0 else ["sudo"]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    run_quietly(prefix + ["apt-get", "update", "-qq"], env=environment)
    run_quietly(prefix + ["apt-get", "install", "-y", "-qq", *packages],
                env=environment)


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else ""


def run_driver(command, environment, timeout=TIMEOUT_S):
    """Runs a driver and returns its report with `status` and, if that is not
    "ok", `error`."""
    try:
        done = subprocess.run(command, env=environment, capture_output=True,
                              text=True, timeout=timeout, check=False)
    except FileNotFoundError:
        return {"status": "error", "error": f"{command[0]} does not exist"}
    except OSError as error:
        return {"status": "error", "error": f"{command[0]}: {error.strerror}"}
    except subprocess.TimeoutExpired:
        return {"status": "error", "error": f"no result after {timeout} s"}
    try:
        report = json.loads(done.stdout)
        if not isinstance(report, dict):
            raise ValueError
    except ValueError:
        report = None
    if report and report.get("status") not in (None, "ok"):
        report.setdefault("error", last_line(done.stderr))
        return report
    if done.returncode:
        reason = last_line(done.stderr) or "no message"
        return {"status": "error",
                "error": f"exit code {done.returncode}: {reason}"}
    try:
        if not float(report["run_ms"]["min"]) > 0:
            raise ValueError
        float(report["run_ms"]["median"])
    except (KeyError, TypeError, ValueError):
        return {"status": "error", "error": "the report has no usable run_ms"}
    report["status"] = "ok"
    return report


class Peer:
    """A system under measurement. `options` are the parsed ones of bench.py."""

    name = ""
    title = ""

    def __init__(self, options):
        self.options = options
        self.directory = os.path.join(options.build_dir, "bench")

    def prepare(self):
        """Installs and builds what is missing. Raises SetupError."""

    def environment(self):
        """The same thread settings for all."""
        return dict(os.environ, OMP_NUM_THREADS=str(self.options.threads),
                    OMP_PROC_BIND="true")

    def command(self, path, warmup, min_time):
        raise NotImplementedError

    def measure(self, path):
        """Runs the driver on a file for one round; returns its report."""
        options = self.options
        return run_driver(self.command(path, options.warmup, options.min_time),
                          self.environment())

    def compute(self, path, graph):
        """(report, the first result as a flat numpy array or None)."""
        import numpy as np
        import oracle
        with tempfile.TemporaryDirectory() as scratch:
            output = os.path.join(scratch, "output.bin")
            command = self.command(path, 0, 0) + [f"--output={output}"]
            report = run_driver(command, self.environment())
            if report["status"] != "ok":
                return report, None
            dtype = oracle.TYPES[oracle.graph_output(graph)["dtype"]]
            return report, np.fromfile(output, dtype)


class Gc(Peer):
    """The product, through gc-runner."""

    name = "gc"
    title = "GC"

    def command(self, path, warmup, min_time):
        return [self.options.gc_runner, path, "--bench", "--json=-",
                f"--threads={self.options.threads}", f"--warmup={warmup}",
                f"--min-time={min_time}", *self.options.gc_option]

    def compute(self, path, graph):
        import numpy as np
        import oracle
        with tempfile.TemporaryDirectory() as scratch:
            command = [self.options.gc_runner, path, "--bench", "--json=-",
                       f"--threads={self.options.threads}", "--warmup=0",
                       "--min-time=0", f"--output-dir={scratch}/out",
                       *self.options.gc_option]
            os.mkdir(os.path.join(scratch, "out"))
            for tid, tensor in oracle.graph_inputs(graph).items():
                file = os.path.join(scratch, f"{tid}.npy")
                np.save(file, oracle.input_array(tensor))
                command.append(f"--input={tid}={file}")
            report = run_driver(command, self.environment())
            if report["status"] != "ok":
                return report, None
            results = glob.glob(os.path.join(scratch, "out", "*.npy"))
            if len(results) != 1:
                return {"status": "error", "error":
                        f"{len(results)} result files instead of one"}, None
            return report, np.load(results[0]).reshape(-1)


class OneDnn(Peer):
    """Debian's oneDNN primitives, through bench/onednn."""

    name = "onednn"
    title = "oneDNN"

    def __init__(self, options):
        super().__init__(options)
        self.binary = os.path.join(self.directory, "onednn-bench")

    def compiler(self):
        for name in (os.environ.get("CXX"), "g++", "g++-12", "clang++-22",
                     "clang++"):
            if name and shutil.which(name):
                return name
        apt_install(["g++"], "no C++ compiler found", self.options.install)
        return "g++"

    def prepare(self):
        sources = sorted(glob.glob(os.path.join(HERE, "onednn", "*")))
        if os.path.exists(self.binary) and all(
                os.path.getmtime(s) < os.path.getmtime(self.binary)
                for s in sources):
            return
        compiler = self.compiler()
        needed = {"oneapi/dnnl/dnnl.hpp": "libdnnl-dev",
                  "nlohmann/json.hpp": "nlohmann-json3-dev"}
        missing = [package for header, package in needed.items()
                   if subprocess.run(
                       [compiler, "-std=c++17", "-fsyntax-only", "-x", "c++",
                        "-include", header, os.devnull],
                       capture_output=True, check=False).returncode]
        if missing:
            apt_install(missing, "the oneDNN driver needs their headers",
                        self.options.install)
        print("bench: building the oneDNN driver", flush=True)
        os.makedirs(self.directory, exist_ok=True)
        # -O2: the driver only calls the library.
        run_quietly([compiler, "-std=c++17", "-O2", "-fopenmp",
                     *[s for s in sources if s.endswith(".cpp")],
                     "-ldnnl", "-o", self.binary])

    def command(self, path, warmup, min_time):
        return [self.binary, path, f"--threads={self.options.threads}",
                f"--warmup={warmup}", f"--min-time={min_time}"]


class Ort(Peer):
    """ONNX Runtime's CPU provider, through bench/ort and Node."""

    name = "ort"
    title = "ONNX Runtime"

    def __init__(self, options):
        super().__init__(options)
        self.prefix = os.path.join(self.directory, "npm")

    def prepare(self):
        module = os.path.join(self.prefix, "node_modules", "onnxruntime-node",
                              "package.json")
        try:
            with open(module, encoding="utf-8") as file:
                installed = json.load(file)["version"] == ORT_VERSION
        except (OSError, ValueError, KeyError):
            installed = False
        tools = {"node": "nodejs"} if installed else {"node": "nodejs",
                                                      "npm": "npm"}
        missing = [p for tool, p in tools.items() if not shutil.which(tool)]
        if missing:
            apt_install(missing, "ONNX Runtime runs in Node",
                        self.options.install)
        if installed:
            return
        package = f"onnxruntime-node@{ORT_VERSION}"
        if not self.options.install:
            raise SetupError(f"npm package {package} is not in {self.prefix}")
        print(f"bench: installing {package} with npm into the build directory",
              flush=True)
        os.makedirs(self.prefix, exist_ok=True)
        # The package brings its CPU library; its script would fetch GPU ones.
        run_quietly(["npm", "install", "--ignore-scripts", "--no-fund",
                     "--no-audit", "--no-save", "--prefix", self.prefix,
                     package])

    def environment(self):
        return dict(super().environment(),
                    NODE_PATH=os.path.join(self.prefix, "node_modules"))

    def command(self, path, warmup, min_time):
        return ["node", os.path.join(HERE, "ort", "ort-bench.js"), path,
                f"--threads={self.options.threads}", f"--warmup={warmup}",
                f"--min-time={min_time}"]


PEERS = {peer.name: peer for peer in (Gc, OneDnn, Ort)}
