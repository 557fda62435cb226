// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which templates there are for a tunable op. A template is an attribute with
// TemplateAttrInterface; those of the dialect are added in
// lib/Dialect/Graph/Templates/Templates.cpp, others by an extension:
//
//   registry.addExtension(+[](MLIRContext *context, GraphDialect *graph,
//                             MyDialect *) {
//     graph->getTemplates().add<MyTemplateAttr>(MatmulOp::getOperationName());
//   });

#ifndef GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEREGISTRY_H
#define GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEREGISTRY_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace gc {
struct Machine;
} // namespace gc

namespace gc::graph {

struct TemplateOptions;

/// Parameters that instantiate a template for an op, a TemplateAttrInterface,
/// and the cycles that the cost model expects of the busiest core.
struct TemplateCandidate {
  mlir::Attribute params;
  double cycles;
};

/// One template of an op: what TemplateAttrInterface provides before there are
/// parameters.
struct TemplateEntry {
  using GetCandidates = llvm::SmallVector<TemplateCandidate> (*)(
      mlir::Operation *op, const Machine &machine,
      const TemplateOptions &options, std::string &reason);

  /// The attribute's mnemonic, by which options name the template.
  llvm::StringRef name;
  mlir::TypeID attribute;
  GetCandidates getCandidates;
};

class TemplateRegistry {
public:
  /// Adds the template with the attribute `Attr` to those of an op. Templates
  /// of equal cost are preferred in the order in which they were added.
  template <typename Attr>
  void add(llvm::StringRef op) {
    entries[op].push_back(
        {Attr::getMnemonic(), mlir::TypeID::get<Attr>(), &Attr::getCandidates});
  }

  /// The templates of an op in the order in which they were added.
  llvm::ArrayRef<TemplateEntry> lookup(llvm::StringRef op) const {
    auto found = entries.find(op);
    return found == entries.end() ? llvm::ArrayRef<TemplateEntry>()
                                  : llvm::ArrayRef(found->second);
  }

  /// The names of the templates of all ops, sorted, each once.
  llvm::SmallVector<llvm::StringRef> getNames() const {
    llvm::SmallVector<llvm::StringRef> names;
    for (const auto &entry : entries)
      for (const TemplateEntry &known : entry.second)
        names.push_back(known.name);
    llvm::sort(names);
    names.erase(llvm::unique(names), names.end());
    return names;
  }

private:
  llvm::StringMap<llvm::SmallVector<TemplateEntry, 2>> entries;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEREGISTRY_H
