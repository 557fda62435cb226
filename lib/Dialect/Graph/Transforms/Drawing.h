// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A picture of a graph: ops as nodes inside boxes for fused regions, merge
// groups and functions. Written as DOT, which other tools lay out, or as SVG in
// layers.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_DRAWING_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_DRAWING_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gc::graph {

/// A node, or a box around others.
struct Shape {
  enum class Kind { value, tunable, fusible, other, region, group, function };

  Kind kind;
  /// The title of a box; the lines in a node.
  std::vector<std::string> lines;
  std::vector<std::unique_ptr<Shape>> children;
  /// Numbers of the nodes inside a box, or of the node itself: [first, end).
  unsigned first = 0, end = 0;
  /// Position and size in the drawing, in pixels.
  double x = 0, y = 0, width = 0, height = 0;

  Shape(Kind kind, std::vector<std::string> lines)
      : kind(kind), lines(std::move(lines)) {}
  bool isNode() const { return kind < Kind::region; }
};

/// Boxes and the arrows between nodes, which are numbered in the order in which
/// they were added.
struct Drawing {
  Shape root{Shape::Kind::group, {}};
  llvm::SmallVector<std::pair<unsigned, unsigned>> arrows;

  /// Numbers the nodes below; call it before writing.
  void number();
  void writeDot(llvm::raw_ostream &os) const;
  /// Lays out every box in layers, sources above their targets, and writes it.
  void writeSvg(llvm::raw_ostream &os);
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_DRAWING_H
