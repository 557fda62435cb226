// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Values.h"

using namespace gc::npu;

void gc::npu::execute(const Instruction &instruction, Memory &memory) {
  switch (instruction.opcode) {
  case Opcode::dma:
    return executeDma(instruction, memory);
  case Opcode::pack:
    return executePack(instruction, memory);
  case Opcode::unpack:
    return executeUnpack(instruction, memory);
  case Opcode::load2d:
    return executeLoad2d(instruction, memory);
  case Opcode::load3d:
    return executeLoad3d(instruction, memory);
  case Opcode::mad:
    return executeMad(instruction, memory);
  case Opcode::drain:
    return executeDrain(instruction, memory);
  case Opcode::vector:
    return executeVector(instruction, memory);
  case Opcode::alloc:
  case Opcode::setFlag:
  case Opcode::waitFlag:
  case Opcode::barrier:
  case Opcode::loadScalar:
    return;
  }
}

template <typename T>
static T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

double gc::npu::loadScalar(Memory &memory, Address address, DType type) {
  const std::byte *from = memory.at(address);
  switch (type) {
  case DType::f16:
    return toFloat(read<uint16_t>(from));
  case DType::f32:
    return read<float>(from);
  case DType::s8:
    return read<int8_t>(from);
  case DType::s32:
    return read<int32_t>(from);
  }
  return 0;
}
