// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_TEMPLATES_ATTENTIONTEMPLATE_TD
#define GC_DIALECT_GRAPH_TEMPLATES_ATTENTIONTEMPLATE_TD

include "Dialect/Graph/IR/GraphAttrs.td"

def Graph_AttentionTemplateAttr
    : Graph_Attr<"AttentionTemplate", "attention_template",
                 [DeclareAttrInterfaceMethods<TemplateAttrInterface,
                                              ["getAbilities", "getCost",
                                               "getKernels",
                                               "getSliceType"]>]> {
  let summary = "the attention template and its parameters";
  let description = [{
    One pass over keys and values per panel of `MB` query rows, whose running
    maximum, sum and result stay in the cache (online softmax). `MPN` cores
    share the panels of one batch index. Keys and values are processed in blocks
    of `SB`, which are packed for the microkernels: keys as [SB/NB][D][NB],
    values as [Dv/NB][SB][NB], in bf16 and f16 with pairs of rows interleaved.
    Scores exist for `RB` rows and one block of keys at a time. A microkernel has
    `RB` rows and `NB` columns; the one that multiplies with the values reduces
    `KB` keys. Sizes need not be multiples of the blocks: the remainder has its own
    kernel.

    With `skip`, a block of keys is skipped for a panel, or for the rows of a
    tile, where bounds of the logits show that all weights would be 0: the upper
    bound is -inf, or lower by more than 104 than the largest logit of every row
    so far; with mode "unshifted", it is lower than -104. The bounds are
    computed at run time from the region (comparisons of indices, selections).
    Skipped keys and values have no influence, even if they are NaN. Panels are
    then dealt to the cores in turn, since some panels take longer than others.

    - (C1) all parameters are at least 1.
    - (C2) MB is a multiple of RB, SB is a multiple of NB, and NB of 16 (the
      lanes of a vector).
    - (C3) MB is at most M rounded up to RB, SB at most S rounded up to NB, KB at
      most SB, MPN at most the number of panels.
  }];
  let parameters = (ins "int64_t":$MPN, "int64_t":$MB, "int64_t":$RB,
    "int64_t":$SB, "int64_t":$NB, "int64_t":$KB,
    DefaultValuedParameter<"bool", "false">:$skip);
  let assemblyFormat = [{
    `<` `MPN` `=` $MPN `,` `MB` `=` $MB `,` `RB` `=` $RB `,` `SB` `=` $SB `,`
    `NB` `=` $NB `,` `KB` `=` $KB (`,` `skip` `=` $skip^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name of the op that it is a template of.
    static ::llvm::StringRef getTunedOp();
  }];
}

#endif // GC_DIALECT_GRAPH_TEMPLATES_ATTENTIONTEMPLATE_TD
