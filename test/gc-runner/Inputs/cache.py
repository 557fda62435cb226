# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What cache.test cannot say in a line.

    cache.py same REPORT REPORT     reports agree in what is not a time
    cache.py break FOLDER           damages every file, each in another way
    cache.py bound GRAPH FOLDER     the limit of the folder
    cache.py together GRAPH FOLDER  processes that run at the same time
"""

import json
import os
import subprocess
import sys
import time


def run(graph, folder, threads, **variables):
    command = ["gc-runner", graph, f"--cache={folder}", f"--threads={threads}", "--check"]
    return subprocess.Popen(command, env={**os.environ, **variables},
                            stdout=subprocess.DEVNULL)


def same(first, second):
    reports = [json.load(open(path)) for path in (first, second)]
    for name in ("name", "threads", "flops", "fused_ops", "parallel_regions",
                 "arena_bytes", "constant_bytes", "regions"):
        a, b = (report[name] for report in reports)
        if name == "regions":
            a, b = ([{k: v for k, v in region.items() if k != "measured_ms"}
                     for region in regions] for regions in (a, b))
        assert a == b, name


def damage(folder):
    for number, name in enumerate(sorted(os.listdir(folder))):
        path = os.path.join(folder, name)
        data = bytearray(open(path, "rb").read())
        if number % 4 == 0:
            data[len(data) // 2] ^= 1
        elif number % 4 == 1:
            data = data[: len(data) // 2]
        elif number % 4 == 2:
            data = b""
        else:
            data = os.urandom(len(data))
        with open(path, "wb") as file:
            file.write(data)


def bound(graph, folder):
    assert run(graph, folder, 1).wait() == 0
    (first,) = os.listdir(folder)
    size = os.path.getsize(os.path.join(folder, first))
    limit = str(int(2.5 * size))
    for threads in (2, 3, 4):
        time.sleep(0.02)
        assert run(graph, folder, threads, GC_CACHE_BYTES=limit).wait() == 0
        total = sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))
        assert total <= int(limit), (total, limit)
    assert first not in os.listdir(folder)
    # Less than one file: nothing is kept, and nothing fails.
    assert run(graph, folder, 5, GC_CACHE_BYTES="10").wait() == 0


def together(graph, folder):
    processes = [run(graph, folder, 1 + i % 2) for i in range(6)]
    assert all(process.wait() == 0 for process in processes)
    files = os.listdir(folder)
    assert len(files) == 2, files


{"same": same, "break": damage, "bound": bound, "together": together}[sys.argv[1]](
    *sys.argv[2:])
