// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The roofline plot of an explanation: flops per byte against GFLOP/s, both on
// logarithmic axes, with a roof for each place that data can come from.

#include "Driver/Explain.h"
#include "Html.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace gc;

namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 80, kRight = 32,
                 kTop = 16, kBottom = 44;

/// A logarithmic axis from 10^low to 10^high.
struct Axis {
  double low, high, begin, end;

  double at(double value) const {
    double part = (std::log10(value) - low) / (high - low);
    return begin + std::min(std::max(part, 0.0), 1.0) * (end - begin);
  }
};

struct Point {
  const ExplainedRegion *region;
  double intensity, gflops;
};

class Plot {
public:
  Plot(const Explanation &explanation, raw_ostream &os)
      : roof(explanation.roofline), os(os) {
    double least = 1, most = 10, slowest = std::max(roof.gflops, 1.0);
    for (const ExplainedRegion &region : explanation.regions) {
      if (region.info.flops <= 0 || region.info.bytes <= 0 ||
          region.getMs() <= 0)
        continue;
      Point point{&region, double(region.info.flops) / region.info.bytes,
                  region.info.flops / (region.getMs() * 1e6)};
      points.push_back(point);
      least = std::min(least, point.intensity);
      most = std::max(most, point.intensity);
      slowest = std::min(slowest, point.gflops);
    }
    x = {std::floor(std::log10(least)), std::ceil(std::log10(most * 2)), kLeft,
         kWidth - kRight};
    y = {std::floor(std::log10(slowest / 2)),
         std::ceil(std::log10(std::max(roof.gflops, 10.0))), kHeight - kBottom,
         kTop};
  }

  void write() {
    os << formatv(
        "<svg class=\"roofline\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "aria-labelledby=\"roofline-title roofline-text\">\n"
        "<title id=\"roofline-title\">Roofline</title>\n"
        "<desc id=\"roofline-text\">Regions with contractions: flops per byte "
        "against GFLOP/s, below the roofs of {2} with {3} threads. The table "
        "of regions has the same numbers.</desc>\n",
        kWidth, kHeight, escapeHtml(roof.machine), roof.threads);
    writeAxes();
    writeRoof("L2", roof.l2);
    writeRoof("L3", roof.l3);
    writeRoof("memory", roof.memory);
    for (auto [index, point] : enumerate(points))
      writePoint(point, index);
    os << "</svg>\n";
  }

private:
  void writeLine(StringRef kind, double x1, double y1, double x2, double y2) {
    os << formatv("<line class=\"{0}\" x1=\"{1:f1}\" y1=\"{2:f1}\" "
                  "x2=\"{3:f1}\" y2=\"{4:f1}\"/>\n",
                  kind, x1, y1, x2, y2);
  }
  void writeText(StringRef anchor, double atX, double atY, StringRef text) {
    os << formatv("<text text-anchor=\"{0}\" x=\"{1:f1}\" y=\"{2:f1}\">",
                  anchor, atX, atY)
       << escapeHtml(text) << "</text>\n";
  }

  static std::string getTick(double power) {
    std::string text;
    raw_string_ostream(text) << format("%g", std::pow(10, power));
    return text;
  }

  void writeAxes() {
    for (double power = x.low; power <= x.high; ++power) {
      double at = x.at(std::pow(10, power));
      writeLine("grid", at, y.begin, at, y.end);
      writeText("middle", at, y.begin + 16, getTick(power));
    }
    for (double power = y.low; power <= y.high; ++power) {
      double at = y.at(std::pow(10, power));
      writeLine("grid", x.begin, at, x.end, at);
      writeText("end", x.begin - 6, at + 4, getTick(power));
    }
    writeText("middle", (x.begin + x.end) / 2, kHeight - 8, "flops per byte");
    os << formatv("<text text-anchor=\"middle\" transform=\"translate(14 "
                  "{0:f1}) rotate(-90)\">GFLOP/s</text>\n",
                  (y.begin + y.end) / 2);
  }

  /// Up to the peak along the rate, then level.
  void writeRoof(StringRef name, double rate) {
    if (rate <= 0 || roof.gflops <= 0)
      return;
    double first = std::pow(10, x.low), last = std::pow(10, x.high);
    double knee = std::min(std::max(roof.gflops / rate, first), last);
    // Where the rate meets the lower edge of the plot, if that is inside.
    double start = std::max(first, std::pow(10, y.low) / rate);
    if (start < knee)
      writeLine("roof", x.at(start), y.at(start * rate), x.at(knee),
                y.at(std::min(knee * rate, roof.gflops)));
    writeLine("roof", x.at(knee), y.at(roof.gflops), x.at(last),
              y.at(roof.gflops));
    // Lines may be close together: the labels are one below the other.
    start = std::max(start, 1e-9);
    double label = start * std::pow(knee / start, 0.75 - 0.25 * numLabels++);
    writeText("end", x.at(label) - 4, y.at(label * rate) - 4,
              formatv("{0} {1:f0} GB/s", name, rate).str());
  }

  void writePoint(const Point &point, size_t index) {
    double atX = x.at(point.intensity), atY = y.at(point.gflops);
    os << formatv("<circle class=\"point\" cx=\"{0:f1}\" cy=\"{1:f1}\" "
                  "r=\"5\"><title>",
                  atX, atY)
       << escapeHtml(formatv("{0}: {1:f1} GFLOP/s, {2:f1} flops per byte",
                             point.region->info.name, point.gflops,
                             point.intensity)
                         .str())
       << "</title></circle>\n";
    // Names of neighbours alternate between the two sides of their points.
    bool left = atX > (x.begin + x.end) * 0.7;
    StringRef name = point.region->info.name;
    std::string text = name.take_front(28).str();
    if (text.size() < name.size())
      text += "…";
    writeText(left ? "end" : "start", atX + (left ? -8 : 8),
              atY + (index % 2 ? 14 : -6), text);
  }

  const Roofline &roof;
  int numLabels = 0;
  raw_ostream &os;
  Axis x, y;
  SmallVector<Point> points;
};

} // namespace

void gc::writeRooflinePlot(const Explanation &explanation, raw_ostream &os) {
  Plot(explanation, os).write();
}
