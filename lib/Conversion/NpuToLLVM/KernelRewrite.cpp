// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An NPU program becomes a function on a core and addresses that calls the C
// interface; loops and arithmetic stay as they are.

#include "CallBuilder.h"
#include "Conversion/NpuToLLVM/NpuToLLVM.h"
#include "Dialect/Npu/IR/NpuCores.h"
#include "NpuToLLVMImpl.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::npu;

namespace {

class KernelRewriter {
public:
  KernelRewriter(func::FuncOp kernel, const LLVMTypeConverter &converter,
                 const Machine &machine, int32_t &nextLocation)
      : kernel(kernel), converter(converter), machine(machine),
        nextLocation(nextLocation) {}

  void rewrite();

private:
  void rewriteSignature();
  /// The calls for what the front end does besides issuing instructions.
  void addFrontEndCalls(Operation *op);
  void rewriteOp(Operation *op);
  void rewriteAlloc(AllocOp op, CallBuilder &c);
  void rewriteSlot(SlotOp op, CallBuilder &c);
  void rewriteLoad(LoadScalarOp op, CallBuilder &c);
  Value makeMemref(ImplicitLocOpBuilder &b, MemRefType type, Value address);
  Value makeLocation(CallBuilder &c) { return c.i32(nextLocation++); }

  func::FuncOp kernel;
  const LLVMTypeConverter &converter;
  const Machine &machine;
  int32_t &nextLocation;
};

} // namespace

/// A memref at an address of the NPU: a descriptor around a pointer that is
/// never dereferenced.
Value KernelRewriter::makeMemref(ImplicitLocOpBuilder &b, MemRefType type,
                                 Value address) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value data = LLVM::IntToPtrOp::create(b, pointer, address);
  Value descriptor =
      MemRefDescriptor::fromStaticShape(b, b.getLoc(), converter, type, data);
  return UnrealizedConversionCastOp::create(b, type, descriptor).getResult(0);
}

void KernelRewriter::rewriteSignature() {
  MLIRContext *context = kernel.getContext();
  Block &block = kernel.getBody().front();
  unsigned count = block.getNumArguments();
  auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &block);
  SmallVector<Type> types{LLVM::LLVMPointerType::get(context)};
  block.addArgument(types.front(), kernel.getLoc());
  for (unsigned i = 0; i < count; ++i) {
    types.push_back(b.getI64Type());
    BlockArgument old = block.getArgument(i);
    Value address = block.addArgument(b.getI64Type(), old.getLoc());
    if (!old.use_empty())
      old.replaceAllUsesWith(
          makeMemref(b, cast<MemRefType>(old.getType()), address));
  }
  block.eraseArguments(0, count);
  kernel.setType(FunctionType::get(context, types, {}));
  kernel->removeAttr(kernel.getArgAttrsAttrName());
  for (StringRef name :
       {NpuDialect::kKernelAttr, NpuDialect::kCoresAttr,
        NpuDialect::kReferenceAttr, kFirstCoreAttr, kBesideAttr})
    kernel->removeAttr(name);
}

void KernelRewriter::addFrontEndCalls(Operation *op) {
  if (isa<arith::CmpIOp, arith::CmpFOp>(op)) {
    CallBuilder(kernel, op).call("gc_npu_scalar", {});
    return;
  }
  Block *body = nullptr;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    body = loop.getBody();
    // Constant steps have been checked.
    if (Value step = loop.getStep(); !getConstantIntValue(step)) {
      CallBuilder c(kernel, op);
      c.call("gc_npu_check_step", {makeLocation(c), c.toI64(step)});
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    body = loop.getAfterBody();
  }
  if (!body)
    return;
  op->removeAttr(NpuDialect::kPipelineAttr);
  CallBuilder c(kernel, &body->front());
  c.b.setLoc(op->getLoc());
  c.call("gc_npu_iteration", {makeLocation(c)});
}

void KernelRewriter::rewriteAlloc(AllocOp op, CallBuilder &c) {
  auto type = cast<MemRefType>(op.getType());
  auto space = static_cast<Space>(*getSpace(type));
  Value place = c.i64(Address(space, *op.getAddress()).bits);
  Value address = c.call("gc_npu_alloc",
                         {makeLocation(c), place, c.i64(op.getBytes(machine))},
                         c.b.getI64Type());
  op.replaceAllUsesWith(makeMemref(c.b, type, address));
}

