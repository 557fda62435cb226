// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the support query says about the NPU against what its pipeline compiles:
// graphs of one op, of every operation of the table.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/OpTable.h"
#include "Transforms/Pipelines.h"
#include "Transforms/Register.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"

using namespace gc;
using namespace gc::graph;
using namespace mlir;

namespace {

class NpuSupport : public ::testing::Test {
protected:
  NpuSupport() {
    DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors.push_back(diagnostic.str());
      return success();
    });
    target = context.getLoadedDialect<GraphDialect>()->findTarget("npu");
    examples = parseSourceFile<ModuleOp>(GC_EXAMPLES, &context);
  }

  SmallVector<Operation *> getExamples() {
    SmallVector<Operation *> ops;
    for (auto function : examples->getOps<func::FuncOp>())
      for (Operation &op : function.getBody().front().without_terminator())
        ops.push_back(&op);
    return ops;
  }

  MLIRContext context;
  const TargetSupport *target;
  std::vector<std::string> errors;
  OwningOpRef<ModuleOp> examples;
};

/// The type, with f16 for f32 if the graph is narrow.
Type convert(Type type, bool isNarrow) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return isNarrow && tensor && tensor.getElementType().isF32()
             ? tensor.clone(Float16Type::get(type.getContext()))
             : type;
}

Type getFloats(Type type) {
  return cast<RankedTensorType>(type).clone(
      Float32Type::get(type.getContext()));
}

/// A function of one op. Bits are those of a comparison, and select.
OwningOpRef<ModuleOp> makeGraph(Operation *op, bool isNarrow) {
  Location loc = op->getLoc();
  OpBuilder b(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(b, loc);
  b.setInsertionPointToStart(module->getBody());
  auto function =
      func::FuncOp::create(b, loc, "main", b.getFunctionType({}, {}));
  Block *block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  auto isOfBits = [](Type type) {
    return getElementTypeOrSelf(type).isInteger(1);
  };
  auto addArgument = [&](Type type) { return block->addArgument(type, loc); };
  IRMapping mapping;
  llvm::SetVector<Value> operands;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        operands.insert(operand);
  });
  for (Value operand : operands) {
    Type type = convert(operand.getType(), isNarrow);
    if (auto constant = operand.getDefiningOp<ConstantOp>()) {
      b.clone(*constant, mapping);
    } else if (isOfBits(type)) {
      Value x = addArgument(getFloats(type)), y = addArgument(getFloats(type));
      mapping.map(operand, GreaterEqualOp::create(b, loc, type, x, y));
    } else {
      mapping.map(operand, addArgument(type));
    }
  }
  Operation *copy = b.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value result : copy->getResults()) {
    result.setType(convert(result.getType(), isNarrow));
    Type type = result.getType();
    if (isOfBits(type)) {
      Value x = addArgument(getFloats(type)), y = addArgument(getFloats(type));
      results.push_back(
          SelectOp::create(b, loc, getFloats(type), result, x, y));
    } else if (isa<ConstantOp>(copy)) {
      results.push_back(AddOp::create(b, loc, type, addArgument(type), result));
    } else {
      results.push_back(result);
    }
  }
  func::ReturnOp::create(b, loc, results);
  function.setType(
      b.getFunctionType(block->getArgumentTypes(), ValueRange(results)));
  return module;
}

std::optional<std::string> findObstacle(const TargetSupport &target,
                                        ModuleOp graph) {
  std::optional<std::string> obstacle;
  graph.walk([&](Operation *op) {
    if (!obstacle && isa<GraphDialect>(op->getDialect()))
      obstacle = target.getObstacle(op);
  });
  return obstacle;
}

TEST_F(NpuSupport, AgreesWithThePipeline) {
  ASSERT_TRUE(target);
  ASSERT_TRUE(examples);
  llvm::StringMap<int> graphs, accepted;
  for (Operation *op : getExamples())
    for (bool isNarrow : {false, true}) {
      OwningOpRef<ModuleOp> graph = makeGraph(op, isNarrow);
      if (failed(verify(*graph)))
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << *op << (isNarrow ? " with f16" : "");
      SCOPED_TRACE(text);
      std::optional<std::string> obstacle = findObstacle(*target, *graph);
      StringRef name = op->getName().getStringRef();
      ++graphs[name];
      accepted[name] += !obstacle;
      // What no op of the name can do, this one cannot do either.
      if (target->getObstacle(op->getName()))
        EXPECT_TRUE(obstacle);
      PassManager manager(&context);
      buildNpuPipeline(manager, NpuPipelineOptions());
      errors.clear();
      bool isCompiled = succeeded(manager.run(*graph));
      if (isCompiled) {
        EXPECT_FALSE(obstacle) << "refused: " << obstacle.value_or("");
        continue;
      }
      ASSERT_EQ(errors.size(), 1u);
      EXPECT_TRUE(obstacle) << "not compiled: " << errors.front();
      // One error, which names an op of the graph and the target.
      StringRef error = errors.front();
      EXPECT_TRUE(error.starts_with("'graph.") &&
                  error.contains("' op cannot run on target 'npu': "))
          << errors.front();
    }
  for (const OpSpec &spec : getOpTable()) {
    // It ends regions of other ops.
    if (spec.opName == YieldOp::getOperationName())
      continue;
    EXPECT_GT(graphs[spec.opName], 0) << "no example of " << spec.opName.str();
  }
  // Most of the table runs.
  EXPECT_GT(
      llvm::count_if(accepted, [](auto &entry) { return entry.second > 0; }),
      70);
}

TEST_F(NpuSupport, SeesWideFactors) {
  // The cube unit widens f16 itself, so that casts before a product go.
  const char *const kText = R"mlir(
    func.func @main(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
      %0 = graph.type_cast %a : tensor<16x32xf16> -> tensor<16x32xf32>
      %1 = graph.type_cast %b : tensor<32x16xf16> -> tensor<32x16xf32>
      %2 = graph.matmul %0, %1 : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
      %3 = graph.matmul %0, %1, %c : (tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>) -> tensor<16x16xf32>
      return %2, %3 : tensor<16x16xf32>, tensor<16x16xf32>
    })mlir";
  auto graph = parseSourceString<ModuleOp>(kText, &context);
  ASSERT_TRUE(graph);
  EXPECT_EQ(findObstacle(*target, *graph), std::nullopt);
  PassManager manager(&context);
  buildNpuPipeline(manager, NpuPipelineOptions());
  EXPECT_TRUE(succeeded(manager.run(*graph)));
}

} // namespace
