// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/MemoryPicture.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace gc;

namespace {

constexpr double kWidth = 960, kLeft = 90, kTop = 34, kStrip = 220, kGap = 34,
                 kRow = 18;
/// Approximate width of one letter; labels that do not fit are left out.
constexpr double kLetter = 6.5;
constexpr const char *kRight = " text-anchor=\"end\"";
constexpr const char *kColours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                    "#76b7b2", "#b07aa1", "#edc948", "#9c755f"};

class Painter {
public:
  Painter(const MemoryPicture &picture, raw_ostream &os)
      : picture(picture), os(os) {
    for (const PicturePhase &phase : picture.phases) {
      addMoments(phase.time);
      rows = std::max(rows, phase.depth + 1);
    }
    for (const PictureStrip &strip : picture.strips)
      for (const PictureBuffer &buffer : strip.buffers)
        addMoments(buffer.life);
    llvm::sort(moments);
    moments.erase(llvm::unique(moments), moments.end());
  }

  void draw() {
    double top = kTop + rows * kRow;
    double height = top + picture.strips.size() * (kStrip + kGap) + 10;
    os << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                       "width=\"%.0f\" height=\"%.0f\" ",
                       kLeft + kWidth + 20, height)
       << "font-family=\"sans-serif\" font-size=\"12\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    write(kLeft, 20, picture.title);
    for (const PicturePhase &phase : picture.phases)
      drawPhase(phase);
    for (const PictureStrip &strip : picture.strips) {
      drawStrip(strip, top + kGap - 6);
      top += kStrip + kGap;
    }
    os << "</svg>\n";
  }

private:
  void addMoments(const Interval &time) {
    if (time.isEmpty())
      return;
    moments.push_back(time.first);
    moments.push_back(time.last + 1);
  }

  double getX(int64_t moment) const {
    size_t index = llvm::lower_bound(moments, moment) - moments.begin();
    size_t last = moments.size() > 1 ? moments.size() - 1 : 1;
    return kLeft + double(index) * kWidth / last;
  }

  void write(double x, double y, StringRef words, StringRef more = "") {
    os << llvm::format("<text x=\"%.1f\" y=\"%.1f\"", x, y) << more << '>';
    llvm::printHTMLEscaped(words, os);
    os << "</text>\n";
  }

  void drawBox(double x, double y, double width, double height,
               StringRef style) {
    os << llvm::format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                       "height=\"%.1f\" ",
                       x, y, width, height)
       << style << "/>\n";
  }

  void writeTitle(const Twine &words) {
    os << "<title>";
    llvm::printHTMLEscaped(words.str(), os);
    os << "</title>";
  }

  /// A bar above the strips; inner phases are below those around them.
  void drawPhase(const PicturePhase &phase) {
    double x = getX(phase.time.first), right = getX(phase.time.last + 1),
           y = kTop + phase.depth * kRow;
    os << "<g>";
    writeTitle(phase.name);
    drawBox(x, y, right - x, kRow - 3, "fill=\"#e8e8e8\" stroke=\"#aaaaaa\"");
    if (right - x > phase.name.size() * kLetter)
      write(x + 3, y + 12, phase.name);
    os << "</g>\n";
  }

  void drawStrip(const PictureStrip &strip, double top) {
    write(kLeft, top - 6, strip.title);
    drawBox(kLeft, top, kWidth, kStrip, "fill=\"#fafafa\" stroke=\"#cccccc\"");
    for (const PicturePhase &phase : picture.phases)
      if (phase.depth == 0)
        drawBox(getX(phase.time.first), top,
                getX(phase.time.last + 1) - getX(phase.time.first), kStrip,
                "fill=\"#f0f0f0\" stroke=\"#cccccc\"");
    int64_t bytes = strip.capacity.value_or(strip.bytes);
    double scale = bytes ? kStrip / bytes : 0, floor = top + kStrip;
    write(kLeft - 6, floor, "0", kRight);
    write(kLeft - 6, top + 10, std::to_string(bytes), kRight);
    for (auto [i, buffer] : llvm::enumerate(strip.buffers))
      if (!buffer.life.isEmpty())
        drawBuffer(buffer, kColours[i % std::size(kColours)], floor, scale);
    if (!strip.capacity)
      return;
    os << llvm::format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
                       "y2=\"%.1f\" ",
                       kLeft, top, kLeft + kWidth, top)
       << "stroke=\"#c00000\" stroke-width=\"2\" stroke-dasharray=\"6 3\">";
    writeTitle("capacity: " + Twine(*strip.capacity) + " bytes");
    os << "</line>\n";
  }

  void drawBuffer(const PictureBuffer &buffer, StringRef colour, double floor,
                  double scale) {
    double x = getX(buffer.life.first), right = getX(buffer.life.last + 1),
           rise = buffer.slotBytes * scale;
    std::string slots, detail;
    if (buffer.slots > 1)
      slots = std::to_string(buffer.slots) + " slots of ";
    if (!buffer.detail.empty())
      detail = ", " + buffer.detail;
    os << "<g>";
    writeTitle(buffer.name + " at " + Twine(buffer.offset) + ", " + slots +
               Twine(buffer.slotBytes) + " bytes" + detail);
    for (int64_t slot = 0; slot < buffer.slots; ++slot) {
      double y =
          floor - (buffer.offset + slot * buffer.slotBytes) * scale - rise;
      drawBox(x, y, right - x, rise,
              ("fill=\"" + colour +
               "\" fill-opacity=\"0.8\" stroke=\"black\" stroke-width=\"0.5\"")
                  .str());
      std::string words = buffer.name;
      if (buffer.slots > 1)
        words += ", slot " + std::to_string(slot);
      if (rise > 12 && right - x > words.size() * kLetter)
        write(x + 3, y + 12, words);
    }
    os << "</g>\n";
  }

  const MemoryPicture &picture;
  raw_ostream &os;
  unsigned rows = 0;
  /// In order, each once.
  SmallVector<int64_t> moments;
};

} // namespace

void gc::drawMemory(const MemoryPicture &picture, raw_ostream &os) {
  Painter(picture, os).draw();
}

LogicalResult gc::writeMemoryPicture(const MemoryPicture &picture,
                                     func::FuncOp function, StringRef folder) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, function.getName() + ".svg");
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
  if (error)
    return function.emitError()
           << "cannot write '" << path << "': " << error.message();
  drawMemory(picture, file.os());
  file.keep();
  return success();
}

std::string gc::getPhaseText(ArrayRef<PicturePhase> phases,
                             const Interval &life) {
  const PicturePhase *first = nullptr, *last = nullptr;
  for (const PicturePhase &phase : phases)
    if (phase.time.overlaps(life)) {
      first = first ? first : &phase;
      last = &phase;
    }
  if (first == last)
    return first ? first->name : "";
  return first->name + " to " + last->name;
}

std::string gc::getShapeText(ShapedType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : type.getShape())
    os << size << "x";
  os << type.getElementType();
  return text;
}
