// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a program that compiles one graph and ends uses memory.

#ifndef GC_DRIVER_PROCESSMEMORY_H
#define GC_DRIVER_PROCESSMEMORY_H

namespace gc {

/// Compiling touches most pages of a short-lived program for the first time,
/// and a page fault costs as much as what is then done with the page. Gives the
/// heap 2 MiB pages, and maps the program's code at once. For the main function
/// of programs: a library must not change its process's heap. Does nothing
/// where the C library or the kernel has no such setting.
void prepareProcessMemory();

} // namespace gc

#endif // GC_DRIVER_PROCESSMEMORY_H
