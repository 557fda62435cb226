// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of convert-tir-to-llvm: signatures of entry functions, parallel
// loops, the module descriptor, and the conversion of what is left.

#ifndef GC_LIB_CONVERSION_TENSORIRTOLLVM_TENSORIRTOLLVMIMPL_H
#define GC_LIB_CONVERSION_TENSORIRTOLLVM_TENSORIRTOLLVMIMPL_H

#include "Machine/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>
#include <vector>

namespace gc::tir {

/// Alignment of the arena and of every thread's part of it, in bytes.
constexpr int64_t kArenaAlignment = 64;

/// The suffix of an entry function's name in the names of its parts.
constexpr llvm::StringLiteral kPartSuffix = "_part";

/// One function of an entry point as its attributes describe it.
struct EntryFunction {
  mlir::func::FuncOp function;
  int64_t inputs = 0;
  int64_t outputs = 0;
  /// Folded buffers that are passed (compute only).
  int64_t folded = 0;
  bool hasArena = false;
  int64_t arenaBytes = 0;
  int64_t threadArenaBytes = 0;
  /// Indices of the inputs of the entry point that are passed (fold only).
  llvm::SmallVector<int64_t> foldInputs;
  /// Argument types before the signature is converted.
  llvm::SmallVector<mlir::MemRefType> arguments;
};

/// What becomes one gc_module.
struct EntryPoint {
  std::string name;
  /// Whether the graph's function was private.
  bool isPrivate = false;
  EntryFunction compute;
  std::optional<EntryFunction> fold;
  /// Names of the parallel regions in the order of their numbers.
  llvm::SmallVector<std::string> regions;

  /// Shared bytes of the arena, a multiple of kArenaAlignment.
  int64_t getSharedBytes() const;
  /// Bytes of each thread's part, a multiple of kArenaAlignment.
  int64_t getThreadBytes() const;
};

/// Reads the attributes of all entry functions of the module and checks them.
/// Reports errors at the function.
llvm::FailureOr<std::vector<EntryPoint>>
collectEntryPoints(mlir::ModuleOp module);

/// Turns @f(memrefs..., arenas) into @f_compute / @f_fold(args, arena, team) ->
/// i32: loads the bare pointers and computes where this thread's arena is.
llvm::LogicalResult convertEntrySignature(const EntryPoint &entry,
                                          EntryFunction &function);

/// Numbers the parallel loops of the entry point and records their names.
void numberParallelLoops(EntryPoint &entry);

/// Accesses of vectors at constant distances as one index and offsets.
void flattenAccesses(mlir::func::FuncOp function);

/// Replaces affine.apply, affine.min and affine.max by integer arithmetic:
/// unsigned, which is cheaper, where the bounds of loops show that what is
/// divided is not negative. While the parallel loops are there.
void lowerIndices(mlir::func::FuncOp function);

/// Replaces tir.parallel and tir.barrier of an entry function whose signature
/// is converted. With `trace` each thread's share is recorded.
llvm::LogicalResult lowerParallelLoops(mlir::func::FuncOp function, bool trace);

/// Makes one private function out of loops of an entry point that differ only
/// in the values that they work on, and calls it in their place: code that
/// layers and weights of one shape have in common is generated once. A function
/// that runs in every execution and has more than `partOps` ops also becomes
/// about half as long: its larger loops become functions, which another thread
/// can generate. 0: it does not. For functions whose parallel loops are
/// lowered.
void shareLoops(mlir::ModuleOp module, const EntryPoint &entry,
                int64_t partOps);

/// Cuts an entry function of more than 2 `partOps` ops between its loops into
/// private functions of about `partOps` that it calls one after another. For
/// functions whose parallel loops are lowered.
void splitLongFunction(mlir::ModuleOp module, mlir::func::FuncOp function,
                       int64_t partOps);

/// Emits the constant @<name>_module of the runtime's type gc_module.
void emitDescriptor(mlir::ModuleOp module, const EntryPoint &entry,
                    llvm::ArrayRef<std::string> features);

/// Adds patterns that round f32 to bf16, scalars and vectors, by instructions
/// of the machine or by integer arithmetic; they are preferred to upstream's.
void populateRoundToBFloat16Patterns(mlir::RewritePatternSet &patterns,
                                     const Machine &machine);

/// Adds patterns that compute e^x of f32 vectors with the machine's instruction
/// for multiplying by a power of two, if it has one; they are preferred to
/// those of populateMathToArithPatterns.
void populateExpByInstructionPatterns(mlir::RewritePatternSet &patterns,
                                      const Machine &machine);

/// Adds patterns that cast f32 vectors to narrow integers with the machine's
/// instructions that saturate, if it has them.
void populateNarrowByInstructionPatterns(mlir::RewritePatternSet &patterns,
                                         const Machine &machine);

/// Conversions between f32 and f8E5M2 or f8E4M3FN become integer arithmetic.
/// Numbers that are too large become infinite, or NaN in f8E4M3FN.
void populateExpandFloat8Patterns(mlir::RewritePatternSet &patterns);

/// Loads and stores bf16 as integers of 16 bits: LLVM's x86 code generator
/// crashes on vectors of bf16 with odd lengths for processors with AVX512-BF16.
void moveBFloat16AsIntegers(mlir::LLVM::LLVMFuncOp function);

/// Emits @<name> from the input memrefs to newly allocated result memrefs,
/// which executes the module through the runtime; resolves the declaration
/// @<name>__memref.
llvm::LogicalResult emitMemrefWrapper(mlir::ModuleOp module,
                                      const EntryPoint &entry);

/// Converts the functions, and the memref globals that only they use, to the
/// LLVM dialect.
llvm::LogicalResult
convertFunctionsToLLVM(mlir::ModuleOp module,
                       llvm::ArrayRef<mlir::func::FuncOp> functions);

/// Declares a runtime function of the given name unless it is there.
mlir::LLVM::LLVMFuncOp declareRuntime(mlir::ModuleOp module,
                                      llvm::StringRef name,
                                      mlir::LLVM::LLVMFunctionType type);

} // namespace gc::tir

#endif // GC_LIB_CONVERSION_TENSORIRTOLLVM_TENSORIRTOLLVMIMPL_H
