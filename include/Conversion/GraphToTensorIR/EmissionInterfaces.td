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
                    "operands: f32 for floating-point tensors, i32 for 32-bit "
                    "integers. Null if the element type is not supported.",
      "::mlir::Value", "emitVector",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$operands)>
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
