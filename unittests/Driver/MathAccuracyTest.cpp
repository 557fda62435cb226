// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors of the math functions in generated code, against the C library in
// double precision, over all magnitudes and the special values.

#include "Conversion/Passes.h"
#include "Driver/Codegen.h"
#include "Driver/JitCode.h"
#include "Transforms/Register.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace gc;

namespace {

constexpr int64_t kCount = 1 << 14;

/// Code that applies one op of the math dialect to kCount elements.
class Function {
public:
  /// `op` has %x, and %y if it is binary. With a processor named the code is
  /// made for a machine without AVX-512, else for the host.
  Function(llvm::StringRef op, llvm::StringRef cpu = "", int64_t lanes = 8) {
    std::string type = "memref<" + std::to_string(kCount) + "xf32>";
    std::string vector = "vector<" + std::to_string(lanes) + "xf32>";
    std::string spec =
        cpu.empty() ? "" : R"(attributes {dlti.target_system_spec =
      #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<
      "machine" = "zen3-2">>} )";
    std::string text = "module " + spec + "{ func.func @f(%a: " + type +
                       ", %b: " + type + ", %o: " + type +
                       R"() attributes {tir.entry = "f", tir.role = "compute",
      tir.inputs = 2 : i64, tir.outputs = 1 : i64} {
      tir.parallel (%i) in ()" +
                       std::to_string(kCount / lanes) + R"() {
        %lanes = arith.constant )" +
                       std::to_string(lanes) + R"( : index
        %j = arith.muli %i, %lanes : index
        %x = vector.load %a[%j] : )" +
                       type + ", " + vector + R"(
        %y = vector.load %b[%j] : )" +
                       type + ", " + vector + R"(
        %r = )" + op.str() +
                       " : " + vector + R"(
        vector.store %r, %o[%j] : )" +
                       type + ", " + vector + R"(
      }
      return
    } })";
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return;
    mlir::PassManager manager(&context);
    manager.addPass(createConvertTirToLLVM());
    if (mlir::failed(manager.run(*module)))
      return;
    auto machine = llvm::cantFail(
        createTargetMachine(llvm::cantFail(Processor::parse(cpu))));
    llvm::LLVMContext llvmContext;
    auto code =
        llvm::cantFail(translateToLLVM(*module, llvmContext, *machine, "f"));
    llvm::cantFail(optimize(*code, *machine));
    for (llvm::Function &function : *code)
      if (function.isDeclaration() && !function.isIntrinsic())
        calls += function.getName().str() + " ";
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream os(object);
    llvm::cantFail(
        emitCode(*code, *machine, llvm::CodeGenFileType::ObjectFile, os));
    jit = llvm::cantFail(
        JitCode::load(std::make_unique<llvm::SmallVectorMemoryBuffer>(
                          std::move(object), false),
                      /*perfMap=*/false));
    descriptor = llvm::cantFail(jit->getModule("f"));
  }

  explicit operator bool() const { return descriptor; }

  void run(const float *x, const float *y, float *result) const {
    gc_team team = {0, 1, nullptr, nullptr};
    void *args[] = {const_cast<float *>(x), const_cast<float *>(y), result};
    ASSERT_EQ(descriptor->compute(args, nullptr, &team), 0);
  }

  /// Names of functions that the code calls.
  std::string calls;

private:
  std::unique_ptr<JitCode> jit;
  const gc_module *descriptor = nullptr;
};

float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Distance in units of the last place that the exact result has in f32.
double getUlps(float actual, double exact) {
  float rounded = static_cast<float>(exact);
  if (std::isnan(exact) || std::isnan(actual))
    return std::isnan(exact) == std::isnan(actual) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(actual))
    return rounded == actual ? 0 : HUGE_VAL;
  int exponent = std::ilogb(exact);
  if (exact == 0 || exponent < -126)
    exponent = -126;
  return std::abs(actual - exact) / std::ldexp(1.0, exponent - 23);
}

using Unary = double (*)(double);

/// Largest error over samples of all bit patterns, and where it is.
std::pair<double, float> measure(const Function &function, Unary exact) {
  std::vector<float> x(kCount), y(kCount), result(kCount);
  double worst = 0;
  float where = 0;
  constexpr uint32_t step = 2477; // prime
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += step * kCount) {
    for (int64_t i = 0; i < kCount; ++i)
      x[i] = fromBits(static_cast<uint32_t>(bits + step * i));
    function.run(x.data(), y.data(), result.data());
    for (int64_t i = 0; i < kCount; ++i) {
      double ulps = getUlps(result[i], exact(x[i]));
      if (ulps > worst) {
        worst = ulps;
        where = x[i];
      }
    }
  }
  return {worst, where};
}

