// Graphs divided among cores: results are those of the reference, and the
// simulator finds no bytes that two cores write, or one reads and another one
// writes.

// Equal parts, of a flat operator.
// RUN: gc-runner --target=npu %s --entry=erf --cores=8 --check --strict | FileCheck %s --check-prefix=EIGHT
// A shorter last one.
// RUN: gc-runner --target=npu %s --entry=erf --cores=7 --check --strict | FileCheck %s --check-prefix=SEVEN
// RUN: gc-runner --target=npu %s --entry=softmax --cores=8 --check --strict | FileCheck %s --check-prefix=EIGHT
// RUN: gc-runner --target=npu %s --entry=two_results --cores=4 --check --strict | FileCheck %s --check-prefix=FOUR
// Rows or columns of a product, with all of the other factor.
// RUN: gc-runner --target=npu %s --entry=layer --cores=2 --check --strict | FileCheck %s --check-prefix=TWO
// RUN: gc-runner --target=npu %s --entry=wide --cores=2 --check --strict | FileCheck %s --check-prefix=TWO
// RUN: gc-runner --target=npu %s --entry=batch --cores=3 --check --strict | FileCheck %s --check-prefix=THREE
// Images, and weights that all cores load. Fewer cores than there are, where
// global memory does not feed more.
// RUN: gc-runner --target=npu %s --entry=convolution --cores=4 --check --strict | FileCheck %s --check-prefix=TWO
// Heads.
// RUN: gc-runner --target=npu %s --entry=attention --cores=4 --check --strict | FileCheck %s --check-prefix=THREE
// Several kernels, one of which stays on one core.
// RUN: gc-runner --target=npu %s --entry=kernels --cores=8 --check --strict | FileCheck %s --check-prefix=KERNELS
// Bound by global memory: one core.
// RUN: gc-runner --target=npu %s --entry=add --cores=8 --check --strict | FileCheck %s --check-prefix=ONE
// RUN: not gc-runner --target=npu %s --entry=add --cores=65 2>&1 | FileCheck %s --check-prefix=MANY

// EIGHT: on npu, gm64, values, 8 cores
// EIGHT: check passed
// SEVEN: on npu, gm64, values, 7 cores
// SEVEN: check passed
// THREE: on npu, gm64, values, 3 cores
// THREE: check passed
// FOUR: on npu, gm64, values, 4 cores
// FOUR: check passed
// TWO: on npu, gm64, values, 2 cores
// TWO: check passed
// ONE: on npu, gm64, values, 1 core
// ONE: check passed
// KERNELS: on npu, gm64, values, 8 cores
// KERNELS: kernel kernels_0: {{[0-9]+}} cycles
// KERNELS: kernel kernels_1: {{[0-9]+}} cycles
// KERNELS: check passed
// MANY: --cores must be from 1 to 64

func.func @erf(%x: tensor<256x500xf16>) -> tensor<256x500xf16> {
  %y = graph.erf %x : (tensor<256x500xf16>) -> tensor<256x500xf16>
  return %y : tensor<256x500xf16>
}

func.func @softmax(%x: tensor<1001x200xf16>, %mask: tensor<200xf16>) -> tensor<1001x200xf16> {
  %0 = graph.add %x, %mask : (tensor<1001x200xf16>, tensor<200xf16>) -> tensor<1001x200xf16>
  %1 = graph.softmax %0 {axis = -1 : i64} : (tensor<1001x200xf16>) -> tensor<1001x200xf16>
  return %1 : tensor<1001x200xf16>
}

func.func @two_results(%x: tensor<301x640xf32>) -> (tensor<301x640xf32>, tensor<301x1xf32>) {
  %0 = graph.exp %x : (tensor<301x640xf32>) -> tensor<301x640xf32>
  %1 = graph.sqrt %0 : (tensor<301x640xf32>) -> tensor<301x640xf32>
  %2 = graph.log %0 : (tensor<301x640xf32>) -> tensor<301x640xf32>
  %3 = graph.multiply %1, %2 : (tensor<301x640xf32>, tensor<301x640xf32>) -> tensor<301x640xf32>
  %4 = graph.reduce_max %3 {axes = array<i64: 1>, keep_dims = true} : (tensor<301x640xf32>) -> tensor<301x1xf32>
  return %3, %4 : tensor<301x640xf32>, tensor<301x1xf32>
}

func.func @layer(%a: tensor<1030x512xf16>, %b: tensor<512x512xf16>, %bias: tensor<512xf16>) -> tensor<1030x512xf16> {
  %0 = graph.matmul %a, %b : (tensor<1030x512xf16>, tensor<512x512xf16>) -> tensor<1030x512xf16>
  %1 = graph.add %0, %bias : (tensor<1030x512xf16>, tensor<512xf16>) -> tensor<1030x512xf16>
  %2 = graph.relu %1 : (tensor<1030x512xf16>) -> tensor<1030x512xf16>
  return %2 : tensor<1030x512xf16>
}

func.func @wide(%a: tensor<256x1024xf16>, %b: tensor<1024x1030xf16>) -> tensor<256x1030xf16> {
  %0 = graph.matmul %a, %b : (tensor<256x1024xf16>, tensor<1024x1030xf16>) -> tensor<256x1030xf16>
  return %0 : tensor<256x1030xf16>
}

func.func @batch(%a: tensor<3x512x512xf16>, %b: tensor<3x512x512xf16>) -> tensor<3x512x512xf16> {
  %0 = graph.matmul %a, %b : (tensor<3x512x512xf16>, tensor<3x512x512xf16>) -> tensor<3x512x512xf16>
  return %0 : tensor<3x512x512xf16>
}

func.func @convolution(%x: tensor<5x20x20x64xf16>, %w: tensor<3x3x64x64xf16>, %b: tensor<64xf16>) -> tensor<5x20x20x64xf16> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<5x20x20x64xf16>, tensor<3x3x64x64xf16>, tensor<64xf16>) -> tensor<5x20x20x64xf16>
  return %0 : tensor<5x20x20x64xf16>
}

func.func @attention(%q: tensor<6x80x64xf16>, %k: tensor<6x80x64xf16>, %v: tensor<6x80x64xf16>) -> tensor<6x80x64xf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<6x80x64xf16>, tensor<6x80x64xf16>) -> tensor<6x80x80xf16>
  %1 = graph.softmax %0 {axis = -1 : i64} : (tensor<6x80x80xf16>) -> tensor<6x80x80xf16>
  %2 = graph.matmul %1, %v : (tensor<6x80x80xf16>, tensor<6x80x64xf16>) -> tensor<6x80x64xf16>
  return %2 : tensor<6x80x64xf16>
}

func.func @kernels(%x: tensor<160x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x160xf16> {
  %0 = graph.gelu %x : (tensor<160x64xf16>) -> tensor<160x64xf16>
  %1 = graph.static_transpose %0 {order = array<i64: 1, 0>} : (tensor<160x64xf16>) -> tensor<64x160xf16>
  return %1 : tensor<64x160xf16>
}

func.func @add(%x: tensor<512x1024xf16>, %y: tensor<512x1024xf16>) -> tensor<512x1024xf16> {
  %z = graph.add %x, %y : (tensor<512x1024xf16>, tensor<512x1024xf16>) -> tensor<512x1024xf16>
  return %z : tensor<512x1024xf16>
}
