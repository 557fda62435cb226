// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --npu-expand-tiles | FileCheck %s --check-prefix=EXPAND

// Sizes at run time: how they are written, and what tile ops with them become.

!gm = memref<2x32x40xf16, #npu.space<gm>>
!part = memref<2x32x40xf16, strided<[1536, 48, 1]>, #npu.space<ub>>

// CHECK-LABEL: func.func @copy
// CHECK: npu.copy %{{.*}} to %{{.*}} up_to[%[[A:.*]], %[[B:.*]], %[[C:.*]]] :
// EXPAND: #[[$BYTES:.*]] = affine_map<(d0) -> (d0 * 2)>
// EXPAND-LABEL: func.func @copy
// EXPAND-SAME: %[[A:[^:]*]]: index, %[[B:[^:]*]]: index, %[[C:[^:]*]]: index
// EXPAND: scf.for %{{.*}} = %{{.*}} to %[[A]] step
// EXPAND: %[[LENGTH:.*]] = affine.apply #[[$BYTES]](%[[C]])
// EXPAND: npu.dma {{.*}} bursts 32 length 80 source_stride 80 target_stride 96 up_to[%[[B]], %[[LENGTH]]]
func.func @copy(%x: !gm, %y: !part, %a: index, %b: index, %c: index) attributes {npu.kernel} {
  npu.copy %x to %y up_to[%a, %b, %c] : !gm to !part
  return
}

!l1 = memref<4x32x16xf16, #npu.space<l1>>
!l0a = memref<2x4x16x16xf16, #npu.space<l0a>>

// Four blocks and two rows of fractals: along the blocks.
// CHECK-LABEL: func.func @load
// CHECK: npu.load_fractals %{{.*}} to %{{.*}} up_to[%{{.*}}, %{{.*}}] :
// EXPAND-LABEL: func.func @load
// EXPAND-SAME: %[[BLOCKS:[^:]*]]: index, %[[M:[^:]*]]: index
// EXPAND: %[[ROWS:.*]] = affine.apply #{{.*}}(%[[M]])
// EXPAND: scf.for %{{.*}} = %{{.*}} to %[[ROWS]] step
// EXPAND: npu.load2d {{.*}} fractals 4 source_stride 2 up_to[%[[BLOCKS]]]
func.func @load(%x: !l1, %y: !l0a, %blocks: index, %m: index) attributes {npu.kernel} {
  npu.load_fractals %x to %y up_to[%blocks, %m] : !l1 to !l0a
  return
}
