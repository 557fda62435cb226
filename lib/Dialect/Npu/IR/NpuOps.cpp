// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is the same for all ops: registration, syntax, pipes and operands.

#include "Dialect/Npu/IR/NpuOps.h"

using namespace mlir;
using namespace gc::npu;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static ParseResult parsePipeName(OpAsmParser &parser, PipeKindAttr &pipe) {
  FailureOr<PipeKind> kind = FieldParser<PipeKind>::parse(parser);
  if (failed(kind))
    return failure();
  pipe = PipeKindAttr::get(parser.getContext(), *kind);
  return success();
}

/// `mte2 -> v`
static ParseResult parsePipePair(OpAsmParser &parser, PipeKindAttr &from,
                                 PipeKindAttr &to) {
  return failure(parsePipeName(parser, from) || parser.parseArrow() ||
                 parsePipeName(parser, to));
}
static void printPipePair(OpAsmPrinter &printer, Operation *, PipeKindAttr from,
                          PipeKindAttr to) {
  printer << stringifyPipeKind(from.getValue()) << " -> "
          << stringifyPipeKind(to.getValue());
}

/// A pipe, or `all`.
static ParseResult parseBarrierPipe(OpAsmParser &parser, PipeKindAttr &pipe) {
  if (succeeded(parser.parseOptionalKeyword("all")))
    return success();
  return parsePipeName(parser, pipe);
}
static void printBarrierPipe(OpAsmPrinter &printer, Operation *,
                             PipeKindAttr pipe) {
  printer << (pipe ? stringifyPipeKind(pipe.getValue()) : "all");
}

/// `(type, type)`, also of no types.
static ParseResult parseSourceTypes(OpAsmParser &parser,
                                    SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
    return parser.parseType(types.emplace_back());
  });
}
static void printSourceTypes(OpAsmPrinter &printer, Operation *,
                             TypeRange types) {
  printer << '(' << types << ')';
}

#define GET_OP_CLASSES
#include "Dialect/Npu/IR/NpuOps.cpp.inc"

void NpuDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "Dialect/Npu/IR/NpuOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Pipes and operands
//===----------------------------------------------------------------------===//

namespace {
/// A way from memory to memory and the pipe that moves data along it.
struct Path {
  MemorySpace from, to;
  PipeKind pipe;
};
} // namespace

static constexpr Path kPaths[] = {
    {MemorySpace::gm, MemorySpace::l1, PipeKind::mte2},
    {MemorySpace::gm, MemorySpace::ub, PipeKind::mte2},
    {MemorySpace::gm, MemorySpace::l0a, PipeKind::mte2},
    {MemorySpace::gm, MemorySpace::l0b, PipeKind::mte2},
    {MemorySpace::l1, MemorySpace::l0a, PipeKind::mte1},
    {MemorySpace::l1, MemorySpace::l0b, PipeKind::mte1},
    {MemorySpace::l1, MemorySpace::ub, PipeKind::mte1},
    {MemorySpace::ub, MemorySpace::gm, PipeKind::mte3},
    {MemorySpace::ub, MemorySpace::l1, PipeKind::mte3},
    {MemorySpace::ub, MemorySpace::ub, PipeKind::v},
    {MemorySpace::l0c, MemorySpace::ub, PipeKind::v},
    // The cube, whose accumulators are read as well.
    {MemorySpace::l0a, MemorySpace::l0c, PipeKind::m},
    {MemorySpace::l0b, MemorySpace::l0c, PipeKind::m},
    {MemorySpace::l0c, MemorySpace::l0c, PipeKind::m},
};

static std::optional<PipeKind> findPipe(MemorySpace from, MemorySpace to) {
  for (const Path &path : kPaths)
    if (path.from == from && path.to == to)
      return path.pipe;
  return std::nullopt;
}

SmallVector<OpOperand *>
gc::npu::getOperandsWithEffect(Operation *op, SideEffects::Effect *effect) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffects(effects);
  SmallVector<OpOperand *> operands;
  for (MemoryEffects::EffectInstance &instance : effects)
    if (auto *operand = instance.getEffectValue<OpOperand *>();
        operand && instance.getEffect() == effect)
      operands.push_back(operand);
  return operands;
}

std::optional<PipeKind> gc::npu::getPipeOfSpaces(Operation *op) {
  auto reads = getOperandsWithEffect(op, MemoryEffects::Read::get());
  auto writes = getOperandsWithEffect(op, MemoryEffects::Write::get());
  if (writes.empty())
    return PipeKind::s;
  std::optional<MemorySpace> to = getSpace(writes.front()->get());
  if (!to)
    return std::nullopt;
  // A constant comes from nowhere: only the vector unit writes one.
  if (reads.empty())
    return findPipe(MemorySpace::ub, *to);
  std::optional<PipeKind> pipe;
  for (OpOperand *read : reads) {
    std::optional<MemorySpace> from = getSpace(read->get());
    std::optional<PipeKind> path =
        from ? findPipe(*from, *to) : std::optional<PipeKind>();
    if (!path || (pipe && *pipe != *path))
      return std::nullopt;
    pipe = path;
  }
  return pipe;
}

/// The least numbers there are: no instruction has them.
static constexpr int64_t kFirstTag = std::numeric_limits<int64_t>::min();

RunTimeTags::RunTimeTags(InstructionOpInterface op, Instruction &instruction) {
  for (RunTimeNumber &number : op.getRunTimeNumbers())
    if (number.operand) {
      number.set(instruction,
                 kFirstTag + static_cast<int64_t>(operands.size()));
      operands.push_back(number.operand);
    }
}

Value RunTimeTags::lookup(int64_t number) const {
  size_t index = static_cast<size_t>(number - kFirstTag);
  return number < kFirstTag + 64 && index < operands.size() ? operands[index]
                                                            : Value();
}
