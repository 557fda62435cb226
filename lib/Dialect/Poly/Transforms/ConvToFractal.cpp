// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions as products of matrices in fractals: equation (1) of the AKG
// paper relates the iterations of the one to those of the other.

#include "Convolution.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Tree.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace gc::poly {
#define GEN_PASS_DEF_POLYCONVTOFRACTAL
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

namespace {
class Converter {
public:
  Converter(const isl::Ctx &ctx, ScopOp scop) : ctx(ctx), scop(scop) {}

  LogicalResult run();

private:
  LogicalResult findMerges(Convolution &convolution);
  LogicalResult mergeAccess(StatementOp statement, StringRef array,
                            const isl::Map &access,
                            SmallVectorImpl<StringRef> &changed);
  LogicalResult rewrite(Convolution &convolution);
  LogicalResult rewriteOther(StatementOp statement);
  FailureOr<std::string> getMergedAccess(StatementOp statement, StringRef array,
                                         const isl::Map &access);
  ArrayOp addView(ArrayOp array, ArrayRef<int64_t> shape, StringRef suffix);
  LogicalResult replaceArray(ArrayOp array, ArrayOp view,
                             StatementOp convolution);
  LogicalResult setPlainSchedule();

  const isl::Ctx &ctx;
  ScopOp scop;
  /// The dimension that becomes one with the dimension after it: of arrays, and
  /// of statements other than convolutions.
  llvm::MapVector<StringRef, unsigned> arrayMerges, statementMerges;
};
} // namespace

//===----------------------------------------------------------------------===//
// Height and width as one dimension
//===----------------------------------------------------------------------===//

LogicalResult Converter::mergeAccess(StatementOp statement, StringRef array,
                                     const isl::Map &access,
                                     SmallVectorImpl<StringRef> &changed) {
  StringRef name = statement.getSymName();
  FailureOr<SmallVector<Index>> indices = getIndices(access);
  auto emitError = [&] {
    return statement.emitOpError()
           << "follows a convolution, whose positions become one dimension, "
              "and uses @"
           << array << " in another way: " << isl::str(access);
  };
  if (failed(indices) || llvm::any_of(*indices, [](const Index &index) {
        return !index.terms.empty() && !index.getDim();
      }))
    return emitError();
  SmallVector<int64_t> extents = getExtents(ctx, statement);
  ArrayRef<int64_t> shape = findArray(scop, array).getTensorType().getShape();
  auto isPair = [&](unsigned index, unsigned dim) {
    return index + 1 < indices->size() && dim + 1 < extents.size() &&
           (*indices)[index].getDim() == dim &&
           (*indices)[index + 1].getDim() == dim + 1 &&
           shape[index] == extents[dim] && shape[index + 1] == extents[dim + 1];
  };
  // From the array to the statement.
  auto merged = arrayMerges.find(array);
  if (merged != arrayMerges.end()) {
    std::optional<unsigned> dim = (*indices)[merged->second].getDim();
    if (!dim || !isPair(merged->second, *dim))
      return emitError();
    auto [it, isNew] = statementMerges.try_emplace(name, *dim);
    if (it->second != *dim)
      return emitError();
    if (isNew)
      changed.push_back(name);
    return success();
  }
  // From the statement to the array.
  auto own = statementMerges.find(name);
  if (own == statementMerges.end())
    return success();
  bool usesPair = false;
  for (auto [number, index] : llvm::enumerate(*indices)) {
    if (index.terms.empty() ||
        (index.getDim() != own->second && index.getDim() != own->second + 1))
      continue;
    if (index.getDim() == own->second) {
      if (usesPair || !isPair(number, own->second))
        return emitError();
      usesPair = true;
      arrayMerges[findArray(scop, array).getSymName()] = number;
      changed.push_back(array);
    } else if (!usesPair) {
      return emitError();
    }
  }
  return success();
}

