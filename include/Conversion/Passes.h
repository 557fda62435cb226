// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conversions between dialects.

#ifndef GC_CONVERSION_PASSES_H
#define GC_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace gc {

/// How compiled graphs are called.
enum class CallAbi { pointers, memref };

/// When elementwise kernels become part of the kernel of the contraction whose
/// factors they compute: if one kernel is predicted to take fewer cycles than
/// two, if it is possible, or not at all.
enum class ProducerFusion { cost, always, never };

/// What the simulator does with an NPU program: compute values and count
/// cycles, or count cycles only, without memory for the values.
enum class SimulatedResult { values, cycles };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Conversion/Passes.h.inc"

} // namespace gc

#endif // GC_CONVERSION_PASSES_H
