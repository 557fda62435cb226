// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WriteC.h"
#include "Driver/Diagnostics.h"
#include "Driver/Package.h"
#include "Package/Interface.h"
#include "PipelineRun.h"
#include "Target/C/C.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gc;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {

constexpr int64_t kAlignment = 64;

/// The functions that callers see, which pass pieces of one block of memory to
/// those of the graph.
class PublicFunctions {
public:
  PublicFunctions(const PackageInterface &package, func::FuncOp compute,
                  func::FuncOp fold)
      : package(package), name(package.name), compute(compute), fold(fold) {}

  std::string writeHead();
  std::string writeDeclarations();
  std::string writeDefinitions() {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeFold(os);
    writeCompute(os);
    return text;
  }

private:
  int64_t getNumber(func::FuncOp function, StringRef attribute) {
    auto number = function->getAttrOfType<IntegerAttr>(attribute);
    return number ? number.getInt() : 0;
  }
  /// Offsets of folded buffers and of both parts of the arena.
  void placeBuffers();
  void writeParameters(llvm::raw_ostream &os, ArrayRef<int64_t> inputs,
                       bool hasOutputs, bool hasTypes);
  void writeFold(llvm::raw_ostream &os);
  void writeCompute(llvm::raw_ostream &os);
  std::string at(int64_t offset) {
    return "(void *)((char *)memory + " + std::to_string(offset) + ")";
  }

  const PackageInterface &package;
  StringRef name;
  func::FuncOp compute, fold;
  SmallVector<int64_t> folded, foldInputs, allInputs;
  int64_t shared = 0, own = 0, bytes = 0;
};

} // namespace

void PublicFunctions::placeBuffers() {
  auto place = [&](int64_t size) {
    int64_t offset = bytes;
    bytes += llvm::alignTo(std::max<int64_t>(size, 1), kAlignment);
    return offset;
  };
  int64_t first =
      getNumber(compute, "tir.inputs") + getNumber(compute, "tir.outputs");
  for (int64_t i = 0; i < getNumber(compute, "tir.folded"); ++i) {
    auto type = cast<MemRefType>(compute.getArgumentTypes()[first + i]);
    SmallVector<int64_t> strides;
    int64_t offset = 0, last = 0;
    (void)type.getStridesAndOffset(strides, offset);
    for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
      last += (size - 1) * stride;
    folded.push_back(
        place((last + 1) * ((type.getElementTypeBitWidth() + 7) / 8)));
  }
  auto largest = [&](StringRef attribute) {
    return std::max(getNumber(compute, attribute),
                    fold ? getNumber(fold, attribute) : 0);
  };
  shared = place(largest("tir.arena_bytes"));
  own = place(largest("tir.thread_arena_bytes"));
  for (size_t i = 0; i < package.inputs.size(); ++i)
    allInputs.push_back(i);
  if (fold)
    if (auto list = fold->getAttrOfType<DenseI64ArrayAttr>("tir.fold_inputs"))
      foldInputs.assign(list.asArrayRef().begin(), list.asArrayRef().end());
}

void PublicFunctions::writeParameters(llvm::raw_ostream &os,
                                      ArrayRef<int64_t> inputs, bool hasOutputs,
                                      bool hasTypes) {
  for (int64_t i : inputs) {
    const PackageTensor &input = package.inputs[i];
    os << (hasTypes ? "const " + input.cType + " *" : "(void *)")
       << input.identifier << ", ";
  }
  if (hasOutputs)
    for (const PackageTensor &output : package.outputs)
      os << (hasTypes ? output.cType + " *" : "(void *)") << output.identifier
         << ", ";
}

void PublicFunctions::writeFold(llvm::raw_ostream &os) {
  os << "\nvoid " << name << "_prepare(";
  writeParameters(os, foldInputs, /*hasOutputs=*/false, /*hasTypes=*/true);
  os << "void *memory) {\n";
  if (!fold) {
    os << "  (void)memory;\n}\n";
    return;
  }
  os << "  " << name << "_fold(";
  writeParameters(os, foldInputs, /*hasOutputs=*/false, /*hasTypes=*/false);
  for (int64_t offset : folded)
    os << at(offset) << ", ";
  os << at(shared) << ", " << at(own) << ");\n}\n";
}

