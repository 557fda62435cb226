// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/JitCode.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Debugging/ELFDebugObjectPlugin.h"
#include "llvm/ExecutionEngine/Orc/EHFrameRegistrationPlugin.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace gc;

namespace {

/// Appends the functions of linked code to the map that perf reads.
class PerfMapPlugin : public orc::ObjectLinkingLayer::Plugin {
public:
  void modifyPassConfig(orc::MaterializationResponsibility &,
                        jitlink::LinkGraph &,
                        jitlink::PassConfiguration &config) override {
    // Names that no relocation refers to would be pruned.
    config.PrePrunePasses.push_back([](jitlink::LinkGraph &graph) {
      for (jitlink::Symbol *symbol : graph.defined_symbols())
        if (symbol->isCallable())
          symbol->setLive(true);
      return Error::success();
    });
    config.PostFixupPasses.push_back([](jitlink::LinkGraph &graph) {
      write(graph);
      return Error::success();
    });
  }
  Error notifyFailed(orc::MaterializationResponsibility &) override {
    return Error::success();
  }
  Error notifyRemovingResources(orc::JITDylib &, orc::ResourceKey) override {
    return Error::success();
  }
  void notifyTransferringResources(orc::JITDylib &, orc::ResourceKey,
                                   orc::ResourceKey) override {}

private:
  static void write(jitlink::LinkGraph &graph) {
    std::string path =
        "/tmp/perf-" + std::to_string(sys::Process::getProcessId()) + ".map";
    std::error_code error;
    raw_fd_ostream os(path, error, sys::fs::OF_Append);
    // A profile without names is not a reason to reject the code.
    if (error)
      return;
    for (jitlink::Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->isCallable())
        os << format("%llx %llx ",
                     (unsigned long long)symbol->getAddress().getValue(),
                     (unsigned long long)symbol->getSize())
           << *symbol->getName() << "\n";
    os.close();
    os.clear_error();
  }
};

Expected<std::unique_ptr<orc::ObjectLayer>>
createLinkingLayer(orc::ExecutionSession &session, bool perfMap) {
  auto layer = std::make_unique<orc::ObjectLinkingLayer>(session);
  Error error = Error::success();
  auto debug = std::make_shared<orc::ELFDebugObjectPlugin>(
      session, /*RequireDebugSections=*/false, /*AutoRegisterCode=*/true,
      error);
  // Without a debugger interface in the process the code still runs.
  if (error)
    consumeError(std::move(error));
  else
    layer->addPlugin(std::move(debug));
  if (perfMap)
    layer->addPlugin(std::make_shared<PerfMapPlugin>());
  return layer;
}

} // namespace

JitCode::JitCode(std::unique_ptr<orc::LLJIT> jit,
                 std::shared_ptr<std::string> causes)
    : jit(std::move(jit)), causes(std::move(causes)) {}
JitCode::~JitCode() = default;

Expected<std::unique_ptr<JitCode>>
JitCode::load(std::unique_ptr<MemoryBuffer> object, bool perfMap,
              ArrayRef<gc_symbol> symbols) {
  std::vector<std::unique_ptr<MemoryBuffer>> objects;
  objects.push_back(std::move(object));
  return load(std::move(objects), perfMap, symbols);
}

Expected<std::unique_ptr<JitCode>>
JitCode::load(std::vector<std::unique_ptr<MemoryBuffer>> objects, bool perfMap,
              ArrayRef<gc_symbol> symbols, std::vector<NamedData> constants) {
  auto triple = Triple(sys::getProcessTriple());
  auto jit =
      orc::LLJITBuilder()
          .setJITTargetMachineBuilder(orc::JITTargetMachineBuilder(triple))
          .setPlatformSetUp(orc::setUpInactivePlatform)
          .setObjectLinkingLayerCreator([&](orc::ExecutionSession &session) {
            return createLinkingLayer(session, perfMap);
          })
          .create();
  if (!jit)
    return jit.takeError();

  // The linker reports the cause of a failure here; the lookup that fails
  // because of it only says which symbols it could not find.
  auto causes = std::make_shared<std::string>();
  (*jit)->getExecutionSession().setErrorReporter([causes](Error error) {
    *causes += (causes->empty() ? "" : "; ") + toString(std::move(error));
  });
  orc::JITDylib &dylib = (*jit)->getMainJITDylib();
  int64_t count = 0;
  const gc_symbol *own = gc_runtime_symbols(&count);
  orc::SymbolMap known;
  for (ArrayRef<gc_symbol> list : {ArrayRef(own, count), symbols})
    for (const gc_symbol &symbol : list)
      known[(*jit)->mangleAndIntern(symbol.name)] = {
          orc::ExecutorAddr::fromPtr(symbol.address),
          JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  for (const NamedData &constant : constants)
    known[(*jit)->mangleAndIntern(constant.symbol)] = {
        orc::ExecutorAddr::fromPtr(constant.bytes.data()),
        JITSymbolFlags::Exported};
  if (Error error = dylib.define(orc::absoluteSymbols(std::move(known))))
    return std::move(error);
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  dylib.addGenerator(std::move(*process));
  for (std::unique_ptr<MemoryBuffer> &object : objects)
    if (Error error = (*jit)->addObjectFile(std::move(object)))
      return std::move(error);
  std::unique_ptr<JitCode> code(
      new JitCode(std::move(*jit), std::move(causes)));
  code->constants = std::move(constants);
  return code;
}

void JitCode::dropFoldedConstants() {
  llvm::erase_if(constants,
                 [](const NamedData &constant) { return constant.isFolded; });
}

Expected<void *> JitCode::lookup(StringRef name) {
  auto address = jit->lookup(name);
  if (!address) {
    std::string message = toString(address.takeError());
    if (!causes->empty())
      message = *causes + "; " + message;
    return createStringError(inconvertibleErrorCode(), message);
  }
  return address->toPtr<void *>();
}

Expected<const gc_module *> JitCode::getModule(StringRef entry) {
  auto address = lookup((entry + "_module").str());
  if (!address)
    return address.takeError();
  return static_cast<const gc_module *>(*address);
}
