// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Masks of which online softmax skips the blocks that they leave nothing of: by
// indices with an offset, in a window, by lengths; filled with -inf, with a large
// negative number, with one known only at run time.

// RUN: gc-runner %s --entry=main --check --threads=1
// RUN: gc-runner %s --entry=main --check --threads=2 --pipeline-options=attention=always
// RUN: gc-runner %s --entry=main --check --threads=7 --pipeline-options=attention=always
// RUN: gc-runner %s --entry=main --check --threads=2 --pipeline-options=attention=never
// RUN: gc-runner %s --entry=main --check --threads=2 --pipeline-options="attention=always fast-softmax=true"
// RUN: gc-runner %s --entry=main --check --threads=3 --pipeline-options="attention=always kernel=vector"
// RUN: gc-runner %s --entry=narrow --check --threads=2 --pipeline-options=attention=always
// RUN: gc-runner %s --entry=narrow --check --threads=5 --pipeline-options="attention=always kernel=vector"
// RUN: gc-runner %s --entry=padding --check --threads=2 --pipeline-options=attention=always
// RUN: gc-runner %s --entry=padding --check --threads=3 --pipeline-options="attention=always kernel=vector"
// RUN: gc-runner %s --entry=padding --check --threads=2 --pipeline-options=attention=never
// RUN: gc-runner %s --entry=padding --check --threads=1 --machine=%runnable-laptop-avx2-4
// RUN: gc-runner %s --entry=main --emit=mlir --threads=2 --pipeline-options="attention=always stop-after=layout" | FileCheck %s

// Queries differ, so that no two share their scores.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-5: attention_template<{{.*}}, skip = true>
// CHECK: attention_template<{{[^>]*}} KB = {{[0-9]+}}>
// CHECK-LABEL: func.func @narrow
// CHECK: attention_template<{{.*}}, skip = true>
// CHECK-LABEL: func.func @padding
// CHECK-COUNT-2: attention_template<{{.*}}, skip = true>

