// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Weights.h"
#include "../ConstantData.h"
#include "../ObjectCode.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Reference/Npy.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gc;

/// Smaller constants are part of the code.
static constexpr int64_t kLargeBytes = 1024;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

const KnownInput *KnownValues::find(size_t index) const {
  for (const KnownInput &input : inputs)
    if (input.index == index)
      return &input;
  return nullptr;
}

/// A tensor as a constant of the graph.
static ElementsAttr makeAttribute(const reference::Tensor &tensor,
                                  RankedTensorType type) {
  auto plain = RankedTensorType::get(type.getShape(), type.getElementType());
  int64_t bits = type.getElementTypeBitWidth();
  ArrayRef<char> bytes(tensor.getData<char>(), tensor.getBufferBytes());
  if (bits >= 8)
    return DenseElementsAttr::getFromRawBuffer(plain, bytes);
  // Smaller elements take a byte each here, and are packed there.
  SmallVector<APInt> numbers;
  for (char byte : bytes)
    numbers.push_back(APInt(bits, uint64_t(byte), /*isSigned=*/false,
                            /*implicitTrunc=*/true));
  return DenseElementsAttr::get(plain, numbers);
}

/// The bytes of a constant, if it stores them one element after another.
static ArrayRef<char> getBytes(ElementsAttr value) {
  auto type = value.getShapedType();
  if (!type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() < 8)
    return {};
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(value);
      dense && !dense.isSplat())
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  int64_t expected =
      type.getNumElements() * (type.getElementTypeBitWidth() / 8);
  return int64_t(bytes.size()) == expected ? bytes : ArrayRef<char>();
}

/// Large constants become arguments.
static void outlineConstants(func::FuncOp function, KnownValues &known) {
  SmallVector<graph::ConstantOp> constants(
      function.getOps<graph::ConstantOp>());
  OpBuilder b(function.getContext());
  int64_t count = 0;
  for (graph::ConstantOp constant : constants) {
    ArrayRef<char> bytes = getBytes(constant.getValue());
    if (int64_t(bytes.size()) < kLargeBytes)
      continue;
    unsigned index = function.getNumArguments();
    DictionaryAttr attributes = b.getDictionaryAttr(
        {b.getNamedAttr(graph::GraphDialect::kConstArgAttr, b.getUnitAttr()),
         b.getNamedAttr(graph::GraphDialect::kNameAttr,
                        b.getStringAttr("constant." + Twine(count++)))});
    if (failed(function.insertArgument(index, constant.getType(), attributes,
                                       constant.getLoc())))
      continue;
    known.copies.emplace_back(bytes.begin(), bytes.end());
    known.inputs.push_back({index, known.copies.back()});
    constant.getResult().replaceAllUsesWith(function.getArgument(index));
    constant.erase();
  }
}

llvm::Error gc::bindValues(func::FuncOp function,
                           ArrayRef<std::pair<std::string, std::string>> values,
                           bool inFile, KnownValues &known) {
  auto inputs = getInputInfo(function);
  if (!inputs)
    return inputs.takeError();
  llvm::BitVector bound(inputs->size());
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  for (const auto &[name, file] : values) {
    size_t index = 0;
    while (index < inputs->size() && (*inputs)[index].name != name &&
           "arg" + std::to_string(index) != name)
      ++index;
    if (index == inputs->size()) {
      std::string names;
      for (const ValueInfo &info : *inputs)
        names += (names.empty() ? "" : ", ") + info.name;
      return makeError("--input: there is no argument '" + name +
                       "'; there are " + (names.empty() ? "none" : names));
    }
    if (bound[index])
      return makeError("--input: two files for the argument '" + name + "'");
    bound.set(index);
    RankedTensorType type = (*inputs)[index].type;
    if (type.getEncoding())
      return makeError("--input: the argument '" + name +
                       "' has a layout with strides; a constant is row-major");
    std::string message;
    auto tensor = reference::readNpy(file, type, message);
    if (failed(tensor))
      return makeError(message);
    if (inFile) {
      function.setArgAttr(index, graph::GraphDialect::kConstArgAttr,
                          b.getUnitAttr());
      known.tensors.push_back(*tensor);
      known.inputs.push_back(
          {index, ArrayRef(tensor->getData<char>(), tensor->getBufferBytes())});
      continue;
    }
    auto constant = graph::ConstantOp::create(b, function.getLoc(), type,
                                              makeAttribute(*tensor, type));
    function.getArgument(index).replaceAllUsesWith(constant.getResult());
  }
  if (inFile) {
    outlineConstants(function, known);
    return llvm::Error::success();
  }
  if (bound.any() && failed(function.eraseArguments(bound)))
    return makeError("@" + function.getName() +
                     ": arguments could not be removed");
  return llvm::Error::success();
}

