// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/SetMachine.h"
#include "Machine/MachineFile.h"
#include "Support/ModuleMachine.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace gc;

namespace {

struct SetMachinePass : PassWrapper<SetMachinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetMachinePass)

  SetMachinePass() = default;
  explicit SetMachinePass(StringRef setting) { machine = setting.str(); }
  SetMachinePass(const SetMachinePass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "gc-set-machine"; }
  StringRef getDescription() const override {
    return "Describe the machine to compile for in the module";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<DLTIDialect>();
  }

  void runOnOperation() override {
    if (machine.empty()) {
      emitError(getOperation().getLoc(), "gc-set-machine: no machine is named");
      return signalPassFailure();
    }
    auto description = readMachine(machine);
    if (!description) {
      emitError(getOperation().getLoc(),
                llvm::toString(description.takeError()));
      return signalPassFailure();
    }
    setMachine(getOperation(), *description);
  }

  Option<std::string> machine{
      *this, "machine", llvm::cl::desc("Name of a preset, or a JSON file")};
};

} // namespace

std::unique_ptr<Pass> gc::createSetMachinePass(StringRef setting) {
  return std::make_unique<SetMachinePass>(setting);
}

void gc::registerSetMachinePass() { PassRegistration<SetMachinePass>(); }
