// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_PASSES_TD
#define GC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGraphToTir : Pass<"convert-graph-to-tir", "::mlir::ModuleOp"> {
  let summary = "Instantiates templates and commits fusible ops at anchors";
  let description = [{
    Turns every function that has graph ops into a function on buffers: inputs,
    results and folded constants become memref arguments, intermediate tensors
    become `tir.scratch`, every `graph.fused_op` becomes one `tir.parallel` with
    the loops of its template. Functions without graph ops are left untouched.
  }];
  let dependentDialects = ["::gc::tir::TensorIRDialect",
    "::gc::graph::GraphDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
    "::mlir::affine::AffineDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::math::MathDialect"];
}

def ConvertTirToLLVM : Pass<"convert-tir-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers Tensor IR to the LLVM dialect";
  let description = [{
    Entry functions become functions of bare pointers that every thread of a team
    runs; `tir.parallel` becomes a loop over the thread's share, barriers become
    calls of the runtime. For every entry point a descriptor `<name>_module` is
    emitted (see Runtime/Runtime.h). The rest goes through upstream conversions.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"trace", "trace", "bool", "false",
           "Record the start and end of every parallel loop">,
    Option<"features", "features", "std::string", "\"\"",
           "LLVM feature names that the code needs, for the check at load">
  ];
}

#endif // GC_CONVERSION_PASSES_TD
