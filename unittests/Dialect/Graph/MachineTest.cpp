// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine of a module: what its target description says, and the rest.

#include "Machine/MachineFacts.h"
#include "Machine/MachineFile.h"
#include "Support/ModuleMachine.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace gc;
using namespace mlir;

namespace {

class MachineTest : public ::testing::Test {
protected:
  MachineTest() {
    context.loadDialect<DLTIDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      errors += diagnostic.str();
      return success();
    });
  }

  /// The machine of a module with the entries in the description of `device`.
  FailureOr<Machine> get(const std::string &entries,
                         const std::string &device = "CPU") {
    module = parseSourceString<ModuleOp>(
        "module attributes {dlti.target_system_spec = "
        "#dlti.target_system_spec<\"" +
            device + "\" = #dlti.target_device_spec<" + entries + ">>} {}",
        &context);
    EXPECT_TRUE(module) << errors;
    if (!module)
      return failure();
    return getMachine(*module);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string errors;
};

TEST_F(MachineTest, HostIsPlausible) {
  const Machine &host = Machine::host();
  EXPECT_GE(host.cores, 1);
  EXPECT_GT(host.l1Bytes, 0);
  EXPECT_GE(host.l2Bytes, host.l1Bytes);
  EXPECT_GE(host.vectorBits, 128);
  EXPECT_EQ(host.getLanes(32), host.vectorBits / 32);
  EXPECT_EQ(findContradiction(host), "");
}

TEST_F(MachineTest, WithoutDescriptionTheDefault) {
  OwningOpRef<ModuleOp> empty = ModuleOp::create(UnknownLoc::get(&context));
  FailureOr<Machine> machine = getMachine(*empty);
  ASSERT_TRUE(succeeded(machine));
  EXPECT_TRUE(*machine == llvm::cantFail(getDefaultMachine()));
}

TEST_F(MachineTest, EntriesReplaceFacts) {
  FailureOr<Machine> machine =
      get("\"machine\" = \"zen3-2\", "
          "\"num_threads\" = 3 : i64, \"L1_cache_size_in_bytes\" = 1000 : i64, "
          "\"L2_cache_size_in_bytes\" = 2000 : i64, "
          "\"L3_cache_size_in_bytes\" = 3000 : i64, "
          "\"max_vector_op_width\" = 512 : i64, "
          "\"num_vector_registers\" = 64 : i64, "
          "\"memory.bytes_per_cycle\" = 2.5 : f64, \"barrier.cycles\" = 7, "
          "\"cpu\" = \"znver2\", \"features\" = [\"avx\", \"sse3\"], "
          "\"kernels\" = [{types = \"f32\", isa = \"\", macs_per_cycle = 3, "
          "latency_cycles = 5.0, loads_per_cycle = 1, tile_rows = 2, "
          "tile_vectors = 6}]");
  ASSERT_TRUE(succeeded(machine)) << errors;
  Machine expected = *findPreset("zen3-2");
  expected.cores = 3;
  expected.l1Bytes = 1000;
  expected.l2Bytes = 2000;
  expected.l3Bytes = 3000;
  expected.vectorBits = 512;
  expected.vectorRegisters = 64;
  expected.memoryBytesPerCycle = 2.5;
  expected.barrierCycles = 7;
  expected.cpu = "znver2";
  expected.features = {"sse3", "avx"};
  expected.kernels = {{KernelTypes::f32, "", 3, 5, 1, 2, 6}};
  EXPECT_TRUE(*machine == expected);
  EXPECT_EQ(machine->getLanes(32), 16);
  EXPECT_EQ(machine->getLanes(8), 64);
}

// The width and the number of registers follow from the instruction set.
TEST_F(MachineTest, FeaturesDecideTheVectors) {
  FailureOr<Machine> machine =
      get("\"machine\" = \"zen4-2\", \"features\" = [\"avx\", \"avx2\"]");
  ASSERT_TRUE(succeeded(machine)) << errors;
  EXPECT_EQ(machine->vectorBits, 256);
  EXPECT_EQ(machine->vectorRegisters, 16);
  machine = get("\"machine\" = \"zen4-2\", \"features\" = []");
  ASSERT_TRUE(succeeded(machine)) << errors;
  EXPECT_EQ(machine->vectorBits, 128);
}

