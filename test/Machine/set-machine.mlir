// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The description of a preset is its name; that of a file has all facts.

// RUN: split-file %s %t
// RUN: gc-opt %t/plain.mlir --pass-pipeline="builtin.module(gc-set-machine{machine=zen4-2})" | FileCheck %s --check-prefix=PRESET
// RUN: gc-opt %t/plain.mlir --machine=zen4-2 | FileCheck %s --check-prefix=PRESET
// RUN: gc-opt %t/described.mlir --machine=zen4-2 | FileCheck %s --check-prefix=REPLACED
// RUN: %python %S/Inputs/edit.py %gc_source/lib/Machine/presets/zen3-2.json %t/mine.json 'name="mine"' cores=6 memory.bytes_per_cycle=2.5
// RUN: gc-opt %t/plain.mlir --machine=%t/mine.json | FileCheck %s --check-prefix=FILE

// A file with the name of a preset is what differs from it.
// RUN: %python %S/Inputs/edit.py %gc_source/lib/Machine/presets/zen3-2.json %t/mine.json cores=6
// RUN: gc-opt %t/plain.mlir --machine=%t/mine.json | FileCheck %s --check-prefix=DIFFERENT

// The printed description can be read back.
// RUN: %python %S/Inputs/edit.py %gc_source/lib/Machine/presets/server-avx512-64.json %t/mine.json 'name="mine"'
// RUN: gc-opt %t/plain.mlir --machine=%t/mine.json --graph-infer-shapes | gc-opt --pass-pipeline="builtin.module(func.func(graph-select-template))" -o /dev/null

// PRESET: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen4-2">>}

// Other devices stay.
// REPLACED: #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"max_vector_op_width" = 64 : i64>, "CPU" = #dlti.target_device_spec<"machine" = "zen4-2">>

// FILE: "CPU" = #dlti.target_device_spec<"name" = "mine", "cpu" = "znver3", "features" = ["sse3",
// FILE-SAME: "num_threads" = 6 : i64, "max_vector_op_width" = 256 : i64,
// FILE-SAME: "L2_cache_size_in_bytes" = 524288 : i64,
// FILE-SAME: "memory.bytes_per_cycle" = 2.500000e+00 : f64,
// FILE-SAME: "kernels" = [{isa = "",

// DIFFERENT: "CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 6 : i64>

//--- plain.mlir
func.func @f() {
  return
}

//--- described.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"num_threads" = 3 : i64>,
    "GPU" = #dlti.target_device_spec<"max_vector_op_width" = 64 : i64>>} {
}
