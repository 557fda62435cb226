// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionEmitter.h"
#include "Target/C/C.h"
#include "mlir/Dialect/EmitC/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/Cpp/CppEmitter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc;
using namespace gc::cexport;

LogicalResult gc::exportToC(ModuleOp module, StringRef head, StringRef tail,
                            llvm::raw_ostream &os) {
  MLIRContext *context = module.getContext();
  context->loadDialect<emitc::EmitCDialect>();
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(result->getBody());
  FileTexts texts;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto role = function->getAttrOfType<StringAttr>("tir.role");
    auto entry = function->getAttrOfType<StringAttr>("tir.entry");
    if (!role || !entry)
      continue;
    FunctionEmitter emitter(builder, module, texts);
    if (failed(emitter.emit(function,
                            (entry.getValue() + "_" + role.getValue()).str())))
      return failure();
  }
  // Operators of one statement instead of a statement each.
  PassManager manager(context, ModuleOp::getOperationName());
  manager.addPass(emitc::createFormExpressionsPass());
  if (failed(manager.run(*result)))
    return failure();

  std::string functions;
  llvm::raw_string_ostream text(functions);
  if (failed(emitc::translateToCpp(*result, text)))
    return failure();
  os << head << "\n#include \"Runtime/Portable.h\"\n\n";
  for (const auto &[name, definition] : texts.kernels)
    os << definition << "\n";
  if (!texts.constants.empty())
    os << texts.constants << "\n";
  os << functions << tail;
  return success();
}
