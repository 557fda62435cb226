// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Descriptions as JSON: what is written is read back, and what is wrong is one
// error with file and key.

#include "Machine/MachineFile.h"
#include "Machine/MachineFacts.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace gc;

namespace {

std::string write(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMachine(machine, os);
  return text;
}

std::string getError(llvm::StringRef text) {
  auto machine = parseMachine(text, "f.json");
  return machine ? "" : llvm::toString(machine.takeError());
}

/// The error after `from` has been replaced by `to` in a valid description.
std::string getErrorWith(llvm::StringRef from, llvm::StringRef to) {
  std::string text = write(*findPreset("zen4-2"));
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str() << " in\n" << text;
  if (at == std::string::npos)
    return "";
  return getError(text.replace(at, from.size(), to.str()));
}

TEST(MachineFile, PresetsAreThere) {
  EXPECT_EQ(getPresetNames(),
            llvm::ArrayRef<llvm::StringRef>({"graniterapids-2", "laptop-avx2-4",
                                             "server-avx512-64", "zen3-2",
                                             "zen4-2", "zen5-2"}));
  for (llvm::StringRef name : getPresetNames()) {
    const Machine *machine = findPreset(name);
    ASSERT_NE(machine, nullptr) << name.str();
    EXPECT_EQ(machine->name, name);
    EXPECT_EQ(findContradiction(*machine), "");
    EXPECT_TRUE(*machine == llvm::cantFail(readMachine(name)));
  }
  EXPECT_EQ(findPreset("zen4"), nullptr);
  const Machine *server = findPreset("server-avx512-64");
  EXPECT_EQ(server->cores, 64);
  EXPECT_EQ(server->l2Bytes, 2 << 20);
  EXPECT_TRUE(server->hasFeature("amx-int8"));
  const Machine *laptop = findPreset("laptop-avx2-4");
  EXPECT_EQ(laptop->cores, 4);
  EXPECT_EQ(laptop->l3Bytes, 8 << 20);
  EXPECT_FALSE(laptop->hasFeature("avx512f"));
}

TEST(MachineFile, NearestPreset) {
  auto find = [](llvm::StringRef cpu, llvm::StringRef like, int64_t cores) {
    return findNearestPreset(cpu, findPreset(like)->features, cores).name;
  };
  EXPECT_EQ(find("znver4", "zen4-2", 96), "zen4-2");
  // The number of cores decides between equal instruction sets only.
  EXPECT_EQ(find("sapphirerapids", "server-avx512-64", 1), "graniterapids-2");
  EXPECT_EQ(find("sapphirerapids", "server-avx512-64", 48), "server-avx512-64");
  EXPECT_EQ(find("graniterapids", "server-avx512-64", 128), "server-avx512-64");
  EXPECT_EQ(find("skylake", "zen3-2", 2), "zen3-2");
  EXPECT_EQ(find("skylake", "zen3-2", 8), "laptop-avx2-4");
  // A hypervisor may hide instructions of a known processor.
  EXPECT_EQ(findNearestPreset("znver5", {"avx2"}, 64).name, "zen5-2");
  EXPECT_EQ(find("znver5", "zen4-2", 2), "zen5-2");
}

TEST(MachineFile, RoundTrip) {
  for (llvm::StringRef name : getPresetNames()) {
    Machine machine = *findPreset(name);
    machine.clockGHz = 1.0 / 3;
    machine.memoryBytesPerCycle = 0.1;
    machine.packCyclesPerByte = 1e-7;
    machine.l3Bytes = int64_t(1) << 40;
    auto read = parseMachine(write(machine), "f.json");
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_TRUE(*read == machine);
  }
  auto host = parseMachine(write(Machine::host()), "f.json");
  ASSERT_TRUE(bool(host)) << llvm::toString(host.takeError());
  EXPECT_TRUE(*host == Machine::host());
}

TEST(MachineFile, Keys) {
  EXPECT_EQ(getErrorWith("\"cores\"", "\"core\""),
            "f.json: unknown key 'core'");
  EXPECT_EQ(getErrorWith("\"cores\": 2,", ""),
            "f.json: there is no key 'cores'");
  EXPECT_EQ(getErrorWith("\"cores\": 2", "\"cores\": 2, \"cores\": 2"),
            "f.json: the key 'cores' appears twice");
  EXPECT_EQ(getErrorWith("\"bytes\": 32768,", ""),
            "f.json: there is no key 'l1.bytes'");
  EXPECT_EQ(getErrorWith("\"bytes\": 32768", "\"bytes\": 32768, \"ways\": 8"),
            "f.json: unknown key 'l1.ways'");
  EXPECT_EQ(getErrorWith("\"macs_per_cycle\": 4,", ""),
            "f.json: there is no key 'kernels[0].macs_per_cycle'");
  EXPECT_EQ(getErrorWith("\"tile_rows\"", "\"tile\\u0000rows\""),
            "f.json: unknown key 'kernels[0].tile\\00rows'");
}

TEST(MachineFile, Numbers) {
  for (const char *value :
       {"0", "-1", "1.5", "65537", "1e300", "1e999", "99999999999999999999",
        "\"2\"", "true", "null", "[2]", "{\"a\": 2}"})
    EXPECT_EQ(getErrorWith("\"cores\": 2", std::string("\"cores\": ") + value),
              "f.json: 'cores' is not an integer from 1 to 4096")
        << value;
  EXPECT_EQ(getErrorWith("\"bytes\": 1048576", "\"bytes\": 1099511627777"),
            "f.json: 'l2.bytes' is not an integer from 64 to 1099511627776");
  EXPECT_EQ(getErrorWith("\"clock_ghz\": ", "\"clock_ghz\": -"),
            "f.json: 'clock_ghz' is not a number from 0.001 to 100");
  EXPECT_EQ(getErrorWith("\"macs_per_cycle\": 4", "\"macs_per_cycle\": 0"),
            "f.json: 'kernels[0].macs_per_cycle' is not a number from 0.001 "
            "to 1000000");
  EXPECT_EQ(getErrorWith("\"vector_bits\": 512", "\"vector_bits\": 64"),
            "f.json: 'vector_bits' is not an integer from 128 to 65536");
}

TEST(MachineFile, Contradictions) {
  EXPECT_EQ(getErrorWith("\"vector_bits\": 512", "\"vector_bits\": 384"),
            "f.json: 'vector_bits' is not a power of two");
  EXPECT_EQ(getErrorWith("\"vector_bits\": 512", "\"vector_bits\": 1024"),
            "f.json: 'vector_bits' is more than 512, which no instruction set "
            "has");
  EXPECT_EQ(getErrorWith("\"bytes\": 1048576", "\"bytes\": 16384"),
            "f.json: 'l2.bytes' is less than 'l1.bytes'");
  EXPECT_EQ(getErrorWith("\"bytes\": 33554432", "\"bytes\": 524288"),
            "f.json: 'l3.bytes' is less than 'l2.bytes'");
  Machine machine = *findPreset("zen4-2");
  machine.memorySharedBytesPerCycle = machine.memoryBytesPerCycle / 2;
  EXPECT_EQ(getError(write(machine)),
            "f.json: 'memory.shared_bytes_per_cycle' is less than "
            "'memory.bytes_per_cycle'");
  machine = *findPreset("zen4-2");
  machine.l3SharedBytesPerCycle = machine.l3BytesPerCycle / 2;
  EXPECT_EQ(getError(write(machine)),
            "f.json: 'l3.shared_bytes_per_cycle' is less than "
            "'l3.bytes_per_cycle'");
  machine = *findPreset("zen3-2");
  machine.vectorBits = 512;
  EXPECT_EQ(getError(write(machine)),
            "f.json: 'vector_bits' is 512, but 'features' has no avx512f");
  machine = *findPreset("zen3-2");
  machine.features = {"sse3"};
  EXPECT_EQ(getError(write(machine)),
            "f.json: 'vector_bits' is 256, but 'features' has no avx");
  machine = *findPreset("zen3-2");
  machine.kernels.clear();
  EXPECT_EQ(getError(write(machine)),
            "f.json: 'kernels' has none of types f32 for an instruction set "
            "in 'features'");
}

TEST(MachineFile, Strings) {
  EXPECT_EQ(getErrorWith("\"zen4-2\"", "\"\""),
            "f.json: 'name' is not a string of 1 to 64 letters, digits, '.', "
            "'-' and '_'");
  EXPECT_EQ(getErrorWith("\"zen4-2\"", "\"a b\""),
            "f.json: 'name' is not a string of 1 to 64 letters, digits, '.', "
            "'-' and '_'");
  EXPECT_EQ(getErrorWith("\"znver4\"", "4"), "f.json: 'cpu' is not a string");
  EXPECT_EQ(getErrorWith("\"znver4\"", "\"zen4\""),
            "f.json: 'cpu' is 'zen4', a processor that LLVM does not know");
  EXPECT_EQ(getErrorWith("\"avx2\"", "\"avx3\""),
            "f.json: 'features' has 'avx3', which is not one of the "
            "instruction sets that GC knows");
  EXPECT_EQ(getErrorWith("\"avx2\"", "\"avx\""),
            "f.json: 'features' has 'avx' twice");
  EXPECT_EQ(getErrorWith("\"avx2\"", "2"),
            "f.json: 'features' has an element that is not a string");
  EXPECT_EQ(getErrorWith("\"avx2\",", ""),
            "f.json: 'features' has avx512f without avx2, which it includes");
  EXPECT_EQ(getErrorWith("\"types\": \"f32\"", "\"types\": \"f64\""),
            "f.json: 'kernels[0].types' is not one of f32, bf16, f16, u8s8, "
            "s8s8");
  EXPECT_EQ(
      getErrorWith("\"isa\": \"\"", "\"isa\": \"mmx\""),
      "f.json: 'kernels[0].isa' is neither empty nor one of the instruction "
      "sets that GC knows");
  EXPECT_EQ(getErrorWith("\"isa\": \"\"", "\"isa\": \"avx2\""),
            "f.json: 'kernels[1]' has the types and the instruction set of "
            "another one");
}

TEST(MachineFile, NotADescription) {
  EXPECT_EQ(getError("[]"), "f.json: the description is not an object");
  EXPECT_EQ(getError("{}"), "f.json: there is no key 'name'");
  EXPECT_NE(getError("").find("f.json: not valid JSON: "), std::string::npos);
  EXPECT_NE(getError("{\"name\": \xff}").find("f.json: not valid JSON: "),
            std::string::npos);
  // A parser that recurses does not survive these.
  EXPECT_EQ(getError(std::string(1 << 20, '[')),
            "f.json: objects and arrays are nested too deeply");
  EXPECT_EQ(getErrorWith("\"features\": [", "\"features\": [[[[[[[[[[[[[["),
            "f.json: objects and arrays are nested too deeply");
  // Text without an end.
  EXPECT_NE(getError("{\"name").find("f.json: not valid JSON: "),
            std::string::npos);
  EXPECT_NE(getError("{\"name\\").find("f.json: not valid JSON: "),
            std::string::npos);
  for (const char *group : {"l1", "memory", "barrier"}) {
    std::string text = write(*findPreset("zen4-2"));
    std::string key = "\"" + std::string(group) + "\": {";
    size_t at = text.find(key), end = text.find('}', at);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, end + 1 - at, "\"" + std::string(group) + "\": 1");
    EXPECT_EQ(getError(text),
              "f.json: '" + std::string(group) + "' is not an object");
  }
}

