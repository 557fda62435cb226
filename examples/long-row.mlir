// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RMS norm of one long row, for docs/row-passes.md: its sum leaves nothing to
// share among threads until it becomes two. The caches are stated, so that every
// host takes the same decisions.

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "L1_cache_size_in_bytes" = 32768 : i64, "L2_cache_size_in_bytes" = 524288 : i64, "L3_cache_size_in_bytes" = 33554432 : i64>>} {
func.func @long_row(%x: tensor<1x1000000xf32>) -> tensor<1x1000000xf32> {
  %0 = graph.rms_norm %x {begin_norm_axis = -1 : i64} : (tensor<1x1000000xf32>) -> tensor<1x1000000xf32>
  return %0 : tensor<1x1000000xf32>
}
}
