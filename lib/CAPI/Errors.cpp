// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Handles.h"

using namespace gc;

/// Used when there is no memory for another error.
static gc_error *getMemoryError() {
  static gc_error error{GC_OUT_OF_MEMORY, "out of memory"};
  return &error;
}

gc_error *capi::makeError(gc_status status,
                          const llvm::Twine &message) noexcept {
  try {
    return new gc_error{status, message.str()};
  } catch (...) {
    return getMemoryError();
  }
}

gc_error *capi::makeError(llvm::Error error, gc_status status) noexcept {
  if (!error)
    return nullptr;
  try {
    return new gc_error{status, llvm::toString(std::move(error))};
  } catch (...) {
    llvm::consumeError(std::move(error));
    return getMemoryError();
  }
}

const char *gc_error_message(const gc_error *error) {
  return error ? error->message.c_str() : "";
}

gc_status gc_error_status(const gc_error *error) {
  return error ? error->status : GC_OK;
}

void gc_error_destroy(gc_error *error) {
  if (error != getMemoryError())
    delete error;
}

const char *gc_buffer_data(const gc_buffer *buffer) {
  return buffer ? buffer->data.c_str() : "";
}

size_t gc_buffer_size(const gc_buffer *buffer) {
  return buffer ? buffer->data.size() : 0;
}

void gc_buffer_destroy(gc_buffer *buffer) { delete buffer; }

uint32_t gc_capi_version(void) { return GC_CAPI_VERSION; }

const char *gc_version_string(void) { return GC_VERSION; }
