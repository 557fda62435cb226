// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops and branches of scf from the syntax tree that isl generates.

#ifndef GC_LIB_CONVERSION_POLYTONPU_ASTTOSCF_H
#define GC_LIB_CONVERSION_POLYTONPU_ASTTOSCF_H

#include "Dialect/Poly/Isl/Isl.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace gc::poly {

/// What is particular to the program that the tree stands for.
class AstClient {
public:
  virtual ~AstClient() = default;
  /// An instance of a statement.
  virtual mlir::LogicalResult emitInstance(llvm::StringRef statement,
                                           mlir::ValueRange indices) = 0;
  /// The beginning and end of what a mark is above.
  virtual mlir::LogicalResult enterMark(llvm::StringRef mark) = 0;
  virtual void leaveMark(llvm::StringRef mark) = 0;
  /// A loop that is not known to run once, right after it is made.
  virtual void addedLoop(mlir::Operation *loop) = 0;
};

class AstToScf {
public:
  AstToScf(mlir::OpBuilder &builder, mlir::Location loc, AstClient &client)
      : b(builder), loc(loc), client(client) {}

  mlir::LogicalResult emit(const isl::AstNode &node);

private:
  mlir::LogicalResult emitFor(const isl::AstNode &node);
  mlir::LogicalResult emitIf(const isl::AstNode &node);
  mlir::LogicalResult emitUser(const isl::AstNode &node);
  mlir::FailureOr<mlir::Value> emitIndex(const isl::AstExpr &expr);
  mlir::FailureOr<mlir::Value> emitCondition(const isl::AstExpr &expr);
  /// The expression over `operands`, to which it adds those that it needs.
  mlir::FailureOr<mlir::AffineExpr>
  toAffine(const isl::AstExpr &expr,
           llvm::SmallVectorImpl<mlir::Value> &operands);
  mlir::FailureOr<mlir::Value> emitExtremum(const isl::AstExpr &expr,
                                            bool isMin);
  mlir::Value emitApply(mlir::AffineExpr expr,
                        llvm::ArrayRef<mlir::Value> operands);
  mlir::LogicalResult reject(const isl::AstExpr &expr);

  mlir::OpBuilder &b;
  mlir::Location loc;
  AstClient &client;
  llvm::StringMap<mlir::Value> iterators;
};

} // namespace gc::poly

#endif // GC_LIB_CONVERSION_POLYTONPU_ASTTOSCF_H
