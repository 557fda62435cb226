# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Who may know whom: the rooms of include/ and lib/, and what each may include.

    layers.py SOURCE [--complete]

Reads every #include of a header of ours, of MLIR or of LLVM, and every LINK of
gc_add_library, and prints one line for each that the tables below do not allow;
with --complete also one for each entry of a table that nothing needs.
"""

import os
import re
import sys

DIALECTS = ["Dialect/Graph", "Dialect/Npu", "Dialect/Poly", "Dialect/TensorIR"]
CONVERSIONS = ["Conversion/GraphToPoly", "Conversion/GraphToTensorIR",
               "Conversion/LinalgToGraph", "Conversion/NpuToLLVM",
               "Conversion/PolyToNpu", "Conversion/TensorIRToLLVM",
               "Conversion/ToGraph", "Conversion/TosaToGraph"]
RUNTIME_ABI = "Runtime/Runtime.h"

# What the design says of a room: (the other rooms or headers it may include, the
# libraries of LLVM's project that it may include). A room may always include
# itself. A conversion knows the two dialects of its name.
ROOMS = {
    "Machine": ([], ["llvm"]),
    "NpuModel": ([], []),
    "Runtime": ([], []),
    "Simulator": (["NpuModel"], []),
    # Headers for programs, which stand alone.
    "dnnl": ([], []),
    "Support": (["Machine"], ["llvm", "mlir"]),
    "Dialect/Graph": (["Machine"], ["llvm", "mlir"]),
    "Dialect/Npu": (["NpuModel"], ["llvm", "mlir"]),
    "Dialect/Poly": (["NpuModel"], ["llvm", "mlir"]),
    "Dialect/TensorIR": (["Machine"], ["llvm", "mlir"]),
    "Reference": (["Dialect/Graph"], ["llvm", "mlir"]),
    # The declarations of all passes.
    "Conversion": ([], ["llvm", "mlir"]),
    "Conversion/GraphToPoly": (["Dialect/Graph", "Dialect/Poly"], ["llvm", "mlir"]),
    "Conversion/GraphToTensorIR":
        (["Dialect/Graph", "Dialect/TensorIR"], ["llvm", "mlir"]),
    "Conversion/LinalgToGraph": (["Dialect/Graph"], ["llvm", "mlir"]),
    "Conversion/NpuToLLVM": (["Dialect/Npu"], ["llvm", "mlir"]),
    "Conversion/PolyToNpu": (["Dialect/Npu", "Dialect/Poly"], ["llvm", "mlir"]),
    "Conversion/TensorIRToLLVM": (["Dialect/TensorIR"], ["llvm", "mlir"]),
    "Conversion/ToGraph": (["Dialect/Graph"], ["llvm", "mlir"]),
    "Conversion/TosaToGraph": (["Dialect/Graph"], ["llvm", "mlir"]),
    # Pipelines of all passes.
    "Transforms":
        (DIALECTS + CONVERSIONS + ["Conversion", "Machine"], ["llvm", "mlir"]),
    "Target": (["Dialect/Graph", "Dialect/Npu", "Dialect/TensorIR"],
               ["llvm", "mlir"]),
}

# What is allowed beyond that, and why.
SHARED = "what has no dialect: records of decisions, types, the module's machine"
DECLARATIONS = "the base classes of passes, which one .td declares"
BUILDER = "the builder of graph ops that readers of other dialects share"
EXCEPTIONS = {
    **{(room, "Support"): SHARED for room in [
        "Dialect/Graph", "Dialect/Npu", "Dialect/Poly", "Dialect/TensorIR",
        "Conversion/GraphToTensorIR", "Conversion/NpuToLLVM", "Conversion/PolyToNpu", "Conversion/TensorIRToLLVM",
        "Transforms"]},
    **{(room, "Conversion"): DECLARATIONS for room in CONVERSIONS
       if room != "Conversion/ToGraph"},
    ("Dialect/Poly", "Dialect/Npu"):
        "statements become ops on tiles in the memories of one target; a second one "
        "would make this an interface",
    ("Conversion/GraphToPoly", "Dialect/Npu"):
        "asks which types and memories that target has, and marks the functions "
        "that become its programs",
    ("Conversion/GraphToPoly", "Conversion/ToGraph"): BUILDER
        + "; linalg ops are read into the same kernels",
    ("Conversion/LinalgToGraph", "Conversion/ToGraph"): BUILDER,
    ("Conversion/TosaToGraph", "Conversion/ToGraph"): BUILDER,
    ("Conversion/GraphToTensorIR", "Machine"):
        "kernel specifications, which the Graph dialect decided on",
    ("Conversion/TensorIRToLLVM", "Machine"):
        "the instruction sets that code may use",
    ("Conversion/TensorIRToLLVM", RUNTIME_ABI):
        "programs link the runtime without a compiler: its header is a plain C "
        "interface, and this conversion writes calls of it",
}
for (room, other), reason in EXCEPTIONS.items():
    assert reason and other not in ROOMS[room][0], (room, other)
    ROOMS[room][0].append(other)

# These know everything.
FREE = ["CAPI", "Driver"]

# Edges that exist.
used = set()

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
LIBRARY = re.compile(r"gc_add_library\(\s*(\w+)([^)]*)\)")
LLVM_PROJECTS = ("llvm", "mlir", "clang", "lld")


def find_room(path):
    """The room of a path below include/ or lib/: the longest that is named."""
    rooms = [room for room in list(ROOMS) + FREE
             if path == room or path.startswith(room + "/")]
    return max(rooms, key=len) if rooms else None


def is_allowed(room, target):
    """Whether a file in `room` may include the header `target`."""
    others, projects = ROOMS[room]
    if target.split("/")[0] in LLVM_PROJECTS:
        return target.split("/")[0] in projects
    to = find_room(target)
    used.update([(room, to), (room, target)])
    return (to is None or to == room or to in others
            or target in others)


def describe(room):
    others, projects = ROOMS[room]
    return ", ".join(others + [name + "/" for name in projects]) or "nothing else"


def list_files(source):
    for top in ("include", "lib"):
        for folder, _, files in sorted(os.walk(os.path.join(source, top))):
            for name in sorted(files):
                path = os.path.join(folder, name)
                yield path, os.path.relpath(path, os.path.join(source, top))


def check_includes(source):
    for path, below in list_files(source):
        if not path.endswith((".h", ".cpp", ".c", ".td", ".inc")):
            continue
        room = find_room(below)
        name = os.path.relpath(path, source)
        if room is None:
            yield f"{name}: '{os.path.dirname(below)}' is in no room of the table"
            continue
        if room in FREE:
            continue
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                match = INCLUDE.match(line)
                if not match and path.endswith(".td"):
                    match = re.match(r'^include "([^"]+)"', line)
                if not match:
                    continue
                target = match.group(1)
                if ".." in target.split("/"):
                    target = os.path.normpath(
                        os.path.join(os.path.dirname(below), target))
                if not is_allowed(room, target):
                    yield (f"{name}:{number}: {room} must not know '{target}'; it "
                           f"may know {describe(room)}")


def check_links(source):
    rooms, links = {}, []
    for path, below in list_files(source):
        if os.path.basename(path) != "CMakeLists.txt":
            continue
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"#.*", "", file.read())
        for match in LIBRARY.finditer(text):
            name, words = match.group(1), match.group(2).split()
            rooms[name] = find_room(os.path.dirname(below))
            linked = words[words.index("LINK") + 1:] if "LINK" in words else []
            links.append((os.path.relpath(path, source), name,
                          [word for word in linked if word.startswith("GC")]))
    for path, name, linked in links:
        room = rooms[name]
        for other in linked:
            to = rooms.get(other)
            if room in FREE or room is None or to is None or to == room:
                continue
            used.add((room, to))
            if to not in ROOMS[room][0]:
                yield (f"{path}: {name} must not link {other}: {room} may know "
                       f"{describe(room)}")


def main():
    source = sys.argv[1]
    errors = list(check_includes(source)) + list(check_links(source))
    if "--complete" in sys.argv[2:]:
        errors += [f"{room} need not know {other}"
                   for room, (others, _) in ROOMS.items()
                   for other in others if (room, other) not in used]
    print("\n".join(errors) if errors else "every room knows whom it may know")
    sys.exit(1 if errors else 0)


main()
