// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops become calls of functions: one for loops that do the same to different
// buffers, and one each for the larger loops of a long function, so that two
// threads can share its code generation.

#include "TensorIRToLLVMImpl.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace gc::tir {

namespace {

/// A call takes as long as a few ops.
constexpr size_t kFewestOps = 24;

/// Of a function with a single caller: as many as are passed in registers.
constexpr size_t kMostInputsOfPart = 6;

/// The approximate number of instructions that an op becomes.
size_t getWeight(Operation *op) {
  if (isa<scf::ForOp>(op))
    return 4;
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) ? 10 : 1;
}

/// What a loop does, with numbers in place of values, and the values from
/// outside that it does that to, in the order of their first use.
struct LoopForm {
  std::vector<const void *> code;
  SetVector<Value> inputs;
  size_t ops = 0;
  /// The approximate number of instructions that it becomes.
  size_t weight = 0;
};

class FormBuilder {
public:
  explicit FormBuilder(scf::ForOp loop) : loop(loop) { add(loop); }
  LoopForm take() { return std::move(form); }

private:
  void addNumber(size_t number) {
    form.code.push_back(reinterpret_cast<const void *>(number));
  }

  void define(Value value) {
    numbers.try_emplace(value, numbers.size());
    form.code.push_back(value.getType().getAsOpaquePointer());
  }

  void addOperand(Value value) {
    auto known = numbers.find(value);
    if (known == numbers.end()) {
      // A constant is a part of the code, not something the loop works on.
      Attribute constant;
      if (matchPattern(value, m_Constant(&constant)))
        form.code.push_back(constant.getAsOpaquePointer());
      else
        form.inputs.insert(value);
      define(value);
      known = numbers.find(value);
    }
    addNumber(known->second);
  }

  void add(Operation *op) {
    ++form.ops;
    form.weight += getWeight(op);
    form.code.push_back(op->getName().getAsOpaquePointer());
    form.code.push_back(op->getAttrDictionary().getAsOpaquePointer());
    addNumber(op->getNumOperands());
    for (Value operand : op->getOperands())
      addOperand(operand);
    for (Value result : op->getResults())
      define(result);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        addNumber(block.getNumArguments());
        for (Value argument : block.getArguments())
          define(argument);
        for (Operation &inner : block)
          add(&inner);
        addNumber(0);
      }
  }

  scf::ForOp loop;
  LoopForm form;
  DenseMap<Value, size_t> numbers;
};

/// Whether a pointer is all that a function needs to know of the buffer.
bool isStatic(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

/// Whether the loop can be the body of a function of its inputs.
bool canMove(scf::ForOp loop, const LoopForm &form) {
  if (!loop->use_empty())
    return false;
  for (Value input : form.inputs) {
    auto buffer = dyn_cast<MemRefType>(input.getType());
    if (buffer ? !isStatic(buffer)
               : !isa<IndexType, IntegerType, FloatType, VectorType,
                      LLVM::LLVMPointerType>(input.getType()))
      return false;
  }
  bool simple = true;
  loop.walk([&](Operation *op) {
    simple &= op == loop || !isa<SymbolOpInterface>(op);
    for (Block *successor : op->getSuccessors())
      simple &= successor == nullptr;
  });
  return simple;
}

class LoopSharing {
public:
  LoopSharing(ModuleOp module, StringRef name)
      : symbols(module), module(module), name(name),
        converter(module.getContext()) {}

  void collect(func::FuncOp function, bool runsOnce) {
    function.walk([&](scf::ForOp loop) {
      LoopForm form = FormBuilder(loop).take();
      if ((!runsOnce && form.ops < kFewestOps) || !canMove(loop, form))
        return;
      Group &group = groups[form.code];
      ++group.loops;
      group.isHot |= !runsOnce;
      group.weight = form.weight;
      members[loop] = {&group, form.inputs.takeVector()};
    });
  }

  void share(func::FuncOp function) {
    SmallVector<scf::ForOp> chosen;
    function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      auto member = members.find(loop);
      if (member == members.end() || !pays(member->second))
        return WalkResult::advance();
      chosen.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForOp loop : chosen)
      replaceByCall(loop);
  }

  /// Moves the largest loops, about half of what is in it, out of a function
  /// of more than `partOps` ops.
  void divide(func::FuncOp function, size_t partOps) {
    size_t total = 0, fewest = partOps / 6;
    function.walk([&](Operation *) { ++total; });
    if (total <= partOps)
      return;
    size_t most = total * 5 / 8;
    SmallVector<std::tuple<size_t, size_t, scf::ForOp>> candidates;
    function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      auto member = members.find(loop);
      if (member == members.end() ||
          member->second.inputs.size() > kMostInputsOfPart)
        return WalkResult::advance();
      // Loops in it may have become calls.
      size_t ops = 0;
      loop.walk([&](Operation *) { ++ops; });
      if (ops < fewest || ops > most)
        return WalkResult::advance();
      candidates.push_back({ops, candidates.size(), loop});
      return WalkResult::skip();
    });
    llvm::sort(candidates, [](const auto &a, const auto &b) {
      return std::tuple(std::get<0>(b), std::get<1>(a)) <
             std::tuple(std::get<0>(a), std::get<1>(b));
    });
    size_t moved = 0;
    for (auto [ops, index, loop] : candidates) {
      if (moved + ops > most)
        continue;
      replaceByCall(loop);
      moved += ops;
    }
  }

