# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compiles a header as C11 and C++17 with every compiler that there is, with all
warnings as errors.

    headers.py HEADER [FLAGS...]
"""

import os
import shutil
import subprocess
import sys

header, flags = sys.argv[1], sys.argv[2:]
source = f'#include "{os.path.abspath(header)}"\nint main(void) {{ return 0; }}\n'
for compiler, language in (
    ("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++"),
):
    if not shutil.which(compiler):
        continue
    standard = "c11" if language == "c" else "c++17"
    subprocess.run(
        [compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra",
         "-pedantic", "-Werror", *flags, "-fsyntax-only", "-"],
        input=source, text=True, check=True,
    )
