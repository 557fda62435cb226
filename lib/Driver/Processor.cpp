// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Processor.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;
using namespace gc;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// What LLVM knows of the processors of this process's target, or null.
static const MCSubtargetInfo *getKnown() {
  static const std::unique_ptr<MCSubtargetInfo> known = [] {
    InitializeNativeTarget();
    Triple triple(sys::getProcessTriple());
    std::string message;
    const llvm::Target *target = TargetRegistry::lookupTarget(triple, message);
    return std::unique_ptr<MCSubtargetInfo>(
        target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
  }();
  return known.get();
}

/// The names with their signs; a name without one is enabled.
static std::vector<ProcessorFeature> readFeatures(ArrayRef<StringRef> parts) {
  std::vector<ProcessorFeature> features;
  for (StringRef name : parts) {
    bool isEnabled = !name.consume_front("-");
    if (isEnabled)
      name.consume_front("+");
    features.push_back({name.str(), isEnabled});
  }
  return features;
}

/// What is between the commas, none of which is empty; nothing in an empty
/// text.
static Expected<SmallVector<StringRef>> splitList(StringRef text) {
  SmallVector<StringRef> parts;
  if (text.trim().empty())
    return parts;
  text.split(parts, ',');
  for (StringRef &part : parts) {
    part = part.trim();
    if (part.empty())
      return makeError("'" + text + "' has nothing before or after a comma");
  }
  return parts;
}

Expected<Processor> Processor::parse(StringRef text) {
  auto parts = splitList(text);
  if (!parts)
    return parts.takeError();
  SmallVector<StringRef> names, features;
  for (StringRef part : *parts) {
    bool isFeature = part.starts_with("+") || part.starts_with("-");
    (isFeature ? features : names).push_back(part);
  }
  if (names.size() > 1)
    return makeError("'" + text + "' names " + Twine(names.size()) +
                     " processors; a feature has + or - before its name");
  return get(names.empty() ? "" : names.front(), readFeatures(features));
}

Expected<Processor> Processor::parse(StringRef name, StringRef features) {
  auto parts = splitList(features);
  if (!parts)
    return parts.takeError();
  return get(name, readFeatures(*parts));
}

Expected<Processor> Processor::get(StringRef name,
                                   std::vector<ProcessorFeature> features) {
  // LLVM only prints a warning for names that it does not know.
  const MCSubtargetInfo *known = getKnown();
  if (!known)
    return makeError("no description of the target " + sys::getProcessTriple());
  if (!name.empty() && !known->isCPUStringValid(name))
    return makeError("unknown processor '" + name + "'");
  if (X86::parseArchX86(name) != X86::CK_None &&
      X86::parseArchX86(name, /*Only64Bit=*/true) == X86::CK_None)
    return makeError("processor '" + name + "' has no 64-bit instructions");
  for (const ProcessorFeature &feature : features) {
    if (none_of(known->getAllProcessorFeatures(), [&](const auto &entry) {
          return StringRef(entry.Key) == feature.name;
        }))
      return makeError("unknown processor feature '" + feature.name + "'");
    // Not instruction sets but a different kind of process: the code could not
    // run in this one, and the code generator would not return an error.
    if (feature.isEnabled == (feature.name != "64bit") &&
        is_contained({"64bit", "32bit-mode", "16bit-mode", "x32", "soft-float"},
                     StringRef(feature.name)))
      return makeError("processor feature '" + printFeatures(feature) +
                       "': code for this process is 64-bit code with "
                       "floating-point registers");
  }
  Processor result;
  result.name = name.empty() && !features.empty() ? StringRef(kBaseline) : name;
  result.features = std::move(features);
  return result;
}

std::string gc::printFeatures(ArrayRef<ProcessorFeature> features) {
  SubtargetFeatures list;
  for (const ProcessorFeature &feature : features)
    list.AddFeature(feature.name, feature.isEnabled);
  return list.getString();
}

std::string gc::printFeatures(ArrayRef<std::string> names) {
  SubtargetFeatures list;
  for (StringRef name : names)
    list.AddFeature(name);
  return list.getString();
}
