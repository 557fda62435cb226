// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error for buffers that do not fit into their space.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_PLANMEMORYOVERFLOW_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_PLANMEMORYOVERFLOW_H

#include "MemoryPlan.h"

namespace gc::npu {

/// Emits an error at the largest buffer of the moment that needs the most
/// bytes: its space, the bytes needed (`needed`, what the best packing takes)
/// and available, the largest tile that would fit, and as notes what else is
/// alive then. The tile size is taken to be the first dimension that is not 1,
/// of that buffer and of those of the same loop that are as long.
void emitOverflow(llvm::ArrayRef<const PlannedBuffer *> buffers,
                  int64_t capacity, int64_t alignment, int64_t needed);

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_PLANMEMORYOVERFLOW_H
