// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions with structured ops of linalg: two tiles and a tail, in each dimension
// where tiles are chosen. The reference converts them to graph ops.

// RUN: gc-runner --target=npu %s --entry=pointwise --check --strict
// RUN: gc-runner --target=npu %s --entry=transposed --check --strict
// RUN: gc-runner --target=npu %s --entry=softmax --check --strict
// RUN: gc-runner --target=npu %s --entry=layer --check --strict
// RUN: gc-runner --target=npu %s --entry=mixed --check --strict
// RUN: gc-runner --target=npu %s --entry=start --check --strict
// RUN: gc-runner --target=npu %s --entry=columns --check --strict
// RUN: gc-runner --target=npu %s --entry=batched --check --strict
// RUN: gc-runner --target=npu %s --entry=permuted --check --strict
// RUN: gc-runner --target=npu %s --entry=several --check --strict
// RUN: gc-runner --target=npu %s --entry=updated --check --strict
// RUN: gc-runner --target=npu %s --entry=square --check --strict

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>

func.func @pointwise(%x: tensor<600x520xf16>, %b: tensor<520xf16>) -> tensor<600x520xf16> {
  %c = arith.constant 5.000000e-01 : f16
  %e = tensor.empty() : tensor<600x520xf16>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<600x520xf16>, tensor<520xf16>) outs(%e : tensor<600x520xf16>) {
  ^bb0(%a: f16, %y: f16, %o: f16):
    %1 = arith.addf %a, %y : f16
    %2 = arith.mulf %1, %c : f16
    %3 = math.exp %2 : f16
    %4 = arith.cmpf ogt, %a, %c : f16
    %5 = arith.select %4, %3, %a : f16
    linalg.yield %5 : f16
  } -> tensor<600x520xf16>
  return %0 : tensor<600x520xf16>
}
func.func @transposed(%x: tensor<600x520xf16>) -> tensor<520x600xf16> {
  %e = tensor.empty() : tensor<520x600xf16>
  %0 = linalg.generic {indexing_maps = [#id, #t], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<600x520xf16>) outs(%e : tensor<520x600xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.addf %a, %a : f16
    linalg.yield %1 : f16
  } -> tensor<520x600xf16>
  return %0 : tensor<520x600xf16>
}
func.func @softmax(%x: tensor<600x520xf32>) -> tensor<600x520xf32> {
  %zero = arith.constant 0.000000e+00 : f32
  %low = arith.constant 0xFF800000 : f32
  %ev = tensor.empty() : tensor<600xf32>
  %e = tensor.empty() : tensor<600x520xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%ev : tensor<600xf32>) -> tensor<600xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%ev : tensor<600xf32>) -> tensor<600xf32>
  %m = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<600x520xf32>) outs(%m0 : tensor<600xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.maximumf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<600xf32>
  %p = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<600x520xf32>, tensor<600xf32>) outs(%e : tensor<600x520xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<600x520xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<600x520xf32>) outs(%s0 : tensor<600xf32>) dimensions = [1]
  %q = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<600x520xf32>, tensor<600xf32>) outs(%e : tensor<600x520xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<600x520xf32>
  return %q : tensor<600x520xf32>
}
func.func @layer(%x: tensor<600x200xf16>, %w: tensor<200x520xf16>, %bias: tensor<520xf32>) -> tensor<600x520xf16> {
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<600x520xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<600x520xf32>) -> tensor<600x520xf32>
  %p = linalg.matmul ins(%x, %w : tensor<600x200xf16>, tensor<200x520xf16>) outs(%f : tensor<600x520xf32>) -> tensor<600x520xf32>
  %h = tensor.empty() : tensor<600x520xf16>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<600x520xf32>, tensor<520xf32>) outs(%h : tensor<600x520xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %1 = arith.addf %a, %b : f32
    %2 = arith.maximumf %1, %zero : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<600x520xf16>
  return %q : tensor<600x520xf16>
}
func.func @mixed(%x: tensor<600x200xf16>, %w: tensor<200x520xf16>) -> tensor<600x520xf16> {
  %e = tensor.empty() : tensor<600x200xf16>
  %0 = linalg.exp ins(%x : tensor<600x200xf16>) outs(%e : tensor<600x200xf16>) -> tensor<600x200xf16>
  %1 = graph.matmul %0, %w : (tensor<600x200xf16>, tensor<200x520xf16>) -> tensor<600x520xf16>
  %h = tensor.empty() : tensor<600x520xf16>
  %2 = linalg.abs ins(%1 : tensor<600x520xf16>) outs(%h : tensor<600x520xf16>) -> tensor<600x520xf16>
  %3 = graph.relu %2 : (tensor<600x520xf16>) -> tensor<600x520xf16>
  return %3 : tensor<600x520xf16>
}
func.func @start(%x: tensor<600x520xf16>, %s: tensor<600xf32>) -> tensor<600xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<600x520xf16>) outs(%s : tensor<600xf32>) {
  ^bb0(%a: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<600xf32>
  return %0 : tensor<600xf32>
}
func.func @columns(%x: tensor<600x520xf16>) -> tensor<520xf16> {
  %low = arith.constant 0xFC00 : f16
  %ev = tensor.empty() : tensor<520xf16>
  %m0 = linalg.fill ins(%low : f16) outs(%ev : tensor<520xf16>) -> tensor<520xf16>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<600x520xf16>) outs(%m0 : tensor<520xf16>) {
  ^bb0(%a: f16, %o: f16):
    %3 = arith.maximumf %o, %a : f16
    linalg.yield %3 : f16
  } -> tensor<520xf16>
  return %0 : tensor<520xf16>
}
func.func @batched(%x: tensor<3x80x96xf16>, %w: tensor<3x72x96xf16>) -> tensor<3x80x72xf32> {
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<3x80x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x80x72xf32>) -> tensor<3x80x72xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, k, m, n) -> (b, n, k)>, affine_map<(b, k, m, n) -> (b, m, k)>, affine_map<(b, k, m, n) -> (b, m, n)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%w, %x : tensor<3x72x96xf16>, tensor<3x80x96xf16>) outs(%f : tensor<3x80x72xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x80x72xf32>
  return %p : tensor<3x80x72xf32>
}

