// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers, views of them and the machine: the questions that passes ask.

#include "Dialect/Npu/IR/KernelLimits.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace gc::npu;

std::optional<MemorySpace> gc::npu::getSpace(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return std::nullopt;
  auto space = dyn_cast_or_null<MemorySpaceAttr>(memref.getMemorySpace());
  if (!space)
    return std::nullopt;
  return space.getValue();
}

std::optional<DType> gc::npu::getDType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  if (type.isF16())
    return DType::f16;
  if (type.isF32())
    return DType::f32;
  if (type.isSignlessInteger(8))
    return DType::s8;
  if (type.isSignlessInteger(32))
    return DType::s32;
  return std::nullopt;
}

std::optional<int64_t> gc::npu::getExtent(MemRefType type) {
  std::optional<DType> element = getDType(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!element || !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
    if (size == 0)
      return 0;
    if (size == 1)
      continue;
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    last += (size - 1) * stride;
  }
  return (last + 1) * getBytes(*element);
}

Value gc::npu::getBaseBuffer(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto slot = dyn_cast<SlotOp>(op))
      memref = slot.getBuffer();
    else if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memref = view.getViewSource();
    else
      break;
  }
  return memref;
}

/// Sets what one entry of the device's specification says.
static LogicalResult setEntry(Machine &machine, StringRef name,
                              Attribute value) {
  if (name == "npu.profile") {
    auto text = dyn_cast<StringAttr>(value);
    std::optional<Profile> profile;
    if (text)
      profile = parseProfile(text.getValue());
    // Already set: it comes first, since the others change what it gives.
    return success(profile.has_value());
  }
  auto number = dyn_cast<IntegerAttr>(value);
  return success(number && setParameter(machine, name, number.getInt()));
}

/// The machine of the module's specification.
static FailureOr<Machine> getModuleMachine(Operation *op) {
  Machine machine;
  auto module = isa<ModuleOp>(op) ? op : op->getParentOfType<ModuleOp>();
  if (!module)
    return machine;
  auto system = module->getAttrOfType<TargetSystemSpecInterface>(
      DLTIDialect::kTargetSystemDescAttrName);
  if (!system)
    return machine;
  auto device =
      system.getDeviceSpecForDeviceID(StringAttr::get(op->getContext(), "NPU"));
  if (!device)
    return machine;
  for (DataLayoutEntryInterface entry : device->getEntries())
    if (auto key = dyn_cast<StringAttr>(entry.getKey());
        key && key == "npu.profile")
      if (auto text = dyn_cast<StringAttr>(entry.getValue()))
        if (auto profile = parseProfile(text.getValue()))
          machine = Machine(*profile);
  for (DataLayoutEntryInterface entry : device->getEntries()) {
    auto key = dyn_cast<StringAttr>(entry.getKey());
    if (!key)
      return module->emitError() << "the device \"NPU\" has no parameter "
                                 << cast<Type>(entry.getKey());
    bool exists = key == "npu.profile" || getParameter(machine, key.getValue());
    if (!exists)
      return module->emitError()
             << "the device \"NPU\" has no parameter " << key;
    if (failed(setEntry(machine, key.getValue(), entry.getValue())))
      return module->emitError()
             << "parameter " << key << " of the device \"NPU\" cannot be "
             << entry.getValue();
  }
  return machine;
}

/// Takes the memory away that a kernel around `op` may not use.
static void limitMemory(Machine &machine, Operation *op) {
  for (; op; op = op->getParentOp()) {
    auto limits = op->getAttrOfType<DictionaryAttr>(kMemoryAttr);
    for (NamedAttribute entry :
         limits ? limits.getValue() : ArrayRef<NamedAttribute>()) {
      std::string name = (entry.getName().getValue() + "_bytes").str();
      std::optional<int64_t> own = getParameter(machine, name);
      if (auto bytes = dyn_cast<IntegerAttr>(entry.getValue());
          bytes && own && bytes.getInt() < *own)
        (void)setParameter(machine, name, bytes.getInt());
    }
  }
}

FailureOr<Machine> gc::npu::getMachine(Operation *op) {
  FailureOr<Machine> machine = getModuleMachine(op);
  if (succeeded(machine))
    limitMemory(*machine, op);
  return machine;
}
