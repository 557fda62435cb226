// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels for AMX compute what scalar loops do. Few machines have AMX: its
// intrinsics, and those of VNNI, are replaced by models of the instructions,
// which also check what the hardware would refuse. The code around them is the
// code that a machine with AMX runs. Where the host has AMX, the kernels also
// run as they are.

#include "AmxModel.h"
#include "Driver/Codegen.h"
#include "Driver/JitCode.h"
#include "Machine/AmxPlan.h"
#include "Machine/MachineFile.h"
#include "Transforms/Register.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#include <random>

using namespace gc;

namespace {

constexpr const char *kMachine = "server-avx512-64";
constexpr int64_t kBatch = 3;

/// Whether kernels for `kMachine` can run as they are. Asks Linux for the
/// registers.
bool hasAmx() {
  return llvm::all_of(findPreset(kMachine)->features,
                      [](const std::string &name) {
                        return gc_host_has_feature(name.c_str());
                      });
}

/// Compiles a module for the host, by default with models in place of
/// intrinsics.
std::unique_ptr<JitCode> compile(const std::string &text,
                                 const std::string &pipeline,
                                 bool withModels = true) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerAllGraphCompilerDialects(registry);
  static const bool once = [] {
    mlir::registerAllPasses();
    registerAllGraphCompilerPasses();
    return true;
  }();
  (void)once;
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  mlir::PassManager manager(&context);
  if (!module || failed(mlir::parsePassPipeline(pipeline, manager)) ||
      failed(manager.run(*module)))
    return nullptr;
  auto machine = llvm::cantFail(createTargetMachine(Processor()));
  llvm::LLVMContext llvmContext;
  auto code =
      llvm::cantFail(translateToLLVM(*module, llvmContext, *machine, "amx"));
  if (withModels)
    replaceByModels(*code);
  llvm::cantFail(optimize(*code, *machine));
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  llvm::cantFail(
      emitCode(*code, *machine, llvm::CodeGenFileType::ObjectFile, os));
  return llvm::cantFail(JitCode::load(
      std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), false),
      /*perfMap=*/false, getModelSymbols()));
}

template <typename T>
struct Memref {
  T *allocated, *aligned;
  int64_t offset, size, stride;
  explicit Memref(std::vector<T> &of)
      : allocated(of.data()), aligned(of.data()), offset(0), size(of.size()),
        stride(1) {}
};

/// A kernel with gaps between the rows of all operands.
KernelSpec makeSpec(DataType a, DataType b, int64_t m, int64_t n, int64_t k,
                    int64_t beta) {
  KernelSpec spec = KernelSpec::getDense(a, m, n, k);
  spec.b = b;
  spec.packB = 32 / getBits(a);
  spec.lda = k + 8;
  spec.ldb = n + 3;
  spec.ldc = n + 5;
  spec.strideA = m * spec.lda + 16;
  spec.strideB = llvm::alignTo(k, spec.packB) * spec.ldb + 16;
  spec.beta = beta;
  return spec;
}

std::vector<KernelSpec> makeSpecs() {
  std::vector<KernelSpec> specs;
  // The last group of k lacks `missing` elements.
  auto add = [&](DataType a, DataType b, int64_t m, int64_t n, int64_t groups,
                 int64_t beta, int64_t zpA = 0, int64_t zpB = 0,
                 int64_t missing = 0) {
    KernelSpec spec =
        makeSpec(a, b, m, n, groups * 32 / getBits(a) - missing, beta);
    spec.zeroPointA = zpA;
    spec.zeroPointB = zpB;
    specs.push_back(spec);
  };
  using T = DataType;
  // Rows of one register, of several of one and of two heights; columns below,
  // at and above registers; steps of one length and with a rest.
  for (int64_t m : {16, 17, 32, 35, 48, 61})
    for (int64_t n : {9, 16, 21, 32, 40, 67})
      add(T::u8, T::s8, m, n, 5 + (m + n) % 31, (m + n) % 2);
  for (int64_t groups : {1, 7, 15, 16, 17, 24, 25, 32, 40, 47})
    for (T type : {T::s8, T::bf16})
      add(type, type, 33, 48, groups, groups % 2);
  // All signs, with zero points of either side and of both.
  for (T a : {T::u8, T::s8})
    for (T b : {T::u8, T::s8}) {
      add(a, b, 35, 40, 19, 0, 0, 3);
      add(a, b, 35, 40, 16, 1, 5, 0);
      add(a, b, 35, 12, 20, 1, 7, -2 + (b == T::u8 ? 9 : 0));
    }
  // Groups that k cuts, alone, after whole ones and after whole steps.
  for (int64_t groups : {7, 16, 17, 32, 40, 47})
    for (int64_t n : {12, 32, 48, 67}) {
      add(T::bf16, T::bf16, 33, n, groups, n % 32 / 16, 0, 0, 1);
      for (int64_t missing : {1, 2, 3}) {
        add(T::u8, T::s8, 64, n, groups, groups % 2, 0, 0, missing);
        add(T::s8, T::s8, 19, n, groups, 0, 3, -5, missing);
      }
    }
  return specs;
}

