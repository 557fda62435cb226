// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantData.h"
#include "Driver/SharedResources.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"

using namespace mlir;
using namespace gc;

namespace {

/// The value of a constant as it lies in memory; `unit` is one element if all
/// are equal, or everything.
struct Content {
  ArrayRef<char> unit;
  uint64_t bytes = 0;
  unsigned elementBytes = 1;

  bool isAligned() const {
    return reinterpret_cast<uintptr_t>(unit.data()) % elementBytes == 0;
  }
};

/// Nothing for elements that memory holds otherwise than the attribute does,
/// and for data of another size than the type's, which translation refuses.
std::optional<Content> getValue(LLVM::GlobalOp global) {
  auto data = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
  if (!data || !data.getElementType().isIntOrFloat() ||
      data.getElementType().getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  Content value;
  value.elementBytes = data.getElementType().getIntOrFloatBitWidth() / 8;
  value.bytes = uint64_t(data.getNumElements()) * value.elementBytes;
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

/// What a fold function refers to, by way of other functions as well.
struct FoldCode {
  /// All of it, and what nothing else refers to.
  llvm::DenseSet<StringAttr> symbols, own;
};

FoldCode findFoldCode(ModuleOp module, StringRef foldFunction) {
  llvm::DenseMap<StringAttr, SmallVector<StringAttr>> uses;
  llvm::DenseSet<StringAttr> used;
  for (Operation &symbol : *module.getBody()) {
    auto name =
        symbol.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (!name)
      continue;
    SmallVector<StringAttr> &own = uses[name];
    symbol.walk([&](Operation *op) {
      if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
        own.push_back(address.getGlobalNameAttr().getAttr());
      else if (auto call = dyn_cast<LLVM::CallOp>(op))
        if (FlatSymbolRefAttr callee = call.getCalleeAttr())
          own.push_back(callee.getAttr());
    });
    used.insert_range(own);
  }
  auto follow = [&](ArrayRef<StringAttr> begin, StringRef except) {
    llvm::DenseSet<StringAttr> seen;
    SmallVector<StringAttr> open(begin);
    while (!open.empty())
      if (StringAttr name = open.pop_back_val();
          name != except && seen.insert(name).second)
        llvm::append_range(open, uses.lookup(name));
    return seen;
  };
  SmallVector<StringAttr> roots;
  for (const auto &entry : uses)
    if (!used.contains(entry.first))
      roots.push_back(entry.first);
  FoldCode code;
  code.symbols = follow(StringAttr::get(module.getContext(), foldFunction),
                        /*except=*/"");
  code.own = code.symbols;
  for (StringAttr name : follow(roots, foldFunction))
    code.own.erase(name);
  return code;
}

/// Calls `visit` with the ops of the fold code.
void walkFoldCode(ModuleOp module, const FoldCode &code,
                  function_ref<void(Operation *)> visit) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (code.symbols.contains(function.getSymNameAttr()))
      function.walk(visit);
}

/// Whether all that the fold code reads, it reads itself: kernels expect
/// elements that are aligned.
bool readsAlone(ModuleOp module, const FoldCode &code) {
  bool isAlone = true;
  walkFoldCode(module, code, [&](Operation *op) {
    if (auto call = dyn_cast<LLVM::CallOp>(op))
      isAlone &= bool(call.getCalleeAttr());
  });
  return isAlone;
}

/// Makes the fold code read elements that need not be aligned.
void readUnaligned(ModuleOp module, const FoldCode &code) {
  walkFoldCode(module, code, [](Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      load.setAlignment(1);
    else if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
      load.setAlignment(1);
    else if (auto load = dyn_cast<LLVM::masked_gather>(op))
      load.setAlignment(1);
  });
}

} // namespace

void gc::makeConstant(NamedData &constant, uint64_t bytes,
                      ArrayRef<char> unit) {
  // Without huge pages: most of it is gathered from, or read once.
  void *memory = nullptr;
  if (posix_memalign(&memory, 64, bytes) != 0)
    return;
  constant.owner = std::shared_ptr<const void>(memory, free);
  constant.bytes = StringRef(static_cast<char *>(memory), bytes);
  char *next = static_cast<char *>(memory);
  for (uint64_t done = 0; done < bytes; done += unit.size())
    memcpy(next + done, unit.data(), unit.size());
}

llvm::Expected<std::vector<NamedData>> gc::takeLargeConstants(ModuleOp module,
                                                              StringRef entry) {
  std::vector<NamedData> taken;
  FoldCode fold = findFoldCode(module, (entry + "_fold").str());
  bool isAlone = readsAlone(module, fold), hasUnaligned = false;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    std::optional<Content> value;
    if (isPrivateConstant(global))
      value = getValue(global);
    if (!value || value->bytes < kLargeConstantBytes)
      continue;
    NamedData constant{global.getSymName().str(),
                       StringRef(value->unit.data(), value->bytes), nullptr};
    constant.isFolded = fold.own.contains(global.getSymNameAttr());
    bool isAligned = value->isAligned();
    if (value->bytes == value->unit.size() &&
        (isAligned || (constant.isFolded && isAlone)))
      constant.owner = findOwner(value->unit);
    hasUnaligned |= constant.owner && !isAligned;
    if (!constant.owner)
      makeConstant(constant, value->bytes, value->unit);
    if (!constant.owner)
      return llvm::createStringError(
          std::errc::not_enough_memory,
          "not enough memory for the %llu bytes of a constant",
          static_cast<unsigned long long>(value->bytes));
    auto address = reinterpret_cast<uintptr_t>(constant.bytes.data());
    uint64_t alignment = address & -address;
    if (global.getAlignment().value_or(0) > alignment)
      global.setAlignment(alignment);
    taken.push_back(std::move(constant));
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
  }
  if (hasUnaligned)
    readUnaligned(module, fold);
  return taken;
}

void gc::defineConstant(llvm::GlobalVariable &global, uint64_t bytes) {
  auto *type =
      llvm::ArrayType::get(llvm::Type::getInt8Ty(global.getContext()), bytes);
  auto *zeros = new llvm::GlobalVariable(
      *global.getParent(), type, /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage,
      llvm::ConstantAggregateZero::get(type), "", &global,
      llvm::GlobalValue::NotThreadLocal, global.getAddressSpace(),
      /*isExternallyInitialized=*/true);
  zeros->setAlignment(llvm::Align(64));
  zeros->takeName(&global);
  global.replaceAllUsesWith(zeros);
  global.eraseFromParent();
}

llvm::Error gc::fillConstants(MutableArrayRef<char> object,
                              ArrayRef<NamedData> constants) {
  llvm::StringMap<StringRef> contents;
  for (const NamedData &constant : constants)
    contents[constant.symbol] = constant.bytes;
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "object"));
  if (!file)
    return file.takeError();
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    auto found = contents.find(*name);
    if (found == contents.end())
      continue;
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    auto address = symbol.getAddress();
    if (!address)
      return address.takeError();
    auto place = (*section)->getContents();
    if (!place)
      return place.takeError();
    uint64_t offset = *address - (*section)->getAddress();
    StringRef bytes = found->second;
    if (offset > place->size() || bytes.size() > place->size() - offset)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "the object file has no room for '" +
                                         *name + "'");
    memcpy(object.data() + (place->data() - object.data()) + offset,
           bytes.data(), bytes.size());
  }
  return llvm::Error::success();
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
