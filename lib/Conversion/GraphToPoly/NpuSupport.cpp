// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which graph ops the NPU pipeline compiles: those that GraphReader reads, and
// those that become such ones before.

#include "Conversion/GraphToPoly/GraphToPoly.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/OpTable.h"
#include "Dialect/Graph/Transforms/Decompose.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "OpBody.h"
#include "ReadObstacles.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/IRMapping.h"

#include <thread>

using namespace mlir;
using namespace gc;
using namespace gc::graph;

using Obstacle = std::optional<std::string>;

/// Why no op with these values in its row of the table can run: one of them
/// that is required has no element type of the machine.
static Obstacle findValueObstacle(ArrayRef<ValueSpec> values) {
  for (const ValueSpec &value : values) {
    SmallVector<StringRef> types;
    StringRef(value.elements).split(types, ' ');
    // Elements of one bit are in no array, but computed.
    if (value.arity == Arity::One && llvm::none_of(types, [](StringRef type) {
          return npu::parseDType(type) || type == "boolean" || type == "any";
        }))
      return "the NPU has no elements of " + value.elements.str() + " (" +
             value.name.str() + ")";
  }
  return std::nullopt;
}

namespace {

/// An op by itself, with the constants and casts that it reads, as the pipeline
/// changes it before it is read.
class Scratch {
public:
  explicit Scratch(Operation *op);

  /// Why what the op has become is not read, or nothing.
  Obstacle decompose();
  Obstacle findObstacle();

private:
  Block block;
  /// Null when it is decomposed.
  Operation *op;
  /// They are not part of the op.
  llvm::DenseSet<Operation *> producers;
};

class NpuSupport : public TargetSupport {
public:
  StringRef getName() const override { return "npu"; }
  bool decomposes() const override { return true; }

  Obstacle getObstacle(OperationName name) const override {
    auto *boundary = name.getInterface<BoundaryOpInterface>();
    // The terminators of regions are part of the ops that have them.
    if ((boundary && boundary->isMark()) ||
        name.hasTrait<OpTrait::IsTerminator>())
      return std::nullopt;
    if (!getReadKind(name) && !name.hasInterface<ComplexOpInterface>())
      return kUnknownSpace.str();
    const OpSpec *spec = findOp(name.getStringRef());
    if (!spec)
      return std::nullopt;
    Obstacle obstacle = findValueObstacle(spec->operands);
    return obstacle ? obstacle : findValueObstacle(spec->results);
  }

  Obstacle getObstacle(Operation *op) const override {
    if (BoundaryOpInterface::marks(op) || op->hasTrait<OpTrait::IsTerminator>())
      return std::nullopt;
    auto complex = dyn_cast<ComplexOpInterface>(op);
    bool isComplex = complex && complex.isComplex();
    auto product = dyn_cast<ContractionOpInterface>(op);
    if (!isComplex && !(product && narrowsFactors(product)))
      return findReadObstacle(op);
    // Decomposition is for tensors of known sizes.
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes())))
      if (auto shaped = dyn_cast<ShapedType>(type);
          shaped && !shaped.hasStaticShape())
        return findTypeObstacle(type);
    Scratch scratch(op);
    if (isComplex)
      if (Obstacle obstacle = scratch.decompose())
        return obstacle;
    return scratch.findObstacle();
  }

  Obstacle getBorderObstacle(Type type) const override {
    return findElementObstacle(getElementTypeOrSelf(type));
  }

  SmallVector<Obstacle>
  getReturnObstacles(Operation *terminator) const override {
    // Programs of the NPU return nothing.
    bool isGraph = llvm::all_of(
        terminator->getBlock()->without_terminator(), [](Operation &op) {
          return isa_and_nonnull<GraphDialect>(op.getDialect());
        });
    return isGraph ? findReturnObstacles(terminator)
                   : TargetSupport::getReturnObstacles(terminator);
  }
};

} // namespace

Scratch::Scratch(Operation *original) {
  OpBuilder builder(original->getContext());
  builder.setInsertionPointToStart(&block);
  IRMapping mapping;
  auto addArgument = [&](Value value) {
    if (!mapping.contains(value))
      mapping.map(value, block.addArgument(value.getType(), value.getLoc()));
  };
  auto addOperand = [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    if (mapping.contains(operand))
      return;
    if (isConversion(source))
      addArgument(source->getOperand(0));
    if (isa_and_nonnull<ConstantOp>(source) || isConversion(source))
      producers.insert(builder.clone(*source, mapping));
    else
      addArgument(operand);
  };
  // Regions read values from outside, too.
  original->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *parent = operand.getParentBlock()->getParentOp();
      if (!parent || !original->isAncestor(parent))
        addOperand(operand);
    }
  });
  op = builder.clone(*original, mapping);
  YieldOp::create(builder, op->getLoc(), op->getResults());
}

Obstacle Scratch::decompose() {
  std::string error;
  ScopedDiagnosticHandler handler(
      op->getContext(),
      [&, thread = std::this_thread::get_id()](Diagnostic &diagnostic) {
        if (std::this_thread::get_id() != thread)
          return failure();
        if (error.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          error = diagnostic.str();
        return success();
      });
  SmallVector<ComplexOpInterface> left{cast<ComplexOpInterface>(op)};
  auto collect = [&](Operation *built) {
    auto complex = dyn_cast<ComplexOpInterface>(built);
    if (complex && complex.isComplex())
      left.push_back(complex);
  };
  while (!left.empty())
    if (failed(
            decomposeOp(left.pop_back_val(), /*isUnguarded=*/false, collect)))
      return error.empty() ? "it cannot be decomposed" : error;
  op = nullptr;
  return std::nullopt;
}

Obstacle Scratch::findObstacle() {
  // What decomposition does not need is no longer there.
  for (Operation &dead :
       llvm::make_early_inc_range(llvm::reverse(block.without_terminator())))
    if (isOpTriviallyDead(&dead))
      dead.erase();
  for (Operation &part : llvm::make_early_inc_range(block))
    if (auto product = dyn_cast<ContractionOpInterface>(part))
      narrowFactors(product);
  for (Operation &part : block.without_terminator())
    if (!producers.contains(&part))
      if (Obstacle obstacle = findReadObstacle(&part))
        return &part == op ? *obstacle
                           : "it consists of simpler ops, of which '" +
                                 part.getName().getStringRef().str() +
                                 "' cannot: " + *obstacle;
  return std::nullopt;
}

void gc::registerNpuSupport(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, GraphDialect *dialect) {
    dialect->addTarget(std::make_unique<NpuSupport>());
  });
}
