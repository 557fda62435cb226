// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_GRAPHTOPOLY_STATEMENTINTERFACE_TD
#define GC_CONVERSION_GRAPHTOPOLY_STATEMENTINTERFACE_TD

include "mlir/IR/OpBase.td"

def StatementOpInterface : OpInterface<"StatementOpInterface"> {
  let cppNamespace = "::gc";
  let description = [{
    An op on tensors, not of the graph dialect, that poly-extract takes as
    statements of a scop: it has an iteration space, an affine map for each
    tensor that it reads or writes, and a body. Attached to the ops from
    outside. Nothing but `findObstacle` may be called if there is an obstacle.

    Bodies compute like those of graph ops: floating-point operands and results
    are f32, even if the tensors' elements are f16. What the op rounds to f16
    inside of its body is rounded there.
  }];
  let methods = [
    InterfaceMethod<"Why the op does not become statements, as a sentence; or "
                    "nothing. Dialects arith and math have to be loaded.",
      "::std::optional<::std::string>", "findObstacle">,
    InterfaceMethod<"What the op does at the points of its space.",
      "::gc::StatementKind", "getStatementKind">,
    InterfaceMethod<"Sizes of the iteration space: dimensions of the results "
                    "are in the order of the first result.",
      "::llvm::SmallVector<int64_t>", "getSpace">,
    InterfaceMethod<"Map from the space to indices of operand i, or null if the "
                    "op does not read its elements, or only in the end.",
      "::mlir::AffineMap", "getReadMap", (ins "unsigned":$operand)>,
    InterfaceMethod<"Map from the space to indices of result i.",
      "::mlir::AffineMap", "getWriteMap", (ins "unsigned":$result)>,
    InterfaceMethod<"Builds an element of result i, or the term of a reduction, "
                    "from an element of each operand; null for those that are "
                    "not read.",
      "::mlir::Value", "buildElement",
      (ins "::mlir::OpBuilder &":$builder, "unsigned":$result,
           "::mlir::ValueRange":$operands)>,
    InterfaceMethod<"For a reduction: adds a term to a result, or finds the "
                    "larger or smaller one, in the type of both.",
      "::mlir::Value", "combine",
      (ins "::mlir::OpBuilder &":$builder, "unsigned":$result,
           "::mlir::Value":$sum, "::mlir::Value":$term)>,
    InterfaceMethod<"For a reduction: the neutral element of a type.",
      "::mlir::TypedAttr", "getNeutral",
      (ins "unsigned":$result, "::mlir::Type":$type)>,
    InterfaceMethod<"For a reduction: the tensor with which the terms are "
                    "combined in the end, or null if its elements are neutral.",
      "::mlir::Value", "getStart", (ins "unsigned":$result)>
  ];
}

#endif // GC_CONVERSION_GRAPHTOPOLY_STATEMENTINTERFACE_TD
