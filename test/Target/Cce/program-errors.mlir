// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that cannot be expressed in C are rejected at the op, and nothing is written.
// RUN: gc-translate --npu-to-cce --split-input-file --verify-diagnostics %s \
// RUN:   | FileCheck %s --check-prefix=TEXT --allow-empty
//
// TEXT-NOT: {{[a-z]}}

// expected-error @below {{has no NPU program, that is, no function with 'npu.kernel'}}
module {
  func.func @host() {
    return
  }
}

// -----

func.func @tiles(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  // expected-error @below {{is an op on whole tiles: run npu-expand-tiles first}}
  npu.copy %x to %a : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @unplanned() attributes {npu.kernel} {
  // expected-error @below {{has no address: run npu-plan-memory first}}
  %a = npu.alloc : memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @host_memory(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  // expected-error @below {{cannot be expressed in C: it is not part of an NPU program}}
  %number = memref.load %x[%0] : memref<128xf16, #npu.space<gm>>
  return
}

// -----

func.func private @other()

func.func @calls() attributes {npu.kernel} {
  // expected-error @below {{cannot be expressed in C: it is not part of an NPU program}}
  func.call @other() : () -> ()
  return
}

// -----

// expected-error @below {{argument 0 is 'memref<?xf16, #npu.space<gm>>'; a program takes row-major memrefs in gm}}
func.func @unknown_size(%x: memref<?xf16, #npu.space<gm>>) attributes {npu.kernel} {
  return
}

// -----

// expected-error @below {{argument 0 is 'memref<4xf16>'}}
func.func @no_space(%x: memref<4xf16>) attributes {npu.kernel} {
  return
}

// -----

func.func @odd_integer() attributes {npu.kernel} {
  // expected-error @below {{has a result of type 'i7', which cannot be expressed in C}}
  %0 = arith.constant 3 : i7
  return
}

// -----

func.func @two_results() attributes {npu.kernel} {
  %0 = arith.constant 3 : i32
  // expected-error @below {{cannot be expressed in C}}
  %low, %high = arith.mulsi_extended %0, %0 : i32
  return
}

// -----

func.func @part_of_a_part(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %part = memref.subview %x[16] [32] [1]
      : memref<128xf16, #npu.space<gm>> to memref<32xf16, strided<[1], offset: 16>, #npu.space<gm>>
  // expected-error @below {{takes a part of a buffer, not all of it}}
  %other = memref.reinterpret_cast %part to offset: [0], sizes: [8], strides: [1]
      : memref<32xf16, strided<[1], offset: 16>, #npu.space<gm>> to memref<8xf16, #npu.space<gm>>
  return
}

// -----

// expected-error @below {{returns values}}
func.func @result() -> index attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  return %0 : index
}

// -----

// expected-error @below {{has no body}}
func.func private @nowhere(memref<4xf16, #npu.space<gm>>) attributes {npu.kernel}

// -----

func.func @no_step() attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  %4 = arith.constant 4 : index
  // expected-error @below {{has a step of 0, so it never ends}}
  scf.for %i = %0 to %4 step %0 {
  }
  return
}
