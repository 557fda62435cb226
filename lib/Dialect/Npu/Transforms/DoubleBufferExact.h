// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which part of a buffer an op touches in each iteration of a loop, by
// evaluating its indices and the branches around it: for what linear forms do
// not decide, such as remainders of remainders, or parts that branches choose.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFEREXACT_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFEREXACT_H

#include "DoubleBufferBox.h"
#include "InsertSyncIndex.h"

namespace gc::npu {

/// An operand of an op, and the box that it is.
struct BoxAccess {
  mlir::Operation *op;
  BufferBox box;
  bool isWrite;
};

class ExactBoxes {
public:
  /// Boxes in the iterations of `loop`, in each of those of the loops around
  /// it.
  ExactBoxes(mlir::scf::ForOp loop, const Machine &machine);

  /// Whether no byte is in both if `one` is taken `shift` iterations later
  /// than `other`, whatever the iteration. False if that takes too long, or an
  /// index is not known.
  bool areApart(const BoxAccess &one, const BoxAccess &other, int64_t shift);

  /// Whether no byte that `one` touches in an iteration is touched by `other`,
  /// an access in another loop of the same block, in an earlier iteration of
  /// that one.
  bool areApartFromEarlier(const BoxAccess &one, ExactBoxes &others,
                           const BoxAccess &other);

private:
  struct Box {
    int64_t slot;
    llvm::SmallVector<int64_t, 4> offsets;
  };
  /// The boxes of each iteration, one for each iteration of the loops inside;
  /// the iterations of an outer loop follow each other.
  using Boxes = std::vector<std::vector<Box>>;

  /// Null if they are not known.
  const Boxes *get(const BoxAccess &access);
  bool evaluate(const BoxAccess &access, Boxes &boxes);
  bool meet(const BoxAccess &one, const std::vector<Box> &first,
            const BoxAccess &other, const std::vector<Box> &second);
  int addLoop(mlir::scf::ForOp loop);
  bool forEachIteration(llvm::ArrayRef<mlir::scf::ForOp> loops,
                        llvm::function_ref<bool()> visit);

  mlir::scf::ForOp loop;
  /// The loops around it, and it; the outermost first.
  llvm::SmallVector<mlir::scf::ForOp> around;
  IndexMap indices;
  llvm::DenseMap<mlir::Operation *, int> numbers;
  sync::Env env;
  /// The first entry of `Boxes` of each iteration of the outer loops.
  std::vector<size_t> rounds;
  /// Boxes that may still be evaluated, and pairs that may be compared.
  int64_t budget = int64_t(1) << 20, pairs = int64_t(1) << 24;
  llvm::DenseMap<const BoxAccess *, std::optional<Boxes>> known;
};

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_DOUBLEBUFFEREXACT_H
