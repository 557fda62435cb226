// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an explanation needs to know of a compilation, taken where phases end.

#ifndef GC_LIB_DRIVER_EXPLAINFACTS_H
#define GC_LIB_DRIVER_EXPLAINFACTS_H

#include "Driver/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc {

/// After phase fusion, where regions have their predicted costs (graph.cost):
/// regions, their ops, the roofline of `threads` threads (0: the machine's
/// cores) and the picture.
void collectRegions(mlir::func::FuncOp function, const Machine &machine,
                    int64_t threads, CompiledFacts &facts);

/// After phase tensor: the iterations of the regions' parallel loops.
void collectLoops(mlir::func::FuncOp function, CompiledFacts &facts);

} // namespace gc

#endif // GC_LIB_DRIVER_EXPLAINFACTS_H
