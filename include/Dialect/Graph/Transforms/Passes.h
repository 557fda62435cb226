// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes on the Graph dialect, where every decision is made.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_PASSES_H
#define GC_DIALECT_GRAPH_TRANSFORMS_PASSES_H

#include "Dialect/Graph/IR/NamedDims.h"
#include "Machine/KernelChoice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

/// Sizes as elements of options.
template <>
class llvm::cl::parser<gc::graph::NamedSize>
    : public basic_parser<gc::graph::NamedSize> {
public:
  using basic_parser::basic_parser;

  bool parse(Option &option, StringRef, StringRef text,
             gc::graph::NamedSize &value) {
    auto parsed = gc::graph::parseNamedSize(text);
    if (!parsed)
      return option.error("'" + text + "' is not name=size");
    value = std::move(*parsed);
    return false;
  }
  static void print(raw_ostream &os, const gc::graph::NamedSize &value) {
    os << value.name << "=" << value.size;
  }
};

namespace gc::graph {

/// Whether to do something that usually depends on sizes.
enum class ScheduleSwitch { automatic, always, never };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Dialect/Graph/Transforms/Passes.h.inc"

/// Whether a value is known before the first execution: a constant, an argument
/// with `graph.const_arg`, or the result of an op that graph-mark-constants has
/// marked.
bool isConstantValue(mlir::Value value);

/// The maximum number of threads that passes divide work among.
constexpr int64_t kMostThreads = 4096;

/// Reports a value of the option `threads` that no machine has.
inline llvm::LogicalResult checkThreads(mlir::Operation *op, int64_t threads) {
  if (threads >= 0 && threads <= kMostThreads)
    return llvm::success();
  return op->emitError("option 'threads' must be from 0 to ")
         << kMostThreads << ", not " << threads;
}

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_PASSES_H
