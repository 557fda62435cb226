// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Few rows by operands in narrower types, which are converted in registers: keys along
// k, values row by row, a single column. Remainders of vectors, rows and columns; scales
// of all kinds. Memory is NaN until something is written to it.

// DEFINE: %{entry} =
// DEFINE: %{options} =
// DEFINE: %{run} = env GC_POISON=1 gc-runner %s --threads=2 --check --strict --entry=%{entry} %{options}

// REDEFINE: %{entry} = keys_si8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = keys_si8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = short_keys_si8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = short_keys_si8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = values_si8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = values_si8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values_si8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values_si8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = column_si8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = column_si8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = keys_ui8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = keys_ui8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = short_keys_ui8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = short_keys_ui8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = values_ui8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = values_ui8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values_ui8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values_ui8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = column_ui8
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = column_ui8
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = keys_bf16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = keys_bf16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = short_keys_bf16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = short_keys_bf16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = values_bf16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = values_bf16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values_bf16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values_bf16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = column_bf16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = column_bf16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = keys_f16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = keys_f16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = short_keys_f16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = short_keys_f16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = values_f16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = values_f16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values_f16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values_f16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = column_f16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = column_f16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = transposed_queries
// REDEFINE: %{options} =
// RUN: %{run}
// REDEFINE: %{entry} = shared_rows
// REDEFINE: %{options} =
// RUN: %{run}
// REDEFINE: %{entry} = groups_of_argument
// REDEFINE: %{options} =
// RUN: %{run}
// REDEFINE: %{entry} = column_of_groups
// REDEFINE: %{options} =
// RUN: %{run}
// REDEFINE: %{entry} = shared_cache
// REDEFINE: %{options} =
// RUN: %{run}
// REDEFINE: %{entry} = decode
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = decode
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = decode_unsigned
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = decode_unsigned
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = decode_scales
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = decode_scales
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = decode_bf16
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = decode_bf16
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}

func.func @keys_si8(%a: tensor<3x4x128xf32>, %b: tensor<3x45x128xsi8>) -> tensor<3x4x45xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: -3>} : (tensor<3x45x128xsi8>) -> tensor<3x45x128xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x4x128xf32>, tensor<3x45x128xf32>) -> tensor<3x4x45xf32>
  return %1 : tensor<3x4x45xf32>
}

func.func @short_keys_si8(%a: tensor<3x3x20xf32>, %b: tensor<3x29x20xsi8>) -> tensor<3x3x29xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: -3>} : (tensor<3x29x20xsi8>) -> tensor<3x29x20xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x3x20xf32>, tensor<3x29x20xf32>) -> tensor<3x3x29xf32>
  return %1 : tensor<3x3x29xf32>
}

func.func @values_si8(%a: tensor<3x4x96xf32>, %b: tensor<3x96x40xsi8>) -> tensor<3x4x40xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: -3>} : (tensor<3x96x40xsi8>) -> tensor<3x96x40xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x4x96xf32>, tensor<3x96x40xf32>) -> tensor<3x4x40xf32>
  return %1 : tensor<3x4x40xf32>
}

func.func @rest_of_values_si8(%a: tensor<3x7x65xf32>, %b: tensor<3x65x37xsi8>) -> tensor<3x7x37xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: -3>} : (tensor<3x65x37xsi8>) -> tensor<3x65x37xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x7x65xf32>, tensor<3x65x37xf32>) -> tensor<3x7x37xf32>
  return %1 : tensor<3x7x37xf32>
}

func.func @column_si8(%a: tensor<3x6x140xf32>, %b: tensor<3x140x1xsi8>) -> tensor<3x6x1xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: -3>} : (tensor<3x140x1xsi8>) -> tensor<3x140x1xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x6x140xf32>, tensor<3x140x1xf32>) -> tensor<3x6x1xf32>
  return %1 : tensor<3x6x1xf32>
}

func.func @keys_ui8(%a: tensor<3x4x128xf32>, %b: tensor<3x45x128xui8>) -> tensor<3x4x45xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: 128>} : (tensor<3x45x128xui8>) -> tensor<3x45x128xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x4x128xf32>, tensor<3x45x128xf32>) -> tensor<3x4x45xf32>
  return %1 : tensor<3x4x45xf32>
}

