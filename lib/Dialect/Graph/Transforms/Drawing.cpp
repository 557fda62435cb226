// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Drawing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using namespace llvm;

namespace gc::graph {

static void numberNodes(Shape &shape, unsigned &next) {
  shape.first = next;
  if (shape.isNode())
    ++next;
  for (auto &child : shape.children)
    numberNodes(*child, next);
  shape.end = next;
}

void Drawing::number() {
  unsigned next = 0;
  numberNodes(root, next);
}

//===----------------------------------------------------------------------===//
// DOT
//===----------------------------------------------------------------------===//

static const char *getColor(Shape::Kind kind) {
  switch (kind) {
  case Shape::Kind::value:
    return "#ffffff";
  case Shape::Kind::tunable:
    return "#f6c28b";
  case Shape::Kind::fusible:
    return "#cfe3f5";
  case Shape::Kind::other:
    return "#e6e6e6";
  case Shape::Kind::region:
    return "#f7fafc";
  case Shape::Kind::group:
    return "#fdf6e3";
  case Shape::Kind::function:
    return "#ffffff";
  }
  return "#ffffff";
}

static void writeEscaped(raw_ostream &os, StringRef text, bool xml) {
  for (char c : text) {
    if (xml && (c == '<' || c == '>' || c == '&' || c == '"'))
      os << (c == '<'   ? "&lt;"
             : c == '>' ? "&gt;"
             : c == '&' ? "&amp;"
                        : "&quot;");
    else if (!xml && (c == '"' || c == '\\'))
      os << '\\' << c;
    else
      os << c;
  }
}

static void writeLines(raw_ostream &os, const Shape &shape) {
  for (size_t i = 0; i < shape.lines.size(); ++i) {
    os << (i ? "\\n" : "");
    writeEscaped(os, shape.lines[i], /*xml=*/false);
  }
}

static void writeDotShape(raw_ostream &os, const Shape &shape, unsigned &boxes,
                          unsigned depth) {
  std::string indent(2 * depth, ' ');
  if (shape.isNode()) {
    os << indent << "n" << shape.first << " [label=\"";
    writeLines(os, shape);
    os << "\", fillcolor=\"" << getColor(shape.kind) << "\"];\n";
    return;
  }
  os << indent << "subgraph cluster_" << boxes++ << " {\n"
     << indent << "  label=\"";
  writeLines(os, shape);
  os << "\"; style=\"filled,"
     << (shape.kind == Shape::Kind::group ? "dashed" : "rounded")
     << "\"; fillcolor=\"" << getColor(shape.kind) << "\";\n";
  for (const auto &child : shape.children)
    writeDotShape(os, *child, boxes, depth + 1);
  os << indent << "}\n";
}

void Drawing::writeDot(raw_ostream &os) const {
  os << "digraph graph_ir {\n"
        "  node [shape=box, style=\"filled,rounded\", "
        "fontname=\"Helvetica\"];\n";
  unsigned boxes = 0;
  for (const auto &child : root.children)
    writeDotShape(os, *child, boxes, 1);
  for (auto [from, to] : arrows)
    os << "  n" << from << " -> n" << to << ";\n";
  os << "}\n";
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

namespace {
constexpr double kLine = 15, kCharacter = 7, kPadding = 10, kGapX = 24,
                 kGapY = 34;

class Layout {
public:
  explicit Layout(ArrayRef<std::pair<unsigned, unsigned>> arrows)
      : arrows(arrows) {}

  /// The size of a shape and the positions of its contents, relative to its
  /// corner.
  void place(Shape &shape) {
    double text = 0;
    for (const std::string &line : shape.lines)
      text = std::max(text, line.size() * kCharacter);
    double title = shape.lines.size() * kLine;
    shape.width = text + 2 * kPadding;
    shape.height = title + kPadding;
    if (shape.isNode())
      return;
    for (auto &child : shape.children)
      place(*child);
    std::vector<std::vector<Shape *>> rows = getLayers(shape);
    double y = title + 2 * kPadding;
    for (auto &row : rows)
      shape.width = std::max(shape.width, getWidth(row) + 2 * kPadding);
    for (auto &row : rows) {
      double x = (shape.width - getWidth(row)) / 2, height = 0;
      for (Shape *child : row) {
        child->x = x;
        child->y = y;
        x += child->width + kGapX;
        height = std::max(height, child->height);
      }
      y += height + kGapY;
    }
    shape.height = (rows.empty() ? y : y - kGapY) + kPadding;
  }

  /// Makes positions relative to the drawing's corner.
  void shift(Shape &shape, double x, double y) {
    shape.x += x;
    shape.y += y;
    for (auto &child : shape.children)
      shift(*child, shape.x, shape.y);
  }

private:
  static double getWidth(const std::vector<Shape *> &row) {
    double width = row.empty() ? 0 : (row.size() - 1) * kGapX;
    for (const Shape *shape : row)
      width += shape->width;
    return width;
  }

  static size_t find(const Shape &parent, unsigned node) {
    for (size_t i = 0; i < parent.children.size(); ++i)
      if (node >= parent.children[i]->first && node < parent.children[i]->end)
        return i;
    return parent.children.size();
  }

  /// Children by the length of the longest path that leads to them. Arrows only
  /// go from earlier children to later ones; others are ignored.
  std::vector<std::vector<Shape *>> getLayers(Shape &parent) {
    size_t count = parent.children.size();
    std::vector<std::vector<size_t>> sources(count);
    for (auto [from, to] : arrows) {
      size_t a = find(parent, from), b = find(parent, to);
      if (a < b && b < count)
        sources[b].push_back(a);
    }
    std::vector<size_t> layer(count, 0);
    std::vector<std::vector<Shape *>> rows;
    for (size_t i = 0; i < count; ++i) {
      for (size_t source : sources[i])
        layer[i] = std::max(layer[i], layer[source] + 1);
      // Functions are placed below one another.
      if (parent.children[i]->kind == Shape::Kind::function)
        layer[i] = i;
      rows.resize(std::max(rows.size(), layer[i] + 1));
      rows[layer[i]].push_back(parent.children[i].get());
    }
    return rows;
  }

  ArrayRef<std::pair<unsigned, unsigned>> arrows;
};
} // namespace

static void collectNodes(const Shape &shape,
                         std::vector<const Shape *> &nodes) {
  if (shape.isNode())
    nodes.push_back(&shape);
  for (const auto &child : shape.children)
    collectNodes(*child, nodes);
}

static void writeSvgShape(raw_ostream &os, const Shape &shape) {
  auto number = [](double value) { return format("%.1f", value); };
  os << "<rect class=\""
     << (shape.isNode()                     ? "node"
         : shape.kind == Shape::Kind::group ? "group"
                                            : "box")
     << "\" x=\"" << number(shape.x) << "\" y=\"" << number(shape.y)
     << "\" width=\"" << number(shape.width) << "\" height=\""
     << number(shape.height) << "\" rx=\"5\" fill=\"" << getColor(shape.kind)
     << "\"/>\n";
  for (size_t i = 0; i < shape.lines.size(); ++i) {
    os << "<text x=\""
       << number(shape.isNode() ? shape.x + shape.width / 2
                                : shape.x + kPadding)
       << "\" y=\"" << number(shape.y + (i + 1) * kLine) << "\""
       << (shape.isNode() ? " text-anchor=\"middle\"" : " class=\"title\"")
       << ">";
    writeEscaped(os, shape.lines[i], /*xml=*/true);
    os << "</text>\n";
  }
  for (const auto &child : shape.children)
    writeSvgShape(os, *child);
}

/// Whether the line between two points crosses a node other than its ends.
static bool isBlocked(ArrayRef<const Shape *> nodes, const Shape &from,
                      const Shape &to) {
  double x0 = from.x + from.width / 2, y0 = from.y + from.height;
  double x1 = to.x + to.width / 2, y1 = to.y;
  return llvm::any_of(nodes, [&](const Shape *node) {
    double y = node->y + node->height / 2;
    if (node == &from || node == &to || y <= y0 || y >= y1)
      return false;
    double x = x0 + (x1 - x0) * (y - y0) / (y1 - y0);
    return x > node->x - kPadding && x < node->x + node->width + kPadding;
  });
}

/// An arrow from below its source to above its target; where that would cross
/// nodes it ends at the target's side.
static void writeArrow(raw_ostream &os, ArrayRef<const Shape *> nodes,
                       const Shape &from, const Shape &to) {
  double x0 = from.x + from.width / 2, y0 = from.y + from.height;
  double x1 = to.x + to.width / 2, y1 = to.y;
  double bend = std::max(12.0, (y1 - y0) / 2);
  double c0x = x0, c0y = y0 + bend, c1x = x1, c1y = y1 - bend;
  if (isBlocked(nodes, from, to)) {
    bool fromLeft = x0 < x1 - to.width / 2;
    y1 = to.y + to.height / 2;
    x1 = fromLeft ? to.x : to.x + to.width;
    double out = fromLeft ? -60 : 60;
    if (!fromLeft && x0 <= x1) {
      // Sources straight above leave at their side as well.
      x0 = from.x + from.width;
      y0 = from.y + from.height / 2;
      c0x = std::max(x0, x1) + out;
      c0y = y0 + kLine;
    }
    c1x = fromLeft ? x1 + out : std::max(x0, x1) + out;
    c1y = y1 - kLine;
  }
  os << "<path class=\"arrow\" marker-end=\"url(#tip)\" d=\"M"
     << format("%.1f,%.1f C%.1f,%.1f", x0, y0, c0x, c0y)
     << format(" %.1f,%.1f %.1f,%.1f", c1x, c1y, x1, y1) << "\"/>\n";
}

void Drawing::writeSvg(raw_ostream &os) {
  Layout layout(arrows);
  layout.place(root);
  layout.shift(root, 0, 0);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
     << format("%.0f", root.width) << "\" height=\""
     << format("%.0f", root.height)
     << "\" font-family=\"Helvetica, sans-serif\" font-size=\"12\">\n"
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
        "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
        "<path d=\"M0,0 L8,4 L0,8 z\" fill=\"#555\"/></marker></defs>\n"
        "<style>rect{stroke:#777} rect.group{stroke:#b58900;"
        "stroke-dasharray:6 4;stroke-width:2} .title{font-weight:bold} "
        "path.arrow{fill:none;stroke:#555}</style>\n";
  for (const auto &child : root.children)
    writeSvgShape(os, *child);
  std::vector<const Shape *> nodes;
  collectNodes(root, nodes);
  for (auto [from, to] : arrows)
    writeArrow(os, nodes, *nodes[from], *nodes[to]);
  os << "</svg>\n";
}

} // namespace gc::graph
