// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/NamedDims.h"
#include "Target/Onnx/Onnx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace gc;

/// Sizes beyond this are mistakes, and their products would not fit.
static constexpr int64_t kMaxSize = int64_t(1) << 31;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static bool readSize(StringRef text, int64_t &size) {
  return !text.getAsInteger(10, size) && size >= 0 && size <= kMaxSize;
}

Error OnnxOptions::addDim(StringRef text) {
  auto [name, value] = text.rsplit('=');
  int64_t size, most;
  if (value.contains("..")) {
    auto [from, to] = value.split("..");
    if (!graph::SizeExpr::isName(name) || !readSize(from, size) ||
        !readSize(to, most) || size < 1 || size > most)
      return makeError("'" + text +
                       "' is not NAME=MIN..MAX with 1 <= MIN <= MAX");
    dims.erase(name);
    ranges[name] = {size, most};
    return Error::success();
  }
  if (name.empty() || !readSize(value, size))
    return makeError("'" + text + "' is not NAME=SIZE");
  ranges.erase(name);
  dims[name] = size;
  return Error::success();
}

Error OnnxOptions::addShape(StringRef text) {
  auto [name, value] = text.rsplit('=');
  if (name.empty() || name.size() == text.size())
    return makeError("'" + text + "' is not INPUT=SIZExSIZE...");
  SmallVector<StringRef> parts;
  if (!value.empty())
    value.split(parts, 'x');
  SmallVector<int64_t> shape(parts.size());
  for (auto [part, size] : zip_equal(parts, shape))
    if (!readSize(part, size))
      return makeError("'" + text + "' is not INPUT=SIZExSIZE...");
  shapes[name] = shape;
  return Error::success();
}

Error OnnxOptions::addValue(StringRef text) {
  auto [name, value] = text.rsplit('=');
  if (name.empty() || name.size() == text.size())
    return makeError("'" + text + "' is not INPUT=NUMBER,NUMBER...");
  SmallVector<StringRef> parts;
  if (!value.empty())
    value.split(parts, ',');
  SmallVector<double> numbers(parts.size());
  for (auto [part, number] : zip_equal(parts, numbers))
    if (part.getAsDouble(number))
      return makeError("'" + text + "' is not INPUT=NUMBER,NUMBER...");
  values[name] = numbers;
  return Error::success();
}

void gc::registerOnnxExport() {
  mlir::TranslateFromMLIRRegistration registration(
      "export-onnx", "export a graph as an ONNX model",
      [](mlir::ModuleOp module, raw_ostream &os) {
        return exportOnnx(module, os);
      },
      [](mlir::DialectRegistry &registry) {
        registry.insert<mlir::func::FuncDialect, graph::GraphDialect>();
      });
}

void gc::registerOnnxTranslation(const OnnxOptions &options) {
  mlir::TranslateToMLIRRegistration registration(
      "import-onnx", "import an ONNX model",
      [&options](SourceMgr &sources, mlir::MLIRContext *context) {
        const MemoryBuffer *model =
            sources.getMemoryBuffer(sources.getMainFileID());
        return mlir::OwningOpRef<mlir::Operation *>(
            importOnnx(model->getMemBufferRef(), context, options));
      },
      [](mlir::DialectRegistry &registry) {
        registry.insert<mlir::func::FuncDialect, graph::GraphDialect>();
      });
}
