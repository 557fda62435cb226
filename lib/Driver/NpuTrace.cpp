// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/NpuTrace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

static std::string getPipeName(npu::Pipe pipe) {
  return StringRef(npu::getName(pipe)).upper();
}

std::string gc::getEventName(const npu::TraceEvent &event) {
  if (event.stall >= 0)
    return npu::getName(static_cast<npu::Stall>(event.stall));
  if (event.opcode == npu::Opcode::vector)
    return npu::getName(event.vectorOp);
  if (event.opcode == npu::Opcode::waitFlag)
    return "wait_flag " + getPipeName(event.from) + " -> " +
           getPipeName(event.pipe) + " " + std::to_string(event.flag);
  return npu::getName(event.opcode);
}

namespace {

class TraceWriter {
public:
  TraceWriter(json::OStream &json, NpuLocationFn getLocation)
      : json(json), getLocation(getLocation) {}

  void writeNames(size_t core);
  void writeEvent(const npu::TraceEvent &event);

private:
  void writeName(StringRef kind, int64_t process, int64_t thread,
                 const Twine &name);
  void writeFlag(const npu::TraceEvent &event);
  /// The fields that all events have.
  void writeHead(const npu::TraceEvent &event, StringRef name, StringRef kind,
                 int64_t cycle, npu::Pipe pipe);
  void writePlace(int32_t location);

  json::OStream &json;
  NpuLocationFn getLocation;
  /// Arrows between flags so far.
  int64_t arrows = 0;
};

} // namespace

// A cycle is a nanosecond; times of the format are in microseconds.
static double getTime(int64_t cycles) { return double(cycles) / 1000; }

void TraceWriter::writeName(StringRef kind, int64_t process, int64_t thread,
                            const Twine &name) {
  json.object([&] {
    json.attribute("name", kind);
    json.attribute("ph", "M");
    json.attribute("pid", process);
    if (thread >= 0)
      json.attribute("tid", thread);
    json.attributeObject("args", [&] { json.attribute("name", name.str()); });
  });
}

void TraceWriter::writeNames(size_t core) {
  writeName("process_name", core, -1, "core " + Twine(core));
  for (int pipe = 0; pipe < npu::kNumPipes; ++pipe)
    writeName("thread_name", core, pipe,
              getPipeName(static_cast<npu::Pipe>(pipe)));
}

void TraceWriter::writeHead(const npu::TraceEvent &event, StringRef name,
                            StringRef kind, int64_t cycle, npu::Pipe pipe) {
  json.attribute("name", name);
  json.attribute("ph", kind);
  json.attribute("ts", getTime(cycle));
  json.attribute("pid", event.core);
  json.attribute("tid", static_cast<int64_t>(pipe));
}

void TraceWriter::writePlace(int32_t location) {
  std::string text = getLocation(location);
  if (!text.empty())
    json.attribute("location", json::fixUTF8(text));
}

/// An instant where the flag is set, and an arrow to where it was waited for.
void TraceWriter::writeFlag(const npu::TraceEvent &event) {
  std::string name = getEventName(event);
  StringRef flag = StringRef(name).drop_front(StringRef("wait_flag ").size());
  json.object([&] {
    writeHead(event, ("set_flag " + flag).str(), "i", event.set, event.from);
    json.attribute("s", "t");
    json.attributeObject("args", [&] { writePlace(event.setLocation); });
  });
  for (bool isEnd : {false, true})
    json.object([&] {
      writeHead(event, flag, isEnd ? "f" : "s", isEnd ? event.end : event.set,
                isEnd ? event.pipe : event.from);
      json.attribute("cat", "flag");
      json.attribute("id", arrows);
      if (isEnd)
        json.attribute("bp", "e");
    });
  ++arrows;
}

void TraceWriter::writeEvent(const npu::TraceEvent &event) {
  bool isWait = event.stall < 0 && event.opcode == npu::Opcode::waitFlag;
  bool isInstant = isWait && event.end == event.start;
  json.object([&] {
    writeHead(event, getEventName(event), isInstant ? "i" : "X", event.start,
              event.pipe);
    json.attribute("cat", event.stall >= 0 ? "stall" : isWait ? "wait" : "op");
    if (isInstant)
      json.attribute("s", "t");
    else
      json.attribute("dur", getTime(event.end - event.start));
    json.attributeObject("args", [&] {
      json.attribute("start", event.start);
      json.attribute("end", event.end);
      if (event.visible > event.end)
        json.attribute("visible", event.visible);
      writePlace(event.location);
    });
  });
  if (isWait)
    writeFlag(event);
}

void gc::writeNpuTrace(const npu::Report &report, NpuWindow window,
                       NpuLocationFn getLocation, raw_ostream &os) {
  bool isPart = window.end > window.begin;
  json::OStream json(os);
  TraceWriter writer(json, getLocation);
  json.objectBegin();
  json.attribute("displayTimeUnit", "ns");
  json.attributeBegin("traceEvents");
  json.arrayBegin();
  for (size_t core = 0; core < report.cores.size(); ++core)
    writer.writeNames(core);
  for (const npu::TraceEvent &event : report.trace)
    if (!isPart || (event.end >= window.begin && event.start <= window.end))
      writer.writeEvent(event);
  json.arrayEnd();
  json.attributeEnd();
  json.objectEnd();
  os << "\n";
}
