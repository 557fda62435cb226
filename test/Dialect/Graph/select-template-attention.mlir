// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The template of an attention: row panels while a panel fits the cache, blocks
// of keys with online softmax when rows are long, whatever kind of softmax it is.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template{force=attention_template}))" | FileCheck %s --check-prefix=ONLINE
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template{force=attention_panel_template}))" | FileCheck %s --check-prefix=PANELS
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template{alternatives=1}))" --remarks-filter-analyse=graph-select-template --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHERS
// RUN: not gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template{alternatives=-1}))" 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// NEGATIVE: error: option 'alternatives' is negative

// Two cores with AVX-512 and 1 MiB of L2 cache each.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen4-2">>} {

// ONLINE-NOT: attention_panel_template
// PANELS-NOT: attention_template

// The panel of both products: the same blocks and parts of rows, whole rows of
// scores.
// CHECK-LABEL: func.func @short
// CHECK: graph.attention {{.*}} #graph.attention_panel_template<scores = <MPN = 1, NPN = 1, MB = [[MB:[0-9]+]], {{.*}} order = [m, k, n], {{.*}}>, product = <MPN = 1, NPN = 1, MB = [[MB]],
// OTHERS: remark: {{.*}}chosen: #graph.attention_panel_template<{{.*}} cycles
// OTHERS: remark: {{.*}}alternative: #graph.attention_template<{{.*}} cycles
func.func @short(%q: tensor<32x12x128x64xf32>, %k: tensor<32x12x128x64xf32>, %v: tensor<32x12x128x64xf32>) -> tensor<32x12x128x64xf32> {
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<32x12x128x64xf32>, tensor<32x12x128x64xf32>, tensor<32x12x128x64xf32>) -> tensor<32x12x128x64xf32> {
  ^bb0(%s: tensor<32x12x128x128xf32>):
    graph.yield %s : tensor<32x12x128x128xf32>
  }
  return %o : tensor<32x12x128x64xf32>
}

// Online softmax computes whole vectors, 48 columns of these 40.
// CHECK-LABEL: func.func @partial_vector
// CHECK: graph.attention {{.*}} #graph.attention_panel_template<
func.func @partial_vector(%q: tensor<16x1000x40xf32>, %k: tensor<16x1000x40xf32>, %v: tensor<16x1000x40xf32>) -> tensor<16x1000x40xf32> {
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<16x1000x40xf32>, tensor<16x1000x40xf32>, tensor<16x1000x40xf32>) -> tensor<16x1000x40xf32> {
  ^bb0(%s: tensor<16x1000x1000xf32>):
    graph.yield %s : tensor<16x1000x1000xf32>
  }
  return %o : tensor<16x1000x40xf32>
}

// Few rows, so that scores stay in the L1 cache between the products.
// CHECK-LABEL: func.func @narrow
// CHECK: scores = <MPN = 1, NPN = 1, MB = {{8|16}},
// CHECK-LABEL: func.func @more_keys
// CHECK: scores = <MPN = 1, NPN = 1, MB = {{8|16}},
func.func @narrow(%q: tensor<32x12x128x64xbf16>, %k: tensor<32x12x128x64xbf16>, %v: tensor<32x12x128x64xbf16>) -> tensor<32x12x128x64xbf16> {
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<32x12x128x64xbf16>, tensor<32x12x128x64xbf16>, tensor<32x12x128x64xbf16>) -> tensor<32x12x128x64xbf16> {
  ^bb0(%s: tensor<32x12x128x128xbf16>):
    graph.yield %s : tensor<32x12x128x128xbf16>
  }
  return %o : tensor<32x12x128x64xbf16>
}

func.func @more_keys(%q: tensor<32x16x512x64xf32>, %k: tensor<32x16x512x64xf32>, %v: tensor<32x16x512x64xf32>) -> tensor<32x16x512x64xf32> {
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<32x16x512x64xf32>, tensor<32x16x512x64xf32>, tensor<32x16x512x64xf32>) -> tensor<32x16x512x64xf32> {
  ^bb0(%s: tensor<32x16x512x512xf32>):
    graph.yield %s : tensor<32x16x512x512xf32>
  }
  return %o : tensor<32x16x512x64xf32>
}

