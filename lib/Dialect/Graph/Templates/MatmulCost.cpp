// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost model that picks the parameters of the matmul template.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Machine.h"

using namespace mlir;
using namespace gc::graph;

int64_t MatmulOp::getFlops() {
  MatmulSizes sizes = getMatmulSizes(*this);
  int64_t flops = 2 * sizes.m * sizes.n * sizes.k;
  for (int64_t size : sizes.batch)
    flops *= size;
  return flops;
}

FailureOr<TemplateAttrInterface>
MatmulOp::selectTemplate(const Machine &machine,
                         const TemplateOptions &options) {
  MatmulSizes sizes = getMatmulSizes(*this);
  int64_t threads = options.threads ? options.threads : machine.cores;
  int64_t mb = std::min<int64_t>(sizes.m, 32), nb = std::min<int64_t>(sizes.n, 64),
          kb = std::min<int64_t>(sizes.k, 64);
  int64_t mblocks = llvm::divideCeil(sizes.m, mb), nblocks = llvm::divideCeil(sizes.n, nb);
  int64_t mpn = std::min(threads, mblocks);
  int64_t npn = std::min(threads / mpn, nblocks);
  Attribute attr = MatmulTemplateAttr::get(
      getContext(), mpn, npn, mb, nb, kb, llvm::divideCeil(sizes.k, kb),
      {LoopDim::m, LoopDim::n, LoopDim::k}, true, true);
  return cast<TemplateAttrInterface>(attr);
}
