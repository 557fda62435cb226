# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Mistakes that only numbers at run time make have an error each, the same for
# compiled programs (with the place in the module) and for their C text (with the
# line of the text).
#
# RUN: %python %s %t.dir %S/Inputs/mistakes.mlir

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from cce import call, compile_text

# Program: the message, what is wrong in the module and in the text, and the buffer.
MISTAKES = {
    "neighbour": (
        "vector dup: bytes [544, 800) of ub are not all in the operand's buffer, bytes [512, 768)",
        "npu.vector dup(), %one to %view", "vector_dup(v4", "at 512 :", "alloc_ubuf(512"),
    "slot_of_another": (
        "vector dup: bytes [736, 992) of ub are not all in the operand's buffer, bytes [768, 1024)",
        "npu.vector", "vector_dup(", "npu.slot", "= slot("),
    "negative_slot": (
        "a buffer of 2 slots has no slot -1", "npu.slot", "= slot(", None, None),
    "element": (
        "load_scalar: bytes [256, 258) of ub are not all in the operand's buffer, bytes [0, 256)",
        "npu.load_scalar", "load_ubuf(", "at 0 :", "alloc_ubuf(0"),
    "in_front": (
        "dma reads bytes [-32, 224) of tensor '{0}', which has 256",
        "npu.dma", "copy_gm_to_ubuf(", None, None),
    "far": (
        "the address 549755813888 elements of 2 bytes past byte 0 is far outside of tensor "
        "'{1}', which has 256", "npu.dma", "= element(", None, None),
    "division": ("a division by zero", "arith.floordivsi", "floor_div", None, None),
    "remainder": ("a division by zero", "affine.apply", "floor_mod", None, None),
    "step": ("a loop has a step of -2, so it never ends",
             "scf.for", "check_step(", None, None),
}


def find_lines(path, name, isText):
    """{number: line} of one program."""
    with open(path) as file:
        lines = file.read().split("\n")
    head = f"void {name}__kernel" if isText else f"func.func @{name}("
    begin = next(i for i, line in enumerate(lines) if head in line)
    end = next(i for i in range(begin, len(lines)) if lines[i] == "}")
    return {i + 1: lines[i] for i in range(begin, end)}


def find(lines, what):
    return next(number for number, line in lines.items() if what in line)


def expect(error, *parts):
    for part in parts:
        assert part in error, (part, error)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode, command
    return done.stderr.decode()


directory, path = sys.argv[1:]
os.makedirs(directory, exist_ok=True)
text = os.path.join(directory, "mistakes.cpp")
call("gc-translate", "--npu-to-cce", path, "-o", text)
program = compile_text(directory, "mistakes")
for name, (message, op, intrinsic, alloc, intrinsic_alloc) in MISTAKES.items():
    lines = find_lines(path, name, False)
    for mode in ("values", "cycles"):
        error = run("gc-runner", "--target=npu", f"--entry={name}", f"--mode={mode}", path)
        expect(error, f"mistakes.mlir:{find(lines, op)}:", message.format("arg0", "arg1"))
        if alloc:
            expect(error, f"mistakes.mlir:{find(lines, alloc)}:", ": the buffer")
    lines = find_lines(text, name, True)
    error = run(program, f"--entry={name}", "--mode=cycles")
    expect(error, f"line {find(lines, intrinsic)}: ", message.format("tensor 0", "tensor 1"))
    if alloc:
        expect(error, f"(the buffer: line {find(lines, intrinsic_alloc)})")
