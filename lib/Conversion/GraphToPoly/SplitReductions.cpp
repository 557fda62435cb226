// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of more elements than a tile should have become two: one of parts,
// and one of what these leave.

#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/IR/PolyOps.h"
#include "Dialect/Poly/Transforms/KernelPrice.h"
#include "KernelFunction.h"
#include "OpBody.h"
#include "OpLoops.h"
#include "ReductionSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gc {
#define GEN_PASS_DEF_POLYSPLITREDUCTIONS
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace gc;
using namespace gc::graph;

using Shape = SmallVector<int64_t>;

/// At most this many ops are computed again.
static constexpr size_t kMostOps = 8;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

namespace {
/// What the first of two reductions leaves to the second one.
struct Split {
  /// The reduced dimensions of more than one element.
  SmallVector<int64_t> dims;
  /// Those that it does not reduce.
  SmallVector<int64_t> later;
  /// The dimension that is divided into this many parts, if there is one.
  int64_t dim = -1, parts = 1;
};

/// Computes an operand of a reduction with one of its dimensions divided into
/// two.
class Divider {
public:
  Divider(OpBuilder &builder, ArrayRef<int64_t> space, const Split &split)
      : builder(builder), space(space), split(split) {}

  Value divide(Value value, bool recomputes);
  /// The reduction with its operand divided. Of the divided dimension the parts
  /// come first; they and what the split does not reduce become `later`.
  Operation *divideReduction(Operation *op, bool recomputes,
                             SmallVectorImpl<int64_t> &later);
  /// The ops that are computed again, in the order of the block.
  static SmallVector<Operation *> findOps(Value value);

private:
  Value reshape(Value value) const;
  Value cloneOp(Operation *op);
  /// The shape with the dimension divided, of what broadcasts to the space.
  Shape getDivided(ArrayRef<int64_t> shape) const;

  OpBuilder &builder;
  Shape space;
  const Split &split;
  llvm::DenseSet<Operation *> cloned;
  llvm::DenseMap<Value, Value> divided;
};
} // namespace

/// Whether each operand of an elementwise op broadcasts to its space from the
/// innermost dimension on, and nothing else depends on the dimensions.
static bool isBroadcasting(Operation *op) {
  auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
  if (!fusible || !isElementwise(op) || op->getNumResults() != 1 ||
      cast<ScalarBodyOpInterface>(op).getIndexDim())
    return false;
  unsigned rank = fusible.getIterationSpace().size();
  if (!fusible.getResultMap(0).isIdentity())
    return false;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    AffineMap map = fusible.getOperandMap(number);
    if (!type || !map || type.getRank() > rank)
      return false;
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      auto own = dyn_cast<AffineDimExpr>(index);
      if (own ? own.getPosition() != rank - type.getRank() + dim
              : type.getDimSize(dim) != 1)
        return false;
    }
  }
  return true;
}

/// Elementwise ops of the size of `value` from which it is computed, and the
/// tensors of this size that they read; alone: only ops whose results nothing
/// else reads.
static llvm::SetVector<Operation *>
findComputation(Value value, bool isAlone,
                llvm::SmallPtrSetImpl<Value> &loaded) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> pending{value};
  auto isOwn = [&](Operation *user) { return ops.contains(user); };
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (getShape(next) != getShape(value))
      continue;
    Operation *op = next.getDefiningOp();
    bool isComputed =
        isBroadcasting(op) &&
        (!isAlone || (next == value ? value.hasOneUse()
                                    : llvm::all_of(op->getUsers(), isOwn)));
    if (!isComputed) {
      if (!isNumber(op))
        loaded.insert(next);
    } else if (ops.insert(op)) {
      llvm::append_range(pending, op->getOperands());
    }
  }
  return ops;
}

/// Elementwise ops from which a value is computed. If these are many or read
/// several tensors of its size, only those whose results nothing else reads.
SmallVector<Operation *> Divider::findOps(Value value) {
  llvm::SmallPtrSet<Value, 4> loaded;
  llvm::SetVector<Operation *> ops = findComputation(value, false, loaded);
  if (ops.size() > kMostOps || loaded.size() > 1)
    ops = findComputation(value, true, loaded);
  SmallVector<Operation *> ordered = ops.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

Shape Divider::getDivided(ArrayRef<int64_t> shape) const {
  Shape result(shape);
  int64_t dim = split.dim - int64_t(space.size() - shape.size());
  if (dim < 0)
    return result;
  bool isWhole = result[dim] != 1;
  int64_t size = isWhole ? result[dim] / split.parts : 1;
  result[dim] = isWhole ? split.parts : 1;
  result.insert(result.begin() + dim + 1, size);
  return result;
}

Value Divider::reshape(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  Shape shape = getDivided(type.getShape());
  if (type.getShape() == ArrayRef(shape))
    return value;
  return StaticReshapeOp::create(builder, value.getLoc(), type.clone(shape),
                                 value, shape, false);
}

Value Divider::cloneOp(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, divided.lookup(operand));
  Operation *clone = builder.clone(*op, mapping);
  Value result = clone->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(type.clone(getDivided(type.getShape())));
  return result;
}

