// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the nest of a contraction decides: which slices stay in L1, parts of its
// tiles, and whether what follows is computed beside the next tile's sums.

#include "CubeNest.h"
#include "KernelHierarchy.h"
#include "TileModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

bool CubeNest::canTakeWhole() const {
  int64_t elements = rows.padded * columns.padded;
  if (!hasTwoSums)
    return false;
  // A slot of each array, and what operations within a body leave.
  int64_t bytes = 0;
  bool hasWork = false;
  llvm::StringSet<> arrays;
  auto addArray = [&](StringRef name) {
    RankedTensorType type = findArray(program.scop, name).getTensorType();
    if (type.getRank() > 1 && arrays.insert(name).second)
      bytes += type.getElementTypeBitWidth() / 8;
  };
  for (LeafPlan *post : posts) {
    StatementOp statement = post->getStatement();
    addArray(statement.getWrittenArray());
    if (isConversionOf(statement, getStatement().getWrittenArray()))
      continue;
    hasWork = true;
    for (auto read : statement.getReadArrays().getAsRange<FlatSymbolRefAttr>())
      addArray(read.getValue());
    int64_t operations = 0;
    for (Operation &op : statement.getBody().front().without_terminator()) {
      // Functions are expanded later.
      if (op.getName().getDialectNamespace() !=
          arith::ArithDialect::getDialectNamespace())
        return false;
      operations += !isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp>(op);
    }
    bytes += 4 * std::max<int64_t>(operations - 1, 0);
  }
  return hasWork && elements * bytes <= machine.ubBytes * 3 / 4;
}

/// Parts of whole fractals, so that one is drained while the cube unit goes on
/// with others.
LogicalResult CubeNest::chooseParts() {
  parts = images;
  if (images > 1)
    return success();
  SmallVector<int64_t> legal{1};
  for (int64_t count : {2, 4})
    if (rows.rows % (16 * count) == 0)
      legal.push_back(count);
  // As measured: instructions for each part fill the queue of the vector unit,
  // and the front end waits for it; with fewer of them it issues the next tile.
  // Skewed tiles have that from the order of instructions.
  int64_t own = getNumParts(rows.rows);
  if (!(canSkew() && prefersSkew(own)) && canTakeWhole())
    own = std::min<int64_t>(own, image ? 1 : 2);
  FailureOr<int64_t> chosen = program.choose("parts", legal, own);
  if (failed(chosen))
    return failure();
  parts = *chosen;
  return success();
}

std::optional<unsigned> CubeNest::getTileLoop() const {
  SmallVector<TileNode *> loops = getLoops(sums->node);
  for (unsigned depth = outer; depth-- > 0;)
    if (plan.loops.find(loops[depth])->second.count > 1)
      return depth;
  return std::nullopt;
}

/// Whether the hierarchy says that the statement reads the sums from UB.
static bool isConvertedInUb(StatementOp statement) {
  std::optional<HierarchyItem> unit = getGivenUnit(
      cast<ScopOp>(statement->getParentOp()), statement.getSymName());
  return unit && llvm::is_contained(unit->from, npu::Space::ub);
}

SmallVector<int64_t> CubeNest::getTileCounts() const {
  SmallVector<TileNode *> loops = getLoops(sums->node);
  loops.truncate(*getTileLoop() + 1);
  return llvm::map_to_vector(loops, [&](TileNode *loop) {
    return plan.loops.find(loop)->second.count;
  });
}

/// A conversion of the sums is what the drain does anyway, if nothing else
/// takes them and they are not a result.
void CubeNest::findConversion() {
  StringRef acc = getStatement().getWrittenArray();
  int readers = bool(findArray(program.scop, acc).getOutputAttr());
  for (LeafPlan *post : posts)
    for (auto read :
         post->getStatement().getReadArrays().getAsRange<FlatSymbolRefAttr>())
      readers += read.getValue() == acc;
  for (LeafPlan *post : posts)
    if (readers == 1 && isConversionOf(post->getStatement(), acc) &&
        post->reads[0].dims == post->write.dims &&
        !isConvertedInUb(post->getStatement()))
      conversion = post;
}

/// Of the time of transfers, what both units may take one after the other
/// without being waited for.
static constexpr double kHidden = 0.75;

