// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Source.h"
#include "Driver/Diagnostics.h"
#include "Driver/DynamicGraph.h"
#include "Driver/SharedResources.h"
#include "Support/ParserLimits.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace gc;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Error SourceSettings::addSize(StringRef text) {
  auto parsed = parseDimSizes(text);
  if (!parsed)
    return parsed.takeError();
  if (parsed->second.size() != 1)
    return makeError("'" + text + "' is not NAME=SIZE");
  if (!sizes.emplace(parsed->first, parsed->second.front()).second)
    return makeError("the size of '" + parsed->first + "' is given twice");
  return Error::success();
}

Expected<SourceSettings> SourceSettings::parse(ArrayRef<std::string> texts) {
  SourceSettings settings;
  for (StringRef whole : texts) {
    StringRef kind, text;
    std::tie(kind, text) = whole.split('=');
    auto add = [&]() -> Error {
      if (kind == "dim")
        return settings.onnx.addDim(text);
      if (kind == "shape")
        return settings.onnx.addShape(text);
      if (kind == "value")
        return settings.onnx.addValue(text);
      if (kind == "size")
        return settings.addSize(text);
      return makeError("'" + whole +
                       "' is not dim=..., shape=..., value=... or size=...");
    };
    if (Error error = add())
      return std::move(error);
  }
  return std::move(settings);
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>>
gc::parseGraph(std::unique_ptr<MemoryBuffer> buffer, SourceFormat format,
               mlir::MLIRContext *context, UnknownKinds unknownKinds) {
  std::string name = buffer->getBufferIdentifier().str();
  StringRef text = buffer->getBuffer();
  if (format == SourceFormat::automatic) {
    StringRef start = text.ltrim();
    // "{-#" opens the file's metadata in MLIR.
    format = start.starts_with("{") && !start.starts_with("{-#")
                 ? SourceFormat::onednnGraph
                 : SourceFormat::mlir;
  }
  bool isBytecode = mlir::isBytecode(buffer->getMemBufferRef());
  if (format == SourceFormat::mlir && !isBytecode)
    if (auto limit = findParserLimit(text))
      return makeError(name + ":" + Twine(limit->line) + ": " + limit->message);

  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  DiagnosticCollector diagnostics(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      format == SourceFormat::onednnGraph
          ? importOneDNNGraph(sources, context, unknownKinds)
          : mlir::parseSourceFile<mlir::ModuleOp>(sources, context);
  if (!module)
    return diagnostics.takeError(name + ": cannot be read");
  shareResources(*module);
  return module;
}

static Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readOpenGraph(StringRef path, mlir::MLIRContext *context,
              UnknownKinds unknownKinds, const OnnxOptions &options,
              FileAccess access) {
  StringRef extension = sys::path::extension(path);
  bool isOnnx = extension == ".onnx";
  bool isJson = extension == ".json";
  if (!isOnnx && !isJson && extension != ".mlir" && extension != ".mlirbc")
    return makeError(path +
                     ": unknown kind of file; a graph is .mlir, .mlirbc, "
                     ".json or .onnx");
  if (!isOnnx && !options.isEmpty())
    return makeError(path + ": only ONNX models leave sizes and values open");
  auto buffer = MemoryBuffer::getFile(
      path, /*IsText=*/false,
      /*RequiresNullTerminator=*/!isOnnx || access == FileAccess::copied,
      /*IsVolatile=*/isOnnx && access == FileAccess::copied);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  if (isOnnx) {
    DiagnosticCollector diagnostics(context);
    auto module = importOnnx(std::move(*buffer), context, options);
    if (!module)
      return diagnostics.takeError(path.str() + ": cannot be read");
    shareResources(*module);
    return module;
  }
  return parseGraph(std::move(*buffer),
                    isJson ? SourceFormat::onednnGraph : SourceFormat::mlir,
                    context, unknownKinds);
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>>
gc::readGraph(StringRef path, mlir::MLIRContext *context,
              UnknownKinds unknownKinds, const SourceSettings &settings,
              FileAccess access) {
  auto module =
      readOpenGraph(path, context, unknownKinds, settings.onnx, access);
  if (!module || settings.sizes.empty())
    return module;
  if (Error error = specializeModule(**module, settings.sizes))
    return makeError(path + ": " + toString(std::move(error)));
  return module;
}
