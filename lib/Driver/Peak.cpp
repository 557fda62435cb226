// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Peak.h"
#include "Conversion/Passes.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "Driver/Codegen.h"
#include "Driver/Diagnostics.h"
#include "Driver/JitCode.h"
#include "Machine/AmxPlan.h"
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

/// A batch-reduce GEMM whose k is given in groups that fill 32 bits.
struct Gemm {
  int64_t m, n, groups, batch;
  /// Whether all of the batch is one block, so that the time for sums that
  /// leave the registers is negligible.
  bool repeatsBlock = false;
};

// Operands in a first-level cache of 32 KiB or close to it; rows and columns
// are multiples of the tiles that vectors of any width get.
constexpr Gemm kGemms[] = {{24, 32, 128, 1}, {48, 32, 64, 2}, {48, 64, 64, 1}};
/// The tiles of AMX are larger, and loading their configuration takes long.
constexpr Gemm kTileGemms[] = {{32, 32, 96, 64, /*repeatsBlock=*/true}};
/// One tile whose products have to wait for each other.
constexpr Gemm kChainedTile = {16, 16, 96, 64, /*repeatsBlock=*/true};

/// How kernels of some types are written.
struct Operands {
  DataType a, b, sum;
  /// Of a memref.
  llvm::StringRef element, sumElement;
};

Operands getOperands(KernelTypes types) {
  using T = DataType;
  switch (types) {
  case KernelTypes::f32:
    return {T::f32, T::f32, T::f32, "f32", "f32"};
  case KernelTypes::bf16:
    return {T::bf16, T::bf16, T::f32, "bf16", "f32"};
  case KernelTypes::f16:
    return {T::f16, T::f16, T::f32, "f16", "f32"};
  case KernelTypes::u8s8:
    return {T::u8, T::s8, T::s32, "i8", "i32"};
  case KernelTypes::s8s8:
    return {T::s8, T::s8, T::s32, "i8", "i32"};
  }
  llvm_unreachable("all types are above");
}

/// A function that repeats one product.
constexpr const char *kProgram = R"(
func.func @{0}(%a: memref<{1}x{2}x{4}x{5}>, %b: memref<{1}x{4}x{3}x{5}>,
    %c: memref<{2}x{3}x{6}>) attributes {{tir.entry = "{0}",
    tir.role = "compute", tir.inputs = 2 : i64, tir.outputs = 1 : i64} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %repeats = arith.constant {7} : index
  %batch = arith.constant {8} : index
  %kernel = tir.brgemm_dispatch #tir.kernel<{9}>
  scf.for %i = %c0 to %repeats step %c1 {{
    tir.brgemm %kernel batch(%batch) a(%a[%c0, %c0, %c0])
      b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0]) : memref<{1}x{2}x{4}x{5}>,
      memref<{1}x{4}x{3}x{5}>, memref<{2}x{3}x{6}>
  }
  return
}
)";

int64_t getFlops(const Gemm &gemm, KernelTypes types) {
  return 2 * gemm.m * gemm.n * gemm.groups * gemm.batch *
         getGroupSize(getOperands(types).a);
}

std::string getFunctionName(size_t index) {
  return "gemm" + std::to_string(index);
}

std::string getProgram(const Gemm &gemm, KernelTypes types, size_t index) {
  Operands operands = getOperands(types);
  int64_t k = gemm.groups * getGroupSize(operands.a);
  KernelSpec spec = KernelSpec::getDense(operands.a, gemm.m, gemm.n, k);
  spec.b = operands.b;
  spec.packB = getGroupSize(operands.a);
  spec.strideA = gemm.repeatsBlock ? 0 : gemm.m * k;
  spec.strideB = gemm.repeatsBlock ? 0 : gemm.n * k;
  std::string kernel =
      llvm::formatv("{0} x {1} -> {2} acc {2}, m = {3}, n = {4}, k = {5}, "
                    "lda = {5}, ldb = {4}, ldc = {4}, pack_b = {6}, "
                    "stride_a = {7}, stride_b = {8}, beta = 0",
                    getName(spec.a), getName(spec.b), getName(operands.sum),
                    spec.m, spec.n, k, spec.packB, spec.strideA, spec.strideB)
          .str();
  return llvm::formatv(kProgram, getFunctionName(index),
                       gemm.repeatsBlock ? 1 : gemm.batch, gemm.m, gemm.n, k,
                       operands.element, operands.sumElement, kRepeats,
                       gemm.batch, kernel)
      .str();
}

llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The functions of all products as machine code of `machine`.
llvm::Expected<std::unique_ptr<JitCode>>
compileGemms(const Machine &machine, KernelTypes types,
             llvm::ArrayRef<Gemm> gemms) {
  // Linux gives AMX to processes that ask for it, which this does.
  for (const std::string &feature : machine.features)
    if (!gc_host_has_feature(feature.c_str()))
      return makeError("the host does not execute " + feature);
  std::string text;
  for (auto [index, gemm] : llvm::enumerate(gemms))
    text += getProgram(gemm, types, index);
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return diagnostics.takeError("the peak's kernels do not parse");
  setMachine(*module, machine);
  mlir::PassManager manager(&context);
  tir::TirLowerMicrokernelsOptions kernels;
  kernels.kernel = KernelPreference::vector;
  manager.addPass(tir::createTirLowerMicrokernels(kernels));
  manager.addPass(createConvertTirToLLVM());
  if (mlir::failed(manager.run(*module)))
    return diagnostics.takeError("the peak's kernels do not compile");

  auto target = createTargetMachine(machine);
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

/// Calls measure(call, flops) for the generated kernel of each product.
static llvm::Error
forGemms(const Machine &machine, KernelTypes types, llvm::ArrayRef<Gemm> gemms,
         llvm::function_ref<void(GeneratedGemm &, double)> measure) {
  auto code = compileGemms(machine, types, gemms);
  if (!code)
    return code.takeError();
  for (auto [index, gemm] : llvm::enumerate(gemms)) {
    auto module = (*code)->getModule(getFunctionName(index));
    if (!module)
      return module.takeError();
    auto call = GeneratedGemm::create(*module);
    if (!call)
      return call.takeError();
    measure(*call, getFlops(gemm, types));
  }
  return llvm::Error::success();
}

/// Products that the machine's kernels of the types multiply fastest.
static llvm::ArrayRef<Gemm> getGemms(const Machine &machine,
                                     KernelTypes types) {
  if (getAmxRate(machine, types))
    return kTileGemms;
  return kGemms;
}

/// Lets the fastest generated kernel compete.
static llvm::Error measureGenerated(KernelTypes types, double seconds,
                                    Peak &peak) {
  const Machine &host = Machine::host();
  return forGemms(host, types, getGemms(host, types),
                  [&](GeneratedGemm &call, double flops) {
                    double rate = call.measure(flops, /*seconds=*/0);
                    if (rate <= peak.gflops)
                      return;
                    peak.gflops = rate;
                    peak.kernel = getAmxRate(host, types) ? "amx" : "vector";
                    peak.sustainedGflops = seconds > kShortWindow
                                               ? call.measure(flops, seconds)
                                               : rate;
                  });
}

/// The types of kernels whose A is of the type.
static std::optional<KernelTypes> getTypes(gc_dtype type) {
  switch (type) {
  case GC_F32:
    return KernelTypes::f32;
  case GC_BF16:
    return KernelTypes::bf16;
  case GC_S8:
  case GC_U8:
    return KernelTypes::u8s8;
  default:
    return std::nullopt;
  }
}

llvm::Expected<Peak> gc::measurePeak(gc_dtype type, double seconds) {
  Peak peak;
  peak.gflops = gc_peak_gflops(type, /*seconds=*/0);
  if (peak.gflops > 0) {
    peak.kernel = "libxsmm";
    peak.sustainedGflops =
        seconds > kShortWindow ? gc_peak_gflops(type, seconds) : peak.gflops;
  }
  // Without instructions of its own, a type has no peak.
  std::optional<KernelTypes> types = getTypes(type);
  if (types && Machine::host().getKernelRate(*types))
    if (llvm::Error error = measureGenerated(*types, seconds, peak))
      return std::move(error);
  // Long windows cannot be better than the best short one, not even by chance.
  peak.gflops = std::max(peak.gflops, peak.sustainedGflops);
  return peak;
}

llvm::Expected<KernelTimes> gc::measureKernels(const Machine &machine,
                                               KernelTypes types) {
  KernelTimes times;
  llvm::Error error =
      forGemms(machine, types, getGemms(machine, types),
               [&](GeneratedGemm &call, double flops) {
                 times.macsPerSecond =
                     std::max(times.macsPerSecond,
                              call.measure(flops, /*seconds=*/0) / 2 * 1e9);
               });
  if (!error && getAmxRate(machine, types))
    error = forGemms(
        machine, types, kChainedTile, [&](GeneratedGemm &call, double flops) {
          double rate = call.measure(flops, /*seconds=*/0);
          double macs =
              getFlops({kAmxRows, kAmxColumns, kAmxGroups, /*batch=*/1},
                       types) /
              2.0;
          times.latency = macs / (rate / 2 * 1e9);
        });
  if (error)
    return std::move(error);
  return times;
}
