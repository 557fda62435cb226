// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-machine: measures this host and writes its description, which --machine of
// the other tools reads; prints the built-in descriptions.
//
// Exit codes: 0 fine, 2 bad usage, or the file cannot be written.

#include "Machine/MachineFile.h"
#include "Measure.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

static constexpr int kFine = 0, kFailed = 2;

static int report(Error error) {
  logAllUnhandledErrors(std::move(error), errs(), "gc-machine: error: ");
  return kFailed;
}

/// Writes the whole description, or nothing.
static Error write(const Machine &machine, StringRef path) {
  if (path == "-") {
    writeMachine(machine, outs());
    return Error::success();
  }
  Error error = writeToOutput(path, [&](raw_ostream &os) {
    writeMachine(machine, os);
    return Error::success();
  });
  // Some of its errors name the file already.
  if (error && !error.isA<FileError>())
    return createFileError(path, std::move(error));
  return error;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::OptionCategory category("gc-machine options");
  cl::opt<std::string> output("o", cl::init("-"), cl::value_desc("file"),
                              cl::desc("Where to write the description "
                                       "(default: standard output)"),
                              cl::cat(category));
  cl::opt<bool> quick("quick", cl::cat(category),
                      cl::desc("Measure for a few seconds, for a first look"));
  cl::opt<bool> list("list", cl::cat(category),
                     cl::desc("Print the names of the presets"));
  cl::opt<std::string> print("print", cl::value_desc("preset"),
                             cl::cat(category),
                             cl::desc("Write a preset instead of measuring"));
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Measures this host and writes its description.\n",
          &errs()))
    return kFailed;
  if (list && (quick || print.getNumOccurrences())) {
    errs()
        << "gc-machine: error: --list cannot be combined with other options\n";
    return kFailed;
  }
  if (quick && print.getNumOccurrences()) {
    errs() << "gc-machine: error: --print does not measure, so --quick does "
              "not apply\n";
    return kFailed;
  }
  if (list) {
    for (StringRef name : getPresetNames())
      outs() << name << "\n";
    return kFine;
  }
  if (print.getNumOccurrences()) {
    const Machine *preset = findPreset(print);
    if (!preset)
      return report(createStringError(inconvertibleErrorCode(),
                                      "there is no preset '%s' (see --list)",
                                      print.c_str()));
    if (Error error = write(*preset, output))
      return report(std::move(error));
    return kFine;
  }
  Expected<Machine> machine = machine::measureHost(quick ? 0.1 : 1);
  if (!machine)
    return report(machine.takeError());
  if (Error error = write(*machine, output))
    return report(std::move(error));
  return kFine;
}
