// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectCode.h"
#include "ConstantData.h"
#include "Driver/Codegen.h"
#include "Driver/Diagnostics.h"
#include "SplitModule.h"
#include "Stopwatch.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include <atomic>
#include <system_error>
#include <thread>

using namespace mlir;
using namespace gc;

namespace {

/// Work for another thread; without one it is done right away.
class Background {
public:
  ~Background() { wait(); }

  void start(llvm::unique_function<void()> task) {
    work = std::move(task);
    try {
      thread = std::thread([this] { work(); });
    } catch (const std::system_error &) {
      work();
    }
  }
  void wait() {
    if (thread.joinable())
      thread.join();
  }

private:
  llvm::unique_function<void()> work;
  std::thread thread;
};

/// The library initialises itself when it is asked for its first kernel.
void startKernelLibrary() {
  gc_kernel_spec spec = {};
  spec.version = GC_KERNEL_SPEC_VERSION;
  spec.pack_a = spec.pack_b = 1;
  spec.m = spec.n = spec.k = spec.lda = spec.ldb = spec.ldc = 1;
  gc_brgemm_dispatch(&spec);
}

/// What one thread generates.
struct Part {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  llvm::SmallVector<char, 0> object;
  std::string error;
  double optimizeMs = 0;

  void generate(llvm::TargetMachine &machine) {
    Stopwatch step;
    llvm::raw_svector_ostream os(object);
    llvm::Error failed = optimize(*code, machine);
    optimizeMs = step.lap();
    if (!failed)
      failed = emitCode(*code, machine, llvm::CodeGenFileType::ObjectFile, os);
    error = llvm::toString(std::move(failed));
  }
};

} // namespace

llvm::Expected<ObjectCode> gc::generateObjects(PipelineRun &run, StringRef name,
                                               const CompileOptions &options) {
  Stopwatch total;
  bool manyCores = std::thread::hardware_concurrency() > 1;
  static std::atomic<bool> started = false;
  Background library;
  if (manyCores && run.module->lookupSymbol("gc_kernels_init") &&
      !started.exchange(true))
    library.start(startKernelLibrary);

  ObjectCode result;
  auto constants = takeLargeConstants(*run.module, name);
  if (!constants)
    return constants.takeError();
  result.constants = std::move(*constants);
  std::unique_ptr<llvm::TargetMachine> machine;
  OwningOpRef<ModuleOp> half;
  if (manyCores)
    half = splitModule(*run.module);
  if (half) {
    auto second = createTargetMachine(run.description, options);
    if (!second)
      return second.takeError();
    machine = std::move(*second);
  }
  Part parts[2];
  {
    DiagnosticCollector diagnostics(run.module->getContext());
    for (auto [part, module] : {std::pair(&parts[0], *run.module),
                                std::pair(&parts[1], half.get())}) {
      if (!module)
        continue;
      auto code = translateToLLVM(module, part->context, *run.machine, name,
                                  run.description.cpu);
      if (!code)
        return diagnostics.takeError(llvm::toString(code.takeError()));
      part->code = std::move(*code);
    }
  }
  double translateMs = total.lap();

  Background other;
  if (half)
    other.start([&] { parts[1].generate(*machine); });
  parts[0].generate(*run.machine);
  other.wait();

  for (Part &part : parts) {
    if (!part.error.empty())
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     part.error);
    if (part.code)
      result.objects.push_back(std::make_unique<llvm::SmallVectorMemoryBuffer>(
          std::move(part.object), name, /*RequiresNullTerminator=*/false));
  }
  result.optimizeMs = translateMs + parts[0].optimizeMs;
  result.codegenMs = total.lap() - parts[0].optimizeMs;
  return result;
}