func.func @main(%q0: tensor<2x330x24xf32>, %q1: tensor<2x330x24xf32>, %q2: tensor<2x330x24xf32>, %q3: tensor<2x330x24xf32>, %q4: tensor<2x330x24xf32>, %q5: tensor<2x330x24xf32>, %k: tensor<2x400x24xf32>, %v: tensor<2x400x20xf32>,
                %any: tensor<1xf32>, %some: tensor<2x1x1xf32>)
    -> (tensor<2x330x20xf32>, tensor<2x330x20xf32>, tensor<2x330x20xf32>, tensor<2x330x20xf32>, tensor<2x330x20xf32>, tensor<2x330x20xf32>) {
  %inf = graph.constant dense<0xFF800000> : tensor<1x1x1xf32>
  %large = graph.constant dense<-1.0e+09> : tensor<1x1x1xf32>
  %scale = graph.constant dense<0.25> : tensor<1xf32>
  %offset = graph.constant dense<70> : tensor<1xsi32>
  %width = graph.constant dense<20> : tensor<1xsi32>
  // Numbers that are known at run time only: 0, -inf, 70, and 0 and 390.
  %zero = graph.clamp %any {min = 0.0 : f32, max = 0.0 : f32} : (tensor<1xf32>) -> tensor<1xf32>
  %fill = graph.add %zero, %inf : (tensor<1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %none = graph.type_cast %zero : tensor<1xf32> -> tensor<1xsi32>
  %later = graph.add %none, %offset : (tensor<1xsi32>, tensor<1xsi32>) -> tensor<1xsi32>
  %half = graph.clamp %some {min = 0.0 : f32, max = 0.0 : f32} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %ends = graph.constant dense<[[[20.0]], [[390.0]]]> : tensor<2x1x1xf32>
  %lengths = graph.add %half, %ends : (tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %last = graph.type_cast %lengths : tensor<2x1x1xf32> -> tensor<2x1x1xsi32>

  // Row i sees the keys up to i; scaled before and after.
  %s0 = graph.matmul %q0, %k {transpose_b = true} : (tensor<2x330x24xf32>, tensor<2x400x24xf32>) -> tensor<2x330x400xf32>
  %y0 = graph.multiply %s0, %scale : (tensor<2x330x400xf32>, tensor<1xf32>) -> tensor<2x330x400xf32>
  %r0 = graph.gen_index %s0 {axis = 1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %k0 = graph.gen_index %s0 {axis = 2 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %m0 = graph.greater_equal %r0, %k0 : (tensor<2x330x400xsi32>, tensor<2x330x400xsi32>) -> tensor<2x330x400xi1>
  %x0 = graph.select %m0, %y0, %inf : (tensor<2x330x400xi1>, tensor<2x330x400xf32>, tensor<1x1x1xf32>) -> tensor<2x330x400xf32>
  %z0 = graph.multiply %x0, %scale : (tensor<2x330x400xf32>, tensor<1xf32>) -> tensor<2x330x400xf32>
  %p0 = graph.softmax %z0 {axis = -1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xf32>
  %o0 = graph.matmul %p0, %v : (tensor<2x330x400xf32>, tensor<2x400x20xf32>) -> tensor<2x330x20xf32>

  // The last row sees all keys; a finite number fills the others.
  %s1 = graph.matmul %q1, %k {transpose_b = true} : (tensor<2x330x24xf32>, tensor<2x400x24xf32>) -> tensor<2x330x400xf32>
  %r1 = graph.gen_index %s1 {axis = 1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %k1 = graph.gen_index %s1 {axis = 2 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %a1 = graph.add %r1, %later : (tensor<2x330x400xsi32>, tensor<1xsi32>) -> tensor<2x330x400xsi32>
  %m1 = graph.greater_equal %a1, %k1 : (tensor<2x330x400xsi32>, tensor<2x330x400xsi32>) -> tensor<2x330x400xi1>
  %x1 = graph.select %m1, %s1, %large : (tensor<2x330x400xi1>, tensor<2x330x400xf32>, tensor<1x1x1xf32>) -> tensor<2x330x400xf32>
  %p1 = graph.softmax %x1 {axis = -1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xf32>
  %o1 = graph.matmul %p1, %v : (tensor<2x330x400xf32>, tensor<2x400x20xf32>) -> tensor<2x330x20xf32>

  // A window of the 20 keys before.
  %s2 = graph.matmul %q2, %k {transpose_b = true} : (tensor<2x330x24xf32>, tensor<2x400x24xf32>) -> tensor<2x330x400xf32>
  %r2 = graph.gen_index %s2 {axis = 1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %k2 = graph.gen_index %s2 {axis = 2 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %m2 = graph.greater_equal %r2, %k2 : (tensor<2x330x400xsi32>, tensor<2x330x400xsi32>) -> tensor<2x330x400xi1>
  %x2 = graph.select %m2, %s2, %fill : (tensor<2x330x400xi1>, tensor<2x330x400xf32>, tensor<1x1x1xf32>) -> tensor<2x330x400xf32>
  %b2 = graph.subtract %r2, %width : (tensor<2x330x400xsi32>, tensor<1xsi32>) -> tensor<2x330x400xsi32>
  %n2 = graph.greater_equal %k2, %b2 : (tensor<2x330x400xsi32>, tensor<2x330x400xsi32>) -> tensor<2x330x400xi1>
  %w2 = graph.select %n2, %x2, %fill : (tensor<2x330x400xi1>, tensor<2x330x400xf32>, tensor<1x1x1xf32>) -> tensor<2x330x400xf32>
  %p2 = graph.softmax %w2 {axis = -1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xf32>
  %o2 = graph.matmul %p2, %v : (tensor<2x330x400xf32>, tensor<2x400x20xf32>) -> tensor<2x330x20xf32>

  // The keys after row i, filled with a finite number: the first block that a row
  // sees is the last one, and the last rows see none.
  %s3 = graph.matmul %q3, %k {transpose_b = true} : (tensor<2x330x24xf32>, tensor<2x400x24xf32>) -> tensor<2x330x400xf32>
  %r3 = graph.gen_index %s3 {axis = 1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %k3 = graph.gen_index %s3 {axis = 2 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %b3 = graph.subtract %k3, %width : (tensor<2x330x400xsi32>, tensor<1xsi32>) -> tensor<2x330x400xsi32>
  %m3 = graph.greater_equal %b3, %r3 : (tensor<2x330x400xsi32>, tensor<2x330x400xsi32>) -> tensor<2x330x400xi1>
  %x3 = graph.select %m3, %s3, %large : (tensor<2x330x400xi1>, tensor<2x330x400xf32>, tensor<1x1x1xf32>) -> tensor<2x330x400xf32>
  %y3 = graph.select %m3, %x3, %inf : (tensor<2x330x400xi1>, tensor<2x330x400xf32>, tensor<1x1x1xf32>) -> tensor<2x330x400xf32>
  %p3 = graph.softmax %y3 {axis = -1 : i64, mode = "inf_as_zero"} : (tensor<2x330x400xf32>) -> tensor<2x330x400xf32>
  %o3 = graph.matmul %p3, %v : (tensor<2x330x400xf32>, tensor<2x400x20xf32>) -> tensor<2x330x20xf32>

  // The first 21 and 391 keys.
  %s4 = graph.matmul %q4, %k {transpose_b = true} : (tensor<2x330x24xf32>, tensor<2x400x24xf32>) -> tensor<2x330x400xf32>
  %k4 = graph.gen_index %s4 {axis = 2 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xsi32>
  %m4 = graph.greater_equal %last, %k4 : (tensor<2x1x1xsi32>, tensor<2x330x400xsi32>) -> tensor<2x330x400xi1>
  %x4 = graph.select %m4, %s4, %inf : (tensor<2x330x400xi1>, tensor<2x330x400xf32>, tensor<1x1x1xf32>) -> tensor<2x330x400xf32>
  %p4 = graph.softmax %x4 {axis = -1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xf32>
  %o4 = graph.matmul %p4, %v : (tensor<2x330x400xf32>, tensor<2x400x20xf32>) -> tensor<2x330x20xf32>

  // A number that is added has no bound to go by.
  %s5 = graph.matmul %q5, %k {transpose_b = true} : (tensor<2x330x24xf32>, tensor<2x400x24xf32>) -> tensor<2x330x400xf32>
  %x5 = graph.add %s5, %some : (tensor<2x330x400xf32>, tensor<2x1x1xf32>) -> tensor<2x330x400xf32>
  %p5 = graph.softmax %x5 {axis = -1 : i64} : (tensor<2x330x400xf32>) -> tensor<2x330x400xf32>
  %o5 = graph.matmul %p5, %v : (tensor<2x330x400xf32>, tensor<2x400x20xf32>) -> tensor<2x330x20xf32>
  return %o0, %o1, %o2, %o3, %o4, %o5 : tensor<2x330x20xf32>, tensor<2x330x20xf32>, tensor<2x330x20xf32>, tensor<2x330x20xf32>, tensor<2x330x20xf32>, tensor<2x330x20xf32>
}

// The last row sees all keys, and no row more than 100 of them, in bf16; one head
// whose rows are shared by all cores.
func.func @narrow(%q: tensor<330x24xbf16>, %k: tensor<401x24xbf16>, %v: tensor<401x20xbf16>) -> tensor<330x20xbf16> {
  %least = graph.constant dense<-3.0e+38> : tensor<1x1xbf16>
  %scale = graph.constant dense<0.25> : tensor<1xbf16>
  %offset = graph.constant dense<71> : tensor<1xsi32>
  %width = graph.constant dense<29> : tensor<1xsi32>
  %s = graph.matmul %q, %k {transpose_b = true} : (tensor<330x24xbf16>, tensor<401x24xbf16>) -> tensor<330x401xbf16>
  %y = graph.multiply %s, %scale : (tensor<330x401xbf16>, tensor<1xbf16>) -> tensor<330x401xbf16>
  %r = graph.gen_index %s {axis = 0 : i64} : (tensor<330x401xbf16>) -> tensor<330x401xsi32>
  %c = graph.gen_index %s {axis = 1 : i64} : (tensor<330x401xbf16>) -> tensor<330x401xsi32>
  %a = graph.add %r, %offset : (tensor<330x401xsi32>, tensor<1xsi32>) -> tensor<330x401xsi32>
  %m = graph.greater_equal %a, %c : (tensor<330x401xsi32>, tensor<330x401xsi32>) -> tensor<330x401xi1>
  %x = graph.select %m, %y, %least : (tensor<330x401xi1>, tensor<330x401xbf16>, tensor<1x1xbf16>) -> tensor<330x401xbf16>
  %b = graph.add %c, %width : (tensor<330x401xsi32>, tensor<1xsi32>) -> tensor<330x401xsi32>
  %n = graph.greater_equal %b, %r : (tensor<330x401xsi32>, tensor<330x401xsi32>) -> tensor<330x401xi1>
  %w = graph.select %n, %x, %least : (tensor<330x401xi1>, tensor<330x401xbf16>, tensor<1x1xbf16>) -> tensor<330x401xbf16>
  %p = graph.softmax %w {axis = 1 : i64} : (tensor<330x401xbf16>) -> tensor<330x401xbf16>
  %o = graph.matmul %p, %v : (tensor<330x401xbf16>, tensor<401x20xbf16>) -> tensor<330x20xbf16>
  return %o : tensor<330x20xbf16>
}

// Padding as a tensor with a boolean, or a number, for each key: those of the first
// sequence begin with it, those of the second end with it.
func.func @padding(%q: tensor<2x3x70x24xf32>, %q1: tensor<2x3x70x24xf32>, %k: tensor<2x3x400x24xf32>, %v: tensor<2x3x400x20xf32>, %any: tensor<2x1x1x400xf32>)
    -> (tensor<2x3x70x20xf32>, tensor<2x3x70x20xf32>) {
  %inf = graph.constant dense<0xFF800000> : tensor<1xf32>
  %large = graph.constant dense<-1.0e+09> : tensor<1xf32>
  %key = graph.gen_index %any {axis = 3 : i64} : (tensor<2x1x1x400xf32>) -> tensor<2x1x1x400xsi32>
  %first = graph.constant dense<[[[[270]]], [[[0]]]]> : tensor<2x1x1x1xsi32>
  %last = graph.constant dense<[[[[399]]], [[[63]]]]> : tensor<2x1x1x1xsi32>
  %from = graph.greater_equal %key, %first : (tensor<2x1x1x400xsi32>, tensor<2x1x1x1xsi32>) -> tensor<2x1x1x400xi1>
  %to = graph.greater_equal %last, %key : (tensor<2x1x1x1xsi32>, tensor<2x1x1x400xsi32>) -> tensor<2x1x1x400xi1>
  %off = graph.constant dense<0.0> : tensor<1xf32>
  %one = graph.constant dense<1.0> : tensor<1xf32>
  %on = graph.constant dense<1> : tensor<1xsi32>
  %none = graph.constant dense<0> : tensor<1xsi32>
  %some = graph.select %from, %one, %off : (tensor<2x1x1x400xi1>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x1x400xf32>
  %both = graph.select %to, %some, %off : (tensor<2x1x1x400xi1>, tensor<2x1x1x400xf32>, tensor<1xf32>) -> tensor<2x1x1x400xf32>
  %ids = graph.type_cast %both : tensor<2x1x1x400xf32> -> tensor<2x1x1x400xsi32>

  %s0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x3x70x24xf32>, tensor<2x3x400x24xf32>) -> tensor<2x3x70x400xf32>
  %x0 = graph.select %from, %s0, %inf : (tensor<2x1x1x400xi1>, tensor<2x3x70x400xf32>, tensor<1xf32>) -> tensor<2x3x70x400xf32>
  %y0 = graph.select %to, %x0, %inf : (tensor<2x1x1x400xi1>, tensor<2x3x70x400xf32>, tensor<1xf32>) -> tensor<2x3x70x400xf32>
  %p0 = graph.softmax %y0 {axis = -1 : i64} : (tensor<2x3x70x400xf32>) -> tensor<2x3x70x400xf32>
  %o0 = graph.matmul %p0, %v : (tensor<2x3x70x400xf32>, tensor<2x3x400x20xf32>) -> tensor<2x3x70x20xf32>

  %s1 = graph.matmul %q1, %k {transpose_b = true} : (tensor<2x3x70x24xf32>, tensor<2x3x400x24xf32>) -> tensor<2x3x70x400xf32>
  %r1 = graph.gen_index %s1 {axis = 0 : i64} : (tensor<2x3x70x400xf32>) -> tensor<2x3x70x400xsi32>
  %i1 = graph.multiply %r1, %none : (tensor<2x3x70x400xsi32>, tensor<1xsi32>) -> tensor<2x3x70x400xsi32>
  %a1 = graph.add %i1, %ids : (tensor<2x3x70x400xsi32>, tensor<2x1x1x400xsi32>) -> tensor<2x3x70x400xsi32>
  %m1 = graph.greater_equal %a1, %on : (tensor<2x3x70x400xsi32>, tensor<1xsi32>) -> tensor<2x3x70x400xi1>
  %x1 = graph.select %m1, %s1, %large : (tensor<2x3x70x400xi1>, tensor<2x3x70x400xf32>, tensor<1xf32>) -> tensor<2x3x70x400xf32>
  %p1 = graph.softmax %x1 {axis = -1 : i64, mode = "inf_as_zero"} : (tensor<2x3x70x400xf32>) -> tensor<2x3x70x400xf32>
  %o1 = graph.matmul %p1, %v : (tensor<2x3x70x400xf32>, tensor<2x3x400x20xf32>) -> tensor<2x3x70x20xf32>
  return %o0, %o1 : tensor<2x3x70x20xf32>, tensor<2x3x70x20xf32>
}
