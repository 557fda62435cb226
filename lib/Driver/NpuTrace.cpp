// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/NpuTrace.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cctype>

using namespace llvm;
using namespace gc;

std::string gc::getEventName(const npu::TraceEvent &event) {
  if (event.stall >= 0)
    return npu::getName(static_cast<npu::Stall>(event.stall));
  if (event.opcode == npu::Opcode::vector)
    return npu::getName(event.vectorOp);
  return npu::getName(event.opcode);
}

static std::string getPipeName(npu::Pipe pipe) {
  std::string name = npu::getName(pipe);
  for (char &c : name)
    c = toupper(c);
  return name;
}

static bool isInstant(const npu::TraceEvent &event) {
  using npu::Opcode;
  return event.stall < 0 &&
         (event.opcode == Opcode::setFlag || event.opcode == Opcode::waitFlag ||
          event.opcode == Opcode::barrier);
}

static void writeName(json::OStream &json, StringRef kind, int64_t process,
                      int64_t thread, const Twine &name) {
  json.object([&] {
    json.attribute("name", kind);
    json.attribute("ph", "M");
    json.attribute("pid", process);
    if (thread >= 0)
      json.attribute("tid", thread);
    json.attributeObject("args", [&] { json.attribute("name", name.str()); });
  });
  if (thread < 0)
    return;
  json.object([&] {
    json.attribute("name", "thread_sort_index");
    json.attribute("ph", "M");
    json.attribute("pid", process);
    json.attribute("tid", thread);
    json.attributeObject("args", [&] { json.attribute("sort_index", thread); });
  });
}

void gc::writeNpuTrace(const npu::Report &report, NpuWindow window,
                       NpuLocationFn getLocation, raw_ostream &os) {
  // A cycle is a nanosecond; times of the format are in microseconds.
  constexpr double unit = 1e-3;
  bool isPart = window.end > window.begin;
  json::OStream json(os);
  json.objectBegin();
  json.attribute("displayTimeUnit", "ns");
  json.attributeBegin("traceEvents");
  json.arrayBegin();
  for (size_t core = 0; core < report.cores.size(); ++core) {
    writeName(json, "process_name", core, -1, "core " + Twine(core));
    for (int pipe = 0; pipe < npu::kNumPipes; ++pipe)
      writeName(json, "thread_name", core, pipe,
                getPipeName(static_cast<npu::Pipe>(pipe)));
  }
  for (const npu::TraceEvent &event : report.trace) {
    if (isPart && (event.end < window.begin || event.start > window.end))
      continue;
    json.object([&] {
      json.attribute("name", getEventName(event));
      json.attribute("cat", event.stall >= 0 ? "stall" : "op");
      bool instant = isInstant(event);
      json.attribute("ph", instant ? "i" : "X");
      json.attribute("ts", event.start * unit);
      if (instant)
        json.attribute("s", "t");
      else
        json.attribute("dur", (event.end - event.start) * unit);
      json.attribute("pid", event.core);
      json.attribute("tid", static_cast<int64_t>(event.pipe));
      json.attributeObject("args", [&] {
        json.attribute("start", event.start);
        json.attribute("end", event.end);
        if (event.visible > event.end)
          json.attribute("visible", event.visible);
        std::string location = getLocation(event.location);
        if (!location.empty())
          json.attribute("location", json::fixUTF8(location));
      });
    });
  }
  json.arrayEnd();
  json.attributeEnd();
  json.objectEnd();
  os << "\n";
}
