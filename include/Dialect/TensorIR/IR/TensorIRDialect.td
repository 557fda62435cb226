// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_TENSORIR_IR_TENSORIRDIALECT_TD
#define GC_DIALECT_TENSORIR_IR_TENSORIRDIALECT_TD

include "mlir/IR/OpBase.td"

def TensorIR_Dialect : Dialect {
  let name = "tir";
  let cppNamespace = "::gc::tir";
  let summary = "What scf, memref and vector lack to execute a plan";
  let description = [{
    Tensor IR consists of upstream's scf loops, memrefs and vectors plus a few
    ops: a parallel loop over the threads of a team, barriers, temporaries that
    the buffer planner places, and calls of batch-reduce GEMM microkernels. It
    makes no decisions: those are made in the Graph dialect.

    Indices are loop indices, constants and `affine.apply`, which passes read;
    they become arithmetic when the module is lowered to LLVM.

    A function with the attribute `tir.entry` is executed by every thread of a
    team; code outside `tir.parallel` runs on each of them.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Function attribute: name of the graph function that it was made from;
    /// such a function is executed by every thread of a team.
    static constexpr ::llvm::StringLiteral kEntryAttr = "tir.entry";
    /// Function attribute: "compute" or "fold".
    static constexpr ::llvm::StringLiteral kRoleAttr = "tir.role";
    /// Function attributes: how many arguments are inputs, outputs, folded.
    static constexpr ::llvm::StringLiteral kInputsAttr = "tir.inputs";
    static constexpr ::llvm::StringLiteral kOutputsAttr = "tir.outputs";
    static constexpr ::llvm::StringLiteral kFoldedAttr = "tir.folded";
    /// Attribute of fold functions: the inputs of the entry that they take.
    static constexpr ::llvm::StringLiteral kFoldInputsAttr = "tir.fold_inputs";
    /// Function attributes: sizes of the two parts of the arena, in bytes.
    static constexpr ::llvm::StringLiteral kArenaAttr = "tir.arena_bytes";
    static constexpr ::llvm::StringLiteral kThreadArenaAttr =
        "tir.thread_arena_bytes";
    /// Unit attribute of `math.exp`: its operand is at most 0, and results below
    /// the smallest normal number may be 0.
    static constexpr ::llvm::StringLiteral kAtMostOneAttr = "tir.at_most_one";
    /// Unit attribute of the `arith.trunci` that ends a conversion of f32 to 8
    /// bits: the number before the limits is NaN, or at most 2^30 in magnitude.
    static constexpr ::llvm::StringLiteral kBoundedAttr = "tir.bounded";
    /// Attribute of scf.for loops inside tir.parallel: loops of one group over
    /// equal bounds become one when their parallel loops are merged.
    static constexpr ::llvm::StringLiteral kMergeAttr = "tir.merge";

    void registerAttributes();
    void registerTypes();
  }];
}

def TensorIR_KernelType : TypeDef<TensorIR_Dialect, "Kernel"> {
  let mnemonic = "kernel";
  let summary = "handle of a microkernel";
}

#endif // GC_DIALECT_TENSORIR_IR_TENSORIRDIALECT_TD
