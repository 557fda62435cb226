// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WriteCode.h"
#include "Driver/Diagnostics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

llvm::Error gc::writeCode(mlir::ModuleOp module, llvm::StringRef name,
                          llvm::TargetMachine &machine, EmitKind kind,
                          llvm::raw_pwrite_stream &os,
                          llvm::StringRef tuneCpu) {
  llvm::LLVMContext context;
  DiagnosticCollector diagnostics(module.getContext());
  auto code = translateToLLVM(module, context, machine, name, tuneCpu);
  if (!code)
    return diagnostics.takeError(llvm::toString(code.takeError()));
  if (llvm::Error error = optimize(**code, machine))
    return error;
  if (kind == EmitKind::llvm) {
    (*code)->print(os, nullptr);
    return llvm::Error::success();
  }
  return emitCode(**code, machine,
                  kind == EmitKind::object
                      ? llvm::CodeGenFileType::ObjectFile
                      : llvm::CodeGenFileType::AssemblyFile,
                  os);
}