struct Case {
  const char *op;
  Unary exact;
  double bound;
  /// How much more the error may be without fused multiply-add.
  double more = 1;
};

double rsqrt(double x) { return 1 / std::sqrt(x); }
double exp2Of(double x) { return std::exp2(x); }

const Case Cases[] = {
    {"math.exp %x", std::exp, 1.5},      {"math.exp2 %x", exp2Of, 1.5},
    {"math.expm1 %x", std::expm1, 2.5},  {"math.log %x", std::log, 1.5},
    {"math.log2 %x", std::log2, 2.5},    {"math.log10 %x", std::log10, 2.5},
    {"math.log1p %x", std::log1p, 2.5},  {"math.tanh %x", std::tanh, 3},
    {"math.erf %x", std::erf, 5.8, 1.6}, {"math.rsqrt %x", rsqrt, 1.5},
};

class MathAccuracy : public testing::TestWithParam<Case> {};

TEST_P(MathAccuracy, StaysWithinBound) {
  Function function(GetParam().op);
  ASSERT_TRUE(function);
  EXPECT_EQ(function.calls, "");
  auto [ulps, where] = measure(function, GetParam().exact);
  RecordProperty("ulps", std::to_string(ulps));
  EXPECT_LE(ulps, GetParam().bound) << GetParam().op << " at " << where;
}

// Processors without fused multiply-add take another way through the same code.
TEST_P(MathAccuracy, StaysNearBoundWithoutFma) {
  Function function(GetParam().op, "x86-64-v2");
  ASSERT_TRUE(function);
  EXPECT_EQ(function.calls, "");
  auto [ulps, where] = measure(function, GetParam().exact);
  EXPECT_LE(ulps, GetParam().bound + GetParam().more)
      << GetParam().op << " at " << where;
}

TEST_P(MathAccuracy, KnowsSpecialValues) {
  Function function(GetParam().op);
  ASSERT_TRUE(function);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float denormal = std::numeric_limits<float>::denorm_min();
  constexpr float largest = std::numeric_limits<float>::max();
  std::vector<float> x = {0.0f,      -0.0f,     1.0f,       -1.0f,     infinity,
                          -infinity, nan,       denormal,   -denormal, largest,
                          -largest,  88.72284f, -87.33655f, -103.97f,  128.0f};
  size_t count = x.size();
  x.resize(kCount);
  std::vector<float> y(kCount), result(kCount);
  function.run(x.data(), y.data(), result.data());
  for (size_t i = 0; i < count; ++i)
    EXPECT_LE(getUlps(result[i], GetParam().exact(x[i])), GetParam().bound)
        << GetParam().op << " of " << x[i] << " is " << result[i];
}

// Where the error is largest, and where most arguments are.
TEST(MathAccuracyErf, IsBoundedOnDenseSamples) {
  for (auto [cpu, bound, boundBelow] :
       {std::tuple("", 5.8, 3.9), std::tuple("x86-64-v2", 7.4, 4.5)}) {
    Function function("math.erf %x", cpu);
    ASSERT_TRUE(function);
    std::vector<float> x(kCount), y(kCount), result(kCount);
    constexpr uint32_t first = 0x3f000000, last = 0x40880000; // 0.5 to 4.25
    for (uint32_t bits = first; bits < last; bits += 5 * kCount) {
      for (int64_t i = 0; i < kCount; ++i)
        x[i] = fromBits(static_cast<uint32_t>(bits + 5 * i));
      function.run(x.data(), y.data(), result.data());
      for (int64_t i = 0; i < kCount; ++i) {
        double exact = std::erf(double(x[i]));
        ASSERT_LE(getUlps(result[i], exact), exact < 0.99 ? boundBelow : bound)
            << cpu << " " << x[i];
      }
    }
  }
}

// gelu multiplies 1 + erf by numbers of any size.
TEST(MathAccuracyErf, IsOneOfLargeNumbers) {
  for (const char *cpu : {"", "x86-64-v2"}) {
    Function function("math.erf %x", cpu);
    ASSERT_TRUE(function);
    std::vector<float> x(kCount), y(kCount), result(kCount);
    for (int64_t i = 0; i < kCount; ++i)
      x[i] = (i % 2 ? -1 : 1) * (4 + 0.001f * i);
    x[0] = std::numeric_limits<float>::infinity();
    x[1] = -std::numeric_limits<float>::max();
    function.run(x.data(), y.data(), result.data());
    for (int64_t i = 0; i < kCount; ++i)
      ASSERT_EQ(result[i], i % 2 ? -1 : 1) << x[i];
  }
}

