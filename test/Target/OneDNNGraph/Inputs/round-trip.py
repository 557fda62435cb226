# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Imports every JSON file under the folders that the arguments name, exports the
module, imports that file again, and compares the two modules. Prints how many
files came back the same, and which did not, with the reason."""

import pathlib
import subprocess
import sys


def translate(option, text=None, path="-"):
    run = subprocess.run(
        ["gc-translate", option, path], input=text, capture_output=True, text=True
    )
    return run.stdout if run.returncode == 0 else None, run.stderr


same, different = 0, []
for folder in sys.argv[1:]:
    for path in sorted(pathlib.Path(folder).rglob("*.json")):
        module, _ = translate("--import-onednn-graph", path=str(path))
        if module is None:
            continue
        exported, message = translate("--export-onednn-graph", module)
        if exported is None:
            different.append((path.name, message.strip()))
            continue
        again, message = translate("--import-onednn-graph", exported)
        # A warning would mean that the file contradicts itself.
        if again == module and not message:
            same += 1
        else:
            different.append((path.name, message.strip() or "another module"))
print("same:", same)
print("different:", len(different))
for name, message in different:
    print(name + ":", message)
