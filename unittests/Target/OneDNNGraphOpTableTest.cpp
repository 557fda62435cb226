// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table of imported ops against the dialect: a row that does not fit its op
// and an op without a row fail here.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/OpTable.h"
#include "Kinds.h"
#include "Target/OneDNNGraph/GraphFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace gc::graph;
using gc::onednn::normalizeKind;

namespace {

class OpTable : public ::testing::Test {
protected:
  OpTable() : builder(&context) {
    context.loadDialect<func::FuncDialect, gc::graph::GraphDialect>();
  }

  /// An op without operands and results, never verified.
  OwningOpRef<Operation *> make(StringRef name,
                                ArrayRef<NamedAttribute> attrs = {}) {
    OperationState state(builder.getUnknownLoc(), name);
    state.addAttributes(attrs);
    return Operation::create(state);
  }

  /// A value of the type that is not the default of any op.
  Attribute getSample(AttrType type) {
    switch (type) {
    case AttrType::Bool:
      return builder.getBoolAttr(true);
    case AttrType::S64:
      return builder.getI64IntegerAttr(12345);
    case AttrType::S64List:
      return builder.getDenseI64ArrayAttr({1, 23, 45});
    case AttrType::F32:
      return builder.getF32FloatAttr(1.5f);
    case AttrType::F32List:
      return builder.getDenseF32ArrayAttr({1.5f, 2.5f});
    case AttrType::String:
      return builder.getStringAttr("sample");
    }
    return {};
  }

  MLIRContext context;
  Builder builder;
};

TEST_F(OpTable, RowsFitTheDialect) {
  for (const OpSpec &spec : getOpTable()) {
    SCOPED_TRACE(spec.kind.str());
    auto name = RegisteredOperationName::lookup(spec.opName, &context);
    ASSERT_TRUE(name) << spec.opName.str() << " is not an op";
    EXPECT_LE(getLeast(spec.operands), getMost(spec.operands));
    EXPECT_LE(getLeast(spec.results), getMost(spec.results));
    OwningOpRef<Operation *> bare = make(spec.opName);
    for (const AttrSpec &attr : spec.attrs) {
      if (attr.use == AttrUse::Hint)
        continue;
      SCOPED_TRACE(attr.name.str());
      ASSERT_TRUE(
          llvm::any_of(name->getAttributeNames(), [&](StringAttr known) {
            return known == attr.name.str();
          }));
      Attribute sample = getSample(attr.type);
      OwningOpRef<Operation *> op =
          make(spec.opName, builder.getNamedAttr(attr.name, sample));
      EXPECT_EQ((*op)->getAttr(attr.name), sample);
      // What may be missing in a file has a default in the dialect.
      if (attr.use == AttrUse::Optional) {
        EXPECT_TRUE((*bare)->getAttr(attr.name));
      }
    }
  }
}

TEST_F(OpTable, EveryOpHasARow) {
  // Ops that the specification does not have.
  const std::set<std::string> own = {
      "graph.attention", "graph.constant",    "graph.erf",     "graph.fused_op",
      "graph.gather",    "graph.random_mask", "graph.windows", "graph.yield"};
  std::set<std::string> rows, kinds;
  for (const OpSpec &spec : getOpTable()) {
    EXPECT_TRUE(rows.insert(spec.opName.str()).second) << spec.opName.str();
    EXPECT_EQ(spec.kind.empty(), own.count(spec.opName.str()) == 1)
        << spec.opName.str();
    if (!spec.kind.empty())
      EXPECT_TRUE(kinds.insert(spec.kind.lower()).second) << spec.kind.str();
  }
  for (RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("graph"))
    EXPECT_TRUE(rows.count(name.getStringRef().str()))
        << name.getStringRef().str();
}

TEST(OpTableNames, CaseDoesNotMatter) {
  ASSERT_TRUE(gc::onednn::findOp("MatMul"));
  EXPECT_EQ(gc::onednn::findOp("matmul"), gc::onednn::findOp("MatMul"));
  EXPECT_EQ(gc::onednn::findOp("MATMUL"), gc::onednn::findOp("MatMul"));
  EXPECT_FALSE(gc::onednn::findOp("MatMu"));
  EXPECT_FALSE(gc::onednn::findOp("MatMul "));
  EXPECT_FALSE(gc::onednn::findOp(""));
}

TEST(OpTableNames, OldNames) {
  EXPECT_EQ(normalizeKind("BiasAddBackprop"), "BiasAddBackward");
  EXPECT_EQ(normalizeKind("SoftMaxBackProp"), "SoftMaxBackward");
  EXPECT_EQ(normalizeKind("ConvolutionBackpropData"),
            "ConvolutionBackwardData");
  EXPECT_EQ(normalizeKind("ConvolutionBackpropFilters"),
            "ConvolutionBackwardWeights");
  EXPECT_EQ(normalizeKind("ConvTransposeBackpropFilters"),
            "ConvTransposeBackwardWeights");
  EXPECT_EQ(normalizeKind("ReLU"), "ReLU");
}

} // namespace