func.func @short_keys_ui8(%a: tensor<3x3x20xf32>, %b: tensor<3x29x20xui8>) -> tensor<3x3x29xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: 128>} : (tensor<3x29x20xui8>) -> tensor<3x29x20xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x3x20xf32>, tensor<3x29x20xf32>) -> tensor<3x3x29xf32>
  return %1 : tensor<3x3x29xf32>
}

func.func @values_ui8(%a: tensor<3x4x96xf32>, %b: tensor<3x96x40xui8>) -> tensor<3x4x40xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: 128>} : (tensor<3x96x40xui8>) -> tensor<3x96x40xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x4x96xf32>, tensor<3x96x40xf32>) -> tensor<3x4x40xf32>
  return %1 : tensor<3x4x40xf32>
}

func.func @rest_of_values_ui8(%a: tensor<3x7x65xf32>, %b: tensor<3x65x37xui8>) -> tensor<3x7x37xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: 128>} : (tensor<3x65x37xui8>) -> tensor<3x65x37xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x7x65xf32>, tensor<3x65x37xf32>) -> tensor<3x7x37xf32>
  return %1 : tensor<3x7x37xf32>
}

func.func @column_ui8(%a: tensor<3x6x140xf32>, %b: tensor<3x140x1xui8>) -> tensor<3x6x1xf32> {
  %0 = graph.dequantize %b {scales = array<f32: 0.02>, zps = array<i64: 128>} : (tensor<3x140x1xui8>) -> tensor<3x140x1xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x6x140xf32>, tensor<3x140x1xf32>) -> tensor<3x6x1xf32>
  return %1 : tensor<3x6x1xf32>
}

func.func @keys_bf16(%a: tensor<3x4x128xf32>, %b: tensor<3x45x128xbf16>) -> tensor<3x4x45xf32> {
  %0 = graph.type_cast %b : tensor<3x45x128xbf16> -> tensor<3x45x128xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x4x128xf32>, tensor<3x45x128xf32>) -> tensor<3x4x45xf32>
  return %1 : tensor<3x4x45xf32>
}

func.func @short_keys_bf16(%a: tensor<3x3x20xf32>, %b: tensor<3x29x20xbf16>) -> tensor<3x3x29xf32> {
  %0 = graph.type_cast %b : tensor<3x29x20xbf16> -> tensor<3x29x20xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x3x20xf32>, tensor<3x29x20xf32>) -> tensor<3x3x29xf32>
  return %1 : tensor<3x3x29xf32>
}

func.func @values_bf16(%a: tensor<3x4x96xf32>, %b: tensor<3x96x40xbf16>) -> tensor<3x4x40xf32> {
  %0 = graph.type_cast %b : tensor<3x96x40xbf16> -> tensor<3x96x40xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x4x96xf32>, tensor<3x96x40xf32>) -> tensor<3x4x40xf32>
  return %1 : tensor<3x4x40xf32>
}

func.func @rest_of_values_bf16(%a: tensor<3x7x65xf32>, %b: tensor<3x65x37xbf16>) -> tensor<3x7x37xf32> {
  %0 = graph.type_cast %b : tensor<3x65x37xbf16> -> tensor<3x65x37xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x7x65xf32>, tensor<3x65x37xf32>) -> tensor<3x7x37xf32>
  return %1 : tensor<3x7x37xf32>
}

func.func @column_bf16(%a: tensor<3x6x140xf32>, %b: tensor<3x140x1xbf16>) -> tensor<3x6x1xf32> {
  %0 = graph.type_cast %b : tensor<3x140x1xbf16> -> tensor<3x140x1xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x6x140xf32>, tensor<3x140x1xf32>) -> tensor<3x6x1xf32>
  return %1 : tensor<3x6x1xf32>
}

