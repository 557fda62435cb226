// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileModel.h"
#include "Dialect/Poly/Transforms/VectorUnit.h"
#include "Producers.h"
#include "Tree.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

int64_t gc::poly::getResidentSlices(int64_t slices, int64_t own, int64_t other,
                                    int64_t capacity) {
  if (slices * own + 2 * other <= capacity)
    return slices;
  int64_t most = (capacity - 3 * (own + other)) / own;
  return std::clamp<int64_t>(most, 0, slices - 1);
}

/// The value that `value` has if it is within the bounds of i8, else the bound,
/// or nothing.
static Value getSaturated(Value value) {
  bool hasLow = false, hasHigh = false;
  while (Operation *op = value.getDefiningOp()) {
    IntegerAttr bound;
    if (!isa<arith::MaxSIOp, arith::MinSIOp>(op) ||
        !matchPattern(op->getOperand(1), m_Constant(&bound)))
      return nullptr;
    bool isLow = isa<arith::MaxSIOp>(op);
    if (bound.getInt() != (isLow ? -128 : 127))
      return nullptr;
    (isLow ? hasLow : hasHigh) = true;
    value = op->getOperand(0);
  }
  return hasLow && hasHigh ? value : nullptr;
}

Value gc::poly::getDrained(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::TruncFOp>(op))
    return op->getOperand(0);
  if (isa_and_nonnull<arith::TruncIOp>(op) && value.getType().isInteger(8) &&
      op->getOperand(0).getType().isInteger(32))
    return getSaturated(op->getOperand(0));
  return nullptr;
}

bool gc::poly::isConversionOf(StatementOp statement, StringRef array) {
  Block &body = statement.getBody().front();
  Value converted = getDrained(cast<YieldOp>(body.getTerminator()).getValue());
  return converted && isa<BlockArgument>(converted) &&
         statement.getReadArrays().size() == 1 &&
         cast<FlatSymbolRefAttr>(statement.getReadArrays()[0]).getValue() ==
             array;
}

int64_t gc::poly::getNumParts(int64_t rows) {
  return rows % 64 == 0 ? 4 : rows % 32 == 0 ? 2 : 1;
}

bool gc::poly::canBeTail(int64_t rows, int64_t parts) {
  return parts == 1 || rows % (16 * parts) == 0;
}

