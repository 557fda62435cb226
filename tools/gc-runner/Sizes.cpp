// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sizes.h"
#include "Driver/DynamicGraph.h"

using namespace llvm;
using namespace gc;
using namespace gc::runner;

/// More runs than this are a mistake.
static constexpr size_t kMostRuns = 1024;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<std::vector<graph::NamedSizes>>
runner::listSizes(mlir::func::FuncOp graph, const Options &options) {
  std::vector<graph::NamedDim> dims;
  if (graph)
    dims = graph::getNamedDims(graph);
  if (!graph && !options.sizes.empty())
    return makeError("--size: it is not clear which function has '" +
                     options.sizes.front().first + "'; name it (--entry)");
  for (const auto &[name, sizes] : options.sizes) {
    auto dim = find_if(dims, [&name = name](const graph::NamedDim &dim) {
      return dim.name == name;
    });
    if (dim == dims.end())
      return makeError("--size: @" + graph.getName() + " has no dimension '" +
                       name + "' that varies");
    // Before the first run.
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < dim->min || sizes[i] > dim->max)
        return makeError("--size: " + Twine(sizes[i]) + " of '" + name +
                         "' is not from " + Twine(dim->min) + " to " +
                         Twine(dim->max));
      if (is_contained(ArrayRef(sizes).take_front(i), sizes[i]))
        return makeError("--size: " + Twine(sizes[i]) + " of '" + name +
                         "' is given twice");
    }
  }
  std::vector<graph::NamedSizes> all(1);
  for (const auto &[name, sizes] : options.sizes) {
    std::vector<graph::NamedSizes> next;
    if (all.size() * sizes.size() > kMostRuns)
      return makeError("--size: there are more than " + Twine(kMostRuns) +
                       " combinations");
    for (const graph::NamedSizes &prefix : all)
      for (int64_t size : sizes) {
        next.push_back(prefix);
        next.back()[name] = size;
      }
    all = std::move(next);
  }
  for (const graph::NamedDim &dim : dims)
    if (!all.front().count(dim.name))
      return makeError(describeOpenSizes(graph));
  if (all.size() > 1 && (options.run.explain || !options.run.trace.empty()))
    return makeError("--trace and --explain show the run of one size");
  return all;
}

std::string runner::printSizes(const graph::NamedSizes &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  return text;
}

std::string runner::getFolderName(const graph::NamedSizes &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes)
    text += (text.empty() ? "" : "_") + name + "-" + std::to_string(size);
  return text;
}