func.func @keys_f16(%a: tensor<3x4x128xf32>, %b: tensor<3x45x128xf16>) -> tensor<3x4x45xf32> {
  %0 = graph.type_cast %b : tensor<3x45x128xf16> -> tensor<3x45x128xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x4x128xf32>, tensor<3x45x128xf32>) -> tensor<3x4x45xf32>
  return %1 : tensor<3x4x45xf32>
}

func.func @short_keys_f16(%a: tensor<3x3x20xf32>, %b: tensor<3x29x20xf16>) -> tensor<3x3x29xf32> {
  %0 = graph.type_cast %b : tensor<3x29x20xf16> -> tensor<3x29x20xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x3x20xf32>, tensor<3x29x20xf32>) -> tensor<3x3x29xf32>
  return %1 : tensor<3x3x29xf32>
}

func.func @values_f16(%a: tensor<3x4x96xf32>, %b: tensor<3x96x40xf16>) -> tensor<3x4x40xf32> {
  %0 = graph.type_cast %b : tensor<3x96x40xf16> -> tensor<3x96x40xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x4x96xf32>, tensor<3x96x40xf32>) -> tensor<3x4x40xf32>
  return %1 : tensor<3x4x40xf32>
}

func.func @rest_of_values_f16(%a: tensor<3x7x65xf32>, %b: tensor<3x65x37xf16>) -> tensor<3x7x37xf32> {
  %0 = graph.type_cast %b : tensor<3x65x37xf16> -> tensor<3x65x37xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x7x65xf32>, tensor<3x65x37xf32>) -> tensor<3x7x37xf32>
  return %1 : tensor<3x7x37xf32>
}

func.func @column_f16(%a: tensor<3x6x140xf32>, %b: tensor<3x140x1xf16>) -> tensor<3x6x1xf32> {
  %0 = graph.type_cast %b : tensor<3x140x1xf16> -> tensor<3x140x1xf32>
  %1 = graph.matmul %a, %0 {transpose_b = false} : (tensor<3x6x140xf32>, tensor<3x140x1xf32>) -> tensor<3x6x1xf32>
  return %1 : tensor<3x6x1xf32>
}

func.func @decode(%q: tensor<1x3x4x1x40xf32>, %k: tensor<1x3x1x200x40xsi8>, %v: tensor<1x3x1x200x40xsi8>) -> tensor<1x3x4x1x40xf32> {
  %kf = graph.dequantize %k {scales = array<f32: 0.01>, zps = array<i64: 0>} : (tensor<1x3x1x200x40xsi8>) -> tensor<1x3x1x200x40xf32>
  %vf = graph.dequantize %v {scales = array<f32: 0.01>, zps = array<i64: 0>} : (tensor<1x3x1x200x40xsi8>) -> tensor<1x3x1x200x40xf32>
  %scale = graph.constant dense<0.01> : tensor<1xf32>
  %0 = graph.matmul %q, %kf {transpose_b = true} : (tensor<1x3x4x1x40xf32>, tensor<1x3x1x200x40xf32>) -> tensor<1x3x4x1x200xf32>
  %1 = graph.multiply %0, %scale : (tensor<1x3x4x1x200xf32>, tensor<1xf32>) -> tensor<1x3x4x1x200xf32>
  %2 = graph.softmax %1 {axis = 4} : (tensor<1x3x4x1x200xf32>) -> tensor<1x3x4x1x200xf32>
  %3 = graph.matmul %2, %vf : (tensor<1x3x4x1x200xf32>, tensor<1x3x1x200x40xf32>) -> tensor<1x3x4x1x40xf32>
  return %3 : tensor<1x3x4x1x40xf32>
}

