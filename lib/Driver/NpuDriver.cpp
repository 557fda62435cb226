// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/NpuDriver.h"
#include "Conversion/NpuToLLVM/NpuToLLVM.h"
#include "Conversion/Passes.h"
#include "Dialect/Npu/IR/NpuCores.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Driver/Codegen.h"
#include "Driver/Diagnostics.h"
#include "Simulator/Interface.h"
#include "WriteCode.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include <chrono>

using namespace mlir;
using namespace gc;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::ArrayRef<gc_symbol> getSymbols() {
  static const gc_symbol Symbols[] = {
#define GC_NPU_SYMBOL(name) {#name, reinterpret_cast<void *>(name)}
      GC_NPU_SYMBOL(gc_npu_alloc),       GC_NPU_SYMBOL(gc_npu_dma),
      GC_NPU_SYMBOL(gc_npu_pack),        GC_NPU_SYMBOL(gc_npu_unpack),
      GC_NPU_SYMBOL(gc_npu_load2d),      GC_NPU_SYMBOL(gc_npu_load3d),
      GC_NPU_SYMBOL(gc_npu_mad),         GC_NPU_SYMBOL(gc_npu_drain),
      GC_NPU_SYMBOL(gc_npu_vector),      GC_NPU_SYMBOL(gc_npu_set_flag),
      GC_NPU_SYMBOL(gc_npu_wait_flag),   GC_NPU_SYMBOL(gc_npu_barrier),
      GC_NPU_SYMBOL(gc_npu_load_scalar), GC_NPU_SYMBOL(gc_npu_iteration),
      GC_NPU_SYMBOL(gc_npu_scalar),      GC_NPU_SYMBOL(gc_npu_core_id),
      GC_NPU_SYMBOL(gc_npu_slot),        GC_NPU_SYMBOL(gc_npu_offset),
      GC_NPU_SYMBOL(gc_npu_check_step),  GC_NPU_SYMBOL(gc_npu_check_divisor),
#undef GC_NPU_SYMBOL
  };
  return Symbols;
}

/// The function that code calls instead of `name(core, i64...)`: it takes its
/// arguments from an array, so that any number of them can be passed.
static std::string addEntry(ModuleOp module, StringRef name) {
  auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  std::string entry = (name + "_entry").str();
  while (module.lookupSymbol(entry))
    entry += "_";
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(module.getContext()), {pointer, pointer});
  auto function = LLVM::LLVMFuncOp::create(b, entry, type);
  Block *block = function.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> operands{block->getArgument(0)};
  for (unsigned i = 1; i < kernel.getNumArguments(); ++i) {
    Value place =
        LLVM::GEPOp::create(b, pointer, b.getI64Type(), block->getArgument(1),
                            LLVM::GEPArg(int32_t(i - 1)));
    operands.push_back(LLVM::LoadOp::create(b, b.getI64Type(), place));
  }
  LLVM::CallOp::create(b, kernel, operands);
  LLVM::ReturnOp::create(b, ValueRange());
  return entry;
}

