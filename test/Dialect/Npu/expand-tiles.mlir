// RUN: gc-opt %s --npu-expand-tiles --cse | FileCheck %s

// What ops on tiles become. The values are tested end to end
// (E2E/Npu/expand-*.mlir); this tests that the instructions are few and cheap.

#ub = #npu.space<ub>
!t = memref<2x200xf16, strided<[256, 1]>, #ub>

// The example of the pass's description: columns of both rows at a time.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[A:.*]]: memref<2x200xf16, strided<[256, 1]>, #npu.space<ub>>, %[[B:.*]]: memref
// CHECK: %[[B0:.*]] = memref.subview %[[B]][0, 0] [2, 128]
// CHECK: %[[A0:.*]] = memref.subview %[[A]][0, 0] [2, 128]
// CHECK: npu.vector exp (%[[A0]]) to %[[B0]] repeat 2 strides [1, 16, 1, 16, 1, 8]
// CHECK: %[[B1:.*]] = memref.subview %[[B]][0, 128] [2, 72]
// CHECK: %[[A1:.*]] = memref.subview %[[A]][0, 128] [2, 72]
// CHECK: npu.vector exp (%[[A1]]) to %[[B1]] repeat 2 mask [-1, 255] strides [1, 16, 1, 16, 1, 8]
// CHECK-NOT: npu.vector
// CHECK: return
func.func @rows(%a: !t, %b: !t) attributes {npu.kernel} {
  npu.unary exp %a to %b : !t to !t
  return
}

// No gaps: one dimension, more repeats than an instruction has.
// CHECK-LABEL: func.func @flat
// CHECK: npu.vector add ({{.*}}) to %{{.*}} repeat 255 :
// CHECK: npu.vector add ({{.*}}) to %{{.*}} :
// CHECK: npu.vector add ({{.*}}) to %{{.*}} mask [4294967295, 0] :
// CHECK-NOT: npu.vector
// CHECK: return
func.func @flat(%a: memref<4x8x1025xf16, #ub>) attributes {npu.kernel} {
  npu.binary add %a, %a to %a : memref<4x8x1025xf16, #ub>, memref<4x8x1025xf16, #ub> to memref<4x8x1025xf16, #ub>
  return
}

// Rows of one block: eight of them are a repeat.
// CHECK-LABEL: func.func @narrow
// CHECK: npu.vector relu ({{.*}}) to %{{.*}} repeat 8 strides [4, 32, 4, 32, 1, 8]
// CHECK-NOT: npu.vector
// CHECK: return
!narrow = memref<64x16xf16, strided<[64, 1]>, #ub>
func.func @narrow(%a: !narrow) attributes {npu.kernel} {
  npu.unary relu %a to %a : !narrow to !narrow
  return
}

// One row added to all: its stride is 0.
// CHECK-LABEL: func.func @broadcast
// CHECK: npu.vector add (%{{.*}}, %{{.*}}) to %{{.*}} repeat 64 strides [1, 16, 1, 16, 1, 0]
// CHECK: npu.vector add (%{{.*}}, %{{.*}}) to %{{.*}} repeat 64 strides [1, 16, 1, 16, 1, 0]
// CHECK-NOT: npu.vector
// CHECK: return
func.func @broadcast(%a: memref<64x256xf16, #ub>, %b: memref<1x256xf16, #ub>) attributes {npu.kernel} {
  npu.binary add %a, %b to %a : memref<64x256xf16, #ub>, memref<1x256xf16, #ub> to memref<64x256xf16, #ub>
  return
}

// The narrower side of a cast has half the blocks.
// CHECK-LABEL: func.func @cast
// CHECK: npu.vector convert (%{{.*}}) to %{{.*}} repeat 16 strides [1, 8, 1, 4, 1, 8]
// CHECK-NOT: npu.vector
// CHECK: return
func.func @cast(%a: memref<1024xf16, #ub>, %b: memref<1024xf32, #ub>) attributes {npu.kernel} {
  npu.cast %a to %b : memref<1024xf16, #ub> to memref<1024xf32, #ub>
  return
}

