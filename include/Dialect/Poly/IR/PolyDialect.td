// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_POLY_IR_POLYDIALECT_TD
#define GC_DIALECT_POLY_IR_POLYDIALECT_TD

include "mlir/IR/OpBase.td"

def Poly_Dialect : Dialect {
  let name = "poly";
  let cppNamespace = "::gc::poly";
  let useDefaultAttributePrinterParser = 1;
  let summary = "Fused operators as sets of statement instances";
  let description = [{
    A fused operator in the polyhedral model: arrays, statements with a domain
    and one affine access per operand, and a schedule tree that orders the
    instances. Sets, relations and trees are text in the notation of isl, which
    reads and changes them. Only passes change a tree, so every step from the
    operator to a program for the NPU is readable IR.

    Marks in the tree say what was decided:

    | mark | meaning |
    |---|---|
    | `tile:L1`, `tile:L0`, `tile:UB` | the band below counts tiles of this memory level |
    | `cube` | the statements below run on the cube unit |
    | `local_UB` | the statements below run on the vector unit, on data in UB |
    | `skipped` | the statements below are computed elsewhere, by an extension |
    | `pipeline:N` | N iterations of the band right below may be in flight |
    | `buffer:NAME` | buffer NAME lives in the subtree below |
  }];
}

#endif // GC_DIALECT_POLY_IR_POLYDIALECT_TD
