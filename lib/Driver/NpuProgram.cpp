// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs of several kernels: a function calls the kernels' references.

#include "Dialect/Npu/IR/NpuOps.h"
#include "Driver/NpuDriver.h"

using namespace mlir;
using namespace gc;

static llvm::Error makeError(func::FuncOp function,
                             const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "'" + function.getName() +
                                     "' runs several kernels, but " + message);
}

/// Whether the function says in which order kernels run.
static bool isSequence(func::FuncOp function) {
  return !function.isDeclaration() &&
         !function->hasAttr(npu::NpuDialect::kKernelAttr) &&
         function->hasAttr(npu::NpuDialect::kReferenceAttr);
}

/// The only one if no name is given and none is 'main'.
static func::FuncOp findSequence(ModuleOp module, llvm::StringRef entry) {
  func::FuncOp found;
  unsigned count = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isSequence(function))
      continue;
    if (function.getName() == (entry.empty() ? "main" : entry))
      return function;
    found = function;
    ++count;
  }
  return entry.empty() && count == 1 ? found : func::FuncOp();
}

static int64_t countBytes(Type type) {
  auto shaped = cast<ShapedType>(type);
  return llvm::divideCeil(
      shaped.getNumElements() * shaped.getElementTypeBitWidth(), 8);
}

static NpuProgram makeProgram(NpuKernel kernel) {
  NpuProgram program{
      kernel.kernel, kernel.reference, kernel.reference, {{kernel, {}}}, {}};
  for (auto [number, type] :
       llvm::enumerate(kernel.kernel.getArgumentTypes())) {
    program.steps.front().tensors.push_back(number);
    program.bytes.push_back(countBytes(type));
  }
  return program;
}

/// The kernel that computes what `reference` does.
static llvm::Expected<NpuKernel> findKernelOf(func::FuncOp sequence,
                                              llvm::StringRef reference) {
  auto module = sequence->getParentOfType<ModuleOp>();
  for (auto function : module.getOps<func::FuncOp>()) {
    auto name = function->getAttrOfType<FlatSymbolRefAttr>(
        npu::NpuDialect::kReferenceAttr);
    if (function->hasAttr(npu::NpuDialect::kKernelAttr) && name &&
        name.getValue() == reference)
      return findNpuKernel(module, function.getName());
  }
  return makeError(sequence, "no kernel has the reference '" + reference +
                                 "', which it calls");
}

static llvm::Error readSequence(func::FuncOp function, NpuProgram &program) {
  Block &block = function.getBody().front();
  llvm::DenseMap<Value, unsigned> tensors;
  auto add = [&](Value value) {
    tensors[value] = program.bytes.size();
    program.bytes.push_back(countBytes(value.getType()));
  };
  for (Value argument : block.getArguments())
    add(argument);
  for (auto [number, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    if (tensors.contains(value))
      return makeError(function, "its result " + llvm::Twine(number) +
                                     " is also an argument or another result, "
                                     "and no kernel copies it");
    add(value);
  }
  for (Operation &op : block.without_terminator()) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call)
      return makeError(function, "'" + op.getName().getStringRef() +
                                     "' is not a call of a kernel's reference");
    llvm::Expected<NpuKernel> kernel = findKernelOf(function, call.getCallee());
    if (!kernel)
      return kernel.takeError();
    NpuStep step{*kernel, {}, call->hasAttr(npu::NpuDialect::kOnceAttr)};
    for (Value result : call.getResults())
      if (!tensors.contains(result))
        add(result);
    for (Value operand : call.getOperands())
      step.tensors.push_back(tensors.lookup(operand));
    for (Value result : call.getResults())
      step.tensors.push_back(tensors.lookup(result));
    program.steps.push_back(std::move(step));
  }
  if (program.steps.empty())
    return makeError(function, "it calls none");
  return llvm::Error::success();
}

llvm::Expected<NpuProgram> gc::findNpuProgram(ModuleOp module,
                                              llvm::StringRef entry) {
  func::FuncOp function = findSequence(module, entry);
  if (!function) {
    llvm::Expected<NpuKernel> kernel = findNpuKernel(module, entry);
    if (!kernel)
      return kernel.takeError();
    return makeProgram(*kernel);
  }
  NpuProgram program{function, {}, {}, {}, {}};
  if (auto name = function->getAttrOfType<FlatSymbolRefAttr>(
          npu::NpuDialect::kReferenceAttr))
    program.reference = module.lookupSymbol<func::FuncOp>(name.getValue());
  if (!program.reference || program.reference.isDeclaration() ||
      program.reference.getFunctionType() != function.getFunctionType())
    return makeError(function, "its reference is not a function of its type");
  program.repeated = program.reference;
  if (auto name = function->getAttrOfType<FlatSymbolRefAttr>(
          npu::NpuDialect::kRepeatedAttr)) {
    program.repeated = module.lookupSymbol<func::FuncOp>(name.getValue());
    if (!program.repeated || program.repeated.isDeclaration())
      return makeError(function, "'" + name.getValue() +
                                     "', which it runs repeatedly, is not a "
                                     "function with a body");
  }
  if (!function.getBody().hasOneBlock())
    return makeError(function, "it has more than one block");
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return makeError(function,
                       "it has arguments or results of unknown shape");
  if (llvm::Error error = readSequence(function, program))
    return std::move(error);
  return program;
}
