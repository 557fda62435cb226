// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which part of a buffer an op touches in which iteration of a loop: enough to
// see that what is loaded ahead does not overlap what earlier iterations still
// use.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFERBOX_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFERBOX_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"

#include <memory>
#include <optional>
#include <vector>

namespace gc::npu {

/// constant + sum of factor * term. The induction variable of a loop with a
/// constant step stands for the number of the iteration; other terms are
/// values, or forms modulo a number.
class IndexForm {
public:
  IndexForm() = default;
  explicit IndexForm(mlir::OpFoldResult index);

  IndexForm &operator+=(const IndexForm &other) {
    add(other, 1);
    return *this;
  }

  /// Replaces terms modulo a multiple of `number` with what they are a
  /// remainder of: the form stays the same modulo `number`.
  void reduce(int64_t number);

  /// Whether `size` indices from this on and `otherSize` from `other` on have
  /// none in common if this is taken `shift` iterations of `loop` later than
  /// `other`, each with its own loops inside `loop`.
  bool isApart(const IndexForm &other, int64_t size, int64_t otherSize,
               mlir::scf::ForOp loop, int64_t shift) const;
  /// Whether the two differ modulo `number` then.
  bool isOther(const IndexForm &other, int64_t number, mlir::scf::ForOp loop,
               int64_t shift) const;

private:
  using Term = std::pair<mlir::Value, int64_t>;
  struct Remainder {
    std::shared_ptr<const IndexForm> form;
    int64_t modulus, factor;
  };
  struct Range {
    int64_t min, max;
  };

  void add(const IndexForm &other, int64_t factor);
  void addValue(mlir::Value value, int64_t factor);
  void addTerm(mlir::Value value, int64_t factor);
  /// The form modulo a positive number.
  IndexForm getRemainder(int64_t modulus) const;
  bool isMultipleOf(int64_t number) const;
  static std::optional<IndexForm>
  evaluate(mlir::AffineExpr expr, unsigned numDims, mlir::ValueRange operands);
  /// This minus `other`, without remainders; none if it is not bounded.
  std::optional<Range> getDistance(const IndexForm &other,
                                   mlir::scf::ForOp loop, int64_t shift) const;

  int64_t constant = 0;
  llvm::SmallVector<Term, 4> terms;
  std::vector<Remainder> remainders;
};

/// A box in a buffer.
struct BufferBox {
  explicit BufferBox(mlir::Value memref);

  /// Whether no byte is in both if this is taken `shift` iterations of `loop`
  /// later than `other`. Different arguments of a kernel are different memory.
  bool isApartFrom(const BufferBox &other, mlir::scf::ForOp loop,
                   int64_t shift) const;

  /// An npu.alloc or an argument; null if that cannot be determined.
  mlir::Value root;
  std::optional<IndexForm> slot;
  int64_t slots = 1;

  /// The same for those who evaluate indices: the slot (null: none), the size
  /// of each dimension of the root, and what is added to where it begins.
  mlir::Value slotIndex;
  int64_t getSize(unsigned dimension) const {
    return dimensions[dimension].size;
  }
  unsigned getRank() const { return dimensions.size(); }
  llvm::SmallVector<std::pair<unsigned, mlir::OpFoldResult>, 4> offsets;

private:
  struct Dimension {
    IndexForm offset;
    int64_t size;
  };
  void addView(mlir::Operation *view);

  llvm::SmallVector<Dimension, 4> dimensions;
  /// Dimension of the root for each of the memref's; none if views cannot be
  /// followed any further.
  std::optional<llvm::SmallVector<unsigned, 4>> mapping;
};

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFERBOX_H
