# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# For scripts that are called as SCRIPT BUILD_DIR ... and build with a sanitizer.

# Ends the script with status 2 if BUILD_DIR ($1) is not a configured build tree
# or its compiler cannot link programs with the sanitizer ($2, as in
# -fsanitize=thread).
gc_need_sanitizer() {
  gc_compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt" 2>/dev/null) || {
    echo "$0: $1 is not a configured build tree" >&2
    exit 2
  }
  gc_probe=$(mktemp)
  trap 'rm -f "$gc_probe"' EXIT
  if ! echo 'int main() {}' |
    "$gc_compiler" "-fsanitize=$2" -x c++ - -o "$gc_probe" 2>/dev/null; then
    echo "$0: $gc_compiler cannot link programs with the $2 sanitizer;" \
      "for clang++-22, install libclang-rt-22-dev:" >&2
    echo "  apt-get install libclang-rt-22-dev" >&2
    exit 2
  fi
}
