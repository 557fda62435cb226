// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_GRAPHTOPOLY_READGRAPH_H
#define GC_CONVERSION_GRAPHTOPOLY_READGRAPH_H

#include "ScopModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc {

/// The statements of a function of the graph dialect, from the interfaces of
/// its ops. Emits an error at the first op that none of them describes.
llvm::FailureOr<ScopModel> readGraph(mlir::func::FuncOp function);

} // namespace gc

#endif // GC_CONVERSION_GRAPHTOPOLY_READGRAPH_H
