// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The templates that can be emitted, each by a function
// attach<Name>Emission(context).

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_TEMPLATES_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_TEMPLATES_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace gc {

/// All of them, one line each.
#define GC_FOR_EACH_EMITTED_TEMPLATE(APPLY)                                    \
  APPLY(Attention)                                                             \
  APPLY(Gather)                                                                \
  APPLY(Matmul)

#define GC_DECLARE_EMISSION(NAME)                                              \
  void attach##NAME##Emission(mlir::MLIRContext *context);
GC_FOR_EACH_EMITTED_TEMPLATE(GC_DECLARE_EMISSION)
#undef GC_DECLARE_EMISSION

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_TEMPLATES_H