TEST(Machine, KernelRates) {
  Machine machine = *findPreset("zen4-2");
  ASSERT_NE(machine.getKernelRate(KernelTypes::f32), nullptr);
  EXPECT_EQ(machine.getKernelRate(KernelTypes::f32)->isa, "avx512f");
  EXPECT_EQ(machine.getKernelRate(KernelTypes::f16), nullptr);
  // A description may ask for narrower vectors than the processor has.
  machine.vectorBits = 256;
  EXPECT_EQ(machine.getKernelRate(KernelTypes::f32)->isa, "avx2");
  // Fewer instructions, slower kernels.
  machine.setInstructionSet("znver3", {"avx", "avx2", "fma"});
  EXPECT_EQ(machine.vectorBits, 256);
  EXPECT_EQ(machine.getKernelRate(KernelTypes::f32)->isa, "avx2");
  EXPECT_EQ(machine.getKernelRate(KernelTypes::bf16), nullptr);
  machine.setInstructionSet("x86-64", {});
  EXPECT_EQ(machine.vectorBits, 128);
  EXPECT_EQ(machine.getKernelRate(KernelTypes::f32)->isa, "");
}

TEST(Machine, SharedBandwidth) {
  Machine machine;
  machine.memoryBytesPerCycle = 5;
  machine.memorySharedBytesPerCycle = 8;
  EXPECT_EQ(machine.getMemoryBytesPerCycle(1), 5);
  EXPECT_EQ(machine.getMemoryBytesPerCycle(2), 4);
  EXPECT_EQ(machine.getMemoryBytesPerCycle(8), 1);
  machine.barrierCycles = 100;
  machine.barrierCyclesPerThread = 10;
  EXPECT_EQ(machine.getBarrierCycles(1), 0);
  EXPECT_EQ(machine.getBarrierCycles(4), 140);
}

} // namespace
