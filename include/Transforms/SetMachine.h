// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sets the machine that a user names, before the passes that ask for it.

#ifndef GC_TRANSFORMS_SETMACHINE_H
#define GC_TRANSFORMS_SETMACHINE_H

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace gc {

/// `gc-set-machine`: gives the module a target description (DLTI) of the
/// machine that `setting` names, a preset or a file, in place of the one it
/// has.
///
/// ```mlir
/// // before
/// module {
/// }
/// // after, with machine=zen4-2
/// module attributes {dlti.target_system_spec = #dlti.target_system_spec<
///     "CPU" = #dlti.target_device_spec<"machine" = "zen4-2">>} {
/// }
/// ```
std::unique_ptr<mlir::Pass> createSetMachinePass(llvm::StringRef setting);

void registerSetMachinePass();

} // namespace gc

#endif // GC_TRANSFORMS_SETMACHINE_H
