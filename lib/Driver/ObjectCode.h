// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Object files of what the pipeline has made, by as many threads as help.

#ifndef GC_LIB_DRIVER_OBJECTCODE_H
#define GC_LIB_DRIVER_OBJECTCODE_H

#include "PipelineRun.h"
#include "llvm/Support/MemoryBuffer.h"

namespace gc {

struct ObjectCode {
  /// One, or two that refer to each other.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  /// Milliseconds of wall time.
  double optimizeMs = 0, codegenMs = 0;
};

/// Generates code from a run that came to its end; `name` is that of the
/// objects. A second thread takes a part if there is much to do and the machine
/// has more than one core; the library of kernels, which takes milliseconds to
/// start, starts meanwhile.
llvm::Expected<ObjectCode> generateObjects(PipelineRun &run,
                                           llvm::StringRef name,
                                           const CompileOptions &options);

} // namespace gc

#endif // GC_LIB_DRIVER_OBJECTCODE_H
