// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Instructions on vectors that are longer than a register.

#ifndef GC_LIB_CONVERSION_TENSORIRTOLLVM_VECTORPARTS_H
#define GC_LIB_CONVERSION_TENSORIRTOLLVM_VECTORPARTS_H

#include "Machine/Machine.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Sequence.h"

namespace gc::tir {

/// What `apply` makes of each part of `lanes` elements, as one vector. The
/// vectors in `values` have the same number of elements, a power of two of
/// parts.
inline mlir::Value
mapParts(mlir::OpBuilder &builder, mlir::Location loc,
         llvm::ArrayRef<mlir::Value> values, int64_t lanes,
         llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> apply) {
  auto type = mlir::cast<mlir::VectorType>(values.front().getType());
  int64_t count = type.getNumElements();
  if (count == lanes)
    return apply(values);
  auto shuffle = [&](mlir::Value a, mlir::Value b, int64_t first,
                     int64_t size) -> mlir::Value {
    auto mask = llvm::to_vector(llvm::seq<int64_t>(first, first + size));
    return mlir::vector::ShuffleOp::create(builder, loc, a, b, mask);
  };
  int64_t half = count / 2;
  llvm::SmallVector<mlir::Value> low, high;
  for (mlir::Value value : values) {
    low.push_back(shuffle(value, value, 0, half));
    high.push_back(shuffle(value, value, half, half));
  }
  mlir::Value first = mapParts(builder, loc, low, lanes, apply);
  mlir::Value second = mapParts(builder, loc, high, lanes, apply);
  return shuffle(first, second, 0, count);
}

/// A masked intrinsic of AVX-512 that writes all lanes of a register, with 512
/// bits rounded as the processor's state says.
inline mlir::Value callMasked(mlir::OpBuilder &builder, mlir::Location loc,
                              const llvm::Twine &name, mlir::VectorType type,
                              llvm::ArrayRef<mlir::Value> operands) {
  int64_t lanes = type.getNumElements();
  auto arguments = llvm::to_vector(operands);
  auto addConstant = [&](mlir::Type integer, int64_t value) {
    arguments.push_back(mlir::LLVM::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(integer, value)));
  };
  arguments.push_back(mlir::LLVM::ZeroOp::create(builder, loc, type));
  addConstant(builder.getIntegerType(lanes), -1);
  if (lanes == 16)
    addConstant(builder.getI32Type(), 4);
  return mlir::LLVM::CallIntrinsicOp::create(
             builder, loc, type,
             builder.getStringAttr("llvm.x86.avx512.mask." + name), arguments)
      .getResults();
}

/// The lanes of the longest vectors of 32-bit elements of the machine that a
/// vector consists of, as `mapParts` wants them, for instructions of AVX-512; 0
/// if there are none.
inline int64_t getPartLanes(mlir::Type type, const Machine &machine) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  if (!vector || vector.getRank() != 1)
    return 0;
  int64_t count = vector.getNumElements();
  for (int64_t lanes : {16, 8})
    if (lanes * 32 <= machine.vectorBits && count % lanes == 0 &&
        llvm::isPowerOf2_64(count / lanes) &&
        (lanes == 16 || machine.hasFeature("avx512vl")))
      return lanes;
  return 0;
}

} // namespace gc::tir

#endif // GC_LIB_CONVERSION_TENSORIRTOLLVM_VECTORPARTS_H