llvm::Expected<std::vector<llvm::SmallVector<char, 0>>>
gc::foldNow(ModuleOp source, StringRef name, const CompileOptions &options,
            const KnownValues &known, ArrayRef<PackageTensor> inputs) {
  auto run = runPipeline(source, name, options);
  if (!run)
    return run.takeError();
  auto objects = generateObjects(*run, name, options);
  if (!objects)
    return objects.takeError();
  auto jit = JitCode::load(std::move(objects->objects), /*perfMap=*/false,
                           /*symbols=*/{}, std::move(objects->constants));
  if (!jit)
    return jit.takeError();
  auto module = (*jit)->getModule(name);
  if (!module)
    return module.takeError();
  gc_instance *instance = nullptr;
  if (gc_instance_create(*module, &instance) != GC_OK)
    return makeError(llvm::Twine("constants are folded on this host: ") +
                     gc_last_error());
  gc_instance_destroy(instance);
  const gc_module &code = **module;
  std::vector<llvm::SmallVector<char, 0>> folded;
  if (code.num_folded == 0)
    return folded;

  struct Memory {
    std::vector<void *> blocks;
    ~Memory() {
      for (void *block : blocks)
        gc_deallocate(block);
    }
    void *allocate(uint64_t bytes) {
      blocks.push_back(gc_allocate(bytes, 64));
      if (blocks.back())
        memset(blocks.back(), 0, bytes);
      return blocks.back();
    }
  } memory;
  std::vector<void *> arguments;
  for (uint32_t i = 0; i < code.num_fold_inputs; ++i) {
    uint32_t index = code.fold_inputs[i];
    const KnownInput *input = known.find(index);
    if (!input)
      return makeError("the value of '" + inputs[index].name +
                       "' is not known; give it with --input=" +
                       inputs[index].name + "=FILE.npy");
    arguments.push_back(const_cast<char *>(input->bytes.data()));
  }
  for (uint32_t i = 0; i < code.num_folded; ++i)
    arguments.push_back(memory.allocate(code.folded_bytes[i]));
  void *arena = memory.allocate(gc_arena_bytes(&code, 1));
  if (llvm::is_contained(memory.blocks, nullptr))
    return makeError(gc_last_error());
  gc_team team = {0, 1, nullptr, nullptr};
  if (code.fold(arguments.data(), arena, &team) != GC_OK)
    return makeError("the constants could not be folded");
  for (uint32_t i = 0; i < code.num_folded; ++i) {
    const char *data =
        static_cast<const char *>(arguments[code.num_fold_inputs + i]);
    folded.emplace_back(data, data + code.folded_bytes[i]);
  }
  return folded;
}

void gc::removeFold(llvm::Module &code, StringRef name) {
  llvm::Function *fold = code.getFunction((name + "_fold").str());
  if (!fold)
    return;
  fold->deleteBody();
  auto *block = llvm::BasicBlock::Create(code.getContext(), "", fold);
  llvm::ReturnInst::Create(
      code.getContext(),
      llvm::ConstantInt::get(fold->getReturnType(), GC_INVALID_ARGUMENT),
      block);
  // What only folding used: its constants, above all.
  bool changed = true;
  while (changed) {
    changed = false;
    for (llvm::Function &function : llvm::make_early_inc_range(code))
      if (function.hasLocalLinkage() && function.use_empty()) {
        function.eraseFromParent();
        changed = true;
      }
    for (llvm::GlobalVariable &global :
         llvm::make_early_inc_range(code.globals())) {
      global.removeDeadConstantUsers();
      if (global.hasLocalLinkage() && global.use_empty()) {
        global.eraseFromParent();
        changed = true;
      }
    }
  }
}

bool gc::readsInput(llvm::Module &code, StringRef name, size_t index) {
  llvm::Function *compute = code.getFunction((name + "_compute").str());
  if (!compute || compute->arg_empty())
    return true;
  const llvm::DataLayout &layout = code.getDataLayout();
  auto isLoaded = [](const llvm::Value *place) {
    return llvm::any_of(place->users(), [](const llvm::User *user) {
      return !llvm::isa<llvm::LoadInst>(user) || !user->use_empty();
    });
  };
  for (const llvm::User *user : compute->getArg(0)->users()) {
    if (llvm::isa<llvm::LoadInst>(user)) {
      if (index == 0 && !user->use_empty())
        return true;
      continue;
    }
    auto *place = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    llvm::APInt offset(64, 0);
    if (!place || !place->accumulateConstantOffset(layout, offset))
      return true;
    if (offset == index * sizeof(void *) && isLoaded(place))
      return true;
  }
  return false;
}

void gc::defineFolded(llvm::Module &code, ArrayRef<llvm::ArrayRef<char>> folded,
                      std::vector<NamedData> &constants) {
  for (auto [i, data] : llvm::enumerate(folded)) {
    std::string symbol = "folded_data_" + std::to_string(i);
    defineConstant(*code.getGlobalVariable(symbol, /*AllowInternal=*/true),
                   data.size());
    constants.push_back({symbol, StringRef(data.data(), data.size()), nullptr});
  }
}
