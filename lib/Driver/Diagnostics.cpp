// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Diagnostics.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc;

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        std::string text;
        llvm::raw_string_ostream os(text);
        if (!isa<UnknownLoc>(diagnostic.getLocation())) {
          // "file":line:column in quotes is MLIR's syntax; people read it
          // plain.
          if (auto at =
                  diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
            os << at.getFilename().getValue() << ":" << at.getLine() << ":"
               << at.getColumn() << ": ";
          else
            os << diagnostic.getLocation() << ": ";
        }
        os << diagnostic.str();
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          for (Diagnostic &note : diagnostic.getNotes())
            if (note.str().find("see current operation") == std::string::npos)
              os << "\n  note: " << note.str();
          errors += (errors.empty() ? "" : "\n") + os.str();
        } else {
          remarks.push_back(os.str());
        }
        return success();
      }) {}

llvm::Error DiagnosticCollector::takeError(const llvm::Twine &fallback) {
  std::string message = errors.empty() ? fallback.str() : std::move(errors);
  errors.clear();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}
