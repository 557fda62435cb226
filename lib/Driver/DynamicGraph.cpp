// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/DynamicGraph.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Diagnostics.h"
#include "Driver/SharedConstants.h"
#include "PipelineRun.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace gc;

/// Shapes of results are remembered for this many tuples of sizes.
static constexpr size_t kMostShapes = 1024;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<std::pair<std::string, DimSizes>>
gc::parseDimSizes(StringRef text) {
  auto [name, values] = text.split('=');
  std::pair<std::string, DimSizes> result{name.str(), {}};
  SmallVector<StringRef> parts;
  values.split(parts, ',');
  for (StringRef part : parts) {
    int64_t size;
    if (part.getAsInteger(10, size))
      return makeError("'" + text + "' is not NAME=SIZE,SIZE...");
    result.second.push_back(size);
  }
  if (name.empty())
    return makeError("'" + text + "' is not NAME=SIZE,SIZE...");
  return result;
}

std::string gc::describeOpenSizes(func::FuncOp function) {
  std::string text = ("the sizes of @" + function.getName() + " vary: ").str();
  bool isFirst = true;
  for (const graph::NamedDim &dim : graph::getNamedDims(function)) {
    text += (isFirst ? "" : ", ") + dim.name + " from " +
            std::to_string(dim.min) + " to " + std::to_string(dim.max);
    isFirst = false;
  }
  return text + "; choose one of each (--size=NAME=SIZE, graph-specialize)";
}

static llvm::Error specializeAndVerify(func::FuncOp function,
                                       const graph::NamedSizes &sizes) {
  DiagnosticCollector diagnostics(function.getContext());
  if (failed(graph::specializeDims(function, sizes)) ||
      failed(verify(function)))
    return diagnostics.takeError("the sizes cannot be fixed");
  return llvm::Error::success();
}

llvm::Error gc::specializeModule(ModuleOp module,
                                 const graph::NamedSizes &sizes,
                                 StringRef only) {
  graph::NamedSizes unknown = sizes;
  std::string names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!only.empty() && function.getName() != only)
      continue;
    graph::NamedSizes own;
    for (const graph::NamedDim &dim : graph::getNamedDims(function)) {
      names += (names.empty() ? "'" : ", '") + dim.name + "'";
      unknown.erase(dim.name);
      if (auto size = sizes.find(dim.name); size != sizes.end())
        own.insert(*size);
    }
    if (own.empty())
      continue;
    if (llvm::Error error = specializeAndVerify(function, own))
      return error;
  }
  if (unknown.empty())
    return llvm::Error::success();
  return makeError(
      "there is no dimension '" + unknown.begin()->first +
      (names.empty() ? "'; all sizes are fixed" : "'; there are " + names));
}

llvm::Expected<std::unique_ptr<DynamicGraph>>
DynamicGraph::create(func::FuncOp entry, const CompileOptions &options,
                     std::shared_ptr<std::mutex> mutex) {
  std::unique_ptr<DynamicGraph> graph(new DynamicGraph());
  graph->function = entry;
  graph->options = options;
  if (!graph->options.constants)
    graph->options.constants = std::make_shared<SharedConstants>();
  graph->contextMutex = std::move(mutex);
  graph->dims = graph::getNamedDims(entry);
  if (graph->dims.empty())
    return makeError("@" + entry.getName() + " has no sizes that vary");
  auto inputs = getDynamicInputInfo(entry);
  if (!inputs)
    return inputs.takeError();
  auto outputs = getDynamicOutputInfo(entry);
  if (!outputs)
    return outputs.takeError();
  graph->inputs = std::move(*inputs);
  graph->outputs = std::move(*outputs);
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    graph->inputSizes.push_back(*graph::getArgumentSizes(entry, i));
    std::vector<int64_t> &indices = graph->inputDims.emplace_back();
    for (const graph::SizeExpr &size : graph->inputSizes.back()) {
      auto it = llvm::find_if(graph->dims, [&](const graph::NamedDim &dim) {
        return size.getName() == dim.name;
      });
      indices.push_back(it == graph->dims.end() ? -1
                                                : it - graph->dims.begin());
    }
  }
  return graph;
}

llvm::Error DynamicGraph::checkSizes(const DimSizes &sizes) const {
  if (sizes.size() != dims.size())
    return makeError("the graph has " + llvm::Twine(dims.size()) +
                     " sizes that vary, not " + llvm::Twine(sizes.size()));
  for (auto [dim, size] : llvm::zip_equal(dims, sizes))
    if (size < dim.min || size > dim.max)
      return makeError("size " + llvm::Twine(size) + " of '" + dim.name +
                       "' is not from " + llvm::Twine(dim.min) + " to " +
                       llvm::Twine(dim.max));
  return llvm::Error::success();
}

