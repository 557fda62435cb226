// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/NpuTrace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

using namespace llvm;
using namespace gc;

namespace {

/// Kinds of work that have their own colour.
enum class Kind {
  load,
  fractals,
  multiply,
  vector,
  drain,
  store,
  wait,
  issue,
  stall
};

struct KindInfo {
  Kind kind;
  const char *colour, *name;
};
// Colours that people with colour blindness can tell apart (Okabe, Ito).
constexpr KindInfo kKinds[] = {{Kind::load, "#0072b2", "from global memory"},
                               {Kind::fractals, "#56b4e9", "L1 to L0"},
                               {Kind::multiply, "#d55e00", "cube"},
                               {Kind::vector, "#009e73", "vector"},
                               {Kind::drain, "#f0e442", "L0C to UB"},
                               {Kind::store, "#cc79a7", "from UB"},
                               {Kind::wait, "#e4e0d4", "waits for a flag"},
                               {Kind::issue, "#333333", "front end"},
                               {Kind::stall, "#c4c4c4", "front end stalled"}};

const KindInfo &getInfo(Kind kind) { return kKinds[static_cast<int>(kind)]; }

Kind getKind(const npu::TraceEvent &event) {
  if (event.stall >= 0)
    return Kind::stall;
  if (event.opcode == npu::Opcode::waitFlag)
    return Kind::wait;
  switch (event.pipe) {
  case npu::Pipe::mte2:
    return Kind::load;
  case npu::Pipe::mte1:
    return Kind::fractals;
  case npu::Pipe::m:
    return Kind::multiply;
  case npu::Pipe::mte3:
    return Kind::store;
  case npu::Pipe::v:
    return event.opcode == npu::Opcode::drain ? Kind::drain : Kind::vector;
  case npu::Pipe::s:
    break;
  }
  return Kind::issue;
}

/// What is drawn as one box: one op, or several adjacent ones.
struct Box {
  Kind kind;
  int64_t start, end;
  int64_t count;
  int64_t busy;
  std::string name;
  int32_t location;
};

// In the order in which data passes them.
constexpr npu::Pipe kLanes[] = {npu::Pipe::s, npu::Pipe::mte2, npu::Pipe::mte1,
                                npu::Pipe::m, npu::Pipe::v,    npu::Pipe::mte3};

constexpr double kWidth = 1200, kLeft = 70, kTop = 40, kLane = 26, kGap = 6;

class Timeline {
public:
  Timeline(const npu::Report &report, NpuWindow window,
           NpuLocationFn getLocation, raw_ostream &os)
      : report(report), getLocation(getLocation), os(os) {
    begin = window.end > window.begin ? window.begin : 0;
    end = window.end > window.begin ? window.end
                                    : std::max<int64_t>(report.cycles, 1);
    for (const npu::TraceEvent &event : report.trace)
      add(event);
  }

  void draw(StringRef title);

private:
  void add(const npu::TraceEvent &event);
  void drawAxis(double bottom);
  void drawLane(size_t core, npu::Pipe pipe, double y);
  void drawLegend(double y);
  double getX(int64_t cycle) const {
    return kLeft + double(cycle - begin) / double(end - begin) * kWidth;
  }

  const npu::Report &report;
  NpuLocationFn getLocation;
  raw_ostream &os;
  int64_t begin, end;
  /// Kinds of work that are in the picture.
  bool seen[std::size(kKinds)] = {};
  std::map<std::pair<size_t, npu::Pipe>, std::vector<Box>> lanes;
};

} // namespace

void Timeline::add(const npu::TraceEvent &event) {
  int64_t from = std::max(event.start, begin), to = std::min(event.end, end);
  if (to <= from)
    return;
  std::vector<Box> &boxes = lanes[{size_t(event.core), event.pipe}];
  Kind kind = getKind(event);
  seen[static_cast<int>(kind)] = true;
  // Boxes that would be narrower than this join their neighbour.
  int64_t least = static_cast<int64_t>(double(end - begin) / kWidth * 0.7);
  if (!boxes.empty()) {
    Box &last = boxes.back();
    if (last.kind == kind && from - last.end <= least / 2 &&
        (to - from < least || last.end - last.start < least)) {
      last.end = std::max(last.end, to);
      last.busy += to - from;
      ++last.count;
      return;
    }
  }
  boxes.push_back(
      {kind, from, to, 1, to - from, getEventName(event), event.location});
}

