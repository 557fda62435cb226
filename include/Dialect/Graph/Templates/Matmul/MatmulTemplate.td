// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_TEMPLATES_MATMULTEMPLATE_TD
#define GC_DIALECT_GRAPH_TEMPLATES_MATMULTEMPLATE_TD

include "Dialect/Graph/IR/GraphAttrs.td"

def Graph_LoopDim : Graph_Enum<"LoopDim", "a loop of the matmul template", [
  I32EnumAttrCase<"m", 0>, I32EnumAttrCase<"n", 1>, I32EnumAttrCase<"k", 2>]>;

def Graph_MatmulTemplateAttr : Graph_Attr<"MatmulTemplate", "matmul_template",
    [DeclareAttrInterfaceMethods<TemplateAttrInterface,
        ["getAbilities", "getCost", "getKernels", "getOuterLoops",
         "getSliceType"]>]> {
  let summary = "the matmul template and its parameters";
  let description = [{
    Parameters of the paper's figure 2. The output is divided into blocks of
    `MB` x `NB`, the reduction into blocks of `KB`; `MPN` x `NPN` cores each
    take a balanced share of the blocks; one microkernel call reduces `BS`
    blocks of K. `order` lists the single-core loops, the outermost one first: a
    permutation of m, n, k. Sizes need not be multiples of the blocks: the last
    block has its own kernel.

    `packA` means that the A operand is read in blocks [M/MB][K/KB][MB][KB]
    rather than in place; `packB` means that B is read in blocks
    [N/NB][K/KB][KB][NB]. If element types are narrower than 32 bits, G
    neighbours along k fill 32 bits and are adjacent in B (VNNI): blocks of
    [KB/G][NB][G].

    The windows of an image (`#graph.window`) are read in place: for a line of
    positions there is a kernel call for each column of the window. It computes
    the positions at which this column is inside the image; its batch is the
    rows of the window that are inside. If KB is the number of elements in a row
    of the window, the columns are folded with the channels: there is a call for
    each run of positions at which the same columns are inside.

    With `KPN` > 1 ("k-slicing") that many cores share the blocks of K of each
    part of the result; their partial sums are added up in a second parallel
    loop, where post-ops run (post-op anchor 1).

    - (C1) all parameters are at least 1.
    - (C2) `order` is a permutation of m, n, k.
    - (C3) MB <= M; NB <= N and KB <= K + 16, both rounded up to multiples of
      64; MPN <= number of M blocks, NPN <= number of N blocks, BS <= number of
      K blocks, KPN <= number of whole K blocks.
    - (C4) an operand that is not packed has adjacent elements in its rows
      (along k for A, along n for B), and rows that do not overlap; a transposed
      B without scales may instead have them along k, if G divides K.
    - (C5) KB is a multiple of G. A B of 4-bit integers or with scales is
      packed.
    - (C6) if B has scales, KB is the size of a group that shares them.
    - (C7) for the windows of an image, MB is a multiple of a line of positions,
      KB divides the channels of a group or is the number of elements in a row
      of a window without dilation and groups, one call covers all of K, packA
      is false and KPN is 1.
  }];
  let parameters = (ins "int64_t":$MPN, "int64_t":$NPN, "int64_t":$MB,
    "int64_t":$NB, "int64_t":$KB, "int64_t":$BS,
    ArrayRefParameter<"::gc::graph::LoopDim">:$order,
    "bool":$packA, "bool":$packB,
    DefaultValuedParameter<"int64_t", "1">:$KPN);
  let builders = [AttrBuilder<(ins "int64_t":$MPN, "int64_t":$NPN,
      "int64_t":$MB, "int64_t":$NB, "int64_t":$KB, "int64_t":$BS,
      "::llvm::ArrayRef<::gc::graph::LoopDim>":$order, "bool":$packA,
      "bool":$packB), [{
    return $_get($_ctxt, MPN, NPN, MB, NB, KB, BS, order, packA, packB, 1);
  }]>];
  let assemblyFormat = [{
    `<` `MPN` `=` $MPN `,` `NPN` `=` $NPN `,` `MB` `=` $MB `,` `NB` `=` $NB
    `,` `KB` `=` $KB `,` `BS` `=` $BS `,` `order` `=` `[` $order `]`
    `,` `packA` `=` $packA `,` `packB` `=` $packB
    (`,` `KPN` `=` $KPN^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name of the op that it is a template of.
    static ::llvm::StringRef getTunedOp();
  }];
}

#endif // GC_DIALECT_GRAPH_TEMPLATES_MATMULTEMPLATE_TD
