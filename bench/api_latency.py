#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Graph API adds to the time of an execution, and how long a
compilation takes whose code is in the cache.

Builds api/latency, which calls the C interface and the Graph API of one build
in one process, runs it on one thread and prints a Markdown table. Exit codes: 0
measured, 1 a call failed, 2 usage or set-up.
"""

import argparse
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import peers  # noqa: E402


class Latency(peers.CompiledPeer):
    """The program in api/latency."""

    name = title = "api-latency"
    folder = os.path.join("api", "latency")

    def prepare(self):
        self.binary = os.path.join(self.directory, "api-latency")
        folder = os.path.join(self.options.build_dir, "lib")
        for library in ("libgc_c.so", "libgc_dnnl_graph.so"):
            if not os.path.exists(os.path.join(folder, library)):
                raise peers.SetupError(f"{folder} has no {library}")
        if self.is_built():
            return
        include = os.path.join(os.path.dirname(HERE), "include")
        self.build(self.compiler(),
                   ["-O2", f"-I{include}", f"-I{include}/dnnl"],
                   [f"-L{folder}", "-lgc_c", "-lgc_dnnl_graph",
                    f"-Wl,-rpath,{folder}"])


def table(result):
    """The Markdown lines of a result, times in microseconds."""
    lines = ["| execution, tensors | C interface µs | Graph API µs | added µs |",
             "|---|---|---|---|"]
    lines += [f"| {r['tensors']} | {r['c_ns'] / 1e3:.2f} "
              f"| {r['api_ns'] / 1e3:.2f} | {r['added_ns'] / 1e3:.2f} |"
              for r in result["execute"]]
    lines += ["", "| compilation from the cache, ops | µs "
              "| with create and destroy µs |", "|---|---|---|"]
    lines += [f"| {r['ops']} | {r['compile_ns'] / 1e3:.2f} "
              f"| {r['new_ns'] / 1e3:.2f} |" for r in result["cached"]]
    return lines


def main(arguments):
    root = os.path.dirname(HERE)
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build-dir", default=os.path.join(root, "build"))
    parser.add_argument("--batches", type=int, default=2000, metavar="N",
                        help="timed batches of each kind (default 2000)")
    options = parser.parse_args(arguments)
    options.build_dir = os.path.abspath(options.build_dir)
    options.install = False
    program = Latency(options)
    try:
        program.prepare()
    except peers.SetupError as error:
        print(f"api_latency: {error}", file=sys.stderr)
        return 2
    done = subprocess.run([program.binary, f"--batches={options.batches}"],
                          env=dict(os.environ, OMP_NUM_THREADS="1"),
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return 1
    print("\n".join(table(json.loads(done.stdout))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