// More than eight of one form: a loop.
// CHECK-LABEL: func.func @loop
// CHECK: %[[END:.*]] = arith.constant 20 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[END]]
// CHECK: memref.subview %{{.*}}[%[[I]], 0] [1, 1024]
// CHECK: npu.vector abs ({{.*}}) to %{{.*}} repeat 8
// CHECK-NOT: npu.vector
// CHECK: return
!far = memref<20x1024xf16, strided<[5120, 1]>, #ub>
func.func @loop(%a: !far) attributes {npu.kernel} {
  npu.unary abs %a to %a : !far to !far
  return
}

// Bits of the last repeat begin within a block: its instruction begins at the
// block, and the whole repeat comes second.
// CHECK-LABEL: func.func @bits
// CHECK: npu.vector cmp_lt ({{.*}}) to %{{.*}} repeat 2 mask [255, 0]
// CHECK: npu.vector cmp_lt ({{.*}}) to %{{.*}} :
// CHECK-NOT: npu.vector
// CHECK: return
func.func @bits(%a: memref<136xf16, #ub>, %b: memref<32xi8, #ub>) attributes {npu.kernel} {
  npu.compare lt %a, %a to %b : memref<136xf16, #ub>, memref<136xf16, #ub> to memref<32xi8, #ub>
  return
}

// Rows of 1024: groups of 16, then three folds of a quarter, then groups: under
// ten cycles a row.
// CHECK-LABEL: func.func @row_maximum
// CHECK-COUNT-2: npu.vector group_max ({{.*}}) to %{{.*}} repeat 254
// CHECK: npu.vector group_max ({{.*}}) to %{{.*}} repeat 4 :
// CHECK-COUNT-3: npu.vector max ({{.*}}) to %{{.*}} repeat 8 strides
// CHECK: npu.vector group_max ({{.*}}) to %{{.*}} repeat 8 :
// CHECK-NOT: npu.vector
// CHECK: return
func.func @row_maximum(%a: memref<64x1024xf16, #ub>, %b: memref<64xf16, #ub>) attributes {npu.kernel} {
  npu.reduce max %a to %b : memref<64x1024xf16, #ub> to memref<64xf16, #ub>
  return
}

// Sums are f32 from the first instruction on, three times groups.
// CHECK-LABEL: func.func @row_sum
// CHECK: npu.alloc : memref<64x64xf32
// CHECK-COUNT-2: npu.vector group_sum ({{.*}}) to %{{.*}} repeat 255
// CHECK: npu.vector group_sum ({{.*}}) to %{{.*}} repeat 2 :
// CHECK: npu.vector group_sum ({{.*}}) to %{{.*}} repeat 64 :
// CHECK: npu.vector group_sum ({{.*}}) to %{{.*}} repeat 8 :
// CHECK-NOT: npu.vector
// CHECK: return
func.func @row_sum(%a: memref<64x1024xf16, #ub>, %b: memref<64xf32, #ub>) attributes {npu.kernel} {
  npu.reduce sum %a to %b : memref<64x1024xf16, #ub> to memref<64xf32, #ub>
  return
}

// 100 elements are less than a repeat.
// CHECK-LABEL: func.func @short
// CHECK: npu.vector reduce_sum ({{.*}}) to %{{.*}} mask [-1, 68719476735]
// CHECK-NOT: npu.vector
// CHECK: return
func.func @short(%a: memref<100xf16, #ub>, %b: memref<f16, #ub>) attributes {npu.kernel} {
  npu.reduce sum %a to %b : memref<100xf16, #ub> to memref<f16, #ub>
  return
}

