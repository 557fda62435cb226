// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// mlir-translate with GC's importers and exporters in addition to the upstream
// ones to and from LLVM IR, and the list of operations.

#include "OpList.h"
#include "Target/Cce/Cce.h"
#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "Target/Onnx/Onnx.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/CommandLine.h"

#include <optional>

using gc::OpListFormat;

/// The format of `--list-ops[=format]`, which takes no input and is the first
/// of the options; only `--tests=folder` may follow.
static std::optional<OpListFormat> getListOption(int argc, char **argv,
                                                 llvm::StringRef &tests) {
  if (argc == 3 && (tests = argv[2]).consume_front("--tests="))
    --argc;
  if (argc != 2)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<OpListFormat>>(argv[1])
      .Cases({"--list-ops", "--list-ops=text"}, OpListFormat::text)
      .Case("--list-ops=markdown", OpListFormat::markdown)
      .Case("--list-ops=json", OpListFormat::json)
      .Default(std::nullopt);
}

int main(int argc, char **argv) {
  llvm::StringRef tests;
  if (std::optional<OpListFormat> format = getListOption(argc, argv, tests)) {
    llvm::Error error = gc::printOpList(*format, tests, llvm::outs());
    if (!error)
      return 0;
    llvm::errs() << "gc-translate: error: " << toString(std::move(error))
                 << "\n";
    return 2;
  }
  // Its text in --help.
  llvm::cl::opt<OpListFormat> listOps(
      "list-ops", llvm::cl::ValueOptional,
      llvm::cl::desc("Print all operations, and which targets run them; takes "
                     "no input"),
      llvm::cl::values(
          clEnumValN(OpListFormat::text, "text", "to be read"),
          clEnumValN(OpListFormat::text, "", ""),
          clEnumValN(OpListFormat::markdown, "markdown", "as a table"),
          clEnumValN(OpListFormat::json, "json", "for tools")));
  llvm::cl::opt<std::string> testFolder(
      "tests", llvm::cl::value_desc("folder"),
      llvm::cl::desc("With --list-ops=markdown: also a table of element types, "
                     "with the tests of this folder that have them"));
  mlir::registerFromLLVMIRTranslation();
  mlir::registerToLLVMIRTranslation();
  gc::registerCceTranslation();
  gc::registerOneDNNGraphExport();
  gc::registerOneDNNGraphTranslation();
  gc::OnnxOptions onnx;
  gc::registerOnnxExport();
  gc::registerOnnxTranslation(onnx);
  auto read = [&](llvm::Error error) {
    if (!error)
      return;
    llvm::errs() << "gc-translate: error: " << toString(std::move(error))
                 << "\n";
    std::exit(2);
  };
  llvm::cl::list<std::string> dims(
      "dim", llvm::cl::value_desc("name=size|name=min..max"),
      llvm::cl::desc(
          "Size of a dimension that an ONNX model only names, or the "
          "bounds of one that varies"),
      llvm::cl::cb<void, std::string>(
          [&](const std::string &text) { read(onnx.addDim(text)); }));
  llvm::cl::list<std::string> shapes(
      "shape", llvm::cl::value_desc("input=2x3x4"),
      llvm::cl::desc("Shape of an input of an ONNX model"),
      llvm::cl::cb<void, std::string>(
          [&](const std::string &text) { read(onnx.addShape(text)); }));
  llvm::cl::list<std::string> values(
      "value", llvm::cl::value_desc("input=1,2"),
      llvm::cl::desc("Numbers that an input of an ONNX model has to have: a "
                     "shape, an axis"),
      llvm::cl::cb<void, std::string>(
          [&](const std::string &text) { read(onnx.addValue(text)); }));
  llvm::cl::opt<bool> report(
      "report",
      llvm::cl::desc("Print what became of the nodes of an ONNX "
                     "model, by operator, to standard error"),
      llvm::cl::cb<void, bool>(
          [&](bool isSet) { onnx.report = isSet ? &llvm::errs() : nullptr; }));
  llvm::cl::opt<bool, true> partition(
      "partition", llvm::cl::location(onnx.partition),
      llvm::cl::desc("Make functions of the parts of an ONNX model that are "
                     "supported, and name the nodes that are not"));
  llvm::cl::opt<int64_t, true> maxFoldBytes(
      "max-fold-bytes", llvm::cl::value_desc("n"),
      llvm::cl::location(onnx.maxFoldBytes), llvm::cl::init(onnx.maxFoldBytes),
      llvm::cl::desc("Most memory for what is computed when an ONNX model is "
                     "imported"));
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "GC's translation driver"));
}
