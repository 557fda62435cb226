// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The text of a module, and the translation.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Npu/IR/NpuCores.h"
#include "Emitter.h"
#include "Target/Cce/Cce.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace gc::npu;

/// A C name for a kernel, unlike those before it.
static std::string getFunctionName(StringRef kernel, llvm::StringSet<> &taken) {
  std::string name;
  for (char c : kernel)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name = "k" + name;
  name += "__kernel";
  for (int i = 0;; ++i) {
    std::string numbered = name + std::to_string(i);
    if (taken.insert(numbered).second)
      return numbered;
  }
}

static bool isWritten(Value buffer, func::FuncOp kernel) {
  bool written = false;
  kernel.walk([&](PipeOpInterface op) {
    for (OpOperand *operand : op.getWrittenOperands())
      written |= getBaseBuffer(operand->get()) == buffer;
  });
  return written;
}

static LogicalResult exportKernel(func::FuncOp kernel, StringRef name,
                                  raw_indented_ostream &os) {
  if (failed(checkProgram(kernel)))
    return failure();
  if (kernel->hasAttr(kBesideAttr))
    return kernel.emitOpError("is a program of other cores of a kernel; only "
                              "kernels whose cores all run one program are "
                              "exported");
  FailureOr<Machine> machine = getMachine(kernel);
  if (failed(machine))
    return failure();
  std::string arguments;
  for (BlockArgument argument : kernel.getArguments()) {
    int64_t bytes = *getExtent(cast<MemRefType>(argument.getType()));
    arguments += (arguments.empty() ? "{" : ", {") + std::to_string(bytes) +
                 (isWritten(argument, kernel) ? ", true}" : ", false}");
  }
  if (failed(cce::Emitter(os, *machine).emitKernel(kernel, name)))
    return failure();
  int64_t cores = 1;
  if (auto attr = kernel->getAttrOfType<IntegerAttr>(NpuDialect::kCoresAttr))
    cores = attr.getInt();
  os << "GC_CCE_PROGRAM(\"";
  os.write_escaped(kernel.getName());
  os << "\", " << name << ", " << cores;
  if (!arguments.empty())
    os << ",\n               " << arguments;
  os << ")\n";
  return success();
}

LogicalResult gc::exportToCce(ModuleOp module, llvm::raw_ostream &out) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  raw_indented_ostream os(stream);
  os << "// Compile with -std=c++17 -DGC_CCE_MAIN, link with "
        "GCSimulator.\n\n"
        "#include \"Simulator/Cce.h\"\n\n"
        "#include <algorithm>\n";
  llvm::StringSet<> taken;
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(NpuDialect::kKernelAttr))
      continue;
    os << "\n";
    if (failed(
            exportKernel(kernel, getFunctionName(kernel.getName(), taken), os)))
      return failure();
  }
  if (taken.empty())
    return module.emitError(
        "has no NPU program, that is, no function with 'npu.kernel'");
  // Nothing is written for a module with an error.
  out << text;
  return success();
}

void gc::registerCceTranslation() {
  static TranslateFromMLIRRegistration registration(
      "npu-to-cce", "NPU programs to C text for Simulator/Cce.h",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return exportToCce(module, os);
      },
      [](DialectRegistry &registry) {
        // Graph: the functions that say what kernels compute.
        registry.insert<affine::AffineDialect, arith::ArithDialect, DLTIDialect,
                        func::FuncDialect, graph::GraphDialect,
                        memref::MemRefDialect, NpuDialect, scf::SCFDialect>();
      });
}
