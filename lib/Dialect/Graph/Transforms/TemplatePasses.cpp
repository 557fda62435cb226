// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/Graph/Transforms/TemplateDatabase.h"
#include "Support/ModuleMachine.h"
#include "Support/Notice.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHEXPORTTEMPLATES
#define GEN_PASS_DEF_GRAPHIMPORTTEMPLATES
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct ImportTemplates : impl::GraphImportTemplatesBase<ImportTemplates> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkThreads(module, threads)) || failed(import(module)))
      signalPassFailure();
  }

  LogicalResult import(ModuleOp module) {
    std::string message;
    auto buffer = openInputFile(file, &message);
    if (!buffer)
      return module.emitError("the templates cannot be read: ") << message;
    auto database = TemplateDatabase::parse(buffer->getBuffer());
    if (!database)
      return module.emitError("templates '")
             << file << "': " << llvm::toString(database.takeError());
    auto machine = getMachine(module);
    if (failed(machine))
      return failure();
    std::string mismatch = database->explainMismatch(getFingerprint(*machine));
    if (!mismatch.empty()) {
      emitNotice(module.getLoc())
          << "templates of '" << file << "' are not used: " << mismatch;
      return success();
    }
    for (auto function : module.getOps<func::FuncOp>())
      if (hasOpen(function) && failed(apply(*database, function, *machine)))
        return failure();
    return success();
  }

  /// Whether there are tunable ops without a template.
  static bool hasOpen(func::FuncOp function) {
    return function
        .walk([](TunableOpInterface op) {
          return op.getChosenTemplate() ? WalkResult::advance()
                                        : WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  LogicalResult apply(const TemplateDatabase &database, func::FuncOp function,
                      const Machine &machine) {
    const TunedGraph *found =
        database.find(getTunedGraph(function, machine, threads, kernel));
    if (found)
      return setTemplates(function, *found);
    emitRemark(function.getLoc())
        << "no templates of '" << file << "' are for @" << function.getName()
        << ": they are chosen anew";
    return success();
  }
};

struct ExportTemplates : impl::GraphExportTemplatesBase<ExportTemplates> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkThreads(module, threads)) || failed(write(module)))
      signalPassFailure();
  }

  LogicalResult write(ModuleOp module) {
    auto machine = getMachine(module);
    if (failed(machine))
      return failure();
    TemplateDatabase database;
    database.machine = getFingerprint(*machine);
    for (auto function : module.getOps<func::FuncOp>()) {
      TunedGraph graph = getTunedGraph(function, *machine, threads, kernel);
      if (!graph.templates.empty())
        database.set(std::move(graph));
    }
    return writeText(module, file, database.str(), "the templates");
  }
};
} // namespace

} // namespace gc::graph