TileModel::TileModel(const isl::Ctx &ctx, ScopOp scop, const Cluster &cluster,
                     const npu::Machine &machine)
    : machine(machine) {
  for (const ClusterMember &source : cluster.members) {
    Member member{source.statement, {}, {}, getBodySteps(source.statement)};
    // A comparison fills tiles with its operands, a selection with constants.
    StatementOp(source.statement).walk([&](arith::CmpFOp compare) {
      int64_t bytes = compare.getLhs().getType().getIntOrFloatBitWidth() / 8;
      member.scratch = std::max(member.scratch, 2 * bytes + 6);
    });
    unsigned rank =
        isl_set_dim(getDomain(ctx, member.statement).get(), isl_dim_set);
    for (unsigned dim = 0; dim < rank; ++dim) {
      member.extents.push_back(poly::getExtent(ctx, member.statement, dim));
      const unsigned *loop = llvm::find(source.dims, dim);
      member.loops.push_back(
          loop == source.dims.end()
              ? std::nullopt
              : std::optional<unsigned>(loop - source.dims.begin()));
    }
    if (members.empty())
      for (unsigned dim : source.dims)
        extents.push_back(member.extents[dim]);
    members.push_back(std::move(member));
    StatementOp statement = source.statement;
    for (auto [i, name] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
      addUse(ctx, scop, members.size() - 1, name.getValue(),
             getRead(ctx, statement, i), /*isWrite=*/false,
             /*isFactor=*/statement.getImg2col() && i < 2);
    addUse(ctx, scop, members.size() - 1, statement.getWrittenArray(),
           getWrite(ctx, statement), /*isWrite=*/true);
  }
  // Temporaries that another cluster writes are computed in the tile.
  for (Array &array : arrays)
    array.isExternal = !array.op.isTemporary();
  findTaken();
}

/// A result whose operand is read for the last time, at the same indices, takes
/// its buffer; inputs give theirs only where rows are reduced.
void TileModel::findTaken() {
  bool hasRows = llvm::any_of(members, [](const Member &member) {
    StatementOp statement = member.statement;
    return isUpdate(statement);
  });
  for (Array &target : arrays) {
    const Use &write = target.uses.front();
    StatementOp statement = members[write.member].statement;
    if (!write.isWrite || isUpdate(statement) || isContraction(statement))
      continue;
    for (auto [number, source] : llvm::enumerate(arrays)) {
      const Use &last = source.uses.back();
      bool isWritten =
          llvm::any_of(source.uses, [](const Use &use) { return use.isWrite; });
      bool isOnlyUse = llvm::count_if(source.uses, [&](const Use &use) {
                         return use.member == write.member;
                       }) == 1;
      if (&source == &target || last.isWrite || last.isMoved || !isOnlyUse ||
          last.member != write.member || source.op.getOutputAttr() ||
          (!isWritten && !hasRows) || last.indices != write.indices ||
          source.op.getTensorType().getElementType() !=
              target.op.getTensorType().getElementType())
        continue;
      target.taken = number;
      break;
    }
  }
}

/// The dimensions of the iterations that indices depend on.
static llvm::BitVector getUsedDims(const TileModel::Use &use, unsigned dims) {
  llvm::BitVector used(dims);
  for (const auto &index : use.indices) {
    if (!index)
      used.set();
    for (unsigned dim = 0; index && dim < dims; ++dim)
      if ((*index)[dim] != 0)
        used.set(dim);
  }
  return used;
}

void TileModel::addUse(const isl::Ctx &ctx, ScopOp scop, size_t member,
                       StringRef name, isl::Map map, bool isWrite,
                       bool isFactor) {
  Use use{member, isWrite, false, {}};
  // Factors of a convolution are not linear functions: see ImageTile.
  if (isFactor) {
    use.indices.resize(isl_map_dim(map.get(), isl_dim_out));
    map = isl::Map();
  }
  isl::PwMultiAff pieces(isl_pw_multi_aff_from_map(map.take()));
  unsigned rank =
      isFactor ? 0 : isl_pw_multi_aff_dim(pieces.get(), isl_dim_out);
  isl::MultiAff indices;
  if (isl_pw_multi_aff_isa_multi_aff(pieces.get()) == isl_bool_true)
    indices.reset(isl_pw_multi_aff_as_multi_aff(pieces.take()));
  for (unsigned i = 0; i < rank; ++i) {
    isl::Aff aff(indices ? isl_multi_aff_get_aff(indices.get(), i) : nullptr);
    if (!aff || isl_aff_dim(aff.get(), isl_dim_div) != 0) {
      use.indices.push_back(std::nullopt);
      continue;
    }
    SmallVector<int64_t> coefficients;
    for (unsigned d = 0, e = isl_aff_dim(aff.get(), isl_dim_in); d < e; ++d)
      coefficients.push_back(isl::toInt(isl::Val(isl_aff_get_coefficient_val(
                                            aff.get(), isl_dim_in, d)))
                                 .value_or(0));
    use.indices.push_back(std::move(coefficients));
  }
  // Of an array in another order than the iterations the last dimension of the
  // iterations is not the last index.
  Member &user = members[member];
  unsigned dims = user.extents.size();
  use.isMoved = !use.indices.empty() && use.indices.back() && dims > 0 &&
                (*use.indices.back())[dims - 1] == 0 &&
                llvm::any_of(use.indices, [&](const auto &index) {
                  return index && (*index)[dims - 1] != 0;
                });
  auto *array = llvm::find_if(
      arrays, [&](Array &array) { return array.op.getSymName() == name; });
  if (array == arrays.end()) {
    arrays.push_back({poly::findArray(scop, name), {}, false, std::nullopt});
    array = &arrays.back();
  }
  llvm::BitVector used = getUsedDims(use, dims);
  // Values of rows are registers.
  if (isWrite || dims == 0 || used.test(dims - 1))
    user.bytes = std::max<int64_t>(
        user.bytes, array->op.getTensorType().getElementTypeBitWidth() / 8);
  if (isWrite)
    user.resultDims = used;
  else
    user.argumentDims.push_back(used);
  array->uses.push_back(std::move(use));
}

const TileModel::Array *TileModel::findArray(StringRef name) const {
  const auto *array = llvm::find_if(arrays, [&](const Array &array) {
    return ArrayOp(array.op).getSymName() == name;
  });
  return array == arrays.end() ? nullptr : array;
}

SmallVector<int64_t> TileModel::getBox(const Array &array,
                                       const TileSizes &sizes) const {
  ArrayRef<int64_t> shape = ArrayOp(array.op).getTensorType().getShape();
  SmallVector<int64_t> box(shape.size(), 1);
  for (const Use &use : array.uses) {
    const Member &member = members[use.member];
    for (auto [i, index] : llvm::enumerate(use.indices)) {
      int64_t extent = 1;
      if (!index)
        extent = shape[i];
      else
        for (auto [d, coefficient] : llvm::enumerate(*index)) {
          int64_t size =
              member.loops[d] ? sizes[*member.loops[d]] : member.extents[d];
          extent += std::abs(coefficient) * (size - 1);
        }
      box[i] = std::max(box[i], std::min(extent, shape[i]));
    }
  }
  return box;
}

bool TileModel::dependsOn(const Use &use, unsigned dim, unsigned loop) const {
  const auto &index = use.indices[dim];
  if (!index)
    return true;
  for (auto [d, coefficient] : llvm::enumerate(*index))
    if (coefficient != 0 && members[use.member].loops[d] == loop)
      return true;
  return false;
}

bool TileModel::dependsOn(const Array &array, unsigned loop) const {
  return llvm::any_of(array.uses, [&](const Use &use) {
    return llvm::any_of(
        llvm::seq<unsigned>(0, use.indices.size()),
        [&](unsigned dim) { return dependsOn(use, dim, loop); });
  });
}

bool TileModel::isInnermost(const Array &array, unsigned loop) const {
  return llvm::any_of(array.uses, [&](const Use &use) {
    return !use.indices.empty() && dependsOn(use, use.indices.size() - 1, loop);
  });
}

bool TileModel::isInnermost(unsigned loop) const {
  return llvm::any_of(
      arrays, [&](const Array &array) { return isInnermost(array, loop); });
}

bool TileModel::isInnermostOfMatrix(unsigned loop) const {
  return llvm::any_of(arrays, [&](const Array &array) {
    return array.isExternal &&
           ArrayOp(array.op).getTensorType().getRank() > 1 &&
           isInnermost(array, loop);
  });
}

int64_t TileModel::getBytes(const Array &array, ArrayRef<int64_t> box) {
  Type element = ArrayOp(array.op).getTensorType().getElementType();
  int64_t bits = element.getIntOrFloatBitWidth();
  if (box.empty())
    return npu::kBlockBytes;
  int64_t rows = 1;
  for (int64_t size : box.drop_back())
    rows *= size;
  return rows * llvm::alignTo(llvm::divideCeil(box.back() * bits, 8),
                              npu::kBlockBytes);
}

int64_t TileModel::getPackages(const Array &array,
                               ArrayRef<int64_t> box) const {
  return countPackages(ArrayOp(array.op).getTensorType(), box);
}

int64_t TileModel::countTiles(const TileSizes &sizes) const {
  int64_t count = 1;
  for (auto [extent, size] : llvm::zip(extents, sizes))
    count *= llvm::divideCeil(extent, size);
  return count;
}

bool TileModel::hasSerialStores(const TileSizes &sizes) const {
  bool hasOverlaps = false, hasOthers = false;
  for (auto [extent, size] : llvm::zip(extents, sizes)) {
    hasOverlaps |= extent % size != 0;
    hasOthers |= extent % size == 0 && extent > size;
  }
  bool isLast = !extents.empty() && extents.back() % sizes.back() != 0;
  return hasOverlaps && !(isLast && hasOthers);
}

int64_t TileModel::countLoads(const Array &array,
                              const TileSizes &sizes) const {
  int64_t count = 1, last = 1;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    int64_t tiles = llvm::divideCeil(extents[loop], size);
    count *= tiles;
    if (dependsOn(array, loop) && tiles > 1)
      last = count;
  }
  return last;
}