func.func @decode_unsigned(%q: tensor<1x3x4x1x40xf32>, %k: tensor<1x3x1x200x40xui8>, %v: tensor<1x3x1x200x40xui8>) -> tensor<1x3x4x1x40xf32> {
  %kf = graph.dequantize %k {scales = array<f32: 0.01>, zps = array<i64: 128>} : (tensor<1x3x1x200x40xui8>) -> tensor<1x3x1x200x40xf32>
  %vf = graph.dequantize %v {scales = array<f32: 0.01>, zps = array<i64: 128>} : (tensor<1x3x1x200x40xui8>) -> tensor<1x3x1x200x40xf32>
  %scale = graph.constant dense<0.01> : tensor<1xf32>
  %0 = graph.matmul %q, %kf {transpose_b = true} : (tensor<1x3x4x1x40xf32>, tensor<1x3x1x200x40xf32>) -> tensor<1x3x4x1x200xf32>
  %1 = graph.multiply %0, %scale : (tensor<1x3x4x1x200xf32>, tensor<1xf32>) -> tensor<1x3x4x1x200xf32>
  %2 = graph.softmax %1 {axis = 4} : (tensor<1x3x4x1x200xf32>) -> tensor<1x3x4x1x200xf32>
  %3 = graph.matmul %2, %vf : (tensor<1x3x4x1x200xf32>, tensor<1x3x1x200x40xf32>) -> tensor<1x3x4x1x40xf32>
  return %3 : tensor<1x3x4x1x40xf32>
}

func.func @decode_scales(%q: tensor<1x3x4x1x40xf32>, %k: tensor<1x3x1x200x40xsi8>, %v: tensor<1x3x1x200x40xsi8>, %ks: tensor<1x3x1x200x1xf32>, %vs: tensor<1x3x1x200x1xf32>) -> tensor<1x3x4x1x40xf32> {
  %kf = graph.dynamic_dequantize %k, %ks {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 1, 40>} : (tensor<1x3x1x200x40xsi8>, tensor<1x3x1x200x1xf32>) -> tensor<1x3x1x200x40xf32>
  %vf = graph.dynamic_dequantize %v, %vs {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 1, 40>} : (tensor<1x3x1x200x40xsi8>, tensor<1x3x1x200x1xf32>) -> tensor<1x3x1x200x40xf32>
  %scale = graph.constant dense<0.01> : tensor<1xf32>
  %0 = graph.matmul %q, %kf {transpose_b = true} : (tensor<1x3x4x1x40xf32>, tensor<1x3x1x200x40xf32>) -> tensor<1x3x4x1x200xf32>
  %1 = graph.multiply %0, %scale : (tensor<1x3x4x1x200xf32>, tensor<1xf32>) -> tensor<1x3x4x1x200xf32>
  %2 = graph.softmax %1 {axis = 4} : (tensor<1x3x4x1x200xf32>) -> tensor<1x3x4x1x200xf32>
  %3 = graph.matmul %2, %vf : (tensor<1x3x4x1x200xf32>, tensor<1x3x1x200x40xf32>) -> tensor<1x3x4x1x40xf32>
  return %3 : tensor<1x3x4x1x40xf32>
}

func.func @decode_bf16(%q: tensor<1x3x4x1x40xbf16>, %k: tensor<1x3x1x200x40xsi8>, %v: tensor<1x3x1x200x40xsi8>, %ks: tensor<1x3x1x200x1xf32>, %vs: tensor<1x3x1x200x1xf32>) -> tensor<1x3x4x1x40xbf16> {
  %kf = graph.dynamic_dequantize %k, %ks {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 1, 40>} : (tensor<1x3x1x200x40xsi8>, tensor<1x3x1x200x1xf32>) -> tensor<1x3x1x200x40xf32>
  %kfc = graph.type_cast %kf : tensor<1x3x1x200x40xf32> -> tensor<1x3x1x200x40xbf16>
  %vf = graph.dynamic_dequantize %v, %vs {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 1, 40>} : (tensor<1x3x1x200x40xsi8>, tensor<1x3x1x200x1xf32>) -> tensor<1x3x1x200x40xf32>
  %vfc = graph.type_cast %vf : tensor<1x3x1x200x40xf32> -> tensor<1x3x1x200x40xbf16>
  %scale = graph.constant dense<0.01> : tensor<1xbf16>
  %0 = graph.matmul %q, %kfc {transpose_b = true} : (tensor<1x3x4x1x40xbf16>, tensor<1x3x1x200x40xbf16>) -> tensor<1x3x4x1x200xbf16>
  %1 = graph.multiply %0, %scale : (tensor<1x3x4x1x200xbf16>, tensor<1xbf16>) -> tensor<1x3x4x1x200xbf16>
  %2 = graph.softmax %1 {axis = 4} : (tensor<1x3x4x1x200xbf16>) -> tensor<1x3x4x1x200xbf16>
  %3 = graph.matmul %2, %vfc : (tensor<1x3x4x1x200xbf16>, tensor<1x3x1x200x40xbf16>) -> tensor<1x3x4x1x40xbf16>
  return %3 : tensor<1x3x4x1x40xbf16>
}

