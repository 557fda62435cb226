// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Remarks.h"
#include "Support/DecisionRecord.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc;

std::string gc::formatLocation(Location location) {
  if (isa<UnknownLoc>(location))
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  // "file":line:column in quotes is MLIR's syntax; users get it without the
  // quotes.
  if (auto at = location->findInstanceOf<FileLineColLoc>())
    os << at.getFilename().getValue() << ":" << at.getLine() << ":"
       << at.getColumn();
  else
    os << location;
  return text;
}

std::string Remark::str() const {
  std::string text;
  if (!location.empty())
    text += location + ": ";
  if (!category.empty())
    text += "[" + category + "] ";
  text += message;
  if (!reason.empty())
    text += "; reason: " + reason;
  if (!suggestion.empty())
    text += "; suggestion: " + suggestion;
  return text;
}

class RemarkCollector::Streamer
    : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(RemarkCollector &collector) : collector(collector) {}

  void streamOptimizationRemark(const remark::detail::Remark &from) override {
    if (from.getRemarkName() == decision::kRemark)
      return addDecision(from);
    Remark &remark = collector.remarks.emplace_back();
    switch (from.getRemarkType()) {
    case llvm::remarks::Type::Passed:
      remark.kind = "passed";
      break;
    case llvm::remarks::Type::Missed:
      remark.kind = "missed";
      break;
    case llvm::remarks::Type::Failure:
      remark.kind = "failed";
      break;
    default:
      remark.kind = "analysis";
      break;
    }
    remark.category = from.getCombinedCategoryName().str();
    if (remark.category.empty())
      remark.category = collector.pass;
    remark.name = from.getRemarkName().str();
    // The upstream text where the pass gives none.
    if (StringRef(remark.name).starts_with("<unknown"))
      remark.name.clear();
    remark.function = from.getFunction().str();
    if (StringRef(remark.function).starts_with("<unknown"))
      remark.function = collector.function;
    remark.location = formatLocation(from.getLocation());
    for (const remark::detail::Remark::Arg &argument : from.getArgs())
      add(remark, argument.key, argument.val);
  }

private:
  void addDecision(const remark::detail::Remark &from) {
    Decision &made = collector.decisions.emplace_back();
    made.category = from.getCombinedCategoryName().str();
    made.function = collector.function;
    made.location = formatLocation(from.getLocation());
    Decision::Choice *choice = &made.chosen;
    for (const remark::detail::Remark::Arg &argument : from.getArgs()) {
      StringRef key = argument.key;
      int64_t cycles;
      if (key == decision::kKind)
        made.kind = argument.val;
      else if (key == decision::kSubject)
        made.subject = argument.val;
      else if (key == decision::kForce)
        made.force = argument.val;
      else if (key == decision::kChosen)
        (choice = &made.chosen)->what = argument.val;
      else if (key == decision::kAlternative)
        (choice = &made.alternatives.emplace_back())->what = argument.val;
      else if (key == decision::kWhy)
        choice->why = argument.val;
      else if (key == decision::kCycles &&
               !StringRef(argument.val).getAsInteger(10, cycles))
        choice->cycles = cycles;
    }
  }

  static void add(Remark &remark, StringRef key, StringRef value) {
    if (key == "Reason")
      remark.reason += value;
    else if (key == "Suggestion")
      remark.suggestion += value;
    else if (key == "Remark")
      remark.message += value;
    else
      remark.message +=
          ((remark.message.empty() ? "" : ", ") + key + "=" + value).str();
  }

  RemarkCollector &collector;
};

RemarkCollector::RemarkCollector(MLIRContext *context, bool wantsDecisions)
    : context(context) {
  if (context->getRemarkEngine())
    return;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.failed = ".*";
  if (wantsDecisions)
    categories.analysis = ".*";
  installed = succeeded(remark::enableOptimizationRemarks(
      *context, std::make_unique<Streamer>(*this),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories));
}

RemarkCollector::~RemarkCollector() {
  if (installed)
    context->setRemarkEngine(nullptr);
}

void RemarkCollector::enterPass(StringRef newPass, StringRef newFunction) {
  pass = newPass.str();
  function = newFunction.str();
}
