// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AmxTile.h"
#include "TileBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

AmxTile::AmxTile(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                 const KernelSpec &spec, int64_t rows,
                 ArrayRef<int64_t> vectors)
    : b(b), plan(plan), spec(spec), vectors(vectors),
      heights(getAmxHeights(rows)), group(getGroupSize(spec.a)),
      steps(getAmxSteps(spec.k / group)) {
  int64_t start = 0;
  for (int64_t height : heights) {
    starts.push_back(start);
    start += height;
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

int64_t AmxTile::getOperand(bool isB, size_t index) const {
  int64_t sums = heights.size() * vectors.size();
  if (isB == holdsB())
    return sums + index;
  // Two registers in turn: one is loaded while the other is multiplied. Rows of
  // two heights have one for each height.
  int64_t held = std::min(heights.size(), vectors.size());
  bool differ = !isB && heights.front() != heights.back();
  return sums + held +
         (differ ? heights[index] != heights.front() : index % 2 != 0);
}

AmxTile::Shapes AmxTile::getShapes(int64_t groups) const {
  constexpr int64_t kGroupBytes = 4;
  Shapes shapes;
  for (size_t row = 0; row < heights.size(); ++row)
    for (size_t column = 0; column < vectors.size(); ++column)
      shapes[getSum(row, column)] = {heights[row], kGroupBytes * plan.valid};
  for (size_t column = 0; column < vectors.size(); ++column)
    shapes[getOperand(true, column)] = {groups, kGroupBytes * plan.valid};
  for (size_t row = 0; row < heights.size(); ++row)
    shapes[getOperand(false, row)] = {heights[row], kGroupBytes * groups};
  return shapes;
}

bool AmxTile::hasConfigurationOf(const AmxTile &other) const {
  return getShapes(steps.groups) == other.getShapes(other.steps.groups);
}

void AmxTile::configure() const { configure(getShapes(steps.groups)); }

void AmxTile::configure(const Shapes &shapes) const {
  // Palette 1; the bytes of rows from byte 16 on, two bytes each, and the rows
  // from byte 48 on.
  constexpr size_t kBytes = 16, kRows = 48;
  std::array<uint8_t, 64> table = {1};
  std::string name = "gc_amx";
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    table[kBytes + 2 * i] = static_cast<uint8_t>(shape.bytes);
    table[kRows + i] = static_cast<uint8_t>(shape.rows);
    name += ("_" + Twine(shape.rows) + "x" + Twine(shape.bytes)).str();
  }
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = RankedTensorType::get(table.size(), b.getI8Type());
    global = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), table.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        DenseElementsAttr::get(type, ArrayRef(table)), /*alignment=*/64);
  }
  call("llvm.x86.ldtilecfg", LLVM::AddressOfOp::create(b, global).getResult());
}

void AmxTile::release(ImplicitLocOpBuilder &b) {
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.tilerelease"),
                                ValueRange());
}

void AmxTile::call(StringRef intrinsic, ValueRange operands) const {
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr(intrinsic), operands);
}

Value AmxTile::getRegister(int64_t number) const {
  return arith::ConstantIntOp::create(b, number, 8);
}

Value AmxTile::getConstant(int64_t value) const {
  return arith::ConstantIntOp::create(b, value, 64);
}

