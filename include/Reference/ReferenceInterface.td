// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_REFERENCE_REFERENCEINTERFACE_TD
#define GC_REFERENCE_REFERENCEINTERFACE_TD

include "mlir/IR/OpBase.td"

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::gc::reference";
  let description = [{
    An op that the reference interpreter can evaluate. It is attached to the ops
    as external models, so that the dialect does not depend on the interpreter.
  }];
  let methods = [
    InterfaceMethod<"Computes the results from the operands: each result rounded "
                    "once to its element type, with bounds if the evaluation "
                    "wants them. Failures are reported at the op.",
      "::llvm::LogicalResult", "evaluate",
      (ins "::llvm::ArrayRef<::gc::reference::BoundedTensor>":$operands,
           "::gc::reference::Evaluation &":$evaluation,
           "::llvm::SmallVectorImpl<::gc::reference::BoundedTensor> &":$results)>,
    InterfaceMethod<"The value whose elements result i repeats (data movement, "
                    "casts, regions that yield it), or null.",
      "::mlir::Value", "getSource", (ins "unsigned":$result), "",
      "return ::mlir::Value();">,
    InterfaceMethod<"The operand whose very negative elements (those of a mask) "
                    "give zeros at the same place of the result, as exponentials "
                    "do, or nothing.",
      "::std::optional<unsigned>", "getMaskedOperand", (ins), "",
      "return ::std::nullopt;">,
    InterfaceMethod<"From where random inputs for operand i are drawn.",
      "::gc::reference::InputDomain", "getInputDomain",
      (ins "unsigned":$operand), "",
      "return ::gc::reference::InputDomain();">,
    InterfaceMethod<"Whether zero operands give a zero result.",
      "bool", "preservesZero", (ins), "", "return false;">,
    InterfaceMethod<"Whether many operands legitimately give the same result "
                    "(relu, clamp), so that a constant result says nothing.",
      "bool", "saturates", (ins), "", "return false;">
  ];
}

#endif // GC_REFERENCE_REFERENCEINTERFACE_TD
