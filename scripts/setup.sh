# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Sourced by run.sh and test.sh: what a build needs on Debian 12, and the
# functions that install it, configure and build. Settings, all optional:
#
#   CC, CXX        the compilers, default clang-22
#   GC_BUILD_DIR   default build, next to scripts
#   GC_CMAKE_ARGS  more arguments for CMake

GC_SOURCE_DIR=$(cd "$(dirname "$0")/.." && pwd)
GC_BUILD_DIR=${GC_BUILD_DIR:-$GC_SOURCE_DIR/build}

# LLVM and MLIR come from Debian's security suite, the rest from the main one.
GC_PACKAGES="cmake ninja-build libmlir-22-dev llvm-22-dev llvm-22-tools
  mlir-22-tools libomp-22-dev libxsmm-dev libisl-dev libonnx-dev
  libprotobuf-dev libzstd-dev lld-22 python3 zlib1g-dev"
# The Python package gc_compiler is built where these are.
GC_PYTHON_PACKAGES="python3-dev pybind11-dev python3-numpy"
GC_TEST_PACKAGES="chromium libgtest-dev libonnx-testdata nlohmann-json3-dev
  python3-onnx python3-pip python3-psutil python3-pytest python3-matplotlib
  python3-setuptools python3-wheel $GC_PYTHON_PACKAGES"
# Only the scripts sanitize-*.sh need it; nothing installs it.
GC_SANITIZER_PACKAGES="libclang-rt-22-dev"
if [ -z "${CC:-}${CXX:-}" ]; then
  GC_PACKAGES="$GC_PACKAGES clang-22"
  CC=clang-22 CXX=clang++-22
fi

gc_fail() {
  echo "$(basename "$0"): $*" >&2
  exit 2
}

# gc_install PACKAGE...: installs those that are missing, and says which.
gc_install() {
  command -v dpkg-query >/dev/null ||
    gc_fail "this is not Debian; needed are the equivalents of: $*"
  gc_missing=
  for gc_package in "$@"; do
    case $(dpkg-query -W -f='${Status}' "$gc_package" 2>/dev/null) in
    *" installed") ;;
    *) gc_missing="$gc_missing $gc_package" ;;
    esac
  done
  [ -n "$gc_missing" ] || return 0
  echo "Installing with apt:$gc_missing"
  if [ "$(id -u)" = 0 ]; then
    gc_sudo=
  elif command -v sudo >/dev/null; then
    gc_sudo=sudo
  else
    gc_fail "installing needs root or sudo; as root, run:" \
      "apt-get update && apt-get install$gc_missing"
  fi
  $gc_sudo apt-get update -q || gc_fail "apt-get update failed"
  for gc_package in $gc_missing; do
    [ -n "$(apt-cache madison "$gc_package")" ] ||
      gc_fail "apt knows no package $gc_package; Debian 12 with its security" \
        "suite (bookworm-security) has it"
  done
  $gc_sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $gc_missing ||
    gc_fail "apt-get could not install:$gc_missing"
}

# gc_configure ARGUMENT...: runs CMake, afresh if the compiler changed.
gc_configure() {
  if [ -z "${CC:-}" ] || [ -z "${CXX:-}" ]; then
    gc_fail "set both CC and CXX, or neither"
  fi
  export CC CXX
  gc_cxx=$(command -v "$CXX") || gc_fail "there is no compiler '$CXX'"
  command -v "$CC" >/dev/null || gc_fail "there is no compiler '$CC'"
  gc_cache=$GC_BUILD_DIR/CMakeCache.txt
  if [ -f "$gc_cache" ] &&
    ! grep -q "^CMAKE_CXX_COMPILER:[A-Z]*=$gc_cxx\$" "$gc_cache"; then
    echo "Configuring afresh for $CXX"
    rm -rf "$gc_cache" "$GC_BUILD_DIR/CMakeFiles"
  fi
  cmake -S "$GC_SOURCE_DIR" -B "$GC_BUILD_DIR" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release "$@" ${GC_CMAKE_ARGS:-} ||
    gc_fail "configuring failed"
}

# gc_build TARGET...: everything if no target is named.
gc_build() {
  cmake --build "$GC_BUILD_DIR" ${1:+--target "$@"} ||
    gc_fail "the build failed"
}
