// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/DecisionRecord.h"

#include <cmath>

using namespace mlir;
using namespace gc;

DecisionRecord::DecisionRecord(Operation *op, StringRef pass, StringRef kind)
    : remark(remark::analysis(
          op->getLoc(),
          remark::RemarkOpts::name(decision::kRemark).category(pass))) {
  add(decision::kKind, kind);
  add(decision::kSubject, op->getName().getStringRef());
}

void DecisionRecord::add(StringRef key, const Twine &value) {
  if (remark)
    remark << remark::detail::Remark::Arg(key, value.str());
}

void DecisionRecord::addChoice(StringRef key, const Twine &what,
                               std::optional<double> cycles, const Twine &why) {
  if (!remark)
    return;
  add(key, what);
  if (cycles && std::isfinite(*cycles))
    add(decision::kCycles, Twine(static_cast<int64_t>(std::llround(*cycles))));
  if (!why.isTriviallyEmpty())
    add(decision::kWhy, why);
}

void DecisionRecord::choose(const Twine &what, std::optional<double> cycles,
                            const Twine &why) {
  addChoice(decision::kChosen, what, cycles, why);
}

void DecisionRecord::reject(const Twine &what, std::optional<double> cycles,
                            const Twine &why) {
  addChoice(decision::kAlternative, what, cycles, why);
}

void DecisionRecord::forcedBy(const Twine &what) {
  add(decision::kForce, what);
}
