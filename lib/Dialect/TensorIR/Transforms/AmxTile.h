// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bodies of kernels in AMX's tile registers (Intel SDM volume 1, chapter 18).
// The intrinsics name registers, and a configuration says how many rows and
// bytes of each exist: the tiles of a kernel are of several shapes, and the
// configuration is loaded where they change, not where a compiler finds it
// necessary. That is why the `amx` dialect, whose tiles are values, is not
// used.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_AMXTILE_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_AMXTILE_H

#include "LowerMicrokernels.h"
#include "Machine/AmxPlan.h"

namespace gc::tir {

/// Emits tiles of one shape: `rows` rows by `vectors` registers of columns.
class AmxTile {
public:
  AmxTile(mlir::ImplicitLocOpBuilder &b, const VectorPlan &plan,
          const KernelSpec &spec, int64_t rows,
          llvm::ArrayRef<int64_t> vectors);

  /// Memory for the last elements along k, filled up with zeros, of the rows
  /// and columns of any tile; null if the steps leave no rest.
  static mlir::Value createRest(mlir::ImplicitLocOpBuilder &b,
                                const KernelSpec &spec);

  /// Loads the configuration, which emit() expects. What the registers hold is
  /// lost.
  void configure() const;
  bool hasConfigurationOf(const AmxTile &other) const;

  /// Computes one tile of C, over all of `batch` and k.
  void emit(const TileTerms &terms, mlir::Value batch, TilePointers at) const;

  /// Gives up the registers, so that the system need not save them.
  static void release(mlir::ImplicitLocOpBuilder &b);

private:
  /// Rows and bytes of a row of the eight registers.
  struct Shape {
    int64_t rows = 16, bytes = 64;
    bool operator==(const Shape &other) const {
      return rows == other.rows && bytes == other.bytes;
    }
  };
  using Shapes = std::array<Shape, 8>;

  Shapes getShapes() const;
  /// What the sums begin with, in C.
  void storeTerms(const TileTerms &terms, mlir::Value c) const;
  void loadSums(mlir::Value c, bool fromMemory) const;
  void storeSums(mlir::Value c) const;
  /// Where the operands of a step begin, and bytes from one row of A and one
  /// group along k of B to the next, and between registers of columns.
  struct Step {
    mlir::Value a, b;
    int64_t rowBytes, groupBytes;
    llvm::SmallVector<int64_t, 4> columnBytes;
  };
  Step getStep(mlir::Value a, mlir::Value bp) const;
  /// Copies the rest of a block to `rest` and returns it as a step.
  Step copyRest(mlir::Value a, mlir::Value bp, mlir::Value rest) const;
  void multiply(const Step &step) const;

  mlir::Value getAddressOfC(mlir::Value c, size_t row, size_t column) const;
  void call(llvm::StringRef intrinsic, mlir::ValueRange operands) const;
  mlir::Value getRegister(int64_t number) const;
  mlir::Value getConstant(int64_t value) const;
  mlir::Value getByte(mlir::Value base, int64_t offset) const;
  void load(int64_t number, mlir::Value address, int64_t bytes) const;

  int64_t getSum(size_t row, size_t column) const {
    return row * vectors.size() + column;
  }
  bool holdsB() const { return vectors.size() <= heights.size(); }
  /// The register of a row of A or a column of B.
  int64_t getOperand(bool isB, size_t index) const;

  mlir::ImplicitLocOpBuilder &b;
  const VectorPlan &plan;
  const KernelSpec &spec;
  llvm::ArrayRef<int64_t> vectors;
  /// Rows of the registers, from the first row of each on.
  llvm::SmallVector<int64_t, 4> heights, starts;
  int64_t group;
  AmxSteps steps;
};

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_AMXTILE_H
