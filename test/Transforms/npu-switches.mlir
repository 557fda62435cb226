// What each option of the NPU pipeline switches off.

// RUN: gc-opt %s --gc-npu-pipeline="stop-after=extract" | FileCheck %s --check-prefix=FUSED
// FUSED-COUNT-1: poly.scop @chain
// FUSED-NOT: poly.scop @chain
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=extract fuse=false" | FileCheck %s --check-prefix=APART
// APART: poly.scop @chain_0
// APART: poly.scop @chain_1
// A comparison has no place in memory.
// APART: poly.scop @chain_2
// APART: arith.cmpf
// APART: arith.select
// APART-NOT: poly.scop @chain_3

// RUN: gc-opt %s --gc-npu-pipeline="stop-after=tile auto-tiling=false" | FileCheck %s --check-prefix=TILES
// TILES-DAG: policy = "S_2 : 2048 @ UB"
// TILES-DAG: policy = "S_1 : 128 @ L1, 128 @ L1, 64 @ L1, 128 @ L0, 128 @ L0, 64 @ L0"
// TILES-DAG: policy = "S_1 : 1 @ L1, 128 @ L1, 32 @ L1, 144 @ L1, 1 @ L0, 128 @ L0, 32 @ L0, 48 @ L0"
// TILES-DAG: policy = "S_0 : 16 @ UB, 128 @ UB"

// A panel of the product's factor stays in L1, the row is loaded once.
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=kernels" | FileCheck %s --check-prefix=PANEL
// PANEL-LABEL: @product(
// PANEL: memref<{{[0-9]+}}x{{[0-9]+}}x{{[0-9]+}}x16xf16, #npu.space<l1>>
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=kernels promote=false" | FileCheck %s --check-prefix=SLICES
// SLICES-LABEL: @product(
// SLICES-NOT: memref<{{[0-9]+}}x{{[0-9]+}}x{{[0-9]+}}x16xf16, #npu.space<l1>>
// SLICES: return

// RUN: gc-opt %s --gc-npu-pipeline="stop-after=slots" | FileCheck %s --check-prefix=SLOTS
// SLOTS: npu.alloc slots
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=slots double-buffer=false" | FileCheck %s --check-prefix=SINGLE
// SINGLE-NOT: slots

// RUN: gc-opt %s --gc-npu-pipeline="flags=false" | FileCheck %s --check-prefix=BARRIERS
// BARRIERS-NOT: npu.set_flag
// BARRIERS: npu.barrier all
// BARRIERS-NOT: npu.set_flag
// RUN: gc-opt %s --gc-npu-pipeline="group-flags=false" | FileCheck %s --check-prefix=SINGLY
// SINGLY: npu.set_flag

// Whatever is switched off, values are right and no accesses race.
// RUN: gc-runner --target=npu %s --entry=chain --check --pipeline-options="fuse=false"
// RUN: gc-runner --target=npu %s --entry=chain --check --pipeline-options="auto-tiling=false flags=false"
// RUN: gc-runner --target=npu %s --entry=product --check --pipeline-options="auto-tiling=false double-buffer=false flags=false"
// RUN: gc-runner --target=npu %s --entry=product --check --pipeline-options="promote=false group-flags=false"
// RUN: gc-runner --target=npu %s --entry=convolution --check --pipeline-options="auto-tiling=false promote=false"
// RUN: gc-runner --target=npu %s --entry=transpose --check --pipeline-options="auto-tiling=false group-flags=false"
// RUN: not gc-runner --target=npu %s --entry=chain --pipeline-options="auto-tilling=false" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: bad pipeline options: no such option auto-tilling; there are auto-tiling cores double-buffer
// RUN: not gc-runner --target=npu %s --entry=chain --pipeline-options="stop-after=tile" 2>&1 | FileCheck %s --check-prefix=STOP
// STOP: error: code that stops after phase 'tile' cannot be run

func.func @chain(%x: tensor<100x77xf16>) -> tensor<100x77xf16> {
  %0 = graph.relu %x : (tensor<100x77xf16>) -> tensor<100x77xf16>
  %1 = graph.square %0 : (tensor<100x77xf16>) -> tensor<100x77xf16>
  %2 = graph.greater_equal %1, %x : (tensor<100x77xf16>, tensor<100x77xf16>) -> tensor<100x77xi1>
  %3 = graph.select %2, %1, %x : (tensor<100x77xi1>, tensor<100x77xf16>, tensor<100x77xf16>) -> tensor<100x77xf16>
  return %3 : tensor<100x77xf16>
}

func.func @product(%a: tensor<300x200xf16>, %b: tensor<200x270xf16>) -> tensor<300x270xf16> {
  %0 = graph.matmul %a, %b : (tensor<300x200xf16>, tensor<200x270xf16>) -> tensor<300x270xf16>
  return %0 : tensor<300x270xf16>
}

func.func @convolution(%x: tensor<2x20x20x40xf16>, %w: tensor<3x3x40x32xf16>) -> tensor<2x20x20x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x20x20x40xf16>, tensor<3x3x40x32xf16>) -> tensor<2x20x20x32xf16>
  return %0 : tensor<2x20x20x32xf16>
}

func.func @transpose(%x: tensor<300x277xf16>) -> tensor<277x300xf16> {
  %y = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<300x277xf16>) -> tensor<277x300xf16>
  return %y : tensor<277x300xf16>
}