// One side or the other of a size that a rule of thumb might name, the choice is
// the same.
// CHECK-LABEL: func.func @long
// Long blocks of keys, so that results are rescaled rarely, in small tiles.
// CHECK: #graph.attention_template<MPN = 2, MB = {{[0-9]+}}, RB = {{[0-9][0-9]}}, SB = {{512|1024}},
func.func @long(%q: tensor<4096x64xf32>, %k: tensor<4096x64xf32>, %v: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<4096x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  ^bb0(%s: tensor<4096x4096xf32>):
    graph.yield %s : tensor<4096x4096xf32>
  }
  return %o : tensor<4096x64xf32>
}

// CHECK-LABEL: func.func @longer
// CHECK: #graph.attention_template<MPN = 
func.func @longer(%q: tensor<4160x64xf32>, %k: tensor<4160x64xf32>, %v: tensor<4160x64xf32>) -> tensor<4160x64xf32> {
  %o = graph.attention %q, %k, %v {mode = "inf_as_zero", transpose_key = true} : (tensor<4160x64xf32>, tensor<4160x64xf32>, tensor<4160x64xf32>) -> tensor<4160x64xf32> {
  ^bb0(%s: tensor<4160x4160xf32>):
    graph.yield %s : tensor<4160x4160xf32>
  }
  return %o : tensor<4160x64xf32>
}

