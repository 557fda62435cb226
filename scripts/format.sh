#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Formats the C and C++ files that git knows, or only says which are not
# formatted:
#
#   scripts/format.sh [--check]
#
# CLANG_FORMAT names the program; version 22 is preferred, 14 makes small
# differences. With --check the exit code is 1 if a file is not formatted.

set -eu
cd "$(dirname "$0")/.."

format=${CLANG_FORMAT:-$(command -v clang-format-22 || command -v clang-format)} ||
  { echo "$0: clang-format is not installed" >&2; exit 2; }
case $# in
0) check= ;;
1) [ "$1" = --check ] || { echo "usage: $0 [--check]" >&2; exit 2; }
   check=1 ;;
*) echo "usage: $0 [--check]" >&2; exit 2 ;;
esac

files=$(git ls-files '*.h' '*.c' '*.cpp')
if [ -z "$check" ]; then
  exec "$format" -i $files
fi
status=0
for file in $files; do
  "$format" "$file" | cmp -s - "$file" || { echo "$file"; status=1; }
done
exit $status
