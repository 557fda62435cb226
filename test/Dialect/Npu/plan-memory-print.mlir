// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The plan as text and as a picture.

// RUN: rm -rf %t && mkdir %t
// RUN: gc-opt %s --allow-unregistered-dialect --pass-pipeline="builtin.module(func.func(npu-plan-memory{print svg=%t}))" -o /dev/null 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=SVG < %t/loops.svg
// RUN: %python -c "import sys, xml.dom.minidom as x; d = x.parse(sys.argv[1]); print(len(d.getElementsByTagName('rect')), len(d.getElementsByTagName('line')))" %t/loops.svg | FileCheck %s --check-prefix=XML
// RUN: %python -c "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])" %t/alignment.svg
// RUN: not gc-opt %s --allow-unregistered-dialect --pass-pipeline="builtin.module(func.func(npu-plan-memory{svg=%t/none}))" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: cannot write '{{.*}}none{{/|\\}}loops.svg'

!gm = memref<128xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>
!slot = memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>

// Loops have numbers, those of inner loops after those of the loop around; a
// buffer says in which of them it is alive, seen from its own position.

// CHECK: remark: buffers
// CHECK-NEXT: l1: 256 of 1048576 bytes; buffers: 1, 256 bytes together
// CHECK-NEXT:   [0, 256) 128xf16, mte1, mte2, outside of loops{{$}}
// CHECK-NEXT: ub: 1280 of 262144 bytes; buffers: 4, 1280 bytes together
// CHECK-NEXT:   [0, 512) 2 slots of 'a<b' 128xf16, v, mte1, mte2, loop 0 to loop 1{{$}}
// CHECK-NEXT:   [512, 768) 128xf16, v, loop 0.1{{$}}
// CHECK-NEXT:   [768, 1024) 128xf16, v, mte3, in loop 1{{$}}
// CHECK-NEXT:   [1024, 1280) 128xf16, v, loop 1, address given{{$}}

// Two bars for the outer loops and two for the inner ones; a strip with a line
// for each space that is used, in it the outer loops, a box for each slot of each
// buffer.
// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: Buffers of loops
// SVG: <title>loop 0</title>
// SVG: <title>loop 0.0</title>
// SVG: <title>loop 0.1</title>
// SVG: <title>loop 1</title>
// SVG: l1: 256 of 1048576 bytes
// SVG: ub: 1280 of 262144 bytes
// SVG: <title>&apos;a&lt;b&apos; 128xf16 at 0, 2 slots of 256 bytes, v, mte1, mte2, loop 0 to loop 1</title><rect
// SVG-NEXT: <rect
// SVG-NEXT: </g>
// SVG: <title>128xf16 at 1024, 256 bytes, v, loop 1, address given</title><rect
// SVG: <title>capacity: 262144 bytes</title></line>
// SVG: </svg>

// The page, 4 bars, 2 strips with 2 loops each, 1 and 5 slots.
// XML: 17 2
func.func @loops(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %l1 = npu.alloc : memref<128xf16, #npu.space<l1>>
  %kept = npu.alloc slots 2 : !ub loc("a<b")
  %first = npu.slot %kept[%c0] : !ub to !slot
  npu.copy %x to %l1 : !gm to memref<128xf16, #npu.space<l1>>
  npu.copy %l1 to %first : memref<128xf16, #npu.space<l1>> to !slot
  scf.for %i = %c0 to %c8 step %c1 {
    %inner = npu.alloc : !ub
    scf.for %j = %c0 to %c8 step %c1 {
      npu.copy %x to %first : !gm to !slot
    }
    scf.for %j = %c0 to %c8 step %c1 {
      npu.unary exp %first to %inner : !slot to !ub
    }
  }
  %given = npu.alloc at 1024 : !ub
  scf.for %i = %c0 to %c8 step %c1 {
    %out = npu.alloc : !ub
    npu.unary abs %first to %given : !slot to !ub
    npu.unary abs %given to %out : !ub to !ub
    npu.copy %out to %y : !ub to !gm
  }
  return
}

// Each space has its own alignment, and slots are that far apart.

// CHECK: ub: 224 of 262144 bytes; buffers: 2, 224 bytes together
// CHECK-NEXT:   [0, 192) 3 slots of 17xf16
func.func @alignment() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc slots 3 : memref<17xf16, #npu.space<ub>>
  %b = npu.alloc : memref<8xf16, #npu.space<ub>>
  %as = npu.slot %a[%c0] : memref<17xf16, #npu.space<ub>> to memref<17xf16, strided<[1], offset: ?>, #npu.space<ub>>
  "test.use"(%as, %b) : (memref<17xf16, strided<[1], offset: ?>, #npu.space<ub>>, memref<8xf16, #npu.space<ub>>) -> ()
  return
}
