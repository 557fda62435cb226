// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Syntax and verifiers of all ops of the dialect except the scop itself.

#include "Dialect/Poly/IR/PolyOps.h"
#include "Dialect/Poly/IR/Scop.h"
#include "ScheduleSyntax.h"
#include "ScopText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

#include "Dialect/Poly/IR/PolyDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Dialect/Poly/IR/PolyAttrs.cpp.inc"

void PolyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Poly/IR/PolyAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Dialect/Poly/IR/PolyOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// `input N`, `output N` or `temporary`
static ParseResult parseArrayRole(OpAsmParser &parser, IntegerAttr &input,
                                  IntegerAttr &output) {
  if (succeeded(parser.parseOptionalKeyword("temporary")))
    return success();
  bool isInput = succeeded(parser.parseOptionalKeyword("input"));
  if (!isInput && failed(parser.parseOptionalKeyword("output")))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected 'input', 'output' or 'temporary'");
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  (isInput ? input : output) = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}
static void printArrayRole(OpAsmPrinter &printer, Operation *,
                           IntegerAttr input, IntegerAttr output) {
  if (input)
    printer << "input " << input.getInt();
  else if (output)
    printer << "output " << output.getInt();
  else
    printer << "temporary";
}

/// `reads [@A "map", @B "map"]`, or nothing
static ParseResult parseReads(OpAsmParser &parser, ArrayAttr &arrays,
                              ArrayAttr &maps) {
  SmallVector<Attribute> names, texts;
  if (succeeded(parser.parseOptionalKeyword("reads")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        StringAttr name;
        std::string text;
        if (parser.parseSymbolName(name) || parser.parseString(&text))
          return failure();
        names.push_back(FlatSymbolRefAttr::get(name));
        texts.push_back(parser.getBuilder().getStringAttr(text));
        return success();
      }))
    return failure();
  arrays = parser.getBuilder().getArrayAttr(names);
  maps = parser.getBuilder().getArrayAttr(texts);
  return success();
}
static void printReads(OpAsmPrinter &printer, Operation *op, ArrayAttr arrays,
                       ArrayAttr maps) {
  if (arrays.empty() && maps.empty())
    return;
  printer << "reads [";
  llvm::interleaveComma(llvm::zip(arrays, maps), printer, [&](auto access) {
    printer << std::get<0>(access) << ' ' << std::get<1>(access);
  });
  printer << ']';
}

#define GET_OP_CLASSES
#include "Dialect/Poly/IR/PolyOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ArrayOp::verify() {
  RankedTensorType type = getTensorType();
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return emitOpError() << "(C1) needs a static shape with elements, not "
                         << type;
  Type element = type.getElementType();
  if (!element.isF16() && !element.isF32() && !element.isInteger(1) &&
      !element.isInteger(8) && !element.isInteger(32))
    return emitOpError()
           << "(C2) has elements of " << element
           << ", but the machine has f16, f32, i8 and i32, and bits (i1)";
  if (getInputAttr() && getOutputAttr())
    return emitOpError() << "is an input and an output";
  if (std::optional<PartAttr> part = getPart()) {
    if (isTemporary())
      return emitOpError() << "(C3) is temporary, so it has no part";
    if (static_cast<int64_t>(part->getWhole().size()) != type.getRank())
      return emitOpError() << "(C3) has " << type.getRank()
                           << " dimensions, but is a part of an array of "
                           << part->getWhole().size();
  }
  return success();
}

LogicalResult BufferOp::verify() {
  auto scop = cast<ScopOp>((*this)->getParentOp());
  if (!findArray(scop, getArray()))
    return emitOpError() << "(C1) is of @" << getArray()
                         << ", but the scop has no such array";
  if (!getMemRefType().hasStaticShape())
    return emitOpError() << "(C2) needs a static shape, not " << getType();
  if (getSlots() && static_cast<int64_t>(*getSlots()) < 1)
    return emitOpError() << "(C3) has " << static_cast<int64_t>(*getSlots())
                         << " slots";
  return success();
}

LogicalResult TileOp::verify() {
  isl::Ctx ctx;
  FailureOr<isl::Set> domain =
      readDomain(ctx, *this, getDomain(), getSymName());
  if (failed(domain))
    return failure();
  unsigned count = isl_set_dim(domain->get(), isl_dim_set);
  Block &block = getBody().front();
  if (block.getNumArguments() != count ||
      !llvm::all_of(block.getArgumentTypes(), llvm::IsaPred<IndexType>))
    return emitOpError() << "(C2) has " << count
                         << " coordinates, so its region needs as many "
                            "arguments of type index";
  return success();
}

LogicalResult RefOp::verify() {
  auto scop = (*this)->getParentOfType<ScopOp>();
  Operation *symbol = SymbolTable::lookupSymbolIn(scop, getSymbol());
  auto type = cast<MemRefType>(getMemref().getType());
  if (auto array = dyn_cast_or_null<ArrayOp>(symbol)) {
    if (type.getShape() != array.getTensorType().getShape() ||
        type.getElementType() != array.getTensorType().getElementType())
      return emitOpError() << "(C1) has type " << type << ", but array @"
                           << getSymbol() << " is " << array.getType();
    return success();
  }
  auto buffer = dyn_cast_or_null<BufferOp>(symbol);
  if (!buffer)
    return emitOpError() << "(C1) names @" << getSymbol()
                         << ", but the scop has no such array or buffer";
  if (type != buffer.getMemRefType())
    return emitOpError() << "(C1) has type " << type << ", but buffer @"
                         << getSymbol() << " is " << buffer.getType();
  return success();
}

