// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Register.h"
#include "Conversion/GraphToPoly/GraphToPoly.h"
#include "Conversion/GraphToPoly/Statements.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Npu/Transforms/Passes.h"
#include "Dialect/Poly/IR/PolyOps.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "Transforms/MemrefAbiCalls.h"
#include "Transforms/Outline.h"
#include "Transforms/PhaseVerifiers.h"
#include "Transforms/Pipelines.h"
#include "Transforms/SetMachine.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

void gc::registerAllGraphCompilerDialects(DialectRegistry &registry) {
  registry.insert<graph::GraphDialect, npu::NpuDialect, poly::PolyDialect,
                  tir::TensorIRDialect>();
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  DLTIDialect, func::FuncDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, tensor::TensorDialect, tosa::TosaDialect,
                  ub::UBDialect, vector::VectorDialect>();
  func::registerInlinerExtension(registry);
  registerGraphEmissionModels(registry);
  registerLinalgStatements(registry);
  registerNpuSupport(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void gc::registerAllGraphCompilerPasses() {
  registerGCConversionPasses();
  graph::registerGraphPasses();
  npu::registerNpuPasses();
  poly::registerPolyPasses();
  tir::registerTensorIRPasses();
  registerMemrefAbiCallsPass();
  registerOutlinePass();
  registerSetMachinePass();
  registerVerifyPhasePass();
  registerVerifyNpuPhasePass();
  registerPipelines();
}
