// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Remarks.h"
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

RemarkCollector::RemarkCollector(MLIRContext *context) : context(context) {
  if (context->getRemarkEngine())
    return;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = ".*";
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
