// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions, loops and branches.

#include "Emitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc::npu;
using namespace gc::npu::cce;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string Emitter::getNewName(StringRef prefix) {
  return (prefix + Twine(counters[prefix]++)).str();
}

std::string Emitter::get(Value value) {
  auto it = names.find(value);
  assert(it != names.end() && "ops define what others use before them");
  return it->second;
}

static StringRef getQualifier(MemorySpace space) {
  static constexpr StringLiteral qualifiers[] = {
      "__gm__", "__cbuf__", "__ubuf__", "__ca__", "__cb__", "__cc__"};
  return qualifiers[static_cast<int>(space)];
}

FailureOr<std::string> Emitter::getDeclaration(Value value) {
  Type type = value.getType();
  std::string name = getTypeName(type);
  if (name.empty())
    return emitError(value.getLoc())
           << "a value of type " << type << " cannot be expressed in C";
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return name + " ";
  std::optional<MemorySpace> space = getSpace(memref);
  if (!space)
    return emitError(value.getLoc())
           << type << " is not in a memory of the machine";
  return (getQualifier(*space) + " " + name + " *").str();
}

LogicalResult Emitter::define(Value result, const Twine &expression) {
  FailureOr<std::string> declaration = getDeclaration(result);
  if (failed(declaration))
    return failure();
  std::string name = getNewName("v");
  os << *declaration << name << " = " << expression << ";\n";
  names[result] = name;
  return success();
}

void Emitter::assign(const Names &targets, ValueRange values) {
  if (targets.size() == 1) {
    if (targets[0] != get(values[0]))
      os << targets[0] << " = " << get(values[0]) << ";\n";
    return;
  }
  Names copies;
  for (Value value : values) {
    copies.push_back(getNewName("next"));
    os << "auto " << copies.back() << " = " << get(value) << ";\n";
  }
  for (auto [target, copy] : llvm::zip(targets, copies))
    os << target << " = " << copy << ";\n";
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult Emitter::emitKernel(func::FuncOp kernel, StringRef name) {
  os << "extern \"C\" __global__ __aicore__ void " << name << "(";
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    FailureOr<std::string> declaration = getDeclaration(argument);
    if (failed(declaration))
      return failure();
    names[argument] = getNewName("gm");
    os << (index ? ", " : "") << *declaration << names[argument];
  }
  os << ") {\n";
  os.indent();
  if (failed(emitBlock(kernel.getBody().front())))
    return failure();
  os.unindent();
  os << "}\n";
  return success();
}

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

/// A block in braces: the mask is unknown at its beginning and after it.
LogicalResult Emitter::emitNested(Region &region) {
  os.indent();
  mask.reset();
  if (failed(emitBlock(region.front())))
    return failure();
  mask.reset();
  os.unindent();
  return success();
}

LogicalResult Emitter::declareResults(Operation *op) {
  for (Value result : op->getResults()) {
    FailureOr<std::string> declaration = getDeclaration(result);
    if (failed(declaration))
      return failure();
    names[result] = getNewName("v");
    os << *declaration << names[result] << ";\n";
  }
  return success();
}

LogicalResult Emitter::emitFor(scf::ForOp op) {
  for (auto [argument, result, init] :
       llvm::zip(op.getRegionIterArgs(), op.getResults(), op.getInitArgs())) {
    if (failed(define(argument, get(init))))
      return failure();
    names[result] = get(argument);
  }
  std::string name = getNewName("i");
  Value variable = op.getInductionVar();
  names[variable] = name;
  FailureOr<std::string> type = getDeclaration(variable);
  if (failed(type))
    return failure();
  std::string bound = get(op.getUpperBound()), counter = name;
  if (op.getUnsignedCmp()) {
    bound = formatUnsigned(op.getUpperBound());
    counter = formatUnsigned(variable);
  }
  // Constant steps have been checked.
  if (!getConstantIntValue(op.getStep()))
    os << "check_step(" << get(op.getStep()) << ");\n";
  os << "for (" << *type << name << " = " << get(op.getLowerBound()) << "; "
     << counter << " < " << bound << "; " << name << " += " << get(op.getStep())
     << ") {\n";
  os.indent() << "loop_iteration();\n";
  os.unindent();
  if (failed(emitNested(op.getRegion())))
    return failure();
  os << "}\n";
  return success();
}

LogicalResult Emitter::emitIf(scf::IfOp op) {
  if (failed(declareResults(op)))
    return failure();
  os << "if (" << get(op.getCondition()) << ") {\n";
  if (failed(emitNested(op.getThenRegion())))
    return failure();
  if (!op.getElseRegion().empty()) {
    os << "} else {\n";
    if (failed(emitNested(op.getElseRegion())))
      return failure();
  }
  os << "}\n";
  return success();
}