bool TileModel::hasSimpleBodies() const {
  return llvm::all_of(members, [](const Member &member) {
    StatementOp statement = member.statement;
    return member.body.steps.size() <= 1 || member.scratch > 0 ||
           isUpdate(statement);
  });
}

size_t TileModel::getBuffer(size_t array) const {
  while (arrays[array].taken)
    array = *arrays[array].taken;
  return array;
}

bool TileModel::isInPlace() const {
  for (size_t number = 0; number < arrays.size(); ++number) {
    ArrayOp own = arrays[number].op, first = arrays[getBuffer(number)].op;
    if (own.getOutputAttr() && first.getInputAttr())
      return true;
  }
  return false;
}

int64_t TileModel::getUbBytes(const TileSizes &sizes, int64_t slots) const {
  int64_t external = 0, most = 0;
  // Temporaries are alive from the first to the last member that uses them.
  SmallVector<int64_t> alive(members.size(), 0);
  struct Group {
    int64_t bytes = 0;
    bool isExternal = false;
    size_t first = SIZE_MAX, last = 0;
  };
  // Arrays that take each other's buffer are one.
  SmallVector<Group> groups(arrays.size());
  for (auto [number, array] : llvm::enumerate(arrays)) {
    Group &group = groups[getBuffer(number)];
    group.bytes = std::max(group.bytes, getBytes(array, getBox(array, sizes)));
    group.isExternal |= array.isExternal;
    for (const Use &use : array.uses) {
      group.first = std::min(group.first, use.member);
      group.last = std::max(group.last, use.member);
    }
  }
  for (const Group &group : groups) {
    if (group.isExternal) {
      external += slots * group.bytes;
      continue;
    }
    for (size_t i = group.first; i <= group.last && group.bytes > 0; ++i)
      alive[i] += group.bytes;
  }
  for (auto [number, member] : llvm::enumerate(members)) {
    int64_t elements = 1, last = 1;
    for (auto [dim, extent] : llvm::enumerate(member.extents)) {
      last = member.loops[dim] ? sizes[*member.loops[dim]] : extent;
      elements *= last;
    }
    // Rows of whole repeats are compared with values that take a repeat each,
    // others with copies that begin at multiples of 16 elements.
    bool isWhole = last % (npu::kBlockBytes * 8) == 0 || last == 64;
    int64_t padded = elements / last * llvm::alignTo(last, 16);
    alive[number] += getReductionBytes(member, sizes);
    alive[number] += isWhole ? elements * std::min<int64_t>(member.scratch, 1)
                             : padded * member.scratch;
  }
  for (int64_t bytes : alive)
    most = std::max(most, bytes);
  return external + most;
}

int64_t TileModel::getTilePackages(const TileSizes &sizes) const {
  int64_t packages = 0;
  for (const Array &array : arrays)
    if (array.isExternal)
      packages += getPackages(array, getBox(array, sizes));
  return packages;
}

ArrayOp TileModel::getLargestArray(const TileSizes &sizes) const {
  const Array *largest = &arrays.front();
  for (const Array &array : arrays)
    if (getBytes(array, getBox(array, sizes)) >
        getBytes(*largest, getBox(*largest, sizes)))
      largest = &array;
  return largest->op;
}