std::optional<DimSizes>
DynamicGraph::matchSizes(ArrayRef<ArrayRef<int64_t>> shapes) const {
  DimSizes sizes(dims.size(), 0);
  for (size_t i = 0; i < inputs.size(); ++i) {
    ArrayRef<int64_t> expected = inputs[i].type.getShape();
    if (shapes[i].size() != expected.size())
      return std::nullopt;
    for (size_t dim = 0; dim < expected.size(); ++dim) {
      int64_t size = shapes[i][dim], index = inputDims[i][dim];
      if (size < 1)
        return std::nullopt;
      if (index < 0 ? size != expected[dim]
                    : sizes[index] != 0 && sizes[index] != size)
        return std::nullopt;
      if (index >= 0)
        sizes[index] = size;
    }
  }
  for (auto [dim, size] : llvm::zip_equal(dims, sizes))
    if (size < dim.min || size > dim.max)
      return std::nullopt;
  return sizes;
}

llvm::Expected<DimSizes>
DynamicGraph::getSizes(ArrayRef<ArrayRef<int64_t>> shapes) const {
  if (shapes.size() != inputs.size())
    return makeError("the graph has " + llvm::Twine(inputs.size()) +
                     " inputs, not " + llvm::Twine(shapes.size()));
  if (std::optional<DimSizes> sizes = matchSizes(shapes))
    return *sizes;
  auto refuse = [&](size_t input, const llvm::Twine &reason) {
    return makeError("input " + llvm::Twine(input) + " '" + inputs[input].name +
                     "' " + reason);
  };
  // Where a size was found, for the message.
  std::map<std::string, std::pair<int64_t, size_t>> found;
  auto getSize = [&](StringRef name) -> std::optional<int64_t> {
    auto it = found.find(name.str());
    return it == found.end() ? std::nullopt : std::optional(it->second.first);
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (shapes[i].size() != inputSizes[i].size())
      return refuse(i, "has " + llvm::Twine(shapes[i].size()) +
                           " dimensions instead of " +
                           llvm::Twine(inputSizes[i].size()));
    for (auto [dim, expr] : llvm::enumerate(inputSizes[i])) {
      auto name = expr.getSolvedName();
      if (!name || found.count(*name))
        continue;
      auto size = expr.solve(*name, shapes[i][dim]);
      if (!size)
        return refuse(i, "has size " + llvm::Twine(shapes[i][dim]) +
                             " in dimension " + llvm::Twine(dim) +
                             ", which is not '" + expr.str() + "'");
      found[*name] = {*size, i};
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    for (auto [dim, expr] : llvm::enumerate(inputSizes[i])) {
      std::optional<int64_t> size = expr.substitute(getSize).getConstant();
      if (size == shapes[i][dim])
        continue;
      std::string reason = "has size " + std::to_string(shapes[i][dim]) +
                           " in dimension " + std::to_string(dim) +
                           " instead of " + std::to_string(size.value_or(0));
      std::vector<std::string> names = expr.getNames();
      if (!names.empty())
        reason += ", as '" + names.front() + "' of '" +
                  inputs[found[names.front()].second].name + "' is " +
                  std::to_string(found[names.front()].first);
      return refuse(i, reason);
    }
  DimSizes sizes;
  for (const graph::NamedDim &dim : dims)
    sizes.push_back(found[dim.name].first);
  if (llvm::Error error = checkSizes(sizes))
    return std::move(error);
  return sizes;
}

llvm::Expected<std::vector<int64_t>>
DynamicGraph::getInputShape(const DimSizes &sizes, size_t input) const {
  if (llvm::Error error = checkSizes(sizes))
    return std::move(error);
  std::vector<int64_t> shape;
  for (const graph::SizeExpr &expr : inputSizes[input])
    shape.push_back(*expr.substitute([&](StringRef name) {
                           for (auto [dim, size] : llvm::zip_equal(dims, sizes))
                             if (dim.name == name)
                               return std::optional<int64_t>(size);
                           return std::optional<int64_t>();
                         })
                         .getConstant());
  return shape;
}

llvm::Expected<OwningOpRef<ModuleOp>>
DynamicGraph::specialize(const DimSizes &sizes) const {
  graph::NamedSizes named;
  for (auto [dim, size] : llvm::zip_equal(dims, sizes))
    named[dim.name] = size;
  func::FuncOp entry = function;
  OwningOpRef<ModuleOp> module = cloneReachable(entry);
  auto copy = module->lookupSymbol<func::FuncOp>(entry.getName());
  if (llvm::Error error = specializeAndVerify(copy, named))
    return std::move(error);
  return module;
}

llvm::Expected<std::vector<int64_t>>
DynamicGraph::getOutputShape(const DimSizes &sizes, size_t output) {
  if (llvm::Error error = checkSizes(sizes))
    return std::move(error);
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto known = outputShapes.find(sizes);
    if (known != outputShapes.end())
      return known->second[output];
  }
  std::vector<std::vector<int64_t>> shapes;
  {
    std::lock_guard<std::mutex> lock(*contextMutex);
    auto module = specialize(sizes);
    if (!module)
      return module.takeError();
    func::FuncOp entry = function;
    auto copy = (*module)->lookupSymbol<func::FuncOp>(entry.getName());
    for (Type type : copy.getResultTypes()) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
      shapes.emplace_back(shape.begin(), shape.end());
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (outputShapes.size() >= kMostShapes)
    outputShapes.clear();
  return outputShapes.try_emplace(sizes, std::move(shapes))
      .first->second[output];
}

std::shared_ptr<DynamicGraph::Entry> DynamicGraph::find(const DimSizes &sizes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = index.try_emplace(sizes, entries.end());
  if (isNew)
    entries.push_front(std::make_shared<Entry>(sizes));
  else
    entries.splice(entries.begin(), entries, it->second);
  it->second = entries.begin();
  return entries.front();
}

void DynamicGraph::forget(const Entry &entry) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = index.find(entry.sizes);
  if (it == index.end() || it->second->get() != &entry)
    return;
  entries.erase(it->second);
  index.erase(it);
}

void DynamicGraph::trim() {
  while (entries.size() > capacity) {
    index.erase(entries.back()->sizes);
    entries.pop_back();
  }
}

llvm::Expected<std::shared_ptr<CompiledGraph>>
DynamicGraph::get(const DimSizes &sizes) {
  if (llvm::Error error = checkSizes(sizes))
    return std::move(error);
  std::shared_ptr<Entry> entry = find(sizes);
  std::lock_guard<std::mutex> compiling(entry->mutex);
  if (entry->graph)
    return entry->graph;
  auto compile = [&]() -> llvm::Expected<std::unique_ptr<CompiledGraph>> {
    std::lock_guard<std::mutex> lock(*contextMutex);
    auto module = specialize(sizes);
    if (!module)
      return module.takeError();
    func::FuncOp source = function;
    return CompiledGraph::compile(
        (*module)->lookupSymbol<func::FuncOp>(source.getName()), options);
  };
  // The next caller tries again after an error.
  auto compiled = compile();
  if (!compiled) {
    forget(*entry);
    return makeError("for " + graph::printSizes(dims, sizes) + ": " +
                     llvm::toString(compiled.takeError()));
  }
  std::lock_guard<std::mutex> lock(mutex);
  ++compilations;
  compileMs += (*compiled)->getTimes().total;
  if (constantCapacity > 0)
    gc_instance_set_capacity((*compiled)->getInstance(), constantCapacity);
  entry->graph = std::move(*compiled);
  // Only now: what cannot be compiled takes no other's place.
  trim();
  return entry->graph;
}

void DynamicGraph::setCapacity(size_t count) {
  std::lock_guard<std::mutex> lock(mutex);
  capacity = std::max<size_t>(count, 1);
  trim();
}

gc_status DynamicGraph::invalidate() {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::shared_ptr<Entry> &entry : entries)
    if (entry->graph)
      if (gc_status status =
              gc_instance_invalidate(entry->graph->getInstance()))
        return status;
  return GC_OK;
}

gc_status DynamicGraph::setConstantCapacity(int64_t sets) {
  std::lock_guard<std::mutex> lock(mutex);
  constantCapacity = sets;
  for (const std::shared_ptr<Entry> &entry : entries)
    if (entry->graph)
      if (gc_status status =
              gc_instance_set_capacity(entry->graph->getInstance(), sets))
        return status;
  return GC_OK;
}

DynamicGraph::Statistics DynamicGraph::getStatistics() const {
  std::lock_guard<std::mutex> lock(mutex);
  Statistics statistics;
  statistics.compilations = compilations;
  statistics.compileMs = compileMs;
  statistics.constantBytes = options.constants->getBytes();
  statistics.foldedBytes = options.constants->getFoldedBytes();
  for (const std::shared_ptr<Entry> &entry : entries)
    if (entry->graph) {
      ++statistics.sizes;
      statistics.unsharedBytes +=
          gc_instance_constant_bytes(entry->graph->getInstance());
    }
  return statistics;
}

std::shared_ptr<CompiledGraph> DynamicGraph::getLatest() const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::shared_ptr<Entry> &entry : entries)
    if (entry->graph)
      return entry->graph;
  return nullptr;
}
