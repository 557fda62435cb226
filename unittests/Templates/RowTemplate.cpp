// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowTemplate.h"
#include "mlir/IR/DialectImplementation.h"

using namespace gc::graph;
using namespace mlir;
using namespace test;

MLIR_DEFINE_EXPLICIT_TYPE_ID(test::RowTemplateAttr)
MLIR_DEFINE_EXPLICIT_TYPE_ID(test::TestDialect)

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

struct test::RowTemplateStorage : public AttributeStorage {
  using KeyTy = int64_t;
  explicit RowTemplateStorage(int64_t unroll) : unroll(unroll) {}
  bool operator==(KeyTy key) const { return key == unroll; }
  static RowTemplateStorage *construct(AttributeStorageAllocator &allocator,
                                       KeyTy key) {
    return new (allocator.allocate<RowTemplateStorage>())
        RowTemplateStorage(key);
  }
  int64_t unroll;
};

int64_t RowTemplateAttr::getUnroll() const { return getImpl()->unroll; }

SmallVector<TemplateCandidate>
RowTemplateAttr::getCandidates(Operation *op, const gc::Machine &machine,
                               const TemplateOptions &options,
                               std::string &reason) {
  auto matmul = cast<MatmulOp>(op);
  if (matmul.getTransposeA() || matmul.getTransposeB() || matmul.getBias() ||
      matmul.getSrc().getType().getRank() != 2 ||
      matmul.getWeights().getType().getRank() != 2 ||
      !matmul.getType().hasStaticShape()) {
    reason = "row_template is for plain matrices";
    return {};
  }
  // Neighbours cannot join its loops.
  if (options.rowParts)
    return {};
  SmallVector<TemplateCandidate> candidates;
  for (int64_t unroll : {1, 2}) {
    if (getMatmulSizes(matmul).k % unroll != 0)
      continue;
    auto attr = get(op->getContext(), unroll);
    candidates.push_back({attr, attr.getCycles(op, machine, options)});
  }
  llvm::sort(candidates,
             [](const auto &a, const auto &b) { return a.cycles < b.cycles; });
  candidates.truncate(
      std::min<size_t>(candidates.size(), 1 + options.alternatives));
  return candidates;
}

double RowTemplateAttr::getCycles(Operation *op, const gc::Machine &,
                                  const TemplateOptions &) const {
  MatmulSizes sizes = getMatmulSizes(cast<MatmulOp>(op));
  return sizes.k == 1 ? 0 : 1e12 / getUnroll();
}

RankedTensorType RowTemplateAttr::getOperandType(Operation *op,
                                                 unsigned operand) const {
  return cast<RankedTensorType>(dropLayout(op->getOperand(operand).getType()));
}

SmallVector<AnchorInfo> RowTemplateAttr::getAnchors(Operation *op) const {
  MatmulSizes sizes = getMatmulSizes(cast<MatmulOp>(op));
  // A row is complete in each iteration of the parallel loop.
  return {{AnchorKind::post, /*index=*/1, /*operand=*/0, /*order=*/1,
           /*depth=*/0, /*slice=*/{1, sizes.n}, /*workingSet=*/sizes.n,
           /*accessTimes=*/1, /*totalAccess=*/sizes.n, /*isFeasible=*/true}};
}

LogicalResult RowTemplateAttr::verifyTemplate(Operation *op) const {
  if (getMatmulSizes(cast<MatmulOp>(op)).k % getUnroll() == 0)
    return success();
  return op->emitOpError("has a row_template whose products are not a multiple "
                         "of ")
         << getUnroll();
}

//===----------------------------------------------------------------------===//
// The dialect and the registration
//===----------------------------------------------------------------------===//

TestDialect::TestDialect(MLIRContext *context)
    : Dialect("test", context, TypeID::get<TestDialect>()) {
  addAttributes<RowTemplateAttr>();
}

Attribute TestDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  int64_t unroll;
  if (parser.parseKeyword("row_template") || parser.parseLess() ||
      parser.parseKeyword("unroll") || parser.parseEqual() ||
      parser.parseInteger(unroll) || parser.parseGreater())
    return {};
  return RowTemplateAttr::get(getContext(), unroll);
}

void TestDialect::printAttribute(Attribute attr,
                                 DialectAsmPrinter &printer) const {
  printer << "row_template<unroll = " << cast<RowTemplateAttr>(attr).getUnroll()
          << ">";
}

void test::registerRowTemplate(DialectRegistry &registry) {
  registry.insert<TestDialect>();
  registry.addExtension(+[](MLIRContext *context, GraphDialect *graph,
                            TestDialect *) {
    graph->getTemplates().add<RowTemplateAttr>(MatmulOp::getOperationName());
    attachRowTemplateEmission(context);
  });
}
