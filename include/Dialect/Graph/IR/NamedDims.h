// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes that vary between executions: dimensions of a function's arguments that
// have a name and bounds (`graph.dims`, `graph.dim_bounds`).

#ifndef GC_DIALECT_GRAPH_IR_NAMEDDIMS_H
#define GC_DIALECT_GRAPH_IR_NAMEDDIMS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gc::graph {

/// A size as a sum of products of named dimensions and integers: "batch",
/// "past + 1", "12 * batch * time". Equal sizes compare equal.
class SizeExpr {
public:
  SizeExpr(int64_t constant = 0);
  static SizeExpr ofName(llvm::StringRef name);
  /// Nothing if the text is not such a sum.
  static std::optional<SizeExpr> parse(llvm::StringRef text);
  /// A letter or `_`, then letters, digits, `_`, `.` and `$`.
  static bool isName(llvm::StringRef text);

  /// The number, if the expression does not depend on any name.
  std::optional<int64_t> getConstant() const;
  bool isConstant() const { return getConstant().has_value(); }
  /// The name, if the expression is nothing else.
  std::optional<std::string> getName() const;
  /// The names that the expression depends on, in alphabetical order.
  std::vector<std::string> getNames() const;

  /// With numbers in place of the names that `getSize` knows.
  SizeExpr substitute(
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> getSize)
      const;
  /// If the expression is `name` times a positive factor plus a number: the
  /// value of `name` for which it is `size`; nothing if there is none.
  std::optional<int64_t> solve(llvm::StringRef name, int64_t size) const;
  /// The name for which `solve` works; nothing if there is none.
  std::optional<std::string> getSolvedName() const;
  /// The quotient, if `by` is a single product and there is no remainder.
  std::optional<SizeExpr> divide(const SizeExpr &by) const;

  SizeExpr operator+(const SizeExpr &other) const;
  SizeExpr operator-(const SizeExpr &other) const;
  SizeExpr operator*(const SizeExpr &other) const;
  bool operator==(const SizeExpr &other) const { return terms == other.terms; }
  bool operator!=(const SizeExpr &other) const { return !(*this == other); }

  std::string str() const;

private:
  using Product = std::vector<std::string>;
  void add(const Product &names, int64_t factor);

  /// Factors by the product of names, sorted; no factor is 0. Factors that do
  /// not fit saturate: sizes that large are refused wherever they are used.
  std::map<Product, int64_t> terms;
};

/// A dimension whose size each execution chooses.
struct NamedDim {
  std::string name;
  int64_t min = 1, max = 1;
};

/// The largest size that a dimension may be declared with.
constexpr int64_t kMostNamedSize = int64_t(1) << 31;

/// The dimensions that a function declares, in alphabetical order; none if all
/// its sizes are fixed.
std::vector<NamedDim> getNamedDims(mlir::FunctionOpInterface function);

/// The sizes of an argument of a ranked tensor type, which are constants where
/// they do not vary. Nothing if one varies and has no name.
std::optional<std::vector<SizeExpr>>
getArgumentSizes(mlir::FunctionOpInterface function, unsigned argument);

/// Declares dimensions, and the sizes of an argument.
void setNamedDims(mlir::FunctionOpInterface function,
                  llvm::ArrayRef<NamedDim> dims);
void setArgumentSizes(mlir::FunctionOpInterface function, unsigned argument,
                      llvm::ArrayRef<SizeExpr> sizes);

/// Checks `graph.dim_bounds` and `graph.dims` of a function against each other
/// and against its type. Reports one error at the function.
llvm::LogicalResult verifyNamedDims(mlir::FunctionOpInterface function);

/// "batch = 16, past = 3"
std::string printSizes(llvm::ArrayRef<NamedDim> dims,
                       llvm::ArrayRef<int64_t> sizes);

/// The size of a dimension, as options give it.
struct NamedSize {
  std::string name;
  int64_t size = 0;
};

/// Reads "name=size"; nothing if the text is something else.
std::optional<NamedSize> parseNamedSize(llvm::StringRef text);

/// One size of each dimension of a function, or fewer.
using NamedSizes = std::map<std::string, int64_t>;

/// Fixes sizes of named dimensions in the types of arguments, then of all ops
/// and results. Dimensions for which no size is given stay as they are. Reports
/// one error, and leaves the function half changed, if a name is not declared,
/// a size is out of bounds, or an op's shape does not follow from its operands.
llvm::LogicalResult specializeDims(mlir::FunctionOpInterface function,
                                   const NamedSizes &sizes);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_NAMEDDIMS_H
