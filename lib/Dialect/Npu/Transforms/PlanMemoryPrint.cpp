// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The plan as text.

#include "MemoryPlan.h"

using namespace mlir;

namespace gc::npu {

std::string getBufferText(const PlannedBuffer &buffer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Location location = AllocOp(buffer.alloc).getLoc();
  if (auto name = dyn_cast<NameLoc>(location))
    os << "'" << name.getName().getValue() << "' ";
  if (buffer.slots > 1)
    os << buffer.slots << " slots of ";
  MemRefType type = buffer.getType();
  for (int64_t size : type.getShape())
    os << size << "x";
  os << type.getElementType();
  return text;
}

std::string PlannedBuffer::getPipeText() const {
  if (!lifetime)
    return "not used";
  std::string text;
  for (unsigned i = 0; i < kNumPipes; ++i)
    if (pipes >> i & 1)
      text += (text.empty() ? "" : ", ") +
              stringifyPipeKind(static_cast<PipeKind>(i)).str();
  return text;
}

void printPlan(ArrayRef<PlannedBuffer> buffers, const Machine &machine,
               raw_ostream &os) {
  for (int space = 1; space < kNumSpaces; ++space) {
    SmallVector<const PlannedBuffer *> sorted;
    int64_t sum = 0, end = 0;
    for (const PlannedBuffer &buffer : buffers)
      if (int(buffer.space) == space) {
        sorted.push_back(&buffer);
        sum += buffer.getBytes();
        end = std::max(end, buffer.getEnd());
      }
    if (sorted.empty())
      continue;
    // Pointers into one array: those of buffers at one address are in order.
    llvm::sort(sorted, [](const PlannedBuffer *a, const PlannedBuffer *b) {
      return std::tie(a->offset, a) < std::tie(b->offset, b);
    });
    os << stringifyMemorySpace(MemorySpace(space)) << ": " << end << " of "
       << machine.getCapacity(Space(space))
       << " bytes; buffers: " << sorted.size() << ", " << sum
       << " bytes together\n";
    for (const PlannedBuffer *buffer : sorted)
      os << "  [" << buffer->offset << ", " << buffer->getEnd() << ") "
         << getBufferText(*buffer) << ", " << buffer->getPipeText()
         << (buffer->fixed ? ", address given" : "") << "\n";
  }
}

} // namespace gc::npu