// Blocks of keys that a causal mask leaves nothing of are skipped: half of the
// scores, where row panels would compute all of them.
// CHECK-LABEL: func.func @causal
// They are small, so that little is computed in vain.
// CHECK: #graph.attention_template<MPN = 1, MB = {{[0-9]+}}, RB = {{[0-9][0-9]}}, SB = {{64|128}}, {{.*}}, skip = true>
func.func @causal(%q: tensor<12x1024x64xf32>, %k: tensor<12x1024x64xf32>, %v: tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32> {
  %inf = graph.constant dense<0xFF800000> : tensor<f32>
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<12x1024x64xf32>, tensor<12x1024x64xf32>, tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32> {
  ^bb0(%s: tensor<12x1024x1024xf32>):
    %row = graph.gen_index %s {axis = 1 : i64} : (tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xsi32>
    %key = graph.gen_index %s {axis = 2 : i64} : (tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xsi32>
    %seen = graph.greater_equal %row, %key : (tensor<12x1024x1024xsi32>, tensor<12x1024x1024xsi32>) -> tensor<12x1024x1024xi1>
    %x = graph.select %seen, %s, %inf : (tensor<12x1024x1024xi1>, tensor<12x1024x1024xf32>, tensor<f32>) -> tensor<12x1024x1024xf32>
    graph.yield %x : tensor<12x1024x1024xf32>
  }
  return %o : tensor<12x1024x64xf32>
}

// All keys are seen: the last row that a query may see is beyond them.
// ONLINE-LABEL: func.func @all
// ONLINE: #graph.attention_template<{{.*}} KB = {{[0-9]+}}>
func.func @all(%q: tensor<12x1024x64xf32>, %k: tensor<12x1024x64xf32>, %v: tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32> {
  %inf = graph.constant dense<0xFF800000> : tensor<f32>
  %later = graph.constant dense<1024> : tensor<si32>
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<12x1024x64xf32>, tensor<12x1024x64xf32>, tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32> {
  ^bb0(%s: tensor<12x1024x1024xf32>):
    %row = graph.gen_index %s {axis = 1 : i64} : (tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xsi32>
    %key = graph.gen_index %s {axis = 2 : i64} : (tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xsi32>
    %last = graph.add %row, %later : (tensor<12x1024x1024xsi32>, tensor<si32>) -> tensor<12x1024x1024xsi32>
    %seen = graph.greater_equal %last, %key : (tensor<12x1024x1024xsi32>, tensor<12x1024x1024xsi32>) -> tensor<12x1024x1024xi1>
    %x = graph.select %seen, %s, %inf : (tensor<12x1024x1024xi1>, tensor<12x1024x1024xf32>, tensor<f32>) -> tensor<12x1024x1024xf32>
    graph.yield %x : tensor<12x1024x1024xf32>
  }
  return %o : tensor<12x1024x64xf32>
}

// A score that is NaN compares false whatever its bounds are: nothing is known.
// ONLINE-LABEL: func.func @compared
// ONLINE: #graph.attention_template<{{[^>]*}} KB = {{[0-9]+}}>
func.func @compared(%q: tensor<12x1024x64xf32>, %k: tensor<12x1024x64xf32>, %v: tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32> {
  %inf = graph.constant dense<0xFF800000> : tensor<f32>
  %five = graph.constant dense<5.0> : tensor<f32>
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<12x1024x64xf32>, tensor<12x1024x64xf32>, tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32> {
  ^bb0(%s: tensor<12x1024x1024xf32>):
    %row = graph.gen_index %s {axis = 1 : i64} : (tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xsi32>
    %key = graph.gen_index %s {axis = 2 : i64} : (tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xsi32>
    %seen = graph.greater_equal %row, %key : (tensor<12x1024x1024xsi32>, tensor<12x1024x1024xsi32>) -> tensor<12x1024x1024xi1>
    %x = graph.select %seen, %s, %inf : (tensor<12x1024x1024xi1>, tensor<12x1024x1024xf32>, tensor<f32>) -> tensor<12x1024x1024xf32>
    %y = graph.add %x, %s : (tensor<12x1024x1024xf32>, tensor<12x1024x1024xf32>) -> tensor<12x1024x1024xf32>
    %some = graph.greater_equal %y, %inf : (tensor<12x1024x1024xf32>, tensor<f32>) -> tensor<12x1024x1024xi1>
    %z = graph.select %some, %x, %five : (tensor<12x1024x1024xi1>, tensor<12x1024x1024xf32>, tensor<f32>) -> tensor<12x1024x1024xf32>
    graph.yield %z : tensor<12x1024x1024xf32>
  }
  return %o : tensor<12x1024x64xf32>
}

// One head for four queries: each core reads half of the keys, and half of the
// columns of the values.
// CHECK-LABEL: func.func @decode
// CHECK: #graph.attention_panel_template<scores = <MPN = 1, NPN = 2, MB = 4, {{.*}}packB = false>, product = <MPN = 1, NPN = 2, MB = 4,
// PANELS-LABEL: func.func @decode
// PANELS: scores = <MPN = 1, NPN = 2,
func.func @decode(%q: tensor<1x4x128xf32>, %k: tensor<1x4096x128xf32>, %v: tensor<1x4096x128xf32>) -> tensor<1x4x128xf32> {
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<1x4x128xf32>, tensor<1x4096x128xf32>, tensor<1x4096x128xf32>) -> tensor<1x4x128xf32> {
  ^bb0(%s: tensor<1x4x4096xf32>):
    graph.yield %s : tensor<1x4x4096xf32>
  }
  return %o : tensor<1x4x128xf32>
}

// As many heads as cores: each has some of its own.
// CHECK-LABEL: func.func @decode_heads
// CHECK: #graph.attention_panel_template<scores = <MPN = 1, NPN = 1,
func.func @decode_heads(%q: tensor<8x4x128xf32>, %k: tensor<8x4096x128xf32>, %v: tensor<8x4096x128xf32>) -> tensor<8x4x128xf32> {
  %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<8x4x128xf32>, tensor<8x4096x128xf32>, tensor<8x4096x128xf32>) -> tensor<8x4x128xf32> {
  ^bb0(%s: tensor<8x4x4096xf32>):
    graph.yield %s : tensor<8x4x4096xf32>
  }
  return %o : tensor<8x4x128xf32>
}
}
