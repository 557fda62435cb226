// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHRANDOMOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHRANDOMOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

def Graph_SeedTensor : Graph_TensorOf<[UI<64>], "u64">;

def Graph_DropoutOp : Graph_ComplexOp<"dropout"> {
  let summary = "sets random elements to zero";
  let description = [{
    dst[i] = mask[i] ? src[i] / (1 - p) : 0, where p is the probability that an
    element is dropped and mask[i] is `graph.random_mask` of i, the index of the
    element in row-major order, seed, offset and probability. A dropped element is
    0 even if src is NaN there. The layouts of src and dst have no influence on
    which elements are dropped. The gradient of dropout is dropout of the
    gradient, with the same seed, offset and probability.

    The specification does not fix the random numbers: "a deterministic PRNG
    (current implementation uses a variation of Philox algorithm)". The op uses
    those of the reference implementation of oneDNN 3.11 for 64-bit seeds.

    - (C1) seed, offset and probability have one element.
    - (C2) src has fewer than 2^31 elements.
  }];
  let onednnKind = "Dropout";
  let arguments = (ins Graph_FloatTensor:$src, Graph_SeedTensor:$seed,
    Graph_SeedTensor:$offset, Graph_F32Tensor:$probability);
  let results = (outs Graph_FloatTensor:$dst);
}

def Graph_RandomMaskOp : Graph_InferredOp<"random_mask", [
    DeclareOpInterfaceMethods<FusibleOpInterface>,
    DeclareOpInterfaceMethods<ScalarBodyOpInterface, ["getBodyCost"]>]> {
  let summary = "a random boolean for each index";
  let description = [{
    dst[i] = r > floor(p * (2^32 - 1)), where p is `probability`, clamped to
    [0, 1] (1 for NaN), and r is a random number of 32 bits: word n mod 4 of
    Philox4x32-10 with the key `seed` and the counter (offset, n - n mod 4), of
    64 bits each, the lower 32 bits first, for n = index[i]. r depends on
    nothing else: not on threads, vectors, layouts or the order of computation.

    Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as
    easy as 1, 2, 3", 2011; the use of the counter is that of oneDNN 3.11.

    - (C1) seed, offset and probability have one element and no more dimensions
      than index.
  }];
  let arguments = (ins Graph_IndexTensor:$index, Graph_SeedTensor:$seed,
    Graph_SeedTensor:$offset, Graph_F32Tensor:$probability);
  let results = (outs Graph_BooleanTensor:$dst);
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHRANDOMOPS_TD
