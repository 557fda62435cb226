// RUN: gc-opt %s --npu-insert-sync --canonicalize | FileCheck %s

!gm = memref<65536xf16, #npu.space<gm>>
!part = memref<8192xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<8192xf16, #npu.space<ub>>
!slot = memref<8192xf16, strided<[1], offset: ?>, #npu.space<ub>>

// The example of the pass's description: two flags each way carry slot i mod 2
// from MTE2 to V to MTE3 and back. V's reads and MTE2's overwrites are already
// in order, through MTE3.

// CHECK: #[[$MOD2:.*]] = affine_map<(d0) -> (d0 mod 2)>
// CHECK-LABEL: @double_buffer
// CHECK-DAG: %[[C0:.*]] = arith.constant 0
// CHECK-DAG: %[[C1:.*]] = arith.constant 1
// CHECK: npu.set_flag mte3 -> mte2[%[[C0]]]
// CHECK-NEXT: npu.set_flag mte3 -> mte2[%[[C1]]]
// CHECK-NEXT: scf.for %[[I:.*]] =
// CHECK: %[[E:.*]] = affine.apply #[[$MOD2]](%[[I]])
// CHECK: npu.wait_flag mte3 -> mte2[%[[E]]]
// CHECK-NEXT: npu.dma
// CHECK-NEXT: npu.dma
// CHECK: npu.set_flag mte2 -> v
// CHECK: npu.wait_flag mte2 -> v
// CHECK-NEXT: npu.vector add
// CHECK: npu.set_flag v -> mte3
// CHECK: npu.wait_flag v -> mte3
// CHECK-NEXT: npu.dma
// CHECK: npu.set_flag mte3 -> mte2
// CHECK-NEXT: }
// CHECK-NEXT: npu.wait_flag mte3 -> mte2[%[[C0]]]
// CHECK-NEXT: npu.wait_flag mte3 -> mte2[%[[C1]]]
// CHECK-NEXT: return
func.func @double_buffer(%x: !gm, %y: !gm, %z: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c8192 = arith.constant 8192 : index
  %as = npu.alloc slots 2 at 0 : !ub
  %bs = npu.alloc slots 2 at 32768 : !ub
  scf.for %i = %c0 to %c8 step %c1 {
    %a = npu.slot %as[%i] : !ub to !slot
    %b = npu.slot %bs[%i] : !ub to !slot
    %o = arith.muli %i, %c8192 : index
    %px = memref.subview %x[%o] [8192] [1] : !gm to !part
    %py = memref.subview %y[%o] [8192] [1] : !gm to !part
    %pz = memref.subview %z[%o] [8192] [1] : !gm to !part
    npu.dma %px to %a length 16384 : !part to !slot
    npu.dma %py to %b length 16384 : !part to !slot
    npu.vector add (%a, %b) to %a repeat 64 : (!slot, !slot) to !slot
    npu.dma %a to %pz length 16384 : !slot to !part
  }
  return
}

!row = memref<1024xf16, #npu.space<ub>>

// Within V a result is read only after a barrier; reading and then overwriting
// needs none. One barrier serves two results.

// CHECK-LABEL: @barriers
// CHECK: npu.vector exp
// CHECK-NEXT: npu.vector abs
// CHECK-NEXT: npu.barrier v
// CHECK-NEXT: npu.vector add
// CHECK-NEXT: npu.vector dup
// CHECK-NOT: npu.barrier
// CHECK: return
func.func @barriers() attributes {npu.kernel} {
  %one = arith.constant 1.0 : f32
  %a = npu.alloc at 0 : !row
  %b = npu.alloc at 2048 : !row
  %c = npu.alloc at 4096 : !row
  %d = npu.alloc at 6144 : !row
  npu.vector exp (%a) to %b repeat 8 : (!row) to !row
  npu.vector abs (%a) to %c repeat 8 : (!row) to !row
  npu.vector add (%b, %c) to %d repeat 8 : (!row, !row) to !row
  npu.vector dup (), %one to %a repeat 8 : () to !row
  return
}

// The front end waits for V before it loads; what it issues after the load comes
// later anyway, including the write to what it has read.

