// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The trace in the JSON form of the Trace Event Format, which Chrome's tracing
// page and Perfetto read.

#include "Error.h"
#include "Trace.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace gc::runtime;

namespace {

std::string quoted(const char *Text) {
  std::string Out = "\"";
  for (; *Text; ++Text) {
    unsigned char C = *Text;
    if (C == '"' || C == '\\') {
      Out += '\\';
      Out += *Text;
    } else if (C < 0x20) {
      char Escape[8];
      std::snprintf(Escape, sizeof(Escape), "\\u%04x", C);
      Out += Escape;
    } else {
      Out += *Text;
    }
  }
  return Out + '"';
}

/// Microseconds with three decimals, whatever the locale's decimal point is.
std::string microseconds(int64_t Nanoseconds) {
  char Text[40];
  std::snprintf(Text, sizeof(Text), "%lld.%03lld",
                static_cast<long long>(Nanoseconds / 1000),
                static_cast<long long>(Nanoseconds % 1000));
  return Text;
}

std::string eventName(const TraceEvent &E, const gc_module *Module) {
  if (E.Region == WholeRun)
    return E.Kind == TraceKind::Fold ? "fold"
                                     : "execute #" + std::to_string(E.Run);
  if (Module && Module->region_names && E.Region >= 0 &&
      E.Region < Module->num_regions && Module->region_names[E.Region])
    return Module->region_names[E.Region];
  return "region " + std::to_string(E.Region);
}

struct Tracked {
  TraceEvent Event;
  int64_t Thread;
};

std::vector<Tracked> collect(const gc_trace &Trace) {
  std::vector<Tracked> All;
  for (int64_t T = 0; T < Trace.MaxThreads; ++T) {
    const TraceRing &Ring = Trace.Rings[T];
    int64_t Count = std::min(Ring.Claimed.load(), Trace.MaxEvents);
    for (int64_t I = 0; I < Count; ++I)
      All.push_back({Ring.Events[I], T});
  }
  // Enclosing events first, as readers that nest by order want it.
  std::sort(All.begin(), All.end(), [](const Tracked &A, const Tracked &B) {
    if (A.Event.Begin != B.Event.Begin)
      return A.Event.Begin < B.Event.Begin;
    return A.Event.End > B.Event.End;
  });
  return All;
}

int64_t lostEvents(const gc_trace &Trace) {
  int64_t Lost = Trace.Dropped.load();
  for (int64_t T = 0; T < Trace.MaxThreads; ++T)
    Lost +=
        std::max<int64_t>(0, Trace.Rings[T].Claimed.load() - Trace.MaxEvents);
  return Lost;
}

std::string render(const gc_trace &Trace, const gc_module *Module) {
  std::vector<Tracked> All = collect(Trace);
  const char *Name = Module && Module->name ? Module->name : "gc";
  std::string Out =
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"module\":" + quoted(Name) +
      ",\"lost_events\":\"" + std::to_string(lostEvents(Trace)) +
      "\"},\"traceEvents\":[\n";
  Out += "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\","
         "\"args\":{\"name\":" +
         quoted(Name) + "}}";

  // A system thread is named by the team index it had most recently.
  std::map<int64_t, int64_t> Tracks;
  for (const Tracked &T : All)
    Tracks[T.Event.SystemThread] = T.Thread;
  for (auto [System, Thread] : Tracks) {
    std::string Head =
        ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(System) +
        ",\"name\":";
    std::string Index = std::to_string(Thread);
    Out +=
        Head + "\"thread_name\",\"args\":{\"name\":\"thread " + Index + "\"}}";
    Out +=
        Head + "\"thread_sort_index\",\"args\":{\"sort_index\":" + Index + "}}";
  }

  int64_t Origin = All.empty() ? 0 : All.front().Event.Begin;
  for (const Tracked &T : All) {
    const TraceEvent &E = T.Event;
    const char *Category = E.Kind == TraceKind::Fold ? "fold" : "compute";
    Out +=
        ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":" + std::to_string(E.SystemThread) +
        ",\"name\":" + quoted(eventName(E, Module).c_str()) + ",\"cat\":\"" +
        Category + "\",\"ts\":" + microseconds(E.Begin - Origin) +
        ",\"dur\":" + microseconds(E.End - E.Begin) +
        ",\"args\":{\"run\":" + std::to_string(E.Run) +
        ",\"thread\":" + std::to_string(T.Thread);
    if (E.Region != WholeRun)
      Out += ",\"region\":" + std::to_string(E.Region);
    Out += "}}";
  }
  return Out + "\n]}\n";
}

gc_status replaceFile(const std::string &Path, const std::string &Content) {
  static std::atomic<int> Serial{0};
  std::string Temporary = Path + ".tmp" + std::to_string(getpid()) + "." +
                          std::to_string(Serial.fetch_add(1));
  auto Failure = [&](const char *What) {
    std::string Reason = std::strerror(errno);
    std::remove(Temporary.c_str());
    return fail(GC_RUNTIME_ERROR, "cannot %s '%s': %s", What, Path.c_str(),
                Reason.c_str());
  };
  // Devices, pipes and what links point at are written to; any other file
  // appears when it is complete.
  struct stat Status;
  bool Replaces = lstat(Path.c_str(), &Status) != 0 || S_ISREG(Status.st_mode);
  std::FILE *File = Replaces ? std::fopen(Temporary.c_str(), "wxb")
                             : std::fopen(Path.c_str(), "wb");
  if (!File)
    return Failure("create the trace file");
  bool Written =
      std::fwrite(Content.data(), 1, Content.size(), File) == Content.size();
  // Closing flushes, and may be what detects a full disk.
  if (std::fclose(File) != 0 || !Written)
    return Failure("write the trace file");
  if (Replaces && std::rename(Temporary.c_str(), Path.c_str()) != 0)
    return Failure("move into place the trace file");
  return GC_OK;
}

} // namespace

gc_status gc_trace_write(const gc_trace *trace, const gc_module *module,
                         const char *path) {
  if (!trace || !path)
    return fail(GC_INVALID_ARGUMENT, "gc_trace_write: a NULL argument");
  try {
    return replaceFile(path, render(*trace, module));
  } catch (const std::bad_alloc &) {
    return fail(GC_OUT_OF_MEMORY, "no memory to write the trace '%s'", path);
  }
}
