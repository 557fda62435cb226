// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Contractions and bias: type inference and verification.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::graph;

/// The product of sizes, or nothing if it overflows.
static std::optional<int64_t> checkedProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (size < 0 || llvm::MulOverflow(product, size, product))
      return std::nullopt;
  return product;
}

/// The shape of the matrices of windows of an image.
static FailureOr<SmallVector<int64_t>>
getWindowsShape(std::optional<Location> loc, WindowAttr window,
                ArrayRef<int64_t> image) {
  int64_t spatial = window.getKernel().size(), groups = window.getGroups();
  if (static_cast<int64_t>(image.size()) != spatial + 2)
    return emitOptionalError(loc, "(C9) a window of ", spatial,
                             " spatial dimensions reads an image of ",
                             spatial + 2, " dimensions, not ", image.size());
  if (ShapedType::isDynamicShape(image))
    return emitOptionalError(loc, "(C9) the image must be of static shape");
  if (image.back() % groups != 0)
    return emitOptionalError(loc, "(C9) ", groups, " groups do not divide ",
                             image.back(), " channels");
  SmallVector<int64_t> positions = window.getPositions(image);
  if (llvm::is_contained(positions, 0))
    return emitOptionalError(loc, "(C9) the window does not fit the image");
  SmallVector<int64_t> shape{image.front()};
  shape.append(positions);
  if (groups > 1)
    shape.insert(shape.begin(), groups);
  if (!window.getRows().empty()) {
    std::optional<int64_t> count = checkedProduct(shape),
                           wanted = checkedProduct(window.getRows());
    if (!count || count != wanted)
      return emitOptionalError(loc, "(C9) rows [", window.getRows(),
                               "] do not count the positions of the window [",
                               shape, "]");
    shape.assign(window.getRows().begin(), window.getRows().end());
  }
  int64_t depth = image.back() / groups;
  for (int64_t size : window.getKernel())
    if (llvm::MulOverflow(depth, size, depth))
      return emitOptionalError(loc, "(C9) the window is too large");
  shape.push_back(depth);
  return shape;
}

LogicalResult
MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto weights = cast<RankedTensorType>(operands[1].getType());
  if (src.getRank() == 0 || weights.getRank() == 0)
    return emitOptionalError(
        loc, "(C1) operands of matmul must have rank 1 or more");
  bool areBytes = src.getElementType().isInteger(8) &&
                  weights.getElementType().isInteger(8);
  bool widens = src.getElementType().isF32() &&
                weights.getElementType().getIntOrFloatBitWidth() < 32;
  if (src.getElementType() != weights.getElementType() && !areBytes && !widens)
    return emitOptionalError(loc, "(C5) element types ", src.getElementType(),
                             " and ", weights.getElementType(), " differ");

  SmallVector<int64_t> lhs(src.getShape()), rhs(weights.getShape());
  if (WindowAttr window = adaptor.getWindowAttr()) {
    if (adaptor.getTransposeA() || adaptor.getTransposeB() || rhs.size() < 2)
      return emitOptionalError(loc, "(C9) a product of windows has weights of "
                                    "two or more dimensions, not transposed");
    FailureOr<SmallVector<int64_t>> windows = getWindowsShape(loc, window, lhs);
    if (failed(windows))
      return failure();
    lhs = *windows;
  }
  bool row = lhs.size() == 1, column = rhs.size() == 1;
  if (row)
    lhs.insert(lhs.begin(), 1);
  else if (adaptor.getTransposeA())
    std::swap(lhs[lhs.size() - 1], lhs[lhs.size() - 2]);
  if (column)
    rhs.push_back(1);
  else if (adaptor.getTransposeB())
    std::swap(rhs[rhs.size() - 1], rhs[rhs.size() - 2]);

  int64_t lhsK = lhs.back(), rhsK = rhs[rhs.size() - 2];
  if (lhsK != rhsK && !ShapedType::isDynamic(lhsK) &&
      !ShapedType::isDynamic(rhsK))
    return emitOptionalError(loc, "(C2) src reduces over ", lhsK,
                             " elements, weights over ", rhsK);
  auto batch =
      broadcastShapes(ArrayRef(lhs).drop_back(2), ArrayRef(rhs).drop_back(2));
  if (!batch)
    return emitOptionalError(loc, "(C3) leading dimensions of [",
                             src.getShape(), "] and [", weights.getShape(),
                             "] do not broadcast");
  if (!row)
    batch->push_back(lhs[lhs.size() - 2]);
  if (!column)
    batch->push_back(rhs.back());
  types.push_back(
      RankedTensorType::get(*batch, getSumType(src.getElementType())));
  return success();
}

