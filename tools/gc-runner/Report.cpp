// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.h"
#include "Options.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

static StringRef getStatusName(CheckStatus status) {
  switch (status) {
  case CheckStatus::notRun:
    return "not run";
  case CheckStatus::passed:
    return "passed";
  case CheckStatus::weak:
    return "weak";
  case CheckStatus::failed:
    return "failed";
  }
  llvm_unreachable("all states are above");
}

bool runner::isGood(const Report &report, const Options &options) {
  return report.check != CheckStatus::failed &&
         (report.check != CheckStatus::weak || !options.strict);
}

void runner::printCheck(const Report &report, raw_ostream &os) {
  if (report.check == CheckStatus::notRun)
    return;
  os << "  check     " << getStatusName(report.check)
     << format(", max abs error %.3g, max rel error %.3g", report.maxAbsError,
               report.maxRelError);
  if (report.unbounded > 0)
    os << ", " << report.unbounded << " of " << report.elements
       << " elements without an error bound";
  if (report.ties > 0)
    os << ", " << report.ties << " integers differ by 1, which rounding may";
  os << "\n";
  if (!report.checkMessage.empty())
    os << "            " << report.checkMessage << "\n";
}

/// JSON has no infinity and no NaN.
static json::Value number(double value) {
  if (std::isfinite(value))
    return value;
  return nullptr;
}

void runner::writeCheck(const Report &report, json::OStream &json) {
  json.attributeObject("check", [&] {
    bool compared = report.check != CheckStatus::notRun;
    json.attribute("status", getStatusName(report.check));
    json.attribute("max_abs_err", compared ? number(report.maxAbsError)
                                           : json::Value(nullptr));
    json.attribute("max_rel_err", compared ? number(report.maxRelError)
                                           : json::Value(nullptr));
    json.attribute("unbounded", compared ? json::Value(report.unbounded)
                                         : json::Value(nullptr));
    if (!report.checkMessage.empty())
      json.attribute("message", json::fixUTF8(report.checkMessage));
  });
}
