// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Notice.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gc;

static constexpr llvm::StringLiteral kNotice = "gc.notice";

InFlightDiagnostic gc::emitNotice(Location location) {
  InFlightDiagnostic notice = emitRemark(location);
  notice.getUnderlyingDiagnostic()->getMetadata().push_back(
      DiagnosticArgument(llvm::StringRef(kNotice)));
  return notice;
}

bool gc::isNotice(Diagnostic &diagnostic) {
  return llvm::any_of(
      diagnostic.getMetadata(), [](const DiagnosticArgument &argument) {
        return argument.getKind() ==
                   DiagnosticArgument::DiagnosticArgumentKind::String &&
               argument.getAsString() == kNotice;
      });
}
