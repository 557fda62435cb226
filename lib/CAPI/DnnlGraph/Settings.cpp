// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Settings.h"
#include "Next.h"
#include "Runtime/Runtime.h"
#include "Status.h"
#include "gc_dnnl_graph.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

using namespace gc::dnnlgraph;
using llvm::StringRef;

static std::atomic<int> &getVerbosity() {
  static std::atomic<int> verbosity([] {
    const char *text = getenv("ONEDNN_VERBOSE");
    return text && *text && StringRef(text) != "0" && StringRef(text) != "none"
               ? 1
               : 0;
  }());
  return verbosity;
}

static std::atomic<int> defaultMode{dnnl_fpmath_mode_strict};

static std::atomic<unsigned> &getDumpMode() {
  static std::atomic<unsigned> mode([] {
    unsigned bits = 0;
    if (const char *text = getenv("ONEDNN_GRAPH_DUMP")) {
      if (StringRef(text).contains("subgraph"))
        bits |= dnnl_graph_dump_mode_subgraph;
      llvm::SmallVector<StringRef> words;
      StringRef(text).split(words, ',');
      if (llvm::is_contained(words, "graph"))
        bits |= dnnl_graph_dump_mode_graph;
    }
    return bits;
  }());
  return mode;
}

/// Why the last call of this thread failed that had a reason.
static std::string &getLastReason() {
  static thread_local std::string reason;
  return reason;
}

const char *gc_dnnl_last_reason(void) {
  static thread_local std::string told;
  told.clear();
  told.swap(getLastReason());
  return told.c_str();
}

dnnl_status_t gc::dnnlgraph::fail(dnnl_status_t status,
                                  const llvm::Twine &reason) noexcept {
  try {
    std::string &text = getLastReason() = reason.str();
    if (getVerbosity().load(std::memory_order_relaxed) > 0)
      fprintf(stderr, "gc: dnnl_%s: %s\n", dnnl_status2str(status),
              text.c_str());
  } catch (...) {
    // The status says enough.
  }
  return status;
}

dnnl_status_t gc::dnnlgraph::fail(dnnl_status_t status,
                                  llvm::Error reason) noexcept {
  try {
    return fail(status, llvm::toString(std::move(reason)));
  } catch (...) {
    llvm::consumeError(std::move(reason));
    return status;
  }
}

bool gc::dnnlgraph::isValid(dnnl_fpmath_mode_t mode) {
  return mode >= dnnl_fpmath_mode_strict && mode <= dnnl_fpmath_mode_tf32;
}

bool gc::dnnlgraph::dumps(dnnl_graph_dump_mode_t what) {
  return getDumpMode().load(std::memory_order_relaxed) & what;
}

dnnl_status_t dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes) {
  constexpr unsigned all =
      dnnl_graph_dump_mode_subgraph | dnnl_graph_dump_mode_graph;
  if (static_cast<unsigned>(modes) & ~all)
    return dnnl_invalid_arguments;
  getDumpMode().store(modes);
  return dnnl_success;
}

dnnl_status_t dnnl_set_verbose(int level) {
  if (level < 0 || level > 2)
    return dnnl_invalid_arguments;
  getVerbosity().store(level);
  GC_FORWARD(dnnl_set_verbose, level);
  return dnnl_success;
}

dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode) {
  GC_FORWARD(dnnl_get_default_fpmath_mode, mode);
  if (!mode)
    return dnnl_invalid_arguments;
  *mode = static_cast<dnnl_fpmath_mode_t>(defaultMode.load());
  return dnnl_success;
}

dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
  GC_FORWARD(dnnl_set_default_fpmath_mode, mode);
  if (!isValid(mode))
    return dnnl_invalid_arguments;
  defaultMode.store(mode);
  return dnnl_success;
}

/// With a next library its version, since most of the interface is its, and its
/// hash after a word about who executes graphs.
static dnnl_version_t describeVersion() {
  dnnl_version_t version = {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR,
                            DNNL_VERSION_PATCH, DNNL_VERSION_HASH,
                            DNNL_CPU_RUNTIME,   DNNL_GPU_RUNTIME};
  auto *next = hasNext() ? findNext(&dnnl_version, "dnnl_version") : nullptr;
  if (next) {
    version = *next();
    static const std::string hash = std::string(DNNL_VERSION_HASH " beside ") +
                                    (version.hash ? version.hash : "");
    version.hash = hash.c_str();
  }
  return version;
}

const dnnl_version_t *dnnl_version(void) {
  static const dnnl_version_t version = describeVersion();
  return &version;
}

const char *dnnl_status2str(dnnl_status_t status) {
  static const char *const names[] = {
      "success",       "out_of_memory",     "invalid_arguments",
      "unimplemented", "last_impl_reached", "runtime_error",
      "not_required",  "invalid_graph",     "invalid_graph_op",
      "invalid_shape", "invalid_data_type"};
  auto index = static_cast<size_t>(status);
  return index < std::size(names) ? names[index] : "unknown status";
}

const char *dnnl_dt2str(dnnl_data_type_t type) {
  static const char *const names[] = {
      "undef", "f16",  "bf16",    "f32",     "s32",     "s8",
      "u8",    "f64",  "boolean", "f8_e5m2", "f8_e4m3", "s4",
      "u4",    "e8m0", "f4_e2m1", "f4_e3m0", "s64"};
  auto index = static_cast<size_t>(type);
  return index < std::size(names) ? names[index] : "unknown data type";
}

const char *dnnl_engine_kind2str(dnnl_engine_kind_t kind) {
  static const char *const names[] = {"any", "cpu", "gpu"};
  auto index = static_cast<size_t>(kind);
  return index < std::size(names) ? names[index] : "unknown engine kind";
}

const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t mode) {
  static const char *const names[] = {"strict", "bf16", "f16", "any", "tf32"};
  auto index = static_cast<size_t>(mode);
  return index < std::size(names) ? names[index] : "unknown fpmath mode";
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void) {
  GC_FORWARD_OR(dnnl_cpu_isa_default, dnnl_get_effective_cpu_isa);
  static const std::pair<const char *, dnnl_cpu_isa_t> sets[] = {
      {"avx512fp16", dnnl_cpu_isa_avx512_core_fp16},
      {"avx512bf16", dnnl_cpu_isa_avx512_core_bf16},
      {"avx512vnni", dnnl_cpu_isa_avx512_core_vnni},
      {"avx512bw", dnnl_cpu_isa_avx512_core},
      {"avxvnni", dnnl_cpu_isa_avx2_vnni},
      {"avx2", dnnl_cpu_isa_avx2},
      {"avx", dnnl_cpu_isa_avx},
      {"sse4.1", dnnl_cpu_isa_sse41}};
  for (auto [name, isa] : sets)
    if (gc_host_has_feature(name))
      return isa;
  return dnnl_cpu_isa_default;
}