// 16 x 16 squares along the longer side.
// CHECK-LABEL: func.func @transpose
// CHECK: npu.vector transpose ({{.*}}) to %{{.*}} repeat 16 strides [2, 32, 16, 1, 1, 8]
// CHECK: npu.vector transpose ({{.*}}) to %{{.*}} repeat 16 strides [2, 32, 16, 1, 1, 8]
// CHECK-NOT: npu.vector
// CHECK: return
func.func @transpose(%a: memref<32x256xf16, #ub>, %b: memref<256x32xf16, #ub>) attributes {npu.kernel} {
  npu.transpose %a to %b : memref<32x256xf16, #ub> to memref<256x32xf16, #ub>
  return
}

// A single row is read again for each row of a square.
// CHECK-LABEL: func.func @transpose_row
// CHECK: npu.vector transpose ({{.*}}) to %{{.*}} repeat 64 strides [1, 8, 0, 1, 1, 8]
// CHECK-NOT: npu.vector
// CHECK: return
func.func @transpose_row(%a: memref<1x512xf32, #ub>, %b: memref<512x8xf32, #ub>) attributes {npu.kernel} {
  npu.transpose %a to %b : memref<1x512xf32, #ub> to memref<512x8xf32, #ub>
  return
}

// Bursts run along the longest dimension that is left.
// CHECK-LABEL: func.func @copy
// CHECK-COUNT-3: npu.dma {{.*}} bursts 10 length 160 source_stride 256 target_stride 192
// CHECK-NOT: npu.dma
// CHECK: return
!box = memref<3x10x40xf32, strided<[1280, 64, 1]>, #npu.space<gm>>
!part = memref<3x10x40xf32, strided<[528, 48, 1]>, #ub>
func.func @copy(%a: !box, %b: !part) attributes {npu.kernel} {
  npu.copy %a to %b : !box to !part
  return
}

// One run where there are no gaps on either side.
// CHECK-LABEL: func.func @copy_flat
// CHECK: npu.dma %{{.*}} to %{{.*}} length 32768 :
// CHECK-NOT: npu.dma
// CHECK: return
func.func @copy_flat(%a: memref<16x1024xf16, #npu.space<gm>>, %b: memref<16x1024xf16, #ub>) attributes {npu.kernel} {
  npu.copy %a to %b : memref<16x1024xf16, #npu.space<gm>> to memref<16x1024xf16, #ub>
  return
}

// A: one instruction for each of the fewer, columns of fractals. B: all at once,
// since both sides have the same order.
// CHECK-LABEL: func.func @fractals
// CHECK-COUNT-4: npu.load2d %{{.*}} to %{{.*}} fractals 16 target_stride 4 :
// CHECK: npu.load2d %{{.*}} to %{{.*}} fractals 64 :
// CHECK-COUNT-4: npu.load2d %{{.*}} to %{{.*}} fractals 16 target_stride 4 transposed :
// CHECK-NOT: npu.load2d
// CHECK: return
func.func @fractals(%l1: memref<4x256x16xf16, #npu.space<l1>>, %a: memref<16x4x16x16xf16, #npu.space<l0a>>, %b: memref<4x16x16x16xf16, #npu.space<l0b>>, %bt: memref<16x4x16x16xf16, #npu.space<l0b>>) attributes {npu.kernel} {
  npu.load_fractals %l1 to %a : memref<4x256x16xf16, #npu.space<l1>> to memref<16x4x16x16xf16, #npu.space<l0a>>
  npu.load_fractals %l1 to %b : memref<4x256x16xf16, #npu.space<l1>> to memref<4x16x16x16xf16, #npu.space<l0b>>
  npu.load_fractals %l1 to %bt transposed : memref<4x256x16xf16, #npu.space<l1>> to memref<16x4x16x16xf16, #npu.space<l0b>>
  return
}

// CHECK-LABEL: func.func @not_a_kernel
// CHECK: npu.unary
func.func @not_a_kernel(%a: !t) {
  npu.unary exp %a to %a : !t to !t
  return
}