// CHECK-LABEL: @scalar
// CHECK: npu.vector exp
// CHECK-NEXT: npu.set_flag v -> s
// CHECK-NEXT: npu.wait_flag v -> s
// CHECK-NEXT: npu.load_scalar
// CHECK-NEXT: arith.extf
// CHECK-NEXT: npu.vector muls
// CHECK-NEXT: npu.vector exp
// CHECK-NEXT: return
func.func @scalar() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 : !row
  %b = npu.alloc at 2048 : !row
  %c = npu.alloc at 4096 : !row
  npu.vector exp (%a) to %b repeat 8 : (!row) to !row
  %v = npu.load_scalar %b[%c0] : !row -> f16
  %f = arith.extf %v : f16 to f32
  npu.vector muls (%b), %f to %c repeat 8 : (!row) to !row
  npu.vector exp (%a) to %b repeat 8 : (!row) to !row
  return
}

// Bytes, not buffers, decide: the halves of a buffer have nothing to do with each
// other.

// CHECK-LABEL: @halves
// CHECK: npu.dma
// CHECK-NEXT: npu.vector
// CHECK-NEXT: return
func.func @halves(%x: !gm) attributes {npu.kernel} {
  %a = npu.alloc at 0 : !row
  %low = memref.subview %a[0] [512] [1] : !row to memref<512xf16, strided<[1]>, #npu.space<ub>>
  %high = memref.subview %a[512] [512] [1] : !row to memref<512xf16, strided<[1], offset: 512>, #npu.space<ub>>
  npu.dma %x to %low length 1024 : !gm to memref<512xf16, strided<[1]>, #npu.space<ub>>
  npu.vector exp (%high) to %high repeat 4 : (memref<512xf16, strided<[1], offset: 512>, #npu.space<ub>>) to memref<512xf16, strided<[1], offset: 512>, #npu.space<ub>>
  return
}

// The index of a load says which instruction it waits for: the one that wrote the
// low half, though the high half is written after it.

// CHECK-LABEL: @scalar_index
// CHECK: npu.vector exp
// CHECK-NEXT: npu.set_flag v -> s
// CHECK-NEXT: npu.vector abs
// CHECK-NEXT: npu.wait_flag v -> s
// CHECK-NEXT: npu.load_scalar
func.func @scalar_index() attributes {npu.kernel} {
  %c7 = arith.constant 7 : index
  %a = npu.alloc at 0 : !row
  %b = npu.alloc at 2048 : !row
  %low = memref.subview %a[0] [512] [1] : !row to memref<512xf16, strided<[1]>, #npu.space<ub>>
  %high = memref.subview %a[512] [512] [1] : !row to memref<512xf16, strided<[1], offset: 512>, #npu.space<ub>>
  npu.vector exp (%low) to %low repeat 4 : (memref<512xf16, strided<[1]>, #npu.space<ub>>) to memref<512xf16, strided<[1]>, #npu.space<ub>>
  npu.vector abs (%high) to %high repeat 4 : (memref<512xf16, strided<[1], offset: 512>, #npu.space<ub>>) to memref<512xf16, strided<[1], offset: 512>, #npu.space<ub>>
  %v = npu.load_scalar %a[%c7] : !row -> f16
  %f = arith.extf %v : f16 to f32
  npu.vector muls (%b), %f to %b repeat 8 : (!row) to !row
  return
}

// Global memory: what MTE3 wrote is read by MTE2 after a flag; reading another
// argument needs none.

// CHECK-LABEL: @global
// CHECK: npu.dma %{{.*}} to %[[Y:.*]] length 2048
// CHECK-NEXT: npu.set_flag mte3 -> mte2
// CHECK-NEXT: npu.dma %[[X:.*]] to
// CHECK-NEXT: npu.wait_flag mte3 -> mte2
// CHECK-NEXT: npu.dma %[[Y]] to
// CHECK-NEXT: return
func.func @global(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %a = npu.alloc at 0 : !row
  %b = npu.alloc at 2048 : !row
  %c = npu.alloc at 4096 : !row
  npu.dma %a to %y length 2048 : !row to !gm
  npu.dma %x to %b length 2048 : !gm to !row
  npu.dma %y to %c length 2048 : !gm to !row
  return
}

!a = memref<1x1x16x16xf16, #npu.space<l0a>>
!b = memref<1x1x16x16xf16, #npu.space<l0b>>
!c = memref<1x1x16x16xf32, #npu.space<l0c>>
!out = memref<1x16x16xf16, #npu.space<ub>>

// Products that add to one tile need no barrier between them. The first product
// of the next tile waits for the drain of the last one, over all three loops, and
// of the events there is one.

// CHECK-LABEL: @accumulate
// CHECK: npu.set_flag v -> m[%[[C0:.*]]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK: npu.wait_flag v -> m[%[[C0]]]
// CHECK-NEXT: scf.for
// CHECK-NOT: npu.barrier
// CHECK: npu.matmul
// CHECK-NEXT: }
// CHECK-NEXT: npu.set_flag m -> v[%[[C0]]]
// CHECK: npu.wait_flag m -> v[%[[C0]]]
// CHECK-NEXT: npu.drain
// CHECK-NEXT: npu.set_flag v -> m[%[[C0]]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: npu.wait_flag v -> m[%[[C0]]]
func.func @accumulate() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = npu.alloc at 0 : !a
  %b = npu.alloc at 0 : !b
  %c = npu.alloc at 0 : !c
  %outs = npu.alloc slots 9 at 0 : !out
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      scf.for %k = %c0 to %c3 step %c1 {
        %first = arith.cmpi eq, %k, %c0 : index
        npu.matmul %a, %b into %c initialise %first : !a, !b into !c
      }
      %t = arith.muli %i, %c3 : index
      %n = arith.addi %t, %j : index
      %out = npu.slot %outs[%n] : !out to memref<1x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<ub>>
      npu.drain %c to %out : !c to memref<1x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<ub>>
    }
  }
  return
}

