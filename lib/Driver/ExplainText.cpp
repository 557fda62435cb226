// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An explanation as text for a terminal.

#include "Driver/Explain.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

static void printChoice(const Decision::Choice &choice, raw_ostream &os) {
  os << choice.what;
  if (choice.cycles)
    os << ", " << *choice.cycles << " cycles";
  if (!choice.why.empty())
    os << " (" << choice.why << ")";
}

static void printDecision(const Decision &decision, raw_ostream &os) {
  os << "    " << decision.kind << " of " << decision.subject;
  if (!decision.location.empty())
    os << " at " << decision.location;
  os << " [" << decision.category << "]: ";
  printChoice(decision.chosen, os);
  os << "\n";
  for (const Decision::Choice &choice : decision.alternatives) {
    os << "      not ";
    printChoice(choice, os);
    os << "\n";
  }
  if (!decision.force.empty())
    os << "      forced by " << decision.force << "\n";
}

static void printRegion(const ExplainedRegion &region, raw_ostream &os) {
  os << "\n  " << region.info.name << "\n    limited by " << region.limit
     << "; " << region.getAdvice() << "\n";
  for (const Remark &remark : region.remarks)
    os << "    " << remark.kind << ": " << remark.str() << "\n";
  for (const Decision &decision : region.decisions)
    printDecision(decision, os);
}

void gc::printExplanation(const Explanation &explanation, raw_ostream &os) {
  const Roofline &roof = explanation.roofline;
  os << explanation.getHeadline() << "\n";
  if (explanation.regions.empty())
    return;
  os << formatv("machine {0}, {1} thread{2}: {3:f1} GFLOP/s of {4} kernels; "
                "reads {5:f1} GB/s from L2, {6:f1} from L3, {7:f1} from "
                "memory; all data of the graph fits {8}\n",
                roof.machine, roof.threads, roof.threads == 1 ? "" : "s",
                roof.gflops, roof.types, roof.l2, roof.l3, roof.memory,
                roof.level);
  if (explanation.predictedMs)
    os << formatv("one execution: {0:f4} ms predicted",
                  *explanation.predictedMs)
       << (explanation.measuredMs
               ? formatv(", {0:f4} ms measured", *explanation.measuredMs).str()
               : "")
       << "\n";
  os << "\n       flops       bytes  predicted   measured      bound  of roof  "
        "region\n";
  for (const ExplainedRegion &region : explanation.regions) {
    os << format("%12lld%12lld%11.4f", (long long)region.info.flops,
                 (long long)region.info.bytes, region.info.predictedMs);
    if (region.measuredMs)
      os << format("%11.4f", *region.measuredMs);
    else
      os << "          -";
    os << format("%11.4f%9.2f  ", region.boundMs, region.getFraction())
       << region.info.name << " (" << region.limit << ")\n";
  }
  for (const ExplainedRegion &region : explanation.regions)
    printRegion(region, os);
  if (explanation.decisions.empty())
    return;
  os << "\n  ops outside of regions\n";
  for (const Decision &decision : explanation.decisions)
    printDecision(decision, os);
}
