// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two forms that tir-lower-microkernels gives a kernel.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_LOWERMICROKERNELS_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_LOWERMICROKERNELS_H

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Machine/KernelChoice.h"
#include "Machine/VectorPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gc::tir {

/// Declares a handle for a libxsmm kernel in the module, and extends
/// @gc_kernels_init so that it is resolved when the module loads. Returns the
/// existing handle if there is one.
mlir::LLVM::GlobalOp getOrCreateKernelHandle(mlir::ModuleOp module,
                                             mlir::Location loc,
                                             const KernelSpec &spec);

/// A constant i64 in memory for kernels that take their batch by reference.
mlir::LLVM::GlobalOp getOrCreateBatchConstant(mlir::ModuleOp module,
                                              mlir::Location loc,
                                              int64_t batch);

/// A private function of vector code. Its arguments are the batch as i64, then
/// pointers to A, B, C, where blocks are found by offset to the offsets of A
/// and B, and to scales and zero points where the kernel has them. B is fetched
/// `ahead` bytes before it is read, 0: not at all. The machine has kernels of
/// the form. Returns the one that is there already if there is one.
mlir::func::FuncOp getOrCreateVectorKernel(mlir::ModuleOp module,
                                           mlir::Location loc,
                                           const Machine &machine,
                                           const KernelSpec &spec,
                                           KernelForm form, int64_t ahead);

/// Keeps LLVM from unrolling a loop of a kernel: its body already has the size
/// that runs best, and a larger one only costs compile time.
void disableUnrolling(mlir::scf::ForOp loop);

/// An operand whose blocks a tile walks through, as values inside a kernel's
/// function.
struct BatchPointers {
  /// Where the tile's part of the first block begins; in the address form the
  /// list of the blocks' addresses.
  mlir::Value base;
  /// The list of offsets, in the offset form.
  mlir::Value offsets;
  /// Elements from a block's first one to the tile's, in the address form.
  mlir::Value start;
};

struct TilePointers {
  BatchPointers a, b;
  mlir::Value c;
  /// Of the tile's columns of the first block, where the kernel has them.
  mlir::Value scales = {}, zps = {};
  /// Memory for the digits of a tile's rows, in fixed point, or for a rest of
  /// k, on AMX.
  mlir::Value scratch = {};
};

/// What the products of a column of vectors lack in all rows, one vector for
/// each of `vectors`, or nothing (see MultiplyAdd::getExcessA).
llvm::SmallVector<mlir::Value>
emitColumnTerms(mlir::ImplicitLocOpBuilder &b, const VectorPlan &plan,
                const Machine &machine, const KernelSpec &spec,
                llvm::ArrayRef<int64_t> vectors, mlir::Value batch,
                TilePointers at);

/// What the products lack in all columns of a row: the address of one number of
/// 32 bits for each row of the kernel, or nothing.
mlir::Value emitRowTerms(mlir::ImplicitLocOpBuilder &b, const VectorPlan &plan,
                         const Machine &machine, const KernelSpec &spec,
                         mlir::Value batch, BatchPointers a);

/// What is added to the products of a tile: vectors for its columns, and where
/// the numbers for its rows begin.
struct TileTerms {
  llvm::SmallVector<mlir::Value> ofColumns;
  mlir::Value ofRows;
};

/// Emits the tile of `rows` rows and the given vectors: accumulators stay in
/// registers over all of `batch` and k.
void emitMatrixTile(mlir::ImplicitLocOpBuilder &b, const VectorPlan &plan,
                    const Machine &machine, const KernelSpec &spec,
                    int64_t ahead, int64_t rows,
                    llvm::ArrayRef<int64_t> vectors, const TileTerms &terms,
                    mlir::Value batch, TilePointers at);

/// The same of a B that is narrower than A, with scales and zero points (see
/// KernelSpec::widensB).
void emitWideningTile(mlir::ImplicitLocOpBuilder &b, const VectorPlan &plan,
                      const Machine &machine, const KernelSpec &spec,
                      int64_t ahead, int64_t rows,
                      llvm::ArrayRef<int64_t> vectors, mlir::Value batch,
                      TilePointers at);

/// Emits the dot products of `rows` rows of A with `columns` columns of B, each
/// of which is contiguous. `rowTerms`: as those of TileTerms.
void emitDotTile(mlir::ImplicitLocOpBuilder &b, const VectorPlan &plan,
                 const Machine &machine, const KernelSpec &spec, int64_t ahead,
                 int64_t rows, int64_t columns, mlir::Value rowTerms,
                 mlir::Value batch, TilePointers at);

/// The whole of a kernel whose operands are exchanged (VectorPlan::exchanged):
/// the blocks of its batch one after the other, their sums in C in between.
void emitExchangedKernel(mlir::ImplicitLocOpBuilder &b, const VectorPlan &plan,
                         const Machine &machine, const KernelSpec &spec,
                         int64_t ahead, mlir::Value batch, TilePointers at);

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_LOWERMICROKERNELS_H
