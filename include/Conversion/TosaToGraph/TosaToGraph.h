// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_TOSATOGRAPH_TOSATOGRAPH_H
#define GC_CONVERSION_TOSATOGRAPH_TOSATOGRAPH_H

namespace gc {

class OpConversions;

/// Adds the conversions of those ops of tosa that the Graph dialect can
/// express.
void addTosaConversions(OpConversions &conversions);

} // namespace gc

#endif // GC_CONVERSION_TOSATOGRAPH_TOSATOGRAPH_H