std::string makeCase(size_t index, const KernelSpec &spec) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const char *ab = spec.a == DataType::bf16 ? "memref<?xbf16>" : "memref<?xi8>";
  const char *c = spec.a == DataType::bf16 ? "memref<?xf32>" : "memref<?xi32>";
  os << "func.func @case" << index << "(%a: " << ab << ", %b: " << ab
     << ", %c: " << c << ") attributes {llvm.emit_c_interface} {\n"
     << "  %0 = arith.constant 0 : index\n  %n = arith.constant " << kBatch
     << " : index\n  %kernel = tir.brgemm_dispatch #tir.kernel<"
     << getName(spec.a) << " x " << getName(spec.b) << " -> " << getName(spec.c)
     << " acc " << getName(spec.accumulator) << ", m = " << spec.m
     << ", n = " << spec.n << ", k = " << spec.k << ", lda = " << spec.lda
     << ", ldb = " << spec.ldb << ", ldc = " << spec.ldc
     << ", pack_b = " << spec.packB;
  if (spec.zeroPointA)
    os << ", zp_a = " << spec.zeroPointA;
  if (spec.zeroPointB)
    os << ", zp_b = " << spec.zeroPointB;
  os << ", stride_a = " << spec.strideA << ", stride_b = " << spec.strideB
     << ", beta = " << spec.beta << "> implementation(amx)\n"
     << "  tir.brgemm %kernel batch(%n) a(%a[%0]) b(%b[%0]) c(%c[%0]) : " << ab
     << ", " << ab << ", " << c << "\n  return\n}\n";
  return text;
}

