// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_LINALGTOGRAPH_LINALGTOGRAPH_H
#define GC_CONVERSION_LINALGTOGRAPH_LINALGTOGRAPH_H

namespace gc {

class OpConversions;

/// Adds the conversions of those ops of linalg, and of tensor, arith and math
/// on tensors, that the Graph dialect can express.
void addLinalgConversions(OpConversions &conversions);

} // namespace gc

#endif // GC_CONVERSION_LINALGTOGRAPH_LINALGTOGRAPH_H
