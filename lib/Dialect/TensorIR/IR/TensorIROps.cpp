// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc::tir;

#include "Dialect/TensorIR/IR/TensorIRDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Dialect/TensorIR/IR/TensorIRTypes.cpp.inc"
#define GET_OP_CLASSES
#include "Dialect/TensorIR/IR/TensorIROps.cpp.inc"

void TensorIRDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Dialect/TensorIR/IR/TensorIROps.cpp.inc"
      >();
  registerTypes();
}

void TensorIRDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Dialect/TensorIR/IR/TensorIRTypes.cpp.inc"
      >();
}

LogicalResult TensorIRDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kEntryAttr || name == kRoleAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' must be a string";
    return success();
  }
  if (name == kAtMostOneAttr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' takes no value";
    return success();
  }
  if (name == kFoldInputsAttr) {
    if (!isa<DenseI64ArrayAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' must be an array of i64";
    return success();
  }
  StringRef counts[] = {kInputsAttr, kOutputsAttr,     kFoldedAttr,
                        kArenaAttr,  kThreadArenaAttr, kMergeAttr};
  if (!llvm::is_contained(counts, name))
    return op->emitOpError() << "has an unknown attribute '" << name << "'";
  if (auto count = dyn_cast<IntegerAttr>(attr.getValue());
      !count || count.getInt() < 0)
    return op->emitOpError()
           << "'" << name << "' must be an integer of 0 or more";
  return success();
}

//===----------------------------------------------------------------------===//
// parallel
//===----------------------------------------------------------------------===//

void ParallelOp::build(
    OpBuilder &builder, OperationState &state, ArrayRef<int64_t> sizes,
    function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  state.addAttribute(getSizesAttrName(state.name),
                     builder.getDenseI64ArrayAttr(sizes));
  Region *region = state.addRegion();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(sizes.size(), builder.getIndexType());
  SmallVector<Location> locs(sizes.size(), state.location);
  Block *block = builder.createBlock(region, {}, types, locs);
  if (body)
    body(builder, state.location, block->getArguments());
  ensureTerminator(*region, builder, state.location);
}

/// tir.parallel (%i, %j) in (2, 4) nowait { ... }
ParseResult ParallelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<int64_t> sizes;
  auto parseSize = [&] { return parser.parseInteger(sizes.emplace_back()); };
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseSize))
    return failure();
  Builder &builder = parser.getBuilder();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = builder.getIndexType();
  result.addAttribute(getSizesAttrName(result.name),
                      builder.getDenseI64ArrayAttr(sizes));
  if (succeeded(parser.parseOptionalKeyword("nowait")))
    result.addAttribute(getNowaitAttrName(result.name), builder.getUnitAttr());
  Region *region = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*region, arguments))
    return failure();
  ensureTerminator(*region, builder, result.location);
  return success();
}

void ParallelOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument arg) { printer.printRegionArgument(arg, {}, true); });
  printer << ") in (" << getSizes() << ")";
  if (getNowait())
    printer << " nowait";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSizesAttrName(), getNowaitAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

SmallVector<Region *> ParallelOp::getLoopRegions() { return {&getBody()}; }

LogicalResult ParallelOp::verify() {
  if (getBody().getNumArguments() != getSizes().size() ||
      llvm::any_of(getBody().getArgumentTypes(),
                   [](Type type) { return !type.isIndex(); }))
    return emitOpError("(C1) needs one index argument per size");
  if (llvm::any_of(getSizes(), [](int64_t size) { return size < 1; }))
    return emitOpError("(C2) sizes must be at least 1");
  if ((*this)->getParentOfType<ParallelOp>())
    return emitOpError("(C3) parallel loops cannot be nested");
  return success();
}

//===----------------------------------------------------------------------===//
// scratch
//===----------------------------------------------------------------------===//

LogicalResult ScratchOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return emitOpError("(C1) needs a static shape and the identity layout");
  if (!type.getElementType().isIntOrFloat() || type.getMemorySpace())
    return emitOpError("(C2) needs integers or floating-point numbers in the "
                       "default memory space");
  if (!getPerThread() && (*this)->getParentOfType<ParallelOp>())
    return emitOpError("(C3) must be 'per_thread' inside tir.parallel");
  return success();
}

//===----------------------------------------------------------------------===//
// brgemm
//===----------------------------------------------------------------------===//

LogicalResult BrgemmDispatchOp::verify() {
  auto isLess = [](uint64_t a, uint64_t b) {
    return static_cast<int64_t>(a) < static_cast<int64_t>(b);
  };
  if (isLess(getM(), 1) || isLess(getN(), 1) || isLess(getK(), 1))
    return emitOpError("(C1) m, n, k must be at least 1");
  if (isLess(getLda(), getK()) || isLess(getLdb(), getN()) ||
      isLess(getLdc(), getN()))
    return emitOpError("(C2) needs lda >= k, ldb >= n and ldc >= n");
  if (getBeta() > 1)
    return emitOpError("(C3) beta must be 0 or 1");
  return success();
}

LogicalResult BrgemmOp::verify() {
  auto dispatch = getKernel().getDefiningOp<BrgemmDispatchOp>();
  std::tuple<StringRef, Value, OperandRange> operands[] = {
      {"a", getA(), getAIndices()},
      {"b", getB(), getBIndices()},
      {"c", getC(), getCIndices()}};
  for (auto [name, buffer, indices] : operands) {
    auto type = cast<MemRefType>(buffer.getType());
    if (static_cast<int64_t>(indices.size()) != type.getRank())
      return emitOpError("(C1) has ") << indices.size() << " indices for "
                                      << name << " of rank " << type.getRank();
    if (dispatch && type.getElementType() != dispatch.getType())
      return emitOpError("(C2) element type ")
             << type.getElementType() << " of " << name
             << " is not the kernel's " << dispatch.getType();
  }
  return success();
}

void BrgemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getAMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getCMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getCMutable());
}
