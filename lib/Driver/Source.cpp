// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Source.h"
#include "Driver/Diagnostics.h"
#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace gc;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

namespace {

/// MLIR's parser recurses for each bracket, until the stack overflows.
constexpr int64_t kMaxDepth = 256;

/// The line of MLIR text in which brackets are nested deeper than kMaxDepth, or
/// 0. Angle brackets count too, since types nest in them; those of arrows and
/// comparisons do not.
int64_t findTooDeep(StringRef text) {
  int64_t depth = 0, line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    char next = i + 1 < text.size() ? text[i + 1] : '\0';
    switch (text[i]) {
    case '\n':
      ++line;
      break;
    case '"':
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
      // A newline ends a string that lacks its closing quote.
      line += i < text.size() && text[i] == '\n';
      break;
    case '/':
      if (next == '/') {
        i = std::min(text.find('\n', i), text.size());
        ++line;
      }
      break;
    case '-':
      i += next == '>';
      break;
    case '<':
      if (next == '=')
        break;
      [[fallthrough]];
    case '(':
    case '[':
    case '{':
      if (++depth > kMaxDepth)
        return line;
      break;
    case '>':
      if (next == '=')
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth = std::max<int64_t>(depth - 1, 0);
      break;
    default:
      break;
    }
  }
  return 0;
}

} // namespace

Expected<mlir::OwningOpRef<mlir::ModuleOp>>
gc::parseGraph(std::unique_ptr<MemoryBuffer> buffer, SourceFormat format,
               mlir::MLIRContext *context) {
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
    if (int64_t line = findTooDeep(text))
      return makeError(name + ":" + Twine(line) + ": nested more than " +
                       Twine(kMaxDepth) + " levels deep");

  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  DiagnosticCollector diagnostics(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      format == SourceFormat::onednnGraph
          ? importOneDNNGraph(sources, context)
          : mlir::parseSourceFile<mlir::ModuleOp>(sources, context);
  if (!module)
    return diagnostics.takeError(name + ": cannot be read");
  return module;
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>>
gc::readGraph(StringRef path, mlir::MLIRContext *context) {
  StringRef extension = sys::path::extension(path);
  if (extension == ".onnx")
    return makeError(path + ": ONNX files are not read by this build; convert "
                            "the model to oneDNN Graph JSON or to MLIR");
  bool isJson = extension == ".json";
  if (!isJson && extension != ".mlir" && extension != ".mlirbc")
    return makeError(path + ": unknown kind of file; a graph is .mlir, .mlirbc "
                            "or .json");
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  return parseGraph(std::move(*buffer),
                    isJson ? SourceFormat::onednnGraph : SourceFormat::mlir,
                    context);
}
