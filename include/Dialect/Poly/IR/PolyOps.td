// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_POLY_IR_POLYOPS_TD
#define GC_DIALECT_POLY_IR_POLYOPS_TD

include "Dialect/Poly/IR/PolyAttrs.td"
include "Dialect/Poly/IR/PolyDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Poly_Op<string mnemonic, list<Trait> traits = []>
    : Op<Poly_Dialect, mnemonic, traits>;

def Poly_ScopOp : Poly_Op<"scop", [
    IsolatedFromAbove, Symbol, SymbolTable, NoTerminator, SingleBlock,
    NoRegionArguments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a fused operator with the order of its instances";
  let description = [{
    Arrays, statements and a schedule tree. The tree is text in isl's notation,
    printed with one node per line. `reference` names the graph function that
    the scop computes; it stays in the module for checks and bounds.

    ```mlir
    poly.scop @relu reference @relu_graph schedule {
      domain: "{ S0[i] : 0 <= i <= 999 }",
      child: {
        schedule: "[{ S0[i] -> [(i)] } ]",
        permutable: 1,
        coincident: [ 1 ]
      }
    } {
      poly.array @X input 0 : tensor<1000xf16>
      poly.array @Y output 0 : tensor<1000xf16>
      poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }"
          reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
      ^bb0(%x: f16):
        %zero = arith.constant 0.0 : f16
        %y = arith.maximumf %x, %zero : f16
        poly.yield %y : f16
      }
    }
    ```

    - (C1) the schedule is one schedule tree of isl, and nothing else.
    - (C2) its domain and extensions are instances of statements and tiles of the
      scop.
    - (C3) every instance of every statement is in the domain or an extension.
    - (C4) bands and sequences have a place for every instance that reaches them;
      the filters of a sequence are disjoint.
    - (C5) the reference is a function of tensors of static shape; each result
      has one output array; inputs and outputs have as many elements, and of the
      same type, as the tensors that they stand for, whatever the shape.
    - (C6) inputs are not written; every other array is written, possibly
      several times.

    Several cores may run a scop, each on its part of the arrays: `cores` is
    their number, `first_core` the number of the first one. Cores whose parts
    have another size run a separate scop, `beside` the first one, at the same
    time; `all_cores` is the number of all these cores together.

    ```mlir
    poly.scop @relu reference @relu_graph schedule { ... }
        attributes {all_cores = 8 : i64, cores = 7 : i64} {
      poly.array @X input 0 part <[1000] at affine_map<(d0) -> (d0 * 128)>> : tensor<128xf16>
      ...
    }
    poly.scop @relu_rest reference @relu_graph schedule { ... }
        attributes {all_cores = 8 : i64, beside = @relu, first_core = 7 : i64} {
      poly.array @X input 0 part <[1000] at affine_map<(d0) -> (d0 * 128)>> : tensor<104xf16>
      ...
    }
    ```

    - (C7) there is at least one core. A scop that is beside another one names a
      scop of the same reference that is not itself beside another; the numbers
      of all their cores, in the order of the module, are 0, 1, 2 …, and
      `all_cores` is their count.
    - (C8) parts are within their arrays, and all elements of an output are
      written by exactly one core.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$reference,
    StrAttr:$schedule, OptionalAttr<I64Attr>:$cores,
    OptionalAttr<I64Attr>:$first_core, OptionalAttr<I64Attr>:$all_cores,
    OptionalAttr<FlatSymbolRefAttr>:$beside);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `reference` $reference `schedule` custom<ScheduleTree>($schedule)
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Cores that run this scop, not counting those of scops beside it.
    int64_t getNumCores() { return getCores().value_or(1); }
    int64_t getFirstCoreNumber() { return getFirstCore().value_or(0); }
    /// All cores that run at the same time.
    int64_t countAllCores() { return getAllCores().value_or(getNumCores()); }
  }];
}

def Poly_ArrayOp : Poly_Op<"array", [Symbol, HasParent<"ScopOp">]> {
  let summary = "an array of a scop";
  let description = [{
    An input or a result of the reference function, by number, or a temporary.
    The type is the shape in which the scop's statements see the elements. They
    have the same row-major order in the function's tensor: extraction merges
    dimensions that no statement distinguishes.

    ```mlir
    poly.array @A input 0 : tensor<1000x512xf16>
    poly.array @T temporary : tensor<1000x256xf32>
    poly.array @C output 0 : tensor<1000x256xf16>
    ```

    Where several cores share the scop, `part` says which elements each of them
    sees: the type is that of the part.

    - (C1) the shape is static, and it has elements.
    - (C2) an element is f16, f32, i1, i8 or i32.
    - (C3) only inputs and outputs have a part, of an array of the same rank.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$input,
    OptionalAttr<I64Attr>:$output, OptionalAttr<Poly_PartAttr>:$part,
    TypeAttrOf<AnyRankedTensor>:$type);
  let assemblyFormat = [{
    $sym_name custom<ArrayRole>($input, $output) (`part` $part^)? attr-dict
    `:` $type
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getType());
    }
    bool isTemporary() { return !getInputAttr() && !getOutputAttr(); }
    /// The shape of what all cores see together.
    ::llvm::ArrayRef<int64_t> getWholeShape() {
      return getPart() ? getPart()->getWhole() : getTensorType().getShape();
    }
  }];
  let hasVerifier = 1;
}

