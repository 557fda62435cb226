// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What external tools see of loaded code, and what happens to code that cannot
// be loaded.

#include "Driver/JitCode.h"
#include "Driver/Codegen.h"
#include "Machine/MachineFile.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#include <unistd.h>

using namespace gc;

// GDB's JIT interface (GDB manual, "JIT Compilation Interface").
extern "C" {
struct jit_code_entry {
  jit_code_entry *next, *previous;
  const char *object;
  uint64_t size;
};
struct jit_descriptor {
  uint32_t version, action;
  jit_code_entry *relevant, *first;
};
extern jit_descriptor __jit_debug_descriptor;
}

namespace {

std::unique_ptr<llvm::MemoryBuffer> compile(const char *text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return nullptr;
  auto machine = llvm::cantFail(createTargetMachine(Processor()));
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  llvm::cantFail(
      emitCode(*module, *machine, llvm::CodeGenFileType::ObjectFile, os));
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object),
                                                         false);
}

const char *Program = R"(
define internal i32 @gc_test_helper(i32 %x) noinline {
  %y = mul i32 %x, 3
  ret i32 %y
}
define i32 @gc_test_function(i32 %x) {
  %y = call i32 @gc_test_helper(i32 %x)
  ret i32 %y
}
)";

/// Whether an object that was registered with debuggers after `last` has this
/// symbol. LLVM leaves entries of objects that are gone, and puts new ones in
/// front of them.
bool debuggerKnows(llvm::StringRef name, const jit_code_entry *last) {
  for (jit_code_entry *entry = __jit_debug_descriptor.first;
       entry && entry != last; entry = entry->next) {
    auto object = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef({entry->object, entry->size}, "jit"));
    if (!object) {
      llvm::consumeError(object.takeError());
      continue;
    }
    for (const llvm::object::SymbolRef &symbol : (*object)->symbols())
      if (llvm::cantFail(symbol.getName()) == name)
        return true;
  }
  return false;
}

TEST(JitCode, IsKnownToDebuggersWhileItIsLoaded) {
  const jit_code_entry *last = __jit_debug_descriptor.first;
  auto jit = llvm::cantFail(JitCode::load(compile(Program), false));
  auto function = reinterpret_cast<int (*)(int)>(
      llvm::cantFail(jit->lookup("gc_test_function")));
  EXPECT_EQ(function(14), 42);
  EXPECT_TRUE(debuggerKnows("gc_test_function", last));
  EXPECT_TRUE(debuggerKnows("gc_test_helper", last));
  EXPECT_FALSE(debuggerKnows("gc_no_such_function", last));
}

TEST(JitCode, WritesAMapForPerf) {
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  unlink(path.c_str());
  auto quiet = llvm::cantFail(JitCode::load(compile(Program), false));
  llvm::cantFail(quiet->lookup("gc_test_function"));
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  auto jit = llvm::cantFail(JitCode::load(compile(Program), true));
  void *function = llvm::cantFail(jit->lookup("gc_test_function"));
  auto map = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(map);
  llvm::StringRef text = (*map)->getBuffer();
  char start[32];
  snprintf(start, sizeof(start), "%llx ",
           (unsigned long long)reinterpret_cast<uintptr_t>(function));
  EXPECT_NE(text.find(start), llvm::StringRef::npos) << text.str();
  EXPECT_NE(text.find(" gc_test_function\n"), llvm::StringRef::npos);
  EXPECT_NE(text.find(" gc_test_helper\n"), llvm::StringRef::npos);
  unlink(path.c_str());
}

TEST(JitCode, ReportsWhatIsMissing) {
  auto jit = llvm::cantFail(JitCode::load(compile(R"(
    declare void @gc_no_such_function()
    define void @gc_test_caller() {
      call void @gc_no_such_function()
      ret void
    })"),
                                          false));
  auto address = jit->lookup("gc_test_caller");
  ASSERT_FALSE(address);
  EXPECT_NE(llvm::toString(address.takeError()).find("gc_no_such_function"),
            std::string::npos);
  auto absent = jit->getModule("absent");
  ASSERT_FALSE(absent);
  EXPECT_NE(llvm::toString(absent.takeError()).find("absent_module"),
            std::string::npos);
}

TEST(JitCode, RefusesWhatIsNoObject) {
  auto jit = JitCode::load(
      llvm::MemoryBuffer::getMemBufferCopy("not an object file"), false);
  EXPECT_FALSE(jit);
  llvm::consumeError(jit.takeError());
}

TEST(Codegen, ListsInstructionSetsThatMayBeUsed) {
  auto getFeatures = [](llvm::StringRef text) {
    return getRequiredFeatures(*llvm::cantFail(
        createTargetMachine(llvm::cantFail(Processor::parse(text)))));
  };
  std::vector<std::string> haswell = getFeatures("haswell");
  EXPECT_TRUE(llvm::is_contained(haswell, "avx2"));
  EXPECT_TRUE(llvm::is_contained(haswell, "fma"));
  EXPECT_FALSE(llvm::is_contained(haswell, "avx512f"));
  EXPECT_FALSE(llvm::is_contained(getFeatures("haswell,-fma"), "fma"));
  EXPECT_TRUE(llvm::is_contained(getFeatures("+fma"), "fma"));
  EXPECT_TRUE(getFeatures("x86-64").empty());
  // Processors of one vendor have these.
  EXPECT_TRUE(llvm::is_contained(getFeatures("znver3"), "sse4a"));
}

// Code for a description has its instruction sets, not all that a processor of
// that name has.
TEST(Codegen, DescribedMachines) {
  Machine zen3 = *findPreset("zen3-2");
  auto target = llvm::cantFail(createTargetMachine(zen3));
  auto has = [&](const char *feature) {
    return target->getMCSubtargetInfo()->checkFeatures(feature);
  };
  EXPECT_TRUE(has("+avx2"));
  EXPECT_FALSE(has("+sse4a"));
  EXPECT_FALSE(has("+vaes"));
  zen3.cpu = "abacus";
  EXPECT_EQ(llvm::toString(createTargetMachine(zen3).takeError()),
            "unknown processor 'abacus'");
}

} // namespace
