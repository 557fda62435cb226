// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/ModuleMachine.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

FailureOr<gc::Machine> gc::getMachine(ModuleOp module) {
  Machine machine = Machine::host();
  TargetSystemSpecInterface system = module.getTargetSystemSpec();
  if (!system)
    return machine;
  auto device = system.getDeviceSpecForDeviceID(
      StringAttr::get(module.getContext(), "CPU"));
  if (!device)
    return machine;
  std::pair<StringRef, int64_t *> fields[] = {
      {"num_threads", &machine.cores},
      {"L1_cache_size_in_bytes", &machine.l1Bytes},
      {"L2_cache_size_in_bytes", &machine.l2Bytes},
      {"L3_cache_size_in_bytes", &machine.l3Bytes},
      {"max_vector_op_width", &machine.vectorBits},
      {"num_vector_registers", &machine.vectorRegisters}};
  for (auto [name, field] : fields) {
    auto entry = device->getSpecForIdentifier(
        StringAttr::get(module.getContext(), name));
    if (!entry)
      continue;
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || value.getInt() < 1)
      return module.emitError("target description: '")
             << name << "' is not a positive integer";
    *field = value.getInt();
  }
  if (machine.vectorBits < 128 || !llvm::isPowerOf2_64(machine.vectorBits))
    return module.emitError("target description: 'max_vector_op_width' is not "
                            "a power of two of 128 or more");
  return machine;
}
