// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_IR_NPUCOMPUTEOPS_TD
#define GC_DIALECT_NPU_IR_NPUCOMPUTEOPS_TD

// The cube unit and the vector unit.

include "Dialect/Npu/IR/NpuOpBase.td"

//===----------------------------------------------------------------------===//
// Cube
//===----------------------------------------------------------------------===//

def Npu_MatmulOp : Npu_InstructionOp<"matmul", [AttrSizedOperandSegments],
                                     ["getRunTimeNumbers"]> {
  let summary = "the cube unit: C (+)= A B";
  let description = [{
    A [M1, K1, 16, K0] in l0a times B [K1, N1, 16, K0] in l0b into
    C [N1, M1, 16, 16] in l0c: f16 with f32 sums, or i8 with i32 sums. If
    `initialise` is true (or absent and the attribute `initialised` is set), C is
    overwritten; otherwise the product is added to it. `sizes` = [M, N, K] says
    how much of the last fractals is valid: nothing beyond that is read or
    written. `up_to` gives these sizes at run time, at most those of the whole
    tiles.

    ```mlir
    npu.matmul %a, %b into %c initialise %first
        : memref<16x4x16x16xf16, #npu.space<l0a>>,
          memref<4x16x16x16xf16, #npu.space<l0b>>
          into memref<16x16x16x16xf32, #npu.space<l0c>>
    ```

    - (C1) A is in l0a, B in l0b, C in l0c.
    - (C2) shapes as above; f16 x f16 into f32, or i8 x i8 into i32.
    - (C3) an operand may be part of a larger tile: its first dimension may have
      gaps of whole fractals.
    - (C4) each of `sizes` ends in the last fractal of its dimension.
    - (C5) `initialise` and `initialised` are not both given.
    - (C6) `up_to` has three sizes, at most M, N and K of the tiles; it excludes
      `sizes`.
  }];
  let arguments = (ins Npu_Source:$a, Npu_Source:$b, Npu_Accumulator:$c,
    Optional<I1>:$initialise, UnitAttr:$initialised,
    OptionalAttr<DenseI64ArrayAttr>:$sizes, Variadic<Index>:$up_to);
  let assemblyFormat = [{
    $a `,` $b `into` $c (`initialise` $initialise^)?
    (`initialised` $initialised^)? (`sizes` $sizes^)?
    (`up_to` `[` $up_to^ `]`)? attr-dict `:` type($a) `,` type($b) `into` type($c)
  }];
}

