// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InsertSyncBuild.h"
#include "Dialect/Npu/IR/NpuCores.h"
#include "SyncInstruction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;
using gc::npu::sync::Env;
using ByteRange = gc::npu::sync::Range;

namespace {

class KernelBuilder {
public:
  KernelBuilder(func::FuncOp function, const Machine &machine)
      : function(function), machine(machine), indices(machine) {}

  FailureOr<SyncKernel> run();

private:
  LogicalResult checkOp(Operation *op);
  void addBlock(Block &block, int number);
  void addLoop(scf::ForOp loop, int block);
  void addBranch(scf::IfOp branch, int block);
  void addOp(Operation *op, int block);
  void addStatement(int block, Operation *op) {
    if (kernel.statements.size() < kernel.program.blocks.size())
      kernel.statements.resize(kernel.program.blocks.size());
    kernel.statements[block].push_back(op);
  }
  static bool hasPipeOps(Operation *op) {
    return op->walk([](PipeOpInterface) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }
  std::function<Instruction(const Env &)> getInstruction(Operation *op);
  std::function<void(const Env &, std::vector<ByteRange> &)>
  getBoundRanges(PipeOpInterface op);

  func::FuncOp function;
  const Machine &machine;
  IndexMap indices;
  SyncKernel kernel;
  /// Tensors that something writes: reading others needs no order.
  llvm::DenseSet<int> written;
};

LogicalResult KernelBuilder::checkOp(Operation *op) {
  if (isa<SetFlagOp, WaitFlagOp, BarrierOp>(op))
    return op->emitOpError("is in a kernel that is to be synchronised; "
                           "remove all flags and barriers, or do not run "
                           "npu-insert-sync");
  if (isa<TileOpInterface>(op))
    return op->emitOpError("is an op on tiles; run npu-expand-tiles first");
  if (auto alloc = dyn_cast<AllocOp>(op); alloc && !alloc.getAddress())
    return op->emitOpError("has no address; run npu-plan-memory first");
  if (isa<CallOpInterface>(op))
    return op->emitOpError("may hide instructions; inline it first");
  if (op->getNumRegions() && !isa<scf::ForOp, scf::IfOp>(op) && hasPipeOps(op))
    return op->emitOpError("holds instructions; only scf.for and scf.if may");
  return success();
}

/// Whether the value is an argument in another shape, of which there is no
/// other use.
static bool isOnlyViewOfArgument(Value value) {
  while (value.hasOneUse()) {
    if (isa<BlockArgument>(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Whether the number of a core only says where its part of an argument begins,
/// of which nothing else is accessed: the order of accesses is that of any core
/// then.
static bool areCoresAlike(func::FuncOp function) {
  SmallVector<Value> numbers;
  function.walk([&](CoreIdOp id) { numbers.push_back(id); });
  while (!numbers.empty())
    for (Operation *user : numbers.pop_back_val().getUsers()) {
      if (isa<affine::AffineApplyOp>(user))
        numbers.push_back(user->getResult(0));
      else if (auto view = dyn_cast<memref::SubViewOp>(user);
               !view || !isOnlyViewOfArgument(view.getSource()))
        return false;
    }
  return true;
}

FailureOr<SyncKernel> KernelBuilder::run() {
  bool isFine = true;
  function.getBody().walk([&](Operation *op) {
    if (!isFine)
      return;
    isFine = succeeded(checkOp(op));
    auto pipeOp = dyn_cast<PipeOpInterface>(op);
    if (!pipeOp)
      return;
    for (OpOperand *operand : pipeOp.getWrittenOperands())
      if (auto argument =
              dyn_cast<BlockArgument>(getBaseBuffer(operand->get())))
        written.insert(static_cast<int>(argument.getArgNumber()));
  });
  if (!isFine)
    return failure();
  if (!areCoresAlike(function))
    kernel.program.cores = static_cast<int>(getNumCores(function));
  addBlock(function.getBody().front(), 0);
  kernel.statements.resize(kernel.program.blocks.size());
  kernel.program.period = indices.getPeriod();
  kernel.program.finish();
  return std::move(kernel);
}

void KernelBuilder::addBlock(Block &block, int number) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (hasPipeOps(loop))
        addLoop(loop, number);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (hasPipeOps(branch))
        addBranch(branch, number);
    } else if (isa<PipeOpInterface>(op)) {
      addOp(&op, number);
    }
  }
}

void KernelBuilder::addLoop(scf::ForOp loop, int block) {
  IndexFn trips = indices.getTrips(loop);
  if (!trips) {
    kernel.program.isStatic = false;
    kernel.unknown.emplace_back(loop, "its bounds are not known");
    trips = [](const Env &) { return 1; };
  }
  addStatement(block, loop);
  int number = static_cast<int>(kernel.program.loops.size());
  int body = kernel.program.addLoop(block, trips);
  kernel.loops.push_back(loop);
  if (std::optional<APInt> constant = loop.getStaticTripCount())
    kernel.program.loops[number].constant = constant->getSExtValue();
  indices.addLoop(loop, number);
  addBlock(*loop.getBody(), body);
}

void KernelBuilder::addBranch(scf::IfOp branch, int block) {
  IndexFn condition = indices.get(branch.getCondition());
  if (!condition) {
    kernel.program.isStatic = false;
    kernel.unknown.emplace_back(branch, "its condition is not known");
    condition = [](const Env &) { return 1; };
  }
  addStatement(block, branch);
  auto [one, other] = kernel.program.addBranch(
      block, [condition](const Env &env) { return condition(env) != 0; });
  addBlock(*branch.thenBlock(), one);
  if (branch.elseBlock())
    addBlock(*branch.elseBlock(), other);
}

/// The instruction of an op in an iteration; empty if it cannot be known.
std::function<Instruction(const Env &)>
KernelBuilder::getInstruction(Operation *op) {
  auto instructionOp = cast<InstructionOpInterface>(op);
  // Addresses are put into the one instruction that the op gives: numbers say
  // which is which.
  SmallVector<IndexFn> addresses;
  bool isKnown = true;
  Instruction model =
      instructionOp.getInstruction([&](Value memref) -> uint64_t {
        addresses.push_back(indices.getAddress(memref));
        isKnown &= static_cast<bool>(addresses.back());
        return addresses.size();
      });
  SmallVector<std::pair<IndexFn, decltype(RunTimeNumber::set)>> numbers;
  for (RunTimeNumber &number : instructionOp.getRunTimeNumbers()) {
    IndexFn value = number.operand ? indices.get(number.operand) : IndexFn();
    if (!value && number.strictest)
      value = [constant = *number.strictest](const Env &) { return constant; };
    isKnown &= static_cast<bool>(value);
    numbers.emplace_back(value, std::move(number.set));
  }
  if (!isKnown)
    return nullptr;
  return [=](const Env &env) {
    Instruction instruction = model;
    for (Address *address : {&instruction.dst, &instruction.src0,
                             &instruction.src1, &instruction.src2})
      if (address->bits)
        *address =
            Address(static_cast<uint64_t>(addresses[address->bits - 1](env)));
    for (const auto &[value, set] : numbers)
      set(instruction, value(env));
    return instruction;
  };
}

/// What the operands of an op may touch whose addresses are not all known.
std::function<void(const Env &, std::vector<ByteRange> &)>
KernelBuilder::getBoundRanges(PipeOpInterface op) {
  struct Part {
    IndexMap::Bounds bounds;
    Access access;
  };
  std::vector<Part> parts;
  auto add = [&](OpOperand *operand, Access access) {
    if (auto bounds = indices.getBounds(operand->get())) {
      parts.push_back({*bounds, access});
      return;
    }
    // Strides that are not static: the whole tensor.
    Address first(Space::gm, 0);
    if (auto argument = dyn_cast<BlockArgument>(getBaseBuffer(operand->get())))
      first = Address(Space::gm, 0, static_cast<int>(argument.getArgNumber()));
    parts.push_back({{[bits = first.bits](const Env &) -> int64_t {
                        return static_cast<int64_t>(bits);
                      },
                      int64_t(1) << 40},
                     access});
  };
  for (OpOperand *operand : op.getReadOperands())
    add(operand, Access::read);
  for (OpOperand *operand : op.getWrittenOperands())
    add(operand, Access::write);
  return [parts](const Env &env, std::vector<ByteRange> &ranges) {
    for (const Part &part : parts) {
      auto begin = static_cast<uint64_t>(part.bounds.begin(env));
      uint64_t end = begin + static_cast<uint64_t>(part.bounds.bytes);
      // Buffers of the core are touched in whole blocks.
      if (Address(begin).getSpace() != Space::gm) {
        begin = llvm::alignDown(begin, kBlockBytes);
        end = llvm::alignTo(end, kBlockBytes);
      }
      ranges.push_back({begin, end, part.access, /*isSure=*/false});
    }
  };
}

void KernelBuilder::addOp(Operation *op, int block) {
  addStatement(block, op);
  kernel.ops.push_back(op);
  Env env;
  env.iteration.resize(kernel.program.loops.size());
  std::function<Instruction(const Env &)> instruction = getInstruction(op);
  if (instruction) {
    sync::Op made = sync::makeOp(machine, instruction, env);
    auto all = std::move(made.ranges);
    made.ranges = [all, written = written](const Env &env,
                                           std::vector<ByteRange> &ranges) {
      all(env, ranges);
      llvm::erase_if(ranges, [&](const ByteRange &range) {
        Address address(range.begin);
        return address.getSpace() == Space::gm &&
               !written.contains(address.getTensor());
      });
    };
    kernel.program.addOp(block, std::move(made));
    return;
  }
  kernel.unknown.emplace_back(op, "an address is not known");
  sync::Op made;
  auto pipeOp = cast<PipeOpInterface>(op);
  made.pipe = static_cast<Pipe>(*pipeOp.getPipe());
  made.ranges = getBoundRanges(pipeOp);
  kernel.program.addOp(block, std::move(made));
}

} // namespace

FailureOr<SyncKernel> gc::npu::buildSyncKernel(func::FuncOp function,
                                               const Machine &machine) {
  return KernelBuilder(function, machine).run();
}
