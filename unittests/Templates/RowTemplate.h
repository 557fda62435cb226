// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A template of matmul outside of GC: one row of the result after the other,
// element by element, without microkernels. It says that it is cheap for sums
// of one product and expensive for all others.

#ifndef GC_UNITTESTS_TEMPLATES_ROWTEMPLATE_H
#define GC_UNITTESTS_TEMPLATES_ROWTEMPLATE_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Templates.h"

namespace test {

struct RowTemplateStorage;

/// `#test.row_template<unroll = N>`: N products at a time.
class RowTemplateAttr
    : public mlir::Attribute::AttrBase<
          RowTemplateAttr, mlir::Attribute, RowTemplateStorage,
          gc::graph::TemplateAttrInterface::Trait> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "test.row_template";
  static constexpr llvm::StringLiteral getMnemonic() { return "row_template"; }

  int64_t getUnroll() const;

  static llvm::SmallVector<gc::graph::TemplateCandidate>
  getCandidates(mlir::Operation *op, const gc::Machine &machine,
                const gc::graph::TemplateOptions &options, std::string &reason);
  double getCycles(mlir::Operation *op, const gc::Machine &machine,
                   const gc::graph::TemplateOptions &options) const;
  mlir::RankedTensorType getOperandType(mlir::Operation *op,
                                        unsigned operand) const;
  llvm::SmallVector<gc::graph::AnchorInfo>
  getAnchors(mlir::Operation *op) const;
  llvm::LogicalResult verifyTemplate(mlir::Operation *op) const;
};

/// The dialect `test`, for the attribute.
class TestDialect : public mlir::Dialect {
public:
  explicit TestDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "test"; }
  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                 mlir::Type type) const override;
  void printAttribute(mlir::Attribute attr,
                      mlir::DialectAsmPrinter &printer) const override;
};

/// Attaches the emission.
void attachRowTemplateEmission(mlir::MLIRContext *context);

/// The one registration: dialect, template and emission.
void registerRowTemplate(mlir::DialectRegistry &registry);

} // namespace test

MLIR_DECLARE_EXPLICIT_TYPE_ID(test::RowTemplateAttr)
MLIR_DECLARE_EXPLICIT_TYPE_ID(test::TestDialect)

#endif // GC_UNITTESTS_TEMPLATES_ROWTEMPLATE_H
