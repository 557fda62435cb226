// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The options of passes that choose microkernels, or depend on the choice.

#ifndef GC_SUPPORT_KERNELOPTION_TD
#define GC_SUPPORT_KERNELOPTION_TD

include "mlir/Pass/PassBase.td"

class KernelOption<string description>
    : Option<"kernel", "kernel", "::gc::KernelPreference",
             "::gc::KernelPreference::automatic", description, [{
  ::llvm::cl::values(
    clEnumValN(::gc::KernelPreference::automatic, "auto",
               "libxsmm, or vector code where libxsmm is slow"),
    clEnumValN(::gc::KernelPreference::library, "libxsmm", "libxsmm"),
    clEnumValN(::gc::KernelPreference::vector, "vector",
               "Generated vector code"))}]>;

class FixedPointOption
    : Option<"fixedPoint", "fixed-point", "bool", "true",
             "Whether generated kernels may convert rows of f32 to fixed point "
             "to multiply them by 4-bit weights">;

#endif // GC_SUPPORT_KERNELOPTION_TD
