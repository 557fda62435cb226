// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerMicrokernels.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "Support/ModuleMachine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace gc::tir {
#define GEN_PASS_DEF_TIRLOWERMICROKERNELS
#include "Dialect/TensorIR/Transforms/Passes.h.inc"
} // namespace gc::tir

using namespace mlir;
using namespace gc;
using namespace gc::tir;

namespace {

/// Address of the element of a strided buffer at the given indices. A pointer
/// that passes through an integer still folds to the original one in LLVM as
/// long as the offset is added after it.
Value getElementPointer(ImplicitLocOpBuilder &b, Value buffer,
                        ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  memref::ExtractStridedMetadataOp metadata;
  if (ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    metadata = memref::ExtractStridedMetadataOp::create(b, buffer);

  int64_t constant = 0;
  Value sum;
  auto add = [&](Value value) {
    sum = sum ? arith::AddIOp::create(b, sum, value).getResult() : value;
  };
  if (ShapedType::isDynamic(offset))
    add(metadata.getOffset());
  else
    constant = offset;
  for (auto [i, index] : llvm::enumerate(indices)) {
    std::optional<int64_t> known = getConstantIntValue(index);
    if (known == 0)
      continue;
    if (ShapedType::isDynamic(strides[i])) {
      add(arith::MulIOp::create(b, index, metadata.getStrides()[i]));
    } else if (known) {
      constant += *known * strides[i];
    } else if (strides[i] == 1) {
      add(index);
    } else {
      Value stride = arith::ConstantIndexOp::create(b, strides[i]);
      add(arith::MulIOp::create(b, index, stride));
    }
  }

  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  auto pointer = b.getType<LLVM::LLVMPointerType>();
  address = arith::IndexCastOp::create(b, b.getI64Type(), address);
  Value result = LLVM::IntToPtrOp::create(b, pointer, address);
  auto advance = [&](LLVM::GEPArg by) {
    result = LLVM::GEPOp::create(b, pointer, type.getElementType(), result, by,
                                 LLVM::GEPNoWrapFlags::inbounds);
  };
  if (sum)
    advance(arith::IndexCastOp::create(b, b.getI64Type(), sum).getResult());
  if (constant) {
    Value by = LLVM::ConstantOp::create(b, b.getI64Type(),
                                        b.getI64IntegerAttr(constant));
    advance(by);
  }
  return result;
}

/// What the calls of one function share, made at its entry.
struct EntryValues {
  llvm::StringMap<Value> handles;
  Value batchSlot;
};

struct LowerMicrokernels
    : public tir::impl::TirLowerMicrokernelsBase<LowerMicrokernels> {
  using TirLowerMicrokernelsBase::TirLowerMicrokernelsBase;

  void runOnOperation() override {
    FailureOr<Machine> facts = getMachine(getOperation());
    if (failed(facts))
      return signalPassFailure();
    machine = *facts;
    if (failed(choose()) || failed(check()))
      return signalPassFailure();

    SmallVector<BrgemmOp> calls;
    getOperation().walk([&](BrgemmOp op) { calls.push_back(op); });
    for (BrgemmOp call : calls)
      lower(call);
    getOperation().walk([](BrgemmDispatchOp op) { op.erase(); });
  }

private:
  Machine machine;
  /// What the rule says to each spec, and what each kernel becomes.
  DenseMap<Attribute, KernelKind> rule;
  /// Those of generated kernels; none of the library's.
  DenseMap<Operation *, std::optional<KernelForm>> forms;
  llvm::MapVector<Operation *, EntryValues> entries;

  /// Refuses calls that have no meaning, before anything is changed.
  LogicalResult check() {
    auto result = getOperation().walk([](Operation *op) {
      if (auto dispatch = dyn_cast<BrgemmDispatchOp>(op)) {
        for (Operation *user : dispatch->getUsers())
          if (!isa<BrgemmOp>(user))
            return WalkResult(user->emitOpError(
                "uses a kernel handle, which only tir.brgemm may"));
        return WalkResult::advance();
      }
      auto call = dyn_cast<BrgemmOp>(op);
      if (!call)
        return WalkResult::advance();
      if (!call.getKernel().getDefiningOp<BrgemmDispatchOp>())
        return WalkResult(
            call.emitOpError("the kernel is not that of a brgemm_dispatch op"));
      if (!call->getParentOfType<FunctionOpInterface>())
        return WalkResult(call.emitOpError("is not inside a function"));
      std::optional<int64_t> batch = getConstantIntValue(call.getBatch());
      if (batch && *batch < 1)
        return WalkResult(call.emitOpError("batch is ")
                          << *batch << ", not 1 or more");
      for (Value buffer : {call.getA(), call.getB(), call.getC()}) {
        auto type = cast<MemRefType>(buffer.getType());
        SmallVector<int64_t> strides;
        int64_t offset;
        if (failed(type.getStridesAndOffset(strides, offset)))
          return WalkResult(call.emitOpError("layout of ")
                            << type << " is not strided");
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Finds the implementation of each kernel: what the op says, else what the
  /// option says, else the rule. Refuses what that has no kernel for.
  LogicalResult choose() {
    auto result = getOperation().walk([&](BrgemmDispatchOp op) {
      KernelSpec spec = op.getSpec();
      KernelKind kind = getKind(op);
      std::optional<KernelForm> form;
      std::string refusal = getRefusal(spec, kind).str();
      if (refusal.empty() && kind == KernelKind::vector) {
        form = getForm(op);
        if (!hasKernelForm(machine, spec, *form))
          refusal = ("there are no " + gc::getName(*form) +
                     " kernels of this kind on this machine")
                        .str();
      }
      if (!refusal.empty()) {
        op.emitOpError("has no kernel for ")
            << spec.describe() << ": " << refusal;
        return WalkResult::interrupt();
      }
      forms[op] = form;
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Of a generated kernel: what the op says, else the fastest.
  KernelForm getForm(BrgemmDispatchOp op) {
    switch (op.getImplementation().value_or(Implementation::library)) {
    case Implementation::library:
      return chooseKernelForm(machine, op.getSpec());
    case Implementation::vector:
      return KernelForm::vector;
    case Implementation::fixed_point:
      return KernelForm::fixedPoint;
    case Implementation::amx:
      return KernelForm::amx;
    }
    llvm_unreachable("all implementations are above");
  }

  KernelKind getKind(BrgemmDispatchOp op) {
    if (std::optional<Implementation> wanted = op.getImplementation())
      return *wanted == Implementation::library ? KernelKind::library
                                                : KernelKind::vector;
    if (kernel != KernelPreference::automatic)
      return kernel == KernelPreference::vector ? KernelKind::vector
                                                : KernelKind::library;
    auto [known, isNew] = rule.try_emplace(op.getSpecAttr());
    if (isNew) {
      KernelChoice choice = chooseKernel(machine, op.getSpec());
      known->second = choice.kind;
      if (choice.kind == KernelKind::vector)
        remarkVector(op, choice);
    }
    return known->second;
  }

  /// Vectors may not be what the user has hoped for.
  void remarkVector(BrgemmDispatchOp op, const KernelChoice &choice) {
    KernelSpec spec = op.getSpec();
    auto function = op->getParentOfType<FunctionOpInterface>();
    auto remark = remark::missed(
        op.getLoc(), remark::RemarkOpts::name("libxsmm-kernel")
                         .category(getArgumentName())
                         .function(function ? function.getName() : ""));
    remark << remark::add("vectors instead of libxsmm for m={0} n={1} k={2}",
                          spec.m, spec.n, spec.k)
           << remark::reason("{0}", choice.reason.str());
    if (!choice.suggestion.empty())
      remark << remark::suggest("{0}", choice.suggestion.str());
  }

  void lower(BrgemmOp call) {
    auto dispatch = call.getKernel().getDefiningOp<BrgemmDispatchOp>();
    KernelSpec spec = dispatch.getSpec();
    ImplicitLocOpBuilder b(call.getLoc(), call);
    Value a = getElementPointer(b, call.getA(), call.getAIndices());
    Value bp = getElementPointer(b, call.getB(), call.getBIndices());
    Value c = getElementPointer(b, call.getC(), call.getCIndices());
    Value aOffsets, bOffsets;
    if (spec.batch == BatchForm::offset) {
      Value zero = arith::ConstantIndexOp::create(b, 0);
      aOffsets = getElementPointer(b, call.getAOffsets(), zero);
      bOffsets = getElementPointer(b, call.getBOffsets(), zero);
    }
    auto getScales = [&](Value memref) {
      return getElementPointer(b, memref, call.getScaleIndices());
    };
    if (std::optional<KernelForm> form = forms.lookup(dispatch)) {
      func::FuncOp function =
          getOrCreateVectorKernel(getOperation(), dispatch.getLoc(), machine,
                                  spec, *form, dispatch.getAhead().value_or(0));
      Value batch =
          arith::IndexCastOp::create(b, b.getI64Type(), call.getBatch());
      SmallVector<Value> arguments{batch, a, bp, c};
      if (aOffsets)
        arguments.append({aOffsets, bOffsets});
      for (Value memref : {call.getScales(), call.getZps()})
        if (memref)
          arguments.push_back(getScales(memref));
      func::CallOp::create(b, function, arguments);
    } else {
      // B comes first: libxsmm is column-major.
      SmallVector<Value> arguments{getHandle(call, dispatch, spec), bp, a, c,
                                   getBatchPointer(b, call)};
      if (aOffsets)
        arguments.append({bOffsets, aOffsets});
      auto type = LLVM::LLVMFunctionType::get(
          LLVM::LLVMVoidType::get(&getContext()),
          SmallVector<Type>(arguments.size() - 1,
                            b.getType<LLVM::LLVMPointerType>()));
      LLVM::CallOp::create(b, type, arguments);
    }
    call.erase();
  }

  /// A builder at the entry of the function around `op`, and what it has
  /// already built there.
  std::pair<ImplicitLocOpBuilder, EntryValues &> atEntry(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    Block &block = function.getFunctionBody().front();
    return {ImplicitLocOpBuilder::atBlockBegin(op->getLoc(), &block),
            entries[function]};
  }

  /// The kernel's address, loaded once per function: it never changes after
  /// the module has been loaded.
  Value getHandle(BrgemmOp call, BrgemmDispatchOp dispatch,
                  const KernelSpec &spec) {
    auto [b, values] = atEntry(call);
    Value &handle = values.handles[spec.getName()];
    if (!handle) {
      LLVM::GlobalOp global =
          getOrCreateKernelHandle(getOperation(), dispatch.getLoc(), spec);
      handle = LLVM::LoadOp::create(b, b.getType<LLVM::LLVMPointerType>(),
                                    LLVM::AddressOfOp::create(b, global));
    }
    return handle;
  }

  Value getBatchPointer(ImplicitLocOpBuilder &b, BrgemmOp call) {
    if (std::optional<int64_t> batch = getConstantIntValue(call.getBatch()))
      return LLVM::AddressOfOp::create(
          b, getOrCreateBatchConstant(getOperation(), call.getLoc(), *batch));
    auto [entry, values] = atEntry(call);
    if (!values.batchSlot) {
      Value one = LLVM::ConstantOp::create(entry, entry.getI64Type(),
                                           entry.getI64IntegerAttr(1));
      values.batchSlot =
          LLVM::AllocaOp::create(entry, entry.getType<LLVM::LLVMPointerType>(),
                                 entry.getI64Type(), one);
    }
    Value batch =
        arith::IndexCastOp::create(b, b.getI64Type(), call.getBatch());
    LLVM::StoreOp::create(b, batch, values.batchSlot);
    return values.batchSlot;
  }
};

} // namespace
