// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/TemplateDatabase.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "Machine/MachineFile.h"
#include "Support/Fingerprint.h"
#include "Support/ParserLimits.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

using namespace llvm;
using namespace gc;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

bool TunedGraph::isSameProblem(const TunedGraph &other) const {
  return problem == other.problem && threads == other.threads &&
         kernel == other.kernel;
}

const TunedGraph *TemplateDatabase::find(const TunedGraph &problem) const {
  for (const TunedGraph &graph : graphs)
    if (graph.isSameProblem(problem))
      return &graph;
  return nullptr;
}

void TemplateDatabase::set(TunedGraph graph) {
  for (TunedGraph &known : graphs)
    if (known.isSameProblem(graph)) {
      known = std::move(graph);
      return;
    }
  graphs.push_back(std::move(graph));
}

static json::Object toJson(const TunedGraph &graph) {
  json::Object object{{"graph", graph.graph},
                      {"problem", graph.problem},
                      {"threads", graph.threads},
                      {"kernel", graph.kernel},
                      {"templates", json::Array(graph.templates)}};
  if (graph.nanoseconds > 0)
    object["nanoseconds"] = graph.nanoseconds;
  return object;
}

std::string TemplateDatabase::str() const {
  json::Array list;
  for (const TunedGraph &graph : graphs)
    list.push_back(toJson(graph));
  json::Value root = json::Object{
      {"version", kVersion}, {"machine", machine}, {"graphs", std::move(list)}};
  return formatv("{0:2}\n", root).str();
}

namespace {
class DatabaseReader : JsonReader {
public:
  Expected<TemplateDatabase> run(StringRef text);

private:
  bool readGraph(const json::Value &value, TunedGraph &graph, size_t number);
};
} // namespace

bool DatabaseReader::readGraph(const json::Value &value, TunedGraph &graph,
                               size_t number) {
  std::string where = "graph " + std::to_string(number);
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail(where + " is not an object");
  if (!checkKeys(*object,
                 {"graph", "problem", "threads", "kernel", "templates"},
                 {"nanoseconds"}, where) ||
      !getText(*object, "graph", graph.graph, where))
    return false;
  where = "graph " + quote(graph.graph);
  if (!getText(*object, "problem", graph.problem, where) ||
      !getText(*object, "kernel", graph.kernel, where) ||
      !getCount(*object, "threads", graph.threads, where) ||
      !getCount(*object, "nanoseconds", graph.nanoseconds, where))
    return false;
  const json::Array *templates = object->getArray("templates");
  if (!templates)
    return fail(where + ": 'templates' is not an array of strings");
  for (const json::Value &text : *templates) {
    std::optional<StringRef> given = text.getAsString();
    if (!given)
      return fail(where + ": 'templates' is not an array of strings");
    graph.templates.push_back(given->str());
  }
  return true;
}

Expected<TemplateDatabase> DatabaseReader::run(StringRef text) {
  TemplateDatabase database;
  auto readEntry = [&](const json::Value &value, size_t number) {
    TunedGraph graph;
    if (!readGraph(value, graph, number))
      return false;
    if (database.find(graph))
      return fail("graph " + quote(graph.graph) + " is given twice");
    database.graphs.push_back(std::move(graph));
    return true;
  };
  if (!database.read(text, "graphs", *this, readEntry))
    return createStringError(inconvertibleErrorCode(), message);
  return database;
}

Expected<TemplateDatabase> TemplateDatabase::parse(StringRef text) {
  return DatabaseReader().run(text);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::string gc::graph::getFingerprint(const Machine &machine) {
  std::string text;
  raw_string_ostream os(text);
  writeMachine(machine, os);
  return machine.name + "-" + gc::getFingerprint(text);
}

static SmallVector<TunableOpInterface> getTunableOps(mlir::Operation *root) {
  SmallVector<TunableOpInterface> ops;
  root->walk([&](TunableOpInterface op) { ops.push_back(op); });
  return ops;
}

/// A fingerprint of the function without the templates.
static std::string getProblem(mlir::func::FuncOp function) {
  mlir::OwningOpRef<mlir::func::FuncOp> copy = function.clone();
  for (TunableOpInterface op : getTunableOps(*copy))
    op->removeAttr(kTemplateAttr);
  return gc::getFingerprint(*copy, {GraphDialect::kConstArgAttr});
}

TunedGraph gc::graph::getTunedGraph(mlir::func::FuncOp function,
                                    const Machine &machine, int64_t threads,
                                    KernelPreference kernel) {
  TunedGraph graph;
  graph.graph = function.getName().str();
  graph.problem = getProblem(function);
  graph.threads = threads ? threads : machine.cores;
  graph.kernel = getName(kernel).str();
  for (TunableOpInterface op : getTunableOps(function)) {
    TemplateAttrInterface chosen = op.getChosenTemplate();
    if (!chosen) {
      graph.templates.clear();
      break;
    }
    raw_string_ostream(graph.templates.emplace_back()) << chosen;
  }
  return graph;
}

/// Runs something that reports errors, and keeps the first one instead.
static std::string catchError(mlir::MLIRContext *context,
                              function_ref<void()> run) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (message.empty())
                                            message = diagnostic.str();
                                        });
  run();
  return message;
}

/// The attribute of a text; null, with a reason, if it is not one.
static TemplateAttrInterface
parseTemplate(StringRef text, mlir::MLIRContext *context, std::string &reason) {
  if (std::optional<ParserLimit> limit = findParserLimit(text)) {
    reason = limit->message;
    return {};
  }
  TemplateAttrInterface attribute;
  reason = catchError(context, [&] {
    attribute = dyn_cast_or_null<TemplateAttrInterface>(
        mlir::parseAttribute(text, context));
  });
  if (!attribute && reason.empty())
    reason = "it is not a template";
  return attribute;
}

LogicalResult gc::graph::setTemplates(mlir::func::FuncOp function,
                                      const TunedGraph &graph) {
  SmallVector<TunableOpInterface> ops = getTunableOps(function);
  auto fail = [&](const Twine &reason) {
    return mlir::emitError(function.getLoc(), "the templates of graph ")
           << quote(graph.graph) << " are not for @" << function.getName()
           << ": " << reason;
  };
  if (ops.size() != graph.templates.size())
    return fail("there are " + Twine(graph.templates.size()) + " for " +
                Twine(ops.size()) + " ops");
  for (auto [op, text] : zip_equal(ops, graph.templates)) {
    if (op.getChosenTemplate())
      continue;
    std::string reason;
    TemplateAttrInterface chosen =
        parseTemplate(text, function.getContext(), reason);
    if (!chosen)
      return fail(quote(text) + ": " + reason);
    op.setChosenTemplate(chosen);
    reason = catchError(function.getContext(),
                        [op = op] { (void)verifyChosenTemplate(op); });
    if (!reason.empty())
      return fail(reason);
  }
  return success();
}
