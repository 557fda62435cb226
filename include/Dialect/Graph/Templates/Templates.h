// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The choice among the templates of an op.

#ifndef GC_DIALECT_GRAPH_TEMPLATES_TEMPLATES_H
#define GC_DIALECT_GRAPH_TEMPLATES_TEMPLATES_H

#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Dialect/Graph/Templates/TemplateRegistry.h"

namespace gc::graph {

/// Adds the attributes of the dialect that are templates (Templates.td).
void addTemplates(TemplateRegistry &templates);

/// The candidates of all templates of the op, cheapest first; none if no
/// candidate fits what the options fix.
llvm::SmallVector<TemplateCandidate>
findTemplates(TunableOpInterface op, const Machine &machine,
              const TemplateOptions &options);

/// The templates of the op that have no candidate, by name, each with the
/// reason; the chosen one is not among them.
llvm::SmallVector<std::pair<llvm::StringRef, std::string>>
findRefusals(TunableOpInterface op, const Machine &machine,
             const TemplateOptions &options);

/// Reports that the op has no template, and which ops its templates are for.
llvm::LogicalResult reportNoTemplate(TunableOpInterface op,
                                     const Machine &machine,
                                     const TemplateOptions &options);

/// The attribute that is a tunable op's chosen template.
constexpr llvm::StringLiteral kTemplateAttr = "template_params";

/// Checks the op's chosen template, if it has one: it is registered for the op,
/// and its parameters fit.
llvm::LogicalResult verifyChosenTemplate(TunableOpInterface op);

/// The chosen template's anchor of that name for the operand (0 for post-op
/// anchors); nothing if there is no such anchor.
std::optional<AnchorInfo> findAnchor(TunableOpInterface op, AnchorKind kind,
                                     unsigned index, unsigned operand);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TEMPLATES_TEMPLATES_H
