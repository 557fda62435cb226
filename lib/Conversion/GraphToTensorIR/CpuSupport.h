// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which graph ops can be lowered to Tensor IR.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_CPUSUPPORT_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_CPUSUPPORT_H

#include "Dialect/Graph/IR/TargetSupport.h"

#include <memory>

namespace gc {

std::unique_ptr<graph::TargetSupport> createCpuSupport();

/// Whether elements can be stored in memory and moved in vectors.
bool isStorable(mlir::Type element);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_CPUSUPPORT_H