TEST_F(MachineTest, OthersComeFromTheDefault) {
  FailureOr<Machine> machine = get("\"num_threads\" = 7 : i32");
  ASSERT_TRUE(succeeded(machine)) << errors;
  Machine expected = llvm::cantFail(getDefaultMachine());
  expected.cores = 7;
  EXPECT_TRUE(*machine == expected);
}

TEST_F(MachineTest, OtherDevicesDoNotCount) {
  FailureOr<Machine> machine = get("\"num_threads\" = 7 : i64", "GPU");
  ASSERT_TRUE(succeeded(machine)) << errors;
  EXPECT_TRUE(*machine == llvm::cantFail(getDefaultMachine()));
}

// What setMachine() writes is the machine again, and a preset is its name.
TEST_F(MachineTest, SetMachineRoundTrips) {
  for (StringRef name : getPresetNames()) {
    Machine preset = *findPreset(name), changed = preset, own = preset;
    changed.l2Bytes *= 2;
    changed.memoryBytesPerCycle = 0.3;
    changed.setInstructionSet("x86-64", {"avx"});
    own.name = "mine";
    for (const Machine &machine : {preset, changed, own}) {
      ASSERT_TRUE(succeeded(get("\"a\" = 1 : i64", "GPU")));
      setMachine(*module, machine);
      EXPECT_TRUE(succeeded(verify(*module)));
      FailureOr<Machine> read = getMachine(*module);
      ASSERT_TRUE(succeeded(read)) << errors;
      EXPECT_TRUE(*read == machine) << name.str();
      std::string text;
      llvm::raw_string_ostream(text) << *module;
      EXPECT_NE(text.find("\"GPU\" = #dlti.target_device_spec<\"a\" = 1"),
                std::string::npos)
          << text;
      EXPECT_EQ(text.find("memory.bytes_per_cycle") == std::string::npos,
                machine == preset)
          << text;
    }
  }
}

TEST_F(MachineTest, BadEntries) {
  auto expectError = [&](const char *entries, const char *message) {
    EXPECT_TRUE(failed(get(entries)));
    EXPECT_EQ(errors, std::string("target description: ") + message);
    errors.clear();
  };
  expectError("\"num_threads\" = 0 : i64",
              "'num_threads' is not an integer from 1 to 4096");
  expectError(
      "\"L3_cache_size_in_bytes\" = 1.0 : f32",
      "'L3_cache_size_in_bytes' is not an integer from 64 to 1099511627776");
  expectError(
      "\"L1_cache_size_in_bytes\" = 9223372036854775807 : i64",
      "'L1_cache_size_in_bytes' is not an integer from 64 to 1099511627776");
  expectError("\"max_vector_op_width\" = 192 : i64",
              "'max_vector_op_width' is not a power of two");
  expectError("\"max_vector_op_width\" = 1024 : i64",
              "'max_vector_op_width' is more than 512, which no instruction "
              "set has");
  expectError("\"max_vector_op_width\" = 64 : i64",
              "'max_vector_op_width' is not an integer from 128 to 65536");
  expectError("\"machine\" = \"cray1\"",
              "'machine' is not one of the presets graniterapids-2, "
              "laptop-avx2-4, server-avx512-64, zen3-2, zen4-2, zen5-2");
  expectError("\"barrier.cycles\" = -1 : i64",
              "'barrier.cycles' is not a number from 0 to 10000000");
  expectError("\"name\" = 1 : i64", "'name' is not a string");
  expectError("\"cpu\" = 1 : i64", "'cpu' is not a string");
  expectError("\"features\" = \"avx2\"",
              "'features' is not an array of strings");
  expectError("\"features\" = [\"neon\"]",
              "'features' has 'neon', which is not one of the instruction "
              "sets that GC knows");
  expectError("\"kernels\" = [1]", "'kernels' is not an array of dictionaries");
  expectError("\"kernels\" = [{types = \"f64\"}]",
              "'kernels' has no valid 'types'");
  expectError("\"kernels\" = [{types = \"f32\"}]", "'kernels' has no 'isa'");
  expectError("\"kernels\" = [{types = \"f32\", isa = \"\"}]",
              "'kernels' has no 'macs_per_cycle'");
  expectError("\"kernels\" = [{types = \"f32\", isa = \"\", "
              "macs_per_cycle = 0}]",
              "'macs_per_cycle' is not a number from 0.001 to 1000000");
}

} // namespace
