#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures whole models on GC and on ONNX Runtime, in one run.

Exports the networks of bench/models, quantizes them, and runs the same file on
both systems alternately, each in a process of its own. Writes a Markdown table,
a JSON file, and a page of `gc-runner --explain` for each model. Exit codes: 0 all
measured and in agreement, 1 a system failed or the results differ (the table says
which), 2 usage or set-up.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import bench  # noqa: E402
import peers  # noqa: E402

FORMS = ("f32", "dynamic", "static")
# How far the largest difference may be from the largest result. Quantized
# activations may be rounded to neighbouring integers, layer by layer: with random
# weights, ResNet-50 and MobileNet-V2 change by a tenth if only the order of sums does.
BOUNDS = {
    "small": {"f32": 1e-4, "dynamic": 0.05, "static": 0.05},
    "full": {"f32": 1e-4, "dynamic": 0.15, "static": 0.15},
}
PYTHON = "/usr/bin/python3"


def parse_options(arguments):
    root = HERE.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME",
        help="networks of bench/models/networks.py (default: all)")
    add("--forms", default="f32,dynamic,static", metavar="LIST",
        help="f32, dynamic and static quantization (default: all)")
    add("--scale", choices=("small", "full"), default="full",
        help="published sizes, or those of tests")
    add("--rounds", type=int, default=3, metavar="N",
        help="rounds of each system (default 3)")
    add("--min-time", type=float, default=1, metavar="S",
        help="timed seconds per system and round (default 1)")
    add("--warmup", type=int, default=2, metavar="N", help="default 2")
    add("--threads", type=int, default=2, metavar="N", help="default 2")
    add("--weight-bits", type=int, choices=(7, 8),
        help="of quantized weights (default: 8 with VNNI, else 7)")
    add("--build-dir", type=pathlib.Path, default=root / "build", metavar="DIR",
        help="models go to its bench/models, results to its bench/results")
    add("--gc-runner", metavar="FILE", help="default BUILD/bin/gc-runner")
    add("--gc-option", action="append", default=[], metavar="OPTION",
        help="passed on to gc-runner; may be repeated")
    add("--name", help="of the results (default: date and time)")
    add("--out-dir", type=pathlib.Path, metavar="DIR",
        help="default BUILD/bench/results")
    add("--no-install", dest="install", action="store_false",
        help="fail instead of installing ONNX Runtime")
    options = parser.parse_args(arguments)
    options.build_dir = options.build_dir.resolve()
    options.gc_runner = options.gc_runner or str(
        options.build_dir / "bin" / "gc-runner")
    options.out_dir = options.out_dir or options.build_dir / "bench" / "results"
    options.name = options.name or datetime.datetime.now().strftime(
        "models-%Y-%m-%d-%H%M%S")
    options.weight_bits = options.weight_bits or (8 if has_vnni() else 7)
    options.forms = options.forms.split(",")
    known = list_networks()
    for given, there in ((options.names, known), (options.forms, FORMS)):
        unknown = [name for name in given if name not in there]
        if unknown:
            parser.error(f"there is no {unknown[0]}; there are {', '.join(there)}")
    options.names = options.names or known
    return options


def has_vnni():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return "vnni" in text


