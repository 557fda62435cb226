// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Layouts.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

using namespace gc;
using namespace gc::dnnlgraph;

namespace {
/// The layout without the context of its attribute.
struct BlockedLayout {
  std::vector<int64_t> outer, innerDims, innerBlocks;

  bool operator<(const BlockedLayout &other) const {
    return std::tie(outer, innerDims, innerBlocks) <
           std::tie(other.outer, other.innerDims, other.innerBlocks);
  }
};

/// Layouts are kept for good: there are as many as the templates have blocks.
class Table {
public:
  size_t add(BlockedLayout layout) {
    std::lock_guard<std::mutex> lock(mutex);
    auto [entry, isNew] =
        ids.try_emplace(std::move(layout), kFirst + layouts.size());
    if (isNew)
      layouts.push_back(&entry->first);
    return entry->second;
  }

  /// Null if the number is another library's.
  const BlockedLayout *find(size_t id) {
    std::lock_guard<std::mutex> lock(mutex);
    return id >= kFirst && id - kFirst < layouts.size() ? layouts[id - kFirst]
                                                        : nullptr;
  }

private:
  /// Numbers that other libraries are not likely to use.
  static constexpr size_t kFirst = 0x47430000;

  std::mutex mutex;
  std::map<BlockedLayout, size_t> ids;
  std::vector<const BlockedLayout *> layouts;
};
} // namespace

static Table &getTable() {
  // Not destroyed: other threads may still use it when the process ends.
  static Table &table = *new Table;
  return table;
}

size_t dnnlgraph::getLayoutId(graph::LayoutAttr layout) {
  return getTable().add({layout.getOuter().vec(), layout.getInnerDims().vec(),
                         layout.getInnerBlocks().vec()});
}

bool dnnlgraph::isLayoutOf(size_t id, int ndims) {
  const BlockedLayout *layout = getTable().find(id);
  return layout && ndims == static_cast<int>(layout->outer.size());
}

size_t dnnlgraph::getBlockedElements(size_t id, llvm::ArrayRef<int64_t> dims) {
  const BlockedLayout &layout = *getTable().find(id);
  std::vector<int64_t> blocks(dims.size(), 1);
  int64_t elements = 1;
  bool overflow = false;
  for (auto [dim, block] :
       llvm::zip_equal(layout.innerDims, layout.innerBlocks)) {
    blocks[dim] *= block;
    overflow |= llvm::MulOverflow(elements, block, elements) != 0;
  }
  for (auto [size, block] : llvm::zip_equal(dims, blocks))
    overflow |=
        llvm::MulOverflow(elements, (size + block - 1) / block, elements) != 0;
  return overflow ? SIZE_MAX : elements;
}

graph::LayoutAttr dnnlgraph::makeLayout(size_t id, mlir::MLIRContext *context) {
  const BlockedLayout &layout = *getTable().find(id);
  return graph::LayoutAttr::get(context, layout.outer, layout.innerDims,
                                layout.innerBlocks);
}
