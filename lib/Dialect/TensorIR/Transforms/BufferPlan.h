// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the temporaries of a function live, and when.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_BUFFERPLAN_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_BUFFERPLAN_H

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Support/MemoryPicture.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc::tir {

/// A temporary with the time in which it is used.
struct Temporary {
  ScratchOp op;
  int64_t bytes = 0;
  /// From the first op that uses it to the last; empty without uses.
  Interval life;
  /// Position in the function, to break ties.
  int64_t position = 0;
  /// Bytes from the beginning of its arena.
  int64_t offset = 0;
  /// The output whose memory it uses instead of an arena, or null.
  mlir::Value output;

  mlir::Value getBuffer() const { return ScratchOp(op).getBuffer(); }
  mlir::MemRefType getType() const {
    return llvm::cast<mlir::MemRefType>(getBuffer().getType());
  }
};

/// Some temporaries that share memory.
struct Arena {
  llvm::SmallVector<Temporary> temporaries;
  int64_t bytes = 0;
};

struct BufferPlan {
  Arena shared, perThread;
  /// An input and an output each, by number, that may be the same memory: every
  /// element is read for the last time before anything is written in its place.
  /// An input and an output are in one pair at most.
  llvm::SmallVector<std::pair<int64_t, int64_t>> inPlace;
  /// The parallel loops of the function's own block.
  llvm::SmallVector<PicturePhase> phases;
};

struct PlanOptions {
  /// Temporaries whose lifetimes do not overlap may take the same place.
  bool reuse = true;
  /// Temporaries may live in outputs that are not written yet.
  bool outputs = true;
};

/// Finds the lifetimes of all temporaries of an entry function and places them,
/// at multiples of 64 bytes. Reports a temporary that is too large for any
/// memory.
llvm::FailureOr<BufferPlan> planBuffers(mlir::func::FuncOp function,
                                        const PlanOptions &options);

/// The plan as lines of text: one per temporary, by arena and place.
void printPlan(const BufferPlan &plan, llvm::raw_ostream &os);

/// The plan as a picture, without temporaries that live in outputs.
MemoryPicture drawPlan(const BufferPlan &plan, llvm::StringRef function);

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_BUFFERPLAN_H
