// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphDialect.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/NamedDims.h"
#include "Dialect/Graph/IR/PartitionAttrs.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "GroupedDequantize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gc::graph;

#include "Dialect/Graph/IR/GraphDialect.cpp.inc"

void GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Dialect/Graph/IR/GraphOps.cpp.inc"
      >();
  registerAttributes();
  attachGroupedDequantize(getContext());
  addTemplates(templates);
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned regionIndex,
                                                     unsigned argIndex,
                                                     NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kConstArgAttr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' of argument " << argIndex
                               << " takes no value";
    return success();
  }
  if (name == kNameAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' of argument " << argIndex
                               << " must be a string";
    return success();
  }
  if (name == kFoldedAttr) {
    if (!isa<IntegerAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' of argument " << argIndex
                               << " must be an integer";
    return success();
  }
  if (name == kDimsAttr) {
    // With the attribute, the function is verified as a whole.
    if (!isa<FunctionOpInterface>(op) || !op->hasAttr(kDimBoundsAttr))
      return op->emitOpError()
             << "'" << name << "' of argument " << argIndex << " needs '"
             << kDimBoundsAttr << "' of a function";
    return success();
  }
  return op->emitOpError() << "argument " << argIndex
                           << " has an unknown attribute '" << name << "'";
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op,
                                                        unsigned regionIndex,
                                                        unsigned resultIndex,
                                                        NamedAttribute attr) {
  StringRef name = attr.getName();
  auto fail = [&] {
    return op->emitOpError() << "'" << name << "' of result " << resultIndex;
  };
  if (name == kNameAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return fail() << " must be a string";
    return success();
  }
  if (name == kDimsAttr)
    return fail() << " is not supported: sizes of results follow from the "
                     "arguments";
  return op->emitOpError() << "result " << resultIndex
                           << " has an unknown attribute '" << name << "'";
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kAnchorAttr) {
    if (!isa<AnchorAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' must be a #graph.anchor";
    if (!isa<FusibleOpInterface>(op))
      return op->emitOpError() << "'" << name << "' is only for fusible ops";
    return success();
  }
  if (name == kWhereReadAttr) {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<FusibleOpInterface>(op))
      return op->emitOpError()
             << "'" << name << "' takes no value and is for fusible ops";
    return success();
  }
  if (name == kConstantAttr || name == kEntryAttr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' takes no value";
    return success();
  }
  if (name == kMergeGroupAttr) {
    if (!isa<IntegerAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' must be an integer";
    return success();
  }
  if (name == kMergeRowsAttr) {
    if (!isa<UnitAttr>(attr.getValue()) || !op->hasAttr(kMergeGroupAttr))
      return op->emitOpError() << "'" << name << "' takes no value and needs '"
                               << kMergeGroupAttr << "'";
    return success();
  }
  if (name == kCostAttr) {
    if (!isa<CostAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' must be a #graph.cost";
    if (!isa<FusedOp, FunctionOpInterface>(op))
      return op->emitOpError()
             << "'" << name << "' is only for graph.fused_op and functions";
    return success();
  }
  if (name == kScheduleAttr) {
    if (!isa<ScheduleAttr>(attr.getValue()) || !isa<FusedOp>(op))
      return op->emitOpError()
             << "'" << name << "' is a #graph.schedule of a graph.fused_op";
    return success();
  }
  if (name == kFoldFunctionAttr) {
    if (!isa<FlatSymbolRefAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' must be a symbol";
    return success();
  }
  if (name == kDimBoundsAttr) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return op->emitOpError() << "'" << name << "' is only for functions";
    return verifyNamedDims(function);
  }
  if (name == kPartitionAttr) {
    auto index = dyn_cast<IntegerAttr>(attr.getValue());
    if (!index || !index.getType().isInteger(64) || index.getInt() < 0)
      return op->emitOpError()
             << "'" << name << "' must be the index of a partition, an i64";
    return success();
  }
  if (name == kPartitionSupportAttr) {
    if (!isa<DenseBoolArrayAttr>(attr.getValue()) ||
        !isa<FunctionOpInterface>(op))
      return op->emitOpError()
             << "'" << name << "' is an array of i1 and for functions";
    return success();
  }
  if (name == kUnknownKindAttr) {
    if (!isa<StringAttr>(attr.getValue()) || !isa<WildcardOp>(op))
      return op->emitOpError()
             << "'" << name << "' is a string and for graph.wildcard";
    return success();
  }
  return op->emitOpError() << "has an unknown attribute '" << name << "'";
}
