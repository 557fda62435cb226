// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which contractions are convolutions, by the linear functions by which they
// read.

#include "Convolution.h"
#include "Tree.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

SmallVector<int64_t> gc::poly::getExtents(const isl::Ctx &ctx,
                                          StatementOp statement) {
  SmallVector<int64_t> extents;
  unsigned rank = isl_set_dim(getDomain(ctx, statement).get(), isl_dim_set);
  for (unsigned dim = 0; dim < rank; ++dim)
    extents.push_back(getExtent(ctx, statement, dim));
  return extents;
}

FailureOr<SmallVector<Index>> gc::poly::getIndices(const isl::Map &access) {
  SmallVector<Index> indices;
  unsigned pieces = 0;
  isl::PwMultiAff function(isl_pw_multi_aff_from_map(access.copy()));
  auto visit = [&](isl::Set, isl::MultiAff piece) -> LogicalResult {
    if (++pieces > 1)
      return failure();
    for (int i = 0, e = isl_multi_aff_size(piece.get()); i < e; ++i) {
      isl::Aff aff(isl_multi_aff_get_at(piece.get(), i));
      auto constant = isl::toInt(isl::Val(isl_aff_get_constant_val(aff.get())));
      if (!constant || isl_aff_dim(aff.get(), isl_dim_div) != 0)
        return failure();
      Index index;
      index.constant = *constant;
      for (int d = 0, rank = isl_aff_dim(aff.get(), isl_dim_in); d < rank;
           ++d) {
        auto factor = isl::toInt(
            isl::Val(isl_aff_get_coefficient_val(aff.get(), isl_dim_in, d)));
        if (!factor)
          return failure();
        if (*factor != 0)
          index.terms.push_back({d, *factor});
      }
      indices.push_back(std::move(index));
    }
    return success();
  };
  if (!function || failed(isl::forEachPiece(function, visit)) || pieces != 1)
    return failure();
  return indices;
}

/// Which of the image's dimensions are images, height, width and channels.
static LogicalResult readSpatial(const isl::Ctx &ctx, Convolution &convolution,
                                 ArrayRef<Index> indices,
                                 ArrayRef<Index> written) {
  StatementOp statement = convolution.statement;
  auto emitError = [&] {
    return statement.emitOpError() << "is a convolution that cannot become a "
                                      "product of fractals: ";
  };
  ArrayRef<int64_t> shape = convolution.image.getTensorType().getShape();
  SmallVector<int64_t> extents = getExtents(ctx, statement);
  auto isWritten = [&](unsigned dim) {
    return llvm::any_of(
        written, [&](const Index &index) { return index.getDim() == dim; });
  };
  // The first and the last dimension that windows slide along.
  std::optional<unsigned> first, last;
  for (auto [dim, index] : llvm::enumerate(indices))
    if (!index.isPlain()) {
      first = first.value_or(dim);
      last = dim;
    }
  for (unsigned dim = 0; dim < indices.size(); ++dim)
    if ((dim < *first || dim > *last) && !indices[dim].getDim())
      return emitError() << "dimension " << dim << " of @"
                         << convolution.image.getSymName()
                         << " is read at one index only";
  for (unsigned dim = *last + 1; dim < indices.size(); ++dim) {
    unsigned own = *indices[dim].getDim();
    if (isWritten(own)) {
      last = dim;
    } else if (dim + 1 == indices.size()) {
      convolution.channels = own;
      convolution.channelCount = shape[dim];
    } else {
      return emitError() << "dimension " << dim << " of @"
                         << convolution.image.getSymName()
                         << " has channels, but is not the last one";
    }
  }
  if (*first > 1)
    return emitError() << "@" << convolution.image.getSymName() << " has "
                       << *first
                       << " dimensions in front of those that the "
                          "kernel slides along; one is supported";
  if (*first == 1) {
    convolution.images = *indices[0].getDim();
    if (!isWritten(*convolution.images))
      return emitError() << "its sums run over images";
  }
  if (*last - *first > 1)
    return emitError() << "the kernel slides along " << *last - *first + 1
                       << " dimensions; two are supported";
  for (std::optional<unsigned> own :
       {convolution.images, convolution.channels}) {
    unsigned dim = own == convolution.images ? 0 : indices.size() - 1;
    if (own && extents[*own] != shape[dim])
      return emitError() << "it does not read all of dimension " << dim
                         << " of @" << convolution.image.getSymName();
  }
  for (unsigned dim = *first; dim <= *last; ++dim) {
    // One dimension is the width.
    SpatialDim &spatial = convolution.spatial[1 - (*last - dim)];
    spatial.size = shape[dim];
    spatial.pad = -indices[dim].constant;
    for (auto [own, factor] : indices[dim].terms) {
      std::optional<unsigned> &place =
          isWritten(own) ? spatial.position : spatial.tap;
      if (place || factor < 1)
        return emitError() << "dimension " << dim << " of @"
                           << convolution.image.getSymName()
                           << " is not position * stride + tap * dilation - "
                              "pad";
      place = own;
      (isWritten(own) ? spatial.stride : spatial.dilation) = factor;
      (isWritten(own) ? spatial.output : spatial.kernel) = extents[own];
    }
    if (spatial.dilation != 1)
      return emitError() << "img2col takes neighbouring elements, but the "
                            "kernel is dilated by "
                         << spatial.dilation;
    if (spatial.pad < 0)
      return emitError() << "the kernel begins " << -spatial.pad
                         << " elements within the image";
  }
  return success();
}

