# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A wheel of the Python package with the compiler's libraries inside.

They come from the build tree that GC_BUILD_DIR names, brought up to date; without
it, from a new one, configured with the arguments in CMAKE_ARGS. libMLIR and
libLLVM are the system's.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).resolve().parents[1]
TARGETS = ("GCPython", "gc_c", "gc_dnnl_graph", "gc_runtime_static")
LIBRARIES = ("libgc_c.so.0", "libgc_dnnl_graph.so.0", "libgc_runtime.a")


class CMakeBuild(build_ext):
    """Builds with CMake, and copies what the package needs."""

    def build_extension(self, extension):
        build = os.environ.get("GC_BUILD_DIR")
        if build is None:
            build = pathlib.Path(self.build_temp).resolve()
            build.mkdir(parents=True, exist_ok=True)
            self._run(
                *("cmake", "-S", SOURCE, "-B", build),
                *("-DCMAKE_BUILD_TYPE=Release", "-DGC_BUILD_TESTS=OFF"),
                *("-DGC_ENABLE_PYTHON=ON", f"-DGC_PYTHON={sys.executable}"),
                *shlex.split(os.environ.get("CMAKE_ARGS", "")),
            )
        build = pathlib.Path(build)
        self._run("cmake", "--build", build, "--target", *TARGETS)
        package = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        # The module, with the path to its libraries that the package has.
        self._run(
            *("cmake", "--install", build, "--component", "python-wheel"),
            *("--prefix", package.parent),
        )
        (package / "lib").mkdir(parents=True, exist_ok=True)
        for library in LIBRARIES:
            shutil.copy(build / "lib" / library, package / "lib" / library)

    @staticmethod
    def _run(*command):
        subprocess.run([str(word) for word in command], check=True)


setup(
    packages=["gc_compiler"],
    ext_modules=[Extension("gc_compiler._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
