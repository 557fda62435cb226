// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The main function of a program in the language of Simulator/Cce.h:
//
//   program [--entry=NAME] [--profile=gm64|gm32|l2] [--mode=values|cycles]
//           [--set=PARAMETER=VALUE]... FILE...
//
// runs the program (the only one, or the one named) on the simulator. There is
// one file of raw bytes for each tensor, inputs first: inputs are read, outputs
// are written if the run succeeded. Cycles-only mode needs no files. The report
// goes to the standard output, one number per line. Exit code 1: the program is
// wrong, with the line in the text; 2: the command line is wrong.

#ifndef GC_SIMULATOR_CCEMAIN_H
#define GC_SIMULATOR_CCEMAIN_H

#include "Simulator/Cce.h"
#include "Simulator/Simulator.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace gc::cce {

struct Command {
  std::string entry;
  npu::Profile profile = npu::Profile::gm64;
  npu::Options options;
  std::vector<std::pair<std::string, int64_t>> parameters;
  std::vector<std::string> files;
  /// What is wrong with the command line.
  std::string error;
};

inline Command parseCommand(int argc, char **argv) {
  Command command;
  for (int i = 1; i < argc && command.error.empty(); ++i) {
    std::string text = argv[i];
    auto startsWith = [&](const char *prefix) {
      return text.compare(0, std::strlen(prefix), prefix) == 0;
    };
    std::string value = text.substr(text.find('=') + 1);
    if (startsWith("--entry=")) {
      command.entry = value;
    } else if (startsWith("--profile=")) {
      if (auto profile = npu::parseProfile(value))
        command.profile = *profile;
      else
        command.error = "there is no profile '" + value + "'";
    } else if (startsWith("--mode=")) {
      if (value != "values" && value != "cycles")
        command.error = "there is no mode '" + value + "'";
      command.options.mode =
          value == "cycles" ? npu::Mode::cycles : npu::Mode::values;
    } else if (startsWith("--set=") && value.find('=') != std::string::npos) {
      size_t at = value.find('=');
      command.parameters.emplace_back(value.substr(0, at),
                                      std::atoll(value.c_str() + at + 1));
    } else if (startsWith("--")) {
      command.error = "there is no option '" + text + "'";
    } else {
      command.files.push_back(text);
    }
  }
  return command;
}

inline const Program *findProgram(const std::string &name) {
  const std::vector<Program> &programs = getPrograms();
  if (name.empty() && programs.size() == 1)
    return &programs.front();
  for (const Program &program : programs)
    if (program.name == name)
      return &program;
  return nullptr;
}

/// Reads or writes exactly the bytes of a tensor.
inline bool transferFile(const std::string &path, std::vector<char> &bytes,
                         bool write) {
  std::FILE *file = std::fopen(path.c_str(), write ? "wb" : "rb");
  if (!file)
    return false;
  size_t count = write ? std::fwrite(bytes.data(), 1, bytes.size(), file)
                       : std::fread(bytes.data(), 1, bytes.size(), file);
  bool exact = count == bytes.size() && (write || std::fgetc(file) == EOF);
  return std::fclose(file) == 0 && exact;
}

inline void printReport(const npu::Report &report) {
  auto print = [](const char *name, int64_t value) {
    std::printf("%s %lld\n", name, static_cast<long long>(value));
  };
  const npu::CoreReport &total = report.total;
  print("cycles", report.cycles);
  print("flags", total.flags);
  print("barriers", total.barriers + total.barriersAll);
  print("iterations", total.iterations);
  print("gm_bytes", total.gmBytesRead + total.gmBytesWritten);
  for (int i = 0; i < npu::kNumPipes; ++i)
    print(npu::getName(static_cast<npu::Pipe>(i)), total.busy[i]);
}

inline int fail(const std::string &message, int code) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return code;
}

inline int run(const Command &command) {
  if (!command.error.empty())
    return fail(command.error, 2);
  const Program *program = findProgram(command.entry);
  if (!program) {
    std::string names;
    for (const Program &other : getPrograms())
      names += std::string(names.empty() ? "" : ", ") + other.name;
    return fail("choose one of the programs with --entry: " + names, 2);
  }
  npu::Machine machine(command.profile);
  for (const auto &[name, value] : command.parameters)
    if (!npu::setParameter(machine, name, value))
      return fail("the machine has no parameter '" + name + "' of value " +
                      std::to_string(value),
                  2);

  bool values = command.options.mode == npu::Mode::values;
  size_t count = program->arguments.size();
  if (values && command.files.size() != count)
    return fail("the program takes " + std::to_string(count) +
                    " files, one per tensor, not " +
                    std::to_string(command.files.size()),
                2);
  npu::Simulator simulator(machine, command.options);
  std::vector<std::vector<char>> tensors(count);
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < count; ++i) {
    const Argument &argument = program->arguments[i];
    if (values)
      tensors[i].assign(argument.bytes, char(0xff)); // no number
    if (values && !argument.isOutput &&
        !transferFile(command.files[i], tensors[i], /*write=*/false))
      return fail("'" + command.files[i] + "' is not a file of " +
                      std::to_string(argument.bytes) + " bytes",
                  2);
    int tensor = simulator.addTensor("tensor " + std::to_string(i),
                                     values ? tensors[i].data() : nullptr,
                                     argument.bytes, argument.isOutput);
    addresses.push_back(npu::Simulator::getTensorAddress(tensor));
  }

  std::vector<npu::Program> programs(program->cores, [&](gc_npu_core *core) {
    program->run(core, addresses.data());
  });
  npu::Report report = simulator.run(programs);
  if (report.error) {
    const npu::Error &error = *report.error;
    std::string message =
        "line " + std::to_string(error.location) + ": " + error.message;
    if (error.otherLocation >= 0)
      message += std::string(error.kind == npu::ErrorKind::buffer
                                 ? " (the buffer: line "
                                 : " (the other instruction: line ") +
                 std::to_string(error.otherLocation) + ")";
    return fail(message, 1);
  }
  for (size_t i = 0; values && i < count; ++i)
    if (program->arguments[i].isOutput &&
        !transferFile(command.files[i], tensors[i], /*write=*/true))
      return fail("'" + command.files[i] + "' could not be written", 2);
  printReport(report);
  return 0;
}

} // namespace gc::cce

int main(int argc, char **argv) {
  return gc::cce::run(gc::cce::parseCommand(argc, argv));
}

#endif // GC_SIMULATOR_CCEMAIN_H
