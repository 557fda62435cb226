// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_IR_NPUDIALECT_TD
#define GC_DIALECT_NPU_IR_NPUDIALECT_TD

include "mlir/IR/OpBase.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::gc::npu";
  let summary = "Programs of a DaVinci-like NPU";
  let description = [{
    One core has a cube unit, a vector unit and a scalar front end, which issues
    every instruction in program order into the queue of its pipe. Pipes run in
    parallel and know nothing about each other: flags express dependences
    between them. Data moves along fixed paths between global memory and the
    buffers of the core, each a memory space of memrefs: `gm`, `l1`, `ub`,
    `l0a`, `l0b`, `l0c`.

    Programs are written at two levels, which may be mixed in one function:

    - *tile level*: ops on whole tiles with shapes; no addresses, no repeats, no
      flags. Buffers are allocated where they are needed, in loops too.
    - *instruction level*: one op per instruction of the machine, with bursts,
      repeats, strides and masks; buffers have addresses.

    `npu-double-buffer`, `npu-expand-tiles`, `npu-plan-memory` and
    `npu-insert-sync` lower the first to the second. Ops that are already one
    instruction (pack, unpack, img2col, matmul, drain) belong to both levels.

    A kernel is a function on memrefs in `gm`, inputs first and then outputs,
    with the attribute `npu.kernel`. The attribute `reference` names the graph
    function that says what it has to compute: its arguments are the inputs, its
    results the outputs, in order. Costs, sizes and alignments are those of
    Machine (NpuModel/Machine.h), which a DLTI specification on the module can
    change.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerOperations();

    /// Function attribute (unit): the function is an NPU program.
    static constexpr ::llvm::StringLiteral kKernelAttr = "npu.kernel";
    /// Function attribute (integer): cores that run the program, each with its
    /// own `npu.core_id`. Default 1.
    static constexpr ::llvm::StringLiteral kCoresAttr = "npu.cores";
    /// Attribute of scf.for (integer): iterations that may be in flight at the
    /// same time; `npu-double-buffer` gives buffers of the loop that many
    /// slots.
    static constexpr ::llvm::StringLiteral kPipelineAttr = "npu.pipeline";
    static constexpr int64_t kMaxPipeline = 256;
    /// Attribute of an op in the body of a loop with `npu.pipeline` (integer):
    /// it and those after it belong to this stage. The stages of one iteration
    /// are issued together with later stages of the iterations before it.
    static constexpr ::llvm::StringLiteral kStageAttr = "npu.stage";
    /// Attribute of a call (unit): the kernel runs once for given constants,
    /// not in every execution.
    static constexpr ::llvm::StringLiteral kOnceAttr = "npu.once";
    /// Function attribute (symbol): the graph function that is left of the
    /// reference if what runs once is taken out of it. Its arguments are those
    /// of the reference and what is computed once.
    static constexpr ::llvm::StringLiteral kRepeatedAttr = "npu.repeated";
    /// Function attribute (symbol): the graph function that the kernel computes.
    static constexpr ::llvm::StringLiteral kReferenceAttr = "reference";
  }];
}

#endif // GC_DIALECT_NPU_IR_NPUDIALECT_TD
