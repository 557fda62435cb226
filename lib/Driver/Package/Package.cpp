// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Package.h"
#include "../ConstantData.h"
#include "../PipelineRun.h"
#include "../WriteC.h"
#include "Driver/Codegen.h"
#include "Driver/Diagnostics.h"
#include "Interface.h"
#include "OutputFolder.h"
#include "SharedLibrary.h"
#include "Weights.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gc;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {

/// A field of gc_module in the generated code.
enum ModuleField {
  numFolded = 4,
  foldedBytes = 9,
  arenaShared = 10,
  arenaThread = 11,
  arenaAlignment = 12
};

class PackageBuilder {
public:
  PackageBuilder(const CompileOptions &options, const PackageOptions &package)
      : options(options), package(package) {}

  llvm::Error compile(func::FuncOp entry, std::vector<Remark> &remarks);
  llvm::Error write(OutputFolder &folder);
  void describe(llvm::json::OStream &os) { describePackage(interface, os); }

private:
  llvm::Error describe(func::FuncOp entry);
  llvm::Error translate(PipelineRun &run);
  llvm::Error readModule();
  llvm::Error placeConstants(llvm::TargetMachine &machine);
  llvm::Error addFunctions();

  const CompileOptions &options;
  const PackageOptions &package;
  PackageInterface interface;
  KnownValues known;
  /// Contents of the folded buffers, with PackageOptions::prepack.
  std::vector<llvm::SmallVector<char, 0>> folded;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  llvm::SmallVector<char, 0> object;
  bool needsKernels = false;
};

} // namespace

llvm::Error PackageBuilder::describe(func::FuncOp entry) {
  if (llvm::Error error = describeTensors(entry, interface))
    return error;
  interface.name = package.name;
  interface.source = package.source;
  return llvm::Error::success();
}

/// Sizes of temporaries and constants, from the generated descriptor.
llvm::Error PackageBuilder::readModule() {
  auto *global = code->getGlobalVariable(package.name + "_module");
  auto *descriptor =
      global && global->hasInitializer()
          ? llvm::dyn_cast<llvm::ConstantStruct>(global->getInitializer())
          : nullptr;
  if (!descriptor)
    return makeError("the compiler did not make a descriptor of @" +
                     package.name);
  auto number = [&](ModuleField field) {
    return llvm::cast<llvm::ConstantInt>(descriptor->getOperand(field))
        ->getSExtValue();
  };
  interface.arenaSharedBytes = number(arenaShared);
  interface.arenaThreadBytes = number(arenaThread);
  interface.arenaAlignment = number(arenaAlignment);
  if (number(numFolded) == 0)
    return llvm::Error::success();
  auto *sizes = llvm::cast<llvm::GlobalVariable>(
      descriptor->getOperand(foldedBytes)->stripPointerCasts());
  auto *list = llvm::cast<llvm::ConstantDataArray>(sizes->getInitializer());
  for (unsigned i = 0; i < list->getNumElements(); ++i)
    interface.constantBytes += list->getElementAsInteger(i);
  return llvm::Error::success();
}

/// Decides what goes into the file of weights, and what into the code.
llvm::Error PackageBuilder::placeConstants(llvm::TargetMachine &machine) {
  if (package.prepack) {
    removeFold(*code, package.name);
    // Only code without detours tells what it reads.
    if (llvm::Error error = optimize(*code, machine))
      return error;
  }
  for (const KnownInput &input : known.inputs) {
    PackageTensor &tensor = interface.inputs[input.index];
    if (!package.prepack || readsInput(*code, package.name, input.index))
      interface.weights.push_back({tensor.name, tensor.fileType, tensor.shape,
                                   int64_t(input.index), /*isFolded=*/false,
                                   input.bytes});
  }
  for (auto [i, bytes] : llvm::enumerate(folded)) {
    if (!package.weightsInFile) {
      interface.folded.push_back(bytes);
      continue;
    }
    interface.weights.push_back({"folded." + std::to_string(i),
                                 "U8",
                                 {int64_t(bytes.size())},
                                 int64_t(i),
                                 /*isFolded=*/true,
                                 bytes});
  }
  return llvm::Error::success();
}

llvm::Error PackageBuilder::addFunctions() {
  std::string text = writePackageFunctions(interface);
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> functions =
      llvm::parseAssemblyString(text, diagnostic, context);
  if (!functions)
    return makeError("the entry points could not be made: " +
                     diagnostic.getMessage());
  functions->setDataLayout(code->getDataLayout());
  functions->setTargetTriple(code->getTargetTriple());
  if (llvm::Linker::linkModules(*code, std::move(functions)))
    return makeError("the entry points could not be linked to the code");
  return llvm::Error::success();
}