LogicalResult Emitter::emitWhile(scf::WhileOp op) {
  if (failed(declareResults(op)))
    return failure();
  for (auto [argument, init] :
       llvm::zip(op.getBeforeArguments(), op.getInits()))
    if (failed(define(argument, get(init))))
      return failure();
  // What the condition passes on is the loop's result when it ends.
  for (auto [argument, result] :
       llvm::zip(op.getAfterArguments(), op.getResults()))
    names[argument] = get(result);
  os << "while (true) {\n";
  if (failed(emitNested(op.getBefore())))
    return failure();
  os.indent() << "loop_iteration();\n";
  os.unindent();
  if (failed(emitNested(op.getAfter())))
    return failure();
  os << "}\n";
  return success();
}

LogicalResult Emitter::emitSwitch(scf::IndexSwitchOp op) {
  if (failed(declareResults(op)))
    return failure();
  os << "switch (" << get(op.getArg()) << ") {\n";
  for (auto [value, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    os << "case " << value << ": {\n";
    if (failed(emitNested(region)))
      return failure();
    os << "} break;\n";
  }
  os << "default: {\n";
  if (failed(emitNested(op.getDefaultRegion())))
    return failure();
  os << "} break;\n}\n";
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static StringRef getPipeName(PipeKind pipe) {
  static constexpr StringLiteral pipes[] = {
      "PIPE_S", "PIPE_V", "PIPE_M", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3"};
  return pipes[static_cast<int>(pipe)];
}

LogicalResult Emitter::emitOp(Operation *op) {
  if (isa<TileOpInterface>(op))
    return op->emitOpError("is an op on whole tiles: run npu-expand-tiles "
                           "first");
  auto emitFlag = [&](StringRef name, auto flag) {
    std::string event = get(flag.getEvent());
    if (event.size() == 1 && event[0] >= '0' && event[0] <= '3')
      event = "EVENT_ID" + event;
    call(name, {getPipeName(flag.getFrom()).str(),
                getPipeName(flag.getTo()).str(), event});
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AllocOp alloc) { return emitAlloc(alloc); })
      .Case([&](SlotOp slot) { return emitSlot(slot); })
      .Case([&](SetFlagOp flag) { return emitFlag("set_flag", flag); })
      .Case([&](WaitFlagOp flag) { return emitFlag("wait_flag", flag); })
      .Case([&](BarrierOp barrier) {
        call("pipe_barrier",
             {barrier.getPipe() ? getPipeName(*barrier.getPipe()).str()
                                : "PIPE_ALL"});
        return success();
      })
      .Case([&](LoadScalarOp load) { return emitLoad(load); })
      .Case([&](CoreIdOp id) { return define(id, "get_block_idx()"); })
      .Case([&](InstructionOpInterface instruction) {
        return emitInstruction(instruction);
      })
      .Case([&](scf::ForOp loop) { return emitFor(loop); })
      .Case([&](scf::IfOp branch) { return emitIf(branch); })
      .Case([&](scf::WhileOp loop) { return emitWhile(loop); })
      .Case([&](scf::IndexSwitchOp branch) { return emitSwitch(branch); })
      .Case([&](scf::YieldOp yield) {
        Operation *parent = yield->getParentOp();
        Names targets;
        if (auto loop = dyn_cast<scf::WhileOp>(parent))
          for (Value argument : loop.getBeforeArguments())
            targets.push_back(get(argument));
        else
          for (Value result : parent->getResults())
            targets.push_back(get(result));
        assign(targets, yield.getOperands());
        return success();
      })
      .Case([&](scf::ConditionOp condition) {
        Names targets;
        for (Value result : condition->getParentOp()->getResults())
          targets.push_back(get(result));
        assign(targets, condition.getArgs());
        os << "if (!" << get(condition.getCondition()) << ")\n  break;\n";
        return success();
      })
      .Case([&](func::ReturnOp) { return success(); })
      .Case<affine::AffineApplyOp, affine::AffineMaxOp, affine::AffineMinOp>(
          [&](Operation *) { return emitAffine(op); })
      .Default([&](Operation *) -> LogicalResult {
        if (isa<memref::MemRefDialect>(op->getDialect()))
          return emitView(op);
        if (isa<arith::ArithDialect>(op->getDialect()))
          return emitArithmetic(op);
        return op->emitOpError(
            "cannot be expressed in C: it is not part of an NPU program");
      });
}
