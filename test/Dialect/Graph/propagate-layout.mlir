// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A packed A is read in blocks [M/MB][K/KB][MB][KB], a packed B in blocks
// [N/NB][K/KB][KB][NB].

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-propagate-layout))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-propagate-layout{propagate=false}))" | FileCheck %s --check-prefix=PLAIN

#a = #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 8]>
#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16]>
// CHECK: @layouts(tensor<8x16xf32, [[$A:#graph.layout<blocked, outer = \[0, 1\], inner = \[0 : 4, 1 : 8\]>]]>,
// CHECK-SAME: tensor<16x32xf32, [[$B:#graph.layout<blocked, outer = \[1, 0\], inner = \[0 : 8, 1 : 16\]>]]>)
func.func private @layouts(tensor<8x16xf32, #a>, tensor<16x32xf32, #b>)

#packB = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = true>
#packBoth = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = true>
#packA = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = false>
#inPlace = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>
#wide = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 16, KB = 16, BS = 1, order = [m, n, k], packA = true, packB = false>

// The example of the pass's description: a weight is packed, the value between
// the layers is blocked, arguments and results keep their layouts.
// CHECK-LABEL: func.func @example
// Without propagation the value is plain and packed for its reader alone, apart
// from weights, which are packed once.
// PLAIN-LABEL: func.func @example
// PLAIN: %[[P:.*]] = graph.reorder %{{.*}} {graph.constant_value} :
// PLAIN: %[[R:.*]] = graph.relu {{.*}} -> tensor<8x16xf32>
// PLAIN-NEXT: %[[A:.*]] = graph.reorder %[[R]] {graph.where_read} : tensor<8x16xf32> -> tensor<8x16xf32, #
// PLAIN-NEXT: graph.matmul %[[A]], %[[P]]
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>, %[[W:.*]]: tensor<16x16xf32> {graph.const_arg}) -> tensor<8x16xf32>
func.func @example(%x: tensor<8x16xf32>, %w: tensor<16x16xf32> {graph.const_arg}) -> tensor<8x16xf32> {
  // CHECK-NEXT: %[[P:.*]] = graph.reorder %[[W]] {graph.constant_value} : tensor<16x16xf32> -> tensor<16x16xf32, [[$B]]>
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[X]], %[[P]] {{.*}} : (tensor<8x16xf32>, tensor<16x16xf32, [[$B]]>) -> tensor<8x16xf32>
  %0 = graph.matmul %x, %w {template_params = #packB} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: %[[R:.*]] = graph.relu %[[M]] : (tensor<8x16xf32>) -> tensor<8x16xf32, [[$A]]>
  %1 = graph.relu %0 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // The weight that both layers use is packed once.
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[R]], %[[P]] {{.*}} -> tensor<8x16xf32>
  %2 = graph.matmul %1, %w {template_params = #packBoth} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: return %[[M]]
  return %2 : tensor<8x16xf32>
}

