// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Index arithmetic and addresses of a kernel as functions of its loops' current
// iterations, so that npu-insert-sync can run the kernel at compile time.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_INSERTSYNCINDEX_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_INSERTSYNCINDEX_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "SyncProgram.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace gc::npu {

/// Empty: not known.
using IndexFn = std::function<int64_t(const sync::Env &)>;

class IndexMap {
public:
  explicit IndexMap(const Machine &machine) : machine(machine) {}

  /// Numbers a loop; its induction variable is known from then on.
  void addLoop(mlir::scf::ForOp loop, int number);
  /// Iterations of a loop.
  IndexFn getTrips(mlir::scf::ForOp loop);

  IndexFn get(mlir::Value value);
  IndexFn get(mlir::OpFoldResult value);
  /// Bits of the Address of a memref's first element: the tensor number of an
  /// argument is its position, first element at 0.
  IndexFn getAddress(mlir::Value memref);

  /// Bytes that a memref is certainly in, if its address is not known: what
  /// unknown indices may reach of the views and the buffer around it.
  struct Bounds {
    IndexFn begin;
    int64_t bytes;
  };
  std::optional<Bounds> getBounds(mlir::Value memref);

  /// A number of iterations after which values modulo a constant, such as
  /// slots, repeat.
  int64_t getPeriod() const { return period; }

private:
  IndexFn make(mlir::Value value);
  /// The result of an op that implements upstream's InferIntRangeInterface.
  IndexFn makeInferred(mlir::Operation *op);
  IndexFn makeAffine(mlir::AffineMap map, mlir::ValueRange operands,
                     bool isMax);
  IndexFn makeAddress(mlir::Value memref);
  void addPeriod(int64_t divisor);

  const Machine &machine;
  llvm::DenseMap<mlir::Value, IndexFn> known, addresses;
  int64_t period = 2;
};

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_INSERTSYNCINDEX_H
