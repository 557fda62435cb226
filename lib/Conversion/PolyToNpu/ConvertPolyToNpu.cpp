// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AstToScf.h"
#include "Conversion/Passes.h"
#include "Dialect/Npu/IR/KernelLimits.h"
#include "Dialect/Npu/IR/NpuCores.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/IR/Scop.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

namespace gc {
#define GEN_PASS_DEF_CONVERTPOLYTONPU
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace {

/// The kernel of one scop.
class KernelBuilder : public AstClient {
public:
  KernelBuilder(ScopOp scop, func::FuncOp reference)
      : scop(scop), reference(reference), b(scop) {}

  LogicalResult build();

  LogicalResult emitInstance(StringRef statement, ValueRange indices) override;
  LogicalResult enterMark(StringRef mark) override;
  void leaveMark(StringRef mark) override;
  void addedLoop(Operation *loop) override;

private:
  LogicalResult addArrays(func::FuncOp kernel);
  Value reshape(Value argument, ArrayRef<int64_t> shape);
  Value takePart(Value whole, ArrayOp array);
  void setCores(func::FuncOp kernel);
  void setStage();

  ScopOp scop;
  func::FuncOp reference;
  OpBuilder b;
  /// Arrays and the buffers that are alive.
  llvm::StringMap<Value> memrefs;
  std::optional<int64_t> pipeline;
  /// For each mark of a stage that is open, the stage, the block and the last
  /// op before the mark.
  SmallVector<std::tuple<int64_t, Block *, Operation *>> stages;
  llvm::StringSet<> entered;
  /// The number of the core, once it is needed.
  Value core;
};

} // namespace

/// The argument of a kernel for a tensor of its reference.
static MemRefType getArgumentType(RankedTensorType tensor) {
  Type element = tensor.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(element.getContext(), integer.getWidth());
  return MemRefType::get(
      tensor.getShape(), element, MemRefLayoutAttrInterface(),
      npu::MemorySpaceAttr::get(element.getContext(), npu::MemorySpace::gm));
}

Value KernelBuilder::reshape(Value argument, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(argument.getType());
  if (type.getShape() == shape)
    return argument;
  // A single element.
  if (type.getRank() == 0)
    return memref::ExpandShapeOp::create(b, scop.getLoc(), shape, argument,
                                         ArrayRef<ReassociationIndices>());
  // Through one dimension: any shape of as many elements.
  if (type.getRank() > 1) {
    ReassociationIndices all =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    argument = memref::CollapseShapeOp::create(
        b, scop.getLoc(), argument, SmallVector<ReassociationIndices>{all});
  }
  if (shape.size() == 1)
    return argument;
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  return memref::ExpandShapeOp::create(b, scop.getLoc(), shape, argument,
                                       SmallVector<ReassociationIndices>{all});
}

/// What this core sees of an array.
Value KernelBuilder::takePart(Value whole, ArrayOp array) {
  if (!array.getPart())
    return whole;
  if (!core)
    core = npu::CoreIdOp::create(b, array.getLoc());
  AffineMap map = array.getPart()->getOffsets().getValue();
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [dim, size] : llvm::enumerate(array.getTensorType().getShape())) {
    sizes.push_back(b.getIndexAttr(size));
    AffineExpr offset = map.getResult(dim);
    if (auto constant = dyn_cast<AffineConstantExpr>(offset))
      offsets.push_back(b.getIndexAttr(constant.getValue()));
    else
      offsets.push_back(
          affine::AffineApplyOp::create(b, array.getLoc(),
                                        map.getSubMap({unsigned(dim)}), core)
              .getResult());
  }
  SmallVector<OpFoldResult> steps(sizes.size(), b.getIndexAttr(1));
  return memref::SubViewOp::create(b, array.getLoc(), whole, offsets, sizes,
                                   steps);
}

/// Which cores run the kernel, beside which others.
void KernelBuilder::setCores(func::FuncOp kernel) {
  if (int64_t count = scop.getNumCores(); count > 1)
    kernel->setAttr(npu::NpuDialect::kCoresAttr, b.getI64IntegerAttr(count));
  if (!scop.getBeside()) {
    kernel->setAttr(npu::NpuDialect::kReferenceAttr, scop.getReferenceAttr());
    return;
  }
  kernel->setAttr(npu::kFirstCoreAttr,
                  b.getI64IntegerAttr(scop.getFirstCoreNumber()));
  kernel->setAttr(npu::kBesideAttr, scop.getBesideAttr());
}