/// All arrays and statements whose dimensions are those of the convolution's
/// positions.
LogicalResult Converter::findMerges(Convolution &convolution) {
  StatementOp statement = convolution.statement;
  if (!convolution.spatial[0].position || !convolution.spatial[1].position)
    return success();
  arrayMerges[statement.getWrittenArray()] = convolution.images ? 1 : 0;
  SmallVector<StringRef> changed{statement.getWrittenArray()};
  while (!changed.empty()) {
    changed.clear();
    for (auto other : scop.getOps<StatementOp>()) {
      if (other == statement)
        continue;
      if (failed(mergeAccess(other, other.getWrittenArray(),
                             getWrite(ctx, other), changed)))
        return failure();
      for (auto [number, name] : llvm::enumerate(
               other.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
        if (failed(mergeAccess(other, name.getValue(),
                               getRead(ctx, other, number), changed)))
          return failure();
    }
  }
  return success();
}

/// `{ S_2[i0, i1, i2] -> O0[i0, i1, i2] }` with merged dimensions.
FailureOr<std::string> Converter::getMergedAccess(StatementOp statement,
                                                  StringRef array,
                                                  const isl::Map &access) {
  FailureOr<SmallVector<Index>> indices = getIndices(access);
  if (failed(indices))
    return failure();
  unsigned own = statementMerges.lookup(statement.getSymName());
  SmallVector<int64_t> extents = getExtents(ctx, statement);
  std::string from, to;
  for (unsigned dim = 0; dim + 1 < extents.size(); ++dim)
    from += (dim ? ", i" : "i") + std::to_string(dim);
  auto merged = arrayMerges.find(array);
  for (auto [number, index] : llvm::enumerate(*indices)) {
    if (merged != arrayMerges.end() && number == merged->second + 1)
      continue;
    if (!to.empty())
      to += ", ";
    if (std::optional<unsigned> dim = index.getDim())
      to += "i" + std::to_string(*dim > own ? *dim - 1 : *dim);
    else
      to += std::to_string(index.constant);
  }
  return isl::str(
      ctx.parseMap(llvm::formatv("{{ {0}[{1}] -> {2}[{3}] }",
                                 statement.getSymName(), from, array, to)
                       .str()));
}

LogicalResult Converter::rewriteOther(StatementOp statement) {
  if (!statementMerges.contains(statement.getSymName()))
    return success();
  unsigned own = statementMerges.lookup(statement.getSymName());
  Builder b(scop.getContext());
  SmallVector<Attribute> reads;
  for (auto [number, name] : llvm::enumerate(
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>())) {
    FailureOr<std::string> text = getMergedAccess(
        statement, name.getValue(), getRead(ctx, statement, number));
    if (failed(text))
      return failure();
    reads.push_back(b.getStringAttr(*text));
  }
  FailureOr<std::string> write = getMergedAccess(
      statement, statement.getWrittenArray(), getWrite(ctx, statement));
  if (failed(write))
    return failure();
  SmallVector<int64_t> extents = getExtents(ctx, statement);
  extents[own] *= extents[own + 1];
  extents.erase(extents.begin() + own + 1);
  std::string dims, bounds;
  for (auto [dim, size] : llvm::enumerate(extents)) {
    dims += llvm::formatv("{0}i{1}", dim ? ", " : "", dim);
    bounds +=
        llvm::formatv("{0}0 <= i{1} < {2}", dim ? " and " : "", dim, size);
  }
  statement.setDomain(isl::str(ctx.parseSet(
      llvm::formatv("{{ {0}[{1}] : {2} }", statement.getSymName(), dims, bounds)
          .str())));
  statement.setReadMapsAttr(b.getArrayAttr(reads));
  statement.setWriteMap(*write);
  return success();
}

//===----------------------------------------------------------------------===//
// The convolution
//===----------------------------------------------------------------------===//

/// The same array in another shape.
ArrayOp Converter::addView(ArrayOp array, ArrayRef<int64_t> shape,
                           StringRef suffix) {
  SymbolTable symbols(scop);
  OpBuilder b(array);
  auto view = ArrayOp::create(
      b, array.getLoc(), b.getStringAttr(array.getSymName() + suffix),
      array.getInputAttr(), IntegerAttr(), array.getPartAttr(),
      TypeAttr::get(RankedTensorType::get(
          shape, array.getTensorType().getElementType())));
  symbols.insert(view);
  return view;
}

/// Statements that compute the image write and read it in its new shape, which
/// has more dimensions of size 1.
LogicalResult Converter::replaceArray(ArrayOp array, ArrayOp view,
                                      StatementOp convolution) {
  ArrayRef<int64_t> shape = array.getTensorType().getShape();
  std::string from, to;
  unsigned dim = 0;
  for (int64_t size : view.getTensorType().getShape()) {
    bool isOwn = dim < shape.size() && shape[dim] == size;
    std::string index = isOwn ? "a" + std::to_string(dim++) : "0";
    to += (to.empty() ? "" : ", ") + index;
    if (isOwn)
      from += (from.empty() ? "" : ", ") + index;
  }
  if (dim != shape.size())
    return array.emitOpError("is an image in another shape than ")
           << view.getTensorType();
  isl::Map reshape = ctx.parseMap(llvm::formatv("{{ {0}[{1}] -> {2}[{3}] }",
                                                array.getSymName(), from,
                                                view.getSymName(), to)
                                      .str());
  auto replace = [&](isl::Map access) {
    return isl::str(
        isl::Map(isl_map_apply_range(access.take(), reshape.copy())));
  };
  Builder b(scop.getContext());
  for (auto statement : scop.getOps<StatementOp>()) {
    if (statement == convolution)
      continue;
    if (statement.getWrittenArray() == array.getSymName()) {
      statement.setWriteMap(replace(getWrite(ctx, statement)));
      statement.setWrittenArray(view.getSymName());
    }
    SmallVector<Attribute> arrays(statement.getReadArrays().getValue()),
        maps(statement.getReadMaps().getValue());
    for (auto [number, name] : llvm::enumerate(arrays)) {
      if (cast<FlatSymbolRefAttr>(name).getValue() != array.getSymName())
        continue;
      maps[number] = b.getStringAttr(replace(getRead(ctx, statement, number)));
      name = FlatSymbolRefAttr::get(view.getSymNameAttr());
    }
    statement.setReadArraysAttr(b.getArrayAttr(arrays));
    statement.setReadMapsAttr(b.getArrayAttr(maps));
  }
  return success();
}

LogicalResult Converter::rewrite(Convolution &convolution) {
  StatementOp statement = convolution.statement;
  StringRef name = statement.getSymName();
  const SpatialDim &height = convolution.spatial[0],
                   &width = convolution.spatial[1];
  SmallVector<int64_t> extents = getExtents(ctx, statement);
  int64_t images = convolution.images ? extents[*convolution.images] : 1;
  int64_t columns = extents[convolution.columns];
  ArrayOp image = addView(
      convolution.image,
      {images, height.size, width.size, convolution.channelCount}, "_image");
  ArrayOp weights = addView(
      convolution.weights,
      {convolution.getTaps(), convolution.channelCount, columns}, "_taps");
  if (image.isTemporary() &&
      failed(replaceArray(convolution.image, image, statement)))
    return failure();
  auto img2col = Img2colAttr::getChecked(
      [&] { return statement.emitOpError(); }, scop.getContext(),
      ArrayRef<int64_t>{height.kernel, width.kernel},
      ArrayRef<int64_t>{height.stride, width.stride},
      ArrayRef<int64_t>{height.pad, width.pad}, width.output);
  if (!img2col)
    return failure();
  bool hasImages = convolution.images.has_value();
  int64_t c0 = getC0(image);
  int64_t terms = llvm::divideCeil(convolution.channelCount, c0) * c0 *
                  convolution.getTaps();
  std::string tuple = (name + (hasImages ? "[n, m, o, k]" : "[m, o, k]")).str();
  std::string domain = llvm::formatv(
      "{{ {0} : {1}0 <= m < {2} and 0 <= o < {3} and 0 <= k < {4} }", tuple,
      hasImages ? llvm::formatv("0 <= n < {0} and ", images).str()
                : std::string(),
      height.output * width.output, columns, terms);
  StringRef sums = statement.getWrittenArray();
  std::string write = llvm::formatv("{{ {0} -> {1}[{2}m, o] }", tuple, sums,
                                    hasImages ? "n, " : "");
  Builder b(scop.getContext());
  SmallVector<Attribute> arrays, maps;
  bool hasImage = false;
  for (auto array : statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()) {
    isl::Map map;
    if (array.getValue() == sums) {
      map = ctx.parseMap(write);
    } else {
      ArrayOp own = std::exchange(hasImage, true) ? weights : image;
      map = own == image
                ? getImageAccess(ctx, img2col, name, hasImages, image)
                : getWeightAccess(ctx, img2col, name, hasImages, weights);
      map = isl::Map(
          isl_map_intersect_domain(map.take(), ctx.parseSet(domain).take()));
      array = FlatSymbolRefAttr::get(own.getSymNameAttr());
    }
    arrays.push_back(array);
    maps.push_back(b.getStringAttr(isl::str(map)));
  }
  statement.setDomain(isl::str(ctx.parseSet(domain)));
  statement.setReadArraysAttr(b.getArrayAttr(arrays));
  statement.setReadMapsAttr(b.getArrayAttr(maps));
  statement.setWriteMap(isl::str(ctx.parseMap(write)));
  statement.setImg2colAttr(img2col);
  return success();
}

/// Statements one after the other, each with loops of its own: what extraction
/// leaves too.
LogicalResult Converter::setPlainSchedule() {
  isl::Schedule schedule;
  for (auto statement : scop.getOps<StatementOp>())
    appendStatement(schedule, getDomain(ctx, statement));
  return setSchedule(ctx, scop, schedule, "fractals cannot be scheduled");
}

LogicalResult Converter::run() {
  SmallVector<Convolution> convolutions;
  for (auto statement : scop.getOps<StatementOp>()) {
    FailureOr<std::optional<Convolution>> own =
        recogniseConvolution(ctx, scop, statement);
    if (failed(own))
      return failure();
    if (*own)
      convolutions.push_back(**own);
  }
  if (convolutions.empty())
    return success();
  if (convolutions.size() > 1)
    return convolutions[1].statement.emitOpError()
           << "is the second convolution of a scop; one is supported";
  Convolution &convolution = convolutions.front();
  if (failed(findMerges(convolution)))
    return failure();
  for (auto statement : scop.getOps<StatementOp>())
    if (statement != convolution.statement && failed(rewriteOther(statement)))
      return failure();
  if (failed(rewrite(convolution)))
    return failure();
  for (auto array : llvm::make_early_inc_range(scop.getOps<ArrayOp>())) {
    auto merged = arrayMerges.find(array.getSymName());
    if (merged != arrayMerges.end()) {
      RankedTensorType type = array.getTensorType();
      SmallVector<int64_t> shape(type.getShape());
      shape[merged->second] *= shape[merged->second + 1];
      shape.erase(shape.begin() + merged->second + 1);
      array.setType(type.clone(shape));
    }
    bool isUsed =
        llvm::any_of(scop.getOps<StatementOp>(), [&](StatementOp statement) {
          return statement.getWrittenArray() == array.getSymName() ||
                 llvm::any_of(
                     statement.getReadArrays().getAsRange<FlatSymbolRefAttr>(),
                     [&](FlatSymbolRefAttr name) {
                       return name.getValue() == array.getSymName();
                     });
        });
    if (!isUsed && (array == convolution.image || array == convolution.weights))
      array.erase();
  }
  return setPlainSchedule();
}

namespace {
struct PolyConvToFractalPass
    : gc::poly::impl::PolyConvToFractalBase<PolyConvToFractalPass> {
  void runOnOperation() override {
    isl::Ctx ctx;
    if (failed(Converter(ctx, getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
