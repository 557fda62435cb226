// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Targets by name, and the defaults that a target need not define itself.

#include "Driver/Target.h"
#include "llvm/ADT/STLExtras.h"

using namespace gc;

TargetOptions::~TargetOptions() = default;
Executable::~Executable() = default;
Target::~Target() = default;

Target::Target(llvm::StringRef name, llvm::StringRef description,
               llvm::ArrayRef<Ability> abilities)
    : name(name), description(description) {
  for (Ability ability : abilities)
    this->abilities |= static_cast<unsigned>(ability);
}

std::unique_ptr<TargetOptions> Target::makeOptions() const {
  return std::make_unique<TargetOptions>();
}

llvm::Error Target::finishOptions(TargetOptions &, const RunOptions &) const {
  return llvm::Error::success();
}

llvm::Expected<Program> Target::find(mlir::ModuleOp module,
                                     llvm::StringRef entry,
                                     const TargetOptions &) const {
  auto function = findEntry(module, entry);
  if (!function)
    return function.takeError();
  return Program{*function, *function, {}};
}

llvm::Error Target::chooseThreads(mlir::ModuleOp, bool, TargetOptions &,
                                  RunOptions &runOptions) const {
  const gc_executor *executor = gc_openmp_executor();
  if (runOptions.threads == 0)
    runOptions.threads = executor->threads(executor->context);
  return llvm::Error::success();
}

static llvm::Error makeUnable(const Target &target, llvm::StringRef what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "target '" + target.getName() + "' " + what);
}

llvm::Error Target::emit(mlir::ModuleOp, llvm::StringRef, const TargetOptions &,
                         EmitKind, llvm::raw_pwrite_stream &,
                         std::vector<Remark> &) const {
  return makeUnable(*this, "emits nothing");
}

std::string Target::printPipeline(const TargetOptions &) const { return ""; }

void TargetRegistry::add(std::unique_ptr<Target> target) {
  assert(llvm::none_of(targets,
                       [&](const std::unique_ptr<Target> &other) {
                         return other->getName() == target->getName();
                       }) &&
         "two targets have the same name");
  targets.push_back(std::move(target));
}

llvm::Expected<const Target *>
TargetRegistry::find(llvm::StringRef name) const {
  std::string names;
  for (const std::unique_ptr<Target> &target : targets) {
    if (target->getName() == name)
      return target.get();
    names += (names.empty() ? "" : ", ") + target->getName().str();
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "there is no target '" + name +
                                     "'; there are " + names);
}