void PublicFunctions::writeCompute(llvm::raw_ostream &os) {
  os << "\nvoid " << name << "_run(";
  writeParameters(os, allInputs, /*hasOutputs=*/true, /*hasTypes=*/true);
  os << "void *memory) {\n  " << name << "_compute(";
  writeParameters(os, allInputs, /*hasOutputs=*/true, /*hasTypes=*/false);
  for (int64_t offset : folded)
    os << at(offset) << ", ";
  os << at(shared) << ", " << at(own) << ");\n}\n";
  os << "\nvoid " << name << "(";
  writeParameters(os, allInputs, /*hasOutputs=*/true, /*hasTypes=*/true);
  os << "void *memory) {\n  " << name << "_prepare(";
  auto pass = [&](ArrayRef<int64_t> inputs) {
    for (int64_t i : inputs)
      os << package.inputs[i].identifier << ", ";
  };
  pass(foldInputs);
  os << "memory);\n  " << name << "_run(";
  pass(allInputs);
  for (const PackageTensor &output : package.outputs)
    os << output.identifier << ", ";
  os << "memory);\n}\n";
}

std::string PublicFunctions::writeHead() {
  placeBuffers();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "/* Compiled by GC to C11 for one thread; needs GC's "
        "Runtime/Portable.h.\n "
        "*\n"
     << " * " << name << "_prepare converts what is the same in every call, "
     << name << "_run\n * computes, and " << name << " does both. They share "
     << bytes << " bytes of memory,\n * aligned to " << kAlignment << ".\n *\n";
  for (const PackageTensor &input : package.inputs)
    os << " *   " << input.identifier << ": " << input.describe()
       << (input.isConstant ? ", the same in every call\n" : "\n");
  for (const PackageTensor &output : package.outputs)
    os << " *   " << output.identifier << ": " << output.describe()
       << ", result\n";
  os << " */\n";
  return text;
}

std::string PublicFunctions::writeDeclarations() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "\nenum { " << name << "_memory_bytes = " << bytes << " };\n";
  os << "void " << name << "_prepare(";
  writeParameters(os, foldInputs, /*hasOutputs=*/false, /*hasTypes=*/true);
  os << "void *memory);\n";
  for (StringRef suffix : {"_run", ""}) {
    os << "void " << name << suffix << "(";
    writeParameters(os, allInputs, /*hasOutputs=*/true, /*hasTypes=*/true);
    os << "void *memory);\n";
  }
  return text;
}

llvm::Error gc::writeC(func::FuncOp entry, const CompileOptions &given,
                       StringRef name, llvm::raw_ostream &os,
                       std::vector<Remark> &remarks, std::string *header) {
  PackageInterface package;
  package.name = name.str();
  if (llvm::Error error = describeTensors(entry, package))
    return error;
  nameParameters(package);

  CompileOptions options = given;
  options.pipeline.threads = 1;
  options.pipeline.vectorBytes = 4;
  // Templates are chosen as for generated code, but kernels stay whole.
  options.pipeline.kernel = KernelPreference::vector;
  options.pipeline.stopAfter = CpuPhase::tensor;
  OwningOpRef<ModuleOp> module = entry->getParentOfType<ModuleOp>().clone();
  for (auto other : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (other.getName() != entry.getName() &&
        SymbolTable::symbolKnownUseEmpty(other, *module))
      other.erase();
  SymbolTable symbols(*module);
  if (entry.getName() != name &&
      (symbols.lookup(name) ||
       failed(symbols.rename(symbols.lookup(entry.getName()), name))))
    return makeError("@" + entry.getName() + " could not be renamed to " +
                     name);
  auto run = runPipeline(*module, name, options);
  if (!run)
    return run.takeError();
  llvm::append_range(remarks, run->remarks);
  DiagnosticCollector diagnostics(entry.getContext());
  func::FuncOp compute, fold;
  for (auto function : run->module->getOps<func::FuncOp>()) {
    auto of = function->getAttrOfType<StringAttr>("tir.entry");
    auto role = function->getAttrOfType<StringAttr>("tir.role");
    if (!of || !role || of.getValue() != name)
      continue;
    (role.getValue() == "fold" ? fold : compute) = function;
  }
  if (!compute) {
    entry.emitOpError("has no graph ops: there is nothing to compile");
    return diagnostics.takeError("there is nothing to compile");
  }
  PublicFunctions functions(package, compute, fold);
  std::string head = functions.writeHead();
  std::string declarations = functions.writeDeclarations();
  if (failed(exportToC(*run->module, head,
                       declarations + functions.writeDefinitions(), os)))
    return diagnostics.takeError("the graph cannot be written in C");
  if (header) {
    std::string guard = "GC_C_" + name.upper() + "_H";
    *header = head + "\n#ifndef " + guard + "\n#define " + guard +
              "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" "
              "{\n#endif\n" +
              declarations + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " +
              guard + " */\n";
  }
  return llvm::Error::success();
}