LogicalResult KernelBuilder::addArrays(func::FuncOp kernel) {
  unsigned inputs = reference.getNumArguments();
  for (auto array : scop.getBody().getOps<ArrayOp>()) {
    std::optional<unsigned> number;
    if (array.getInput())
      number = *array.getInput();
    if (array.getOutput())
      number = inputs + *array.getOutput();
    if (!number)
      continue;
    if (*number >= kernel.getNumArguments())
      return array.emitOpError("is an argument that the reference has not");
    memrefs[array.getSymName()] = takePart(
        reshape(kernel.getArgument(*number), array.getWholeShape()), array);
  }
  return success();
}

LogicalResult KernelBuilder::emitInstance(StringRef name, ValueRange indices) {
  auto tile = dyn_cast_or_null<TileOp>(
      SymbolTable::lookupSymbolIn(scop.getOperation(), b.getStringAttr(name)));
  if (!tile)
    return scop.emitOpError("executes @")
           << name << ", which is not a tile; run poly-tile-statements first";
  Block &body = tile.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), indices);
  for (Operation &op : body) {
    if (auto ref = dyn_cast<RefOp>(op)) {
      Value memref = memrefs.lookup(ref.getSymbol());
      if (!memref)
        return ref.emitOpError("is used where @")
               << ref.getSymbol()
               << " is not: a temporary array without a buffer, or outside of "
                  "the mark of the buffer";
      if (memref.getType() != ref.getType())
        return ref.emitOpError("has type ")
               << ref.getType() << ", but @" << ref.getSymbol() << " has "
               << memref.getType();
      mapping.map(ref.getMemref(), memref);
      continue;
    }
    b.clone(op, mapping);
  }
  return success();
}

LogicalResult KernelBuilder::enterMark(StringRef mark) {
  StringRef rest = mark;
  if (rest.consume_front("buffer:")) {
    auto buffer = dyn_cast_or_null<BufferOp>(SymbolTable::lookupSymbolIn(
        scop.getOperation(), b.getStringAttr(rest)));
    if (!buffer)
      return scop.emitOpError("has the mark '")
             << mark << "', but no buffer of this name";
    // One buffer for all tiles below the mark, or they would not share it.
    if (!entered.insert(rest).second)
      return scop.emitOpError("has the mark '")
             << mark << "' above tiles that isl divides among several loops";
    auto alloc =
        npu::AllocOp::create(b, buffer.getLoc(), buffer.getMemRefType(),
                             b.getI64IntegerAttr(1), IntegerAttr());
    if (IntegerAttr slots = buffer.getSlotsAttr())
      alloc->setAttr(npu::kMostSlotsAttr, slots);
    memrefs[rest] = alloc;
    return success();
  }
  if (rest.consume_front("stage:")) {
    int64_t stage;
    if (rest.getAsInteger(10, stage) || stage < 1)
      return scop.emitOpError("has the mark '")
             << mark << "'; a number of at least 1 is needed";
    Block *block = b.getInsertionBlock();
    auto at = b.getInsertionPoint();
    stages.push_back(
        {stage, block, at == block->begin() ? nullptr : &*std::prev(at)});
    return success();
  }
  if (rest.consume_front("pipeline:")) {
    int64_t count;
    if (rest.getAsInteger(10, count) || count < 1)
      return scop.emitOpError("has the mark '")
             << mark << "'; a number of at least 1 is needed";
    pipeline = count;
  }
  return success();
}