void KernelRewriter::rewriteSlot(SlotOp op, CallBuilder &c) {
  auto source = cast<MemRefType>(op.getBuffer().getType());
  auto type = cast<MemRefType>(op.getType());
  // The number of slots is the alloc's, which has been erased by now.
  int64_t slots = 1;
  if (auto attr = op->getAttrOfType<IntegerAttr>("slots"))
    slots = attr.getInt();
  auto space = static_cast<Space>(*getSpace(source));
  int64_t bytes = *getExtent(source);
  int64_t stride = llvm::alignTo(bytes, machine.getAlignment(space));
  Value location = makeLocation(c);
  Value address = c.call("gc_npu_slot",
                         {location, c.getAddress(op.getBuffer(), location),
                          c.toI64(op.getIndex()), c.i64(slots), c.i64(stride),
                          c.i64(bytes)},
                         c.b.getI64Type());
  // Its type has an offset, which is relative to its own address.
  Value offset = arith::ConstantIndexOp::create(c.b, 0);
  SmallVector<int64_t> strides;
  int64_t unused;
  (void)source.getStridesAndOffset(strides, unused);
  auto toResults = [&](ArrayRef<int64_t> numbers) {
    SmallVector<OpFoldResult> results;
    for (int64_t number : numbers)
      results.push_back(c.b.getIndexAttr(number));
    return results;
  };
  op.replaceAllUsesWith(memref::ReinterpretCastOp::create(
                            c.b, type, makeMemref(c.b, source, address),
                            OpFoldResult(offset), toResults(type.getShape()),
                            toResults(strides))
                            .getResult());
}

void KernelRewriter::rewriteLoad(LoadScalarOp op, CallBuilder &c) {
  Type type = op.getType();
  Value element = c.i32(static_cast<int>(*getDType(type)));
  Value location = makeLocation(c);
  Value address = c.getAddress(op.getSource(), location, op.getIndices());
  Value number = c.call("gc_npu_load_scalar", {location, address, element},
                        c.b.getF64Type());
  // By way of f32, which is exact: processors convert it to f16 themselves.
  if (isa<FloatType>(type)) {
    number = arith::TruncFOp::create(c.b, c.b.getF32Type(), number);
    if (type.isF16())
      number = arith::TruncFOp::create(c.b, type, number);
  } else {
    number = arith::FPToSIOp::create(c.b, type, number);
  }
  op.replaceAllUsesWith(number);
}

void KernelRewriter::rewriteOp(Operation *op) {
  CallBuilder c(kernel, op);
  auto callFlag = [&](StringRef name, auto flag) {
    c.call(name,
           {makeLocation(c), c.i32(static_cast<int>(flag.getFrom())),
            c.i32(static_cast<int>(flag.getTo())), c.toI64(flag.getEvent())});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AllocOp alloc) { rewriteAlloc(alloc, c); })
      .Case([&](SlotOp slot) { rewriteSlot(slot, c); })
      .Case([&](SetFlagOp flag) { callFlag("gc_npu_set_flag", flag); })
      .Case([&](WaitFlagOp flag) { callFlag("gc_npu_wait_flag", flag); })
      .Case([&](BarrierOp barrier) {
        PipeKind pipe = barrier.getPipe().value_or(PipeKind::s);
        c.call("gc_npu_barrier",
               {makeLocation(c), c.i32(static_cast<int>(pipe))});
      })
      .Case([&](LoadScalarOp load) { rewriteLoad(load, c); })
      .Case([&](CoreIdOp id) {
        Value number = c.call("gc_npu_core_id", {}, c.b.getI64Type());
        id.replaceAllUsesWith(
            arith::IndexCastOp::create(c.b, c.b.getIndexType(), number)
                .getResult());
      })
      .Case([&](InstructionOpInterface instruction) {
        buildInstructionCall(c, instruction, makeLocation(c));
      });
  op->erase();
}

void KernelRewriter::rewrite() {
  SmallVector<Operation *> ops, others;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    (isa<NpuDialect>(op->getDialect()) ? ops : others).push_back(op);
    if (auto slot = dyn_cast<SlotOp>(op))
      if (auto alloc = slot.getBuffer().getDefiningOp<AllocOp>())
        op->setAttr("slots", alloc.getSlotsAttr());
  });
  rewriteSignature();
  for (Operation *op : others)
    addFrontEndCalls(op);
  for (Operation *op : ops)
    rewriteOp(op);
}

LogicalResult gc::npu::rewriteKernel(func::FuncOp kernel,
                                     const LLVMTypeConverter &converter,
                                     int32_t &nextLocation) {
  FailureOr<Machine> machine = getMachine(kernel);
  if (failed(machine))
    return failure();
  KernelRewriter(kernel, converter, *machine, nextLocation).rewrite();
  return success();
}

void gc::npu::addSpaceConversion(LLVMTypeConverter &converter) {
  using AttributeConversionResult = TypeConverter::AttributeConversionResult;
  converter.addTypeAttributeConversion(
      [](BaseMemRefType type, Attribute) -> AttributeConversionResult {
        if (!getSpace(type))
          return AttributeConversionResult::na();
        return IntegerAttr::get(IntegerType::get(type.getContext(), 64), 0);
      });
}

SmallVector<Location> gc::getInstructionLocations(ModuleOp module) {
  SmallVector<Location> locations;
  module.walk([&](LLVM::CallOp call) {
    std::optional<StringRef> callee = call.getCallee();
    APInt number;
    if (!callee || !callee->starts_with("gc_npu_") ||
        call.getArgOperands().size() < 2 ||
        !matchPattern(call.getArgOperands()[1], m_ConstantInt(&number)) ||
        number.getBitWidth() != 32)
      return;
    size_t index = number.getZExtValue();
    if (index >= locations.size())
      locations.resize(index + 1, UnknownLoc::get(module.getContext()));
    locations[index] = call.getLoc();
  });
  return locations;
}
