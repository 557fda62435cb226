# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code in docs/python.md, docs/c-api.md and docs/graph-api.md does what the
pages say."""

import doctest
import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(
    os.environ.get("GC_SOURCE_DIR", pathlib.Path(__file__).parents[2])
)


def test_python_page():
    text = (SOURCE / "docs/python.md").read_text()
    # Lines keep their numbers; doctest would take a fence for output.
    text = re.sub(r"^```.*$", "", text, flags=re.M)
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", "python.md", 0)
    assert len(test.examples) > 20
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_c_page(tmp_path):
    page = (SOURCE / "docs/c-api.md").read_text()
    program = re.search(r"^```c\n(.*?)^```", page, re.M | re.S).group(1)
    output = re.search(r"^```text\n(.*?)^```", page, re.M | re.S).group(1)
    assert (SOURCE / "examples/c/layer.c").read_text().endswith(program)

    libraries = os.environ.get("GC_TEST_LIBDIR")
    if not libraries:
        pytest.skip("GC_TEST_LIBDIR does not say where libgc_c is")
    source, binary = tmp_path / "layer.c", tmp_path / "layer"
    source.write_text(program)
    compiler = os.environ.get("GC_TEST_CC", "cc")
    subprocess.run(
        [
            compiler,
            *("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"),
            f"-I{SOURCE / 'include'}",
            str(source),
            f"-o{binary}",
            f"-L{libraries}",
            "-lgc_c",
            f"-Wl,-rpath,{libraries}",
        ],
        check=True,
    )
    run = subprocess.run([str(binary)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == output


def test_graph_api_page(tmp_path):
    page = (SOURCE / "docs/graph-api.md").read_text()
    program = re.search(r"^```cpp\n(.*?)^```", page, re.M | re.S).group(1)
    output = re.search(r"^```text\n(.*?)^```", page, re.M | re.S).group(1)
    assert (SOURCE / "examples/dnnl-graph/layer.cpp").read_text().endswith(program)

    libraries = os.environ.get("GC_TEST_LIBDIR")
    if not libraries:
        pytest.skip("GC_TEST_LIBDIR does not say where libgc_dnnl_graph is")
    source, binary = tmp_path / "layer.cpp", tmp_path / "layer"
    source.write_text(program)
    compiler = os.environ.get("GC_TEST_CXX", "c++")
    subprocess.run(
        [
            compiler,
            *("-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror"),
            f"-I{SOURCE / 'include/dnnl'}",
            str(source),
            f"-o{binary}",
            f"-L{libraries}",
            "-lgc_dnnl_graph",
            f"-Wl,-rpath,{libraries}",
        ],
        check=True,
    )
    run = subprocess.run([str(binary)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == output
