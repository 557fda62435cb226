#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unit tests of the benchmark's ablation, its bound, its oracle and the tables
in the documentation. Like test_bench.py they install, build and time nothing."""

import contextlib
import io
import json
import os
import stat
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bench  # noqa: E402
import peers  # noqa: E402
import publish  # noqa: E402
import publish_ops  # noqa: E402
import report  # noqa: E402
import workloads  # noqa: E402

try:
    import numpy
    import oracle
except ImportError:
    numpy = None

# Slower and larger without coarse-grain fusion, otherwise always the same.
RUNNER = """#!/usr/bin/python3
import json, sys
slow = any("coarse-grain=false" in a for a in sys.argv)
plain = not any(a.startswith("--pipeline-options") for a in sys.argv)
print(json.dumps({"name": sys.argv[1], "peak_gflops": 200.0,
                  "arena_bytes": (4 if slow else 1) << 20, "compile_ms": 60,
                  "run_ms": {"median": 3.0 if slow else 2.0,
                             "min": 2.0 if slow else 1.0, "max": 9, "runs": 9},
                  "plain": plain}))
"""


class Ablation(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.runner = os.path.join(self.directory, "gc-runner")
        with open(self.runner, "w", encoding="utf-8") as file:
            file.write(RUNNER)
        os.chmod(self.runner, stat.S_IRWXU)

    def run_ablation(self):
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            code = bench.main([
                f"--build-dir={self.directory}", "--ablation", "--quick",
                f"--gc-runner={self.runner}", "--name=t",
                "--filter=mlp1-f32-b32|mha1-f32-b32"])
        self.assertEqual(code, 0, text.getvalue())
        base = os.path.join(self.directory, "bench", "results", "t.")
        with open(base + "json", encoding="utf-8") as file:
            result = json.load(file)
        with open(base + "md", encoding="utf-8") as file:
            return result, file.read(), base + "json"

    def test_each_part_is_a_system(self):
        result, text, _ = self.run_ablation()
        row = result["rows"][0]
        self.assertEqual(list(row["systems"]), [
            "gc", "no-coarse-grain", "no-fine-grain", "no-propagate-layout",
            "no-buffer-reuse"])
        self.assertTrue(row["systems"]["gc"]["report"]["plain"])
        self.assertFalse(row["systems"]["no-fine-grain"]["report"]["plain"])
        self.assertAlmostEqual(
            report.value(row, "no-coarse-grain", "best_ratio"), 2.0)
        self.assertIn("no coarse grain: 2.00 (1.50) times the time", text)
        self.assertIn("| mlp1-f32-b32 | 1.00 (2.00) | 1.00 | 2.00 (3.00) | "
                      "2.00 (1.50) | 4.00 |", text)

    def test_page_shows_time_and_arena(self):
        _, _, path = self.run_ablation()
        os.makedirs(os.path.join(self.directory, "docs"))
        page = os.path.join(self.directory, "docs", "benchmarks.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write(f"before\n{publish.BEGIN}\nold\n{publish.END}\nafter\n")
        self.assertEqual(publish.main([path, f"--root={self.directory}"]), 0)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("before\n") and "old" not in text and
                        text.endswith("after\n"))
        self.assertIn("| coarse grain | 2.00 | 2.00 | 4.00 | 4.00 |", text)
        image = os.path.join(self.directory, "docs", "images",
                             "bench-ablation.svg")
        xml.etree.ElementTree.parse(image)

    def test_options_join_those_of_the_user(self):
        self.assertEqual(peers.add_pipeline_option(
            ["--pipeline-options=kernel=vector", "--remarks"], "x=false"),
            ["--pipeline-options=kernel=vector x=false", "--remarks"])


class Publish(unittest.TestCase):
    @staticmethod
    def result(name, best, group="mha-f32", **more):
        ok = {"status": "ok", "peak_gflops": 200.0, "compile_ms": 61.2,
              "arena_bytes": 2 << 20, "run_ms": {"min": best, "median": 3.0}}
        theirs = {"status": "ok", "run_ms": {"min": 4.0, "median": 9.0}}
        row = report.make_row(name, group, "b1", 1e8, {
            "gc": [ok], "onednn": [theirs],
            "ort": [{"status": "not run", "error": "needs about 9 GiB"}]})
        titles = {"gc": "GC", "onednn": "oneDNN", "ort": "ORT"}
        return dict({
            "name": "r", "ablation": False, "host": {"cpu": "x", "cpus": 2},
            "titles": titles, "versions": {"onednn": "2.6.3"}, "rows": [row],
            "options": {"threads": 2}}, **more)

    def test_later_rows_win(self):
        merged = publish.merge([self.result("a", 1.0), self.result("b", 1.0),
                                self.result("a", 2.0)])
        self.assertEqual([r["name"] for r in merged["rows"]], ["a", "b"])
        self.assertAlmostEqual(
            report.value(merged["rows"][0], "onednn", "best_ratio"), 2.0)
        ratio = merged["summary"]["mha-f32"]["onednn"]["best_ratio"]
        self.assertAlmostEqual(ratio["geomean"], 8 ** 0.5)

    def test_different_machines_are_refused(self):
        other = self.result("b", 1.0, host={"cpu": "y", "cpus": 2})
        with self.assertRaises(ValueError):
            publish.merge([self.result("a", 1.0), other])

    def test_summary(self):
        merged = publish.merge([self.result("a", 1.0), self.result("b", 2.0),
                                self.result("c", 1.0, "mlp-f32")])
        text = "\n".join(publish.summary_block(merged, "images"))
        # Ratios 4 and 2, fractions of peak 0.5 and 0.25.
        self.assertIn("| Attention of the paper's Table I, f32 | 2 | "
                      "2.83 (2.00) | — | 0.35 (0.25) |", text)
        self.assertEqual(text.count("!["), 1)

    def test_table_and_what_was_not_run(self):
        merged = publish.merge([self.result("a", 1.0),
                                self.result("b", 2.0, "mlp-f32")])
        text = "\n".join(publish.block(merged, None, "docs/images"))
        self.assertIn("| a | 1.00 (3.00) | 4.00 (9.00) | not run | 4.00 | — | "
                      "0.50 | 61 | 2.00 |", text)
        self.assertIn("Not measured: a: ORT: needs about 9 GiB.", text)
        self.assertIn("All 2 of Table I together. Geometric means of the best "
                      "runs: 2.83 times the speed of oneDNN", text)

    def test_readme_without_marks(self):
        with self.assertRaises(ValueError):
            publish.replace_block("no marks", [])


class Systems(unittest.TestCase):
    class Options:
        build_dir, threads, warmup, min_time = "/nonexistent", 2, 5, 0.5

    def test_too_little_memory_is_said(self):
        graph = workloads.workload("mha4-f32-b128")
        ort = peers.Ort(self.Options)
        with unittest.mock.patch.object(peers, "available_bytes",
                                        lambda: 4 << 30):
            done = ort.measure("x.json", graph)
        self.assertEqual(done["status"], "not run")
        self.assertRegex(done["error"], r"needs about \d+\.\d GiB of memory, "
                                        r"4\.0 GiB are free")

    def test_reading_bounds_only_what_computes_little(self):
        read = peers.Read(self.Options)
        self.assertTrue(read.applies(workloads.workload("matvec-f32-4096")))
        self.assertFalse(read.applies(workloads.workload("mha1-f32-b32")))

    def test_long_workloads_warm_up_less(self):
        long = workloads.workload("mha4-f32-b128")
        self.assertEqual(peers.warmup_runs(self.Options, long), 1)
        short = workloads.workload("mlp1-f32-b32")
        self.assertEqual(peers.warmup_runs(self.Options, short), 5)

    def test_unseen_attention_is_what_was_promised(self):
        names = workloads.SETS["unseen-mha"]
        self.assertEqual(len(names), 20)
        for name in names:
            flops = workloads.flops(workloads.workload(name))
            self.assertTrue(4e9 < flops < 8.5e9, name)
        view = workloads.workload("unseen-mha-s100-d40")["graph"][0]["inputs"][0]
        self.assertEqual(view["shape"][1:], [16, 100, 40])
        self.assertEqual(view["stride"], [100 * 640, 40, 640, 1])


@unittest.skipUnless(numpy, "no numpy here")
class Oracle(unittest.TestCase):
    def test_slices_change_nothing(self):
        graph = workloads.mha(3, 2, 5, 4)
        self.assertEqual(oracle.slices(graph), 3)
        inputs = {t: oracle.input_array(x)
                  for t, x in workloads.input_tensors(graph).items()}
        numpy.testing.assert_array_equal(
            oracle.evaluate(graph), oracle.evaluate_slice(graph, inputs))

    def test_an_mlp_is_in_one_piece(self):
        self.assertEqual(oracle.slices(workloads.workload("mlp1-f32-b32")), 1)

    def test_attention_by_hand(self):
        # One head, one row: softmax of one number is 1, so the result is v.
        graph = workloads.mha(2, 1, 1, 3)
        v = graph["graph"][4]["inputs"][1]
        numpy.testing.assert_array_equal(
            oracle.evaluate(graph).reshape(2, 3),
            oracle.input_array(v).reshape(2, 3))


class PublishOps(unittest.TestCase):
    @staticmethod
    def result():
        def ok(best):
            return [{"status": "ok", "run_ms": {"min": best, "median": best},
                     "peak_gflops": 100.0}]
        rows = [
            report.make_row("op-relu", "ops-memory", "4x4 -> 4x4", 0,
                            {"gc": ok(2.0), "copy": ok(1.5),
                             "onednn": ok(3.0)}, 6_000_000),
            report.make_row("depthwise-b1-7-s1-960", "depthwise", "s", 2e8,
                            {"gc": ok(4.0), "onednn": ok(5.0)}, 1)]
        titles = {"gc": "GC", "onednn": "oneDNN", "copy": "memory copy"}
        return {"name": "t", "host": {"cpu": "x"}, "rows": rows,
                "titles": titles, "versions": {"onednn": "2.6.3"},
                "options": {"threads": 2, "rounds": 3, "min_time": 0.2}}

    def publish(self, result):
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "docs"))
            page = os.path.join(root, publish_ops.PAGE)
            with open(page, "w", encoding="utf-8") as file:
                file.write(f"a\n{publish.BEGIN}\nold\n{publish.END}\nb\n")
            path = os.path.join(root, "t.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(result, file)
            with contextlib.redirect_stderr(io.StringIO()):
                code = publish_ops.main([path, f"--root={root}", "--cpu=Y"])
            with open(page, encoding="utf-8") as file:
                return code, file.read()

    def test_tables(self):
        code, text = self.publish(self.result())
        self.assertEqual(code, 0)
        self.assertNotIn("old", text)
        self.assertIn("Y; 2 threads, best of 3 rounds of 0.2 s.", text)
        self.assertIn("| relu | 4x4 -> 4x4 | 2.00 | 3.00 | 4.00 copy | 0.75 | "
                      "1.50 |", text)
        self.assertIn("oneDNN: 1.25 at batch 1.", text)
        self.assertIn("| depthwise-b1-7-s1-960 | s | 4.00 | 50.0 | 0.50 | 5.00 "
                      "| 1.25 |", text)

    def test_other_sets_are_refused(self):
        result = self.result()
        for row in result["rows"]:
            row["group"] = "mlp-f32"
        code, text = self.publish(result)
        self.assertEqual(code, 2)
        self.assertIn("old", text)


if __name__ == "__main__":
    unittest.main()