// A tunable op writes blocks as well. An argument that does not stay the same is
// packed by a separate op, which is not marked.
// CHECK-LABEL: func.func @produced
// CHECK-SAME: (%[[X:[^:]*]]: tensor<8x16xf32>, %[[W:[^:]*]]: tensor<16x16xf32>)
func.func @produced(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: %[[P:.*]] = graph.reorder %[[X]] : tensor<8x16xf32> -> tensor<8x16xf32, [[$A]]>
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[P]], %[[W]] {{.*}} -> tensor<8x16xf32, [[$A]]>
  %0 = graph.matmul %x, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: graph.matmul %[[M]], %[[W]] {{.*}} : (tensor<8x16xf32, [[$A]]>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// A fusible consumer reads any layout.
// CHECK-LABEL: func.func @fusible_consumer
func.func @fusible_consumer(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: %[[R:.*]] = graph.relu {{.*}} -> tensor<8x16xf32, [[$A]]>
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: graph.matmul %[[R]],
  %1 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: graph.add %{{.*}}, %[[R]] : (tensor<8x16xf32>, tensor<8x16xf32, [[$A]]>) -> tensor<8x16xf32>
  %2 = graph.add %1, %0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// Values that stay plain: the caller gets it, a reshape sees row-major order, a
// template reads it in place, two templates want different blocks, the program
// asked for another layout.
// CHECK-LABEL: func.func @returned
func.func @returned(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: %[[R:.*]] = graph.relu {{.*}} -> tensor<8x16xf32>
  // CHECK-NEXT: graph.reorder %[[R]] : tensor<8x16xf32> -> tensor<8x16xf32, [[$A]]>
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func.func @reshaped
func.func @reshaped(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<128xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: graph.relu {{.*}} -> tensor<8x16xf32>
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 128>} : (tensor<8x16xf32>) -> tensor<128xf32>
  // CHECK: graph.reorder {{.*}} -> tensor<8x16xf32, [[$A]]>
  %2 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %1, %2 : tensor<128xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func.func @in_place
func.func @in_place(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: graph.relu {{.*}} -> tensor<8x16xf32>
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: graph.reorder {{.*}} -> tensor<8x16xf32, [[$A]]>
  %1 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %2 = graph.matmul %0, %w {template_params = #inPlace} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func.func @different
func.func @different(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: graph.relu {{.*}} -> tensor<8x16xf32>
  // CHECK-COUNT-2: graph.reorder
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %2 = graph.matmul %0, %w {template_params = #wide} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func.func @asked_for
func.func @asked_for(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: %[[R:.*]] = graph.relu {{.*}} -> tensor<8x16xf32, #graph.layout<strided, [1, 8]>>
  // CHECK-NEXT: graph.reorder %[[R]]
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32, #graph.layout<strided, [1, 8]>>
  %1 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32, #graph.layout<strided, [1, 8]>>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// A template that reads in place cannot read the blocks of an argument; views
// with contiguous rows it can.
// CHECK-LABEL: func.func @blocked_argument
func.func @blocked_argument(%x: tensor<8x16xf32, #a>, %v: tensor<8x16xf32, #graph.layout<strided, [64, 1]>>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: %[[P:.*]] = graph.reorder %{{.*}} : tensor<8x16xf32, [[$A]]> -> tensor<8x16xf32>
  // CHECK-NEXT: graph.matmul %[[P]]
  %0 = graph.matmul %x, %w {template_params = #inPlace} : (tensor<8x16xf32, #a>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: graph.matmul %{{.*}} : (tensor<8x16xf32, #graph.layout<strided, [64, 1]>>,
  %1 = graph.matmul %v, %w {template_params = #inPlace} : (tensor<8x16xf32, #graph.layout<strided, [64, 1]>>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// Values already in the required layout need nothing.
// CHECK-LABEL: func.func @fits
func.func @fits(%x: tensor<8x16xf32, #a>, %w: tensor<16x16xf32, #b>) -> tensor<8x16xf32> {
  // CHECK-NEXT: graph.matmul
  // CHECK-NEXT: return
  %0 = graph.matmul %x, %w {template_params = #packBoth} : (tensor<8x16xf32, #a>, tensor<16x16xf32, #b>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Transposed operands are blocked by what their dimensions mean: here B has its
// columns first. Leading dimensions stay outermost.
// CHECK-LABEL: func.func @transposed
func.func @transposed(%x: tensor<3x16x8xf32>, %w: tensor<3x32x16xf32>) -> tensor<3x8x32xf32> {
  // CHECK-NEXT: graph.reorder {{.*}} -> tensor<3x16x8xf32, #graph.layout<blocked, outer = [0, 2, 1], inner = [2 : 4, 1 : 8]>>
  // CHECK-NEXT: graph.reorder {{.*}} -> tensor<3x32x16xf32, #graph.layout<blocked, outer = [0, 1, 2], inner = [2 : 8, 1 : 16]>>
  %0 = graph.matmul %x, %w {transpose_a = true, transpose_b = true, template_params = #packBoth} : (tensor<3x16x8xf32>, tensor<3x32x16xf32>) -> tensor<3x8x32xf32>
  return %0 : tensor<3x8x32xf32>
}

// `any` becomes plain if nothing requires another layout.
// CHECK-LABEL: func.func @any
// CHECK-SAME: (%{{.*}}: tensor<8x16xf32>) -> tensor<8x16xf32>
func.func @any(%x: tensor<8x16xf32, #graph.layout<any>>) -> tensor<8x16xf32, #graph.layout<any>> {
  // CHECK-NEXT: graph.relu %{{.*}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: return %{{.*}} : tensor<8x16xf32>
  %0 = graph.relu %x : (tensor<8x16xf32, #graph.layout<any>>) -> tensor<8x16xf32, #graph.layout<any>>
  return %0 : tensor<8x16xf32, #graph.layout<any>>
}

// Without a template no layout is preferred.
// CHECK-LABEL: func.func @no_template
func.func @no_template(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: graph.matmul
  // CHECK-NEXT: return
  %0 = graph.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

#any = #graph.layout<any>
// An argument whose layout is left to the compiler gets the one in which its
// readers want it.
// CHECK-LABEL: func.func @wish
// CHECK-SAME: (%[[X:[^:]*]]: tensor<8x16xf32, [[$A]]>, %[[W:[^:]*]]: tensor<16x16xf32>)
// PLAIN-LABEL: func.func @wish
// PLAIN-SAME: (%[[X:[^:]*]]: tensor<8x16xf32>, %
// PLAIN-NEXT: graph.reorder %[[X]] {graph.where_read}
func.func @wish(%x: tensor<8x16xf32, #any>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %p = graph.reorder %x : tensor<8x16xf32, #any> -> tensor<8x16xf32>
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[X]], %[[W]] {{.*}} : (tensor<8x16xf32, [[$A]]>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %0 = graph.matmul %p, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: %[[N:.*]] = graph.matmul %[[X]], %[[W]]
  %1 = graph.matmul %p, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK-NEXT: return %[[M]], %[[N]]
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// It is plain where they do not agree, where one reads it in place, where it is
// returned, and where an op other than a reorder reads it.
// CHECK-LABEL: func.func @no_wish
// CHECK-SAME: (%[[X:[^:]*]]: tensor<8x16xf32>, %[[Y:[^:]*]]: tensor<8x16xf32>, %[[Z:[^:]*]]: tensor<8x16xf32>, %[[U:[^:]*]]: tensor<8x16xf32>, %{{[^:]*}}: tensor<8x16xf32>, %[[W:[^:]*]]: tensor<16x16xf32>)
func.func @no_wish(%x: tensor<8x16xf32, #any>, %y: tensor<8x16xf32, #any>, %z: tensor<8x16xf32, #any>, %u: tensor<8x16xf32, #any>, %v: tensor<8x16xf32, #any>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-DAG: %[[A:.*]] = graph.reorder %[[X]] : tensor<8x16xf32> -> tensor<8x16xf32, [[$A]]>
  // CHECK-DAG: graph.matmul %[[A]], %[[W]]
  // CHECK-DAG: %[[B:.*]] = graph.reorder %[[X]] : tensor<8x16xf32> -> tensor<8x16xf32, #
  // CHECK-DAG: graph.matmul %[[B]], %[[W]]
  %p = graph.reorder %x : tensor<8x16xf32, #any> -> tensor<8x16xf32>
  %0 = graph.matmul %p, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %p, %w {template_params = #wide} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK: graph.matmul %[[Y]], %[[W]]
  %q = graph.reorder %y : tensor<8x16xf32, #any> -> tensor<8x16xf32>
  %2 = graph.matmul %q, %w {template_params = #inPlace} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK: graph.reorder %[[U]] : tensor<8x16xf32> -> tensor<8x16xf32, [[$A]]>
  %3 = graph.matmul %u, %w {template_params = #packA} : (tensor<8x16xf32, #any>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK: return {{.*}}, %[[Z]] :
  %r = graph.reorder %z : tensor<8x16xf32, #any> -> tensor<8x16xf32>
  return %0, %1, %2, %3, %r : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// Both sides of a value between two functions: the first one writes the blocks
// that it returns, the second one reads them where they are.
// CHECK-LABEL: func.func @writer
// CHECK-NEXT: %[[R:.*]] = graph.relu %{{.*}} : (tensor<8x16xf32>) -> tensor<8x16xf32, [[$A]]>
// CHECK-NEXT: return %[[R]]
// PLAIN-LABEL: func.func @writer
// PLAIN: graph.relu
// PLAIN-NEXT: graph.reorder
func.func @writer(%x: tensor<8x16xf32>) -> tensor<8x16xf32, #a> {
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = graph.reorder %0 : tensor<8x16xf32> -> tensor<8x16xf32, #a>
  return %1 : tensor<8x16xf32, #a>
}

// CHECK-LABEL: func.func @reader
// CHECK-SAME: (%[[X:[^:]*]]: tensor<8x16xf32, [[$A]]>, %[[W:[^:]*]]: tensor<16x16xf32>)
// CHECK-NEXT: %[[M:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK-NEXT: return %[[M]]
func.func @reader(%x: tensor<8x16xf32, #a>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %p = graph.reorder %x : tensor<8x16xf32, #a> -> tensor<8x16xf32>
  %0 = graph.matmul %p, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// A writer whose own ops need the value in another layout as well reorders it.
// CHECK-LABEL: func.func @two_layouts
// CHECK: %[[R:.*]] = graph.relu {{.*}} -> tensor<8x16xf32>
// CHECK-DAG: %[[L:.*]] = graph.reorder %[[R]] : tensor<8x16xf32> -> tensor<8x16xf32, [[$A]]>
// CHECK-DAG: graph.reorder %[[R]] : tensor<8x16xf32> -> tensor<8x16xf32, #
// CHECK: return %{{.*}}, %[[L]]
func.func @two_layouts(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32, #a>) {
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %0, %w {template_params = #wide} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %2 = graph.reorder %0 : tensor<8x16xf32> -> tensor<8x16xf32, #a>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32, #a>
}
