// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_POLY_TRANSFORMS_PASSES_TD
#define GC_DIALECT_POLY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PolyTileStatements : Pass<"poly-tile-statements", "ScopOp"> {
  let summary = "Turns statements into ops on tiles in the core's buffers";
  let description = [{
    A statement with the loops of its tiles becomes `poly.tile`, one instance for
    each tile; loops over the points of a tile and extension nodes vanish.

    - Each array gets a buffer for what a tile of the loops around all of its
      statements touches, a box. Inputs are loaded where the box changes,
      outputs are stored after the last statement, temporaries stay.
    - Operations of a body become tile ops of the vector unit. A value that varies
      over rows only is a register for each row. Functions that the unit does not
      have (tanh, erf …) are expanded in f32.
    - A sum or maximum over the last dimension is an `npu.reduce`; one over other
      dimensions combines tiles. Its initialisation is dropped if one tile has
      all of its terms.
    - The last tile of a loop is a whole one that ends where the extent ends: what
      it shares with the one before is computed twice, with the same result.

    ```mlir
    // before
    poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }"
        reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
    ^bb0(%x: f16):
      %zero = arith.constant 0.0 : f16
      %y = arith.maximumf %x, %zero : f16
      poly.yield %y : f16
    }
    // after, with tiles of 512
    poly.buffer @X_ub of @X : memref<512xf16, #npu.space<ub>>
    poly.buffer @Y_ub of @Y : memref<512xf16, #npu.space<ub>>
    poly.tile @S0_tile domain "{ S0_tile[i0] : 0 <= i0 <= 1 }" {
    ^bb0(%t: index):
      %x = poly.ref @X_ub : memref<512xf16, #npu.space<ub>>
      %y = poly.ref @Y_ub : memref<512xf16, #npu.space<ub>>
      npu.unary relu %x to %y : memref<512xf16, #npu.space<ub>> to memref<512xf16, #npu.space<ub>>
    }
    ```
  }];
  let dependentDialects = ["::gc::npu::NpuDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

#endif // GC_DIALECT_POLY_TRANSFORMS_PASSES_TD
