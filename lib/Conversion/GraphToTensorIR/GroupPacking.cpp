// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GroupPacking.h"
#include "Dialect/TensorIR/IR/TransposeInRegisters.h"
#include "PassEmission.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {

class GroupPacking {
public:
  GroupPacking(RegionEmitter &emitter, ArrayRef<BoxDim> box, Access from,
               Access to)
      : emitter(emitter), builder(emitter.builder), loc(emitter.fused.getLoc()),
        box(box), from(std::move(from)), to(std::move(to)),
        lanes(emitter.getLanes()) {}

  /// Finds the dimensions; false if the copy is not one of whole groups.
  bool prepare() {
    RankedTensorType type = to.buffer.type;
    LayoutAttr layout = getLayout(type);
    int64_t bits = type.getElementTypeBitWidth();
    if (!layout || !layout.isBlocked() || sharesBytes(from.buffer.type) ||
        from.buffer.type.getElementType() != type.getElementType())
      return false;
    ArrayRef<int64_t> inner = layout.getInnerDims(),
                      blocks = layout.getInnerBlocks();
    size_t count = inner.size();
    group = blocks.back();
    if (count != 3 || inner[0] != inner[2] || inner[1] == inner[2] ||
        group < 2 || group * bits != 32)
      return false;
    // Elements that share bytes cannot be written otherwise.
    bool isOnlyWay = sharesBytes(type);
    int64_t least = isOnlyWay ? 1 : 4;
    while (lanes > least && blocks[1] % lanes != 0)
      lanes /= 2;
    if (lanes < least || blocks[1] % lanes != 0)
      return false;
    width = std::max<int64_t>(bits, 8);
    stored = 32 / width;
    // Dimensions of a slice are the last ones of the space.
    int64_t missing = static_cast<int64_t>(box.size()) - type.getRank();
    along = inner[2] + missing;
    across = inner[1] + missing;
    for (int64_t dim = 0; dim < static_cast<int64_t>(box.size()); ++dim)
      if (box[dim].size || (to.getTensorDim(dim) != dim - missing &&
                            dim >= missing && box[dim].max != 1))
        return false;
    auto isAligned = [](const BoxDim &dim, int64_t unit) {
      return dim.base.getAlignment() % unit == 0 &&
             dim.local.getAlignment() % unit == 0;
    };
    if (box[along].max % group != 0 || !isAligned(box[along], group) ||
        !isAligned(box[across], lanes))
      return false;
    // Squares of fewer lanes are not transposed.
    fromAlong = lanes >= 4 && from.getContiguousRun(along) >= box[along].max;
    // A source that is contiguous neither way is gathered.
    return fromAlong || from.getContiguousRun(across) >= box[across].max ||
           isOnlyWay;
  }

  void emit() {
    RankedTensorType type = to.buffer.type;
    // The groups of a row are one piece of memory.
    SmallVector<int64_t> shape(
        cast<MemRefType>(to.buffer.memref.getType()).getShape());
    shape.pop_back();
    shape.back() *= stored;
    auto memref = MemRefType::get(shape, getStorageType(type.getElementType()));
    auto [strides, offset] = memref.getStridesAndOffset();
    rows = memref::ReinterpretCastOp::create(
        builder, loc, memref, to.buffer.memref, offset, shape, strides);
    Position start;
    for (const BoxDim &dim : box) {
      start.coords.push_back(dim.base);
      start.locals.push_back(dim.local);
      start.offsets.push_back(Coord(0));
    }
    emitOuter(0, start);
  }

private:
  /// Loops over the dimensions that neither groups nor vectors lie along.
  void emitOuter(int64_t dim, const Position &at) {
    if (dim == static_cast<int64_t>(box.size()))
      return emitMatrix(at);
    if (dim == along || dim == across || box[dim].max == 1)
      return emitOuter(dim + 1, at);
    int64_t size = box[dim].max;
    emitter.emitLoop(size, 1, [&](Value i) {
      emitOuter(dim + 1, at.shifted(dim, Coord(i, 1, size)));
    });
  }

  void emitMatrix(const Position &at) {
    int64_t groups = box[along].max / group;
    // Squares of groups where they are transposed.
    forPieces(groups, fromAlong ? lanes : 1, [&](Coord g, int64_t height) {
      Position block = at.shifted(along, g * group);
      forPieces(box[across].max, lanes, [&](Coord column, int64_t columns) {
        Position piece = block.shifted(across, column);
        if (fromAlong)
          transpose(piece, height, columns);
        else
          interleave(piece, columns);
      });
    });
  }

  /// Whole pieces in a loop, and the rest.
  void forPieces(int64_t size, int64_t piece,
                 function_ref<void(Coord, int64_t)> body) {
    int64_t whole = size / piece * piece;
    emitter.emitLoop(whole, piece, [&](Value i) {
      body(Coord::ofLoop(i, whole, piece), piece);
    });
    if (whole < size)
      body(Coord(whole), size - whole);
  }

