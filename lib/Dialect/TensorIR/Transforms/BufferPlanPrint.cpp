// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPlan.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace gc::tir {

static std::string getTypeText(const Temporary &temporary) {
  std::string text;
  llvm::raw_string_ostream os(text);
  MemRefType type = temporary.getType();
  for (int64_t size : type.getShape())
    os << size << "x";
  os << type.getElementType();
  return text;
}

/// The parallel loops during which a temporary lives, as text.
static std::string getPhaseText(const BufferPlan &plan,
                                const Temporary &temporary) {
  auto describe = [&](size_t i) {
    return "loop " + std::to_string(i) +
           (plan.phases[i].name.empty() ? ""
                                        : " (" + plan.phases[i].name + ")");
  };
  std::optional<size_t> first, last;
  for (auto [i, phase] : llvm::enumerate(plan.phases))
    if (temporary.first <= phase.last && phase.first <= temporary.last) {
      first = first.value_or(i);
      last = i;
    }
  if (!first)
    return temporary.last < 0 ? "not used" : "between loops";
  return describe(*first) + (first == last ? "" : " to " + describe(*last));
}

static SmallVector<const Temporary *> getByPlace(const Arena &arena) {
  SmallVector<const Temporary *> sorted;
  for (const Temporary &temporary : arena.temporaries)
    sorted.push_back(&temporary);
  llvm::sort(sorted, [](const Temporary *a, const Temporary *b) {
    return std::make_tuple(bool(a->output), a->offset, a->first, a->position) <
           std::make_tuple(bool(b->output), b->offset, b->first, b->position);
  });
  return sorted;
}

void printPlan(const BufferPlan &plan, raw_ostream &os) {
  auto print = [&](StringRef name, const Arena &arena) {
    int64_t sum = 0;
    for (const Temporary &temporary : arena.temporaries)
      sum += temporary.bytes;
    os << name << ": " << arena.bytes
       << " bytes; temporaries: " << arena.temporaries.size() << ", " << sum
       << " bytes together\n";
    for (const Temporary *temporary : getByPlace(arena)) {
      os << "  ";
      if (auto argument = dyn_cast_or_null<BlockArgument>(temporary->output))
        os << "in argument " << argument.getArgNumber();
      else
        os << "[" << temporary->offset << ", "
           << temporary->offset + temporary->bytes << ")";
      os << " " << getTypeText(*temporary) << ", "
         << getPhaseText(plan, *temporary) << "\n";
    }
  };
  print("shared", plan.shared);
  print("per thread", plan.perThread);
}

//===----------------------------------------------------------------------===//
// Picture
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t kWidth = 960, kPanel = 320, kLeft = 90, kTop = 50, kGap = 60;
constexpr const char *kColours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                    "#76b7b2", "#b07aa1", "#edc948", "#9c755f"};

std::string escape(StringRef text) {
  std::string escaped;
  for (char c : text) {
    if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '&')
      escaped += "&amp;";
    else
      escaped += c;
  }
  return escaped;
}

class Picture {
public:
  Picture(const BufferPlan &plan, raw_ostream &os) : plan(plan), os(os) {
    // Only the moments at which something begins or ends take room.
    for (const Arena *arena : {&plan.shared, &plan.perThread})
      for (const Temporary &temporary : arena->temporaries)
        if (temporary.last >= 0) {
          moments.push_back(temporary.first);
          moments.push_back(temporary.last + 1);
        }
    for (const Phase &phase : plan.phases) {
      moments.push_back(phase.first);
      moments.push_back(phase.last + 1);
    }
    llvm::sort(moments);
    moments.erase(llvm::unique(moments), moments.end());
  }

  void draw(StringRef title) {
    int64_t height = kTop + 2 * (kPanel + kGap);
    os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
       << kLeft + kWidth + 20 << "\" height=\"" << height
       << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    text(kLeft, 20, "Temporaries of " + title.str());
    drawArena("shared", plan.shared, kTop);
    drawArena("per thread", plan.perThread, kTop + kPanel + kGap);
    os << "</svg>\n";
  }

private:
  double getX(int64_t moment) const {
    size_t index = llvm::lower_bound(moments, moment) - moments.begin();
    size_t last = moments.size() > 1 ? moments.size() - 1 : 1;
    return kLeft + double(index) * kWidth / last;
  }

  void text(double x, double y, const std::string &words) {
    os << llvm::format("<text x=\"%.1f\" y=\"%.1f\">", x, y) << escape(words)
       << "</text>\n";
  }

  void drawArena(StringRef name, const Arena &arena, int64_t top) {
    text(kLeft, top + 12, (name + ": " + Twine(arena.bytes) + " bytes").str());
    top += 20;
    int64_t height = kPanel - 20;
    for (const Phase &phase : plan.phases) {
      double x = getX(phase.first);
      os << llvm::format(
          "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
          "height=\"%d\" fill=\"#f2f2f2\" stroke=\"#cccccc\"/>\n",
          x, int(top), getX(phase.last + 1) - x, int(height));
      text(x + 2, top + height + 14, phase.name);
    }
    double scale = arena.bytes ? double(height) / arena.bytes : 0;
    text(10, top + height, "0");
    text(10, top + 12, std::to_string(arena.bytes));
    int64_t colour = 0;
    for (const Temporary &temporary : arena.temporaries) {
      if (temporary.last < 0 || temporary.output)
        continue;
      double x = getX(temporary.first), right = getX(temporary.last + 1);
      double rise = temporary.bytes * scale;
      double y = top + height - temporary.offset * scale - rise;
      os << "<g><title>" << escape(getTypeText(temporary)) << " at "
         << temporary.offset << ", " << temporary.bytes << " bytes, "
         << escape(getPhaseText(plan, temporary)) << "</title>"
         << llvm::format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                         "height=\"%.1f\" fill=\"%s\" fill-opacity=\"0.8\" "
                         "stroke=\"black\"/>\n",
                         x, y, right - x, rise,
                         kColours[colour++ % std::size(kColours)]);
      if (rise > 12)
        text(x + 3, y + 12, getTypeText(temporary));
      os << "</g>\n";
    }
  }

  const BufferPlan &plan;
  raw_ostream &os;
  SmallVector<int64_t> moments;
};

} // namespace

void drawPlan(const BufferPlan &plan, StringRef title, raw_ostream &os) {
  Picture(plan, os).draw(title);
}

} // namespace gc::tir
