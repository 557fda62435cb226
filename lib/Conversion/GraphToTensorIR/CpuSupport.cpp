// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which graph ops can be lowered to Tensor IR.

#include "CpuSupport.h"
#include "Buffer.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

bool isStorable(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth() <= 64;
  return element.isF32() || element.isBF16() || element.isF16() ||
         isa<Float8E5M2Type, Float8E4M3FNType>(element);
}

static std::string describe(const Twine &what, Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << what << "'" << type << "'";
  return text;
}

/// Whether the body of an op exists for its element types: it is built from
/// scalars and thrown away.
static bool hasBody(ScalarBodyOpInterface op) {
  Block block;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(&block);
  SmallVector<Type> types;
  if (op.getIndexDim())
    types.push_back(builder.getI32Type());
  else
    for (Type type : op->getOperandTypes())
      types.push_back(getComputeType(getElementTypeOrSelf(type)));
  SmallVector<Location> locs(types.size(), op.getLoc());
  block.addArguments(types, locs);
  return !op.buildBody(builder, op.getLoc(), block.getArguments()).empty();
}

namespace {
class CpuSupport : public TargetSupport {
public:
  StringRef getName() const override { return "cpu"; }
  bool decomposes() const override { return true; }

  std::optional<std::string> getObstacle(OperationName name) const override {
    // What the lowering of functions handles itself.
    TypeID id = name.getTypeID();
    auto *boundary = name.getInterface<BoundaryOpInterface>();
    bool isStructure =
        id == TypeID::get<ConstantOp>() || (boundary && boundary->isMark()) ||
        id == TypeID::get<FusedOp>() || id == TypeID::get<YieldOp>() ||
        name.hasTrait<RowMajorView>() ||
        name.hasInterface<PlacementOpInterface>();
    if (isStructure || name.hasInterface<ScalarBodyOpInterface>() ||
        name.hasInterface<ReductionOpInterface>())
      return std::nullopt;
    // A contraction may be complex too, with a bias.
    if (name.hasInterface<TunableOpInterface>()) {
      auto *dialect = name.getContext()->getLoadedDialect<GraphDialect>();
      if (dialect &&
          !dialect->getTemplates().lookup(name.getStringRef()).empty())
        return std::nullopt;
      if (!name.hasInterface<ComplexOpInterface>())
        return "no template computes it";
    }
    if (name.hasInterface<ComplexOpInterface>())
      return std::nullopt;
    return "it has no meaning there";
  }

  std::optional<std::string> getObstacle(Operation *op) const override {
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes())))
      if (!isStorable(getElementTypeOrSelf(type)))
        return describe("it has no instructions for element type ",
                        getElementTypeOrSelf(type));
    if (auto complex = dyn_cast<ComplexOpInterface>(op);
        complex && complex.isComplex())
      return std::nullopt;
    if (auto obstacle = getObstacle(op->getName()))
      return obstacle;
    auto body = dyn_cast<ScalarBodyOpInterface>(op);
    if (body && !hasBody(body))
      return describe("it does not compute on element type ",
                      getElementTypeOrSelf(op->getOperand(0).getType()));
    return std::nullopt;
  }
};
} // namespace

std::unique_ptr<TargetSupport> createCpuSupport() {
  return std::make_unique<CpuSupport>();
}

} // namespace gc
