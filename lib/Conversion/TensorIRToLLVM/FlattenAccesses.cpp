// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vectors at constant distances from each other, such as those of neighbouring
// windows, as one index and offsets, which instructions add for nothing. With
// an index for each dimension, every distance in an outer one is an address of
// its own, which takes a register.

#include "TensorIRToLLVMImpl.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// An access by one index into all of the memory: of something that varies, and
/// a constant.
struct Access {
  Operation *op;
  Value memref;
  AffineExpr index;
  unsigned numDims = 0;
  SmallVector<Value> operands;
  int64_t offset = 0;
};

/// Strides and the number of elements from the first to the last one, if all of
/// that is known.
struct Extent {
  SmallVector<int64_t> strides;
  int64_t offset = 0, span = 1;
};

std::optional<Extent> getExtent(MemRefType type) {
  Extent extent;
  if (!type.hasStaticShape() || type.getRank() < 2 ||
      failed(type.getStridesAndOffset(extent.strides, extent.offset)) ||
      ShapedType::isDynamic(extent.offset))
    return std::nullopt;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), extent.strides)) {
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    extent.span += (size - 1) * stride;
  }
  if (extent.strides.back() != 1)
    return std::nullopt;
  return extent;
}

std::optional<Access> getAccess(Operation *op) {
  Value memref;
  OperandRange indices = op->getOperands();
  VectorType type;
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    memref = load.getBase();
    indices = load.getIndices();
    type = load.getVectorType();
  } else if (auto store = dyn_cast<vector::StoreOp>(op)) {
    memref = store.getBase();
    indices = store.getIndices();
    type = store.getVectorType();
  } else {
    return std::nullopt;
  }
  std::optional<Extent> extent = getExtent(cast<MemRefType>(memref.getType()));
  if (!extent || type.getRank() != 1)
    return std::nullopt;
  MLIRContext *context = op->getContext();
  AffineExpr sum = getAffineConstantExpr(0, context);
  SmallVector<Value> operands;
  for (auto [index, stride] : llvm::zip_equal(indices, extent->strides)) {
    APInt number;
    if (matchPattern(index, m_ConstantInt(&number))) {
      sum = sum + number.getSExtValue() * stride;
      continue;
    }
    sum = sum + getAffineDimExpr(operands.size(), context) * stride;
    operands.push_back(index);
  }
  auto map = AffineMap::get(operands.size(), 0, sum);
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  if (map.getNumSymbols() > 0)
    return std::nullopt;
  Access access{op, memref, map.getResult(0), map.getNumDims(), operands};
  if (auto constant = dyn_cast<AffineConstantExpr>(access.index)) {
    access.offset = constant.getValue();
    access.index = getAffineConstantExpr(0, context);
  } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(access.index);
             binary && binary.getKind() == AffineExprKind::Add) {
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
      access.offset = constant.getValue();
      access.index = binary.getLHS();
    }
  }
  return access;
}

class Flattening {
public:
  explicit Flattening(func::FuncOp function) : function(function) {}

  void run() {
    // What is next to something else is worth it, and all of the same memory
    // then has the same index.
    SmallVector<Access> accesses;
    DenseSet<Value> worthwhile;
    function.walk([&](Operation *op) {
      std::optional<Access> access = getAccess(op);
      if (!access)
        return;
      if (access->offset != 0)
        worthwhile.insert(access->memref);
      accesses.push_back(std::move(*access));
    });
    for (const Access &access : accesses)
      if (worthwhile.contains(access.memref))
        replace(access);
  }

private:
  /// The memory as one dimension.
  Value getFlat(Value memref) {
    Value &flat = flats[memref];
    if (flat)
      return flat;
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(memref);
    auto type = cast<MemRefType>(memref.getType());
    Extent extent = *getExtent(type);
    auto layout =
        StridedLayoutAttr::get(function.getContext(), extent.offset, {1});
    auto flatType = MemRefType::get({extent.span}, type.getElementType(),
                                    layout, type.getMemorySpace());
    return flat = memref::ReinterpretCastOp::create(
               builder, memref.getLoc(), flatType, memref, extent.offset,
               ArrayRef<int64_t>{extent.span}, ArrayRef<int64_t>{1});
  }

  /// The part of the index that varies: once in a block.
  Value getIndex(OpBuilder &builder, const Access &access) {
    SmallVector<Value> &known = indices[{access.op->getBlock(), access.index}];
    for (Value value : known) {
      auto apply = value.getDefiningOp<affine::AffineApplyOp>();
      if (llvm::equal(apply.getMapOperands(), access.operands))
        return value;
    }
    Value index = affine::AffineApplyOp::create(
        builder, access.op->getLoc(),
        AffineMap::get(access.numDims, 0, access.index), access.operands);
    known.push_back(index);
    return index;
  }

  void replace(const Access &access) {
    OpBuilder builder(access.op);
    Location loc = access.op->getLoc();
    Value flat = getFlat(access.memref);
    Value index;
    if (!isa<AffineConstantExpr>(access.index))
      index = getIndex(builder, access);
    if (!index || access.offset != 0) {
      Value offset =
          arith::ConstantIndexOp::create(builder, loc, access.offset);
      index =
          index ? arith::AddIOp::create(builder, loc, index, offset) : offset;
    }
    if (auto load = dyn_cast<vector::LoadOp>(access.op)) {
      load.getBaseMutable().assign(flat);
      load.getIndicesMutable().assign(index);
    } else {
      auto store = cast<vector::StoreOp>(access.op);
      store.getBaseMutable().assign(flat);
      store.getIndicesMutable().assign(index);
    }
  }

  func::FuncOp function;
  DenseMap<Value, Value> flats;
  DenseMap<std::pair<Block *, AffineExpr>, SmallVector<Value>> indices;
};

} // namespace

void flattenAccesses(func::FuncOp function) {
  if (!function.isDeclaration())
    Flattening(function).run();
}

} // namespace gc::tir
