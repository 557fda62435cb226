// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The constant of type gc_module (Runtime/Runtime.h) of an entry point.

#include "Runtime/Runtime.h"
#include "TensorIRToLLVMImpl.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace gc::tir {

namespace {

class DescriptorBuilder {
public:
  DescriptorBuilder(ModuleOp module, const EntryPoint &entry)
      : entry(entry),
        b(ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody())),
        module(module), pointer(b.getType<LLVM::LLVMPointerType>()) {}

  void emit(ArrayRef<std::string> features);

private:
  using Emit = function_ref<Value(ImplicitLocOpBuilder &)>;

  /// An internal constant whose value the callback builds.
  LLVM::GlobalOp addGlobal(Type type, const Twine &suffix, Emit value,
                           LLVM::Linkage linkage = LLVM::Linkage::Internal);
  LLVM::GlobalOp addString(StringRef text, const Twine &suffix);
  /// Null when there are no elements.
  LLVM::GlobalOp addArray(ArrayRef<int64_t> values, unsigned bits,
                          const Twine &suffix);
  Value addressOf(ImplicitLocOpBuilder &builder, StringRef symbol) {
    return LLVM::AddressOfOp::create(builder, pointer, symbol);
  }
  Value addressOrNull(ImplicitLocOpBuilder &builder, LLVM::GlobalOp global) {
    if (global)
      return addressOf(builder, global.getSymName());
    return LLVM::ZeroOp::create(builder, pointer);
  }

  const EntryPoint &entry;
  ImplicitLocOpBuilder b;
  ModuleOp module;
  LLVM::LLVMPointerType pointer;
};

LLVM::GlobalOp DescriptorBuilder::addGlobal(Type type, const Twine &suffix,
                                            Emit value, LLVM::Linkage linkage) {
  std::string name = (entry.name + suffix).str();
  OpBuilder::InsertionGuard guard(b);
  auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true, linkage,
                                       name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, value(b));
  return global;
}

LLVM::GlobalOp DescriptorBuilder::addString(StringRef text,
                                            const Twine &suffix) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  return LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, (entry.name + suffix).str(),
      b.getStringAttr(bytes));
}

LLVM::GlobalOp DescriptorBuilder::addArray(ArrayRef<int64_t> values,
                                           unsigned bits, const Twine &suffix) {
  if (values.empty())
    return {};
  Type element = b.getIntegerType(bits);
  auto type = LLVM::LLVMArrayType::get(element, values.size());
  return addGlobal(type, suffix, [&](ImplicitLocOpBuilder &builder) {
    Value array = LLVM::UndefOp::create(builder, type);
    for (auto [index, value] : llvm::enumerate(values))
      array = LLVM::InsertValueOp::create(
          builder, array,
          LLVM::ConstantOp::create(builder,
                                   builder.getIntegerAttr(element, value)),
          int64_t(index));
    return array;
  });
}

/// Bytes from the first to the last element of a buffer.
int64_t getBytes(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return 0;
  int64_t last = offset;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  return (last + 1) * ((bits + 7) / 8);
}

void DescriptorBuilder::emit(ArrayRef<std::string> features) {
  SmallVector<int64_t> foldInputs, foldedBytes;
  if (entry.fold)
    foldInputs = entry.fold->foldInputs;
  const EntryFunction &compute = entry.compute;
  for (int64_t i = compute.inputs + compute.outputs,
               end = compute.arguments.size();
       i < end; ++i)
    foldedBytes.push_back(getBytes(compute.arguments[i]));

  LLVM::GlobalOp name = addString(entry.name, "_module_name");
  LLVM::GlobalOp needed;
  // The runtime takes names with signs.
  if (!features.empty())
    needed = addString("+" + llvm::join(features, ",+"), "_module_features");
  LLVM::GlobalOp inputs = addArray(foldInputs, 32, "_module_fold_inputs");
  LLVM::GlobalOp bytes = addArray(foldedBytes, 64, "_module_folded_bytes");
  LLVM::GlobalOp regions;
  if (!entry.regions.empty()) {
    SmallVector<LLVM::GlobalOp> names;
    for (auto [index, region] : llvm::enumerate(entry.regions))
      names.push_back(addString(region, "_module_region_" + Twine(index)));
    auto type = LLVM::LLVMArrayType::get(pointer, names.size());
    regions =
        addGlobal(type, "_module_regions", [&](ImplicitLocOpBuilder &builder) {
          Value array = LLVM::UndefOp::create(builder, type);
          for (auto [index, global] : llvm::enumerate(names))
            array = LLVM::InsertValueOp::create(
                builder, array, addressOrNull(builder, global), int64_t(index));
          return array;
        });
  }

  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(),
      {i32, i32, i32, i32, i32, i32, pointer, pointer, pointer, pointer, i64,
       i64, i64, pointer, pointer, pointer, pointer});
  addGlobal(
      type, "_module",
      [&](ImplicitLocOpBuilder &builder) {
        Value object = LLVM::UndefOp::create(builder, type);
        int64_t field = 0;
        auto add = [&](Value value) {
          object = LLVM::InsertValueOp::create(builder, object, value, field++);
        };
        auto addNumber = [&](Type numberType, int64_t value) {
          add(LLVM::ConstantOp::create(
              builder, builder.getIntegerAttr(numberType, value)));
        };
        addNumber(i32, GC_ABI_VERSION);
        addNumber(i32, compute.inputs);
        addNumber(i32, compute.outputs);
        addNumber(i32, foldInputs.size());
        addNumber(i32, foldedBytes.size());
        addNumber(i32, entry.regions.size());
        add(addressOrNull(builder, name));
        add(addressOrNull(builder, needed));
        add(addressOrNull(builder, inputs));
        add(addressOrNull(builder, bytes));
        addNumber(i64, entry.getSharedBytes());
        addNumber(i64, entry.getThreadBytes());
        addNumber(i64, kArenaAlignment);
        add(addressOrNull(builder, regions));
        if (auto init =
                module.lookupSymbol<LLVM::LLVMFuncOp>("gc_kernels_init"))
          add(addressOf(builder, init.getSymName()));
        else
          add(LLVM::ZeroOp::create(builder, pointer));
        if (entry.fold)
          add(addressOf(builder, entry.name + "_fold"));
        else
          add(LLVM::ZeroOp::create(builder, pointer));
        add(addressOf(builder, entry.name + "_compute"));
        return object;
      },
      LLVM::Linkage::External);
}

} // namespace

void emitDescriptor(ModuleOp module, const EntryPoint &entry,
                    ArrayRef<std::string> features) {
  // Every object file of a program has its own init.
  if (auto init = module.lookupSymbol<LLVM::LLVMFuncOp>("gc_kernels_init");
      init && !init.isDeclaration())
    init.setLinkage(LLVM::Linkage::Internal);
  DescriptorBuilder(module, entry).emit(features);
}

} // namespace gc::tir
