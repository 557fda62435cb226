#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs the smoke set (test/Emulator/smoke.sh) on an emulated processor that has
# AVX-512: programs compiled for the machines zen4-2 and server-avx512-64, on any
# host.
#
#   scripts/emulate-smoke.sh
#
# Needs a build, the emulator's driver (../shared/tools/emulate.sh next to the
# source tree, or GC_EMULATE), and the packages bochs and bochs-term; if one is
# missing, it says so and exits with 77: nothing was checked. Takes some two minutes
# on a quiet machine and more on a busy one, most of it for starting gc-runner and
# its libraries; not part of scripts/test.sh for that reason.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build_dir=${GC_BUILD_DIR:-$source_dir/build}
emulate=${GC_EMULATE:-$source_dir/../shared/tools/emulate.sh}
# What the emulated processor is to Bochs and to LLVM.
cpu=tigerlake

skip() {
  echo "emulate-smoke.sh: skipped: $*" >&2
  exit 77
}
[ -e "$emulate" ] || skip "there is no $emulate"
command -v bochs-bin >/dev/null || skip "bochs is not installed"
[ -x "$build_dir/bin/gc-runner" ] || {
  echo "emulate-smoke.sh: there is no $build_dir/bin/gc-runner" >&2
  exit 2
}

exec timeout "${GC_EMULATE_SECONDS:-1200}" "$emulate" --cpu=$cpu \
  --files="$build_dir/bin/gc-runner" --files="$source_dir/test/Emulator" \
  --files="$source_dir/test/E2E/integer-casts.mlir" \
  --files="$source_dir/test/E2E/weights.mlir" \
  --files="$source_dir/test/E2E/few-rows.mlir" \
  --env=GC_RUNNER="$build_dir/bin/gc-runner" \
  -- /bin/sh "$source_dir/test/Emulator/smoke.sh" "$source_dir/test" $cpu
