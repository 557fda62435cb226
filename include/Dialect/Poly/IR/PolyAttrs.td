// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_POLY_IR_POLYATTRS_TD
#define GC_DIALECT_POLY_IR_POLYATTRS_TD

include "Dialect/Poly/IR/PolyDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Poly_Img2colAttr : AttrDef<Poly_Dialect, "Img2col"> {
  let mnemonic = "img2col";
  let summary = "how a contraction's factor is made from an image";
  let description = [{
    The statement is a product of matrices in fractals, with iterations
    [image, row, column, term] (or without the first): the first factor is the
    image [images, h, w, c], the second one the weights [kernel h * kernel w, c,
    column]. Row m is an output position, term k = (c1, kh, kw, c0) with c0 < C0
    elements in 32 bytes. The element of the image is at

        h = floor(m / output_width) * strides[0] + kh - pads[0]
        w = (m mod output_width) * strides[1] + kw - pads[1]
        c = c1 * C0 + c0

    which is equation (1) of the AKG paper, except that the paper adds the
    stride where it should multiply by it. Elements outside the image, and those
    of channels that do not exist, are 0.

    - (C1) two sizes of the kernel, two strides, two pads; sizes and strides are
      from 1 to 255, pads from 0 to 255.
    - (C2) output_width is positive.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$kernel,
    ArrayRefParameter<"int64_t">:$strides, ArrayRefParameter<"int64_t">:$pads,
    "int64_t":$outputWidth);
  let assemblyFormat = [{
    `<` `kernel` `=` `[` $kernel `]` `,` `strides` `=` `[` $strides `]` `,`
    `pads` `=` `[` $pads `]` `,` `output_width` `=` $outputWidth `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Elements of the kernel.
    int64_t getTaps() const { return getKernel()[0] * getKernel()[1]; }
  }];
}

def Poly_PartAttr : AttrDef<Poly_Dialect, "Part"> {
  let mnemonic = "part";
  let summary = "where the part of an array that a core sees begins";
  let description = [{
    On an array whose type is that of a part: the shape of the whole array, and
    the first element of the part as a function of the core's number.

    ```mlir
    poly.array @X input 0 part <[1000, 512] at affine_map<(d0) -> (d0 * 128, 0)>> : tensor<128x512xf16>
    ```

    - (C1) the map has one dimension, the core, and a result for each dimension of
      the array.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$whole,
    "::mlir::AffineMapAttr":$offsets);
  let assemblyFormat = "`<` `[` $whole `]` `at` $offsets `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The first element of core `core`.
    ::llvm::SmallVector<int64_t> getOffsets(int64_t core) const {
      return getOffsets().getValue().compose({core});
    }
  }];
}

#endif // GC_DIALECT_POLY_IR_POLYATTRS_TD
