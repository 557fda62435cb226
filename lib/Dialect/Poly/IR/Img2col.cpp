// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Equation (1): which elements of images and weights the products of a
// convolution in fractals read.

#include "Dialect/Poly/IR/Scop.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

LogicalResult Img2colAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> kernel,
                                  ArrayRef<int64_t> strides,
                                  ArrayRef<int64_t> pads, int64_t outputWidth) {
  auto isOutside = [](ArrayRef<int64_t> values, int64_t least) {
    return values.size() != 2 || llvm::any_of(values, [&](int64_t value) {
             return value < least || value > 255;
           });
  };
  if (isOutside(kernel, 1) || isOutside(strides, 1) || isOutside(pads, 0))
    return emitError() << "(C1) needs two sizes of the kernel and two strides "
                          "from 1 to 255, and two pads from 0 to 255";
  if (outputWidth < 1)
    return emitError() << "(C2) output_width is " << outputWidth
                       << ", but must be positive";
  return success();
}

int64_t gc::poly::getC0(ArrayOp array) {
  return 32 * 8 / array.getTensorType().getElementTypeBitWidth();
}

/// `S[n, m, o, k]`, or without the image.
static std::string getInstance(StringRef statement, bool hasImages) {
  return (statement + (hasImages ? "[n, m, o, k]" : "[m, o, k]")).str();
}

isl::Map gc::poly::getImageAccess(const isl::Ctx &ctx, Img2colAttr img2col,
                                  StringRef statement, bool hasImages,
                                  ArrayOp image) {
  ArrayRef<int64_t> shape = image.getTensorType().getShape();
  int64_t c0 = getC0(image);
  ArrayRef<int64_t> kernel = img2col.getKernel(),
                    strides = img2col.getStrides(), pads = img2col.getPads();
  std::string h = llvm::formatv(
      "{0} * floor(m / {1}) + ((floor(k / {2})) mod {3}) - {4}", strides[0],
      img2col.getOutputWidth(), c0 * kernel[1], kernel[0], pads[0]);
  std::string w = llvm::formatv(
      "{0} * (m mod {1}) + ((floor(k / {2})) mod {3}) - {4}", strides[1],
      img2col.getOutputWidth(), c0, kernel[1], pads[1]);
  std::string c = llvm::formatv("{0} * floor(k / {1}) + (k mod {0})", c0,
                                c0 * img2col.getTaps());
  return ctx.parseMap(
      llvm::formatv("{{ {0} -> {1}[{2}, h, w, c] : h = {3} and w = {4} and "
                    "c = {5} and 0 <= h < {6} and 0 <= w < {7} and "
                    "0 <= c < {8} }",
                    getInstance(statement, hasImages), image.getSymName(),
                    hasImages ? "n" : "0", h, w, c, shape[1], shape[2],
                    shape[3])
          .str());
}

isl::Map gc::poly::getWeightAccess(const isl::Ctx &ctx, Img2colAttr img2col,
                                   StringRef statement, bool hasImages,
                                   ArrayOp weights) {
  int64_t c0 = getC0(weights);
  return ctx.parseMap(
      llvm::formatv("{{ {0} -> {1}[t, c, o] : t = (floor(k / {2})) mod {3} and "
                    "c = {2} * floor(k / {4}) + (k mod {2}) and 0 <= c < {5} }",
                    getInstance(statement, hasImages), weights.getSymName(), c0,
                    img2col.getTaps(), c0 * img2col.getTaps(),
                    weights.getTensorType().getDimSize(1))
          .str());
}

LogicalResult gc::poly::verifyImg2col(const isl::Ctx &ctx,
                                      StatementOp statement) {
  Img2colAttr img2col = *statement.getImg2col();
  auto emitError = [&] { return statement.emitOpError("(C5) "); };
  if (!isContraction(statement) || statement.getReadArrays().size() != 3)
    return emitError() << "has img2col, but is not a contraction of two arrays";
  auto scop = cast<ScopOp>(statement->getParentOp());
  isl::Set domain = getDomain(ctx, statement);
  unsigned rank = isl_set_dim(domain.get(), isl_dim_set);
  if (rank != 3 && rank != 4)
    return emitError() << "has " << rank
                       << " iteration dimensions; img2col takes [image, row, "
                          "column, term] or [row, column, term]";
  auto getBound = [&](unsigned dim, auto bound) {
    return isl::toInt(isl::Val(bound(domain.copy(), dim)));
  };
  for (unsigned dim = 0; dim < rank; ++dim)
    if (getBound(dim, isl_set_dim_min_val) != 0)
      return emitError() << "iterations of dimension " << dim
                         << " do not begin at 0";
  Block &block = statement.getBody().front();
  if (block.getArgument(0).getType() != block.getArgument(1).getType())
    return emitError() << "multiplies elements of "
                       << block.getArgument(0).getType() << " and "
                       << block.getArgument(1).getType();
  for (unsigned number : {0, 1}) {
    auto name = cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]);
    ArrayOp array = findArray(scop, name.getValue());
    unsigned wanted = number == 0 ? 4 : 3;
    if (array.getTensorType().getRank() != wanted)
      return emitError() << "@" << name.getValue() << " has "
                         << array.getTensorType().getRank()
                         << " dimensions; img2col takes images [n, h, w, c] "
                            "and weights [tap, c, column]";
    // Only height, width and channels end in zeros.
    ArrayRef<int64_t> shape = array.getTensorType().getShape();
    bool isInside = true;
    if (number == 1)
      isInside = shape[0] == img2col.getTaps() &&
                 getBound(rank - 2, isl_set_dim_max_val) < shape[2];
    else if (rank == 4)
      isInside = getBound(0, isl_set_dim_max_val) < shape[0];
    if (!isInside)
      return emitError() << "reads elements outside of @" << name.getValue()
                         << ", which is " << array.getType();
    isl::Map should =
        number == 0 ? getImageAccess(ctx, img2col, statement.getSymName(),
                                     rank == 4, array)
                    : getWeightAccess(ctx, img2col, statement.getSymName(),
                                      rank == 4, array);
    should = isl::Map(isl_map_intersect_domain(should.take(), domain.copy()));
    // What poly-conv-to-fractal writes; other texts may say the same.
    auto text = cast<StringAttr>(statement.getReadMaps()[number]).getValue();
    if (isl::str(should) == text)
      continue;
    isl::Map is(isl_map_intersect_domain(getRead(ctx, statement, number).take(),
                                         domain.copy()));
    if (isl_map_is_equal(is.get(), should.get()) != isl_bool_true)
      return emitError() << "reads @" << name.getValue() << " by "
                         << isl::str(is) << ", but img2col says "
                         << isl::str(should);
  }
  return success();
}