double CubeNest::getVectorCycles() const {
  double repeats = 0;
  for (LeafPlan *post : posts) {
    if (post == conversion)
      continue;
    StatementOp statement = post->getStatement();
    int64_t bits = findArray(program.scop, statement.getWrittenArray())
                       .getTensorType()
                       .getElementTypeBitWidth();
    repeats += getBodyCost(statement, machine).first * bits / 8;
  }
  double elements = double(rows.padded) * columns.padded;
  return elements * repeats / npu::kRepeatBytes +
         elements * 4 / machine.l0cToUb;
}

double CubeNest::getTransferCycles() const {
  double bytes = 0;
  for (const CubeOperand *operand : {&rows, &columns}) {
    double resident = operand->isPanel ? double(operand->resident) / slices : 0;
    bytes += (1 - resident) * operand->padded * terms * (32 / c0);
  }
  // What posts read and write once, in rows and columns.
  StringRef acc = getStatement().getWrittenArray();
  auto add = [&](StringRef name, const Projection &access) {
    ArrayOp array = findArray(program.scop, name);
    if (name != acc && !array.isTemporary() &&
        access.dims.size() >= sums->write.dims.size())
      bytes += double(rows.padded) * columns.padded *
               array.getTensorType().getElementTypeBitWidth() / 8;
  };
  for (LeafPlan *post : posts) {
    StatementOp statement = post->getStatement();
    for (auto [number, name] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
      add(name.getValue(), post->reads[number]);
    add(statement.getWrittenArray(), post->write);
  }
  return bytes / npu::kRepeatBytes * machine.packageCycles;
}

/// The front end is at the end of the vector unit's queue only when that is
/// nearly done with a tile, and issues nothing for the cube unit before that.
/// So what is more than a drain is issued beside the next tile's sums.
LogicalResult CubeNest::chooseSkew() {
  SmallVector<int64_t> legal{0};
  if (canSkew())
    legal.push_back(1);
  bool isChosen = canSkew() && prefersSkew(parts);
  FailureOr<int64_t> chosen = program.choose("skewed", legal, isChosen);
  if (failed(chosen))
    return failure();
  isSkewed = *chosen != 0;
  return success();
}

bool CubeNest::canSkew() const {
  bool hasPosts = posts.size() > (conversion ? 1 : 0);
  return hasTwoSums && hasPosts && !image && getTileLoop();
}

/// With several parts beside several slices, and unless transfers take longer
/// than both units and hide what these wait for.
bool CubeNest::prefersSkew(int64_t count) const {
  double cube = double(rows.padded / 16) * (columns.padded / 16) *
                llvm::divideCeil(terms, c0);
  return program.skews && count > 1 && slices > 1 &&
         cube + getVectorCycles() > kHidden * getTransferCycles();
}

LogicalResult CubeNest::choosePanel() {
  std::optional<unsigned> innermost = getTileLoop();
  panelLoop = innermost.value_or(0);
  if (!innermost || !program.promotes)
    return success();
  int64_t bytes = c0 == 16 ? 2 : 1;
  int64_t capacity = machine.getCapacity(npu::Space::l1);
  // No panel, or as many slices of one operand as there is room for.
  CubeOperand *operands[] = {&rows, &columns};
  int64_t most[] = {0, 0};
  SmallVector<int64_t> legal{0};
  for (unsigned i : {0, 1}) {
    bool isFixed = llvm::all_of(operands[i]->slice.offsets, [&](auto &offset) {
      return offset.getFactor(panelLoop) == 0;
    });
    if (isFixed)
      most[i] =
          getResidentSlices(slices, slice * operands[i]->padded * bytes,
                            slice * operands[1 - i]->padded * bytes, capacity);
    // What is computed stays as a whole or not at all.
    if (operands[i]->isProduced() && most[i] < slices)
      most[i] = 0;
    if (most[i] > 0)
      legal.push_back(i + 1);
  }
  FailureOr<int64_t> panel =
      program.choose("panel", legal, legal.size() > 1 ? legal[1] : 0);
  if (failed(panel) || *panel == 0)
    return success(succeeded(panel));
  CubeOperand *operand = operands[*panel - 1];
  int64_t all = most[*panel - 1];
  FailureOr<int64_t> resident =
      program.choose("resident",
                     llvm::to_vector(llvm::seq<int64_t>(
                         operand->isProduced() ? all : 1, all + 1)),
                     all);
  if (failed(resident))
    return failure();
  operand->resident = *resident;
  operand->isPanel = true;
  return success();
}