void AmxTile::load(int64_t number, Value address, int64_t bytes) const {
  call("llvm.x86.tileloadd64",
       {getRegister(number), address, getConstant(bytes)});
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value AmxTile::getAddressOfC(Value c, size_t row, size_t column) const {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  return t.at(c, starts[row] * spec.ldc + vectors[column], spec.c);
}

void AmxTile::storeTerms(const TileTerms &terms, Value c) const {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  for (int64_t row = 0, rows = starts.back() + heights.back(); row < rows;
       ++row) {
    // All of a row is read before any of it is written: vectors may overlap.
    SmallVector<Value> sums;
    for (auto [i, vector] : llvm::enumerate(vectors)) {
      Value sum = terms.ofColumns.empty() ? Value() : terms.ofColumns[i];
      auto include = [&](Value term) { sum = sum ? t.add(sum, term) : term; };
      if (terms.ofRows)
        include(t.loadBroadcast(t.at(terms.ofRows, row, DataType::s32)));
      if (spec.beta)
        include(t.loadSums(t.at(c, row * spec.ldc + vector, spec.c)));
      sums.push_back(sum);
    }
    for (auto [vector, sum] : llvm::zip_equal(vectors, sums))
      t.storePartial(sum, t.at(c, row * spec.ldc + vector, spec.c),
                     /*masked=*/true);
  }
}

void AmxTile::loadSums(Value c, bool fromMemory) const {
  for (size_t row = 0; row < heights.size(); ++row)
    for (size_t column = 0; column < vectors.size(); ++column) {
      int64_t number = getSum(row, column);
      if (fromMemory)
        load(number, getAddressOfC(c, row, column),
             spec.ldc * getBytes(spec.c));
      else
        call("llvm.x86.tilezero", getRegister(number));
    }
}

void AmxTile::storeSums(Value c) const {
  for (size_t row = 0; row < heights.size(); ++row)
    for (size_t column = 0; column < vectors.size(); ++column)
      call("llvm.x86.tilestored64",
           {getRegister(getSum(row, column)), getAddressOfC(c, row, column),
            getConstant(spec.ldc * getBytes(spec.c))});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The product of two registers, added to a third.
static StringRef getProduct(const KernelSpec &spec) {
  if (spec.a == DataType::bf16)
    return "llvm.x86.tdpbf16ps";
  bool isSignedA = spec.a == DataType::s8, isSignedB = spec.b == DataType::s8;
  if (isSignedA)
    return isSignedB ? "llvm.x86.tdpbssd" : "llvm.x86.tdpbsud";
  return isSignedB ? "llvm.x86.tdpbusd" : "llvm.x86.tdpbuud";
}

void AmxTile::multiply(Value a, Value bp) const {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  auto loadA = [&](size_t row) {
    load(getOperand(false, row), t.at(a, starts[row] * spec.lda, spec.a),
         spec.lda * getBytes(spec.a));
  };
  auto loadB = [&](size_t column) {
    load(getOperand(true, column),
         t.at(bp, vectors[column] * spec.packB, spec.b),
         spec.ldb * spec.packB * getBytes(spec.b));
  };
  bool holdB = holdsB();
  size_t held = holdB ? vectors.size() : heights.size(),
         passing = holdB ? heights.size() : vectors.size();
  for (size_t i = 0; i < held; ++i)
    holdB ? loadB(i) : loadA(i);
  for (size_t i = 0; i < passing; ++i) {
    holdB ? loadA(i) : loadB(i);
    for (size_t j = 0; j < held; ++j) {
      size_t row = holdB ? i : j, column = holdB ? j : i;
      call(getProduct(spec), {getRegister(getSum(row, column)),
                              getRegister(getOperand(false, row)),
                              getRegister(getOperand(true, column))});
    }
  }
}

void AmxTile::emit(const TileTerms &terms, Value batch, TilePointers at) const {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  SmallVector<Value> none;
  bool hasTerms = !terms.ofColumns.empty() || terms.ofRows;
  if (hasTerms)
    storeTerms(terms, at.c);
  bool begun = hasTerms || spec.beta;
  auto run = [&](int64_t count, int64_t groups, Walk::Rest rest) {
    loadSums(at.c, begun);
    int64_t unroll = count % 2 == 0 ? 2 : 1;
    Walk walk{spec,        batch,          at,
              count,       groups * group, groups * group * spec.ldb,
              unroll,
              /*splits=*/1};
    walk.emit(
        t, none, [&](Value a, Value bp, int64_t) { multiply(a, bp); }, rest);
    storeSums(at.c);
    begun = true;
  };
  if (!hasOneConfiguration() && steps.count)
    configure();
  if (steps.count)
    run(steps.count, steps.groups, {});
  if (steps.rest) {
    configure(getShapes(steps.rest));
    int64_t done = steps.count * steps.groups * group;
    run(0, 0, [&](Value a, Value bp) {
      multiply(t.at(a, done, spec.a), t.at(bp, done * spec.ldb, spec.b));
    });
  }
}

} // namespace gc::tir