/// The largest error of e^x for x <= 0 beyond `slope` |x| units; what is below
/// the smallest normal number may be 0.
double getExpError(const Function &function, double slope) {
  constexpr float smallest = std::numeric_limits<float>::min();
  std::vector<float> x(kCount), y(kCount), result(kCount);
  double worst = 0;
  constexpr uint32_t step = 2477; // prime
  constexpr uint64_t minusZero = 0x80000000, minusInfinity = 0xff800000;
  for (uint64_t bits = minusZero; bits < minusInfinity; bits += step * kCount) {
    for (int64_t i = 0; i < kCount; ++i)
      x[i] = fromBits(std::min<uint64_t>(bits + step * i, minusInfinity));
    function.run(x.data(), y.data(), result.data());
    for (int64_t i = 0; i < kCount; ++i) {
      double exact = std::exp(double(x[i]));
      if (exact >= smallest)
        worst = std::max(worst, getUlps(result[i], exact) + slope * x[i]);
      else if (!(result[i] >= 0 && result[i] <= smallest))
        return std::numeric_limits<double>::infinity();
    }
  }
  return worst;
}

// What softmax computes: no argument above 0.
TEST(MathAccuracyExp, AtMostOne) {
  Function function("math.exp %x {tir.at_most_one}");
  ASSERT_TRUE(function);
  EXPECT_EQ(function.calls, "");
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512dq"))
    EXPECT_LE(getExpError(function, 1.2), 2.9);
  else
    EXPECT_LE(getExpError(function, 0.025), 2.6);

  std::vector<float> x, y(kCount), result(kCount);
  x = {0.0f,   -0.0f,   -std::numeric_limits<float>::infinity(),
       -1e30f, -110.0f, std::numeric_limits<float>::quiet_NaN()};
  x.resize(kCount);
  function.run(x.data(), y.data(), result.data());
  EXPECT_EQ(result[0], 1.0f);
  EXPECT_EQ(result[1], 1.0f);
  for (int i : {2, 3, 4})
    EXPECT_EQ(result[i], 0.0f) << x[i];
  EXPECT_TRUE(std::isnan(result[5]));
}

TEST(MathAccuracyExp, IsTheSameInVectorsOfAllLengths) {
  std::vector<float> x(kCount), y(kCount), first(kCount), result(kCount);
  for (int64_t i = 0; i < kCount; ++i)
    x[i] = fromBits(0x80000000u + static_cast<uint32_t>(i) * 0x1fffdu);
  for (const char *op : {"math.exp %x", "math.exp %x {tir.at_most_one}"}) {
    Function eight(op);
    ASSERT_TRUE(eight);
    eight.run(x.data(), y.data(), first.data());
    for (int64_t lanes : {16, 64}) {
      Function more(op, "", lanes);
      ASSERT_TRUE(more);
      more.run(x.data(), y.data(), result.data());
      EXPECT_EQ(
          std::memcmp(result.data(), first.data(), kCount * sizeof(float)), 0)
          << op << " " << lanes;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, MathAccuracy, testing::ValuesIn(Cases));

TEST(MathAccuracyPow, AgreesWithC) {
  Function function("math.powf %x, %y");
  ASSERT_TRUE(function);
  EXPECT_EQ(function.calls, "");
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> special = {0.0f,        -0.0f,     1.0f,  -1.0f,  0.5f,
                                -0.5f,       2.0f,      -2.0f, 3.0f,   -3.0f,
                                infinity,    -infinity, nan,   1e-40f, 1e38f,
                                16777215.0f, 1e20f};
  std::vector<std::pair<float, float>> pairs;
  for (float x : special)
    for (float y : special)
      pairs.emplace_back(x, y);
  // Bases near 1 with large exponents, and all magnitudes with small ones.
  for (uint32_t i = 0; pairs.size() < 20 * kCount; ++i) {
    float base = fromBits(i * 2654435761u);
    pairs.emplace_back(base, 0.37f);
    pairs.emplace_back(base, -1.5f);
    pairs.emplace_back(1 + (int32_t(i * 2654435761u)) * 1e-10f,
                       (int32_t(i * 40503u) % 1000) * 0.5f);
  }
  pairs.resize(20 * kCount);
  std::vector<float> x(kCount), y(kCount), result(kCount);
  double worst = 0;
  for (size_t block = 0; block < pairs.size(); block += kCount) {
    for (int64_t i = 0; i < kCount; ++i)
      std::tie(x[i], y[i]) = pairs[block + i];
    function.run(x.data(), y.data(), result.data());
    for (int64_t i = 0; i < kCount; ++i) {
      double ulps = getUlps(result[i], std::pow(double(x[i]), double(y[i])));
      worst = std::max(worst, ulps);
      ASSERT_LE(ulps, 1) << x[i] << " to the " << y[i] << " is " << result[i];
    }
  }
  RecordProperty("ulps", std::to_string(worst));
}

} // namespace