static MatmulOp::TensorValue getExtra(MatmulOp op, unsigned index,
                                      bool hasGroups) {
  if (hasGroups != (op.getWeightsGroup() != 0) ||
      index >= op.getExtras().size())
    return {};
  return cast<MatmulOp::TensorValue>(op.getExtras()[index]);
}

MatmulOp::TensorValue MatmulOp::getBias() { return getExtra(*this, 0, false); }
MatmulOp::TensorValue MatmulOp::getScales() { return getExtra(*this, 0, true); }
MatmulOp::TensorValue MatmulOp::getZps() { return getExtra(*this, 1, true); }

/// (C7) and (C8).
static LogicalResult verifyGroups(MatmulOp op) {
  int64_t group = op.getWeightsGroup();
  size_t count = op.getExtras().size();
  auto weights = op.getWeights().getType();
  int64_t rank = weights.getRank();
  int64_t k = rank < 2
                  ? weights.getDimSize(0)
                  : weights.getDimSize(rank - (op.getTransposeB() ? 1 : 2));
  // Lanes of kernels are groups of neighbours along k that fill 32 bits.
  int64_t bits = weights.getElementTypeBitWidth(), lane = 32 / bits;
  if (bits == 4 && (rank < 2 || (!ShapedType::isDynamic(k) && k % lane != 0)))
    return op.emitOpError("(C8) weights of 4 bits must be matrices with a "
                          "multiple of 8 elements along k");
  if (group == 0) {
    if (count > 1)
      return op.emitOpError("(C7) has ")
             << count + 2 << " operands, takes 2 or 3";
    return success();
  }
  if (rank != 2 || !isa<IntegerType>(weights.getElementType()) ||
      !op.getSrc().getType().getElementType().isF32())
    return op.emitOpError("(C7) weights with groups must be a matrix of "
                          "integers, and src f32");
  if (group < 0 || group % lane != 0)
    return op.emitOpError("(C7) weights_group is ")
           << group << ", must be a positive multiple of " << lane;
  if (!ShapedType::isDynamic(k) && k % group != 0)
    return op.emitOpError("(C7) groups of ")
           << group << " do not divide " << k << " elements along k";
  if (count < 1 || count > 2 || op.getWeightsZp() != 0)
    return op.emitOpError("(C7) groups need scales, may have zps, and have no "
                          "weights_zp");
  SmallVector<int64_t> shape{ShapedType::isDynamic(k) ? k : k / group,
                             weights.getDimSize(op.getTransposeB() ? 0 : 1)};
  for (Value extra : op.getExtras()) {
    auto type = cast<RankedTensorType>(extra.getType());
    if (!type.getElementType().isF32() ||
        failed(verifyCompatibleShape(type.getShape(), shape)))
      return op.emitOpError("(C7) scales or zps of type ")
             << type << " must be of type "
             << RankedTensorType::get(shape, Float32Type::get(op.getContext()));
  }
  return success();
}

LogicalResult MatmulOp::verify() {
  if (failed(verifyContractionElements(
          *this, "C5", getSrc().getType().getElementType(),
          getType().getElementType(),
          getBias() ? getElementTypeOrSelf(getBias()) : Type())))
    return failure();
  auto isValid = [](int64_t zeroPoint, Value factor) {
    return zeroPoint == 0 || (zeroPoint >= -128 && zeroPoint <= 255 &&
                              isa<IntegerType>(getElementTypeOrSelf(factor)));
  };
  if (!isValid(getSrcZp(), getSrc()) || !isValid(getWeightsZp(), getWeights()))
    return emitOpError(
        "(C6) zero points must be from -128 to 255, and 0 unless "
        "the elements are integers");
  if (failed(verifyGroups(*this)))
    return failure();
  if (getWindow() && getWeightsGroup() != 0)
    return emitOpError("(C9) a product of windows has no weights_group");
  if (getBias()) {
    RankedTensorType bias = getBias().getType();
    auto shape = broadcastShapes(getType().getShape(), bias.getShape());
    if (!shape || failed(verifyCompatibleShape(*shape, getType().getShape())))
      return emitOpError("(C4) bias of shape [")
             << bias.getShape() << "] does not broadcast to the result ["
             << getType().getShape() << "]";
  }
  return verifyChosenTemplate(*this);
}

bool MatmulOp::keepsRows(unsigned operand) {
  return operand == 0 && !getTransposeA() && !getWindow() &&
         haveSameRows(getSrc().getType(), getType());
}

int64_t MatmulOp::getFlops() {
  MatmulSizes sizes = getMatmulSizes(*this);
  int64_t flops = 2 * sizes.m * sizes.n * sizes.k;
  for (int64_t size : sizes.batch)
    flops *= size;
  return flops;
}

