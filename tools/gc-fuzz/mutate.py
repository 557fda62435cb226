#!/usr/bin/env python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Damaged input files must give a clean error or run; no tool may crash or hang.

Seeds are the project's own tests and examples, graphs of gc-fuzz, and whatever
folders --seeds names. Each mutant is one seed with a few random edits: bytes,
tokens, numbers, element types, shapes, op names, parts of the JSON tree, or the
bytes of MLIR bytecode. It goes through every tool that reads its format. What
counts as good: exit code 0, or 1 or 2 with an error message. What counts as
bad: a signal, an abort, a sanitizer's report, an internal error of LLVM, an exit
without a message, or no end within the time limit. Bad mutants are written to a
folder with the command that shows them.

The same --seed and seeds give the same mutants. Exit code: 0 all good, 1 not all,
2 bad usage.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# ---------------------------------------------------------------------------
# Seeds
# ---------------------------------------------------------------------------

SECTION = re.compile(rb"^(?://|#)--- (\S+)\n", re.M)
SPLIT = re.compile(rb"^// -----.*\n", re.M)


def split_test(path):
    """The documents in one test file: (suffix, bytes)."""
    data = path.read_bytes()
    parts = SECTION.split(data)
    documents = list(zip(parts[1::2], parts[2::2])) or [
        (path.name.encode(), data)
    ]
    for name, text in documents:
        suffix = pathlib.PurePosixPath(name.decode()).suffix
        if suffix == ".mlir":
            for piece in SPLIT.split(text):
                yield suffix, piece
        elif suffix == ".json":
            yield suffix, text


