// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reproducible random inputs, drawn from what the graph does with them.

#ifndef GC_REFERENCE_INPUTS_H
#define GC_REFERENCE_INPUTS_H

#include "Reference/Evaluation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace gc::reference {

/// The domain of a function's argument: the strictest that any of its uses asks
/// for, looking through reshapes, transposes, reorders, casts and calls.
InputDomain getInputDomain(mlir::BlockArgument argument);

/// Fills a tensor: divisors in [1, 16], positive in [1/8, 2], masks in [-1/2,
/// 0], probabilities in [0, 1/2], weights uniform with standard deviation
/// `scale` and, from 8 terms on, without a mean along `reducedDim`, other
/// floats in (-scale, scale); integers of 8 bits or less over their whole range
/// (positive and divisor: from 1), s32 in [-1000, 1000] (positive and divisor:
/// from 1), both in [-8, 8] for masks, booleans at random. The values depend
/// only on seed, stream, shape and domain, not on strides, and are the same on
/// every platform. Gaps of a strided float tensor become NaN, so that reading
/// them is noticed.
void fillRandom(Tensor &tensor, const InputDomain &domain, uint64_t seed,
                uint64_t stream);

/// One tensor per argument of the function that has no `graph.folded`, in
/// memory laid out as its type says. Fails with a diagnostic at the argument:
/// dynamic shape, unsupported element type, lack of memory.
mlir::FailureOr<std::vector<Tensor>> makeInputs(mlir::func::FuncOp function,
                                                uint64_t seed);

} // namespace gc::reference

#endif // GC_REFERENCE_INPUTS_H
