// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpList.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/OpTable.h"
#include "Examples.h"
#include "OpTests.h"
#include "Reference/Interpreter.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace llvm;
using namespace gc;
using namespace gc::graph;

namespace {
class OpList {
public:
  explicit OpList(raw_ostream &os) : os(os) {
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    reference::registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    dialect = context.getLoadedDialect<GraphDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(kExamples, &context);
    module->walk([&](mlir::Operation *op) {
      examples[op->getName().getStringRef()].push_back(op);
    });
  }

  void printText();
  void printMarkdown();
  void printTypes(const OpTests &tests);
  void printJson();

private:
  /// Why the target runs none of the examples of the op, or nothing.
  std::optional<std::string> findObstacle(const OpSpec &spec,
                                          const TargetSupport &target);
  /// "yes", "decomposed", or why not.
  std::string getSupport(const OpSpec &spec, const TargetSupport &target);
  /// How the CPU computes it.
  StringRef getMeans(const OpSpec &spec, const TargetSupport &cpu);

  raw_ostream &os;
  mlir::MLIRContext context;
  GraphDialect *dialect;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::StringMap<std::vector<mlir::Operation *>> examples;
};
} // namespace

std::optional<std::string> OpList::findObstacle(const OpSpec &spec,
                                                const TargetSupport &target) {
  std::optional<std::string> first =
      target.getObstacle(mlir::OperationName(spec.opName, &context));
  if (first)
    return first;
  for (mlir::Operation *op : examples[spec.opName]) {
    std::optional<std::string> obstacle = target.getObstacle(op);
    if (!obstacle)
      return std::nullopt;
    if (!first)
      first = obstacle;
  }
  return first;
}

std::string OpList::getSupport(const OpSpec &spec,
                               const TargetSupport &target) {
  mlir::OperationName name(spec.opName, &context);
  if (auto obstacle = findObstacle(spec, target))
    return "no: " + *obstacle;
  // Ops that are also fusible or tunable may be run without decomposition.
  bool isComplex = name.hasInterface<ComplexOpInterface>() &&
                   !name.hasInterface<TunableOpInterface>() &&
                   !name.hasInterface<ReductionOpInterface>();
  return isComplex && target.decomposes() ? "decomposed" : "yes";
}

StringRef OpList::getMeans(const OpSpec &spec, const TargetSupport &cpu) {
  std::string support = getSupport(spec, cpu);
  if (StringRef(support).starts_with("no"))
    return "no";
  if (!dialect->getTemplates().lookup(spec.opName).empty())
    return "template";
  mlir::OperationName name(spec.opName, &context);
  bool isComplex = name.hasInterface<ComplexOpInterface>() &&
                   !name.hasInterface<ReductionOpInterface>();
  return isComplex ? "decomposed" : "generic";
}

static std::string getDefault(const AttrSpec &attr) {
  StringRef value = attr.defaultValue;
  if (attr.type == AttrType::F32)
    value.consume_back("f");
  if (value == "{}")
    return "[]";
  return value.str();
}

/// "src, weights, bias?": optional ones are marked, "..." stands for any
/// number.
static std::string describe(ArrayRef<ValueSpec> values, bool withElements) {
  std::string text;
  raw_string_ostream out(text);
  interleaveComma(values, out, [&](const ValueSpec &value) {
    out << value.name
        << (value.arity == Arity::One        ? ""
            : value.arity == Arity::Optional ? "?"
                                             : "...");
    if (withElements)
      out << ": " << value.elements;
  });
  return text;
}

static std::string describe(const AttrSpec &attr) {
  std::string text = (attr.name + ": " + stringify(attr.type)).str();
  if (attr.use == AttrUse::Optional)
    text += " = " + getDefault(attr);
  if (attr.use == AttrUse::Hint)
    text += " (ignored)";
  return text;
}

void OpList::printText() {
  for (const OpSpec &spec : getOpTable()) {
    os << spec.opName;
    if (!spec.kind.empty())
      os << " (" << spec.kind << ")";
    os << ": " << spec.summary << "\n";
    os << "  operands: " << describe(spec.operands, true) << "\n";
    os << "  results: " << describe(spec.results, true) << "\n";
    if (!spec.attrs.empty()) {
      os << "  attributes: ";
      interleaveComma(spec.attrs, os,
                      [&](const AttrSpec &attr) { os << describe(attr); });
      os << "\n";
    }
    for (const auto &target : dialect->getTargets())
      os << "  " << target->getName() << ": " << getSupport(spec, *target)
         << "\n";
  }
}

