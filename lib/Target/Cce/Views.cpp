// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers and their parts: pointers.

#include "Emitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;
using namespace gc::npu::cce;

/// The sum of `index * stride`; empty if that is zero.
static std::string formatOffset(ArrayRef<std::string> indices,
                                ArrayRef<int64_t> strides) {
  std::string text;
  int64_t constant = 0;
  for (auto [index, stride] : llvm::zip(indices, strides)) {
    int64_t number = 0;
    if (!StringRef(index).getAsInteger(10, number)) {
      constant += number * stride;
      continue;
    }
    std::string term =
        stride == 1 ? index : index + " * " + std::to_string(stride);
    text += (text.empty() ? "" : " + ") + term;
  }
  if (constant != 0)
    text += (text.empty() ? "" : " + ") + std::to_string(constant);
  return text;
}

/// The strides of a memref, which must be known.
static LogicalResult getStrides(Operation *op, Value memref,
                                SmallVector<int64_t> &strides) {
  int64_t offset;
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return op->emitOpError() << "has a memref of type " << memref.getType()
                             << ", whose strides are not known";
  return success();
}

LogicalResult Emitter::defineView(Value result, Value source,
                                  const std::string &offset) {
  if (offset.empty()) {
    names[result] = get(source);
    return success();
  }
  return define(result, formatElement(source, offset));
}

std::string Emitter::formatElement(Value source, const std::string &offset) {
  int32_t constant;
  if (!StringRef(offset).getAsInteger(10, constant))
    return get(source) + " + " + offset;
  return "element(" + get(source) + ", " + offset + ")";
}

LogicalResult Emitter::emitAlloc(AllocOp op) {
  if (!op.getAddress())
    return op.emitOpError("has no address: run npu-plan-memory first");
  static constexpr StringLiteral functions[] = {
      "", "alloc_cbuf", "alloc_ubuf", "alloc_ca", "alloc_cb", "alloc_cc"};
  auto type = cast<MemRefType>(op.getType());
  auto space = static_cast<Space>(*getSpace(type));
  FailureOr<std::string> declaration = getDeclaration(op.getResult());
  if (failed(declaration))
    return failure();
  return define(op.getResult(),
                "(" + StringRef(*declaration).rtrim() + ")" +
                    functions[static_cast<int>(space)] + "(" +
                    Twine(static_cast<int64_t>(*op.getAddress())) + ", " +
                    Twine(op.getBytes(machine)) + ")");
}

LogicalResult Emitter::emitSlot(SlotOp op) {
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  auto type = cast<MemRefType>(op.getBuffer().getType());
  auto space = static_cast<Space>(*getSpace(type));
  int64_t slots = alloc ? static_cast<int64_t>(alloc.getSlots()) : 1;
  int64_t size = type.getElementTypeBitWidth() / 8;
  int64_t stride =
      llvm::alignTo(*getExtent(type), machine.getAlignment(space)) / size;
  return define(op.getResult(), "slot(" + get(op.getBuffer()) + ", " +
                                    get(op.getIndex()) + ", " + Twine(slots) +
                                    ", " + Twine(stride) + ", " +
                                    Twine(*getExtent(type) / size) + ")");
}

LogicalResult Emitter::emitLoad(LoadScalarOp op) {
  SmallVector<int64_t> strides;
  if (failed(getStrides(op, op.getSource(), strides)))
    return failure();
  Names indices;
  for (Value index : op.getIndices())
    indices.push_back(get(index));
  std::string offset = formatOffset(indices, strides);
  return define(op.getResult(),
                "load_ubuf(" +
                    (offset.empty() ? get(op.getSource())
                                    : formatElement(op.getSource(), offset)) +
                    ")");
}

LogicalResult Emitter::emitView(Operation *op) {
  auto getOperands = [&](ArrayRef<OpFoldResult> numbers) {
    Names operands;
    for (OpFoldResult number : numbers)
      operands.push_back(
          isa<Value>(number)
              ? get(cast<Value>(number))
              : std::to_string(
                    cast<IntegerAttr>(cast<Attribute>(number)).getInt()));
    return operands;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::SubViewOp view) -> LogicalResult {
        SmallVector<int64_t> strides;
        if (failed(getStrides(op, view.getSource(), strides)))
          return failure();
        return defineView(
            view.getResult(), view.getSource(),
            formatOffset(getOperands(view.getMixedOffsets()), strides));
      })
      .Case([&](memref::ReinterpretCastOp view) -> LogicalResult {
        // Its offset counts from the start of the buffer.
        SmallVector<int64_t> strides;
        int64_t offset = 0;
        auto type = dyn_cast<MemRefType>(view.getSource().getType());
        if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
            offset != 0)
          return op->emitOpError("takes a part of a buffer, not all of it, "
                                 "which cannot be expressed in C");
        return defineView(
            view.getResult(), view.getSource(),
            formatOffset(getOperands(view.getMixedOffsets()), {1}));
      })
      .Case<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
          [&](Operation *) {
            names[op->getResult(0)] = get(op->getOperand(0));
            return success();
          })
      .Case([&](memref::DimOp dim) -> LogicalResult {
        auto type = dyn_cast<MemRefType>(dim.getSource().getType());
        std::optional<int64_t> index = dim.getConstantIndex();
        if (!type || !index || *index >= type.getRank() ||
            type.isDynamicDim(*index))
          return op->emitOpError("has a size that is not known");
        names[dim.getResult()] = std::to_string(type.getDimSize(*index));
        return success();
      })
      .Default([&](Operation *) -> LogicalResult {
        return op->emitOpError(
            "cannot be expressed in C: it is not part of an NPU program");
      });
}
