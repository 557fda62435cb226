// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops of other dialects that have a meaning in the Graph dialect.

#ifndef GC_CONVERSION_TOGRAPH_OPCONVERSIONS_H
#define GC_CONVERSION_TOGRAPH_OPCONVERSIONS_H

#include "Conversion/ToGraph/GraphBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

namespace gc {

/// Conversions by dialect: each dialect has one function for all of its ops.
class OpConversions {
public:
  /// Builds the results of an op. Results that nothing uses may be null. On a
  /// failure, the builder has the reason.
  using Function = mlir::FailureOr<llvm::SmallVector<mlir::Value>> (*)(
      mlir::Operation *, GraphBuilder &);

  void add(llvm::StringRef dialect, Function convert) {
    functions[dialect] = convert;
  }
  bool contains(mlir::Operation *op) const {
    return functions.contains(op->getName().getDialectNamespace());
  }

  /// Converts the op with `builder`, between begin() and, on failure, undo().
  /// The results have the types that getGraphType() gives for those of the op.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  convert(mlir::Operation *op, GraphBuilder &builder) const;

private:
  llvm::StringMap<Function> functions;
};

/// Whether the op exists only for what reads it: it is a constant, or a tensor
/// without values or with a single one.
bool isConstantLike(mlir::Operation *op);

/// Converts in place what can be converted in a function, and removes what
/// nothing reads afterwards. Reports what is left, as remarks of `pass`.
void convertInPlace(mlir::FunctionOpInterface function,
                    const OpConversions &conversions, llvm::StringRef pass);

} // namespace gc

#endif // GC_CONVERSION_TOGRAPH_OPCONVERSIONS_H
