// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Descriptions of machines as JSON: presets, which are compiled in, and files.
// docs/machine.md lists the keys.

#ifndef GC_MACHINE_MACHINEFILE_H
#define GC_MACHINE_MACHINEFILE_H

#include "Machine/Machine.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gc {

/// The environment variable that names a machine if nothing else does.
inline constexpr char kMachineVariable[] = "GC_MACHINE";

/// Names of the presets, sorted.
llvm::ArrayRef<llvm::StringRef> getPresetNames();

/// The preset of that name; null if there is none.
const Machine *findPreset(llvm::StringRef name);

/// The preset with the fewest instruction sets that only one of the two has,
/// none if it is for the processor `cpu`; of several the one whose number of
/// cores is nearest, since cores share the bandwidth of L3 and memory.
const Machine &findNearestPreset(llvm::StringRef cpu,
                                 llvm::ArrayRef<std::string> features,
                                 int64_t cores);

/// Parses a description. Every key must appear exactly once, and no others; an
/// error names `file` and the key.
llvm::Expected<Machine> parseMachine(llvm::StringRef text,
                                     llvm::StringRef file);

/// Writes a description that parseMachine reads back as the same machine.
void writeMachine(const Machine &machine, llvm::raw_ostream &os);

/// The machine that a setting names: a preset or a file.
llvm::Expected<Machine> readMachine(llvm::StringRef setting);

/// The default machine: that of the environment variable GC_MACHINE, else the
/// host. Read once per process.
llvm::Expected<Machine> getDefaultMachine();

} // namespace gc

#endif // GC_MACHINE_MACHINEFILE_H
