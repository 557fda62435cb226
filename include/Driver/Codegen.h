// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From the LLVM dialect to machine code: translation, optimisation, objects.

#ifndef GC_DRIVER_CODEGEN_H
#define GC_DRIVER_CODEGEN_H

#include "Driver/Processor.h"
#include "Machine/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
class raw_pwrite_stream;
} // namespace llvm

namespace gc {

/// The target machine of the processor, or of the host if none is named.
/// `triple` names the system if it is not this process's; it must be x86-64
/// Linux, which the runtime is for.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Processor &processor, llvm::StringRef triple = "");

/// The target machine of a described processor: with exactly those of
/// getInstructionSets() that the description lists, besides what every x86-64
/// processor has. Code is tuned for the processor's name by translateToLLVM().
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Machine &machine, llvm::StringRef triple = "");

/// Those of getInstructionSets() that the target machine has.
std::vector<std::string> getInstructionSets(const llvm::TargetMachine &machine);

/// Instruction sets that code for the machine may use, which the runtime checks
/// when it loads the code.
std::vector<std::string>
getRequiredFeatures(const llvm::TargetMachine &machine);

/// Translates everything in the LLVM dialect; functions of other dialects in
/// the module are left out. Instruction selection is tuned for the processor
/// `tuneCpu`, by default the machine's own.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                const llvm::TargetMachine &machine, llvm::StringRef name,
                llvm::StringRef tuneCpu = "");

/// Runs the scalar optimisations that generated code benefits from. The loop
/// and SLP vectorisers are not among them, because the code is already
/// vectorised.
llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Writes assembly or an object file.
llvm::Error emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::CodeGenFileType type, llvm::raw_pwrite_stream &os);

} // namespace gc

#endif // GC_DRIVER_CODEGEN_H
