// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The choice of the matmul template's parameters for a product, which need not
// be an op yet: templates of several products ask for it, too.

#ifndef GC_LIB_DIALECT_GRAPH_TEMPLATES_MATMULCHOICE_H
#define GC_LIB_DIALECT_GRAPH_TEMPLATES_MATMULCHOICE_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Machine/Machine.h"
#include "MatmulCost.h"

namespace gc::graph {

/// An operand of a product.
struct MatmulOperand {
  mlir::RankedTensorType type;
  /// Its last dimension is the rows.
  bool transposed;
  /// An op of the function computes it and can write it in any layout.
  bool isProduced;
  bool isConstant;

  static MatmulOperand get(mlir::Value value, bool transposed);
  /// Of B, where it is not packed: whether kernels read its columns, each of
  /// which is contiguous along k, of `group` elements that fill 32 bits. They
  /// do where they cannot read rows, and where there are none to interleave: a
  /// single column.
  bool isReadAlongK(int64_t group) const;
  /// Whether a packed layout of it is made in every call, by the product.
  bool needsPacking() const { return !isProduced && !isConstant; }
};

struct MatmulProblem {
  MatmulSizes sizes;
  MatmulOperand a, b;
  /// The element type of the result.
  mlir::Type result;
  /// Neighbours along k that share scales of B; 0: it has none.
  int64_t scaled = 0;
  /// Of windows that can be folded: the runs of a line.
  llvm::SmallVector<WindowRun> runs = {};

  MatmulElements getElements() const;

  static MatmulProblem get(MatmulOp op);
};

/// The best parameters, cheapest first. Shapes are static and not empty.
llvm::SmallVector<TemplateCandidate>
findMatmulTemplates(const MatmulProblem &problem, const Machine &machine,
                    const TemplateOptions &options);

/// Cycles that the busiest core takes.
double getMatmulCycles(MatmulTemplateAttr params, const MatmulProblem &problem,
                       const Machine &machine, const TemplateOptions &options);

/// Checks constraint (C3) of the template against the sizes of a product.
llvm::LogicalResult verifyMatmulParameters(
    MatmulTemplateAttr params, const MatmulSizes &sizes,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TEMPLATES_MATMULCHOICE_H
