# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Types what the first line of an explanation advises.

    type-option.py FORM OPTION... INPUT

Runs gc-runner --explain, checks that what it says to try has the form, a regular
expression, and types it: a command is run as a shell would run it, and the
options that follow, or that are all there is, are added to those of gc-runner.
"""

import re
import shlex
import subprocess
import sys

form, *arguments = sys.argv[1:]
runner = ["gc-runner", *arguments, "--threads=2"]


def run(command):
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if result.returncode != 0:
        sys.exit(f"{shlex.join(command)}\nfails:\n{result.stdout}")
    return result.stdout


line = run(runner + ["--explain"]).splitlines()[0]
match = re.search(r"; try ((?:--|gc-).+?) \(", line)
if not match or not re.fullmatch(form, match.group(1)):
    sys.exit(f"not of the form {form}: {line}")
*commands, options = match.group(1).split(", then ")
for command in commands:
    # A search that is short.
    run(shlex.split(command) + ["--rounds=1", "--samples=2"])
# An option takes the place of the same one.
options = shlex.split(options)
names = [option.split("=")[0] for option in options]
kept = [word for word in runner if word.split("=")[0] not in names]
run(kept + options + ["--check", "--strict"])
