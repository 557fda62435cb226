// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphAttrs.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc::graph;

#include "Dialect/Graph/IR/GraphEnums.cpp.inc"

#include "Dialect/Graph/IR/GraphAttrInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Dialect/Graph/IR/GraphAttrs.cpp.inc"

void GraphDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Graph/IR/GraphAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

int64_t LayoutAttr::getBlock(int64_t dim) const {
  int64_t block = 1;
  for (auto [d, b] : llvm::zip_equal(getInnerDims(), getInnerBlocks()))
    if (d == dim)
      block *= b;
  return block;
}

SmallVector<int64_t>
LayoutAttr::getPhysicalShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> physical;
  for (int64_t dim : getOuter())
    physical.push_back(llvm::divideCeil(shape[dim], getBlock(dim)));
  llvm::append_range(physical, getInnerBlocks());
  return physical;
}

static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return {};
  auto kind = symbolizeLayoutKind(keyword);
  if (!kind) {
    parser.emitError(loc, "expected a layout: strided, blocked or any");
    return {};
  }
  SmallVector<int64_t> strides, outer, innerDims, innerBlocks;
  if (*kind == LayoutKind::strided) {
    if (parser.parseComma() || parseIntegers(parser, strides))
      return {};
  } else if (*kind == LayoutKind::blocked) {
    if (parser.parseComma() || parser.parseKeyword("outer") ||
        parser.parseEqual() || parseIntegers(parser, outer))
      return {};
    if (succeeded(parser.parseOptionalComma())) {
      auto parseBlock = [&]() -> ParseResult {
        return failure(parser.parseInteger(innerDims.emplace_back()) ||
                       parser.parseColon() ||
                       parser.parseInteger(innerBlocks.emplace_back()));
      };
      if (parser.parseKeyword("inner") || parser.parseEqual() ||
          parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                         parseBlock))
        return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *kind, strides, outer, innerDims,
             innerBlocks);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyLayoutKind(getKind());
  if (isStrided())
    printer << ", [" << getStrides() << "]";
  if (isBlocked()) {
    printer << ", outer = [" << getOuter() << "]";
    if (!getInnerDims().empty()) {
      printer << ", inner = [";
      llvm::interleaveComma(llvm::zip_equal(getInnerDims(), getInnerBlocks()),
                            printer, [&](auto pair) {
                              printer << std::get<0>(pair) << " : "
                                      << std::get<1>(pair);
                            });
      printer << "]";
    }
  }
  printer << ">";
}

/// Whether (sizes[i] - 1) * strides[i] over all i stay in what memory can hold.
static bool isAddressable(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  constexpr int64_t kLimit = int64_t(1) << 46;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    int64_t distance;
    if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), stride, distance) ||
        llvm::AddOverflow(last, distance, last) || last >= kLimit)
      return false;
  }
  return true;
}

/// The same for the product of sizes.
static bool isAddressable(ArrayRef<int64_t> sizes) {
  constexpr int64_t kLimit = int64_t(1) << 46;
  int64_t count = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(count, std::max<int64_t>(size, 1), count) ||
        count > kLimit)
      return false;
  return true;
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> error) const {
  if (isAny())
    return success();
  auto reportSize = [&] {
    return error() << "(C7) the layout has more than 2^46 elements";
  };
  int64_t rank = shape.size();
  if (rank == 0 || ShapedType::isDynamicShape(shape))
    return error() << "(C6) a " << stringifyLayoutKind(getKind())
                   << " layout needs a static shape of rank 1 or more";
  if (isStrided()) {
    if (static_cast<int64_t>(getStrides().size()) != rank ||
        llvm::any_of(getStrides(), [](int64_t s) { return s < 0; }))
      return error() << "(C1) a strided layout of a tensor of rank " << rank
                     << " needs " << rank << " non-negative strides";
    if (!isAddressable(shape, getStrides()))
      return reportSize();
    bool plain = true;
    for (auto [size, stride, expected] :
         llvm::zip_equal(shape, getStrides(), getPlainStrides(shape)))
      plain &= size == 1 || stride == expected;
    if (plain)
      return error() << "(C2) the strides are row-major: write the plain "
                        "layout without an encoding";
    return success();
  }
  SmallVector<bool> seen(rank, false);
  for (int64_t dim : getOuter()) {
    if (dim < 0 || dim >= rank || seen[dim])
      return error() << "(C3) outer = [" << getOuter()
                     << "] is not a permutation of " << rank << " dimensions";
    seen[dim] = true;
  }
  if (static_cast<int64_t>(getOuter().size()) != rank)
    return error() << "(C3) outer = [" << getOuter()
                   << "] is not a permutation of " << rank << " dimensions";
  for (auto [dim, block] : llvm::zip_equal(getInnerDims(), getInnerBlocks())) {
    if (dim < 0 || dim >= rank)
      return error() << "(C4) inner dimension " << dim
                     << " is out of range for rank " << rank;
    if (block < 1)
      return error() << "(C4) inner block " << block << " of dimension " << dim
                     << " is less than 1";
  }
  if (getInnerDims().empty() && llvm::is_sorted(getOuter()))
    return error() << "(C5) the layout is row-major: write the plain layout "
                      "without an encoding";
  if (!isAddressable(getInnerBlocks()) ||
      !isAddressable(getPhysicalShape(shape)))
    return reportSize();
  return success();
}

//===----------------------------------------------------------------------===//
// CostAttr
//===----------------------------------------------------------------------===//

LogicalResult CostAttr::verify(function_ref<InFlightDiagnostic()> error,
                               int64_t cycles, int64_t flops, int64_t bytes,
                               Bound) {
  if (cycles < 0 || flops < 0 || bytes < 0)
    return error() << "(C1) a cost must not be negative";
  return success();
}