/// Whether an element is read wherever the function of the read is one of the
/// array.
static bool isWholeFunction(const isl::Ctx &ctx, StatementOp statement,
                            unsigned number) {
  isl::Map read(isl_map_intersect_domain(getRead(ctx, statement, number).take(),
                                         getDomain(ctx, statement).take()));
  isl::PwMultiAff pieces(isl_pw_multi_aff_from_map(read.copy()));
  isl::Map whole;
  (void)isl::forEachPiece(pieces, [&](isl::Set, isl::MultiAff piece) {
    whole = isl::Map(isl_map_from_multi_aff(piece.take()));
    return success();
  });
  auto name = cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]);
  ArrayOp array =
      findArray(cast<ScopOp>(statement->getParentOp()), name.getValue());
  whole = isl::Map(
      isl_map_intersect_range(whole.take(), getElements(ctx, array).take()));
  whole = isl::Map(
      isl_map_intersect_domain(whole.take(), getDomain(ctx, statement).take()));
  return isl_map_is_equal(read.get(), whole.get()) == isl_bool_true;
}

FailureOr<std::optional<Convolution>>
gc::poly::recogniseConvolution(const isl::Ctx &ctx, ScopOp scop,
                               StatementOp statement) {
  std::optional<Convolution> none;
  if (!isContraction(statement) || statement.getImg2col())
    return none;
  StringRef sums = statement.getWrittenArray();
  FailureOr<SmallVector<Index>> written = getIndices(getWrite(ctx, statement));
  // Statements that no tree of fractals is for are rejected when tiled.
  if (failed(written))
    return none;
  Convolution convolution;
  convolution.statement = statement;
  std::optional<SmallVector<Index>> image, weights;
  for (auto [number, name] : llvm::enumerate(
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>())) {
    if (name.getValue() == sums)
      continue;
    FailureOr<SmallVector<Index>> indices =
        getIndices(getRead(ctx, statement, number));
    if (failed(indices))
      return none;
    ArrayOp array = findArray(scop, name.getValue());
    if (!image) {
      image = *indices;
      convolution.image = array;
    } else if (!weights) {
      weights = *indices;
      convolution.weights = array;
    } else {
      return none;
    }
  }
  if (!image || !weights ||
      llvm::all_of(*image, [](const Index &index) { return index.isPlain(); }))
    return none;
  auto emitError = [&] {
    return statement.emitOpError() << "is a convolution that cannot become a "
                                      "product of fractals: ";
  };
  std::optional<unsigned> columns =
      weights->empty() ? std::nullopt : weights->back().getDim();
  if (!columns || written->empty() || written->back().getDim() != columns)
    return emitError() << "the last dimension of @"
                       << convolution.weights.getSymName() << " and of @"
                       << sums << " has to be the output channel";
  convolution.columns = *columns;
  if (!convolution.weights.getInputAttr())
    return emitError() << "weights come from global memory";
  if (failed(readSpatial(ctx, convolution, *image, *written)))
    return failure();
  // Weights are [kh, kw, c] rows of output channels.
  int64_t factor = 1;
  unsigned terms = 0;
  SmallVector<int64_t> extents = getExtents(ctx, statement);
  Index row;
  for (std::optional<unsigned> dim :
       {convolution.channels, convolution.spatial[1].tap,
        convolution.spatial[0].tap})
    if (dim) {
      row.terms.push_back({*dim, factor});
      factor *= extents[*dim];
      ++terms;
    }
  llvm::sort(row.terms);
  if (weights->size() != 2 || (*weights)[0].terms != row.terms ||
      (*weights)[0].constant != 0 ||
      convolution.weights.getTensorType().getDimSize(0) != factor)
    return emitError() << "@" << convolution.weights.getSymName()
                       << " is not a matrix with a row for each [kh, kw, c]";
  // The order of what is written is that of images and positions.
  SmallVector<unsigned> order;
  for (std::optional<unsigned> dim :
       {convolution.images, convolution.spatial[0].position,
        convolution.spatial[1].position, columns})
    if (dim)
      order.push_back(*dim);
  if (written->size() != order.size())
    return emitError() << "@" << sums
                       << " has other dimensions than images, "
                          "positions and output channels";
  for (auto [index, dim] : llvm::zip(*written, order))
    if (index.getDim() != dim)
      return emitError() << "@" << sums
                         << " is not written in the order of "
                            "images, positions and output channels";
  if (order.size() + terms != extents.size())
    return emitError() << "it has iterations that are neither images, "
                          "positions, output channels, elements of the kernel "
                          "nor channels";
  for (unsigned number = 0; number < statement.getReadArrays().size(); ++number)
    if (!isWholeFunction(ctx, statement, number))
      return emitError() << "it leaves out elements that are not in pads";
  if (!convolution.spatial[0].position && !convolution.spatial[1].position)
    return emitError() << "there is only one position of the kernel";
  return std::optional<Convolution>(convolution);
}
