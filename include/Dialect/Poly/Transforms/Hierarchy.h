// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory hierarchy language of figure 8 of the AKG paper, with names in
// front of what is said about one statement or array of a scop:
//
//   hierarchy := item*
//   item      := (name `:`)? npu
//   npu       := `buf` buffer `(` bytes `)`
//              | (`cube` | `vector`) `(` path `)`
//              | `dataflow` `(` path `)`
//   path      := buffer+ `->` buffer+ `,` throughput `,` alignment
//   buffer    := `GM` | `L1` | `L0A` | `L0B` | `L0C` | `UB`
//
// `#` begins a comment that ends with the line.

#ifndef GC_DIALECT_POLY_TRANSFORMS_HIERARCHY_H
#define GC_DIALECT_POLY_TRANSFORMS_HIERARCHY_H

#include "NpuModel/Machine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace gc::poly {

/// What a statement of the language is about.
enum class HierarchyKind { buf, cube, vector, dataflow };
llvm::StringRef getName(HierarchyKind kind);
/// The language's name of a memory, in capitals.
std::string getBufferName(npu::Space space);

/// One statement of the language.
struct HierarchyItem {
  HierarchyKind kind = HierarchyKind::buf;
  /// A statement or an array of the scop; empty: the core.
  std::string name;
  /// Of `buf`: `to` is the memory.
  llvm::SmallVector<npu::Space> from, to;
  /// Of `buf`: bytes.
  int64_t bytes = 0;
  /// Of a unit: multiplications or elements of f16 in a cycle; of a flow: bytes
  /// in a cycle. Alignment in bytes of what is written.
  int64_t throughput = 0, alignment = 0;
  /// Where it begins in the text, from 1; 0 if it was not read.
  unsigned line = 0, column = 0;

  std::string str() const;
  /// `line 1, column 7`.
  std::string getPlace() const;
};

struct Hierarchy {
  std::vector<HierarchyItem> items;

  /// The items in the language, one per line.
  std::string str() const;
  /// The unit that the text gives to a statement; null if it gives none.
  const HierarchyItem *findUnit(llvm::StringRef statement) const;
  /// `buf` of an array in a memory, or of the core with an empty name.
  const HierarchyItem *findBuffer(llvm::StringRef name, npu::Space space) const;
};

/// Reads the language. An error begins with the line and the column.
llvm::Expected<Hierarchy> parseHierarchy(llvm::StringRef text);

/// The unit or path that the machine has from `from` to `to`, with its
/// throughput and alignment; nothing if it has none.
std::optional<HierarchyItem> getPath(const npu::Machine &machine,
                                     HierarchyKind kind,
                                     llvm::ArrayRef<npu::Space> from,
                                     llvm::ArrayRef<npu::Space> to);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_HIERARCHY_H
