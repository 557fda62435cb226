// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels in a module: which one runs, what it should compute, what it needs to
// become instructions.

#include "Dialect/Npu/IR/NpuCores.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Npu/Transforms/Passes.h"
#include "Driver/Diagnostics.h"
#include "Driver/NpuDriver.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gc;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error makeError(func::FuncOp kernel, const llvm::Twine &message) {
  return makeError("kernel '" + kernel.getName() + "' " + message);
}

static bool isKernel(func::FuncOp function) {
  return function->hasAttr(npu::NpuDialect::kKernelAttr);
}

static llvm::Expected<func::FuncOp> findKernel(ModuleOp module,
                                               llvm::StringRef entry) {
  SmallVector<func::FuncOp> kernels;
  std::string names;
  for (auto function : module.getOps<func::FuncOp>())
    if (isKernel(function) && !function.isDeclaration() &&
        !function->hasAttr(npu::kBesideAttr)) {
      kernels.push_back(function);
      names += (names.empty() ? "" : ", ") + function.getName().str();
    }
  if (kernels.empty())
    return makeError(
        "there is no NPU program, that is, no function with 'npu.kernel'");
  for (func::FuncOp kernel : kernels)
    if (kernel.getName() == (entry.empty() ? "main" : entry))
      return kernel;
  if (!entry.empty())
    return makeError("there is no program '" + entry + "'; there are " + names);
  if (kernels.size() > 1)
    return makeError("there are several programs and none is 'main'; choose "
                     "one with --entry: " +
                     names);
  return kernels.front();
}

/// Whether memory of `memref` holds the elements of `tensor`.
static bool isSame(Type memref, Type tensor) {
  auto left = dyn_cast<MemRefType>(memref);
  auto right = dyn_cast<RankedTensorType>(tensor);
  if (!left || !right || left.getShape() != right.getShape() ||
      right.getEncoding())
    return false;
  Type element = right.getElementType();
  // Signedness is the graph's; memory has none.
  if (element.isSignedInteger())
    element =
        IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  return left.getElementType() == element;
}

static llvm::Error checkReference(func::FuncOp kernel, func::FuncOp reference) {
  SmallVector<Type> types(reference.getArgumentTypes());
  size_t inputs = types.size();
  llvm::append_range(types, reference.getResultTypes());
  if (types.size() != kernel.getNumArguments())
    return makeError(kernel, "has " + Twine(kernel.getNumArguments()) +
                                 " arguments, but its reference '" +
                                 reference.getName() + "' has " +
                                 Twine(inputs) + " and " +
                                 Twine(types.size() - inputs) + " results");
  for (auto [index, type] : llvm::enumerate(types)) {
    Type own = kernel.getArgumentTypes()[index];
    if (isSame(own, type))
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "takes " << own << " as argument " << index << ", but ";
    if (index < inputs)
      os << "argument " << index;
    else
      os << "result " << index - inputs;
    os << " of its reference '" << reference.getName() << "' is " << type
       << "; shapes must be equal and integers signed (a graph.static_reshape "
          "or "
          "graph.static_transpose in the reference says what another layout "
          "means)";
    return makeError(kernel, os.str());
  }
  return llvm::Error::success();
}

int64_t NpuKernel::countCores() const {
  int64_t count = cores;
  for (func::FuncOp program : beside)
    count += npu::getNumCores(program);
  return count;
}

/// The cores of the kernel and the programs beside it.
static llvm::Error readCores(NpuKernel &kernel) {
  kernel.cores = npu::getNumCores(kernel.kernel);
  DiagnosticCollector diagnostics(kernel.kernel.getContext());
  for (func::FuncOp program : npu::getBeside(kernel.kernel)) {
    if (failed(npu::checkBeside(program)))
      return diagnostics.takeError("a program does not fit its kernel");
    kernel.beside.push_back(program);
  }
  if (kernel.countCores() > kMaxNpuCores)
    return makeError(kernel.kernel,
                     "runs on " + Twine(kernel.countCores()) +
                         " cores; the number must be from 1 to " +
                         Twine(kMaxNpuCores));
  return llvm::Error::success();
}

