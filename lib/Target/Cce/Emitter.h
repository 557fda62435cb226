// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the body of one kernel.

#ifndef GC_LIB_TARGET_CCE_EMITTER_H
#define GC_LIB_TARGET_CCE_EMITTER_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/IndentedOstream.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace gc::npu::cce {

/// The C type of a number, or of a memref's elements; empty if there is none.
std::string getTypeName(mlir::Type type);

/// A number as a C expression.
std::string formatConstant(mlir::Type type, mlir::Attribute value);

class Emitter {
public:
  Emitter(mlir::raw_indented_ostream &os, const Machine &machine)
      : os(os), machine(machine) {}

  /// `name` is the function's in C.
  mlir::LogicalResult emitKernel(mlir::func::FuncOp kernel,
                                 llvm::StringRef name);

private:
  using Names = llvm::SmallVector<std::string>;

  // Structure (Emitter.cpp).
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitNested(mlir::Region &region);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult emitSwitch(mlir::scf::IndexSwitchOp op);
  /// Variables without values for a loop's or branch's results.
  mlir::LogicalResult declareResults(mlir::Operation *op);
  /// Assigns all values at once: targets may be among them.
  void assign(const Names &targets, mlir::ValueRange values);

  // Arithmetic (Arithmetic.cpp).
  mlir::LogicalResult emitArithmetic(mlir::Operation *op);
  mlir::LogicalResult emitCast(mlir::Operation *op);
  mlir::LogicalResult emitAffine(mlir::Operation *op);
  std::string formatUnsigned(mlir::Value value);

  // Buffers (Views.cpp).
  mlir::LogicalResult emitAlloc(AllocOp op);
  mlir::LogicalResult emitSlot(SlotOp op);
  mlir::LogicalResult emitView(mlir::Operation *op);
  mlir::LogicalResult emitLoad(LoadScalarOp op);
  /// A pointer `offset` elements past another.
  mlir::LogicalResult defineView(mlir::Value result, mlir::Value source,
                                 const std::string &offset);
  /// The same as an expression.
  std::string formatElement(mlir::Value source, const std::string &offset);

  // Instructions (Instructions.cpp).
  mlir::LogicalResult emitInstruction(InstructionOpInterface op);
  void emitDma(const Instruction &i);
  void emitBox(const Instruction &i);
  void emitLoad3d(const Instruction &i, Img2colOp op);
  void emitMad(const Instruction &i, MatmulOp op);
  void emitVector(const Instruction &i, VectorInstructionOp op);
  void emitMask(const Instruction &i);
  void emitAtomic(const Instruction &i);
  /// The pointer that a model's address stands for while an instruction is
  /// written.
  std::string getPointer(Address address);
  void call(const llvm::Twine &name, const Names &arguments);
  /// A number of an instruction, or the name of what gives it at run time.
  std::string count(int64_t value);

  // Values.
  std::string get(mlir::Value value);
  std::string getNewName(llvm::StringRef prefix);
  /// `type name = expression;`
  mlir::LogicalResult define(mlir::Value result, const llvm::Twine &expression);
  /// `type *` or `type`, with the qualifier of the memory.
  mlir::FailureOr<std::string> getDeclaration(mlir::Value value);

  mlir::raw_indented_ostream &os;
  const Machine &machine;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringMap<int> counters;
  /// The mask that the text has set last, if that is certain.
  std::optional<std::pair<uint64_t, uint64_t>> mask;
  /// The op whose instruction is being written.
  mlir::Operation *current = nullptr;
  RunTimeTags tags;
};

} // namespace gc::npu::cce

#endif // GC_LIB_TARGET_CCE_EMITTER_H
