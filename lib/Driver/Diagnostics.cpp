// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Diagnostics.h"
#include "Support/Notice.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc;

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        std::string location = formatLocation(diagnostic.getLocation());
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          std::string text;
          llvm::raw_string_ostream os(text);
          os << location << (location.empty() ? "" : ": ") << diagnostic.str();
          for (Diagnostic &note : diagnostic.getNotes())
            if (note.str().find("see current operation") == std::string::npos)
              os << "\n  note: " << note.str();
          errors += (errors.empty() ? "" : "\n") + os.str();
        } else {
          Remark &remark = remarks.emplace_back();
          remark.kind = diagnostic.getSeverity() == DiagnosticSeverity::Warning
                            ? "warning"
                            : "remark";
          remark.message = diagnostic.str();
          remark.location = std::move(location);
          remark.isNotice = isNotice(diagnostic);
        }
        return success();
      }) {}

llvm::Error DiagnosticCollector::takeError(const llvm::Twine &fallback) {
  std::string message = errors.empty() ? fallback.str() : std::move(errors);
  errors.clear();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}