def run_script(name, *arguments):
    """Runs a script of bench/models and returns what it prints; SetupError with
    its last line if it fails."""
    command = [PYTHON, str(HERE / "models" / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise peers.SetupError(f"{name}: {peers.last_line(done.stderr)}")
    return done.stdout


def list_networks():
    return run_script("export.py", "--list").split()


def prepare_model(options, ort, name, form):
    """The file of a model, which is exported and quantized if it is missing.
    Scripts do that in processes of their own, whose memory is returned."""
    folder = options.build_dir / "bench" / "models" / options.scale / name
    exported = folder / "model.onnx"
    if not exported.exists():
        run_script("export.py", name, "--out", folder.parent,
                   "--scale", options.scale)
    if form == "f32":
        return exported
    file = folder / f"{form}-{options.weight_bits}.onnx"
    if not file.exists():
        extra = []
        if form == "static":
            extra = ["--inputs", folder / "inputs", "--run", ort.run_command()]
        run_script("quantize.py", form, exported, "--output", file,
                   "--weight-bits", options.weight_bits, *extra)
    return file


class System:
    """What runs a model: its command and the environment of the benchmark."""

    def __init__(self, options, title, command, environment):
        self.options, self.title = options, title
        self.driver, self.environment = command, environment

    def run_command(self):
        return " ".join(["env", f"NODE_PATH={self.environment['NODE_PATH']}",
                         *self.driver])

    def measure(self, model, results):
        """Runs a model for one round; returns its report with max_rss_kb, the
        peak of the process with all that it maps, and leaves results in a
        folder."""
        options = self.options
        inputs = sorted((model.parent / "inputs").glob("*.npy"))
        command = [
            *self.driver, str(model), "--bench", f"--threads={options.threads}",
            f"--warmup={options.warmup}", f"--min-time={options.min_time}",
            f"--output-dir={results}",
            *[f"--input={file.stem}={file}" for file in inputs]]
        return run_measured(command, self.environment)


def run_measured(command, environment):
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile(
            "w+") as err:
        # wait4, which Popen does not offer, tells the memory of this child only.
        child = subprocess.Popen(command, env=environment, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        try:
            report = json.loads(out.read())
            report["run_ms"]["median"]
        except (ValueError, KeyError, TypeError):
            reason = peers.last_line(err.read()) or f"exit {child.returncode}"
            return {"status": "error", "error": reason}
    report["max_rss_kb"] = usage.ru_maxrss
    return dict(report, status="ok")


def make_systems(options):
    ort = peers.Ort(argparse.Namespace(
        build_dir=str(options.build_dir), threads=options.threads,
        install=options.install))
    ort.prepare()
    shared = ort.environment()
    gc = [options.gc_runner, "--json=-", *options.gc_option]
    node = ["node", str(HERE / "ort" / "run-model.js")]
    return {"gc": System(options, "GC", gc, shared),
            "ort": System(options, "ONNX Runtime", node, shared)}


def compare(model, folders):
    """The largest difference of results, over the largest of each, and the
    largest from what PyTorch computed in f32."""
    import numpy
    count = len(list((model.parent / "outputs").glob("*.npy")))

    def read(folder, prefix=""):
        return [numpy.load(folder / f"{prefix}{i}.npy") for i in range(count)]

    def distance(left, right):
        return max(float(numpy.abs(a - b).max() / numpy.abs(a).max())
                   for a, b in zip(left, right))

    gc, ort = read(folders["gc"], "result"), read(folders["ort"])
    return distance(ort, gc), distance(read(model.parent / "outputs"), gc)


def measure_model(options, systems, model):
    """The row of a model: what each system took, and whether they agree."""
    rounds = {name: [] for name in systems}
    row = {"bytes": sum(file.stat().st_size
                        for file in model.parent.glob(f"{model.name}*"))}
    with tempfile.TemporaryDirectory() as scratch:
        folders = {name: pathlib.Path(scratch) / name for name in systems}
        for folder in folders.values():
            folder.mkdir()
        for turn in range(options.rounds):
            order = sorted(systems, reverse=bool(turn % 2))
            for name in order:
                rounds[name].append(
                    systems[name].measure(model, folders[name]))
        row["systems"] = {name: summarize(rounds[name]) for name in systems}
        if all(s["status"] == "ok" for s in row["systems"].values()):
            # A process that is started counts the peak of this one as its own
            # (Linux), so that nothing large may be read here.
            with concurrent.futures.ProcessPoolExecutor(max_workers=1) as pool:
                row["difference"], row["from_torch"] = pool.submit(
                    compare, model, folders).result()
    return row


def summarize(reports):
    for report in reports:
        if report["status"] != "ok":
            return {"status": "error", "error": report["error"]}
    setup = [r["setup_ms"] if "setup_ms" in r else
             r["compile_ms"] + (r.get("fold_ms") or 0) for r in reports]
    return {
        "status": "ok",
        "best_ms": min(r["run_ms"]["min"] for r in reports),
        "median_ms": statistics.median(r["run_ms"]["median"] for r in reports),
        "setup_ms": statistics.median(setup),
        "max_rss_kb": max(r["max_rss_kb"] for r in reports),
    }


def explain(options, systems, model, page):
    """Writes the page of `--explain`; returns whether there is one."""
    command = [*systems["gc"].driver, str(model), f"--explain={page}",
               f"--threads={options.threads}"]
    done = subprocess.run(command, env=systems["gc"].environment,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False)
    return done.returncode == 0


COLUMNS = ("model", "form", "GC ms", "ORT ms", "ratio", "GC setup ms",
           "ORT setup ms", "GC MiB", "ORT MiB", "file MiB", "difference")


def make_cells(row):
    """A row's cells: times are medians of rounds, the ratio is ORT's over GC's."""
    gc, ort = row["systems"]["gc"], row["systems"]["ort"]
    for title, system in (("GC", gc), ("ONNX Runtime", ort)):
        if system["status"] != "ok":
            # All of a long error is in the JSON file.
            return [row["model"], row["form"], f"{title}: {system['error'][:100]}"]
    mib = [f"{kb / 1024:.0f}" for kb in
           (gc["max_rss_kb"], ort["max_rss_kb"], row["bytes"] / 1024)]
    return [row["model"], row["form"], f"{gc['median_ms']:.2f}",
            f"{ort['median_ms']:.2f}", f"{ort['median_ms'] / gc['median_ms']:.2f}",
            f"{gc['setup_ms']:.0f}", f"{ort['setup_ms']:.0f}", *mib,
            f"{row['difference']:.1e}"]


def markdown(result):
    lines = [f"# {result['name']}", "",
             f"{result['host']['cpu']} ({result['host']['detail']}), "
             f"{result['options']['threads']} threads, "
             f"{result['options']['rounds']} rounds.", "",
             "| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in result["rows"]:
        cells = make_cells(row)
        cells += [""] * (len(COLUMNS) - len(cells))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def agrees(row, bounds):
    return (all(s["status"] == "ok" for s in row["systems"].values())
            and row["difference"] <= bounds[row["form"]])


def main(arguments):
    try:
        options = parse_options(arguments)
        systems = make_systems(options)
    except peers.SetupError as error:
        print(f"models: {error}", file=sys.stderr)
        return 2
    options.out_dir.mkdir(parents=True, exist_ok=True)
    result = {"name": options.name, "host": bench.host(), "rows": [],
              "options": {key: getattr(options, key) for key in
                          ("threads", "rounds", "min_time", "warmup", "scale",
                           "weight_bits", "gc_option")}}
    base = options.out_dir / options.name
    for name in options.names:
        for form in options.forms:
            try:
                model = prepare_model(options, systems["ort"], name, form)
            except peers.SetupError as error:
                print(f"models: {error}", file=sys.stderr)
                return 2
            row = {"model": name, "form": form,
                   **measure_model(options, systems, model)}
            page = f"{base}-{name}-{form}.html"
            if explain(options, systems, model, page):
                row["page"] = os.path.basename(page)
            result["rows"].append(row)
            print("  ".join(make_cells(row)), flush=True)
    base.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n",
                                         encoding="utf-8")
    base.with_suffix(".md").write_text(markdown(result), encoding="utf-8")
    print(f"models: {base}.md")
    bounds = BOUNDS[options.scale]
    return 0 if all(agrees(row, bounds) for row in result["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
