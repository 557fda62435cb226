#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unit tests of the benchmark. They install nothing, build nothing and time
nothing: small scripts stand in for gc-runner and the peers.

The comparison with the Table I files runs where those are: in $GC_TABLE1, or in
shared/workloads/table1 next to the checkout; elsewhere it is skipped.
"""

import contextlib
import io
import itertools
import json
import os
import re
import stat
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import api_latency  # noqa: E402
import bench  # noqa: E402
import peers  # noqa: E402
import plot  # noqa: E402
import predict  # noqa: E402
import report  # noqa: E402
import workloads  # noqa: E402

TABLE1 = os.environ.get("GC_TABLE1") or os.path.join(
    HERE, "..", "..", "shared", "workloads", "table1")

# Answers like gc-runner; fails on the second unseen workload.
RUNNER = """#!/usr/bin/python3
import json, sys
path = sys.argv[1]
if "unseen-01" in path:
    sys.exit("gc-runner: unseen-01.json: op 1000: refused")
print(json.dumps({"name": path, "threads": 2, "peak_gflops": 200.0,
                  "run_ms": {"median": 2.0, "min": 1.0, "max": 3.0,
                             "runs": 9}}))
"""


def run_bench(arguments):
    """(exit code, standard output and error) of a run in this process."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = bench.main(arguments)
    return code, text.getvalue()