Value Divider::divide(Value value, bool recomputes) {
  SmallVector<Operation *> ops;
  if (recomputes)
    ops = findOps(value);
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!divided.contains(operand))
        divided[operand] = reshape(operand);
    divided[op->getResult(0)] = cloneOp(op);
  }
  Value &result = divided[value];
  return result ? result : result = reshape(value);
}

Operation *Divider::divideReduction(Operation *op, bool recomputes,
                                    SmallVectorImpl<int64_t> &later) {
  auto getOwn = [&](int64_t dim) { return dim + (dim > split.dim); };
  SmallVector<int64_t> dims = llvm::map_to_vector(split.dims, getOwn);
  dims.push_back(split.dim + 1);
  llvm::sort(dims);
  later = llvm::map_to_vector(split.later, getOwn);
  later.push_back(split.dim);
  divide(op->getOperand(0), recomputes);
  Operation *whole = cloneOp(op).getDefiningOp();
  whole->setAttr("axes", builder.getDenseI64ArrayAttr(dims));
  return whole;
}

/// A first step that reduces at most `most` elements.
static std::optional<Split> findSplit(ArrayRef<int64_t> sizes,
                                      const ReductionSize &reduction,
                                      int64_t most) {
  // Tiles have whole blocks of what rows leave.
  constexpr int64_t kRowParts = 8;
  if (reduction.isOfRows())
    most /= kRowParts;
  Split split;
  split.dims = reduction.dims;
  int64_t own = 1;
  for (int64_t dim : llvm::reverse(reduction.dims)) {
    int64_t size = sizes[dim];
    if (split.later.empty() && split.dim < 0 && own * size <= most) {
      own *= size;
      continue;
    }
    // One dimension at most is divided, unless there is enough without.
    if (split.later.empty() && split.dim < 0 && own * 8 < most) {
      int64_t part = most / own;
      while (size % part != 0)
        --part;
      if (part > 1) {
        split.dim = dim;
        split.parts = size / part;
        continue;
      }
    }
    split.later.push_back(dim);
  }
  bool isLess = own > 1 || split.dim >= 0;
  if (!isLess || (split.later.empty() && split.dim < 0))
    return std::nullopt;
  return split;
}

/// Replaces a reduction by two, and gives the second one.
static Operation *divideReduction(Operation *op, const Split &split,
                                  bool recomputes) {
  OpBuilder builder(op);
  Operation *whole = op;
  SmallVector<int64_t> later = split.later;
  if (split.dim >= 0)
    whole = Divider(builder, getShape(op->getOperand(0)), split)
                .divideReduction(op, recomputes, later);
  // Sums between the steps are not rounded.
  Type between = isExtremum(op) ? getElementTypeOrSelf(op->getOperand(0))
                                : builder.getF32Type();
  Value result = reduceInSteps(builder, whole, later, /*partSize=*/0, between);
  Operation *last = result.getDefiningOp();
  if (!isReduction(last))
    last = last->getOperand(0).getDefiningOp();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (result.getType() != type)
    result = StaticReshapeOp::create(builder, op->getLoc(), type, result,
                                     type.getShape(), false);
  op->getResult(0).replaceAllUsesWith(result);
  if (whole != op)
    whole->erase();
  SmallVector<Operation *> unused{op};
  while (!unused.empty()) {
    Operation *next = unused.pop_back_val();
    SmallVector<Value> operands(next->getOperands());
    next->erase();
    for (Value operand : operands)
      if (Operation *producer = operand.getDefiningOp())
        if (isOpTriviallyDead(producer) &&
            !llvm::is_contained(unused, producer))
          unused.push_back(producer);
  }
  return last;
}

namespace {
struct SplitReductions : gc::impl::PolySplitReductionsBase<SplitReductions> {
  using PolySplitReductionsBase::PolySplitReductionsBase;

