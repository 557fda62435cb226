# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random TOSA and linalg programs, with and without GC in the pipeline.

    compare.py --plugin=GCPlugin.so --libs=A.so,B.so --work=FOLDER [--seed=N]
               [--count=N] [--batch=N]

Half of the programs are TOSA, half linalg; half of each have ops that stay
upstream's. All are run by mlir-runner: lowered by upstream passes alone, with
gc-outline and gc-cpu-pipeline before these, and, for TOSA, with the same after
upstream's lowering to linalg. Compared are the values; and of what gc-outline
leaves:

- no contraction stays outside of outlined functions,
- a function of which nothing is outlined is what it was.
"""

import argparse
import os
import random
import re
import subprocess
import sys

from program import dense, tensor
import programs

TO_LINALG = ("func.func(tosa-to-linalg-named),func.func(canonicalize),"
             "func.func(tosa-to-linalg,tosa-to-arith,tosa-to-tensor)")
BELOW = ("canonicalize,one-shot-bufferize{bufferize-function-boundaries "
         "function-boundary-type-conversion=identity-layout-map},"
         "convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,"
         "lower-affine,convert-math-to-llvm,convert-math-to-libm,"
         "finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
         "convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts")
GC = "gc-cpu-pipeline{abi=memref threads=2}"
CONTRACTION = re.compile(r"tosa\.(\w*conv\w*|matmul)|linalg\.\w*conv_2d")


def call(command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nfails:\n{result.stderr[:4000]}")
    return result.stdout


def make_main(all_programs, rng):
    """A function that calls each program and prints its results."""
    lines = []
    for program in all_programs:
        name, names = program.name, []
        for i, (_, shape) in enumerate(program.arguments):
            names.append(f"%{name}_{i}")
            lines.append(f"{names[-1]} = {dense(shape, rng)}")
        types = ", ".join(tensor(s) for _, s in program.arguments)
        results = ", ".join(tensor(s) for s in program.results)
        lines.append(f"%{name}:{len(program.results)} = call @{name}("
                     f"{', '.join(names)}) : ({types}) -> ({results})")
        for i, shape in enumerate(program.results):
            lines += [f"%{name}_r{i} = tensor.cast %{name}#{i} : "
                      f"{tensor(shape)} to tensor<*xf32>",
                      f"call @printMemrefF32(%{name}_r{i}) : "
                      "(tensor<*xf32>) -> ()"]
    body = "\n  ".join(lines)
    return ("func.func private @printMemrefF32(tensor<*xf32>)\n"
            f"func.func @main() {{\n  {body}\n  return\n}}\n")


def read_results(text):
    """The printed tensors, each a list of numbers."""
    tensors = []
    for part in text.split("data =")[1:]:
        part = part.split("Unranked")[0]
        tensors.append([float(v) for v in re.findall(
            r"[-+]?(?:nan|inf|\d[\d.]*(?:e[-+]?\d+)?)", part)])
    return tensors


def is_close(expected, actual):
    """To 1e-4 of the largest finite value of the tensor."""
    if len(expected) != len(actual):
        return False
    scale = max([abs(v) for v in expected if abs(v) < 1e30], default=0)
    return all((e != e and a != a) or e == a or
               abs(e - a) <= 1e-4 * scale + 1e-6
               for e, a in zip(expected, actual))


def split_functions(text):
    return {m.group(2): m.group(0) for m in re.finditer(
        r"^  func\.func (private )?@(\w+)\(.*?^  }$", text, re.M | re.S)}


def check_outlined(before, after):
    """What gc-outline has left; returns the number of outlined functions."""
    old, new = split_functions(before), split_functions(after)
    outlined = [name for name in new if name not in old]
    for name, text in old.items():
        if CONTRACTION.search(new[name]):
            sys.exit(f"a contraction stays in\n{new[name]}")
        if not any(o.startswith(name + "_graph_") for o in outlined) and \
                new[name] != text:
            sys.exit(f"nothing is outlined, but\n{text}\nbecomes\n{new[name]}")
    return len(outlined)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--libs", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--batch", type=int, default=10)
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    plugins = [f"--load-dialect-plugin={args.plugin}",
               f"--load-pass-plugin={args.plugin}"]

    def optimize(file, passes):
        return call(["mlir-opt", file, *plugins, "--mlir-print-local-scope",
                     f"--pass-pipeline=builtin.module({passes})"])

    def run(file, passes):
        code = optimize(file, passes)
        return read_results(call(
            ["mlir-runner", "-", "-e", "main", "--entry-point-result=void",
             f"--shared-libs={args.libs}"], code))

    total = outlined = failures = 0
    for first in range(0, args.count, args.batch):
        kind = "tosa" if first // args.batch % 2 == 0 else "linalg"
        made = []
        for i in range(first, min(first + args.batch, args.count)):
            foreign = [0, 0.4, 0, 0.4, 0, 1, 0, 0.3, 0, 0.3][i % 10]
            made.append(programs.generate(f"p{i}", kind, args.seed * 1000003 + i,
                                          foreign))
        rng = random.Random(args.seed + first)
        text = make_main([p for p, _ in made], rng) + "".join(t for _, t in made)
        file = os.path.join(args.work, f"batch{first}.mlir")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(text)
        # Contractions that nothing reads go away first. Every other time, what
        # is cheap is outlined as well.
        outline = ["gc-outline", "gc-outline{min-ops=1 min-elements=1}"][
            first // args.batch // 2 % 2]
        outlined += check_outlined(optimize(file, "canonicalize"),
                                   optimize(file, f"canonicalize,{outline}"))
        expected = run(file, f"{TO_LINALG},{BELOW}")
        ways = {"gc-outline": f"{outline},{GC},{TO_LINALG},{BELOW}"}
        if kind == "tosa":
            ways["gc-outline of linalg"] = f"{TO_LINALG},{outline},{GC},{BELOW}"
        for way, passes in ways.items():
            actual = run(file, passes)
            at = 0
            for program, _ in made:
                for i in range(len(program.results)):
                    if not is_close(expected[at], actual[at]):
                        failures += 1
                        print(f"{file}: @{program.name} with {way}: result {i} "
                              f"is {actual[at][:8]} instead of "
                              f"{expected[at][:8]}")
                    at += 1
        total += len(made)
    print(f"{total} programs, {outlined} outlined functions, {failures} differ")
    sys.exit(1 if failures else 0)


main()
