// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_GRAPHTOTENSORIR_EMISSIONINTERFACES_TD
#define GC_CONVERSION_GRAPHTOTENSORIR_EMISSIONINTERFACES_TD

include "mlir/IR/OpBase.td"

def EmissionOpInterface : OpInterface<"EmissionOpInterface"> {
  let cppNamespace = "::gc";
  let description = [{
    How a fusible graph op computes one vector of its results, for ops whose
    vector form differs from their element-by-element body
    (ScalarBodyOpInterface). Attached to the ops from outside, so that the Graph
    dialect does not know Tensor IR.
  }];
  let methods = [
    InterfaceMethod<"Computes vectors of the results from vectors of the "
                    "operands, as buildBody does.",
      "::llvm::SmallVector<::mlir::Value>", "emitVector",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$operands)>
  ];
}

def TemplateEmissionAttrInterface
    : AttrInterface<"TemplateEmissionAttrInterface"> {
  let cppNamespace = "::gc";
  let description = [{
    How a template, an attribute with TemplateAttrInterface, is instantiated.
    Also attached from outside.
  }];
  let methods = [
    InterfaceMethod<"Emits the loop nest of the emitter's region with the "
                    "tunable op `op`, for which the template is chosen.",
      "::llvm::LogicalResult", "emitTemplate",
      (ins "::mlir::Operation *":$op, "::gc::RegionEmitter &":$emitter)>
  ];
}

#endif // GC_CONVERSION_GRAPHTOTENSORIR_EMISSIONINTERFACES_TD
