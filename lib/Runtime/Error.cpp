// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Error.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace {
// An array, not a string: reporting that memory is short must not allocate.
thread_local char LastError[gc::runtime::MaxMessage] = "";
} // namespace

gc_status gc::runtime::fail(gc_status Status, const char *Format, ...) {
  // Formatted separately, because an argument may be the previous message.
  char Message[MaxMessage];
  va_list Args;
  va_start(Args, Format);
  std::vsnprintf(Message, sizeof(Message), Format, Args);
  va_end(Args);
  std::memcpy(LastError, Message, sizeof(Message));
  return Status;
}

void gc::runtime::clearError() { LastError[0] = '\0'; }

const char *gc_last_error(void) { return LastError; }