/// (C2) of a statement.
static LogicalResult verifyAccess(const isl::Ctx &ctx, StatementOp statement,
                                  const isl::Set &domain, StringRef name,
                                  StringRef text, bool mayBePartial = false,
                                  bool isFactor = false) {
  auto emitError = [&] {
    return statement.emitOpError("(C2) access of @") << name << ": ";
  };
  ArrayOp array = findArray(cast<ScopOp>(statement->getParentOp()), name);
  if (!array)
    return emitError() << "the scop has no such array";
  FailureOr<isl::Map> map = readMap(ctx, text, emitError);
  if (failed(map))
    return failure();
  // The rest of these is (C5), which is faster to see.
  if (isFactor)
    return success();
  isl::Set accessed(isl_map_domain(map->copy()));
  if (mayBePartial &&
      isl_set_has_equal_space(accessed.get(), domain.get()) == isl_bool_true)
    accessed = domain.clone();
  if (isl_set_is_equal(accessed.get(), domain.get()) != isl_bool_true &&
      (isl_set_has_equal_space(accessed.get(), domain.get()) != isl_bool_true ||
       isl_set_is_subset(domain.get(), accessed.get()) != isl_bool_true))
    return emitError() << "'" << text
                       << "' is not defined on all of the domain";
  if (isl_map_is_single_valued(map->get()) != isl_bool_true)
    return emitError() << "'" << text << "' is not a function";
  isl::Set touched(isl_set_apply(domain.copy(), map->copy()));
  isl::Set elements = getElements(ctx, array);
  if (mayBePartial && isl_set_is_empty(touched.get()) == isl_bool_true)
    return emitError() << "'" << text << "' reads no element at all";
  if (isl_set_has_equal_space(touched.get(), elements.get()) != isl_bool_true)
    return emitError() << "'" << text << "' does not lead to "
                       << isl_set_dim(elements.get(), isl_dim_set)
                       << " indices of " << name;
  if (isl_set_is_subset(touched.get(), elements.get()) != isl_bool_true)
    return emitError() << "'" << text << "' leads to elements outside of "
                       << array.getType();
  return success();
}

LogicalResult StatementOp::verify() {
  isl::Ctx ctx;
  FailureOr<isl::Set> domain =
      readDomain(ctx, *this, getDomain(), getSymName());
  if (failed(domain))
    return failure();
  if (getReadArrays().size() != getReadMaps().size())
    return emitOpError() << "has " << getReadArrays().size() << " arrays and "
                         << getReadMaps().size() << " maps to read by";
  auto scop = cast<ScopOp>((*this)->getParentOp());
  Block &block = getBody().front();
  if (block.getNumArguments() != getReadArrays().size())
    return emitOpError() << "(C3) reads " << getReadArrays().size()
                         << " elements, but its region has "
                         << block.getNumArguments() << " arguments";
  bool mayReadPads =
      !block.empty() && isa<YieldOp>(block.back()) && isContraction(*this);
  for (auto [reference, map, argument] : llvm::zip(
           getReadArrays().getAsRange<FlatSymbolRefAttr>(),
           getReadMaps().getAsRange<StringAttr>(), block.getArguments())) {
    if (failed(verifyAccess(ctx, *this, *domain, reference.getValue(),
                            map.getValue(), mayReadPads,
                            mayReadPads && getImg2col() &&
                                argument.getArgNumber() < 2)))
      return failure();
    Type element =
        findArray(scop, reference.getValue()).getTensorType().getElementType();
    if (argument.getType() != element)
      return emitOpError() << "(C3) argument " << argument.getArgNumber()
                           << " is " << argument.getType()
                           << ", but elements of @" << reference.getValue()
                           << " are " << element;
  }
  if (failed(
          verifyAccess(ctx, *this, *domain, getWrittenArray(), getWriteMap())))
    return failure();
  auto yield =
      dyn_cast_or_null<YieldOp>(block.empty() ? nullptr : &block.back());
  Type element =
      findArray(scop, getWrittenArray()).getTensorType().getElementType();
  if (!yield || yield.getValue().getType() != element)
    return emitOpError() << "(C3) has to end with poly.yield of " << element
                         << ", as elements of @" << getWrittenArray();
  for (Operation &op : block.without_terminator()) {
    bool isScalar = llvm::all_of(op.getResultTypes(),
                                 [](Type type) { return type.isIntOrFloat(); });
    if (!isScalar || op.getNumRegions() ||
        !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op.getDialect()))
      return emitOpError() << "(C4) has '" << op.getName()
                           << "' in its region; only scalar ops of arith and "
                              "math may be there";
  }
  return getImg2col() ? verifyImg2col(ctx, *this) : success();
}
