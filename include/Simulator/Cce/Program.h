// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The programs of a text, for Simulator/CceMain.h.

#ifndef GC_SIMULATOR_CCE_PROGRAM_H
#define GC_SIMULATOR_CCE_PROGRAM_H

#include "Simulator/Cce/Core.h"

#include <utility>
#include <vector>

namespace gc::cce {

/// A kernel's argument in global memory.
struct Argument {
  int64_t bytes;
  bool isOutput;
};

struct Program {
  const char *name;
  /// Runs the kernel on a core, on tensors at these addresses.
  void (*run)(gc_npu_core *core, const uint64_t *addresses);
  int64_t cores;
  std::vector<Argument> arguments;
};

/// All programs of the text.
inline std::vector<Program> &getPrograms() {
  static std::vector<Program> programs;
  return programs;
}

struct Registration {
  explicit Registration(Program program) {
    getPrograms().push_back(std::move(program));
  }
};

template <typename... Pointers, size_t... indices>
void call(void (*kernel)(Pointers...), const uint64_t *addresses,
          std::index_sequence<indices...>) {
  (void)addresses;
  kernel(reinterpret_cast<Pointers>(
      static_cast<uintptr_t>(addresses[indices]))...);
}
template <typename... Pointers>
void call(void (*kernel)(Pointers...), const uint64_t *addresses) {
  call(kernel, addresses, std::index_sequence_for<Pointers...>());
}

template <auto kernel>
void launch(gc_npu_core *core, const uint64_t *addresses) {
  registers = Registers();
  registers.core = core;
  call(kernel, addresses);
}

} // namespace gc::cce

/// Names a kernel: GC_CCE_PROGRAM("name", function, cores, {bytes, is
/// output}...).
#define GC_CCE_PROGRAM(name, function, cores, ...)                             \
  static const gc::cce::Registration function##_registration(                  \
      {name, gc::cce::launch<function>, cores, {__VA_ARGS__}});

#endif // GC_SIMULATOR_CCE_PROGRAM_H