llvm::Error PackageBuilder::translate(PipelineRun &run) {
  auto constants = takeLargeConstants(*run.module, package.name);
  if (!constants)
    return constants.takeError();
  {
    DiagnosticCollector diagnostics(run.module->getContext());
    auto result = translateToLLVM(*run.module, context, *run.machine,
                                  package.name, run.description.cpu);
    if (!result)
      return diagnostics.takeError(llvm::toString(result.takeError()));
    code = std::move(*result);
  }
  for (const NamedData &constant : *constants)
    if (auto *global = code->getGlobalVariable(constant.symbol))
      defineConstant(*global, constant.bytes.size());
  if (llvm::Error error = readModule())
    return error;
  if (llvm::Error error = placeConstants(*run.machine))
    return error;
  if (llvm::Error error = addFunctions())
    return error;
  defineFolded(*code, interface.folded, *constants);
  if (llvm::Error error = optimize(*code, *run.machine))
    return error;
  llvm::raw_svector_ostream os(object);
  needsKernels = code->getFunction("gc_brgemm_dispatch") != nullptr;
  if (llvm::Error error =
          emitCode(*code, *run.machine, llvm::CodeGenFileType::ObjectFile, os))
    return error;
  return fillConstants(object, *constants);
}

llvm::Error PackageBuilder::compile(func::FuncOp entry,
                                    std::vector<Remark> &remarks) {
  OwningOpRef<ModuleOp> module = entry->getParentOfType<ModuleOp>().clone();
  auto function = module->lookupSymbol<func::FuncOp>(entry.getName());
  // The package holds one graph: what else the module has is dropped unless
  // the graph needs it.
  for (auto other : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (other != function && SymbolTable::symbolKnownUseEmpty(other, *module))
      other.erase();
  function.setPublic();
  SymbolTable symbols(*module);
  if (function.getName() != package.name) {
    if (Operation *other = symbols.lookup(package.name)) {
      std::string fresh = package.name + "_";
      while (symbols.lookup(fresh))
        fresh += "_";
      if (failed(symbols.rename(other, fresh)))
        return makeError("@" + package.name + " could not be renamed");
    }
    if (failed(symbols.rename(function, package.name)))
      return makeError("@" + entry.getName() + " could not be renamed");
  }
  if (llvm::Error error =
          bindValues(function, package.values, package.weightsInFile, known))
    return error;
  if (llvm::Error error = describe(function))
    return error;
  for (const KnownInput &input : known.inputs)
    interface.inputs[input.index].isInFile = true;
  nameParameters(interface);
  if (package.prepack) {
    auto result =
        foldNow(*module, package.name, options, known, interface.inputs);
    if (!result)
      return result.takeError();
    folded = std::move(*result);
  }

  auto run = runPipeline(*module, package.name, options);
  if (!run)
    return run.takeError();
  llvm::append_range(remarks, run->remarks);
  if (run->stoppedAfter != CpuPhase::machine)
    return makeError("code that stops after phase '" +
                     getPhaseName(run->stoppedAfter) + "' cannot be packaged");
  if (!run->module->lookupSymbol(package.name + "_module")) {
    DiagnosticCollector diagnostics(entry.getContext());
    entry.emitOpError("has no graph ops: there is nothing to compile");
    return diagnostics.takeError("there is nothing to compile");
  }
  interface.machine = run->description.name;
  interface.features = getRequiredFeatures(*run->machine);
  interface.threads = options.pipeline.threads;
  return translate(*run);
}

llvm::Error PackageBuilder::write(OutputFolder &folder) {
  StringRef name = package.name;
  auto toString = [](ArrayRef<char> bytes) {
    return StringRef(bytes.data(), bytes.size());
  };
  if (llvm::Error error = folder.add((name + ".o").str(), toString(object)))
    return error;
  if (llvm::Error error =
          folder.add((name + ".h").str(), writePackageHeader(interface)))
    return error;
  if (llvm::Error error =
          folder.add((name + "Config.cmake").str(),
                     writePackageConfig(interface, package.shared)))
    return error;
  if (interface.hasFile())
    if (llvm::Error error =
            folder.add((name + ".safetensors").str(), writeWeights(interface)))
      return error;
  if (!package.shared)
    return llvm::Error::success();
  std::string objectFile = folder.getPath((name + ".o").str());
  return linkSharedLibrary(objectFile,
                           folder.getPath(("lib" + name + ".so").str()),
                           package.name, needsKernels, package.linker);
}

llvm::Error gc::writePackage(func::FuncOp entry, const CompileOptions &options,
                             const PackageOptions &package, StringRef path,
                             std::vector<Remark> &remarks) {
  // Before any work: whether the folder can be written.
  auto folder = OutputFolder::create(path);
  if (!folder)
    return folder.takeError();
  if (package.emitC) {
    OwningOpRef<ModuleOp> module = entry->getParentOfType<ModuleOp>().clone();
    auto function = module->lookupSymbol<func::FuncOp>(entry.getName());
    KnownValues known;
    if (llvm::Error error =
            bindValues(function, package.values, /*inFile=*/false, known))
      return error;
    std::string code, header;
    llvm::raw_string_ostream os(code);
    if (llvm::Error error =
            writeC(function, options, package.name, os, remarks, &header))
      return error;
    if (llvm::Error error = folder->add(package.name + ".c", code))
      return error;
    if (llvm::Error error = folder->add(package.name + ".h", header))
      return error;
    return folder->commit([](llvm::json::OStream &) {});
  }
  PackageBuilder builder(options, package);
  if (llvm::Error error = builder.compile(entry, remarks))
    return error;
  if (llvm::Error error = builder.write(*folder))
    return error;
  return folder->commit([&](llvm::json::OStream &os) { builder.describe(os); });
}
