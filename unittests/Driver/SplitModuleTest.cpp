// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two halves of a module compute together what the whole did.

#include "SplitModule.h"
#include "Driver/Codegen.h"
#include "Driver/JitCode.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace gc;

namespace {

/// A function that adds 1 to its argument `ops` times and then @offset.
std::string makeAdder(llvm::StringRef name, int ops) {
  std::string text = "llvm.func internal @" + name.str() +
                     "(%v0: i64) -> i64 {\n"
                     "  %one = llvm.mlir.constant(1 : i64) : i64\n";
  for (int i = 0; i < ops; ++i)
    text += "  %v" + std::to_string(i + 1) + " = llvm.add %v" +
            std::to_string(i) + ", %one : i64\n";
  return text +
         "  %at = llvm.mlir.addressof @offset : !llvm.ptr\n"
         "  %offset = llvm.load %at : !llvm.ptr -> i64\n"
         "  %sum = llvm.add %v" +
         std::to_string(ops) +
         ", %offset : i64\n"
         "  llvm.return %sum : i64\n}\n";
}

std::string makeProgram(int ops) {
  return "llvm.mlir.global internal constant @offset(1000 : i64) : i64\n"
         "llvm.func @program(%x: i64) -> i64 {\n"
         "  %a = llvm.call @left(%x) : (i64) -> i64\n"
         "  %b = llvm.call @right(%a) : (i64) -> i64\n"
         "  llvm.return %b : i64\n}\n" +
         makeAdder("left", ops) + makeAdder("right", ops + 1);
}

class SplitModuleTest : public ::testing::Test {
protected:
  SplitModuleTest() {
    DialectRegistry registry;
    registry.insert<LLVM::LLVMDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(int ops) {
    return parseSourceString<ModuleOp>(makeProgram(ops), &context);
  }

  std::unique_ptr<llvm::MemoryBuffer> compile(ModuleOp module) {
    llvm::LLVMContext llvmContext;
    auto machine = llvm::cantFail(createTargetMachine(Processor()));
    auto code =
        llvm::cantFail(translateToLLVM(module, llvmContext, *machine, "half"));
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream os(object);
    llvm::cantFail(optimize(*code, *machine));
    llvm::cantFail(
        emitCode(*code, *machine, llvm::CodeGenFileType::ObjectFile, os));
    return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object),
                                                           false);
  }

  MLIRContext context;
};

TEST_F(SplitModuleTest, HalvesComputeWhatTheWholeDid) {
  constexpr int ops = 1000;
  auto module = parse(ops);
  ASSERT_TRUE(module);
  auto half = splitModule(*module);
  ASSERT_TRUE(half);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_TRUE(succeeded(verify(*half)));
  // Each of the large functions has its body in one half only.
  for (const char *name : {"left", "right"}) {
    auto here = module->lookupSymbol<LLVM::LLVMFuncOp>(name);
    auto there = half->lookupSymbol<LLVM::LLVMFuncOp>(name);
    EXPECT_NE(here && !here.isExternal(), there && !there.isExternal());
  }

  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  objects.push_back(compile(*module));
  objects.push_back(compile(*half));
  auto jit = llvm::cantFail(JitCode::load(std::move(objects), false));
  auto program = reinterpret_cast<int64_t (*)(int64_t)>(
      llvm::cantFail(jit->lookup("program")));
  EXPECT_EQ(program(5), 5 + ops + 1000 + ops + 1 + 1000);
}

TEST_F(SplitModuleTest, HalvesMayBeFarApart) {
  // What is elsewhere is reached through tables or by 64 bits.
  auto module = parse(1000);
  ASSERT_TRUE(module);
  auto half = splitModule(*module);
  ASSERT_TRUE(half);
  int references = 0;
  for (ModuleOp part : {*module, *half}) {
    auto buffer = compile(part);
    auto object = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile(
        buffer->getMemBufferRef()));
    for (const llvm::object::SectionRef &section : object->sections())
      for (const llvm::object::RelocationRef &relocation :
           section.relocations()) {
        auto symbol = relocation.getSymbol();
        if (!(llvm::cantFail(symbol->getFlags()) &
              llvm::object::SymbolRef::SF_Undefined))
          continue;
        ++references;
        llvm::SmallString<32> type;
        relocation.getTypeName(type);
        EXPECT_TRUE(type == "R_X86_64_PLT32" || type == "R_X86_64_64" ||
                    llvm::StringRef(type).contains("GOTPCREL"))
            << type.c_str() << " of "
            << llvm::cantFail(symbol->getName()).str();
      }
  }
  // Two calls of functions, or one and a variable.
  EXPECT_GE(references, 2);
}

TEST_F(SplitModuleTest, LittleCodeStaysTogether) {
  auto module = parse(10);
  ASSERT_TRUE(module);
  EXPECT_FALSE(splitModule(*module));
  for (const char *name : {"program", "left", "right"})
    EXPECT_FALSE(module->lookupSymbol<LLVM::LLVMFuncOp>(name).isExternal());
}

} // namespace
