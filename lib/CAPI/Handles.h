// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the handles of the C interface refer to, and how C++ errors and
// exceptions become its errors.

#ifndef GC_LIB_CAPI_HANDLES_H
#define GC_LIB_CAPI_HANDLES_H

#include "CAPI/GraphCompiler.h"
#include "Driver/DynamicGraph.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

struct gc_error {
  gc_status status;
  std::string message;
};

struct gc_buffer {
  std::string data;
};

namespace gc::capi {

/// A graph with its context.
struct GraphState {
  explicit GraphState(const mlir::DialectRegistry &registry)
      : context(registry, mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }

  /// Contexts without threads of their own serve one thread at a time.
  std::mutex mutex;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// An argument or result without the types of MLIR, whose context may be gone.
struct TensorInfo {
  std::string name;
  gc_dtype dtype = GC_F32;
  const char *dtypeName = "";
  size_t elementSize = 0;
  /// GC_SIZE_VARIES where they vary.
  std::vector<int64_t> shape, strides;
  /// 0 if the shape varies.
  size_t bytes = 0;
  bool isConstant = false;
  bool varies = false;
};

/// Fails for element types that have no gc_dtype and for sizes beyond the
/// address space.
llvm::Expected<TensorInfo> describe(const ValueInfo &value);

/// A new error; one that needs no memory if there is none left.
gc_error *makeError(gc_status status, const llvm::Twine &message) noexcept;
gc_error *makeError(llvm::Error error, gc_status status) noexcept;

/// Calls a function that returns a gc_error; no exception escapes.
template <typename Function>
gc_error *guard(Function &&function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return makeError(GC_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &exception) {
    return makeError(GC_RUNTIME_ERROR, exception.what());
  } catch (...) {
    return makeError(GC_RUNTIME_ERROR, "an unknown exception");
  }
}

/// Copies what fits into a structure of the caller, who may have been compiled
/// with a different version of it. Fails if struct_size cannot be right.
template <typename T>
gc_error *copyTo(T *to, T from, const char *what) {
  if (!to)
    return makeError(GC_INVALID_ARGUMENT, llvm::Twine(what) + " is NULL");
  size_t size = to->struct_size;
  if (size < sizeof(size_t) || size > (1 << 16))
    return makeError(GC_INVALID_ARGUMENT,
                     llvm::Twine(what) +
                         "->struct_size is not set to the structure's size");
  from.struct_size = size;
  if (size > sizeof(T))
    memset(static_cast<void *>(to), 0, size);
  memcpy(static_cast<void *>(to), &from, std::min(size, sizeof(T)));
  return nullptr;
}

/// The options of the caller, checked; threads are 0 where there is no number.
llvm::Expected<CompileOptions> readOptions(const gc_compile_options *options,
                                           std::string &entry);

/// Gives the options a number of threads if they have none.
llvm::Error resolveThreads(mlir::ModuleOp module, bool runsHere,
                           CompileOptions &options);

/// Why these pointers cannot be the arguments, or nothing.
gc_error *checkPointers(const gc_compiled &compiled, void *const *inputs,
                        size_t numInputs, void *const *outputs,
                        size_t numOutputs, const gc_executor *executor);

/// Executes a graph of fixed sizes and counts the forks. The pointers are
/// checked.
gc_error *execute(gc_compiled &compiled, CompiledGraph &graph,
                  void *const *inputs, void *const *outputs,
                  const gc_executor *executor, int64_t threads,
                  int64_t version);

} // namespace gc::capi

/// What was compiled from it may need it for longer.
struct gc_graph {
  std::shared_ptr<gc::capi::GraphState> state;
};

struct gc_compiled {
  std::string name;
  int64_t threads = 1;
  int64_t flops = 0;
  /// Either a graph of fixed sizes, or one of sizes that vary.
  std::unique_ptr<gc::CompiledGraph> graph;
  std::unique_ptr<gc::DynamicGraph> dynamic;
  /// Of a graph of sizes that vary: the remarks of what was compiled first.
  /// Guarded by the mutex until they are there.
  mutable std::mutex mutex;
  std::optional<std::vector<gc::Remark>> firstRemarks;
  std::vector<gc::capi::TensorInfo> inputs, outputs;
  /// Forks of the last execution, folding apart; -1 before.
  std::atomic<int64_t> forks{-1};
};

#endif // GC_LIB_CAPI_HANDLES_H