void Timeline::drawLane(size_t core, npu::Pipe pipe, double y) {
  std::string label = StringRef(npu::getName(pipe)).upper();
  if (report.cores.size() > 1)
    label = "core " + std::to_string(core) + " " + label;
  os << format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", kLeft - 6,
               y + kLane * 0.68)
     << label << "</text>\n";
  os << format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
               "fill=\"#f4f4f4\"/>\n",
               kLeft, y, kWidth, kLane);
  for (const Box &box : lanes[{core, pipe}]) {
    double x = getX(box.start), width = std::max(getX(box.end) - x, 0.3);
    os << format("<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" ",
                 x, y, width, kLane)
       << "fill=\"" << getInfo(box.kind).colour << '"';
    // An edge where there is room for one.
    if (width > 3)
      os << " stroke=\"white\" stroke-width=\"0.5\"";
    os << "><title>";
    std::string text;
    if (box.count > 1)
      text = std::to_string(box.count) + " x ";
    text += box.name + ", cycles " + std::to_string(box.start) + " to " +
            std::to_string(box.end);
    if (box.count > 1)
      text += ", busy " + std::to_string(box.busy);
    else if (std::string place = getLocation(box.location); !place.empty())
      text += "\n" + place;
    printHTMLEscaped(text, os);
    os << "</title></rect>\n";
  }
}

void Timeline::drawAxis(double bottom) {
  // Steps of 1, 2 or 5 times a power of ten, about ten of them.
  double rough = double(end - begin) / 10;
  double power = std::pow(10, std::floor(std::log10(std::max(rough, 1.0))));
  int64_t step = static_cast<int64_t>(power);
  for (int factor : {2, 5, 10})
    if (double(step) < rough)
      step = static_cast<int64_t>(power * factor);
  int64_t first = (begin + step - 1) / step * step;
  for (int64_t cycle = first; cycle <= end; cycle += step) {
    double x = getX(cycle);
    os << format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                 "stroke=\"#cccccc\" stroke-width=\"0.5\"/>\n",
                 x, kTop, x, bottom);
    os << format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x,
                 bottom + 14)
       << cycle << "</text>\n";
  }
  // Next to the number at the left edge.
  os << format(
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">cycles</text>\n",
      kLeft - 24, bottom + 14);
}

void Timeline::drawLegend(double y) {
  double x = kLeft;
  for (const KindInfo &info : kKinds) {
    if (!seen[static_cast<int>(info.kind)])
      continue;
    os << format("<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" ", x,
                 y - 9)
       << "fill=\"" << info.colour << "\"/>"
       << format("<text x=\"%.1f\" y=\"%.1f\">", x + 14, y) << info.name
       << "</text>\n";
    x += 30 + 6.6 * StringRef(info.name).size();
  }
}

void Timeline::draw(StringRef title) {
  size_t cores = std::max<size_t>(report.cores.size(), 1);
  double bottom = kTop + cores * (std::size(kLanes) * (kLane + kGap) + kGap);
  os << format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
               "height=\"%.0f\" font-family=\"sans-serif\" "
               "font-size=\"11\">\n",
               kLeft + kWidth + 40, bottom + 50);
  os << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  os << format("<text x=\"%.1f\" y=\"22\" font-size=\"14\">", kLeft);
  printHTMLEscaped(title, os);
  os << "</text>\n";
  double y = kTop;
  for (size_t core = 0; core < cores; ++core) {
    for (npu::Pipe pipe : kLanes) {
      drawLane(core, pipe, y);
      y += kLane + kGap;
    }
    y += kGap;
  }
  drawAxis(bottom);
  drawLegend(bottom + 36);
  os << "</svg>\n";
}

void gc::writeNpuTimeline(const npu::Report &report, NpuWindow window,
                          StringRef title, NpuLocationFn getLocation,
                          raw_ostream &os) {
  Timeline(report, window, getLocation, os).draw(title);
}