  void runOnOperation() override {
    FailureOr<npu::Machine> machine = npu::getMachine(getOperation());
    if (failed(machine))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || function.isPrivate() ||
          !function.getBody().hasOneBlock())
        continue;
      SmallVector<Operation *> reductions;
      for (Operation &op : function.getBody().front())
        if (isSplittable(&op))
          reductions.push_back(&op);
      for (Operation *op : reductions)
        // What parts leave may be too much again.
        while (op)
          op = split(function, op, *machine);
    }
  }

  static bool isSplittable(Operation *op) {
    if (!isa<ReductionOpInterface>(op) || !isa<FusibleOpInterface>(op) ||
        !(isSum(op) || isExtremum(op)) || op->getNumOperands() != 1)
      return false;
    auto parts = op->getAttrOfType<IntegerAttr>("part_size");
    auto keeps = op->getAttrOfType<BoolAttr>("keep_dims");
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    return op->hasAttr("axes") && (!parts || parts.getInt() == 0) && keeps &&
           keeps.getValue() && (element.isF16() || element.isF32());
  }

  /// Cycles of the function's ops `kernel` alone, whose last op is a reduction,
  /// split or as it is.
  poly::KernelPrice price(func::FuncOp function, const Kernel &kernel,
                          const Split *split) {
    OpBuilder builder(function.getContext());
    OwningOpRef<ModuleOp> module = ModuleOp::create(builder, function.getLoc());
    (*module)->setAttrs(getOperation()->getAttrs());
    SmallVector<Value> arguments;
    func::FuncOp made = buildKernel(function, "kernel", kernel,
                                    {kernel.back()->getResult(0)}, arguments);
    module->push_back(made);
    if (split)
      for (Operation &op : llvm::make_early_inc_range(made.getBody().front()))
        if (isReduction(&op)) {
          divideReduction(&op, *split, fuse);
          break;
        }
    bool fuses = fuse;
    return poly::priceKernels(*module, [&](OpPassManager &manager) {
      manager.addPass(createPolyCutKernels({fuses, ProducerFusion::never}));
      manager.addPass(createPolyExtract());
    });
  }

  /// Splits the reduction if that is faster or nothing else is possible. Gives
  /// the reduction of what the parts leave.
  Operation *split(func::FuncOp function, Operation *op,
                   const npu::Machine &machine) {
    std::optional<ReductionSize> size = getReductionSize(op, machine);
    if (!size || !size->isLarge())
      return nullptr;
    Kernel kernel;
    if (fuse)
      kernel.insert_range(Divider::findOps(op->getOperand(0)));
    kernel.insert(op);
    poly::KernelPrice whole = price(function, kernel, nullptr);
    // Rows that fit are fast enough, and what follows is in their kernel.
    if (whole.cycles && (size->isInnermost || size->elements <= size->most))
      return nullptr;
    // Temporaries and gaps between rows may leave less room.
    constexpr int64_t kLeast = 16, kStep = 4;
    std::optional<Split> split;
    poly::KernelPrice parts;
    auto space = llvm::cast<FusibleOpInterface>(op).getIterationSpace();
    for (int64_t most = std::min(size->most, size->elements - 1);
         most >= kLeast && !parts.cycles; most /= kStep) {
      std::optional<Split> next = findSplit(space, *size, most);
      if (!next)
        continue;
      split = next;
      parts = price(function, kernel, &*split);
    }
    if (!split)
      return nullptr;
    std::string reason = !parts.cycles ? parts.problem
                         : !whole.cycles
                             ? whole.problem
                             : std::to_string(int64_t(*parts.cycles)) +
                                   " cycles instead of " +
                                   std::to_string(int64_t(*whole.cycles));
    bool pays =
        parts.cycles && (!whole.cycles || *parts.cycles < *whole.cycles);
    // What does not fit either way says so later.
    auto options =
        remark::RemarkOpts::name("Split").category("poly-split-reductions");
    StringRef name = op->getName().getStringRef();
    if (!pays) {
      remark::missed(op->getLoc(), options)
          << remark::add("'{0}' is not split", name)
          << remark::reason("{0}", reason);
      return nullptr;
    }
    remark::passed(op->getLoc(), options)
        << remark::add("'{0}' reduces parts first, then what they leave", name)
        << remark::reason("{0}", reason);
    return divideReduction(op, *split, fuse);
  }
};
} // namespace