// A slot that ops of arith compute, on several types and with overflow: 255 + 3i
// as a number of 8 bits without a sign, modulo 2. Iterations next to one another
// use different slots, so that the first two need not wait.

// CHECK-LABEL: @arithmetic
// CHECK-COUNT-2: npu.set_flag mte3 -> mte2
// CHECK: scf.for
// CHECK: npu.wait_flag mte3 -> mte2
// CHECK: npu.dma
// CHECK-NOT: npu.barrier
// CHECK: return
func.func @arithmetic(%x: memref<8x128xf16, #npu.space<gm>>, %y: memref<8x128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %last = arith.constant -1 : i8
  %step = arith.constant 3 : i8
  %slots = arith.constant 2 : i32
  %as = npu.alloc slots 2 at 0 : memref<1x128xf16, #npu.space<ub>>
  scf.for %i = %c0 to %c8 step %c1 {
    %byte = arith.index_cast %i : index to i8
    %tripled = arith.muli %byte, %step : i8
    %from = arith.addi %last, %tripled : i8
    %wide = arith.extui %from : i8 to i32
    %slot = arith.remui %wide, %slots : i32
    %s = arith.index_cast %slot : i32 to index
    %a = npu.slot %as[%s] : memref<1x128xf16, #npu.space<ub>> to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<ub>>
    %xi = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<8x128xf16, #npu.space<gm>> to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
    npu.dma %xi to %a length 256 : memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>> to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<ub>>
    %yi = memref.subview %y[%i, 0] [1, 128] [1, 1] : memref<8x128xf16, #npu.space<gm>> to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
    npu.dma %a to %yi length 256 : memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<ub>> to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
  }
  return
}

// Who knows whether the second matmul overwrites what the first one wrote? One that
// adds would need no barrier.

// CHECK-LABEL: @maybe_first
// CHECK: npu.matmul
// CHECK-NEXT: npu.barrier m
// CHECK-NEXT: npu.matmul
func.func @maybe_first(%first: i1) attributes {npu.kernel} {
  %a = npu.alloc at 0 : !a
  %b = npu.alloc at 0 : !b
  %c = npu.alloc at 0 : !c
  npu.matmul %a, %b into %c initialised : !a, !b into !c
  npu.matmul %a, %b into %c initialise %first : !a, !b into !c
  return
}

// A function without the attribute is left alone.

// CHECK-LABEL: @other
// CHECK-NOT: npu.barrier
// CHECK: return
func.func @other() {
  %a = npu.alloc at 0 : !row
  npu.vector exp (%a) to %a repeat 8 : (!row) to !row
  npu.vector exp (%a) to %a repeat 8 : (!row) to !row
  return
}
