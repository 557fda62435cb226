// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An explanation as one page of HTML: no scripts, no other files.

#include "Driver/Explain.h"
#include "Html.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

namespace {

constexpr StringLiteral kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #ffffff;
  --line: #c8c8c8; --mark: #b3261e; --bar: #2f6fb0; --soft: #f3f5f7; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #16181b; --line: #4a4d52; --mark: #ff8a80;
    --bar: #7ab3ef; --soft: #22262b; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); margin: 0 auto; max-width: 76rem; padding: 1rem; }
.headline { border-left: .3rem solid var(--mark); background: var(--soft);
  padding: .6rem 1rem; font-size: 1.1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem;
  text-align: right; vertical-align: top; }
th:first-child, td:first-child, .text { text-align: left;
  overflow-wrap: break-word; min-width: 7rem; }
.bar { fill: var(--bar); } .rest { fill: var(--line); }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .3rem;
  padding: .4rem .8rem; margin: .5rem 0; }
summary { cursor: pointer; font-weight: 600; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.roofline { max-width: 60rem; width: 100%; height: auto; }
.roofline text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.roofline .grid { stroke: var(--line); stroke-width: .5; }
.roofline .roof { stroke: var(--ink); stroke-width: 1.5; }
.roofline .point { fill: var(--mark); }
.picture { background: #ffffff; }
)";

class Page {
public:
  Page(const Explanation &explanation, raw_ostream &os)
      : explanation(explanation), roof(explanation.roofline), os(os) {}

  void write() {
    std::string title = escapeHtml(explanation.name);
    os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
          "<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\">\n<title>"
       << title << " explained</title>\n<style>" << kStyle
       << "</style>\n</head>\n<body>\n<main>\n<h1>" << title
       << " explained</h1>\n<p class=\"headline\" id=\"headline\">"
       << escapeHtml(explanation.getHeadline()) << "</p>\n";
    writeMachine();
    os << "<h2 id=\"regions\">Regions</h2>\n";
    writeTable();
    os << "<h2 id=\"roofline\">Roofline</h2>\n<div class=\"scroll\">\n";
    writeRooflinePlot(explanation, os);
    os << "</div>\n<h2 id=\"decisions\">Decisions</h2>\n";
    for (auto [index, region] : enumerate(explanation.regions))
      writeRegion(region, index);
    if (!explanation.decisions.empty()) {
      os << "<details>\n<summary>ops outside of regions</summary>\n";
      writeDecisions(explanation.decisions);
      os << "</details>\n";
    }
    if (!explanation.picture.empty())
      // The picture is SVG of our own, with its names escaped.
      os << "<h2 id=\"graph\">Graph</h2>\n<figure class=\"scroll picture\" "
            "role=\"img\" aria-label=\"The graph with its fused regions and "
            "merge groups\">\n"
         << explanation.picture << "</figure>\n";
    os << "</main>\n</body>\n</html>\n";
  }

private:
  void writeMachine() {
    os << "<p>"
       << escapeHtml(
              formatv("Machine {0}, {1} thread{2}: {3:f1} GFLOP/s of {4} "
                      "kernels; reads {5:f1} GB/s from L2, {6:f1} from L3, "
                      "{7:f1} from memory. All data of the graph fits {8}.",
                      roof.machine, roof.threads, roof.threads == 1 ? "" : "s",
                      roof.gflops, roof.types, roof.l2, roof.l3, roof.memory,
                      roof.level)
                  .str());
    if (explanation.predictedMs)
      os << formatv(" One execution: {0:f4} ms predicted",
                    *explanation.predictedMs)
         << (explanation.measuredMs
                 ? formatv(", {0:f4} ms measured", *explanation.measuredMs)
                       .str()
                 : "")
         << ".";
    os << "</p>\n";
  }

  void writeTable() {
    os << "<div class=\"scroll\">\n<table>\n<caption>What each region does, "
          "how long it takes, and its bound by the "
          "roofline</caption>\n<thead><tr>";
    for (StringRef head :
         {"region", "flops", "bytes", "predicted ms", "measured ms", "bound ms",
          "of the roof", "limited by"})
      os << "<th scope=\"col\""
         << (head == "limited by" ? " class=\"text\">" : ">") << head
         << "</th>";
    os << "</tr></thead>\n<tbody>\n";
    for (auto [index, region] : enumerate(explanation.regions)) {
      os << formatv("<tr><th scope=\"row\"><a href=\"#region-{0}\">", index)
         << escapeHtml(region.info.name) << "</a></th>"
         << formatv("<td>{0}</td><td>{1}</td><td>{2:f4}</td>",
                    region.info.flops, region.info.bytes,
                    region.info.predictedMs);
      if (region.measuredMs)
        os << formatv("<td>{0:f4}</td>", *region.measuredMs);
      else
        os << "<td>not measured</td>";
      double part = std::min(region.getFraction(), 1.0);
      os << formatv("<td>{0:f4}</td><td>{1:f2} <svg width=\"60\" height=\"10\" "
                    "aria-hidden=\"true\"><rect class=\"rest\" width=\"60\" "
                    "height=\"10\"/><rect class=\"bar\" width=\"{2:f1}\" "
                    "height=\"10\"/></svg></td>",
                    region.boundMs, region.getFraction(), part * 60)
         << "<td class=\"text\">" << escapeHtml(region.limit) << "</td></tr>\n";
    }
    os << "</tbody>\n</table>\n</div>\n";
  }

  void writeChoice(const Decision::Choice &choice) {
    os << "<code>" << escapeHtml(choice.what) << "</code></td><td>";
    if (choice.cycles)
      os << *choice.cycles;
    os << "</td><td class=\"text\">" << escapeHtml(choice.why)
       << "</td></tr>\n";
  }

  void writeDecisions(ArrayRef<Decision> decisions) {
    for (const Decision &decision : decisions) {
      os << "<div class=\"scroll\">\n<table>\n<caption>"
         << escapeHtml(decision.kind) << " of <code>"
         << escapeHtml(decision.subject) << "</code>";
      if (!decision.location.empty())
        os << " at " << escapeHtml(decision.location);
      os << " (" << escapeHtml(decision.category) << ")";
      if (!decision.force.empty())
        os << ", forced by <code>" << escapeHtml(decision.force) << "</code>";
      os << "</caption>\n<thead><tr><th scope=\"col\">choice</th><th "
            "scope=\"col\" class=\"text\">what</th><th scope=\"col\">cycles"
            "</th><th scope=\"col\" class=\"text\">why</th></tr></thead>\n"
            "<tbody>\n<tr><th scope=\"row\">chosen</th><td class=\"text\">";
      writeChoice(decision.chosen);
      for (const Decision::Choice &choice : decision.alternatives) {
        os << "<tr><th scope=\"row\">refused</th><td class=\"text\">";
        writeChoice(choice);
      }
      os << "</tbody>\n</table>\n</div>\n";
    }
  }

  void writeRegion(const ExplainedRegion &region, size_t index) {
    bool isWorst = &region == explanation.getWorst();
    os << formatv("<details id=\"region-{0}\"{1}>\n<summary>", index,
                  isWorst ? " open" : "")
       << escapeHtml(region.info.name) << "</summary>\n<p>Limited by "
       << escapeHtml(region.limit) << ". ";
    if (region.option.empty())
      os << "Nothing to try: ";
    else
      os << "Try <code>" << escapeHtml(region.option) << "</code>: ";
    os << escapeHtml(region.advice) << ".</p>\n";
    if (!region.remarks.empty()) {
      os << "<ul>\n";
      for (const Remark &remark : region.remarks)
        os << "<li>" << escapeHtml(remark.kind) << ": "
           << escapeHtml(remark.str()) << "</li>\n";
      os << "</ul>\n";
    }
    writeDecisions(region.decisions);
    os << "</details>\n";
  }

  const Explanation &explanation;
  const Roofline &roof;
  raw_ostream &os;
};

} // namespace

void gc::writeExplanationHtml(const Explanation &explanation, raw_ostream &os) {
  Page(explanation, os).write();
}