static llvm::Expected<NpuKernel> readKernel(func::FuncOp kernel) {
  NpuKernel result;
  result.kernel = kernel;
  if (llvm::Error error = readCores(result))
    return std::move(error);
  Attribute name = kernel->getAttr(npu::NpuDialect::kReferenceAttr);
  if (!name)
    return result;
  auto symbol = dyn_cast<FlatSymbolRefAttr>(name);
  if (symbol)
    result.reference =
        kernel->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
            symbol.getValue());
  if (!result.reference || result.reference.isDeclaration() ||
      isKernel(result.reference)) {
    std::string text;
    llvm::raw_string_ostream(text) << name;
    return makeError(kernel,
                     "has the reference " + text +
                         ", which is not a function of the graph dialect");
  }
  if (llvm::Error error = checkReference(kernel, result.reference))
    return std::move(error);
  return result;
}

llvm::Expected<NpuKernel> gc::findNpuKernel(ModuleOp module,
                                            llvm::StringRef entry) {
  auto kernel = findKernel(module, entry);
  if (!kernel)
    return kernel.takeError();
  return readKernel(*kernel);
}

llvm::Expected<npu::Machine> gc::getNpuMachine(ModuleOp module,
                                               llvm::StringRef profile) {
  DiagnosticCollector diagnostics(module.getContext());
  FailureOr<npu::Machine> machine = npu::getMachine(module);
  if (failed(machine))
    return diagnostics.takeError("the machine's description is invalid");
  if (profile.empty())
    return *machine;
  std::optional<npu::Profile> parsed =
      npu::parseProfile(std::string_view(profile.data(), profile.size()));
  if (!parsed)
    return makeError("--profile must be gm64, gm32 or l2, not '" + profile +
                     "'");
  // The profile only changes the time that global memory takes.
  npu::Machine plain(*parsed);
  machine->profile = plain.profile;
  machine->packageCycles = plain.packageCycles;
  return *machine;
}

namespace {
/// What a kernel still needs.
struct Needs {
  bool slots = false, expansion = false, addresses = false, sync = false;
};
} // namespace

static Needs findNeeds(func::FuncOp kernel) {
  Needs needs;
  bool hasSync = false;
  kernel.walk([&](Operation *op) {
    if (isa<npu::TileOpInterface>(op))
      needs.expansion = true;
    if (auto alloc = dyn_cast<npu::AllocOp>(op); alloc && !alloc.getAddress())
      needs.addresses = true;
    if (op->hasAttr(npu::NpuDialect::kPipelineAttr))
      needs.slots = true;
    if (isa<npu::SetFlagOp, npu::WaitFlagOp, npu::BarrierOp>(op))
      hasSync = true;
  });
  needs.sync = (needs.expansion || needs.addresses) && !hasSync;
  return needs;
}

llvm::Error gc::lowerToInstructions(ModuleOp module,
                                    const NpuPipelineOptions &options,
                                    std::vector<Remark> &remarks, bool sync) {
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!isKernel(kernel))
      continue;
    Needs needs = findNeeds(kernel);
    PassManager manager(module.getContext(), "func.func");
    if (needs.slots)
      manager.addPass(
          npu::createNpuDoubleBuffer({options.doubleBuffer ? 0 : 1}));
    if (needs.expansion)
      manager.addPass(npu::createNpuExpandTiles());
    // The expansion makes buffers as well.
    if (needs.expansion || needs.addresses)
      manager.addPass(npu::createNpuPlanMemory());
    if (needs.sync && sync)
      manager.addPass(
          npu::createNpuInsertSync({options.flags, options.groupFlags}));
    if (manager.empty())
      continue;
    DiagnosticCollector diagnostics(module.getContext());
    RemarkCollector collector(module.getContext());
    if (failed(manager.run(kernel)))
      return diagnostics.takeError("kernel '" + kernel.getName() +
                                   "' could not be lowered to instructions");
    llvm::append_range(remarks, collector.take());
    llvm::append_range(remarks, diagnostics.takeRemarks());
  }
  return llvm::Error::success();
}
