// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Dialect/TensorIR/IR/InPlaceAttr.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc;
using namespace gc::tir;

#include "Dialect/TensorIR/IR/TensorIRDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Dialect/TensorIR/IR/TensorIRTypes.cpp.inc"
static ParseResult parseImplementation(OpAsmParser &parser,
                                       ImplementationAttr &attr) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<Implementation> value = symbolizeImplementation(name);
  if (!value)
    return parser.emitError(loc,
                            "expected library, vector, fixed_point or amx");
  attr = ImplementationAttr::get(parser.getContext(), *value);
  return success();
}

static void printImplementation(OpAsmPrinter &printer, Operation *,
                                ImplementationAttr attr) {
  printer << stringifyImplementation(attr.getValue());
}

#define GET_OP_CLASSES
#include "Dialect/TensorIR/IR/TensorIROps.cpp.inc"

void TensorIRDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Dialect/TensorIR/IR/TensorIROps.cpp.inc"
      >();
  registerAttributes();
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
  if (name == kAtMostOneAttr || name == kBoundedAttr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' takes no value";
    return success();
  }
  if (name == kFoldInputsAttr) {
    if (!isa<DenseI64ArrayAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name << "' must be an array of i64";
    return success();
  }
  if (name == kInPlaceAttr) {
    auto pairs = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
    if (!pairs || pairs.size() % 2 != 0)
      return op->emitOpError() << "'" << name << "' must be pairs of i64";
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

void BrgemmDispatchOp::build(OpBuilder &builder, OperationState &state,
                             const KernelSpec &spec,
                             std::optional<Implementation> implementation,
                             int64_t ahead) {
  MLIRContext *context = builder.getContext();
  build(builder, state, builder.getType<KernelType>(),
        KernelSpecAttr::get(context, spec),
        implementation ? ImplementationAttr::get(context, *implementation)
                       : ImplementationAttr(),
        ahead ? builder.getI64IntegerAttr(ahead) : IntegerAttr());
}

LogicalResult BrgemmDispatchOp::verify() {
  constexpr int64_t kMostBytes = int64_t(1) << 30;
  std::optional<int64_t> ahead = getAhead();
  if (ahead && (*ahead < 1 || *ahead > kMostBytes))
    return emitOpError("(C1) ahead is ")
           << *ahead << ", not from 1 to " << kMostBytes;
  if (ahead && getImplementation().value_or(Implementation::library) ==
                   Implementation::library)
    return emitOpError("(C1) fetches ahead, but is not a generated kernel");
  return success();
}

void BrgemmOp::build(OpBuilder &, OperationState &state, Value kernel,
                     Value batch, Value a, ValueRange aIndices, Value b,
                     ValueRange bIndices, Value c, ValueRange cIndices,
                     Value scales, ValueRange scaleIndices, Value zps) {
  state.addOperands({kernel, batch, a});
  state.addOperands(aIndices);
  state.addOperands(b);
  state.addOperands(bIndices);
  state.addOperands(c);
  state.addOperands(cIndices);
  if (scales)
    state.addOperands(scales);
  state.addOperands(scaleIndices);
  if (zps)
    state.addOperands(zps);
  auto size = [](ValueRange range) {
    return static_cast<int32_t>(range.size());
  };
  llvm::copy(
      ArrayRef<int32_t>({1, 1, 1, size(aIndices), 1, size(bIndices), 1,
                         size(cIndices), 0, 0, scales ? 1 : 0,
                         size(scaleIndices), zps ? 1 : 0}),
      state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
}

std::optional<KernelSpec> BrgemmOp::getSpec() {
  if (auto dispatch = getKernel().getDefiningOp<BrgemmDispatchOp>())
    return dispatch.getSpec();
  return std::nullopt;
}

/// Whether a list can be read as an array of C.
static bool isContiguous(Value list) {
  auto type = cast<MemRefType>(list.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         (strides.empty() || strides.back() == 1);
}

static LogicalResult verifyScales(BrgemmOp op,
                                  const std::optional<KernelSpec> &spec) {
  Value scales = op.getScales(), zps = op.getZps();
  bool wantsScales = spec ? spec->ldScaleB != 0 : static_cast<bool>(scales);
  bool wantsZps = spec ? spec->hasZeroPointsB : static_cast<bool>(zps);
  if (wantsScales != static_cast<bool>(scales) ||
      wantsZps != static_cast<bool>(zps) || (zps && !scales))
    return op.emitOpError("(C5) must have scales and zero points where the "
                          "kernel reads them, and only there");
  size_t rank = scales ? cast<MemRefType>(scales.getType()).getRank() : 0;
  if (op.getScaleIndices().size() != rank)
    return op.emitOpError("(C1) has ")
           << op.getScaleIndices().size() << " indices for scales of rank "
           << rank;
  if (!scales)
    return success();
  auto type = cast<MemRefType>(scales.getType());
  if (!type.getElementType().isF32() || (zps && zps.getType() != type))
    return op.emitOpError("(C5) scales must be f32, and zero points of the "
                          "same type");
  return success();
}

LogicalResult BrgemmOp::verify() {
  std::optional<KernelSpec> spec = getSpec();
  bool byAddress = spec && spec->batch == BatchForm::address;
  struct Operand {
    StringRef name;
    Value buffer;
    OperandRange indices;
    DataType type;
    bool isList;
  };
  KernelSpec types = spec.value_or(KernelSpec());
  Operand operands[] = {{"a", getA(), getAIndices(), types.a, byAddress},
                        {"b", getB(), getBIndices(), types.b, byAddress},
                        {"c", getC(), getCIndices(), types.c, false}};
  for (const Operand &operand : operands) {
    auto type = cast<MemRefType>(operand.buffer.getType());
    if (static_cast<int64_t>(operand.indices.size()) != type.getRank())
      return emitOpError("(C1) has ")
             << operand.indices.size() << " indices for " << operand.name
             << " of rank " << type.getRank();
    if (!spec)
      continue;
    Type expected = operand.isList ? IntegerType::get(getContext(), 64)
                                   : getStorageType(getContext(), operand.type);
    if (type.getElementType() != expected)
      return emitOpError("(C2) element type ")
             << type.getElementType() << " of " << operand.name
             << " is not the kernel's " << expected;
    if (operand.isList && !isContiguous(operand.buffer))
      return emitOpError("(C4) the list ") << operand.name << " has gaps";
  }
  if (static_cast<bool>(getAOffsets()) != static_cast<bool>(getBOffsets()) ||
      (spec &&
       static_cast<bool>(getAOffsets()) != (spec->batch == BatchForm::offset)))
    return emitOpError("(C3) has offsets where blocks are found by offset, and "
                       "only there");
  for (Value list : {getAOffsets(), getBOffsets()})
    if (list && !isContiguous(list))
      return emitOpError("(C4) a list of offsets has gaps");
  return verifyScales(*this, spec);
}

void BrgemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getAMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getCMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getCMutable());
  for (MutableOperandRange list : {getAOffsetsMutable(), getBOffsetsMutable()})
    if (!list.empty())
      effects.emplace_back(MemoryEffects::Read::get(), &list[0]);
  for (MutableOperandRange list : {getScalesMutable(), getZpsMutable()})
    if (!list.empty())
      effects.emplace_back(MemoryEffects::Read::get(), &list[0]);
  // Memory that only addresses lead to, or that nobody knows.
  std::optional<KernelSpec> spec = getSpec();
  if (!spec || spec->batch == BatchForm::address)
    effects.emplace_back(MemoryEffects::Read::get());
}
