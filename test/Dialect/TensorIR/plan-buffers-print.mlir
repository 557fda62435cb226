// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The plan as text and as a picture.

// RUN: rm -rf %t && mkdir %t
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(tir-plan-buffers{print svg=%t}))" -o /dev/null 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=SVG < %t/main.svg
// RUN: %python -c "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])" %t/main.svg
// RUN: not gc-opt %s --pass-pipeline="builtin.module(func.func(tir-plan-buffers{svg=%t/none}))" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: remark: temporaries
// CHECK-NEXT: shared: 256 bytes; temporaries: 1, 256 bytes together
// CHECK-NEXT: [0, 256) 64xf32, loop 0 (a<b) to loop 1
// CHECK-NEXT: per thread: 1024 bytes; temporaries: 1, 1024 bytes together
// CHECK-NEXT: [0, 1024) 16x16xf32, loop 1

// With each rectangle and the loops' names.
// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: Temporaries of main
// SVG: <title>loop 0 (a&lt;b)</title>
// SVG: <title>loop 1</title>
// SVG: shared: 256 bytes
// SVG: <title>64xf32 at 0, 256 bytes, loop 0 (a&lt;b) to loop 1</title><rect
// SVG: per thread: 1024 bytes
// SVG: <title>16x16xf32 at 0, 1024 bytes, loop 1</title><rect
// SVG: </svg>

// ERROR: error: cannot write '{{.*}}none{{/|\\}}main.svg'
func.func @main(%out: memref<64xf32>, %x: f32) attributes {tir.entry = "main"} {
  %a = tir.scratch : memref<64xf32>
  tir.parallel (%i) in (64) attributes {name = "a<b"} {
    memref.store %x, %a[%i] : memref<64xf32>
  }
  tir.parallel (%i) in (16) {
    %c0 = arith.constant 0 : index
    %b = tir.scratch per_thread : memref<16x16xf32>
    %0 = memref.load %a[%i] : memref<64xf32>
    memref.store %0, %b[%i, %c0] : memref<16x16xf32>
  }
  return
}
