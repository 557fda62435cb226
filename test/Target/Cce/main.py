# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The main function around a C text: an error of a program is reported with the
# line of the text and exit code 1, a wrong command line has exit code 2.
#
# RUN: %python %s %t.dir %S/Inputs/race.mlir

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from cce import call, compile_text


def expect(code, message, *command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = done.stderr.decode()
    assert done.returncode == code, (command, done.returncode, text)
    assert text.startswith("error: ") and message in text, (command, text)
    assert not done.stdout, (command, done.stdout)


directory, path = sys.argv[1:]
os.makedirs(directory, exist_ok=True)
text = os.path.join(directory, "race.cpp")
call("gc-translate", "--npu-to-cce", path, "-o", text)
program = compile_text(directory, "race")
with open(text) as file:
    lines = [line.strip() for line in file]
add = next(i for i, line in enumerate(lines, 1) if line.startswith("vadd("))
load = next(i for i, line in enumerate(lines, 1) if line.startswith("copy_gm_to_ubuf("))

expect(1, f"line {add}: race", program, "--entry=race", "--mode=cycles")
expect(1, f"the other instruction: line {load}", program, "--entry=race", "--mode=cycles")
expect(2, "choose one of the programs with --entry: race, nothing", program)
expect(2, "choose one of the programs with --entry: race, nothing", program,
       "--entry=rac")
expect(2, "the program takes 2 files, one per tensor, not 1", program, "--entry=race", "x")
expect(2, "there is no profile 'gm65'", program, "--profile=gm65")
expect(2, "there is no mode 'both'", program, "--mode=both")
expect(2, "there is no option '--check'", program, "--check")
expect(2, "the machine has no parameter 'l3_bytes' of value 4", program,
       "--entry=nothing", "--mode=cycles", "--set=l3_bytes=4")

# A file must hold exactly the tensor.
short = os.path.join(directory, "short.bin")
for size in (0, 255, 257):
    with open(short, "wb") as file:
        file.write(bytes(size))
    expect(2, "is not a file of 256 bytes", program, "--entry=race", short, short)
expect(2, "is not a file of 256 bytes", program, "--entry=nothing", directory + "/missing")
report = call(program, "--entry=nothing", "--mode=cycles", "--set=l1_bytes=65536")
assert "cycles 0\n" in report, report
