// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_GRAPHTOTENSORIR_EMISSIONINTERFACES_TD
#define GC_CONVERSION_GRAPHTOTENSORIR_EMISSIONINTERFACES_TD

include "mlir/IR/OpBase.td"

def EmissionOpInterface : OpInterface<"EmissionOpInterface"> {
  let cppNamespace = "::gc";
  let description = [{
    How a fusible graph op computes one vector of its result. Attached to the
    ops from outside, so that the Graph dialect does not know Tensor IR.
  }];
  let methods = [
    InterfaceMethod<"Computes a vector of the result from vectors of the "
                    "operands: f32 for floating-point tensors, i1 for booleans, "
                    "integers as they are in memory. Null if the element type "
                    "is not supported.",
      "::mlir::Value", "emitVector",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$operands), "", "return {};">,
    InterfaceMethod<"Instructions of one vector, roughly; what is dear is not "
                    "computed twice.",
      "int64_t", "getVectorCost", (ins), "", "return 1;">,
    InterfaceMethod<"The dimension of the iteration space whose indices, as i32, "
                    "the op takes in place of its operands.",
      "::std::optional<unsigned>", "getIndexDim", (ins), "",
      "return ::std::nullopt;">
  ];
}

def ReductionEmissionOpInterface
    : OpInterface<"ReductionEmissionOpInterface"> {
  let cppNamespace = "::gc";
  let description = [{
    How a reduction combines elements. Attached from outside, too.
  }];
  let methods = [
    InterfaceMethod<"What combines two elements, floats or integers; it is "
                    "associative and commutative but for rounding.",
      "::mlir::vector::CombiningKind", "getCombiningKind",
      (ins "bool":$isFloat)>
  ];
}

def TemplateEmissionOpInterface : OpInterface<"TemplateEmissionOpInterface"> {
  let cppNamespace = "::gc";
  let description = [{
    How a tunable graph op instantiates its chosen template.
  }];
  let methods = [
    InterfaceMethod<"Emits the loop nest of the region that the op is in.",
      "::llvm::LogicalResult", "emitTemplate",
      (ins "::gc::RegionEmitter &":$emitter)>
  ];
}

#endif // GC_CONVERSION_GRAPHTOTENSORIR_EMISSIONINTERFACES_TD
