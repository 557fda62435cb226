// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/SharedResources.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"

#include <mutex>
#include <unordered_map>

using namespace mlir;
using namespace gc;

namespace {

/// The owners of shared data by its address. An address that an owner keeps
/// belongs to nobody else, in whatever context; what has lost its owners is not
/// found any more.
class Owners {
public:
  void add(std::shared_ptr<const AsmResourceBlob> owner) {
    std::lock_guard<std::mutex> lock(mutex);
    const char *address = owner->getData().data();
    known[address] = owner;
    if (known.size() < limit)
      return;
    for (auto it = known.begin(); it != known.end();)
      it = it->second.expired() ? known.erase(it) : std::next(it);
    limit = std::max<size_t>(kFewest, 2 * known.size());
  }

  std::shared_ptr<const AsmResourceBlob> find(ArrayRef<char> data) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = known.find(data.data());
    auto owner = it == known.end() ? nullptr : it->second.lock();
    return owner && owner->getData().size() == data.size() ? owner : nullptr;
  }

private:
  static constexpr size_t kFewest = 1024;
  std::mutex mutex;
  std::unordered_map<const char *, std::weak_ptr<const AsmResourceBlob>> known;
  /// Entries without owners are removed at this size.
  size_t limit = kFewest;
};

Owners &getOwners() {
  // Never destroyed: contexts may be static, too.
  static auto *owners = new Owners;
  return *owners;
}

/// The large resources that ops of the module refer to.
SmallVector<DenseResourceElementsHandle> getResources(ModuleOp module) {
  SmallVector<DenseResourceElementsHandle> resources;
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto elements =
              dyn_cast<DenseResourceElementsAttr>(attribute.getValue())) {
        const AsmResourceBlob *blob = elements.getRawHandle().getBlob();
        if (blob && int64_t(blob->getData().size()) >= kSharedResourceBytes)
          resources.push_back(elements.getRawHandle());
      }
  });
  return resources;
}

} // namespace

void gc::shareResources(ModuleOp module) {
  for (DenseResourceElementsHandle resource : getResources(module)) {
    AsmResourceBlob &blob = *resource.getBlob();
    if (findOwner(blob.getData()))
      continue;
    auto owner = std::make_shared<const AsmResourceBlob>(std::move(blob));
    getOwners().add(owner);
    resource.getResource()->setBlob(AsmResourceBlob(
        owner->getData(), owner->getDataAlignment(),
        [owner](void *, size_t, size_t) {}, /*dataIsMutable=*/false));
  }
}

std::shared_ptr<const void> gc::findOwner(ArrayRef<char> data) {
  return getOwners().find(data);
}

void gc::dropResources(ModuleOp module) {
  for (DenseResourceElementsHandle resource : getResources(module))
    if (findOwner(resource.getBlob()->getData()))
      resource.getResource()->setBlob(AsmResourceBlob(
          {}, /*dataAlignment=*/1, {}, /*dataIsMutable=*/false));
}