def Poly_StatementOp : Poly_Op<"statement", [
    Symbol, HasParent<"ScopOp">, SingleBlock]> {
  let summary = "instances that compute one element each";
  let description = [{
    For every point of the domain the region computes one element from one
    element per read. Its arguments are the elements in the order of `reads`. A
    reduction reads the element that it writes; another statement writes its
    initial value. A contraction is a statement that adds a product to the
    element that it writes; it accumulates in f32, or i32 for i8.

    ```mlir
    poly.statement @S1 domain "{ S1[i, j, k] : 0 <= i < 64 and 0 <= j < 32 and 0 <= k < 16 }"
        reads [@A "{ S1[i, j, k] -> A[i, k] }", @B "{ S1[i, j, k] -> B[k, j] }",
               @T "{ S1[i, j, k] -> T[i, j] }"]
        writes @T "{ S1[i, j, k] -> T[i, j] }" {
    ^bb0(%a: f16, %b: f16, %t: f32):
      %wide_a = arith.extf %a : f16 to f32
      %wide_b = arith.extf %b : f16 to f32
      %product = arith.mulf %wide_a, %wide_b : f32
      %sum = arith.addf %t, %product : f32
      poly.yield %sum : f32
    }
    ```

    - (C1) the domain is one set, bounded, not empty, of points named like the
      statement.
    - (C2) an access is a function from all of the domain into the array. Only a
      contraction may read outside the array: it then reads 0, as in the padding
      of an image.
    - (C3) region arguments and the yielded value have the types of the arrays'
      elements.
    - (C4) the region has ops of arith and math on scalars only.
    - (C5) `img2col` is on a contraction of two arrays with equal elements, whose
      iterations begin at 0 and whose first two accesses are those that the
      attribute describes; only height, width and channels may end in zeros.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$domain,
    TypedArrayAttrBase<FlatSymbolRefAttr, "arrays">:$read_arrays,
    StrArrayAttr:$read_maps, FlatSymbolRefAttr:$written_array,
    StrAttr:$write_map, OptionalAttr<Poly_Img2colAttr>:$img2col);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `domain` $domain custom<Reads>($read_arrays, $read_maps)
    `writes` $written_array $write_map (`img2col` $img2col^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Poly_YieldOp : Poly_Op<"yield", [
    Pure, Terminator, HasParent<"StatementOp">]> {
  let summary = "the element that a statement writes";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Poly_BufferOp : Poly_Op<"buffer", [Symbol, HasParent<"ScopOp">]> {
  let summary = "a buffer of the core for parts of an array";
  let description = [{
    A part of the array is copied to the buffer, or the buffer holds a temporary
    instead of global memory. It lives below the mark `buffer:NAME` of the tree.
    With `slots`, at most this many tiles of it are in flight at a time.

    ```mlir
    poly.buffer @A_l1 of @A : memref<8x256x16xf16, #npu.space<l1>>
    ```

    - (C1) the array is one of the scop.
    - (C2) the shape is static.
    - (C3) slots are at least 1.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$array,
    TypeAttrOf<AnyMemRef>:$type, OptionalAttr<I64Attr>:$slots);
  let assemblyFormat = [{
    $sym_name `of` $array (`slots` $slots^)? attr-dict `:` $type
  }];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() {
      return ::mlir::cast<::mlir::MemRefType>(getType());
    }
  }];
  let hasVerifier = 1;
}

def Poly_TileOp : Poly_Op<"tile", [
    Symbol, HasParent<"ScopOp">, SingleBlock, NoTerminator]> {
  let summary = "instances that are ops on whole tiles";
  let description = [{
    For every point of the domain the region does a whole tile's work. Its
    arguments are the point's coordinates; its ops are views and tile ops of the
    npu dialect on arrays and buffers.

    ```mlir
    poly.tile @T3 domain "{ T3[i] : 0 <= i < 4 }" {
    ^bb0(%i: index):
      %x = poly.ref @X : memref<1000xf16>
      ...
    }
    ```

    - (C1) the domain is one set, bounded, not empty, of points named like the
      tile.
    - (C2) the region has one argument of type index per coordinate.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$domain);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `domain` $domain attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Poly_RefOp : Poly_Op<"ref", [Pure, ParentOneOf<["TileOp"]>]> {
  let summary = "an array or a buffer in a tile";
  let description = [{
    - (C1) it names an array of the scop, as a memref of its shape and element
      type, or a buffer, with the buffer's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs AnyMemRef:$memref);
  let assemblyFormat = "$symbol attr-dict `:` type($memref)";
  let hasVerifier = 1;
}

#endif // GC_DIALECT_POLY_IR_POLYOPS_TD
