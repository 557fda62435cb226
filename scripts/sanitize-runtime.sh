#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Builds the runtime and its unit tests with the address and undefined-behaviour
# sanitizers, then with the thread sanitizer, and runs them.
#
#   scripts/sanitize-runtime.sh BUILD_DIR
#
# Needs clang-22 and libclang-rt-22-dev. BUILD_DIR gets one subfolder for each.
# The exit status is that of the first thing that failed.

set -eu

if [ $# -ne 1 ]; then
  echo "usage: $0 BUILD_DIR" >&2
  exit 2
fi
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build_dir=$1

build() { # name, flags
  cmake -S "$source_dir" -B "$build_dir/$1" -G Ninja \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGC_BUILD_TESTS=ON \
    -DCMAKE_C_FLAGS="$2" -DCMAKE_CXX_FLAGS="$2" >"$build_dir/$1.log" ||
    { cat "$build_dir/$1.log" >&2; exit 1; }
  ninja -C "$build_dir/$1" GCRuntimeTests GCStandaloneRuntimeTests
}

mkdir -p "$build_dir"

# -fsanitize=function looks for type information before every function called
# through a pointer; JIT-compiled kernels have none.
build address "-fsanitize=address,undefined -fno-sanitize=function \
-fno-sanitize-recover=all -fno-omit-frame-pointer"
# Some tests ask for more memory than there is, and expect an error. The OpenMP
# library keeps a little memory for each team it ever made.
echo "leak:libomp" >"$build_dir/leaks.supp"
ASAN_OPTIONS=allocator_may_return_null=1 \
LSAN_OPTIONS=suppressions="$build_dir/leaks.supp":print_suppressions=0 \
  "$build_dir/address/bin/GCRuntimeTests" --gtest_brief=1
"$build_dir/address/bin/GCStandaloneRuntimeTests" --gtest_brief=1

# The OpenMP library is not instrumented: the sanitizer does not see that it
# orders a region's threads, and would report every access on both sides of a
# fork. What those tests cover beyond the executor is also run on the pool of
# plain threads.
build thread "-fsanitize=thread -fno-omit-frame-pointer"
TSAN_OPTIONS=halt_on_error=1:allocator_may_return_null=1 \
  "$build_dir/thread/bin/GCRuntimeTests" --gtest_brief=1 \
  --gtest_filter='-OpenMP*'
# The sanitizer does not follow a process of several threads into its child.
TSAN_OPTIONS=halt_on_error=1 \
  "$build_dir/thread/bin/GCStandaloneRuntimeTests" --gtest_brief=1 \
  --gtest_filter='-*AChildProcess*'
