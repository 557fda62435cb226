// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the vector unit takes for the body of a statement.

#ifndef GC_DIALECT_POLY_TRANSFORMS_VECTORCOST_H
#define GC_DIALECT_POLY_TRANSFORMS_VECTORCOST_H

#include "Dialect/Poly/IR/PolyOps.h"
#include "NpuModel/Machine.h"

#include <array>
#include <vector>

namespace gc::poly {

/// An operation of a body: an instruction on all elements of a tile.
struct BodyStep {
  npu::VectorOp op;
  /// Its repeats, of those of the widest type of the body.
  double share = 1;
  /// The arguments of the body that it takes, as they are or converted.
  std::array<std::optional<unsigned>, 2> arguments = {};
};

struct BodySteps {
  std::vector<BodyStep> steps;
  /// Functions that the unit does not have are computed in f32, which is two
  /// repeats for one of f16.
  double factor = 1;
};

/// What converts to the type of computation and back is part of the steps,
/// unless there are no others.
BodySteps getBodySteps(StatementOp statement);

/// Cycles of the instructions of a body for one repeat, and their number.
std::pair<double, double> getBodyCost(StatementOp statement,
                                      const npu::Machine &machine);

/// The instruction for a binary operation with a register instead of one of
/// its tiles; none if there is no such form.
std::optional<npu::VectorOp> getRegisterForm(npu::VectorOp op);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_VECTORCOST_H
