# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints a module whose @main runs batch-reduce GEMM kernels of many shapes and
returns how many elements differ from a scalar loop.

All numbers are small integers or eighths, so that any order of summation gives
the same bits. Everything between the rows of A and B is NaN and must not be
read into a result; everything between the rows of C must not change; without
beta C is NaN before.
"""

import itertools

# 1; below, at and above a vector; primes; below, at and above a block.
ROWS = (1, 2, 7, 13, 32)
COLUMNS = (1, 3, 8, 13, 33)
DEPTHS = (1, 8, 29)

HELPERS = """
func.func private @fill(%x: memref<?xf32>, %ld: index, %valid: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %c17 = arith.constant 17 : index
  %nan = arith.constant 0x7FC00000 : f32
  %eighth = arith.constant 0.125 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.muli %i, %c7 : index
    %1 = arith.remui %0, %c17 : index
    %2 = arith.subi %1, %c8 : index
    %3 = arith.index_cast %2 : index to i64
    %4 = arith.sitofp %3 : i64 to f32
    %5 = arith.mulf %4, %eighth : f32
    %6 = arith.remui %i, %ld : index
    %7 = arith.cmpi ult, %6, %valid : index
    %8 = arith.select %7, %5, %nan : f32
    memref.store %8, %x[%i] : memref<?xf32>
  }
  return
}

func.func private @prepare(%c: memref<?xf32>, %d: memref<?xf32>, %ld: index,
                           %nans: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c13 = arith.constant 13 : index
  %nan = arith.constant 0x7FC00000 : f32
  %n = memref.dim %c, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.remui %i, %c13 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    memref.store %2, %d[%i] : memref<?xf32>
    %3 = arith.remui %i, %ld : index
    %4 = arith.cmpi ult, %3, %nans : index
    %5 = arith.select %4, %nan, %2 : f32
    memref.store %5, %c[%i] : memref<?xf32>
  }
  return
}

func.func private @reference(
    %a: memref<?xf32>, %b: memref<?xf32>, %d: memref<?xf32>, %batch: index,
    %m: index, %n: index, %k: index, %lda: index, %ldb: index, %ldc: index,
    %sa: index, %sb: index, %beta: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %0 = arith.muli %i, %ldc : index
      %1 = arith.addi %0, %j : index
      %2 = memref.load %d[%1] : memref<?xf32>
      %3 = arith.select %beta, %2, %zero : f32
      %4 = scf.for %t = %c0 to %batch step %c1 iter_args(%s = %3) -> f32 {
        %ta = arith.muli %t, %sa : index
        %tb = arith.muli %t, %sb : index
        %5 = scf.for %l = %c0 to %k step %c1 iter_args(%r = %s) -> f32 {
          %ia = arith.muli %i, %lda : index
          %ja = arith.addi %ia, %l : index
          %ka = arith.addi %ja, %ta : index
          %x = memref.load %a[%ka] : memref<?xf32>
          %ib = arith.muli %l, %ldb : index
          %jb = arith.addi %ib, %j : index
          %kb = arith.addi %jb, %tb : index
          %y = memref.load %b[%kb] : memref<?xf32>
          %p = arith.mulf %x, %y : f32
          %q = arith.addf %r, %p : f32
          scf.yield %q : f32
        }
        scf.yield %5 : f32
      }
      memref.store %4, %d[%1] : memref<?xf32>
    }
  }
  return
}

// Where the blocks of a batch are, the last one first.
func.func private @enumerate(%list: memref<?xi64>, %first: index, %stride: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %list, %c0 : memref<?xi64>
  %last = arith.subi %n, %c1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.subi %last, %i : index
    %1 = arith.muli %0, %stride : index
    %2 = arith.muli %1, %c4 : index
    %3 = arith.addi %2, %first : index
    %4 = arith.index_cast %3 : index to i64
    memref.store %4, %list[%i] : memref<?xi64>
  }
  return
}