// Scales of what is reduced, and rows that are columns in memory.
func.func @transposed_queries(%a: tensor<3x20x4xf32>, %b: tensor<3x20x24xsi8>, %s: tensor<3x20x1xf32>) -> tensor<3x4x24xf32> {
  %0 = graph.dynamic_dequantize %b, %s {qtype = "per_group", group_shape = array<i64: 1, 1, 24>} : (tensor<3x20x24xsi8>, tensor<3x20x1xf32>) -> tensor<3x20x24xf32>
  %1 = graph.matmul %a, %0 {transpose_a = true} : (tensor<3x20x4xf32>, tensor<3x20x24xf32>) -> tensor<3x4x24xf32>
  return %1 : tensor<3x4x24xf32>
}

// One matrix of rows for several of the cache.
func.func @shared_rows(%a: tensor<4x20xf32>, %b: tensor<3x20x24xsi8>, %s: tensor<3x20x1xf32>) -> tensor<3x4x24xf32> {
  %0 = graph.dynamic_dequantize %b, %s {qtype = "per_group", group_shape = array<i64: 1, 1, 24>} : (tensor<3x20x24xsi8>, tensor<3x20x1xf32>) -> tensor<3x20x24xf32>
  %1 = graph.matmul %a, %0 : (tensor<4x20xf32>, tensor<3x20x24xf32>) -> tensor<3x4x24xf32>
  return %1 : tensor<3x4x24xf32>
}

// Several matrices of rows for one of the cache, with a scale for each column.
func.func @shared_cache(%a: tensor<3x2x20xf32>, %b: tensor<24x20xui8>) -> tensor<3x2x24xf32> {
  %0 = graph.dequantize %b {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 1.0, 0.5, 0.25, 1.0, 0.5, 0.25, 1.0, 0.5, 0.25, 1.0, 0.5, 0.25, 1.0, 0.5, 0.25, 1.0, 0.5, 0.25, 1.0, 0.5, 0.25, 1.0, 0.5, 0.25>, zps = array<i64: 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3>} : (tensor<24x20xui8>) -> tensor<24x20xf32>
  %1 = graph.matmul %a, %0 {transpose_b = true} : (tensor<3x2x20xf32>, tensor<24x20xf32>) -> tensor<3x2x24xf32>
  return %1 : tensor<3x2x24xf32>
}

// Scales in memory, which kernels read beside a packed operand only.
func.func @groups_of_argument(%x: tensor<3x128xf32>, %w: tensor<64x128xsi8>, %s: tensor<4x64xf32>) -> tensor<3x64xf32> {
  %0 = graph.matmul %x, %w, %s {transpose_b = true, weights_group = 32 : i64} : (tensor<3x128xf32>, tensor<64x128xsi8>, tensor<4x64xf32>) -> tensor<3x64xf32>
  return %0 : tensor<3x64xf32>
}

func.func @column_of_groups(%x: tensor<3x96xf32>, %w: tensor<96x1xsi8> {graph.const_arg}, %s: tensor<3x1xf32> {graph.const_arg}) -> tensor<3x1xf32> {
  %0 = graph.dynamic_dequantize %w, %s {qtype = "per_group", group_shape = array<i64: 32, 1>} : (tensor<96x1xsi8>, tensor<3x1xf32>) -> tensor<96x1xf32>
  %1 = graph.matmul %x, %0 : (tensor<3x96xf32>, tensor<96x1xf32>) -> tensor<3x1xf32>
  return %1 : tensor<3x1xf32>
}
