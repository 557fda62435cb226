// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "TensorIRToLLVMImpl.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::tir {

int64_t EntryPoint::getSharedBytes() const {
  int64_t bytes = compute.arenaBytes;
  if (fold)
    bytes = std::max(bytes, fold->arenaBytes);
  return llvm::alignTo(bytes, kArenaAlignment);
}

int64_t EntryPoint::getThreadBytes() const {
  int64_t bytes = compute.threadArenaBytes;
  if (fold)
    bytes = std::max(bytes, fold->threadArenaBytes);
  return llvm::alignTo(bytes, kArenaAlignment);
}

/// An integer attribute of an entry function, 0 or more; `missing` when absent
/// (absent is an error when `missing` is negative).
static FailureOr<int64_t> getCount(func::FuncOp function, StringRef name,
                                   int64_t missing) {
  auto attr = function->getAttrOfType<IntegerAttr>(name);
  int64_t value = attr ? attr.getInt() : missing;
  if (value < 0)
    return function.emitOpError() << "needs '" << name << "' of 0 or more";
  return value;
}

static FailureOr<EntryFunction> readEntryFunction(func::FuncOp function,
                                                  bool isFold) {
  EntryFunction entry;
  entry.function = function;
  std::tuple<StringRef, int64_t, int64_t &> counts[] = {
      {"tir.inputs", -1, entry.inputs},
      {"tir.outputs", -1, entry.outputs},
      {"tir.folded", 0, entry.folded},
      {"tir.arena_bytes", 0, entry.arenaBytes},
      {"tir.thread_arena_bytes", 0, entry.threadArenaBytes}};
  for (auto &[name, missing, value] : counts) {
    FailureOr<int64_t> count = getCount(function, name, missing);
    if (failed(count))
      return failure();
    value = *count;
  }
  entry.hasArena = function->hasAttr("tir.arena_bytes") ||
                   function->hasAttr("tir.thread_arena_bytes");
  if (isFold) {
    auto indices =
        function->getAttrOfType<DenseI64ArrayAttr>("tir.fold_inputs");
    if (!indices)
      return function.emitOpError("needs 'tir.fold_inputs'");
    entry.foldInputs = llvm::to_vector(indices.asArrayRef());
    if (static_cast<int64_t>(entry.foldInputs.size()) != entry.inputs)
      return function.emitOpError(
          "does not have as many 'tir.fold_inputs' as 'tir.inputs'");
  }
  int64_t arguments = entry.inputs + entry.outputs + entry.folded;
  if (function.getNumArguments() != arguments + (entry.hasArena ? 2 : 0) ||
      function.getNumResults() != 0 || function.isDeclaration())
    return function.emitOpError("does not have the arguments that its tir "
                                "attributes name, or has results or no body");
  for (Type type : function.getArgumentTypes().take_front(arguments)) {
    auto buffer = dyn_cast<MemRefType>(type);
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (!buffer || !buffer.hasStaticShape() ||
        failed(buffer.getStridesAndOffset(strides, offset)) ||
        ShapedType::isDynamic(offset) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return function.emitOpError("needs memref arguments of static shape and "
                                  "strides, but has ")
             << type;
    entry.arguments.push_back(buffer);
  }
  return entry;
}

FailureOr<std::vector<EntryPoint>> collectEntryPoints(ModuleOp module) {
  struct Functions {
    func::FuncOp compute, fold;
  };
  llvm::MapVector<StringAttr, Functions> found;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto name =
        function->getAttrOfType<StringAttr>(TensorIRDialect::kEntryAttr);
    if (!name)
      continue;
    auto role = function->getAttrOfType<StringAttr>(TensorIRDialect::kRoleAttr);
    if (!role || (role.getValue() != "compute" && role.getValue() != "fold"))
      return function.emitOpError(
          "needs 'tir.role' of \"compute\" or \"fold\"");
    Functions &functions = found[name];
    func::FuncOp &slot =
        role.getValue() == "fold" ? functions.fold : functions.compute;
    if (slot)
      return function.emitOpError()
             << "is a second " << role << " function of " << name;
    slot = function;
  }

  std::vector<EntryPoint> entries;
  for (auto &[name, functions] : found) {
    if (!functions.compute)
      return functions.fold.emitOpError() << "has no matching compute function";
    EntryPoint &entry = entries.emplace_back();
    entry.name = name.str();
    entry.isPrivate = functions.compute.isPrivate();
    FailureOr<EntryFunction> compute =
        readEntryFunction(functions.compute, /*isFold=*/false);
    if (failed(compute))
      return failure();
    entry.compute = std::move(*compute);
    if (!functions.fold)
      continue;
    FailureOr<EntryFunction> fold =
        readEntryFunction(functions.fold, /*isFold=*/true);
    if (failed(fold))
      return failure();
    if (fold->outputs != entry.compute.folded)
      return functions.fold.emitOpError()
             << "has " << fold->outputs << " outputs, but its compute function "
             << "takes " << entry.compute.folded << " folded buffers";
    if (llvm::any_of(fold->foldInputs, [&](int64_t index) {
          return index < 0 || index >= entry.compute.inputs;
        }))
      return functions.fold.emitOpError("has 'tir.fold_inputs' out of range");
    entry.fold = std::move(*fold);
  }
  for (EntryPoint &entry : entries)
    if (entry.compute.folded > 0 && !entry.fold)
      return entry.compute.function.emitOpError(
          "takes folded buffers, but there is no fold function");
  return entries;
}