func.func private @differences(%c: memref<?xf32>, %d: memref<?xf32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = memref.dim %c, %c0 : memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i32 {
    %x = memref.load %c[%i] : memref<?xf32>
    %y = memref.load %d[%i] : memref<?xf32>
    %0 = arith.cmpf une, %x, %y : f32
    %1 = arith.select %0, %one, %zero : i32
    %2 = arith.addi %s, %1 : i32
    scf.yield %2 : i32
  }
  return %r : i32
}
"""

CASE = """
func.func private @case{index}() -> i32 {{
  %c0 = arith.constant 0 : index
  %sizea = arith.constant {sizea} : index
  %sizeb = arith.constant {sizeb} : index
  %sizec = arith.constant {sizec} : index
  %batch = arith.constant {batch} : index
  %m = arith.constant {m} : index
  %n = arith.constant {n} : index
  %k = arith.constant {k} : index
  %lda = arith.constant {lda} : index
  %ldb = arith.constant {ldb} : index
  %ldc = arith.constant {ldc} : index
  %sa = arith.constant {sa} : index
  %sb = arith.constant {sb} : index
  %nans = arith.constant {nans} : index
  %beta = arith.constant {beta_bool}
  %a = memref.alloc(%sizea) : memref<?xf32>
  %b = memref.alloc(%sizeb) : memref<?xf32>
  %c = memref.alloc(%sizec) : memref<?xf32>
  %d = memref.alloc(%sizec) : memref<?xf32>
  call @fill(%a, %lda, %k) : (memref<?xf32>, index, index) -> ()
  call @fill(%b, %ldb, %n) : (memref<?xf32>, index, index) -> ()
  call @prepare(%c, %d, %ldc, %nans)
    : (memref<?xf32>, memref<?xf32>, index, index) -> ()
  call @reference(%a, %b, %d, %batch, %m, %n, %k, %lda, %ldb, %ldc, %sa, %sb,
                  %beta)
    : (memref<?xf32>, memref<?xf32>, memref<?xf32>, index, index, index, index,
       index, index, index, index, index, i1) -> ()
{call}
  %r = call @differences(%c, %d) : (memref<?xf32>, memref<?xf32>) -> i32
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  memref.dealloc %d : memref<?xf32>
  return %r : i32
}}
"""


KERNEL = """
  %kernel = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = {m}, n = {n}, k = {k}, lda = {lda}, ldb = {ldb}, ldc = {ldc}, {blocks}, beta = {beta}>
"""

LISTS = """
  %la = memref.alloc(%batch) : memref<?xi64>
  %lb = memref.alloc(%batch) : memref<?xi64>
  call @enumerate(%la, %firsta, %sa) : (memref<?xi64>, index, index) -> ()
  call @enumerate(%lb, %firstb, %sb) : (memref<?xi64>, index, index) -> ()
"""

FREE = """
  memref.dealloc %la : memref<?xi64>
  memref.dealloc %lb : memref<?xi64>
"""

# Constant strides, byte offsets, addresses.
CALLS = (
    """
  tir.brgemm %kernel batch(%batch) a(%a[%c0]) b(%b[%c0]) c(%c[%c0])
    : memref<?xf32>, memref<?xf32>, memref<?xf32>
""",
    """
  %firsta = arith.constant 0 : index
  %firstb = arith.constant 0 : index
"""
    + LISTS
    + """
  tir.brgemm %kernel batch(%batch) a(%a[%c0]) b(%b[%c0]) c(%c[%c0])
    offsets(%la, %lb : memref<?xi64>, memref<?xi64>)
    : memref<?xf32>, memref<?xf32>, memref<?xf32>
"""
    + FREE,
    """
  %firsta = memref.extract_aligned_pointer_as_index %a : memref<?xf32> -> index
  %firstb = memref.extract_aligned_pointer_as_index %b : memref<?xf32> -> index
"""
    + LISTS
    + """
  tir.brgemm %kernel batch(%batch) a(%la[%c0]) b(%lb[%c0]) c(%c[%c0])
    : memref<?xi64>, memref<?xi64>, memref<?xf32>
"""
    + FREE,
)


def call(index, **shape):
    """The kernel and its call, in one of the three forms of a batch."""
    form = index // 2 % 3
    strides = f"stride_a = {shape['sa']}, stride_b = {shape['sb']}"
    blocks = (strides, "batch = offset", "batch = address")[form]
    return KERNEL.format(blocks=blocks, **shape) + CALLS[form]


def main():
    print(HELPERS)
    shapes = list(itertools.product(ROWS, COLUMNS, DEPTHS))
    for index, (m, n, k) in enumerate(shapes):
        batch, beta = 1 + index % 3, index % 2
        # Padded rows in two cases of three; a single column keeps ldb = 1 in
        # the others, which is the form with dot products.
        lda, ldb, ldc = k + index % 3, n + index % 3, n + (index + 1) % 3
        sa, sb = m * lda, k * ldb
        print(
            CASE.format(
                index=index, m=m, n=n, k=k, lda=lda, ldb=ldb, ldc=ldc, sa=sa,
                sb=sb, batch=batch, beta=beta, sizea=sa * batch,
                sizeb=sb * batch, sizec=m * ldc, nans=0 if beta else n,
                beta_bool="true" if beta else "false",
                call=call(index, m=m, n=n, k=k, lda=lda, ldb=ldb, ldc=ldc,
                          sa=sa, sb=sb, beta=beta),
            )
        )
    print("func.func @main() -> i32 {\n  %r0 = arith.constant 0 : i32")
    for index in range(len(shapes)):
        print(
            f"  %x{index} = call @case{index}() : () -> i32\n"
            f"  %r{index + 1} = arith.addi %r{index}, %x{index} : i32"
        )
    print(f"  return %r{len(shapes)} : i32\n}}")


main()
