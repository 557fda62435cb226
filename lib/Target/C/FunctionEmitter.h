// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One function of Tensor IR as a function of the emitc dialect.

#ifndef GC_LIB_TARGET_C_FUNCTIONEMITTER_H
#define GC_LIB_TARGET_C_FUNCTIONEMITTER_H

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>
#include <string>

namespace gc::cexport {

/// Text that functions share: constants, kernels.
struct FileTexts {
  std::string constants;
  /// Definitions of kernels by name.
  std::map<std::string, std::string> kernels;
  /// Names of constants in C by their symbol.
  llvm::StringMap<std::string> globals;
};

/// The C type of an element, or a null type.
mlir::Type getScalarType(mlir::Type type);

class FunctionEmitter {
public:
  FunctionEmitter(mlir::OpBuilder &builder, mlir::ModuleOp module,
                  FileTexts &texts)
      : b(builder.getUnknownLoc(), builder), module(module), texts(texts) {}

  mlir::LogicalResult emit(mlir::func::FuncOp function, llvm::StringRef name);

private:
  using Predicate = mlir::emitc::CmpPredicate;

  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitParallel(tir::ParallelOp op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitBrgemm(tir::BrgemmOp op);
  mlir::LogicalResult emitMemory(mlir::Operation *op);
  mlir::LogicalResult emitGlobal(mlir::memref::GetGlobalOp op);
  /// Arithmetic, conversions, math functions: ops with one scalar result.
  mlir::FailureOr<mlir::Value> emitScalar(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> emitFloat(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> emitInteger(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> emitConversion(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> emitCompare(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> emitConstant(mlir::arith::ConstantOp op);
  mlir::FailureOr<mlir::Value> emitAffine(mlir::Operation *op,
                                          mlir::AffineExpr expression,
                                          mlir::ValueRange operands,
                                          unsigned dims);
  /// The result of the map of an affine.min or affine.max that precedes the
  /// others.
  mlir::FailureOr<mlir::Value>
  emitExtreme(mlir::Operation *op, mlir::AffineMap map, Predicate predicate);

  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &reason);
  mlir::Value get(mlir::Value value) { return values.lookup(value); }
  mlir::Value literal(mlir::Type type, const llvm::Twine &text);
  mlir::Value index(int64_t value) {
    return literal(b.getI64Type(), llvm::Twine(value));
  }
  mlir::Value call(mlir::Type type, llvm::StringRef name,
                   mlir::ValueRange operands);
  mlir::Value convert(mlir::Type type, mlir::Value value);
  /// The same bits as an unsigned or a signed number.
  mlir::Value castUnsigned(mlir::Value value);
  mlir::Value compare(Predicate predicate, mlir::Value a, mlir::Value c);
  template <typename Op>
  mlir::Value binary(mlir::Type type, mlir::Value a, mlir::Value c) {
    return Op::create(b, type, a, c);
  }
  mlir::Value add(mlir::Value a, mlir::Value c);
  mlir::Value multiply(mlir::Value a, mlir::Value c);
  /// The element of a buffer at these indices, null if its layout is dynamic.
  mlir::Value element(mlir::Value buffer, mlir::ValueRange indices,
                      mlir::Operation *op);
  mlir::Value linearize(mlir::Value buffer, mlir::ValueRange indices,
                        mlir::Operation *op);

  mlir::ImplicitLocOpBuilder b;
  mlir::ModuleOp module;
  FileTexts &texts;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

} // namespace gc::cexport

#endif // GC_LIB_TARGET_C_FUNCTIONEMITTER_H
