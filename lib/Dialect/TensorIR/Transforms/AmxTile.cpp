// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AmxTile.h"
#include "TileBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

constexpr int64_t kGroupBytes = 4, kLineBytes = 64;
/// Rows of A, and columns of registers of B, that a rest is copied of at most.
constexpr int64_t kMostHeights = 4, kMostColumns = 4;
constexpr int64_t kRestOfA = kMostHeights * kAmxRows * kLineBytes,
                  kRestGroupBytes = kMostColumns * kLineBytes;

AmxTile::AmxTile(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                 const KernelSpec &spec, int64_t rows,
                 ArrayRef<int64_t> vectors)
    : b(b), plan(plan), spec(spec), vectors(vectors),
      heights(getAmxHeights(rows)), group(getGroupSize(spec.a)),
      steps(getAmxSteps(spec.k, group)) {
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

AmxTile::Shapes AmxTile::getShapes() const {
  Shapes shapes;
  for (size_t row = 0; row < heights.size(); ++row)
    for (size_t column = 0; column < vectors.size(); ++column)
      shapes[getSum(row, column)] = {heights[row], kGroupBytes * plan.valid};
  for (size_t column = 0; column < vectors.size(); ++column)
    shapes[getOperand(true, column)] = {steps.groups, kGroupBytes * plan.valid};
  for (size_t row = 0; row < heights.size(); ++row)
    shapes[getOperand(false, row)] = {heights[row], kGroupBytes * steps.groups};
  return shapes;
}

bool AmxTile::hasConfigurationOf(const AmxTile &other) const {
  return getShapes() == other.getShapes();
}

void AmxTile::configure() const {
  // Palette 1; the bytes of rows from byte 16 on, two bytes each, and the rows
  // from byte 48 on.
  constexpr size_t kBytes = 16, kRows = 48;
  std::array<uint8_t, 64> table = {1};
  std::string name = "gc_amx";
  for (auto [i, shape] : llvm::enumerate(getShapes())) {
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

Value AmxTile::getByte(Value base, int64_t offset) const {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  return t.at(base, offset, DataType::u8);
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

AmxTile::Step AmxTile::getStep(Value a, Value bp) const {
  Step step{a,
            bp,
            spec.lda * getBytes(spec.a),
            spec.ldb * spec.packB * getBytes(spec.b),
            {}};
  for (int64_t vector : vectors)
    step.columnBytes.push_back(vector * kGroupBytes);
  return step;
}

void AmxTile::multiply(const Step &step) const {
  auto loadA = [&](size_t row) {
    load(getOperand(false, row), getByte(step.a, starts[row] * step.rowBytes),
         step.rowBytes);
  };
  auto loadB = [&](size_t column) {
    load(getOperand(true, column), getByte(step.b, step.columnBytes[column]),
         step.groupBytes);
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

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

Value AmxTile::createRest(ImplicitLocOpBuilder &b, const KernelSpec &spec) {
  int64_t group = getGroupSize(spec.a);
  AmxSteps steps = getAmxSteps(spec.k, group);
  if (steps.rest == 0)
    return {};
  constexpr int64_t kRestOfB = kAmxGroups * kRestGroupBytes;
  auto constant = [&](int64_t value, int64_t bits) -> Value {
    return arith::ConstantIntOp::create(b, value, bits);
  };
  Value rest = LLVM::AllocaOp::create(
      b, b.getType<LLVM::LLVMPointerType>(), b.getI8Type(),
      constant(kRestOfA + kRestOfB, 64), kLineBytes);
  // Groups of B that k does not have stay zero.
  if (int64_t(llvm::divideCeil(steps.rest, group)) < steps.groups) {
    Value ofB = LLVM::GEPOp::create(b, rest.getType(), b.getI8Type(), rest,
                                    LLVM::GEPArg(kRestOfA));
    LLVM::MemsetOp::create(b, ofB, constant(0, 8), constant(kRestOfB, 64),
                           /*isVolatile=*/false);
  }
  return rest;
}

AmxTile::Step AmxTile::copyRest(Value a, Value bp, Value rest) const {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  SmallVector<Value> none;
  int64_t rows = starts.back() + heights.back(), cut = steps.rest % group;
  Step step{rest, getByte(rest, kRestOfA), kLineBytes, kRestGroupBytes, {}};
  for (size_t column = 0; column < vectors.size(); ++column)
    step.columnBytes.push_back(column * kLineBytes);

  // Only elements that exist are read: those of A as bytes, and those of B,
  // whose groups are whole in memory, without what follows k in the last one.
  auto bytes = VectorType::get(kLineBytes, b.getI8Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bytes));
  Value exists = vector::ConstantMaskOp::create(
      b, VectorType::get(kLineBytes, b.getI1Type()),
      ArrayRef<int64_t>{steps.rest * getBytes(spec.a)});
  t.loop(t.constant(rows), 1, none, [&](Value row) {
    Value line =
        LLVM::MaskedLoadOp::create(b, bytes, t.at(a, row, spec.lda, spec.a),
                                   exists, zero, /*alignment=*/1);
    t.storeElement(line, LLVM::GEPOp::create(b, rest.getType(), bytes, rest,
                                             LLVM::GEPArg(row)));
  });
  auto copyGroup = [&](Value from, Value to, Value kept) {
    for (auto [column, vector] : llvm::enumerate(vectors)) {
      Value groups = t.loadPartial(getByte(from, vector * kGroupBytes));
      if (kept)
        groups = arith::AndIOp::create(b, groups, kept);
      t.storeElement(groups, getByte(to, step.columnBytes[column]));
    }
  };
  auto getGroup = [&](Value start, Value group, int64_t distance) {
    return t.at(start, group, distance, DataType::u8);
  };
  int64_t whole = steps.rest / group;
  if (whole)
    t.loop(t.constant(whole), 1, none, [&](Value group) {
      copyGroup(getGroup(bp, group, spec.ldb * kGroupBytes),
                getGroup(step.b, group, step.groupBytes), {});
    });
  if (cut) {
    int64_t mask = (int64_t(1) << (cut * getBits(spec.b))) - 1;
    Value kept = vector::BroadcastOp::create(
        b, VectorType::get(plan.lanes, b.getI32Type()),
        arith::ConstantIntOp::create(b, mask, 32));
    copyGroup(getByte(bp, whole * spec.ldb * kGroupBytes),
              getByte(step.b, whole * step.groupBytes), kept);
  }
  return step;
}

void AmxTile::emit(const TileTerms &terms, Value batch, TilePointers at) const {
  TileBuilder t(b, spec, plan.lanes, plan.valid);
  SmallVector<Value> none;
  bool hasTerms = !terms.ofColumns.empty() || terms.ofRows;
  if (hasTerms)
    storeTerms(terms, at.c);
  loadSums(at.c, /*fromMemory=*/hasTerms || spec.beta);
  int64_t k = steps.groups * group, done = steps.count * k;
  Walk walk{spec,
            batch,
            at,
            steps.count,
            k,
            k * spec.ldb,
            /*unroll=*/steps.count % 2 == 0 ? 2 : 1,
            /*splits=*/1};
  auto rest = [&](Value a, Value bp) {
    multiply(copyRest(t.at(a, done, spec.a), t.at(bp, done * spec.ldb, spec.b),
                      at.scratch));
  };
  walk.emit(
      t, none, [&](Value a, Value bp, int64_t) { multiply(getStep(a, bp)); },
      steps.rest ? Walk::Rest(rest) : Walk::Rest());
  storeSums(at.c);
}

} // namespace gc::tir
