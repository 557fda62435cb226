# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The systems that the benchmark runs, each as a separate command.

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

import workloads

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


def available_bytes():
    """Memory that is free for a new process, 0 if the system does not say."""
    try:
        with open("/proc/meminfo", encoding="utf-8") as file:
            return next(int(line.split()[1]) << 10 for line in file
                        if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return 0


def warmup_runs(options, graph):
    """Fewer warm-up runs where one takes longer than the time to measure; the
    guess is 25 GFLOP/s a thread."""
    seconds = workloads.flops(graph) / (25e9 * options.threads)
    wanted = round(options.min_time / seconds) if seconds else options.warmup
    return min(options.warmup, max(1, wanted))


class Peer:
    """A system under measurement. `options` are the parsed ones of bench.py."""

    name = ""
    title = ""

    def __init__(self, options):
        self.options = options
        self.directory = os.path.join(options.build_dir, "bench")

    def prepare(self):
        """Installs and builds what is missing. Raises SetupError."""

    def applies(self, graph):
        """Whether a comparison on this graph makes sense at all."""
        return True

    def refuses(self, graph):
        """Why this system cannot run the graph here, or None."""
        need, free = self.memory_need(graph), available_bytes()
        if need and free and need > 0.85 * free:
            return (f"needs about {need / 2**30:.1f} GiB of memory, "
                    f"{free / 2**30:.1f} GiB are free")
        return None

    def memory_need(self, graph):
        """Approximate bytes that a run takes; 0 where that does not matter."""
        return 0

    def environment(self):
        """The same thread settings and huge pages for all."""
        return dict(os.environ, OMP_NUM_THREADS=str(self.options.threads),
                    OMP_PROC_BIND="true",
                    GLIBC_TUNABLES="glibc.malloc.hugetlb=1")

    def command(self, path, warmup, min_time):
        raise NotImplementedError

    def measure(self, path, graph):
        """Runs the driver on a file for one round; returns its report."""
        reason = self.refuses(graph)
        if reason:
            return {"status": "not run", "error": reason}
        command = self.command(path, warmup_runs(self.options, graph),
                               self.options.min_time)
        return run_driver(command, self.environment())

    def compute(self, path, graph):
        """(report, the first result as a flat numpy array or None)."""
        import numpy as np
        import oracle
        reason = self.refuses(graph)
        if reason:
            return {"status": "not run", "error": reason}, None
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

    def runner_options(self):
        return self.options.gc_option

    def command(self, path, warmup, min_time):
        return [self.options.gc_runner, path, "--bench", "--json=-",
                f"--threads={self.options.threads}", f"--warmup={warmup}",
                f"--min-time={min_time}", *self.runner_options()]

    def compute(self, path, graph):
        import numpy as np
        import oracle
        with tempfile.TemporaryDirectory() as scratch:
            command = [self.options.gc_runner, path, "--bench", "--json=-",
                       f"--threads={self.options.threads}", "--warmup=0",
                       "--min-time=0", f"--output-dir={scratch}/out",
                       *self.runner_options()]
            os.mkdir(os.path.join(scratch, "out"))
            for tid, tensor in workloads.input_tensors(graph).items():
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


class CompiledPeer(Peer):
    """A peer with a driver in C++, in the folder that `folder` names."""

    folder = ""

    def __init__(self, options):
        super().__init__(options)
        self.binary = os.path.join(self.directory, f"{self.folder}-bench")

    def sources(self):
        return sorted(glob.glob(os.path.join(HERE, self.folder, "*")))

    def compiler(self):
        for name in (os.environ.get("CXX"), "g++", "g++-12", "clang++-22",
                     "clang++"):
            if name and shutil.which(name):
                return name
        apt_install(["g++"], "no C++ compiler found", self.options.install)
        return "g++"

    def is_built(self):
        return os.path.exists(self.binary) and all(
            os.path.getmtime(s) < os.path.getmtime(self.binary)
            for s in self.sources())

    def require(self, compiler, headers):
        """Installs the packages of the headers that are not there."""
        missing = [package for header, package in headers.items()
                   if subprocess.run(
                       [compiler, "-std=c++17", "-fsyntax-only", "-x", "c++",
                        "-include", header, os.devnull],
                       capture_output=True, check=False).returncode]
        if missing:
            apt_install(missing, f"the {self.title} driver needs their headers",
                        self.options.install)

    def build(self, compiler, flags, libraries):
        print(f"bench: building the {self.title} driver", flush=True)
        os.makedirs(self.directory, exist_ok=True)
        run_quietly([compiler, "-std=c++17", *flags,
                     *[s for s in self.sources() if s.endswith(".cpp")],
                     *libraries, "-o", self.binary])


class OneDnn(CompiledPeer):
    """Debian's oneDNN primitives, through bench/onednn."""

    name = "onednn"
    title = "oneDNN"

    folder = "onednn"

    def memory_need(self, graph):
        # The scores of attention exist once, since softmax is in place.
        return workloads.input_bytes(graph) + 2 * workloads.largest_result(graph)

    def prepare(self):
        if self.is_built():
            return
        compiler = self.compiler()
        self.require(compiler, {"oneapi/dnnl/dnnl.hpp": "libdnnl-dev",
                                "nlohmann/json.hpp": "nlohmann-json3-dev"})
        # -O2: the driver only calls the library.
        self.build(compiler, ["-O2", "-fopenmp"], ["-ldnnl"])

    def command(self, path, warmup, min_time):
        return [self.binary, path, f"--threads={self.options.threads}",
                f"--warmup={warmup}", f"--min-time={min_time}"]


def moves_data(graph):
    """Whether memory may limit the graph: at most four operations for each byte
    that it reads: one row times weights of 4 bits."""
    return workloads.flops(graph) <= 4 * workloads.compulsory_bytes(graph)[0]


def writes_much(graph):
    read, written = workloads.compulsory_bytes(graph)
    return written * 32 > read


class Read(CompiledPeer):
    """Not a system but a bound: the time to read the graph's inputs once, where
    memory may be the limit and the results are small."""

    name = "read"
    title = "memory read"
    folder = "read"

    def applies(self, graph):
        return moves_data(graph) and not writes_much(graph)

    def memory_need(self, graph):
        return sum(workloads.compulsory_bytes(graph))

    def sources(self):
        return super().sources() + [os.path.join(HERE, "onednn", "Runs.h")]

    def prepare(self):
        if not self.is_built():
            self.build(self.compiler(), ["-O3", "-march=native", "-fopenmp"], [])

    def measure(self, path, graph):
        self.bytes = workloads.compulsory_bytes(graph)
        return super().measure(path, graph)

    def command(self, path, warmup, min_time):
        options = self.options
        return [self.binary, f"--bytes={self.bytes[0]}",
                f"--threads={options.threads}", f"--warmup={warmup}",
                f"--min-time={min_time / 4}"]  # Times four patterns.

    def compute(self, path, graph):
        return {"status": "not run", "error": "computes nothing"}, None


class Copy(Read):
    """The bound where results are large: reading the inputs once and writing as
    many bytes as the results have."""

    name = "copy"
    title = "memory copy"

    def applies(self, graph):
        return moves_data(graph) and writes_much(graph)

    def command(self, path, warmup, min_time):
        return super().command(path, warmup, 2 * min_time) + [
            f"--write={self.bytes[1]}"]


class Api(CompiledPeer):
    """The product through its Graph API, as programs of oneDNN use it."""

    name = "api"
    title = "GC, Graph API"

    folder = "api"

    ROOT = os.path.dirname(HERE)

    def library(self):
        return os.path.join(self.options.build_dir, "lib",
                            "libgc_dnnl_graph.so")

    def sources(self):
        return super().sources() + [
            os.path.join(HERE, "onednn", name)
            for name in ("Driver.h", "Graph.cpp", "Graph.h", "Runs.h")]

    def memory_need(self, graph):
        return workloads.input_bytes(graph)

    def prepare(self):
        if not os.path.exists(self.library()):
            raise SetupError(f"{self.library()} does not exist: "
                             "build gc_dnnl_graph")
        if self.is_built():
            return
        compiler = self.compiler()
        self.require(compiler, {"nlohmann/json.hpp": "nlohmann-json3-dev"})
        include = os.path.join(self.ROOT, "include", "dnnl")
        kinds = os.path.join(self.ROOT, "unittests", "CAPI", "DnnlGraph")
        folder = os.path.dirname(self.library())
        # Without -fopenmp: the library brings its own OpenMP.
        self.build(compiler, ["-O2", f"-I{include}", f"-I{kinds}"],
                   [f"-L{folder}", "-lgc_dnnl_graph", f"-Wl,-rpath,{folder}"])

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

    def memory_need(self, graph):
        # Feeds, their transposed copies and two scores, all with the arena's
        # rounding up.
        return int(2.5 * (workloads.input_bytes(graph) +
                          workloads.largest_result(graph)))

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
        # The package contains its CPU library; its script would fetch GPU ones.
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


def add_pipeline_option(runner_options, option):
    """gc-runner's options with one more for the compiler's pipeline."""
    flag = "--pipeline-options="
    for i, word in enumerate(runner_options):
        if word.startswith(flag):
            return [*runner_options[:i], f"{word} {option}",
                    *runner_options[i + 1:]]
    return [*runner_options, flag + option]


class Ablated(Gc):
    """The product without one of its parts."""

    part = ""

    def runner_options(self):
        return add_pipeline_option(super().runner_options(),
                                   f"{self.part}=false")


def ablated(part):
    words = part.replace("-", " ")
    return type(f"No{words.title().replace(' ', '')}", (Ablated,),
                {"name": f"no-{part}", "part": part, "title": f"no {words}"})


ABLATIONS = [ablated(part) for part in ("coarse-grain", "fine-grain",
                                        "propagate-layout", "buffer-reuse")]
PEERS = {peer.name: peer for peer in (Gc, Api, OneDnn, Ort, Read, Copy,
                                     *ABLATIONS)}
