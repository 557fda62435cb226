// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a graph function op by op into a scop's model.

#ifndef GC_CONVERSION_GRAPHTOPOLY_GRAPHREADER_H
#define GC_CONVERSION_GRAPHTOPOLY_GRAPHREADER_H

#include "Conversion/GraphToPoly/Statements.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "ReadGraph.h"
#include "WindowView.h"

namespace gc {

/// An element in the type in which bodies compute, and back.
mlir::Value widen(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value);
mlir::Value narrow(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, mlir::Type type);

/// The constant that all elements of a value are, in the compute type; null if
/// there is none.
mlir::TypedAttr getSplat(mlir::Value value);

class GraphReader {
public:
  explicit GraphReader(mlir::func::FuncOp function)
      : function(function), context(function.getContext()) {}

  mlir::FailureOr<ScopModel> run();

private:
  /// Where the elements of a value are, if not at their own indices.
  struct Place {
    unsigned array;
    /// From the value's indices to the array's.
    mlir::AffineMap map;
  };

  /// Builds an element from those that a statement reads.
  using Element =
      std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;
  /// A value without an array: whoever reads it computes its elements.
  struct Computed {
    /// From the value's indices.
    llvm::SmallVector<ScopAccess> reads;
    Element build;
  };

  /// An array for the elements of a value, of their own type or another one.
  unsigned addArray(mlir::Value value, mlir::Type element = {});
  mlir::LogicalResult addInputs();
  mlir::LogicalResult addOutputs(mlir::func::ReturnOp op);
  mlir::LogicalResult read(mlir::Operation *op);
  mlir::LogicalResult readReshape(mlir::Operation *op);
  mlir::LogicalResult readElementwise(graph::FusibleOpInterface op);
  mlir::LogicalResult readWindows(graph::FusibleOpInterface op,
                                  const WindowView &view);
  mlir::LogicalResult readReduction(graph::FusibleOpInterface op);
  mlir::LogicalResult readContraction(graph::ContractionOpInterface op);
  mlir::LogicalResult readStatement(StatementOpInterface op);
  mlir::LogicalResult readStatementElements(StatementOpInterface op,
                                            unsigned result);
  mlir::LogicalResult readStatementReduction(StatementOpInterface op,
                                             unsigned result);
  /// What the body of an op of another dialect computes, from what it reads.
  mlir::FailureOr<Element>
  getStatementElement(StatementOpInterface op, unsigned result,
                      llvm::SmallVectorImpl<ScopAccess> &reads);
  /// What a product reads: its factors, and the terms of each sum.
  struct Factors {
    ScopAccess lhs, rhs;
    llvm::SmallVector<int64_t> terms;
  };
  mlir::FailureOr<Factors> getMatrixFactors(graph::ContractionOpInterface op);
  mlir::FailureOr<Factors> getWindowFactors(graph::ContractionOpInterface op);
  mlir::FailureOr<ScopAccess> getAccess(mlir::Value value, mlir::AffineMap map);
  mlir::FailureOr<Element> getElement(mlir::Value value, mlir::AffineMap map,
                                      llvm::SmallVectorImpl<ScopAccess> &reads);
  void addCopy(mlir::Location loc, llvm::ArrayRef<int64_t> shape,
               ScopAccess from, ScopAccess to);
  mlir::AffineMap getIdentity(int64_t rank) {
    return mlir::AffineMap::getMultiDimIdentityMap(rank, context);
  }
  static llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
  }
  void addInitialisation(mlir::Location loc, unsigned array,
                         mlir::TypedAttr value);

  mlir::func::FuncOp function;
  mlir::MLIRContext *context;
  ScopModel scop;
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::DenseMap<mlir::Value, Computed> computed;
};

} // namespace gc

#endif // GC_CONVERSION_GRAPHTOPOLY_GRAPHREADER_H
