// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model of AMX's instructions in scalar code (Intel SDM volume 2): tile
// registers, their configuration, and what the hardware would raise #UD for,
// which here is a failure of the test. One thread at a time.

#ifndef GC_UNITTESTS_DRIVER_AMXMODEL_H
#define GC_UNITTESTS_DRIVER_AMXMODEL_H

#include "Runtime/Runtime.h"
#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Module;
} // namespace llvm

/// Replaces all intrinsics of x86 in a module by calls of models: those of AMX
/// by functions of this process, VPDPBUSD by vector code for any processor.
/// There are no models of others.
void replaceByModels(llvm::Module &module);

/// The functions that the module then refers to.
llvm::ArrayRef<gc_symbol> getModelSymbols();

/// Forgets the registers and counts from 0.
void resetModel();
/// Whether a configuration is loaded.
bool isModelInUse();
/// Products of two registers since resetModel().
int64_t getModelProducts();

#endif // GC_UNITTESTS_DRIVER_AMXMODEL_H
