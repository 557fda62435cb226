// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference interpreter of the Graph dialect, the oracle of every test:
// plain loops, sums in double, each result rounded once to its own element
// type.
//
// With InterpretOptions::errorBounds every value carries a bound on the error
// that a correct implementation in the tensors' own types may have (running
// error analysis). u is the unit roundoff of an element type; sums are in f32
// or wider.
//
// - Function inputs and constants are exact.
// - matmul, K terms: c u32 (sqrt(sum a^2 b^2) + |y|)
//       + 2 sqrt(sum (ea^2 b^2 + a^2 eb^2 + ea^2 eb^2))
//       + (2 u + ua + ub) |y|, with c = min(K + 2, 8 sqrt(K)), and what equal
//   terms add: their roundings do not cancel (lib/Reference/EqualTerms.h).
//   The first term is several standard deviations of the error of summing in
//   any order that does not depend on the data (N. Higham, T. Mary, "A new
//   approach to probabilistic rounding error analysis", 2019: errors grow with
//   sqrt(K), not K). Errors of operands also add up in quadrature: the worst
//   case would grow by sqrt(K) per layer and catch nothing after three. ua and
//   ub, the operands' unit roundoffs where they are not exact, cover a common
//   bias.
// - Sums over rows (reductions, norms, softmax): the same first term, and what
//   equal terms add (lib/Reference/Sums.h). Errors of operands add up in the
//   worst case.
// - Elementwise: the largest |f(x +- e) - f(x)| over the corners, plus a few u
//   of the largest intermediate value of the op's formula.
// - Data movement passes bounds on.

#ifndef GC_REFERENCE_INTERPRETER_H
#define GC_REFERENCE_INTERPRETER_H

#include "Reference/Tensor.h"
#include "Reference/Vacuity.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace gc::reference {

struct InterpretOptions {
  /// Compute bounds on rounding errors in addition to the values.
  bool errorBounds = false;
};

/// What a function returned.
struct Interpretation {
  /// One tensor per result, row-major, in memory of its own.
  std::vector<Tensor> values;
  /// With errorBounds: per result the allowed absolute error (f32, same shape),
  /// or a null tensor if the result is exact. Empty without errorBounds.
  std::vector<Tensor> bounds;
  /// Per result, what findWeakness() looks at.
  std::vector<ResultProbe> probes;
};

/// Evaluates a function of graph ops on one tensor per argument. Arguments with
/// `graph.folded` may be left out when the function names its fold function: it
/// is then evaluated first, on the `graph.const_arg` arguments. Shapes and
/// element types of the inputs are those of the arguments; strides may be any.
/// Values are freed at their last use. Fails with a diagnostic at the op: op
/// without a meaning (wildcard), unsupported element type, dynamic shape,
/// recursion, lack of memory.
mlir::FailureOr<Interpretation> interpret(mlir::func::FuncOp function,
                                          llvm::ArrayRef<Tensor> inputs,
                                          const InterpretOptions &options = {});

/// Attaches the reference's models to the ops of the Graph dialect.
void registerReferenceModels(mlir::DialectRegistry &registry);

} // namespace gc::reference

#endif // GC_REFERENCE_INTERPRETER_H
