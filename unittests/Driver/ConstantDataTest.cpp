// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants beside the code and constants that are stored as bytes are what
// the program reads.

#include "ConstantData.h"
#include "Driver/Codegen.h"
#include "Driver/JitCode.h"
#include "Driver/SharedResources.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace mlir;
using namespace gc;

namespace {

constexpr int64_t kCount = 20000;

/// The sum of elements `i` of the four globals; the values of @numbers and
/// @blob are set later.
constexpr const char *Program = R"(
llvm.mlir.global private constant @numbers() {alignment = 64 : i64}
    : !llvm.array<20000 x f32>
llvm.mlir.global private constant @blob() {alignment = 64 : i64}
    : !llvm.array<20000 x f32>
llvm.mlir.global private constant @splat(dense<0.25> : tensor<20000xf32>)
    {alignment = 64 : i64} : !llvm.array<20000 x f32>
llvm.mlir.global private constant @small(dense<[1.0, 2.0]> : tensor<2xf32>)
    : !llvm.array<2 x f32>
llvm.func @at(%i: i64) -> f32 {
  %numbers = llvm.mlir.addressof @numbers : !llvm.ptr
  %blob = llvm.mlir.addressof @blob : !llvm.ptr
  %splat = llvm.mlir.addressof @splat : !llvm.ptr
  %small = llvm.mlir.addressof @small : !llvm.ptr
  %0 = llvm.getelementptr %numbers[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %1 = llvm.getelementptr %blob[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %2 = llvm.getelementptr %splat[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %3 = llvm.getelementptr %small[1] : (!llvm.ptr) -> !llvm.ptr, f32
  %4 = llvm.load %0 : !llvm.ptr -> f32
  %5 = llvm.load %1 : !llvm.ptr -> f32
  %6 = llvm.load %2 : !llvm.ptr -> f32
  %7 = llvm.load %3 : !llvm.ptr -> f32
  %8 = llvm.fadd %4, %5 : f32
  %9 = llvm.fadd %8, %6 : f32
  %10 = llvm.fadd %9, %7 : f32
  llvm.return %10 : f32
}
)";

class ConstantDataTest : public ::testing::Test {
protected:
  ConstantDataTest() {
    DialectRegistry registry;
    registry.insert<LLVM::LLVMDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// @numbers has i at position i, @blob has 2 i.
  OwningOpRef<ModuleOp> parse() {
    auto module = parseSourceString<ModuleOp>(Program, &context);
    std::vector<float> values(kCount);
    std::iota(values.begin(), values.end(), 0.f);
    auto type = RankedTensorType::get(kCount, Float32Type::get(&context));
    module->lookupSymbol<LLVM::GlobalOp>("numbers").setValueAttr(
        DenseElementsAttr::get(type, ArrayRef(values)));
    for (float &value : values)
      value *= 2;
    auto blob =
        HeapAsmResourceBlob::allocateAndCopyInferAlign(ArrayRef(values));
    module->lookupSymbol<LLVM::GlobalOp>("blob").setValueAttr(
        DenseResourceElementsAttr::get(type, "blob", std::move(blob)));
    return module;
  }

  /// As one object file, with `filled` constants in it.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>>
  compile(ModuleOp module, ArrayRef<NamedData> filled = {}) {
    llvm::LLVMContext llvmContext;
    auto machine = llvm::cantFail(createTargetMachine(Processor()));
    auto code =
        llvm::cantFail(translateToLLVM(module, llvmContext, *machine, "data"));
    for (const NamedData &constant : filled)
      defineConstant(*code->getGlobalVariable(constant.symbol),
                     constant.bytes.size());
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream os(object);
    llvm::cantFail(optimize(*code, *machine));
    llvm::cantFail(
        emitCode(*code, *machine, llvm::CodeGenFileType::ObjectFile, os));
    llvm::cantFail(fillConstants(object, filled));
    std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
    objects.push_back(std::make_unique<llvm::SmallVectorMemoryBuffer>(
        std::move(object), false));
    return objects;
  }

  void expectSums(JitCode &jit) {
    auto at =
        reinterpret_cast<float (*)(int64_t)>(llvm::cantFail(jit.lookup("at")));
    for (int64_t i : {int64_t(0), int64_t(1), kCount / 2, kCount - 1})
      EXPECT_EQ(at(i), 3.f * i + 2.25f) << "element " << i;
  }

  MLIRContext context;
};

TEST_F(ConstantDataTest, LargeOnesLeaveTheModule) {
  auto module = parse();
  ASSERT_TRUE(module);
  auto constants = llvm::cantFail(takeLargeConstants(*module));
  ASSERT_EQ(constants.size(), 3u);
  EXPECT_TRUE(succeeded(verify(*module)));
  for (const auto &constant : constants) {
    EXPECT_EQ(constant.bytes.size(), kCount * sizeof(float));
    EXPECT_EQ(uintptr_t(constant.bytes.data()) % 64, 0u);
    auto global = module->lookupSymbol<LLVM::GlobalOp>(constant.symbol);
    ASSERT_TRUE(global);
    EXPECT_FALSE(global.getValueOrNull());
  }
  EXPECT_TRUE(module->lookupSymbol<LLVM::GlobalOp>("small").getValueOrNull());

  auto objects = compile(*module);
  EXPECT_LT(objects.front()->getBufferSize(), kCount * sizeof(float));
  auto jit = llvm::cantFail(
      JitCode::load(std::move(objects), false, {}, std::move(constants)));
  expectSums(*jit);
}

/// Two constants that only the fold function reads, and one that others read,
/// too. CALL stands for the call of a kernel.
constexpr const char *FoldProgram = R"(
llvm.mlir.global private constant @own() {alignment = 64 : i64}
    : !llvm.array<20000 x f32>
llvm.mlir.global private constant @part() {alignment = 64 : i64}
    : !llvm.array<20000 x f32>
llvm.mlir.global private constant @both() {alignment = 64 : i64}
    : !llvm.array<20000 x f32>
llvm.func @loop(%p: !llvm.ptr) -> f32 {
  %0 = llvm.load %p : !llvm.ptr -> f32
  llvm.return %0 : f32
}
llvm.func @fold_part() -> f32 {
  %p = llvm.mlir.addressof @part : !llvm.ptr
  %0 = llvm.call @loop(%p) : (!llvm.ptr) -> f32
  llvm.return %0 : f32
}
llvm.func @g_fold(%kernel: !llvm.ptr) -> f32 {
  %p = llvm.mlir.addressof @own : !llvm.ptr
  %q = llvm.mlir.addressof @both : !llvm.ptr
  %0 = llvm.load %p : !llvm.ptr -> f32
  %1 = llvm.load %q : !llvm.ptr -> f32
  %2 = llvm.call @fold_part() : () -> f32
  CALL
  %3 = llvm.fadd %0, %1 : f32
  %4 = llvm.fadd %2, %3 : f32
  llvm.return %4 : f32
}
llvm.func @g_compute() -> f32 {
  %q = llvm.mlir.addressof @both : !llvm.ptr
  %0 = llvm.call @loop(%q) : (!llvm.ptr) -> f32
  %1 = llvm.load %q : !llvm.ptr -> f32
  %2 = llvm.fadd %0, %1 : f32
  llvm.return %2 : f32
}
llvm.mlir.global external constant @g_module() : !llvm.struct<(ptr, ptr)> {
  %0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr)>
  %1 = llvm.mlir.addressof @g_fold : !llvm.ptr
  %2 = llvm.insertvalue %1, %0[0] : !llvm.struct<(ptr, ptr)>
  %3 = llvm.mlir.addressof @g_compute : !llvm.ptr
  %4 = llvm.insertvalue %3, %2[1] : !llvm.struct<(ptr, ptr)>
  llvm.return %4 : !llvm.struct<(ptr, ptr)>
}
)";

TEST_F(ConstantDataTest, FoldFunctionsReadWhatIsNotAligned) {
  constexpr size_t kBytes = kCount * sizeof(float);
  std::vector<char> memory(3 * (kBytes + 64));
  for (bool callsKernel : {false, true}) {
    std::string text = FoldProgram;
    text.replace(text.find("CALL"), 4,
                 callsKernel ? "llvm.call %kernel(%p) : !llvm.ptr, (!llvm.ptr) "
                               "-> ()"
                             : "");
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto type = RankedTensorType::get(kCount, Float32Type::get(&context));
    char *next = memory.data();
    next += 64 - reinterpret_cast<uintptr_t>(next) % 64 + 1;
    for (StringRef name : {"own", "part", "both"}) {
      module->lookupSymbol<LLVM::GlobalOp>(name).setValueAttr(
          DenseResourceElementsAttr::get(
              type, name,
              AsmResourceBlob(ArrayRef<char>(next, kBytes), 4, {}, false)));
      next += kBytes;
    }
    shareResources(*module);
    std::vector<NamedData> constants =
        llvm::cantFail(takeLargeConstants(*module, "g"));
    ASSERT_EQ(constants.size(), 3u);
    for (const NamedData &constant : constants) {
      bool isOwn = constant.symbol != "both";
      EXPECT_EQ(constant.isFolded, isOwn) << constant.symbol;
      bool isInPlace = constant.bytes.data() > memory.data() &&
                       constant.bytes.data() < memory.data() + memory.size();
      EXPECT_EQ(isInPlace, isOwn && !callsKernel) << constant.symbol;
      auto global = module->lookupSymbol<LLVM::GlobalOp>(constant.symbol);
      EXPECT_EQ(global.getAlignment(), isInPlace ? 1u : 64u);
    }
    int64_t loads = 0;
    module->walk([&](LLVM::LoadOp load) {
      auto function = load->getParentOfType<LLVM::LLVMFuncOp>().getName();
      ++loads;
      if (!callsKernel && function != "g_compute")
        EXPECT_EQ(load.getAlignment(), 1u) << function.str();
      else
        EXPECT_FALSE(load.getAlignment()) << function.str();
    });
    EXPECT_EQ(loads, 4);
  }
}

TEST_F(ConstantDataTest, ObjectFilesHoldThemAsBytes) {
  auto module = parse();
  ASSERT_TRUE(module);
  auto objects = compile(*module);
  EXPECT_GT(objects.front()->getBufferSize(), 3 * kCount * sizeof(float));
  auto jit = llvm::cantFail(JitCode::load(std::move(objects), false));
  expectSums(*jit);
}

TEST_F(ConstantDataTest, ObjectFilesAreFilledAfterwards) {
  auto module = parse();
  ASSERT_TRUE(module);
  auto constants = llvm::cantFail(takeLargeConstants(*module));
  ASSERT_EQ(constants.size(), 3u);
  auto objects = compile(*module, constants);
  // The optimiser has not taken them for zeros.
  auto jit = llvm::cantFail(JitCode::load(std::move(objects), false));
  expectSums(*jit);
}

TEST_F(ConstantDataTest, WhatHasNoRoomIsNotFilledIn) {
  auto module = parse();
  ASSERT_TRUE(module);
  auto constants = llvm::cantFail(takeLargeConstants(*module));
  auto objects = compile(*module, constants);
  StringRef bytes = objects.front()->getBuffer();
  std::vector<char> object(bytes.begin(), bytes.end()), before = object;
  std::string large(4 * kCount * sizeof(float), 'x');
  llvm::Error error = fillConstants(object, {{"blob", large, nullptr}});
  EXPECT_EQ(llvm::toString(std::move(error)),
            "the object file has no room for 'blob'");
  EXPECT_EQ(object, before);
  llvm::cantFail(fillConstants(object, {{"unknown", large, nullptr}}));
  EXPECT_EQ(object, before);
}

TEST_F(ConstantDataTest, DataOfAnotherSizeIsNotRepeated) {
  auto module = parse();
  ASSERT_TRUE(module);
  auto global = module->lookupSymbol<LLVM::GlobalOp>("blob");
  std::vector<float> half(kCount / 2);
  global.setValueAttr(DenseResourceElementsAttr::get(
      RankedTensorType::get(kCount, Float32Type::get(&context)), "half",
      HeapAsmResourceBlob::allocateAndCopyInferAlign(ArrayRef(half))));
  EXPECT_EQ(llvm::cantFail(takeLargeConstants(*module)).size(), 2u);
  EXPECT_TRUE(global.getValueOrNull());
}

TEST_F(ConstantDataTest, WhatOthersSeeStays) {
  auto module = parse();
  ASSERT_TRUE(module);
  auto numbers = module->lookupSymbol<LLVM::GlobalOp>("numbers");
  numbers.setLinkage(LLVM::Linkage::External);
  EXPECT_EQ(llvm::cantFail(takeLargeConstants(*module)).size(), 2u);
  EXPECT_TRUE(numbers.getValueOrNull());
}

} // namespace