private:
  struct Group {
    size_t loops = 0;
    /// Whether one of them runs in every execution.
    bool isHot = false;
    size_t weight = 0;
    func::FuncOp function;
  };
  struct Member {
    Group *group = nullptr;
    SmallVector<Value> inputs;
  };

  /// Code that runs once only has to become smaller.
  static bool pays(const Member &member) {
    const Group &group = *member.group;
    if (group.isHot)
      return group.loops >= 2;
    size_t call = 2 + 2 * member.inputs.size();
    return (group.loops - 1) * group.weight > group.loops * call;
  }

  void replaceByCall(scf::ForOp loop) {
    Member &member = members[loop];
    if (!member.group->function)
      member.group->function = makeFunction(loop, member.inputs);
    ImplicitLocOpBuilder b(loop.getLoc(), loop);
    auto pointer = b.getType<LLVM::LLVMPointerType>();
    SmallVector<Value> operands;
    for (Value input : member.inputs) {
      if (isa<MemRefType>(input.getType())) {
        Value address =
            memref::ExtractAlignedPointerAsIndexOp::create(b, input);
        Value integer = arith::IndexCastOp::create(b, b.getI64Type(), address);
        input = LLVM::IntToPtrOp::create(b, pointer, integer);
      }
      operands.push_back(input);
    }
    func::CallOp::create(b, member.group->function, operands);
    loop.erase();
  }

  func::FuncOp makeFunction(scf::ForOp loop, ArrayRef<Value> inputs) {
    auto b = ImplicitLocOpBuilder::atBlockEnd(loop.getLoc(), module.getBody());
    auto pointer = b.getType<LLVM::LLVMPointerType>();
    SmallVector<Type> types;
    for (Value input : inputs)
      types.push_back(isa<MemRefType>(input.getType()) ? Type(pointer)
                                                       : input.getType());
    auto function = func::FuncOp::create(b, (name + "_loop").str(),
                                         b.getFunctionType(types, {}));
    function.setPrivate();
    symbols.insert(function);
    Block *block = function.addEntryBlock();
    b.setInsertionPointToStart(block);
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip(inputs, block->getArguments())) {
      Value value = argument;
      if (auto buffer = dyn_cast<MemRefType>(input.getType())) {
        Value descriptor = MemRefDescriptor::fromStaticShape(
            b, b.getLoc(), converter, buffer, argument);
        value = UnrealizedConversionCastOp::create(b, buffer, descriptor)
                    .getResult(0);
      }
      mapping.map(input, value);
    }
    loop.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && source->hasTrait<OpTrait::ConstantLike>() &&
            !mapping.contains(operand) && !loop->isProperAncestor(source))
          b.clone(*source, mapping);
    });
    b.clone(*loop, mapping);
    func::ReturnOp::create(b);
    return function;
  }

  SymbolTable symbols;
  ModuleOp module;
  StringRef name;
  LLVMTypeConverter converter;
  std::map<std::vector<const void *>, Group> groups;
  DenseMap<Operation *, Member> members;
};

} // namespace

void shareLoops(ModuleOp module, const EntryPoint &entry, int64_t partOps) {
  LoopSharing sharing(module, entry.name);
  sharing.collect(entry.compute.function, /*runsOnce=*/false);
  if (entry.fold)
    sharing.collect(entry.fold->function, /*runsOnce=*/true);
  sharing.share(entry.compute.function);
  if (entry.fold)
    sharing.share(entry.fold->function);
  if (partOps > 0)
    sharing.divide(entry.compute.function, partOps);
}

} // namespace gc::tir