def Npu_DrainOp : Npu_InstructionOp<"drain", [], ["getRunTimeNumbers"]> {
  let summary = "L0C to UB, with cast and ReLU";
  let description = [{
    From C [N1, M1, 16, 16] in l0c to [ceil(N / W), M', W] in ub, W = 16 or 32
    columns: f32 to f16 or f32, i32 to i8 (saturating), f16 or i32. `sizes` =
    [M, N] says how much of the last fractals is valid, and `up_to` says at run
    time how much of the tile is, as for `npu.matmul`. Pipe V executes the op.

    - (C1) the source is in l0c, the target in ub, each with its last two
      dimensions contiguous.
    - (C2) W is 16 or 32; the target has ceil(N / W) blocks of at least M rows.
    - (C3) the cast is one of those above.
    - (C4) each of `sizes` ends in the last fractal of its dimension.
    - (C5) `up_to` has two sizes, at most M and N of the tile; it excludes
      `sizes`.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target, UnitAttr:$relu,
    OptionalAttr<DenseI64ArrayAttr>:$sizes, Variadic<Index>:$up_to);
  let assemblyFormat = [{
    $source `to` $target (`relu` $relu^)? (`sizes` $sizes^)?
    (`up_to` `[` $up_to^ `]`)? attr-dict
    `:` type($source) `to` type($target)
  }];
}

//===----------------------------------------------------------------------===//
// Vector unit, tiles
//===----------------------------------------------------------------------===//

// All operands are in ub; arithmetic is on f16 or f32, computed in f32 and rounded
// to nearest even. Tiles have static shapes; each dimension's stride is a multiple
// of 32 bytes or continues the next dimension. A size-1 dimension of a source
// is broadcast along all but the last dimension.

def Npu_BinaryOp : Npu_TileOp<"binary"> {
  let summary = "two tiles, element by element";
  let description = [{
    - (C1) all operands are in ub and have the same element type, f16 or f32.
    - (C2) each source has the target's shape, or size 1 in some dimensions
      other than the last.
    - (C3) the last dimension is contiguous; the rows of all others begin at
      multiples of 32 bytes or follow each other without gaps.
  }];
  let arguments = (ins Npu_BinaryAttr:$kind, Npu_Source:$lhs, Npu_Source:$rhs,
    Npu_Target:$target);
  let assemblyFormat = [{
    $kind $lhs `,` $rhs `to` $target attr-dict
    `:` type($lhs) `,` type($rhs) `to` type($target)
  }];
}

def Npu_ScalarOp : Npu_TileOp<"scalar"> {
  let summary = "a tile and a register: `adds`, `muls`";
  let description = [{
    Adds the register to every element, or multiplies by it.

    - (C1) both tiles are in ub, of the same shape and type, f16 or f32.
    - (C3) rows as for `npu.binary`.
  }];
  let arguments = (ins Npu_ScalarAttr:$kind, Npu_Source:$source, F32:$value,
    Npu_Target:$target);
  let assemblyFormat = [{
    $kind $source `,` $value `to` $target attr-dict
    `:` type($source) `to` type($target)
  }];
}

def Npu_UnaryOp : Npu_TileOp<"unary"> {
  let summary = "a tile, element by element";
  let description = [{
    - (C1) both tiles are in ub, of the same shape and type, f16 or f32.
    - (C3) rows as for `npu.binary`.
  }];
  let arguments = (ins Npu_UnaryAttr:$kind, Npu_Source:$source,
    Npu_Target:$target);
  let assemblyFormat = [{
    $kind $source `to` $target attr-dict `:` type($source) `to` type($target)
  }];
}

def Npu_CastOp : Npu_TileOp<"cast"> {
  let summary = "another element type";
  let description = [{
    Rounds to nearest even; integers saturate, NaN becomes 0.

    - (C1) both tiles are in ub and have the same shape.
    - (C2) f16 <-> f32, f16 <-> i8, f16 <-> i32, f32 <-> i32.
    - (C3) rows as for `npu.binary`.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target);
  let assemblyFormat = [{
    $source `to` $target attr-dict `:` type($source) `to` type($target)
  }];
}

def Npu_CompareOp : Npu_TileOp<"compare"> {
  let summary = "a bit for each element";
  let description = [{
    Bit i of the target, bit i mod 8 of byte i / 8, says whether the comparison
    holds for element i in row-major order.

    Source dimensions of size 1, except the last one, are broadcast.

    - (C1) all operands are in ub; sources are contiguous, f16 or f32, and of
      the same shape except for broadcast dimensions.
    - (C2) the target is i8 with at least one bit for each element of the
      sources, rounded up to whole repeats of 256 bytes.
    - (C3) with a broadcast, rows are whole repeats, or the last two dimensions
      are the eight blocks of one repeat; the bits of the repeats that one
      instruction covers fill blocks of 32 bytes.
  }];
  let arguments = (ins Npu_CompareAttr:$predicate, Npu_Source:$lhs,
    Npu_Source:$rhs, Npu_Target:$target);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs `to` $target attr-dict
    `:` type($lhs) `,` type($rhs) `to` type($target)
  }];
}

def Npu_SelectOp : Npu_TileOp<"select"> {
  let summary = "one of two elements, by a bit";
  let description = [{
    Takes the element of `lhs` where the bit of `condition` (in the format of
    `npu.compare`) is 1, that of `rhs` where it is 0. The constraints are those
    of `npu.compare`.
  }];
  let arguments = (ins Npu_Source:$condition, Npu_Source:$lhs, Npu_Source:$rhs,
    Npu_Target:$target);
  let assemblyFormat = [{
    $condition `,` $lhs `,` $rhs `to` $target attr-dict
    `:` type($condition) `,` type($lhs) `,` type($rhs) `to` type($target)
  }];
}

def Npu_ReduceOp : Npu_TileOp<"reduce"> {
  let summary = "reduces each row of a tile to one element";
  let description = [{
    [..., C] to [...]: sum, maximum or minimum over the last dimension; the
    results are adjacent. Sums are computed in f32 throughout, and rounded once
    if the target is f16. Their order depends only on the shape and the
    machine's costs; within an instruction it is the one given in
    docs/npu-machine.md.

    - (C1) both tiles are in ub; the source is f16 or f32.
    - (C2) the target has one dimension fewer, is contiguous, and has the
      source's element type, or f32 for sums of f16.
    - (C3) rows as for `npu.binary`.
  }];
  let arguments = (ins Npu_ReduceAttr:$kind, Npu_Source:$source,
    Npu_Target:$target);
  let assemblyFormat = [{
    $kind $source `to` $target attr-dict `:` type($source) `to` type($target)
  }];
}

def Npu_FillOp : Npu_TileOp<"fill"> {
  let summary = "one value in every element";
  let description = [{
    - (C1) the target is in ub; f16 or f32.
    - (C3) rows as for `npu.binary`.
  }];
  let arguments = (ins F32:$value, Npu_Target:$target);
  let assemblyFormat = "$value `to` $target attr-dict `:` type($target)";
}

def Npu_TransposeOp : Npu_TileOp<"transpose"> {
  let summary = "[R, C] to [C, R] in UB";
  let description = [{
    - (C1) both tiles are in ub, and both are f16 or both f32.
    - (C2) R and C are multiples of 16 (of 8 for f32); [1, C] stands for R equal
      rows.
    - (C3) rows as for `npu.binary`.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target);
  let assemblyFormat = [{
    $source `to` $target attr-dict `:` type($source) `to` type($target)
  }];
}

//===----------------------------------------------------------------------===//
// Vector unit, instructions
//===----------------------------------------------------------------------===//

def Npu_VectorInstructionOp : Npu_InstructionOp<"vector", [AttrSizedOperandSegments]> {
  let summary = "one vector instruction";
  let description = [{
    A repeat covers 8 blocks of 32 bytes of the wider element type: 128 lanes of
    f16, 64 of f32. The instruction runs `repeat` of them one after another.
    Strides are in blocks, from one block of a repeat to the next and from one
    repeat to the next; `strides` = [target block, target repeat, source 0
    block, repeat, source 1 block, repeat], default 1 and 8 (for a reduction,
    the target's repeat stride is in elements, and results are adjacent). `mask`
    = [low, high] has a bit for each lane: 1 if the lane is computed; other
    lanes of the target keep their contents (reductions skip them).

    Sources: `add` … `min` and comparisons take two, and comparisons write one
    packed bit per lane; `select` takes the bits and two more; `dup` takes none;
    the others take one. `adds`, `muls` and `dup` take a register. `reduce_*`
    reduces each repeat to one element, `group_*` each block.

    ```mlir
    npu.vector add (%a, %b) to %c repeat 255 : (memref<32640xf16,
        #npu.space<ub>>, memref<32640xf16, #npu.space<ub>>)
        to memref<32640xf16, #npu.space<ub>>
    ```

    - (C1) all operands are in ub, their addresses multiples of 32 bytes.
    - (C2) there are as many sources as the kind takes, and a register if it
      takes one.
    - (C3) repeat is 1 to 255, strides are 0 to 255.
    - (C4) element types are equal, f16 or f32; `convert` takes those of
      `npu.cast`, sums of f16 may also be f32, and `transpose` and `copy` take
      any type of 16 or 32 bits.
    - (C5) every lane is within its memref.
  }];
  let arguments = (ins Npu_VectorAttr:$kind,
    Arg<Variadic<AnyMemRef>, "", [MemRead]>:$sources, Npu_Target:$target,
    Optional<F32>:$scalar, DefaultValuedAttr<I64Attr, "1">:$repeat,
    OptionalAttr<DenseI64ArrayAttr>:$mask,
    OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = [{
    $kind ` ` `(` $sources `)` (`,` $scalar^)? `to` $target (`repeat` $repeat^)?
    (`mask` $mask^)? (`strides` $strides^)? attr-dict
    `:` custom<SourceTypes>(type($sources)) `to` type($target)
  }];
}

#endif // GC_DIALECT_NPU_IR_NPUCOMPUTEOPS_TD
