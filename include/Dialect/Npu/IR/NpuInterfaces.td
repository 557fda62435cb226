// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_IR_NPUINTERFACES_TD
#define GC_DIALECT_NPU_IR_NPUINTERFACES_TD

include "mlir/IR/OpBase.td"

def PipeOpInterface : OpInterface<"PipeOpInterface"> {
  let cppNamespace = "::gc::npu";
  let description = [{
    An op that a pipe executes. Passes only use this interface to ask which pipe
    executes it and which memory it reads and writes. The op's memory effects
    give what it reads and writes, and the memory spaces of both give the pipe.
  }];
  let methods = [
    InterfaceMethod<"The pipe that executes it; none if no path of the "
                    "machine joins the memories.",
      "::std::optional<::gc::npu::PipeKind>", "getPipe", (ins), "", [{
        return ::gc::npu::getPipeOfSpaces($_op.getOperation());
      }]>,
    InterfaceMethod<"Operands that are read from memory.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getReadOperands", (ins), "", [{
        return ::gc::npu::getOperandsWithEffect(
            $_op.getOperation(), ::mlir::MemoryEffects::Read::get());
      }]>,
    InterfaceMethod<"Operands that are written to memory; those that are read "
                    "as well (accumulators) are in both lists.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getWrittenOperands", (ins), "",
      [{
        return ::gc::npu::getOperandsWithEffect(
            $_op.getOperation(), ::mlir::MemoryEffects::Write::get());
      }]>,
  ];
}

def InstructionOpInterface
    : OpInterface<"InstructionOpInterface", [PipeOpInterface]> {
  let cppNamespace = "::gc::npu";
  let description = [{
    An op that is exactly one instruction. Cost, exact byte footprint, legality
    and the call that issues it (except for `npu.load_scalar`, whose call has a
    result) all come from the model's Instruction.
  }];
  let methods = [
    InterfaceMethod<[{
        The instruction, with its operands at the addresses that `address` gives
        (Simulator/Interface.h defines the form of an address). Operands known
        only at run time (scalars, events, the flag that initialises an
        accumulator) have any legal value.
      }],
      "::gc::npu::Instruction", "getInstruction",
      (ins "::llvm::function_ref<uint64_t(::mlir::Value)>":$address)>,
    InterfaceMethod<[{
        Numbers that operands give at run time and that determine, together with
        the addresses of its memrefs, which bytes the instruction touches.
      }],
      "::llvm::SmallVector<::gc::npu::RunTimeNumber>", "getRunTimeNumbers", (ins),
      "", [{ return {}; }]>,
  ];
}

def TileOpInterface : OpInterface<"TileOpInterface", [PipeOpInterface]> {
  let cppNamespace = "::gc::npu";
  let description = [{
    An op on whole tiles that takes one or more instructions.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the instructions before the op, which the caller erases. Emits an
        error and fails if the machine cannot do it.
      }],
      "::llvm::LogicalResult", "expand",
      (ins "::mlir::OpBuilder &":$builder,
           "const ::gc::npu::Machine &":$machine)>,
  ];
}

#endif // GC_DIALECT_NPU_IR_NPUINTERFACES_TD
