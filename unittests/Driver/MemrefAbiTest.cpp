// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program of another compiler that calls a compiled graph through the wrapper
// of abi=memref.

#include "Driver/Codegen.h"
#include "Driver/JitCode.h"
#include "Transforms/Register.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace gc;

namespace {

const char *Program = R"(
// relu(x w) with constant weights.
func.func private @layer(%x: tensor<2x3xf32>, %w: tensor<3x2xf32> {graph.const_arg})
    -> tensor<2x2xf32> {
  %0 = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = graph.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
// Twice the layer plus the bias, in ops that GC knows nothing of.
func.func @program(%x: memref<2x3xf32>, %w: memref<3x2xf32>, %o: memref<2x2xf32>)
    attributes {llvm.emit_c_interface} {
  %tx = bufferization.to_tensor %x restrict : memref<2x3xf32> to tensor<2x3xf32>
  %tw = bufferization.to_tensor %w restrict : memref<3x2xf32> to tensor<3x2xf32>
  %0 = call @layer(%tx, %tw) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %b = bufferization.to_buffer %0 : tensor<2x2xf32> to memref<2x2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %v = memref.load %b[%i, %j] : memref<2x2xf32>
      %d = arith.addf %v, %v : f32
      memref.store %d, %o[%i, %j] : memref<2x2xf32>
    }
  }
  return
}
)";

struct Memref2D {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};

TEST(MemrefAbi, RunsInsideAnotherProgram) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerAllGraphCompilerDialects(registry);
  mlir::registerAllPasses();
  registerAllGraphCompilerPasses();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(Program, &context);
  ASSERT_TRUE(module);
  mlir::PassManager manager(&context);
  ASSERT_TRUE(mlir::succeeded(mlir::parsePassPipeline(
      "gc-cpu-pipeline{abi=memref threads=2},one-shot-bufferize,"
      "convert-scf-to-cf,finalize-memref-to-llvm,convert-arith-to-llvm,"
      "convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts",
      manager)));
  ASSERT_TRUE(mlir::succeeded(manager.run(*module)));

  auto machine = llvm::cantFail(createTargetMachine(Processor()));
  llvm::LLVMContext llvmContext;
  auto code =
      llvm::cantFail(translateToLLVM(*module, llvmContext, *machine, "p"));
  llvm::cantFail(optimize(*code, *machine));
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  llvm::cantFail(
      emitCode(*code, *machine, llvm::CodeGenFileType::ObjectFile, os));
  auto jit = llvm::cantFail(JitCode::load(
      std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), false),
      /*perfMap=*/false));
  auto program = reinterpret_cast<void (*)(Memref2D *, Memref2D *, Memref2D *)>(
      llvm::cantFail(jit->lookup("_mlir_ciface_program")));

  float x[] = {1, 2, 3, -4, -5, -6}, w[] = {1, 2, 3, 4, 5, 6}, o[4] = {};
  Memref2D mx = {x, x, 0, {2, 3}, {3, 1}}, mw = {w, w, 0, {3, 2}, {2, 1}},
           mo = {o, o, 0, {2, 2}, {2, 1}};
  for (int run = 0; run < 2; ++run) {
    program(&mx, &mw, &mo);
    // 1 + 6 + 15 = 22 and 2 + 8 + 18 = 28, doubled; relu of negative sums.
    EXPECT_EQ(o[0], 44);
    EXPECT_EQ(o[1], 56);
    EXPECT_EQ(o[2], 0);
    EXPECT_EQ(o[3], 0);
  }
}

} // namespace
