// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_IR_NPUMOVEOPS_TD
#define GC_DIALECT_NPU_IR_NPUMOVEOPS_TD

// Moves between memories. C0 is the number of elements in 32 bytes: 16 of f16,
// 32 of i8, 8 of f32 and i32. `up_to` gives sizes at run time, of at least 1 and at
// most those of the operands' types; nothing beyond them is read or written.

include "Dialect/Npu/IR/NpuOpBase.td"

class Npu_MoveFormat<string keywords = ""> {
  string format = "$source `to` $target " # keywords #
                  " attr-dict `:` type($source) `to` type($target)";
}

def Npu_CopyOp : Npu_TileOp<"copy"> {
  let summary = "moves a box along any path of the machine";
  let description = [{
    Copies element by element between a source and a target of the same shape,
    each with its own strides. Becomes DMA bursts, or vector copies from `ub` to
    `ub`. If a run that is written to a buffer of the core ends within a block of
    32 bytes, the rest of the block is filled with zeros. `atomic` adds to what
    global memory holds. `up_to` has a size for each dimension.

    - (C1) source and target have the same static shape and element type.
    - (C2) a path connects their spaces: gm -> l1 | ub | l0a | l0b, l1 -> ub,
      ub -> gm | l1 | ub.
    - (C3) the innermost dimension is contiguous on both sides; each contiguous
      run starts at a multiple of 32 bytes in a buffer of the core.
    - (C4) `atomic` only into gm, on f16, f32 or i32.
    - (C5) `up_to` has as many sizes as there are dimensions, none above those of
      the type, and the path is not ub -> ub; rows begin at multiples of 32 bytes
      in a buffer of the core.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target,
    UnitAttr:$atomic, Variadic<Index>:$up_to);
  let assemblyFormat = Npu_MoveFormat<
    "(`atomic` $atomic^)? (`up_to` `[` $up_to^ `]`)?">.format;
}

def Npu_DmaOp : Npu_InstructionOp<"dma", [], ["getRunTimeNumbers"]> {
  let summary = "bursts of adjacent bytes";
  let description = [{
    Moves `bursts` runs of `length` bytes. `source_stride` and `target_stride`
    are the bytes from the start of one run to the start of the next (default:
    `length` rounded up to 32). In a buffer of the core a run takes whole blocks
    of 32 bytes; the last block is padded with zeros. Reads and writes start at
    the operand's first element. `up_to` = [bursts, bytes of each] at run time.

    ```mlir
    npu.dma %x to %b bursts 64 length 256 source_stride 2048
        : memref<64x1024xf16, #npu.space<gm>> to memref<8192xf16, #npu.space<ub>>
    ```

    - (C1) a path connects the spaces (see `npu.copy`; ub -> ub is a vector
      copy).
    - (C2) at most 4095 bursts of at most 65535 blocks.
    - (C3) addresses and strides in buffers of the core are multiples of 32 bytes
      (512 in l0a and l0b).
    - (C4) source and target are within their memrefs.
    - (C5) `atomic` only into gm, on f16, f32 or i32.
    - (C6) `up_to` has two numbers, at most `bursts` and `length`; it needs both
      strides.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target,
    DefaultValuedAttr<I64Attr, "1">:$bursts, I64Attr:$length,
    OptionalAttr<I64Attr>:$source_stride, OptionalAttr<I64Attr>:$target_stride,
    UnitAttr:$atomic, Variadic<Index>:$up_to);
  let assemblyFormat = [{
    $source `to` $target (`bursts` $bursts^)? `length` $length
    (`source_stride` $source_stride^)? (`target_stride` $target_stride^)?
    (`atomic` $atomic^)? (`up_to` `[` $up_to^ `]`)? attr-dict `:` type($source) `to` type($target)
  }];
}

def Npu_PackOp : Npu_InstructionOp<"pack", [], ["getRunTimeNumbers"]> {
  let summary = "a row-major matrix in global memory to fractals";
  let description = [{
    Moves [R, C] from gm to [ceil(C / C0), R', C0] in l1 or ub: columns of
    fractals, each with all rows; element (r, c) goes to [c / C0][r][c % C0]. With
    `transposed` the matrix is transposed on the way: [ceil(R / C0), C', C0].
    The whole target is written: places that receive no element of the matrix
    become zero. `up_to` = [rows, columns] of the matrix at run time.

    ```mlir
    npu.pack %a to %b : memref<256x128xf16, strided<[1024, 1], offset: ?>,
        #npu.space<gm>> to memref<8x256x16xf16, #npu.space<l1>>
    ```

    - (C1) the source is in gm, its rows contiguous; the target in l1 or ub, its
      last two dimensions contiguous.
    - (C2) the target's last size is C0; R' is at least R (C' at least C), and the
      first size is at least ceil(C / C0) (ceil(R / C0) if transposed), at a
      distance that is a multiple of C0.
    - (C3) at most 4095 rows.
    - (C4) `up_to` has two sizes, at most R and C.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target,
    UnitAttr:$transposed, Variadic<Index>:$up_to);
  let assemblyFormat = Npu_MoveFormat<
    "(`transposed` $transposed^)? (`up_to` `[` $up_to^ `]`)?">.format;
}

def Npu_UnpackOp : Npu_InstructionOp<"unpack", [], ["getRunTimeNumbers"]> {
  let summary = "fractals to a row-major matrix in global memory";
  let description = [{
    Moves [ceil(C / W), R', W] in ub, W = 16 or 32 columns, to [R, C] in gm; rows from
    R on and columns from C on are omitted. `atomic` adds. `up_to` = [rows,
    columns] of the matrix at run time.

    - (C1) the source is in ub, its last two dimensions contiguous; the target in
      gm, its rows contiguous.
    - (C2) R' is at least R, and the first size of the source is ceil(C / W).
    - (C3) at most 4095 rows; `atomic` on f16, f32 or i32.
    - (C4) `up_to` has two sizes, at most R and C.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target,
    UnitAttr:$atomic, Variadic<Index>:$up_to);
  let assemblyFormat = Npu_MoveFormat<
    "(`atomic` $atomic^)? (`up_to` `[` $up_to^ `]`)?">.format;
}

def Npu_LoadFractalsOp : Npu_TileOp<"load_fractals"> {
  let summary = "a matrix of fractals from L1 to L0A or L0B";
  let description = [{
    From [K1, R, K0] in l1 (as `npu.pack` leaves it), R a multiple of 16, to
    - l0a: [R/16, K1, 16, K0] (zZ), R rows of A;
    - l0b: [K1, R/16, 16, K0] (nZ), R columns of B, for a B packed `transposed`.

    With `transposed`, each fractal is transposed on the way, from
    [N1, K, 16] f16 in l1 (a B packed as it is) to l0b [K/16, N1, 16, 16], or
    from [M1, K, 16] (A packed transposed) to l0a [M1, K/16, 16, 16].

    `up_to` = [blocks, rows] of the source at run time; rows are rounded up to
    whole fractals.

    - (C1) the source is in l1, the target in l0a or l0b.
    - (C2) shapes as above; element types equal; the last two dimensions
      contiguous; `transposed` on f16 only.
    - (C3) `up_to` has two sizes, at most the first two of the source.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target,
    UnitAttr:$transposed, Variadic<Index>:$up_to);
  let assemblyFormat = Npu_MoveFormat<
    "(`transposed` $transposed^)? (`up_to` `[` $up_to^ `]`)?">.format;
}

def Npu_Load2dOp : Npu_InstructionOp<"load2d", [], ["getRunTimeNumbers"]> {
  let summary = "fractals of 512 bytes from L1 to L0A or L0B";
  let description = [{
    Moves `fractals` fractals of 512 bytes that are `source_stride` and
    `target_stride` fractals apart (default 1). With `transposed`, each of them,
    16 x 16 elements of f16, is transposed. `up_to` = [fractals] at run time.

    - (C1) the source is in l1, the target in l0a or l0b.
    - (C2) at least 1 fractal.
    - (C3) source and target are within their memrefs, at aligned addresses.
    - (C4) `transposed` on f16 only.
    - (C5) `up_to` has one number, at most `fractals`.
  }];
  let arguments = (ins Npu_Source:$source, Npu_Target:$target,
    I64Attr:$fractals, DefaultValuedAttr<I64Attr, "1">:$source_stride,
    DefaultValuedAttr<I64Attr, "1">:$target_stride, UnitAttr:$transposed,
    Variadic<Index>:$up_to);
  let assemblyFormat = [{
    $source `to` $target `fractals` $fractals
    (`source_stride` $source_stride^)? (`target_stride` $target_stride^)?
    (`transposed` $transposed^)? (`up_to` `[` $up_to^ `]`)? attr-dict
    `:` type($source) `to` type($target)
  }];
}

def Npu_Img2colOp : Npu_InstructionOp<"img2col", [],
                                      ["getRunTimeNumbers"]> {
  let summary = "rows of a convolution's matrix from an image in L1 to L0A";
  let description = [{
    The image is [C1, H, W, C0] in l1. Row m of the matrix is an output position,
    column k = (c1, kh, kw, c0) a tap; the element is
    image[c1][m / output_width * stride_h + kh - pad_top]
    [m % output_width * stride_w + kw - pad_left][c0], 0 outside the image. Loads
    rows `m` .. `m` + M and columns `k` .. `k` + K into [M/16, K/C0, 16, C0] in
    l0a (zZ); M and K follow from the target's shape, or M from `up_to` = [M] at
    run time, a multiple of 16. If the image is a part of a larger one (rows
    loaded on demand), it is addressed by its own rows: `m` and the pads are
    those of the part.

    ```mlir
    npu.img2col %image[%m, %k] to %a kernel [3, 3] strides [1, 1] pads [1, 1]
        output_width 56 : memref<4x10x56x16xf16, #npu.space<l1>>
        to memref<16x4x16x16xf16, #npu.space<l0a>>
    ```

    - (C1) the source is in l1 with the identity layout, the target in l0a.
    - (C2) shapes as above, C0 the elements in 32 bytes; element types equal.
    - (C3) kernel, strides (1 to 255) and output_width are positive; `k` is a
      multiple of C0.
    - (C4) `up_to` has one number, at most the rows of the target.
  }];
  let arguments = (ins Npu_Source:$source, Index:$m, Index:$k,
    Npu_Target:$target, DenseI64ArrayAttr:$kernel,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$pads,
    I64Attr:$output_width, Variadic<Index>:$up_to);
  let assemblyFormat = [{
    $source `[` $m `,` $k `]` `to` $target `kernel` $kernel
    (`strides` $strides^)? (`pads` $pads^)? `output_width` $output_width
    (`up_to` `[` $up_to^ `]`)? attr-dict `:` type($source) `to` type($target)
  }];
}

#endif // GC_DIALECT_NPU_IR_NPUMOVEOPS_TD
