// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Codegen.h"
#include "ConstantData.h"
#include "FenceShuffles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

using namespace mlir;

/// Whether generated code tells the thread sanitizer what it reads and writes;
/// it must be part of the process then.
#ifdef GC_SANITIZE_THREADS
static constexpr bool kSanitizesThreads = true;
#else
static constexpr bool kSanitizesThreads = false;
#endif

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
gc::createTargetMachine(const Processor &processor,
                        llvm::StringRef tripleName) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(tripleName.empty() ? llvm::sys::getProcessTriple()
                                         : llvm::Triple::normalize(tripleName));
  if (!tripleName.empty() && (triple.getArch() != llvm::Triple::x86_64 ||
                              !triple.isOSLinux() || triple.isX32()))
    return makeError("triple '" + tripleName +
                     "': code is made for x86-64 and Linux only, "
                     "as in x86_64-unknown-linux-gnu");
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError(message);

  llvm::StringRef cpu = processor.getName();
  llvm::SubtargetFeatures list;
  if (!processor.isNamed()) {
    cpu = llvm::sys::getHostCPUName();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      list.AddFeature(feature.getKey(), feature.getValue());
  }
  for (const ProcessorFeature &feature : processor.getFeatures())
    list.AddFeature(feature.name, feature.isEnabled);
  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = true;
  // A product that is added to something is rounded once.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, list.getString(), options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Default, /*JIT=*/false));
  if (!machine)
    return makeError("no code generator for " + triple.str());
  return machine;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
gc::createTargetMachine(const Machine &machine, llvm::StringRef triple) {
  // The host has features besides those that a description lists.
  const Machine &host = Machine::host();
  if (machine.cpu == host.cpu && machine.features == host.features)
    return createTargetMachine(Processor(), triple);
  // Removals go first: enabling or disabling a feature affects others.
  std::vector<ProcessorFeature> features;
  for (bool enable : {false, true})
    for (const InstructionSet &set : getInstructionSets())
      if (machine.hasFeature(set.name) == enable)
        features.push_back({set.name.str(), enable});
  // The name of a processor implies features that the description does not
  // list: the code is only tuned for it.
  auto processor = Processor::get(Processor::kBaseline, std::move(features));
  if (!processor)
    return processor.takeError();
  auto target = createTargetMachine(*processor, triple);
  if (target && !(*target)->getMCSubtargetInfo()->isCPUStringValid(machine.cpu))
    return makeError("unknown processor '" + machine.cpu + "'");
  return target;
}

std::vector<std::string>
gc::getInstructionSets(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo *info = machine.getMCSubtargetInfo();
  std::vector<std::string> names;
  for (const InstructionSet &set : getInstructionSets())
    if (info->checkFeatures(("+" + set.name).str()))
      names.push_back(set.name.str());
  return names;
}

std::vector<std::string>
gc::getRequiredFeatures(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo *info = machine.getMCSubtargetInfo();
  std::vector<std::string> names;
  for (const InstructionSet &set : getInstructionSets())
    if (set.isGenerated && info->checkFeatures(("+" + set.name).str()))
      names.push_back(set.name.str());
  return names;
}

llvm::Expected<std::unique_ptr<llvm::Module>>
gc::translateToLLVM(ModuleOp module, llvm::LLVMContext &context,
                    const llvm::TargetMachine &machine, llvm::StringRef name,
                    llvm::StringRef tuneCpu) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (!isa_and_nonnull<LLVM::LLVMDialect>(op.getDialect()))
      op.erase();
  // The layout decides the alignment of what is loaded and stored.
  module->setAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(module.getContext(),
                      machine.createDataLayout().getStringRepresentation()));
  module->setAttr(
      LLVM::LLVMDialect::getTargetTripleAttrName(),
      StringAttr::get(module.getContext(), machine.getTargetTriple().str()));
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, name);
  if (!result)
    return makeError("the LLVM dialect could not be translated");
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (!tuneCpu.empty())
      function.addFnAttr("tune-cpu", tuneCpu);
    function.setDoesNotThrow();
    // For the call stacks of debuggers and profilers.
    function.setUWTableKind(llvm::UWTableKind::Default);
    if (kSanitizesThreads)
      function.addFnAttr(llvm::Attribute::SanitizeThread);
  }
  return result;
}

llvm::Error gc::optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  // What the default pipeline of level 2 adds to this takes as much time again
  // as all code generation, and no benchmark ran faster for it: loops and
  // vectors come out of Tensor IR in good shape. Addresses are combined before
  // loops are unrolled, not in every copy of a body.
  static constexpr llvm::StringLiteral Passes =
      "early-cse,simplifycfg,instcombine<no-verify-fixpoint>,"
      "loop-mssa(loop-rotate,licm),loop(loop-unroll-full),early-cse<memssa>,"
      "simplifycfg";
  // For functions that run once: only passes that make them smaller, because
  // they are then generated faster.
  static constexpr llvm::StringLiteral PassesOfCold =
      "early-cse,simplifycfg,instcombine<no-verify-fixpoint>,early-cse";
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::FunctionPassManager hot, cold;
  if (llvm::Error error = builder.parsePassPipeline(hot, Passes))
    return error;
  if (llvm::Error error = builder.parsePassPipeline(cold, PassesOfCold))
    return error;
  for (llvm::FunctionPassManager *passes : {&hot, &cold})
    if (kSanitizesThreads)
      if (llvm::Error error = builder.parsePassPipeline(*passes, "tsan"))
        return error;
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      (function.hasOptNone() ? cold : hot).run(function, functions);
      functions.clear(function, function.getName());
      fenceShuffles(function);
    }
  return llvm::Error::success();
}

namespace {

/// Leaves out passes of the code generator that cost time and gain nothing:
/// loop counters and addresses are already in good shape, and processors
/// reorder instructions themselves.
class CodegenGate : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    constexpr llvm::StringLiteral kUseless[] = {
        "Canonicalize Freeze Instructions in Loops", "Loop Strength Reduction",
        "post-RA-sched", "x86-optimize-leas"};
    return !llvm::is_contained(kUseless, pass);
  }
};

} // namespace

llvm::Error gc::emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                         llvm::CodeGenFileType type,
                         llvm::raw_pwrite_stream &os) {
  static CodegenGate gate;
  module.getContext().setOptPassGate(gate);
  if (type == llvm::CodeGenFileType::ObjectFile)
    storeLargeConstantsAsBytes(module);
  llvm::legacy::PassManager manager;
  if (machine.addPassesToEmitFile(manager, os, nullptr, type,
                                  /*DisableVerify=*/true))
    return makeError("the code generator cannot write this kind of file");
  manager.run(module);
  return llvm::Error::success();
}