/// The content of a table cell.
static std::string getCell(StringRef text) {
  std::string cell;
  for (char c : text)
    cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

void OpList::printMarkdown() {
  os << "<!-- Autogenerated by gc-translate --list-ops=markdown; don't "
        "manually edit -->\n\n# Operations\n\n"
        "All operations of the Graph dialect, with their names in oneDNN Graph "
        "(none: an\nextension), the attributes that both have, and which "
        "targets run them. `?` marks\nwhat is optional, `...` any number, `=` "
        "a "
        "default; other attributes are required.\nTypes are those of single "
        "values; which of them go together, and what an\noperation means, is "
        "on "
        "[the dialect's page](GraphDialect.md). \"Decomposed\" ones\nare run "
        "as "
        "the simpler operations that define them. A target runs an operation "
        "if it\nruns one of the examples in tools/gc-translate/Examples.mlir; "
        "the pass\n`graph-check-support` answers for the types and "
        "attributes at hand.\n\n"
        "| operation | oneDNN Graph | operands | results | attributes |";
  for (const auto &target : dialect->getTargets())
    os << " " << target->getName() << " |";
  os << "\n|---|---|---|---|---|";
  for (size_t i = 0; i < dialect->getTargets().size(); ++i)
    os << "---|";
  os << "\n";
  for (const OpSpec &spec : getOpTable()) {
    os << "| `" << spec.opName << "` | " << spec.kind << " | "
       << describe(spec.operands, true) << " | " << describe(spec.results, true)
       << " | ";
    interleave(
        spec.attrs, os,
        [&](const AttrSpec &attr) { os << "`" << describe(attr) << "`"; },
        "<br>");
    os << " |";
    for (const auto &target : dialect->getTargets())
      os << " " << getCell(getSupport(spec, *target)) << " |";
    os << "\n";
  }
}

void OpList::printTypes(const OpTests &tests) {
  os << "\n## Element types and tests\n\n"
        "For each operation and each element type that its first operand with "
        "a "
        "choice may\nhave (or its result, where that is what varies): whether "
        "the reference evaluates\nit, how the CPU computes it, and the "
        "end-to-end test in `test/E2E` that has it most\noften. Operations "
        "with "
        "a *template* are loops around microkernels, *generic* ones\nvectors "
        "that follow from their definition, *decomposed* ones what they are "
        "made of.\nOperations with windows are also tested in all types by "
        "`test/Conformance`, and\nrandom graphs have all of them (`gc-fuzz "
        "--count-ops`). Of operations of any type\nthose in tests are listed."
        "\n\n"
        "| operation | type | reference | cpu | test "
        "|\n|---|---|---|---|---|\n";
  auto find = [&](StringRef name) -> const TargetSupport & {
    return **find_if(dialect->getTargets(), [&](const auto &target) {
      return target->getName() == name;
    });
  };
  for (const OpSpec &spec : getOpTable()) {
    SmallVector<StringRef> types = getRowTypes(spec);
    if (types == ArrayRef<StringRef>{"any"})
      types = tests.getTypes(spec);
    StringRef reference =
        StringRef(getSupport(spec, find("reference"))).starts_with("no")
            ? "no"
            : "yes";
    StringRef means = getMeans(spec, find("cpu"));
    if (types.empty())
      types.push_back("any");
    for (StringRef type : types)
      os << "| `" << spec.opName << "` | " << type << " | " << reference
         << " | " << means << " | " << tests.find(spec, type) << " |\n";
  }
}

void OpList::printJson() {
  json::OStream json(os, /*IndentSize=*/1);
  auto printValues = [&](StringRef key, ArrayRef<ValueSpec> values) {
    json.attributeArray(key, [&] {
      for (const ValueSpec &value : values)
        json.object([&] {
          json.attribute("name", value.name);
          json.attribute("elements", value.elements);
          json.attribute("required", value.arity == Arity::One);
          json.attribute("variadic", value.arity == Arity::Any);
        });
    });
  };
  json.array([&] {
    for (const OpSpec &spec : getOpTable())
      json.object([&] {
        json.attribute("name", spec.opName);
        json.attribute("kind", spec.kind);
        printValues("operands", spec.operands);
        printValues("results", spec.results);
        json.attributeArray("attributes", [&] {
          for (const AttrSpec &attr : spec.attrs)
            json.object([&] {
              json.attribute("name", attr.name);
              json.attribute("type", stringify(attr.type));
              json.attribute("required", attr.use == AttrUse::Required);
              json.attribute("default", getDefault(attr));
            });
        });
        json.attributeObject("targets", [&] {
          for (const auto &target : dialect->getTargets())
            json.attribute(target->getName(), getSupport(spec, *target));
        });
      });
  });
  os << "\n";
}

Error gc::printOpList(OpListFormat format, StringRef tests, raw_ostream &os) {
  OpList list(os);
  switch (format) {
  case OpListFormat::text:
    list.printText();
    break;
  case OpListFormat::markdown: {
    list.printMarkdown();
    if (tests.empty())
      break;
    auto read = OpTests::read(tests);
    if (!read)
      return read.takeError();
    list.printTypes(*read);
    break;
  }
  case OpListFormat::json:
    list.printJson();
    break;
  }
  return Error::success();
}
