// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graph functions as kernels of the NPU.

#include "Conversion/GraphToPoly/Statements.h"
#include "Conversion/LinalgToGraph/LinalgToGraph.h"
#include "Conversion/ToGraph/OpConversions.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Driver/Diagnostics.h"
#include "Driver/NpuDriver.h"
#include "Transforms/Pipelines.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace gc;

/// Whether the function has ops that the NPU pipeline compiles, or only returns
/// arguments.
static bool isGraph(func::FuncOp function) {
  if (function.isDeclaration())
    return false;
  if (llvm::hasSingleElement(function.getBody().getOps()) &&
      function.getNumResults() > 0)
    return llvm::all_of(function.getResultTypes(),
                        llvm::IsaPred<RankedTensorType>);
  return function
      .walk([](Operation *op) {
        return isCompiledForNpu(op) ? WalkResult::interrupt()
                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A module with only the graph function, lowered to kernels on tiles.
static llvm::Expected<OwningOpRef<ModuleOp>>
lower(func::FuncOp graph, NpuPipelineOptions options,
      std::vector<Remark> &remarks) {
  auto source = graph->getParentOfType<ModuleOp>();
  OpBuilder builder(source.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, source.getLoc());
  (*module)->setAttrs(source->getAttrDictionary());
  builder.setInsertionPointToStart(module->getBody());
  cast<func::FuncOp>(builder.clone(*graph)).setPublic();
  PassManager manager(source.getContext());
  options.stopAfter = NpuPhase::kernels;
  buildNpuPipeline(manager, options);
  DiagnosticCollector diagnostics(source.getContext());
  RemarkCollector collector(source.getContext());
  if (failed(manager.run(*module)))
    return diagnostics.takeError("the graph '" + graph.getName() +
                                 "' could not be compiled for the NPU");
  llvm::append_range(remarks, collector.take());
  llvm::append_range(remarks, diagnostics.takeRemarks());
  return module;
}

/// Replaces ops of other dialects by those that the reference knows.
static void convertReference(func::FuncOp function) {
  OpConversions conversions;
  addLinalgConversions(conversions);
  convertInPlace(function, conversions, "npu-reference");
}

/// `name`, with underscores until no symbol has it.
static std::string getFreeName(const SymbolTable &symbols, std::string name,
                               const SymbolTable *others = nullptr) {
  while (symbols.lookup(name) || (others && others->lookup(name)))
    name += "_";
  return name;
}

llvm::Expected<bool> gc::compileGraphs(ModuleOp module, llvm::StringRef entry,
                                       const NpuPipelineOptions &options,
                                       std::vector<Remark> &remarks) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(npu::NpuDialect::kKernelAttr))
      return false;
  llvm::Expected<func::FuncOp> graph = findEntry(module, entry);
  if (!graph) {
    // Whoever looks for a program reports that there is none.
    llvm::consumeError(graph.takeError());
    return false;
  }
  if (!isGraph(*graph))
    return false;
  llvm::Expected<OwningOpRef<ModuleOp>> lowered =
      lower(*graph, options, remarks);
  if (!lowered)
    return lowered.takeError();
  std::string name = graph->getName().str();
  auto program = (*lowered)->lookupSymbol<func::FuncOp>(name);
  if (!program)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the graph '" + name + "' has no kernel");
  // The graph is the program's reference, as it was.
  SymbolTable symbols(module);
  std::string reference = getFreeName(symbols, name + "_graph");
  graph->setName(reference);
  graph->setPrivate();
  OpBuilder builder(*graph);
  builder.setInsertionPointAfter(*graph);
  program->setAttr(npu::NpuDialect::kReferenceAttr,
                   FlatSymbolRefAttr::get(module.getContext(), reference));
  // A single kernel needs no references but the graph.
  if (program->hasAttr(npu::NpuDialect::kKernelAttr))
    for (auto function : llvm::to_vector((*lowered)->getOps<func::FuncOp>()))
      if (!function->hasAttr(npu::NpuDialect::kKernelAttr))
        function.erase();
  // The kernels and their own references keep their names, if they are free.
  SymbolTable own(**lowered);
  for (auto function : (*lowered)->getOps<func::FuncOp>()) {
    std::string free = getFreeName(symbols, function.getName().str());
    if (function == program || free == function.getName())
      continue;
    if (failed(own.rename(function, getFreeName(symbols, free, &own))))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "the kernel '" + function.getName() +
                                         "' could not be renamed");
  }
  for (auto function : (*lowered)->getOps<func::FuncOp>()) {
    auto clone = cast<func::FuncOp>(builder.clone(*function));
    if (!clone->hasAttr(npu::NpuDialect::kKernelAttr))
      convertReference(clone);
  }
  convertReference(*graph);
  return true;
}
