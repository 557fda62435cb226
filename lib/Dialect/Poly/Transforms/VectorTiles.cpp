// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorTiles.h"
#include "TileViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

SmallVector<int64_t> TileBuilder::getSizes(DimMask dims) const {
  SmallVector<int64_t> result;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (dims >> dim & 1)
      result.push_back(sizes[dim]);
  return result;
}

TileValue TileBuilder::allocate(Type element, DimMask dims, Value target) {
  TileValue result;
  result.dims = dims;
  result.element = element;
  if (target) {
    result.memref = target;
    return result;
  }
  for (auto [number, buffer] : llvm::enumerate(buffers))
    if (buffer.isFree && buffer.element == element && buffer.dims == dims) {
      buffer.isFree = false;
      result.memref = buffer.memref;
      result.buffer = number;
      return result;
    }
  result.memref = allocateTile(b, getSizes(dims), element);
  result.buffer = buffers.size();
  buffers.push_back({result.memref, element, dims, false});
  return result;
}

TileValue TileBuilder::allocateDense(Type element, DimMask dims, Value target) {
  TileValue result;
  result.dims = dims;
  result.element = element;
  result.memref = target;
  if (target)
    return result;
  SmallVector<int64_t> shape = getSizes(dims);
  if (shape.empty())
    shape.push_back(1);
  result.memref = npu::AllocOp::create(
      b, getBufferType(shape, element, npu::MemorySpace::ub),
      b.getI64IntegerAttr(1), IntegerAttr());
  return result;
}

void TileBuilder::release(const TileValue &value) {
  if (value.buffer >= 0)
    buffers[value.buffer].isFree = true;
}

Value TileBuilder::getF32(double value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(float(value)));
}

Value TileBuilder::expand(const TileValue &value, DimMask dims) {
  SmallVector<int64_t> shape;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (dims >> dim & 1)
      shape.push_back(value.dims >> dim & 1 ? sizes[dim] : 1);
  return expandUnits(b, value.memref, shape);
}

//===----------------------------------------------------------------------===//
// Loops over a tile's rows
//===----------------------------------------------------------------------===//

void TileBuilder::forEach(
    DimMask loops, llvm::function_ref<void(ArrayRef<Value> indices)> emit) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> indices;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  for (int64_t size : getSizes(loops)) {
    Value end = arith::ConstantIndexOp::create(b, size);
    auto loop = scf::ForOp::create(b, zero, end, one);
    indices.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  emit(indices);
}

Value TileBuilder::getPart(const TileValue &value, DimMask loops,
                           ArrayRef<Value> indices) {
  // One element is a tile of one dimension.
  if (value.dims == 0)
    return value.memref;
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> shape;
  SmallVector<bool> dropped;
  unsigned number = 0;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    bool isLoop = loops >> dim & 1;
    if (value.dims >> dim & 1) {
      offsets.push_back(isLoop ? OpFoldResult(indices[number])
                               : OpFoldResult(b.getIndexAttr(0)));
      shape.push_back(isLoop ? 1 : sizes[dim]);
      dropped.push_back(isLoop);
    }
    number += isLoop;
  }
  return takeBox(b, value.memref, offsets, shape, dropped);
}

Value TileBuilder::loadScalar(const TileValue &value, DimMask loops,
                              ArrayRef<Value> indices) {
  SmallVector<Value> own;
  unsigned number = 0;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    bool isLoop = loops >> dim & 1;
    if (isLoop && value.dims >> dim & 1)
      own.push_back(indices[number]);
    number += isLoop;
  }
  // One element is a tile of one dimension.
  if (own.empty())
    own.push_back(arith::ConstantIndexOp::create(b, 0));
  Value loaded = npu::LoadScalarOp::create(b, value.element, value.memref, own);
  if (value.element.isF16())
    return arith::ExtFOp::create(b, b.getF32Type(), loaded);
  return loaded;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

TileValue TileBuilder::fill(double constant, Type element, DimMask dims,
                            Value target) {
  TileValue result = allocate(element, dims, target);
  npu::FillOp::create(b, getF32(constant), result.memref);
  return result;
}

TileValue TileBuilder::unary(npu::UnaryKind kind, const TileValue &source,
                             Value target) {
  TileValue result = allocate(source.element, source.dims, target);
  npu::UnaryOp::create(b, kind, source.memref, result.memref);
  return result;
}