bool MatmulOp::isMatrixProduct() {
  return getExtras().empty() && !getWindow() &&
         getSrc().getType().getRank() >= 2 &&
         getWeights().getType().getRank() >= 2;
}

std::optional<RowWindow> MatmulOp::getRowWindow() {
  WindowAttr window = getWindowAttr();
  if (!window)
    return std::nullopt;
  return RowWindow{window.getKernel(),    window.getStrides(),
                   window.getDilations(), window.getPadsBegin(),
                   window.getGroups(),    window.getRows()};
}

bool MatmulOp::hasZeroPoints() {
  return getSrcZp() != 0 || getWeightsZp() != 0;
}

void MatmulOp::setRows(ArrayRef<int64_t> rows) {
  setWindowAttr(getWindowAttr().withRows(rows));
}

OpOperand &MatmulOp::getFactor(unsigned factor) {
  return factor == 0 ? getSrcMutable() : getWeightsMutable();
}

bool MatmulOp::isTransposed(unsigned factor) {
  return factor == 0 ? getTransposeA() : getTransposeB();
}

void MatmulOp::setTransposed(unsigned factor, bool transposed) {
  if (factor == 0)
    setTransposeA(transposed);
  else
    setTransposeB(transposed);
}

Value MatmulOp::buildExchanged(OpBuilder &builder) {
  SmallVector<int64_t> shape(getType().getShape());
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return MatmulOp::create(
      builder, getLoc(),
      RankedTensorType::get(shape, getType().getElementType()), getWeights(),
      getSrc(), /*extras=*/ValueRange(), /*transpose_a=*/!getTransposeB(),
      /*transpose_b=*/!getTransposeA(), MatmulTemplateAttr(),
      /*src_zp=*/getWeightsZp(), /*weights_zp=*/getSrcZp(),
      /*weights_group=*/0, WindowAttr());
}

MatmulSizes gc::graph::getMatmulSizes(MatmulOp op) {
  auto src = op.getSrc().getType(), weights = op.getWeights().getType();
  MatmulSizes sizes;
  int64_t srcRank = src.getRank(), weightsRank = weights.getRank();
  if (srcRank == 1) {
    sizes.m = 1;
    sizes.k = src.getDimSize(0);
  } else {
    sizes.m = src.getDimSize(srcRank - (op.getTransposeA() ? 1 : 2));
    sizes.k = src.getDimSize(srcRank - (op.getTransposeA() ? 2 : 1));
  }
  sizes.n =
      weightsRank == 1
          ? 1
          : weights.getDimSize(weightsRank - (op.getTransposeB() ? 2 : 1));
  sizes.batch = llvm::to_vector(
      op.getType().getShape().drop_back((srcRank > 1) + (weightsRank > 1)));
  if (WindowAttr window = op.getWindowAttr()) {
    sizes.m = *(op.getType().getShape().end() - 2);
    sizes.channels = src.getShape().back() / window.getGroups();
    sizes.k = window.getTaps() * sizes.channels;
    sizes.line = window.getPositions(src.getShape()).back();
    sizes.windowColumns = window.getKernel().back();
    double elements = double(sizes.m) * sizes.k;
    for (int64_t size : sizes.batch)
      elements *= size;
    sizes.ownPart = std::min(1.0, src.getNumElements() / elements);
  }
  return sizes;
}

LogicalResult
BiasAddOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto src = cast<RankedTensorType>(operands[0].getType());
  auto bias = cast<RankedTensorType>(operands[1].getType());
  bool last = adaptor.getDataFormat() == "NXC";
  if (!last && adaptor.getDataFormat() != "NCX")
    return emitOptionalError(
        loc, "(C1) data_format must be \"NXC\" or \"NCX\", not \"",
        adaptor.getDataFormat(), "\"");
  if (src.getRank() < (last ? 1 : 2))
    return emitOptionalError(loc, "(C3) src of rank ", src.getRank(),
                             " has no channels");
  int64_t channels = src.getDimSize(last ? src.getRank() - 1 : 1);
  if (bias.getRank() != 1 || failed(verifyCompatibleShape(
                                 ArrayRef<int64_t>{channels}, bias.getShape())))
    return emitOptionalError(loc, "(C2) bias of shape [", bias.getShape(),
                             "] does not fit ", channels, " channels");
  if (src.getElementType() != bias.getElementType())
    return emitOptionalError(loc, "(C4) element types ", src.getElementType(),
                             " and ", bias.getElementType(), " differ");
  types.push_back(dropLayout(src));
  return success();
}
