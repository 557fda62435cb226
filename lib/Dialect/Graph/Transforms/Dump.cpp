// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/Graph/Transforms/Picture.h"
#include "Drawing.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHDUMP
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Shape and element type; the kind of layout if it is not plain.
std::string getTypeText(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!tensor) {
    os << type;
    return text;
  }
  for (int64_t size : tensor.getShape())
    os << (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) << "x";
  os << tensor.getElementType();
  if (LayoutAttr layout = getLayout(type))
    os << " " << stringifyLayoutKind(layout.getKind());
  return text;
}

std::string print(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attr.print(os);
  return text;
}

/// Adds the text in lines that end after a comma.
void addWrapped(StringRef text, std::vector<std::string> &lines) {
  constexpr size_t kWidth = 50;
  std::string line;
  while (!text.empty()) {
    size_t end = std::min(text.find(", "), text.size());
    StringRef piece = text.take_front(std::min(end + 2, text.size()));
    if (line.size() + piece.size() > kWidth && !line.empty()) {
      lines.push_back(StringRef(line).rtrim().str());
      line.clear();
    }
    line += piece;
    text = text.drop_front(piece.size());
  }
  lines.push_back(line);
}

class Builder {
public:
  void addFunction(func::FuncOp func) {
    Shape *box = addTo(drawing.root, Shape::Kind::function,
                       {"@" + func.getName().str()});
    for (BlockArgument arg : func.getArguments()) {
      auto name = func.getArgAttrOfType<StringAttr>(arg.getArgNumber(),
                                                    GraphDialect::kNameAttr);
      std::string text =
          name ? name.str() : "arg" + std::to_string(arg.getArgNumber());
      sources[arg] =
          addTo(*box, Shape::Kind::value, {text, getTypeText(arg.getType())});
    }
    Shape *group = nullptr;
    std::optional<int64_t> number;
    for (Operation &op : func.getBody().front()) {
      auto attr = op.getAttrOfType<IntegerAttr>(GraphDialect::kMergeGroupAttr);
      if (!attr) {
        number.reset();
        addOp(&op, *box);
        continue;
      }
      if (number != attr.getInt())
        group = addTo(*box, Shape::Kind::group,
                      {"merge group " + std::to_string(attr.getInt())});
      number = attr.getInt();
      addOp(&op, *group);
    }
  }

  Drawing finish() {
    drawing.number();
    for (auto [from, to] : arrows)
      drawing.arrows.push_back({from->first, to->first});
    return std::move(drawing);
  }

private:
  static Shape *addTo(Shape &parent, Shape::Kind kind,
                      std::vector<std::string> lines) {
    parent.children.push_back(std::make_unique<Shape>(kind, std::move(lines)));
    return parent.children.back().get();
  }

  void addOp(Operation *op, Shape &parent) {
    if (isa<YieldOp>(op))
      return;
    if (auto fused = dyn_cast<FusedOp>(op)) {
      std::string title = fused.getName().value_or("fused_op").str();
      if (op->hasAttr(GraphDialect::kMergeRowsAttr))
        title += " (rows merged)";
      Shape *box = addTo(parent, Shape::Kind::region, {title});
      for (Operation &inner : fused.getBody().front())
        addOp(&inner, *box);
      for (auto [outer, inner] :
           llvm::zip_equal(fused.getResults(), fused.getYielded()))
        sources[outer] = sources.lookup(inner);
      return;
    }
    std::vector<std::string> lines = {op->getName().stripDialect().str()};
    for (Value result : op->getResults())
      lines.push_back(getTypeText(result.getType()));
    auto kind = Shape::Kind::other;
    if (auto tunable = dyn_cast<TunableOpInterface>(op)) {
      kind = Shape::Kind::tunable;
      if (TemplateAttrInterface chosen = tunable.getChosenTemplate())
        addWrapped(print(chosen), lines);
    } else if (isa<FusibleOpInterface>(op)) {
      kind = Shape::Kind::fusible;
      if (auto anchor =
              op->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr))
        lines.push_back(stringifyAnchorKind(anchor.getKind()).str() +
                        "-op anchor " + std::to_string(anchor.getIndex()));
    }
    Shape *node = addTo(parent, kind, std::move(lines));
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Shape *source = sources.lookup(operand))
          arrows.push_back({source, node});
    });
    for (Value result : op->getResults())
      sources[result] = node;
  }

  Drawing drawing;
  llvm::DenseMap<Value, Shape *> sources;
  std::vector<std::pair<Shape *, Shape *>> arrows;
};

struct Dump : impl::GraphDumpBase<Dump> {
  using Base::Base;

  void runOnOperation() override {
    if (format != "dot" && format != "svg") {
      getOperation().emitError("option 'format' must be dot or svg, not '")
          << format << "'";
      return signalPassFailure();
    }
    Builder builder;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isDeclaration() && func.getBody().hasOneBlock())
        builder.addFunction(func);
    Drawing drawing = builder.finish();
    std::error_code error;
    llvm::raw_fd_ostream os(output, error);
    if (error) {
      getOperation().emitError("cannot write '")
          << output << "': " << error.message();
      return signalPassFailure();
    }
    if (format == "dot")
      drawing.writeDot(os);
    else
      drawing.writeSvg(os);
    markAllAnalysesPreserved();
  }
};
} // namespace

void writeGraphSvg(func::FuncOp function, llvm::raw_ostream &os) {
  Builder builder;
  if (!function.isDeclaration() && function.getBody().hasOneBlock())
    builder.addFunction(function);
  builder.finish().writeSvg(os);
}

} // namespace gc::graph