class Workloads(unittest.TestCase):
    @unittest.skipUnless(os.path.isdir(TABLE1), "no Table I files here")
    def test_table1_equals_the_files(self):
        files = {f[:-5] for f in os.listdir(TABLE1) if f.endswith(".json")}
        self.assertEqual(files, set(workloads.SETS["table1"]))
        for name in files:
            with open(os.path.join(TABLE1, name + ".json"),
                      encoding="utf-8") as file:
                expected = json.load(file)
            self.assertEqual(workloads.workload(name), expected, name)

    def test_mlp2_shapes_are_the_papers(self):
        graph = workloads.workload("mlp2-f32-b512")
        self.assertEqual(workloads.describe(graph),
                         "b512 479-1024-1024-512-256-1")
        macs = 479 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256
        self.assertEqual(workloads.flops(graph), 2 * 512 * macs)
        self.assertEqual([op["kind"] for op in graph["graph"]],
                         ["MatMul", "ReLU"] * 4 + ["MatMul", "Sigmoid"])

    def test_attention_reads_views_of_the_projections(self):
        q, kt = workloads.workload("mha1-f32-b32")["graph"][0]["inputs"]
        self.assertEqual(q["shape"], [32, 8, 128, 96])
        self.assertEqual(q["stride"], [128 * 768, 96, 768, 1])
        self.assertEqual(kt["shape"], [32, 8, 96, 128])
        self.assertEqual(kt["stride"], [128 * 768, 96, 1, 768])

    def test_unseen_shapes_are_what_was_promised(self):
        self.assertEqual(len(workloads.SETS["unseen"]), 40)
        sizes, layers, lasts, seen = [], set(), set(), set()
        for index in range(40):
            batch, widths, last, _ = workloads.unseen_parameters(index)
            self.assertTrue(1 <= batch <= 512)
            self.assertTrue(all(1 <= w <= 2048 for w in widths))
            layers.add(len(widths) - 1)
            lasts.add(last)
            sizes += widths
            seen.add((batch, widths))
        self.assertEqual(layers, {1, 2, 3, 4, 5})
        self.assertEqual(lasts, {"ReLU", "Sigmoid", None})
        self.assertEqual(len(seen), 40)
        off_block = [s for s in sizes if s > 8 and
                     any(s + d & (s + d - 1) == 0 for d in (-1, 1))]
        primes = [s for s in sizes if workloads.is_prime(s)]
        self.assertGreater(len(off_block), len(sizes) // 6)
        self.assertGreater(len(primes), len(sizes) // 5)

    def test_unseen_shapes_never_change(self):
        # Written down once: results of different days compare only if the
        # generator keeps drawing these.
        self.assertEqual(workloads.unseen_parameters(0)[:2],
                         (512, (513, 17, 1)))
        self.assertEqual(workloads.unseen_parameters(39)[:2],
                         (5, (5, 19, 619, 127)))

    def test_every_operation_that_computes_is_in_the_set_ops(self):
        path = os.path.join(HERE, "..", "docs", "reference", "Operations.md")
        with open(path, encoding="utf-8") as file:
            # The first table; the others are about element types.
            lines = itertools.dropwhile(
                lambda line: not line.startswith("| `graph."), file)
            rows = [line.split("|")[2].strip() for line in
                    itertools.takewhile(lambda line: line.startswith("|"),
                                        lines)]
        # They move nothing, or what a transpose does.
        named = {name for name in rows if name} - {
            "End", "Wildcard", "StaticReshape", "Reorder"}
        self.assertGreater(len(named), 75)
        kinds = {op["kind"].lower() for name in workloads.SETS["ops"]
                 for op in workloads.workload(name)["graph"]}
        self.assertEqual({n for n in named if n.lower() not in kinds}, set())

    def test_what_memory_limits_moves_at_least_64_mib(self):
        for name in workloads.SETS["ops-memory"]:
            graph = workloads.workload(name)
            sizes = [workloads.tensor_bytes(t) for op in graph["graph"]
                     for t in op["inputs"] + op["outputs"]]
            self.assertGreaterEqual(max(sizes), 61 << 20, name)
            self.assertEqual(workloads.flops(graph), 0, name)

    def test_compulsory_bytes(self):
        def moved(name):
            read, written = workloads.compulsory_bytes(workloads.workload(name))
            return read >> 20, written >> 20
        self.assertEqual(moved("op-add"), (128, 64))
        self.assertEqual(moved("op-quantize"), (64, 16))
        # The image that was interpolated only says a shape.
        self.assertEqual(moved("op-interpolate_backward"), (61, 15))

    def test_flops_of_depthwise_and_gradients(self):
        graph = workloads.workload("depthwise-b32-14-s2-576")
        self.assertEqual(workloads.flops(graph), 2 * 9 * 32 * 7 * 7 * 576)
        for name in workloads.SETS["ops-compute"]:
            expected = (2 * 1024 ** 3 if name == "op-matmul" else
                        2 * 9 * 128 * 128 * 32 * 28 * 28)
            self.assertEqual(workloads.flops(workloads.workload(name)),
                             expected, name)

    def test_convolutions_of_integers_are_those_of_floats(self):
        self.assertEqual(len(workloads.SETS["conv-int8"]),
                         len(workloads.SETS["conv"]))
        for name in workloads.SETS["conv"]:
            floats, integers = (workloads.workload(n) for n in (
                name, name.replace("conv-", "conv-int8-")))
            self.assertEqual(workloads.flops(integers), workloads.flops(floats))
            self.assertEqual(workloads.describe(integers),
                             workloads.describe(floats))
            self.assertEqual([op["kind"] for op in integers["graph"]],
                             ["Dequantize", "Dequantize", "Convolution", "ReLU",
                              "Quantize"])
            self.assertEqual(integers["graph"][-1]["outputs"][0]["dtype"], "u8")

    def test_residual_blocks_of_integers(self):
        graph = workloads.workload("bottleneck-int8-stride-b1-28-256")
        results = [op["outputs"][0] for op in graph["graph"]
                   if op["kind"] == "Quantize"]
        self.assertEqual([t["dtype"] for t in results], ["u8", "u8", "s8", "u8"])
        self.assertEqual(results[-1]["shape"], [1, 14, 14, 1024])

    def test_unknown_names_are_refused(self):
        for name in ("mlp3-f32-b32", "mlp1-f32-b33", "unseen-40", ""):
            with self.assertRaises(KeyError):
                workloads.workload(name)


class Report(unittest.TestCase):
    @staticmethod
    def ok(best, median, **more):
        return dict({"status": "ok", "run_ms": {"min": best, "median": median}},
                    **more)

    def row(self):
        return report.make_row("w", "g", "b1", 4e8, {
            "gc": [self.ok(4.0, 5.0, peak_gflops=180.0, compile_ms=90.0,
                           sustained_peak_gflops=170.0),
                   self.ok(2.0, 8.0, peak_gflops=200.0, compile_ms=60.0,
                           sustained_peak_gflops=160.0)],
            "onednn": [self.ok(3.0, 6.0), self.ok(3.5, 7.0)],
            "ort": [{"status": "unsupported", "error": "no bf16"}]})

    def test_ratio_and_peak_fraction(self):
        row = self.row()
        # 4e8 flops in 2 ms are 200 GFLOP/s, all of the higher peak seen.
        self.assertAlmostEqual(
            report.value(row, "gc", "best_peak_fraction"), 1.0)
        self.assertEqual(row["sustained_peak_gflops"], 170.0)
        self.assertEqual(
            report.peak_text([row]),
            "200–200 GFLOP/s in windows of 2 ms, 170–170 GFLOP/s in windows as "
            "long as a run")
        # Results of before there were two.
        self.assertEqual(report.peak_text([{"peak_gflops": 7.0}]),
                         "7–7 GFLOP/s")
        self.assertEqual(report.peak_text([{"peak_gflops": None}]), "")
        self.assertAlmostEqual(report.value(row, "onednn", "best_ratio"), 1.5)
        # Medians of the rounds' medians: 6.5 for both.
        self.assertAlmostEqual(report.value(row, "onednn", "median_ratio"), 1.0)
        self.assertIsNone(report.value(row, "ort", "best_ratio"))
        self.assertEqual(row["systems"]["gc"]["report"]["compile_ms"], 75.0)

    def test_summary_names_the_worst(self):
        rows = []
        for name, theirs in (("a", 2.0), ("b", 8.0), ("c", 0.5)):
            rows.append(report.make_row(name, "g", "", 1e6, {
                "gc": [self.ok(1.0, 1.0)], "ort": [self.ok(theirs, theirs)]}))
        found = report.summarise(rows, "ort", "best_ratio")
        self.assertAlmostEqual(found["geomean"], 2.0)
        self.assertEqual((found["worst"], found["worst_name"]), (0.5, "c"))
        self.assertEqual(found["count"], 3)

    def test_one_failed_round_fails_the_system(self):
        row = report.make_row("w", "g", "", 1e6, {"gc": [
            self.ok(1.0, 1.0), {"status": "error", "error": "crashed"}]})
        self.assertEqual(report.failures([row]), ["w: gc: crashed"])

    def test_unsupported_is_a_failure_of_the_product_only(self):
        self.assertEqual(report.failures([self.row()]), [])

    def test_numbers_never_use_exponents(self):
        self.assertEqual([report.number(x) for x in
                          (1234.5, 12.34, 0.001234, None)],
                         ["1234", "12.3", "0.00123", "—"])


    def test_bytes_per_second_and_bounds(self):
        row = report.make_row("w", "g", "", 0, {
            "gc": [self.ok(2.0, 4.0, peak_gflops=100.0)],
            "copy": [self.ok(1.0, 2.0)]}, moved=6_000_000)
        self.assertAlmostEqual(report.value(row, "gc", "best_gbytes"), 3.0)
        self.assertAlmostEqual(report.value(row, "copy", "best_ratio"), 0.5)
        # Nothing is a fraction of the arithmetic's peak.
        self.assertIsNone(report.value(row, "gc", "best_peak_fraction"))
        lines = report.table([row], {"gc": "GC", "copy": "copy"}).split("\n")
        self.assertEqual(lines[2], "| w |  | 6.00 | 2.00 (4.00) | 1.00 (2.00) "
                         "| 0.50 (0.50) | 3.00 | 6.00 |")

    def test_one_bound_for_what_moves_data(self):
        def bounds(name):
            graph = workloads.workload(name)
            return [p.name for p in (peers.Read, peers.Copy)
                    if p.applies(None, graph)]
        self.assertEqual(bounds("op-reduce_sum"), ["read"])
        self.assertEqual(bounds("op-relu"), ["copy"])
        self.assertEqual(bounds("matvec-f32-4096"), ["read"])
        self.assertEqual(bounds("op-convolution"), [])


class Drivers(unittest.TestCase):
    def driver(self, script):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "driver")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + script)
            os.chmod(path, stat.S_IRWXU)
            return peers.run_driver([path], dict(os.environ), timeout=5)

    def test_missing_program(self):
        done = peers.run_driver(["/nonexistent/gc-runner"], {})
        self.assertEqual(done["status"], "error")
        self.assertIn("does not exist", done["error"])

    def test_exit_code_and_message(self):
        done = self.driver("echo first >&2; echo last words >&2; exit 2")
        self.assertEqual(done["error"], "exit code 2: last words")

    def test_report_of_an_unsupported_graph(self):
        done = self.driver(
            """echo '{"status": "unsupported", "error": "no"}'; exit 3""")
        self.assertEqual((done["status"], done["error"]), ("unsupported", "no"))

    def test_useless_reports(self):
        for text in ("", "[]", "{}", '{"run_ms": {"min": 0, "median": 1}}',
                     '{"run_ms": {"min": null, "median": 1}}'):
            done = self.driver(f"echo '{text}'")
            self.assertEqual(done["status"], "error", text)

    def test_hang(self):
        done = self.driver("exec sleep 60")
        self.assertIn("no result after", done["error"])


