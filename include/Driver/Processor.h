// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Processors that code is generated for, by LLVM's names. Command lines and the
// C API name them in text, which is read and checked here, once.

#ifndef GC_DRIVER_PROCESSOR_H
#define GC_DRIVER_PROCESSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gc {

/// A feature that a processor has, or has not, whatever its name implies.
struct ProcessorFeature {
  std::string name;
  bool isEnabled = true;

  bool operator==(const ProcessorFeature &other) const {
    return name == other.name && isEnabled == other.isEnabled;
  }
};

/// A processor and its features, all of which LLVM knows.
class Processor {
public:
  /// Has what any processor has that 64-bit code runs on.
  static constexpr llvm::StringLiteral kBaseline = "x86-64";

  /// None is named.
  Processor() = default;

  /// "zen3", "+avx2,-fma", "zen3,-avx2": the name and the features, the last
  /// one of a name counts. A list of features alone starts from the baseline
  /// processor; nothing is named in an empty text.
  static llvm::Expected<Processor> parse(llvm::StringRef text);

  /// The same, with the features apart: "+avx2,-fma".
  static llvm::Expected<Processor> parse(llvm::StringRef name,
                                         llvm::StringRef features);

  /// Checks the names. Features that make it a different kind of process are
  /// errors: generated code has to run in this one.
  static llvm::Expected<Processor> get(llvm::StringRef name,
                                       std::vector<ProcessorFeature> features);

  bool isNamed() const { return !name.empty(); }
  const std::string &getName() const { return name; }
  llvm::ArrayRef<ProcessorFeature> getFeatures() const { return features; }

  bool operator==(const Processor &other) const {
    return name == other.name && features == other.features;
  }

private:
  /// Features have a name: that of the baseline processor if no other.
  std::string name;
  std::vector<ProcessorFeature> features;
};

/// As LLVM and the runtime's load-time check take them: "+avx2,-fma".
std::string printFeatures(llvm::ArrayRef<ProcessorFeature> features);

/// Instruction sets that are all enabled: "+avx,+avx2".
std::string printFeatures(llvm::ArrayRef<std::string> names);

} // namespace gc

#endif // GC_DRIVER_PROCESSOR_H
