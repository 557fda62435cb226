// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantData.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace gc;

namespace {

/// The value of a constant as it lies in memory; `unit` is one element if all
/// are equal, or everything.
struct Content {
  ArrayRef<char> unit;
  uint64_t bytes = 0;
};

/// Nothing for elements that memory holds otherwise than the attribute does,
/// and for data of another size than the type's, which translation refuses.
std::optional<Content> getValue(LLVM::GlobalOp global) {
  auto data = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
  if (!data || !data.getElementType().isIntOrFloat() ||
      data.getElementType().getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  Content value;
  value.bytes = uint64_t(data.getNumElements()) *
                (data.getElementType().getIntOrFloatBitWidth() / 8);
  auto dense = dyn_cast<DenseElementsAttr>(data);
  if (dense)
    value.unit = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(data))
    if (const AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      value.unit = blob->getData();
  bool isRepeated = dense && dense.isSplat();
  if (value.unit.empty() || (isRepeated ? value.bytes % value.unit.size() != 0
                                        : value.bytes != value.unit.size()))
    return std::nullopt;
  return value;
}

bool isPrivateConstant(LLVM::GlobalOp global) {
  return global.getConstant() &&
         (global.getLinkage() == LLVM::Linkage::Private ||
          global.getLinkage() == LLVM::Linkage::Internal);
}

} // namespace

std::unique_ptr<llvm::WritableMemoryBuffer>
gc::allocateConstant(uint64_t bytes, StringRef symbol) {
  return llvm::WritableMemoryBuffer::getNewUninitMemBuffer(bytes, symbol,
                                                           llvm::Align(64));
}

llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
gc::takeLargeConstants(ModuleOp module) {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> taken;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    std::optional<Content> value;
    if (isPrivateConstant(global))
      value = getValue(global);
    if (!value || value->bytes < kLargeConstantBytes)
      continue;
    auto buffer = allocateConstant(value->bytes, global.getSymName());
    if (!buffer)
      return llvm::createStringError(
          std::errc::not_enough_memory,
          "not enough memory for the %llu bytes of a constant",
          static_cast<unsigned long long>(value->bytes));
    for (char *next = buffer->getBufferStart(); next != buffer->getBufferEnd();
         next += value->unit.size())
      memcpy(next, value->unit.data(), value->unit.size());
    taken.push_back(std::move(buffer));
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
  }
  return taken;
}

void gc::storeLargeConstantsAsBytes(llvm::Module &module) {
  llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
  for (llvm::GlobalVariable &global :
       llvm::make_early_inc_range(module.globals())) {
    auto *data =
        global.hasInitializer()
            ? dyn_cast<llvm::ConstantDataArray>(global.getInitializer())
            : nullptr;
    if (!data || data->getElementType() == byte)
      continue;
    // Constants are found by their bytes: this does not copy them.
    StringRef bytes = data->getRawDataValues();
    if (bytes.size() < kLargeConstantBytes)
      continue;
    llvm::Constant *same =
        llvm::ConstantDataArray::getRaw(bytes, bytes.size(), byte);
    auto *copy = new llvm::GlobalVariable(
        module, same->getType(), global.isConstant(), global.getLinkage(), same,
        "", &global, global.getThreadLocalMode(), global.getAddressSpace());
    copy->copyAttributesFrom(&global);
    copy->takeName(&global);
    global.replaceAllUsesWith(copy);
    global.eraseFromParent();
  }
}