  /// A run of elements as integers, which code generators know more of than of
  /// narrow floating-point numbers.
  Value load(const Position &at, int64_t dim, int64_t count) {
    Position run = at;
    run.vectorDim = dim;
    run.lanes = count;
    Value vector = loadVector(builder, loc, from, run);
    return vector::BitCastOp::create(
        builder, loc, VectorType::get({count}, builder.getIntegerType(width)),
        vector);
  }

  /// One row of groups: the columns from `at` on.
  void store(Value vector, const Position &at) {
    const Buffer &buffer = to.buffer;
    ArrayRef<Coord> source = buffer.isLocal ? at.locals : at.coords;
    SmallVector<Value> indices = buffer.getIndices(
        builder, loc, source.take_back(buffer.type.getRank()));
    indices.pop_back();
    indices.back() = affine::AffineApplyOp::create(
        builder, loc,
        AffineMap::get(1, 0, builder.getAffineDimExpr(0) * stored),
        indices.back());
    auto type = cast<VectorType>(vector.getType());
    Value elements = vector::BitCastOp::create(
        builder, loc,
        VectorType::get(
            {type.getNumElements() * type.getElementTypeBitWidth() / width},
            getStorageType(buffer.type.getElementType())),
        vector);
    vector::StoreOp::create(builder, loc, elements, rows, indices);
  }

  /// Rows across the groups: their elements alternate.
  void interleave(const Position &at, int64_t columns) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < group; ++i)
      parts.push_back(load(at.shifted(along, Coord(i)), across, columns));
    if (stored < group)
      for (int64_t i = 0; i < stored; ++i)
        parts[i] = share(parts[2 * i], parts[2 * i + 1]);
    auto zip = [&](Value a, Value b) -> Value {
      return vector::InterleaveOp::create(builder, loc, a, b);
    };
    if (group == 2)
      return store(zip(parts[0], parts[1]), at);
    store(zip(zip(parts[0], parts[2]), zip(parts[1], parts[3])), at);
  }

  /// Columns along the groups, each a vector of `height` groups: a square of
  /// numbers of 32 bits.
  void transpose(const Position &at, int64_t height, int64_t count) {
    SmallVector<Value> columns;
    for (int64_t i = 0; i < count; ++i) {
      Value vector = load(at.shifted(across, Coord(i)), along, height * group);
      if (stored < group) {
        auto halves = vector::DeinterleaveOp::create(builder, loc, vector);
        vector = share(halves.getRes1(), halves.getRes2());
      }
      Value words = vector::BitCastOp::create(
          builder, loc, VectorType::get({height}, builder.getI32Type()),
          vector);
      columns.push_back(resize(words, lanes));
    }
    columns.resize(lanes, columns.back());
    transposeInRegisters(builder, loc, columns);
    for (int64_t i = 0; i < height; ++i)
      store(resize(columns[i], count), at.shifted(along, Coord(i * group)));
  }

  /// Bytes whose halves are two elements of 4 bits each.
  Value share(Value low, Value high) {
    auto splat = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(cast<ShapedType>(low.getType()),
                                 APInt(8, value)));
    };
    low = arith::AndIOp::create(builder, loc, low, splat(15));
    high = arith::ShLIOp::create(builder, loc, high, splat(4));
    return arith::OrIOp::create(builder, loc, low, high);
  }

  /// The first lanes of a vector, or the vector followed by unused lanes.
  Value resize(Value vector, int64_t count) {
    int64_t have = cast<VectorType>(vector.getType()).getNumElements();
    if (have == count)
      return vector;
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < count; ++lane)
      mask.push_back(std::min(lane, have - 1));
    return vector::ShuffleOp::create(builder, loc, vector, vector, mask);
  }

  RegionEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  ArrayRef<BoxDim> box;
  Access from, to;
  int64_t lanes, group = 1;
  /// Bits of an element where it is read, and numbers of as many bits that a
  /// group takes where it is written.
  int64_t width = 32, stored = 1;
  /// Dimensions of the box: of the groups, and that of the columns, which are
  /// adjacent in what is written.
  int64_t along = 0, across = 0;
  /// What is read is contiguous along the groups rather than across them.
  bool fromAlong = false;
  Value rows;
};

} // namespace

bool emitGroupPacking(RegionEmitter &emitter, const RegionSpace &space,
                      ArrayRef<Operation *> ops, ArrayRef<BoxDim> box,
                      ArrayRef<Store> stores) {
  if (ops.size() != 1 || stores.size() != 1 || !isa<ReorderOp>(ops[0]) ||
      stores[0].value != ops[0]->getResult(0) || emitter.onRows)
    return false;
  OpOperand &operand = ops[0]->getOpOperand(0);
  Buffer source = emitter.buffers.lookup(operand.get());
  if (!source)
    return false;
  GroupPacking packing(
      emitter, box, Access{source, space.getOperandMap(operand)},
      Access{stores[0].buffer, space.getValueMap(stores[0].value)});
  if (!packing.prepare())
    return false;
  packing.emit();
  return true;
}

} // namespace gc