uint16_t toBFloat16(int value) {
  float number = static_cast<float>(value);
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

/// Element, Sum: as they are stored; the values are small integers, so that
/// sums in f32 are exact in any order.
template <typename Element, typename Sum, typename Store>
void checkCase(JitCode &jit, size_t index, const KernelSpec &spec,
               Store store) {
  std::mt19937 random(static_cast<unsigned>(index));
  auto fill = [&](DataType type, int64_t size, std::vector<int> &values,
                  std::vector<Element> &stored) {
    int least = type == DataType::u8   ? 0
                : type == DataType::s8 ? -128
                                       : -9,
        most = type == DataType::u8   ? 255
               : type == DataType::s8 ? 127
                                      : 9;
    std::uniform_int_distribution<int> distribution(least, most);
    for (int64_t i = 0; i < size; ++i) {
      values.push_back(distribution(random));
      stored.push_back(store(values.back()));
    }
  };
  std::vector<int> a, b;
  std::vector<Element> storedA, storedB;
  fill(spec.a, kBatch * spec.strideA, a, storedA);
  fill(spec.b, kBatch * spec.strideB, b, storedB);
  std::vector<Sum> c(spec.m * spec.ldc);
  for (size_t i = 0; i < c.size(); ++i)
    c[i] = static_cast<Sum>(i % 101);
  std::vector<Sum> expected = c;
  for (int64_t i = 0; i < spec.m; ++i)
    for (int64_t j = 0; j < spec.n; ++j) {
      int64_t sum = 0;
      for (int64_t t = 0; t < kBatch; ++t)
        for (int64_t k = 0; k < spec.k; ++k) {
          int64_t x = a[t * spec.strideA + i * spec.lda + k];
          int64_t y =
              b[t * spec.strideB + k / spec.packB * spec.packB * spec.ldb +
                j * spec.packB + k % spec.packB];
          sum += (x - spec.zeroPointA) * (y - spec.zeroPointB);
        }
      Sum &element = expected[i * spec.ldc + j];
      element = static_cast<Sum>(sum) + (spec.beta ? element : 0);
    }
  auto address = jit.lookup("_mlir_ciface_case" + std::to_string(index));
  ASSERT_TRUE(bool(address)) << llvm::toString(address.takeError());
  auto function = reinterpret_cast<void (*)(void *, void *, void *)>(*address);
  Memref<Element> ma(storedA), mb(storedB);
  Memref<Sum> mc(c);
  function(&ma, &mb, &mc);
  EXPECT_EQ(c, expected) << spec.describe();
}

/// All kernels, in their order; `check` runs after each.
void checkKernels(bool withModels, llvm::function_ref<void()> check) {
  Machine machine = *findPreset(kMachine);
  std::vector<KernelSpec> specs = makeSpecs();
  std::string text = "module attributes {dlti.target_system_spec = "
                     "#dlti.target_system_spec<\"CPU\" = "
                     "#dlti.target_device_spec<\"machine\" = \"" +
                     std::string(kMachine) + "\">>} {\n";
  // The few others have too little to do for AMX.
  size_t all = specs.size();
  llvm::erase_if(specs, [&](const KernelSpec &spec) {
    return !planVectorKernel(machine, spec).amx;
  });
  EXPECT_GT(specs.size(), all * 3 / 4);
  for (auto [i, spec] : llvm::enumerate(specs))
    text += makeCase(i, spec);
  auto jit = compile(
      text + "}\n",
      "tir-lower-microkernels,convert-scf-to-cf,"
      "convert-vector-to-llvm,expand-strided-metadata,finalize-memref-to-llvm,"
      "convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
      "reconcile-unrealized-casts",
      withModels);
  ASSERT_TRUE(jit);
  for (auto [i, spec] : llvm::enumerate(specs)) {
    if (spec.a == DataType::bf16)
      checkCase<uint16_t, float>(*jit, i, spec, toBFloat16);
    else
      checkCase<uint8_t, int32_t>(
          *jit, i, spec, [](int value) { return static_cast<uint8_t>(value); });
    check();
  }
}

TEST(Amx, KernelsAgreeWithScalarLoops) {
  resetModel();
  checkKernels(/*withModels=*/true, [] {
    EXPECT_FALSE(isModelInUse()) << "registers are not given up";
  });
  EXPECT_GT(getModelProducts(), 0);
}

TEST(Amx, KernelsAgreeOnHardware) {
  if (!hasAmx())
    GTEST_SKIP() << "the host does not execute AMX";
  checkKernels(/*withModels=*/false, [] {});
}

/// x is u8 with a zero point, the weights are s8: relu of their product.
TEST(Amx, Graph) {
  constexpr int64_t m = 100, n = 80, k = 144;
  const char *graph = R"(
func.func @f(%x: tensor<100x144xui8>, %w: tensor<144x80xsi8> {graph.const_arg})
    -> tensor<100x80xf32> attributes {graph.entry} {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>}
    : (tensor<100x144xui8>) -> tensor<100x144xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>}
    : (tensor<144x80xsi8>) -> tensor<144x80xf32>
  %2 = graph.matmul %0, %1
    : (tensor<100x144xf32>, tensor<144x80xf32>) -> tensor<100x80xf32>
  %3 = graph.relu %2 : (tensor<100x80xf32>) -> tensor<100x80xf32>
  return %3 : tensor<100x80xf32>
}
)";
  auto jit = compile(graph, "gc-cpu-pipeline{machine=" + std::string(kMachine) +
                                " threads=2 features=sse3}");
  ASSERT_TRUE(jit);
  auto module = jit->getModule("f");
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  gc_instance *instance = nullptr;
  ASSERT_EQ(gc_instance_create(*module, &instance), GC_OK) << gc_last_error();
  std::mt19937 random(1);
  std::vector<uint8_t> x(m * k);
  std::vector<int8_t> w(k * n);
  for (uint8_t &value : x)
    value = static_cast<uint8_t>(random());
  for (int8_t &value : w)
    value = static_cast<int8_t>(random());
  std::vector<float> y(m * n, -1);
  void *inputs[] = {x.data(), w.data()}, *outputs[] = {y.data()};
  resetModel();
  // One thread: the registers of the model are the process's.
  ASSERT_EQ(gc_execute(instance, nullptr, 1, inputs, outputs, nullptr, nullptr),
            GC_OK)
      << gc_last_error();
  gc_instance_destroy(instance);
  EXPECT_GT(getModelProducts(), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += (x[i * k + l] - 3) * int64_t(w[l * n + j]);
      ASSERT_EQ(y[i * n + j], std::max(sum * 0.125f, 0.f)) << i << ", " << j;
    }
}

} // namespace
