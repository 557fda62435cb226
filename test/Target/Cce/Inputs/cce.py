# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""C text of NPU programs, compiled with the host's compiler."""

import os
import shutil
import subprocess
import sys


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stderr.decode()}")
    return done.stdout.decode()


def compile_text(directory, name):
    """The program of a C text."""
    compiler = next(c for c in ("c++", "clang++", "g++") if shutil.which(c))
    tool = os.path.realpath(shutil.which("gc-translate"))
    build = os.path.dirname(os.path.dirname(tool))
    source = os.path.abspath(__file__)
    for _ in range(5):
        source = os.path.dirname(source)
    text, program = (os.path.join(directory, name + end) for end in (".cpp", ".out"))
    call(compiler, "-std=c++17", "-O1", "-Wall", "-Werror", "-DGC_CCE_MAIN",
         "-I" + os.path.join(source, "include"), text,
         os.path.join(build, "lib", "libGCSimulator.a"),
         os.path.join(build, "lib", "libGCNpuModel.a"), "-lpthread", "-o", program)
    return program