TileValue TileBuilder::scalar(npu::ScalarKind kind, const TileValue &source,
                              double value, Value target) {
  TileValue result = allocate(source.element, source.dims, target);
  npu::ScalarOp::create(b, kind, source.memref, getF32(value), result.memref);
  return result;
}

TileValue TileBuilder::cast(const TileValue &source, Type element,
                            Value target) {
  TileValue result = allocate(element, source.dims, target);
  npu::CastOp::create(b, source.memref, result.memref);
  return result;
}

TileValue TileBuilder::copy(const TileValue &source, Value target) {
  TileValue result = allocate(source.element, source.dims, target);
  npu::CopyOp::create(b, source.memref, result.memref, false, ValueRange());
  return result;
}

TileValue TileBuilder::broadcast(const TileValue &source, DimMask dims,
                                 Value target) {
  if (source.isConstant())
    return fill(source.constant, source.element, dims, target);
  if (source.dims == dims)
    return source;
  TileValue result = allocate(source.element, dims, target);
  // Values of rows become registers; other parts are copied.
  DimMask missing = dims & ~source.dims;
  if (missing & getLast()) {
    forEach(dims & ~getLast(), [&](ArrayRef<Value> indices) {
      Value value = loadScalar(source, dims & ~getLast(), indices);
      npu::FillOp::create(b, value,
                          getPart(result, dims & ~getLast(), indices));
    });
    return result;
  }
  forEach(missing, [&](ArrayRef<Value> indices) {
    npu::CopyOp::create(b, source.memref, getPart(result, missing, indices),
                        false, ValueRange());
  });
  return result;
}

TileValue TileBuilder::combineRows(npu::BinaryKind kind, const TileValue &tile,
                                   const TileValue &rows, bool isRowsLeft,
                                   DimMask dims, Value target) {
  TileValue result = allocate(tile.element, dims, target);
  forEach(rows.dims, [&](ArrayRef<Value> indices) {
    Value value = loadScalar(rows, rows.dims, indices);
    Value from = getPart(tile, rows.dims, indices);
    Value to = getPart(result, rows.dims, indices);
    auto apply = [&](npu::ScalarKind kind, Value from, Value value) {
      npu::ScalarOp::create(b, kind, from, value, to);
    };
    switch (kind) {
    case npu::BinaryKind::add:
      apply(npu::ScalarKind::adds, from, value);
      break;
    case npu::BinaryKind::mul:
      apply(npu::ScalarKind::muls, from, value);
      break;
    case npu::BinaryKind::sub:
      if (!isRowsLeft) {
        apply(npu::ScalarKind::adds, from, arith::NegFOp::create(b, value));
        break;
      }
      apply(npu::ScalarKind::muls, from, getF32(-1));
      apply(npu::ScalarKind::adds, to, value);
      break;
    case npu::BinaryKind::div:
      if (!isRowsLeft) {
        apply(npu::ScalarKind::muls, from,
              arith::DivFOp::create(b, getF32(1), value));
        break;
      }
      npu::UnaryOp::create(b, npu::UnaryKind::rec, from, to);
      apply(npu::ScalarKind::muls, to, value);
      break;
    default:
      llvm_unreachable("has no form with a register");
    }
  });
  return result;
}

bool TileBuilder::isRegister(npu::BinaryKind kind, const TileValue &rows,
                             const TileValue &tile, DimMask dims) const {
  bool hasRegisterForm =
      kind != npu::BinaryKind::max && kind != npu::BinaryKind::min;
  return hasRegisterForm && (dims & getLast()) && !tile.isConstant() &&
         tile.dims == dims && !rows.isConstant() && !(rows.dims & getLast());
}

FailureOr<TileValue> TileBuilder::binary(npu::BinaryKind kind,
                                         const TileValue &lhs,
                                         const TileValue &rhs, DimMask dims,
                                         Value target) {
  if (isRegister(kind, rhs, lhs, dims))
    return combineRows(kind, lhs, rhs, false, dims, target);
  if (isRegister(kind, lhs, rhs, dims))
    return combineRows(kind, rhs, lhs, true, dims, target);
  auto widen = [&](const TileValue &value) {
    if (value.isConstant() || ((dims & getLast()) && !(value.dims & getLast())))
      return broadcast(value, dims);
    return value;
  };
  TileValue left = widen(lhs), right = widen(rhs);
  TileValue result = allocate(left.element, dims, target);
  npu::BinaryOp::create(b, kind, expand(left, dims), expand(right, dims),
                        result.memref);
  if (left.memref != lhs.memref)
    release(left);
  if (right.memref != rhs.memref)
    release(right);
  return result;
}