/// Divides a branch without results before an op of its body, and gives the
/// branch that begins with that. Null if there is an alternative, or if the op
/// needs results of what comes before.
static Operation *splitBefore(scf::IfOp branch, Operation *op) {
  auto isCopied = [](Operation &before) {
    return !isa<npu::AllocOp>(before) && isMemoryEffectFree(&before);
  };
  auto before =
      llvm::make_range(branch.thenBlock()->begin(), op->getIterator());
  if (branch.elseBlock() || llvm::any_of(before, [&](Operation &own) {
        return own.getNumResults() && !isa<npu::AllocOp>(own) && !isCopied(own);
      }))
    return nullptr;
  OpBuilder builder(branch);
  auto first =
      scf::IfOp::create(builder, branch.getLoc(), branch.getCondition(),
                        /*withElseRegion=*/false);
  OpBuilder inner = first.getThenBodyBuilder();
  IRMapping mapping;
  for (Operation &own : llvm::make_early_inc_range(before)) {
    // Buffers are the same for both.
    if (isa<npu::AllocOp>(own)) {
      own.moveBefore(first);
      continue;
    }
    inner.clone(own, mapping);
    if (!isCopied(own))
      own.erase();
  }
  return branch;
}

/// The first op below the mark that does something begins the stage.
void KernelBuilder::setStage() {
  auto [stage, block, last] = stages.pop_back_val();
  for (Operation &op :
       last ? llvm::make_range(std::next(last->getIterator()), block->end())
            : llvm::make_range(block->begin(), block->end())) {
    if (isa<npu::AllocOp>(op) || isMemoryEffectFree(&op) ||
        op.hasTrait<OpTrait::IsTerminator>())
      continue;
    Operation *first = &op;
    while (auto branch = dyn_cast_or_null<scf::IfOp>(
               first ? first->getParentOp() : nullptr))
      first = splitBefore(branch, first);
    if (first && isa<scf::ForOp>(first->getParentOp()))
      first->setAttr(npu::NpuDialect::kStageAttr, b.getI64IntegerAttr(stage));
    return;
  }
}

void KernelBuilder::leaveMark(StringRef mark) {
  if (mark.starts_with("stage:"))
    setStage();
  else if (mark.consume_front("buffer:"))
    memrefs.erase(mark);
  else if (mark.starts_with("pipeline:"))
    pipeline.reset();
}

void KernelBuilder::addedLoop(Operation *loop) {
  if (std::optional<int64_t> count = std::exchange(pipeline, std::nullopt);
      count && *count > 1)
    loop->setAttr(npu::NpuDialect::kPipelineAttr, b.getI64IntegerAttr(*count));
}

LogicalResult KernelBuilder::build() {
  isl::Ctx ctx;
  // The conditions of tiles stay within one loop, minima stay in bounds.
  isl_options_set_ast_build_atomic_upper_bound(ctx.get(), 1);
  isl::Schedule schedule = getSchedule(ctx, scop);
  isl::AstBuild build(isl_ast_build_alloc(ctx.get()));
  isl::AstNode ast(
      isl_ast_build_node_from_schedule(build.get(), schedule.take()));
  if (failed(ctx.check(bool(ast), "isl cannot generate loops",
                       [&] { return scop.emitOpError(); })))
    return failure();

  SmallVector<Type> arguments;
  for (Type type : reference.getArgumentTypes())
    arguments.push_back(getArgumentType(cast<RankedTensorType>(type)));
  for (Type type : reference.getResultTypes())
    arguments.push_back(getArgumentType(cast<RankedTensorType>(type)));
  auto kernel = func::FuncOp::create(b, scop.getLoc(), scop.getSymName(),
                                     b.getFunctionType(arguments, {}));
  kernel->setAttr(npu::NpuDialect::kKernelAttr, b.getUnitAttr());
  if (Attribute memory = scop->getAttr(npu::kMemoryAttr))
    kernel->setAttr(npu::kMemoryAttr, memory);
  setCores(kernel);
  b.setInsertionPointToStart(kernel.addEntryBlock());
  if (failed(addArrays(kernel)) ||
      failed(AstToScf(b, scop.getLoc(), *this).emit(ast)))
    return failure();
  func::ReturnOp::create(b, scop.getLoc());
  scop.erase();
  return success();
}

namespace {

struct ConvertPolyToNpuPass
    : public gc::impl::ConvertPolyToNpuBase<ConvertPolyToNpuPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto scop : llvm::make_early_inc_range(module.getOps<ScopOp>())) {
      auto reference = module.lookupSymbol<func::FuncOp>(scop.getReference());
      if (!reference) {
        scop.emitOpError("has no reference function");
        return signalPassFailure();
      }
      if (failed(KernelBuilder(scop, reference).build()))
        return signalPassFailure();
    }
  }
};

} // namespace