// Loops of the result are not those of the operand, and sizes are 1.
func.func @permuted(%x: tensor<40x1x72x24xf32>) -> tensor<24x1x40xf32> {
  %high = arith.constant 0x7F800000 : f32
  %ev = tensor.empty() : tensor<24x1x40xf32>
  %m0 = linalg.fill ins(%high : f32) outs(%ev : tensor<24x1x40xf32>) -> tensor<24x1x40xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (d, b, a)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%x : tensor<40x1x72x24xf32>) outs(%m0 : tensor<24x1x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.minimumf %o, %a : f32
    linalg.yield %3 : f32
  } -> tensor<24x1x40xf32>
  return %0 : tensor<24x1x40xf32>
}
// An index that is always 0, a constant operand, and two results.
func.func @several(%x: tensor<130x200xf16>, %r: tensor<1x200xf16>) -> (tensor<130x200xf16>, tensor<130x200xf32>) {
  %two = arith.constant dense<2.0> : tensor<200xf16>
  %e = tensor.empty() : tensor<130x200xf16>
  %w = tensor.empty() : tensor<130x200xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (0, d1)>, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r, %two : tensor<130x200xf16>, tensor<1x200xf16>, tensor<200xf16>) outs(%e, %w : tensor<130x200xf16>, tensor<130x200xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16, %p: f32):
    %1 = arith.mulf %a, %c : f16
    %2 = arith.subf %1, %b : f16
    %3 = arith.extf %2 : f16 to f32
    %4 = math.tanh %3 : f32
    linalg.yield %2, %4 : f16, f32
  } -> (tensor<130x200xf16>, tensor<130x200xf32>)
  return %0#0, %0#1 : tensor<130x200xf16>, tensor<130x200xf32>
}
// What is in the result before is read.
func.func @updated(%x: tensor<130x200xf16>, %y: tensor<130x200xf16>) -> tensor<130x200xf16> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<130x200xf16>) outs(%y : tensor<130x200xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.subf %o, %a : f16
    linalg.yield %1 : f16
  } -> tensor<130x200xf16>
  return %0 : tensor<130x200xf16>
}
// Rows and columns are as many, so that only maps tell them apart.
func.func @square(%x: tensor<64x64xf32>, %y: tensor<64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %v = tensor.empty() : tensor<64xf32>
  %n = linalg.exp ins(%y : tensor<64xf32>) outs(%v : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %n : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