/// A copy of the kernel's module with only this kernel and the programs beside
/// it, as instructions. Other kernels need not be valid.
static llvm::Expected<OwningOpRef<ModuleOp>>
copyKernel(const NpuKernel &kernel, const NpuPipelineOptions &options,
           bool keepGraphs, std::vector<Remark> &remarks, bool sync = true) {
  func::FuncOp first = kernel.kernel;
  OwningOpRef<ModuleOp> module = first->getParentOfType<ModuleOp>().clone();
  auto isNeeded = [&](StringRef name) {
    return name == first.getName() ||
           llvm::any_of(kernel.beside, [&](func::FuncOp program) {
             return program.getName() == name;
           });
  };
  for (auto other : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (!isNeeded(other.getName()) &&
        (!keepGraphs || other->hasAttr(npu::NpuDialect::kKernelAttr)))
      other.erase();
  if (llvm::Error error = lowerToInstructions(*module, options, remarks, sync))
    return std::move(error);
  return module;
}

static llvm::Error convert(ModuleOp module, npu::Mode mode) {
  ConvertNpuToLLVMOptions options;
  options.mode = mode == npu::Mode::cycles ? SimulatedResult::cycles
                                           : SimulatedResult::values;
  PassManager manager(module.getContext());
  manager.addPass(createConvertNpuToLLVM(options));
  DiagnosticCollector diagnostics(module.getContext());
  if (failed(manager.run(module)))
    return diagnostics.takeError("the program could not be compiled");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<CompiledKernel>>
CompiledKernel::compile(const NpuKernel &source, npu::Mode mode,
                        const NpuPipelineOptions &options, bool sync) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  func::FuncOp kernel = source.kernel;
  // Before passes that take such a kernel for granted.
  {
    DiagnosticCollector diagnostics(kernel.getContext());
    if (failed(npu::checkProgram(kernel)) ||
        llvm::any_of(source.beside, [](func::FuncOp program) {
          return failed(npu::checkProgram(program));
        }))
      return diagnostics.takeError("the kernel is not a valid NPU program");
  }
  std::unique_ptr<CompiledKernel> compiled(new CompiledKernel);
  auto module = copyKernel(source, options, /*keepGraphs=*/false,
                           compiled->remarks, sync);
  if (!module)
    return module.takeError();
  if (llvm::Error error = convert(**module, mode))
    return std::move(error);
  compiled->arguments = kernel.getNumArguments();
  for (Location location : getInstructionLocations(**module))
    compiled->locations.push_back(formatLocation(location));
  // The entry of each core.
  SmallVector<std::string> entries(source.cores,
                                   addEntry(**module, kernel.getName()));
  for (func::FuncOp program : source.beside)
    entries.append(npu::getNumCores(program),
                   addEntry(**module, program.getName()));

  auto machine = createTargetMachine(Processor());
  if (!machine)
    return machine.takeError();
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  if (llvm::Error error = writeCode(**module, kernel.getName(), **machine,
                                    EmitKind::object, os))
    return std::move(error);
  auto loaded = JitCode::load(std::make_unique<llvm::SmallVectorMemoryBuffer>(
                                  std::move(object), kernel.getName(),
                                  /*RequiresNullTerminator=*/false),
                              /*perfMap=*/false, getSymbols());
  if (!loaded)
    return loaded.takeError();
  compiled->code = std::move(*loaded);
  for (const std::string &entry : entries) {
    auto address = compiled->code->lookup(entry);
    if (!address)
      return address.takeError();
    compiled->functions.push_back(*address);
  }
  compiled->compileMs =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return compiled;
}

llvm::Error gc::emitNpu(const NpuKernel &source, npu::Mode mode,
                        const NpuPipelineOptions &options,
                        const Processor &processor, EmitKind kind,
                        llvm::raw_pwrite_stream &os,
                        std::vector<Remark> &remarks) {
  if (kind == EmitKind::c)
    return makeError("C of an NPU program is what gc-translate "
                     "--npu-to-cce writes");
  func::FuncOp kernel = source.kernel;
  auto module = copyKernel(source, options,
                           /*keepGraphs=*/kind == EmitKind::mlir, remarks);
  if (!module)
    return module.takeError();
  if (kind == EmitKind::mlir) {
    (*module)->print(os);
    return llvm::Error::success();
  }
  if (llvm::Error error = convert(**module, mode))
    return error;
  auto machine = createTargetMachine(processor);
  if (!machine)
    return machine.takeError();
  return writeCode(**module, kernel.getName(), **machine, kind, os);
}

const std::string &CompiledKernel::getLocation(int32_t number) const {
  static const std::string Unknown;
  return number >= 0 && size_t(number) < locations.size() ? locations[number]
                                                          : Unknown;
}

llvm::Expected<npu::Report>
CompiledKernel::run(const npu::Machine &machine, const npu::Options &options,
                    ArrayRef<NpuTensor> tensors) const {
  if (tensors.size() != arguments)
    return makeError("the program takes " + Twine(arguments) +
                     " tensors, not " + Twine(tensors.size()));
  npu::Simulator simulator(machine, options);
  std::vector<int64_t> addresses;
  for (const NpuTensor &tensor : tensors)
    addresses.push_back(static_cast<int64_t>(
        npu::Simulator::getTensorAddress(simulator.addTensor(
            tensor.name, tensor.data, tensor.bytes, tensor.writable))));
  std::vector<npu::Program> programs;
  for (void *function : functions) {
    auto entry =
        reinterpret_cast<void (*)(gc_npu_core *, const int64_t *)>(function);
    programs.push_back([&addresses, entry](gc_npu_core *core) {
      entry(core, addresses.data());
    });
  }
  npu::Report report = simulator.run(programs);
  if (!report.error)
    return report;
  const npu::Error &error = *report.error;
  auto at = [&](int32_t number) {
    const std::string &text = getLocation(number);
    return text.empty() ? text : text + ": ";
  };
  std::string message = at(error.location) + error.message;
  if (functions.size() > 1)
    message += " (core " + std::to_string(error.core) + ")";
  if (error.otherLocation >= 0)
    message += "\n  note: " + at(error.otherLocation) +
               (error.kind == npu::ErrorKind::buffer ? "the buffer"
                                                     : "the other instruction");
  return makeError(message);
}
