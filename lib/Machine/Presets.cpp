// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machines known by name, and the meaning of a setting.

#include "Machine/MachineFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace llvm;

namespace gc {

namespace {

struct PresetText {
  StringLiteral name, text;
};

constexpr PresetText kPresetTexts[] = {
#include "MachinePresets.inc"
};

} // namespace

ArrayRef<StringRef> getPresetNames() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> names;
    for (const PresetText &preset : kPresetTexts)
      names.push_back(preset.name);
    llvm::sort(names);
    return names;
  }();
  return names;
}

const Machine *findPreset(StringRef name) {
  // A test parses each; so none is invalid.
  static const std::vector<Machine> presets = [] {
    std::vector<Machine> presets;
    for (const PresetText &preset : kPresetTexts) {
      auto machine = parseMachine(preset.text, preset.name);
      if (machine)
        presets.push_back(std::move(*machine));
      else
        consumeError(machine.takeError());
    }
    return presets;
  }();
  auto found = llvm::find_if(
      presets, [&](const Machine &machine) { return machine.name == name; });
  return found == presets.end() ? nullptr : &*found;
}

const Machine &findNearestPreset(StringRef cpu, ArrayRef<std::string> features,
                                 int64_t cores) {
  auto getDistance = [&](StringRef name) {
    const Machine &preset = *findPreset(name);
    auto isDifferent = [&](const InstructionSet &set) {
      return preset.hasFeature(set.name) != is_contained(features, set.name);
    };
    bool isOther = preset.cpu != cpu;
    int64_t sets = isOther ? count_if(getInstructionSets(), isDifferent) : 0;
    double ratio = static_cast<double>(cores) / preset.cores;
    return std::tuple(sets, std::abs(std::log2(ratio)), isOther);
  };
  return *findPreset(
      *min_element(getPresetNames(), [&](StringRef a, StringRef b) {
        return getDistance(a) < getDistance(b);
      }));
}

/// The content of a file; at most one byte more than the longest valid
/// description.
static ErrorOr<std::string> readText(const Twine &path, size_t longest) {
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return errorToErrorCode(file.takeError());
  std::string text(longest + 1, '\0');
  size_t size = 0;
  std::error_code error;
  while (size < text.size()) {
    Expected<size_t> count = sys::fs::readNativeFile(
        *file, {text.data() + size, text.size() - size});
    if (!count) {
      error = errorToErrorCode(count.takeError());
      break;
    }
    if (*count == 0)
      break;
    size += *count;
  }
  sys::fs::closeFile(*file);
  if (error)
    return error;
  text.resize(size);
  return text;
}

Expected<Machine> readMachine(StringRef setting) {
  if (const Machine *preset = findPreset(setting))
    return *preset;
  auto fail = [&](const Twine &message) {
    return createStringError(inconvertibleErrorCode(), message);
  };
  // Tools read it several times, and a pipe has its content once.
  sys::fs::file_status status;
  if (!sys::fs::status(setting, status) && sys::fs::exists(status) &&
      !sys::fs::is_regular_file(status) && !sys::fs::is_directory(status))
    return fail(setting + ": a machine description must be a regular file");
  constexpr size_t kLongest = 1 << 20;
  ErrorOr<std::string> text = readText(setting, kLongest);
  if (!text && text.getError() == std::errc::no_such_file_or_directory)
    return fail("machine '" + setting +
                "': there is no such file, and the presets are " +
                join(getPresetNames(), ", "));
  if (!text)
    return fail(setting + ": " + text.getError().message());
  if (text->size() > kLongest)
    return fail(setting +
                ": more than 1 MiB, too large for a machine description");
  return parseMachine(*text, setting);
}

Expected<Machine> getDefaultMachine() {
  struct Default {
    Machine machine;
    std::string error;
  };
  static const Default result = []() -> Default {
    const char *setting = std::getenv(kMachineVariable);
    if (!setting || !*setting)
      return {Machine::host(), ""};
    auto machine = readMachine(setting);
    if (machine)
      return {std::move(*machine), ""};
    return {
        Machine(),
        (Twine(kMachineVariable) + ": " + toString(machine.takeError())).str()};
  }();
  if (!result.error.empty())
    return createStringError(inconvertibleErrorCode(), result.error);
  return result.machine;
}

} // namespace gc