class GraphApi(unittest.TestCase):
    def test_a_missing_library_is_named(self):
        with tempfile.TemporaryDirectory() as directory:
            code, text = run_bench([f"--build-dir={directory}", "--peers=api",
                                    "--filter=mlp1-f32-b32", "--no-install"])
        self.assertEqual(code, 2)
        self.assertIn("libgc_dnnl_graph.so does not exist", text)

    def test_the_driver_gets_what_the_runner_gets(self):
        options = bench.parse_options(["--peers=gc,api", "--threads=3"])
        gc, api = (peers.PEERS[n](options) for n in options.peer_names)
        runner, driver = (peer.command("g.json", 4, 0.5) for peer in (gc, api))
        shared = ["g.json", "--threads=3", "--warmup=4", "--min-time=0.5"]
        self.assertEqual(driver[1:], shared)
        self.assertLess(set(shared), set(runner))
        self.assertEqual(gc.environment(), api.environment())

    def test_latencies_become_a_table(self):
        lines = api_latency.table({
            "execute": [{"tensors": 3, "c_ns": 200, "api_ns": 270,
                         "added_ns": 70}],
            "cached": [{"ops": 50, "compile_ns": 5100, "new_ns": 5200}]})
        self.assertIn("| 3 | 0.20 | 0.27 | 0.07 |", lines)
        self.assertIn("| 50 | 5.10 | 5.20 |", lines)


