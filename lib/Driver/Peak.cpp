// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Peak.h"
#include "Conversion/Passes.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "Driver/Codegen.h"
#include "Driver/Diagnostics.h"
#include "Driver/JitCode.h"
#include "Support/ModuleMachine.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

using namespace gc;

namespace {

/// Seconds of the shortest window.
constexpr double kShortWindow = 0.002;

/// One call multiplies `kRepeats` times, so that the call's overhead is
/// negligible.
constexpr int64_t kRepeats = 16;

struct Gemm {
  int64_t m, n, k, batch;

  int64_t getFlops() const { return 2 * m * n * k * batch; }
};

// Operands in a first-level cache of 32 KiB or close to it; rows and columns
// are multiples of the tiles that vectors of any width get.
constexpr Gemm kGemms[] = {{24, 32, 128, 1}, {48, 32, 64, 2}, {48, 64, 64, 1}};

/// A function that repeats one product.
constexpr const char *kProgram = R"(
func.func @gemm{0}(%a: memref<{4}x{1}x{3}xf32>, %b: memref<{4}x{3}x{2}xf32>,
    %c: memref<{1}x{2}xf32>) attributes {{tir.entry = "gemm{0}",
    tir.role = "compute", tir.inputs = 2 : i64, tir.outputs = 1 : i64} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %repeats = arith.constant {7} : index
  %batch = arith.constant {4} : index
  %kernel = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = {1},
    n = {2}, k = {3}, lda = {3}, ldb = {2}, ldc = {2}, stride_a = {5},
    stride_b = {6}, beta = 0>
  scf.for %i = %c0 to %repeats step %c1 {{
    tir.brgemm %kernel batch(%batch) a(%a[%c0, %c0, %c0])
      b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0]) : memref<{4}x{1}x{3}xf32>,
      memref<{4}x{3}x{2}xf32>, memref<{1}x{2}xf32>
  }
  return
}
)";

llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The functions of all products as machine code of the host.
llvm::Expected<std::unique_ptr<JitCode>> compileGemms() {
  std::string text;
  for (auto [index, gemm] : llvm::enumerate(kGemms))
    text += llvm::formatv(kProgram, index, gemm.m, gemm.n, gemm.k, gemm.batch,
                          gemm.m * gemm.k, gemm.k * gemm.n, kRepeats)
                .str();
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return diagnostics.takeError("the peak's kernels do not parse");
  setMachine(*module, Machine::host());
  mlir::PassManager manager(&context);
  tir::TirLowerMicrokernelsOptions kernels;
  kernels.kernel = KernelPreference::vector;
  manager.addPass(tir::createTirLowerMicrokernels(kernels));
  manager.addPass(createConvertTirToLLVM());
  if (mlir::failed(manager.run(*module)))
    return diagnostics.takeError("the peak's kernels do not compile");

  auto target = createTargetMachine(Machine::host());
  if (!target)
    return target.takeError();
  llvm::LLVMContext llvmContext;
  auto code = translateToLLVM(*module, llvmContext, **target, "peak");
  if (!code)
    return code.takeError();
  if (llvm::Error error = optimize(**code, **target))
    return std::move(error);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  if (llvm::Error error =
          emitCode(**code, **target, llvm::CodeGenFileType::ObjectFile, os))
    return std::move(error);
  return JitCode::load(
      std::make_unique<llvm::SmallVectorMemoryBuffer>(
          std::move(object), "peak", /*RequiresNullTerminator=*/false),
      /*perfMap=*/false);
}

/// A call of generated code with its own operands.
class GeneratedGemm {
public:
  static llvm::Expected<GeneratedGemm> create(const gc_module *module) {
    GeneratedGemm gemm(module);
    for (void *&buffer : gemm.buffers) {
      constexpr int64_t kBytes = 1 << 16;
      buffer = gc_allocate(kBytes, /*alignment=*/4096);
      if (!buffer)
        return makeError(gc_last_error());
      // Zeros: never denormal.
      std::memset(buffer, 0, kBytes);
    }
    return std::move(gemm);
  }
  GeneratedGemm(GeneratedGemm &&other) : module(other.module) {
    std::swap(buffers, other.buffers);
  }
  ~GeneratedGemm() {
    for (void *buffer : buffers)
      gc_deallocate(buffer);
  }

  double measure(double flops, double seconds) {
    return gc_measure_gflops(
        [](void *self) { static_cast<GeneratedGemm *>(self)->run(); }, this,
        flops * kRepeats, seconds);
  }

private:
  explicit GeneratedGemm(const gc_module *module) : module(module) {}
  void run() { module->compute(buffers, /*arena=*/nullptr, &team); }

  const gc_module *module;
  void *buffers[3] = {};
  gc_team team = {0, 1, nullptr, nullptr};
};

} // namespace

/// Lets the fastest generated kernel of f32 compete.
static llvm::Error measureGenerated(double seconds, Peak &peak) {
  auto code = compileGemms();
  if (!code)
    return code.takeError();
  for (auto [index, gemm] : llvm::enumerate(kGemms)) {
    auto module = (*code)->getModule("gemm" + std::to_string(index));
    if (!module)
      return module.takeError();
    auto call = GeneratedGemm::create(*module);
    if (!call)
      return call.takeError();
    double rate = call->measure(gemm.getFlops(), /*seconds=*/0);
    if (rate <= peak.gflops)
      continue;
    peak.gflops = rate;
    peak.kernel = "vector";
    peak.sustainedGflops =
        seconds > kShortWindow ? call->measure(gemm.getFlops(), seconds) : rate;
  }
  return llvm::Error::success();
}

llvm::Expected<Peak> gc::measurePeak(gc_dtype type, double seconds) {
  Peak peak;
  peak.gflops = gc_peak_gflops(type, /*seconds=*/0);
  if (peak.gflops > 0) {
    peak.kernel = "libxsmm";
    peak.sustainedGflops =
        seconds > kShortWindow ? gc_peak_gflops(type, seconds) : peak.gflops;
  }
  // Kernels are generated only for f32.
  if (type == GC_F32)
    if (llvm::Error error = measureGenerated(seconds, peak))
      return std::move(error);
  // Long windows cannot be better than the best short one, not even by chance.
  peak.gflops = std::max(peak.gflops, peak.sustainedGflops);
  return peak;
}