def collect_seeds(folders, tools, graphs):
    """Sorted pairs of suffix and bytes: .mlir, .json and .mlirbc."""
    seeds = set()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix in (".mlir", ".json", ".test") and path.is_file():
                seeds.update(split_test(path))
    # Large files only make every run slow.
    seeds = {(suffix, text) for suffix, text in seeds if len(text) < 100_000}
    printed = subprocess.run(
        [tools / "gc-fuzz", "--print", f"--count={graphs}"],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    seeds.update((".mlir", text) for text in SPLIT.split(printed) if text)
    seeds = sorted(seeds)
    bytecode = []
    for suffix, text in seeds:
        if suffix != ".mlir" or len(bytecode) >= 40:
            continue
        run = subprocess.run(
            [tools / "gc-opt", "--emit-bytecode", "-"],
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        if run.returncode == 0:
            bytecode.append((".mlirbc", run.stdout))
    return seeds + bytecode


# ---------------------------------------------------------------------------
# Mutations
# ---------------------------------------------------------------------------

# Sizes in between would only make runs long.
NUMBERS = [
    "0", "-1", "1", "2", "3", "7", "16", "63", "2147483647", "2147483648",
    "4294967296", "-2147483649", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "18446744073709551616", "99999999999999999999999",
    "1e308", "-1e400", "0.5", "0x7f", "1.0e-45",
]  # fmt: skip
ELEMENTS = [
    "f32", "bf16", "f16", "f64", "si32", "si8", "ui8", "si4", "ui4", "i1",
    "i32", "index", "f8E4M3FN", "complex<f32>", "none", "boolean", "s8", "u8",
    "s32", "undef", "",
]  # fmt: skip
TOKEN = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"|[A-Za-z_$.][\w$.]*|%\w+|#\w+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?'
    rb"|->|\s+|.",
    re.S,
)
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
ELEMENT = re.compile(rb"\b(?:f32|bf16|f16|[su]?i?32|[su]i?8|i64|i1)\b")
SHAPE = re.compile(rb"(?<=<)(?:\d+x)+|tensor<[^<>]*>")
OP = re.compile(rb"\b(?:graph|tir|arith|memref|scf|func|llvm)\.\w+")


def flip_bytes(rng, data, _):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if data:
            at = rng.randrange(len(data))
            data[at] = rng.choice([data[at] ^ (1 << rng.randrange(8)), rng.randrange(256)])
    return bytes(data)


def cut(rng, data, _):
    at = rng.randrange(len(data) + 1)
    if rng.random() < 0.5:
        return data[:at]
    return data[:at] + data[at + rng.choice([1, 4, 20, 200]) :]


def repeat(rng, data, _):
    at = rng.randrange(len(data) + 1)
    piece = data[at : at + rng.choice([1, 4, 20, 200])]
    return data[:at] + piece * rng.choice([1, 1, 3, 1000]) + data[at:]


def edit_tokens(rng, data, other):
    tokens = TOKEN.findall(data)
    full = [i for i, token in enumerate(tokens) if not token.isspace()]
    for _ in range(rng.choice([1, 1, 2, 4])):
        if not full:
            break
        at, source = rng.choice(full), rng.choice(full)
        tokens[at] = rng.choice(
            [b"", tokens[at] + b" " + tokens[at], tokens[source]]
            + TOKEN.findall(other)[:200][-1:]
        )
    return b"".join(tokens)


def edit_match(pattern, replace):
    def edit(rng, data, _):
        found = list(pattern.finditer(data))
        for _ in range(rng.choice([1, 1, 2])):
            if not found:
                break
            match = rng.choice(found)
            new = replace(rng, match.group(), found)
            data = data[: match.start()] + new + data[match.end() :]
            found = list(pattern.finditer(data))
        return data

    return edit


def replace_number(rng, _old, _found):
    return rng.choice(NUMBERS).encode()


def replace_everywhere(rng, data, _):
    """The same number wherever it occurs, so that shapes still fit."""
    found = NUMBER.findall(data)
    if not found:
        return data
    old = rng.choice(found)
    new = rng.choice(NUMBERS[:8] + ["5", "8", "17"]).encode()
    return re.sub(rb"(?<![\w.%])" + re.escape(old) + rb"(?=x|\b)", new, data)


def replace_element(rng, _old, _found):
    return rng.choice(ELEMENTS).encode()


def replace_element_everywhere(rng, data, _):
    return data.replace(b"f32", rng.choice(ELEMENTS[:12]).encode())


def replace_shape(rng, old, _found):
    sizes = [rng.choice(["1", "2", "?", "0", "33", "4294967296"]) for _ in range(rng.randrange(7))]
    shape = "".join(size + "x" for size in sizes).encode()
    if old.startswith(b"tensor"):
        layouts = [
            b"", b"", b", #graph.layout<any>", b", #graph.layout<strided, [1, 2]>",
            b", #graph.layout<strided, [9223372036854775807, 1]>",
            b", #graph.layout<blocked, outer = [1, 0], inner = [0 : 4]>",
            b", #graph.layout<blocked, outer = [0, 1], inner = [1 : 1000000000000]>",
        ]  # fmt: skip
        kind = rng.choice([b"tensor<", b"tensor<", b"tensor<*x", b"memref<", b"vector<"])
        return kind + shape + b"f32" + rng.choice(layouts) + b">"
    return shape


def replace_other(rng, _old, found):
    return rng.choice(found).group()


UNARY = [
    "abs", "erf", "exp", "hard_swish", "log", "mish", "reciprocal", "relu", "round",
    "sigmoid", "sqrt", "square", "tanh",
]  # fmt: skip
BINARY = [
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "squared_difference",
    "abs_backward", "gelu_backward", "hard_swish_backward", "mish_backward", "relu_backward",
    "sigmoid_backward", "sqrt_backward", "tanh_backward",
]  # fmt: skip
COMPUTED = re.compile(rb"(?<=graph\.)(?:%s)\b" % "|".join(UNARY + BINARY).encode())


def replace_function(rng, old, _found):
    """Another op that takes the same operands."""
    return rng.choice(UNARY if old.decode() in UNARY else BINARY).encode()


VALUE = re.compile(rb"%\w+")


def replace_value(rng, data, _):
    """Another value in one place: the graph is connected differently."""
    return edit_match(VALUE, replace_other)(rng, data, _)


def move_line(rng, data, _):
    """One line somewhere else, or gone, or twice."""
    lines = data.split(b"\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def splice(rng, data, other):
    """Lines of another seed."""
    lines, others = data.split(b"\n"), other.split(b"\n")
    at, source = rng.randrange(len(lines)), rng.randrange(len(others))
    lines[at : at + rng.randrange(3)] = others[source : source + rng.randrange(1, 4)]
    return b"\n".join(lines)


def walk_json(node, path=()):
    yield path, node
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from walk_json(child, path + (key,))


def edit_json(rng, data, other):
    try:
        root = json.loads(data)
    except ValueError:
        return edit_tokens(rng, data, other)
    for _ in range(rng.choice([1, 1, 2, 3])):
        nodes = [path for path, _ in walk_json(root) if path]
        if not nodes:
            break
        path = rng.choice(nodes)
        parent = root
        for key in path[:-1]:
            parent = parent[key]
        key = path[-1]
        action = rng.randrange(6)
        if action == 0:
            del parent[key]
        elif action == 1 and isinstance(parent, list):
            parent.insert(rng.randrange(len(parent) + 1), parent[key])
        elif action == 2:
            values = [value for _, value in walk_json(root)]
            # A copy: the tree must stay a tree.
            parent[key] = json.loads(json.dumps(rng.choice(values)))
        elif action == 3 and isinstance(parent[key], list):
            parent[key] += rng.choice([[], [1] * 10, [0], [-1], ["x"], parent[key][:1] * 3])
        else:
            parent[key] = rng.choice(
                [None, True, [], {}, "", "strided", "any", "MatMul", "Wildcard", "f32", "bf16"]
                + [0, -1, 1, 2, 5, 2**31, 2**63, -(2**63), 10**30, 0.5, 1e300]
            )
    return json.dumps(root, indent=rng.choice([None, 1])).encode()


TEXT = [
    flip_bytes, cut, repeat, edit_tokens, edit_tokens, splice,
    edit_match(NUMBER, replace_number), edit_match(NUMBER, replace_number),
    replace_everywhere, replace_everywhere,
    edit_match(ELEMENT, replace_element), replace_element_everywhere,
    edit_match(SHAPE, replace_shape),
]  # fmt: skip
MUTATIONS = {
    ".mlir": TEXT
    + [edit_match(OP, replace_other), edit_match(COMPUTED, replace_function)] * 2
    + [replace_everywhere, replace_value, replace_value, move_line],
    ".json": TEXT + [edit_json] * 10,
    ".mlirbc": [flip_bytes, flip_bytes, flip_bytes, cut, repeat],
}


def make_mutant(seeds, seed, index):
    """(suffix, bytes) of the mutant with this index."""
    rng = random.Random(f"{seed}-{index}")
    # Formats alternate; seeds of each are drawn at random.
    suffix = [".json", ".mlir", ".mlir", ".json", ".mlirbc"][index % 5]
    candidates = [text for kind, text in seeds if kind == suffix]
    if not candidates:
        candidates = [text for kind, text in seeds if kind == ".mlir"]
        suffix = ".mlir"
    # Whole graphs get further than the fragments that passes are tested on.
    if suffix == ".mlir" and rng.random() < 0.7:
        candidates = [text for text in candidates if b"func.func @main" in text]
    data, other = rng.choice(candidates), rng.choice(candidates)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        data = rng.choice(MUTATIONS[suffix])(rng, data, other)
    return suffix, data


# ---------------------------------------------------------------------------
# Runs
# ---------------------------------------------------------------------------


def get_commands(tools, suffix, path):
    runner = [tools / "gc-runner", path, "--check", "--threads=2"]
    if suffix == ".json":
        return [[tools / "gc-translate", "--import-onednn-graph", path], runner]
    pipeline = "--gc-cpu-pipeline=threads=2"
    return [[tools / "gc-opt", path, pipeline, "-o", os.devnull], runner]


BAD_TEXT = re.compile(
    rb"AddressSanitizer|ThreadSanitizer|UndefinedBehavior|runtime error:|LLVM ERROR"
    rb"|PLEASE submit a bug report|Assertion|terminate called|UNREACHABLE"
)


def judge(code, out):
    """The outcome of a run, and whether it is good."""
    if code is None:
        return "hung", False
    if code < 0:
        return f"signal {-code}", False
    if BAD_TEXT.search(out):
        return "internal error", False
    if code == 0:
        return "ran", True
    if code > 2:
        return f"exit code {code}", False
    if b"error" in out.lower():
        return "refused", True
    if code == 1 and b"check" in out.lower():
        return "check failed", True
    return "no message", False


def run(command, limit, memory):
    def restrict():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory << 30, memory << 30))

    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
            preexec_fn=restrict,
        )
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        return None, expired.stdout or b""