/// A memref<?xi8> over `bytes` bytes at `pointer`.
static Value buildArena(ImplicitLocOpBuilder &b,
                        const LLVMTypeConverter &converter, MemRefType type,
                        Value pointer, int64_t bytes) {
  auto descriptor =
      MemRefDescriptor::poison(b, b.getLoc(), converter.convertType(type));
  descriptor.setAllocatedPtr(b, b.getLoc(), pointer);
  descriptor.setAlignedPtr(b, b.getLoc(), pointer);
  descriptor.setConstantOffset(b, b.getLoc(), 0);
  descriptor.setConstantSize(b, b.getLoc(), 0, bytes);
  descriptor.setConstantStride(b, b.getLoc(), 0, 1);
  return UnrealizedConversionCastOp::create(b, type, Value(descriptor))
      .getResult(0);
}

LogicalResult convertEntrySignature(const EntryPoint &entry,
                                    EntryFunction &function) {
  func::FuncOp func = function.function;
  MLIRContext *context = func.getContext();
  bool isFold = entry.fold && entry.fold->function == func;
  std::string name = entry.name + (isFold ? "_fold" : "_compute");
  auto module = func->getParentOfType<ModuleOp>();
  if (Operation *other = module.lookupSymbol(name); other && other != func)
    return other->emitOpError()
           << "has the name that the code of '" << entry.name << "' needs";

  Block &block = func.getBody().front();
  unsigned oldCount = block.getNumArguments();
  auto b = ImplicitLocOpBuilder::atBlockBegin(func.getLoc(), &block);
  auto pointer = LLVM::LLVMPointerType::get(context);
  Value args = block.addArgument(pointer, func.getLoc());
  Value arena = block.addArgument(pointer, func.getLoc());
  Value team = block.addArgument(pointer, func.getLoc());

  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  for (auto [index, type] : llvm::enumerate(function.arguments)) {
    BlockArgument old = block.getArgument(index);
    if (old.use_empty())
      continue;
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, args,
                                     LLVM::GEPArg(int32_t(index)),
                                     LLVM::GEPNoWrapFlags::inbounds);
    auto data = LLVM::LoadOp::create(b, pointer, slot);
    data.setInvariant(true);
    Value descriptor =
        MemRefDescriptor::fromStaticShape(b, b.getLoc(), converter, type, data);
    old.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(b, type, descriptor).getResult(0));
  }
  if (function.hasArena) {
    BlockArgument shared = block.getArgument(oldCount - 2);
    BlockArgument perThread = block.getArgument(oldCount - 1);
    for (BlockArgument old : {shared, perThread})
      if (!isa<MemRefType>(old.getType()))
        return func.emitOpError("needs memref arguments for the arenas");
    shared.replaceAllUsesWith(buildArena(b, converter,
                                         cast<MemRefType>(shared.getType()),
                                         arena, function.arenaBytes));
    if (!perThread.use_empty()) {
      // The parts begin after the shared part of the whole module, so that one
      // arena serves fold and compute.
      auto thread = LLVM::LoadOp::create(b, b.getI64Type(), team);
      thread.setInvariant(true);
      Value bytes = LLVM::ConstantOp::create(
          b, b.getI64IntegerAttr(entry.getThreadBytes()));
      Value start = LLVM::ConstantOp::create(
          b, b.getI64IntegerAttr(entry.getSharedBytes()));
      Value offset =
          LLVM::AddOp::create(b, start, LLVM::MulOp::create(b, thread, bytes));
      Value part = LLVM::GEPOp::create(b, pointer, b.getI8Type(), arena,
                                       LLVM::GEPArg(offset),
                                       LLVM::GEPNoWrapFlags::inbounds);
      perThread.replaceAllUsesWith(
          buildArena(b, converter, cast<MemRefType>(perThread.getType()), part,
                     function.threadArenaBytes));
    }
  }
  block.eraseArguments(0, oldCount);

  func.walk([&](func::ReturnOp op) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Value status = arith::ConstantIntOp::create(builder, 0, 32);
    op->setOperands(status);
  });
  func.setType(FunctionType::get(context, {pointer, pointer, pointer},
                                 {IntegerType::get(context, 32)}));
  // Attributes of the old arguments would remain on the new ones.
  func->removeAttr(func.getArgAttrsAttrName());
  for (NamedAttribute attr : llvm::to_vector(func->getDialectAttrs()))
    if (attr.getName().getValue().starts_with("tir."))
      func->removeAttr(attr.getName());
  func.setPublic();
  SymbolTable::setSymbolName(func, name);
  return success();
}

LLVM::LLVMFuncOp declareRuntime(ModuleOp module, StringRef name,
                                LLVM::LLVMFunctionType type) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
  return LLVM::LLVMFuncOp::create(b, name, type);
}

} // namespace gc::tir
