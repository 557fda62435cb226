// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts about a machine: the host's, and those of a target description.

#include "Support/ModuleMachine.h"
#include "mlir/Dialect/DLTI/DLTI.h"
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

void expectEqual(const Machine &a, const Machine &b) {
  EXPECT_EQ(a.cores, b.cores);
  EXPECT_EQ(a.l1Bytes, b.l1Bytes);
  EXPECT_EQ(a.l2Bytes, b.l2Bytes);
  EXPECT_EQ(a.l3Bytes, b.l3Bytes);
  EXPECT_EQ(a.vectorBits, b.vectorBits);
  EXPECT_EQ(a.vectorRegisters, b.vectorRegisters);
}

TEST_F(MachineTest, HostIsPlausible) {
  const Machine &host = Machine::host();
  EXPECT_GE(host.cores, 1);
  EXPECT_GT(host.l1Bytes, 0);
  EXPECT_GE(host.l2Bytes, host.l1Bytes);
  EXPECT_GE(host.vectorBits, 128);
  EXPECT_EQ(host.getLanes(32), host.vectorBits / 32);
}

TEST_F(MachineTest, WithoutDescriptionTheHost) {
  OwningOpRef<ModuleOp> empty = ModuleOp::create(UnknownLoc::get(&context));
  FailureOr<Machine> machine = getMachine(*empty);
  ASSERT_TRUE(succeeded(machine));
  expectEqual(*machine, Machine::host());
}

TEST_F(MachineTest, AllEntries) {
  FailureOr<Machine> machine =
      get("\"num_threads\" = 3 : i64, \"L1_cache_size_in_bytes\" = 1000 : i64, "
          "\"L2_cache_size_in_bytes\" = 2000 : i64, "
          "\"L3_cache_size_in_bytes\" = 3000 : i64, "
          "\"max_vector_op_width\" = 1024 : i64, "
          "\"num_vector_registers\" = 64 : i64");
  ASSERT_TRUE(succeeded(machine)) << errors;
  expectEqual(*machine, {3, 1000, 2000, 3000, 1024, 64});
  EXPECT_EQ(machine->getLanes(32), 32);
  EXPECT_EQ(machine->getLanes(8), 128);
}

TEST_F(MachineTest, OthersComeFromTheHost) {
  FailureOr<Machine> machine = get("\"num_threads\" = 7 : i32");
  ASSERT_TRUE(succeeded(machine)) << errors;
  Machine expected = Machine::host();
  expected.cores = 7;
  expectEqual(*machine, expected);
}

TEST_F(MachineTest, OtherDevicesDoNotCount) {
  FailureOr<Machine> machine = get("\"num_threads\" = 7 : i64", "GPU");
  ASSERT_TRUE(succeeded(machine)) << errors;
  expectEqual(*machine, Machine::host());
}

TEST_F(MachineTest, BadEntries) {
  EXPECT_TRUE(failed(get("\"num_threads\" = 0 : i64")));
  EXPECT_EQ(errors,
            "target description: 'num_threads' is not a positive integer");
  errors.clear();
  EXPECT_TRUE(failed(get("\"L3_cache_size_in_bytes\" = 1.0 : f32")));
  EXPECT_EQ(errors, "target description: 'L3_cache_size_in_bytes' is not a "
                    "positive integer");
  errors.clear();
  EXPECT_TRUE(failed(get("\"max_vector_op_width\" = 192 : i64")));
  EXPECT_EQ(errors, "target description: 'max_vector_op_width' is not a power "
                    "of two of 128 or more");
}

} // namespace