class Command(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.runner = os.path.join(self.directory, "gc-runner")
        with open(self.runner, "w", encoding="utf-8") as file:
            file.write(RUNNER)
        os.chmod(self.runner, stat.S_IRWXU)

    def run_gc(self, *arguments):
        return run_bench([f"--build-dir={self.directory}", "--peers=gc",
                          f"--gc-runner={self.runner}", "--quick", "--name=t",
                          *arguments])

    def result(self, suffix):
        path = os.path.join(self.directory, "bench", "results", "t." + suffix)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_results_are_written(self):
        code, text = self.run_gc("--filter=mlp1-f32-b32|unseen-00")
        self.assertEqual(code, 0, text)
        result = json.loads(self.result("json"))
        self.assertEqual([r["name"] for r in result["rows"]],
                         ["mlp1-f32-b32", "unseen-00"])
        self.assertEqual(list(result["summary"]), ["mlp-f32", "unseen"])
        self.assertIn("| mlp1-f32-b32 | b32 13-512-256-128 | 0.0109 | "
                      "1.00 (2.00) |", self.result("md"))

    def test_what_has_no_flops_is_reported_in_bytes(self):
        code, text = self.run_gc("--filter=^op-relu$")
        self.assertEqual(code, 0, text)
        # 128 MiB in a millisecond.
        self.assertIn("| op-relu | 4096x4096 -> 4096x4096 | 134 | 1.00 (2.00) "
                      "| 134 |", self.result("md"))
        xml.etree.ElementTree.fromstring(self.result("svg"))

    def test_failed_workload_is_a_row_and_an_exit_code(self):
        code, text = self.run_gc("--filter=unseen-0[01]")
        self.assertEqual(code, 1)
        self.assertIn("unseen-01: gc: exit code 1: gc-runner: unseen-01.json: "
                      "op 1000: refused", text)
        rows = json.loads(self.result("json"))["rows"]
        self.assertEqual([r["systems"]["gc"]["status"] for r in rows],
                         ["ok", "error"])
        self.assertIn("error", self.result("md"))

    def test_missing_runner(self):
        code, text = self.run_gc("--filter=unseen-00",
                                 "--gc-runner=/nonexistent/gc-runner")
        self.assertEqual(code, 1)
        self.assertIn("/nonexistent/gc-runner does not exist", text)
        xml.etree.ElementTree.fromstring(self.result("svg"))

    def test_usage_errors(self):
        for arguments in (["--set=mlp3"], ["--filter=nothing-like-it"],
                          ["--filter=("], ["--peers=gc,tvm"], ["--threads=0"]):
            with self.assertRaises(SystemExit) as caught:
                run_bench(arguments)
            self.assertEqual(caught.exception.code, 2, arguments)


class Plot(unittest.TestCase):
    def test_marks_are_where_the_numbers_say(self):
        row = report.make_row("w", "g", "b<1>", 1e8, {
            "gc": [Report.ok(1.0, 1.0, peak_gflops=200.0)],
            "onednn": [Report.ok(1.0, 1.0)]})
        titles = {"gc": "GC", "onednn": "oneDNN"}
        svg = plot.draw({
            "name": "t", "rows": [row], "titles": titles,
            "summary": report.summaries([row], list(titles)),
            "host": {"cpu": "x"}, "options": {"threads": 2},
            "versions": {"gc": None, "onednn": "2.6.3"}})
        xml.etree.ElementTree.fromstring(svg)
        # Half of peak is the middle of the right panel (the first circle is
        # the legend's).
        circles = re.findall(r'<circle cx="([0-9.]+)"', svg)
        right = plot.LEFT_X + plot.PANEL + plot.GAP
        self.assertAlmostEqual(float(circles[1]), right + plot.PANEL / 2,
                               places=0)
        self.assertIn("b&lt;1&gt;", svg)



# Predicts twice as long as the best run, from the second workload on half.
PREDICTING_RUNNER = """#!/usr/bin/python3
import json, os, sys
path = sys.argv[1]
if "mha" in path:
    sys.exit("gc-runner: refused")
predicted = 2.0 if "unseen-00" in path else 0.5
if os.environ.get("GC_MACHINE") != "zen3-2":
    sys.exit("gc-runner: not the machine")
print(json.dumps({"predicted_ms": predicted,
                  "run_ms": {"median": 4.0, "min": 1.0, "max": 5.0},
                  "regions": [{"name": "matmul", "predicted_ms": predicted,
                               "measured_ms": None,
                               "bound_by": "compute"}]}))
"""


class Predict(unittest.TestCase):
    def run_predict(self, arguments):
        text = io.StringIO()
        with tempfile.TemporaryDirectory() as build:
            os.mkdir(os.path.join(build, "bin"))
            runner = os.path.join(build, "bin", "gc-runner")
            with open(runner, "w", encoding="utf-8") as file:
                file.write(PREDICTING_RUNNER)
            os.chmod(runner, os.stat(runner).st_mode | stat.S_IXUSR)
            with contextlib.redirect_stdout(text), \
                    contextlib.redirect_stderr(text):
                code = predict.main([f"--build-dir={build}",
                                     "--machine=zen3-2", *arguments])
        return code, text.getvalue()

    def test_errors(self):
        self.assertEqual(predict.error_of(1.5, 1.0), 0.5)
        self.assertEqual(predict.error_of(0.5, 1.0), -0.5)
        self.assertEqual(predict.summarize([0.5, -0.1, 0.2]), (0.2, 0.5))

    def test_table(self):
        code, text = self.run_predict(["--set=unseen"])
        self.assertEqual(code, 0)
        self.assertRegex(text, r"unseen-00 +2\.0000 +1\.0000 +\+100\.0%  compute")
        self.assertRegex(text, r"unseen-01 +0\.5000 +1\.0000 +-50\.0%")
        self.assertIn("unseen: median error 50.0%, largest 100.0%, of 40", text)

    def test_failures(self):
        code, text = self.run_predict(["--set=mha-f32"])
        self.assertEqual(code, 1)
        self.assertIn("predict: mha1-f32-b32: gc-runner: refused", text)

    def test_usage(self):
        with self.assertRaises(SystemExit) as end:
            self.run_predict(["--set=nothing"])
        self.assertEqual(end.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
