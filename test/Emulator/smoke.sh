#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The smoke set: small programs, compiled for machines with wide vectors, run and
# compared with the reference.
#
#   smoke.sh TEST_DIR CPU
#
# CPU is the processor that the code is generated for, so that whatever runs this
# needs no more instructions than that; caches and cores are those of the machine
# that each program names. GC_RUNNER is the runner, by default the one on PATH. The
# exit status is 1 if a program failed.

set -u
runner=${GC_RUNNER:-gc-runner} tests=$1 cpu=$2
inputs=$tests/Emulator/Inputs
status=0
log=${TMPDIR:-/tmp}/smoke.$$
trap 'rm -f "$log"' EXIT

check() { # name, file, machine, more arguments
  name=$1 file=$2 machine=$3
  shift 3
  if "$runner" "$file" --machine="$machine" --cpu="$cpu" --check --strict "$@" >"$log" 2>&1; then
    echo "$name: passed"
  else
    echo "$name: FAILED"
    cat "$log"
    status=1
  fi
}

check mlp "$inputs/mlp.mlir" zen4-2 --threads=2
check mlp-server "$inputs/mlp.mlir" server-avx512-64 --threads=3
check attention "$inputs/attention.mlir" zen4-2 --threads=1
check elementwise "$inputs/elementwise.mlir" zen4-2 --threads=1
check integer-casts "$tests/E2E/integer-casts.mlir" zen4-2 --threads=1
check libxsmm-kernel "$inputs/mlp.mlir" zen4-2 --threads=1 --pipeline-options=kernel=libxsmm
check vector-kernel "$inputs/mlp.mlir" zen4-2 --threads=1 --pipeline-options=kernel=vector
check few-rows "$tests/E2E/few-rows.mlir" zen4-2 --entry=three_rows --threads=1
check few-rows-bf16 "$tests/E2E/few-rows.mlir" zen4-2 --entry=three_rows_bf16 --threads=1
# Bochs 2.7 gets GF2P8AFFINEQB wrong, to which shifts of bytes compile.
cpu=$cpu,-gfni
check weights "$tests/E2E/weights.mlir" zen4-2 --entry=groups --threads=1
exit $status
