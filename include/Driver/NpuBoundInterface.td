// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DRIVER_NPUBOUNDINTERFACE_TD
#define GC_DRIVER_NPUBOUNDINTERFACE_TD

include "mlir/IR/OpBase.td"

def NpuBoundOpInterface : OpInterface<"NpuBoundOpInterface"> {
  let cppNamespace = "::gc";
  let description = [{
    The least that a graph op costs on the NPU, for the bound of a program.
    Attached to the ops from outside. An op without it costs nothing.
  }];
  let methods = [
    InterfaceMethod<"Cycles that the shortest known sequence of vector "
                    "instructions takes for one repeat of the op's wider side; "
                    "`isUniform`: an operand is smaller than the result, so that "
                    "a number for a whole row comes from a register.",
      "int64_t", "getRepeatCycles",
      (ins "const ::gc::npu::Machine &":$machine, "bool":$isUniform), "",
      "return 0;">,
    InterfaceMethod<"Whether the way out of the cube's accumulators can apply "
                    "the op at no cost.",
      "bool", "isFreeAfterCube", (ins), "", "return false;">,
    InterfaceMethod<"By what factor padding to whole blocks grows operand 0.",
      "double", "getInputPadding", (ins), "", "return 1;">,
    InterfaceMethod<"What part of operand 0 is read: strides may skip elements.",
      "double", "getReadPart", (ins), "", "return 1;">,
    InterfaceMethod<"How the cube can do the op's work.",
      "::gc::NpuBoundRole", "getRole", (ins), "",
      "return ::gc::NpuBoundRole::other;">
  ];
}

#endif // GC_DRIVER_NPUBOUNDINTERFACE_TD