def is_upstream(arguments, path):
    """Whether the stock mlir-opt crashes on this file, too: its
    bytecode reader trusts what it reads more than its parser does."""
    mlir_opt = arguments.mlir_opt
    if path.suffix != ".mlirbc" or not mlir_opt or not os.path.exists(mlir_opt):
        return False
    command = [mlir_opt, path, "--allow-unregistered-dialect", "-o", os.devnull]
    outcome, good = judge(*run(command, arguments.time_limit, arguments.memory))
    return not good and outcome != "no message"


def check(arguments, index, suffix, data):
    path = arguments.output_dir / f"mutant{arguments.seed}-{index}{suffix}"
    path.write_bytes(data)
    results = []
    for command in get_commands(arguments.tools, suffix, path):
        code, out = run(command, arguments.time_limit, arguments.memory)
        outcome, good = judge(code, out)
        if not good and is_upstream(arguments, path):
            outcome, good = outcome + " in upstream's reader", True
        results.append((command, outcome, good, out))
    if all(good and outcome != "check failed" for _, outcome, good, _ in results):
        path.unlink()
    return results


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tools",
        type=pathlib.Path,
        default=pathlib.Path(shutil.which("gc-runner") or SOURCE / "build/bin/gc-runner").parent,
        help="folder of the tools",
    )
    parser.add_argument("--seeds", action="append", default=[], help="one more folder of seeds")
    parser.add_argument("--no-tests", action="store_true", help="only --seeds and graphs of gc-fuzz")
    parser.add_argument("--count", type=int, default=500, help="number of mutants")
    parser.add_argument("--first", type=int, default=0, help="index of the first mutant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--time-limit", type=float, default=20, help="seconds for one run")
    parser.add_argument("--memory", type=int, default=8, help="GiB for one run; 0: no limit")
    parser.add_argument(
        "--mlir-opt",
        default="/usr/lib/llvm-22/bin/mlir-opt",
        help="a stock mlir-opt, to tell its bytecode reader's faults from ours",
    )
    parser.add_argument("--output-dir", type=pathlib.Path, default="gc-fuzz-failures")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    folders = list(arguments.seeds)
    if not arguments.no_tests:
        folders += [SOURCE / "test", SOURCE / "examples"]
    seeds = collect_seeds(folders, arguments.tools, graphs=40)
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    counts = collections.Counter()
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = []
        for index in range(arguments.first, arguments.first + arguments.count):
            suffix, data = make_mutant(seeds, arguments.seed, index)
            jobs.append((index, pool.submit(check, arguments, index, suffix, data)))
        for index, job in jobs:
            results = job.result()
            bad += any(not good for _, _, good, _ in results)
            for command, outcome, good, out in results:
                counts[f"{command[0].name} {outcome}"] += 1
                if good and outcome != "check failed":
                    continue
                print(f"mutant {index}: {outcome}: {' '.join(map(str, command))}")
                print("  " + "\n  ".join(out.decode(errors="replace").splitlines()[:4]))
    print(f"{len(seeds)} seeds, {arguments.count} mutants, {bad} bad")
    for outcome, count in sorted(counts.items()):
        print(f"  {outcome}: {count}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
