// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/ModuleMachine.h"
#include "Machine/MachineFacts.h"
#include "Machine/MachineFile.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gc;

static constexpr StringLiteral kDevice = "CPU";
static constexpr int64_t kMostVectorBits = 512;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads the entries of one device into a machine.
class DescriptionReader {
public:
  DescriptionReader(ModuleOp module, TargetDeviceSpecInterface device)
      : module(module), device(device) {}

  FailureOr<Machine> read();

private:
  Attribute find(StringRef name) {
    auto entry =
        device.getSpecForIdentifier(StringAttr::get(module.getContext(), name));
    return entry ? entry.getValue() : Attribute();
  }
  LogicalResult fail(const Twine &message) {
    return emitError(module.getLoc(), "target description: ") << message;
  }

  FailureOr<Machine> getBase();
  LogicalResult readInstructionSet(Machine &machine);
  LogicalResult readKernels(Machine &machine);
  template <typename T>
  LogicalResult readFact(const Fact<T> &fact, Attribute value, StringRef name,
                         T &facts);

  ModuleOp module;
  TargetDeviceSpecInterface device;
};

} // namespace

static FailureOr<Machine> getDefault(ModuleOp module) {
  auto machine = getDefaultMachine();
  if (machine)
    return std::move(*machine);
  emitError(module.getLoc(), llvm::toString(machine.takeError()));
  return failure();
}

FailureOr<Machine> DescriptionReader::getBase() {
  Attribute value = find("machine");
  if (!value)
    return getDefault(module);
  auto name = dyn_cast<StringAttr>(value);
  if (const Machine *preset = name ? findPreset(name) : nullptr)
    return *preset;
  return fail("'machine' is not one of the presets " +
              llvm::join(getPresetNames(), ", "));
}

template <typename T>
LogicalResult DescriptionReader::readFact(const Fact<T> &fact, Attribute value,
                                          StringRef name, T &facts) {
  double number = 0;
  if (auto integer = dyn_cast<IntegerAttr>(value);
      integer && integer.getValue().isSignedIntN(64))
    number = static_cast<double>(integer.getValue().getSExtValue());
  else if (auto real = dyn_cast<FloatAttr>(value); real && !fact.isInteger())
    number = real.getValueAsDouble();
  else
    return fail("'" + name + "' is not " + fact.describe());
  if (!fact.isValid(number))
    return fail("'" + name + "' is not " + fact.describe());
  fact.set(facts, number);
  return success();
}

LogicalResult DescriptionReader::readInstructionSet(Machine &machine) {
  if (Attribute value = find("name")) {
    auto name = dyn_cast<StringAttr>(value);
    if (!name)
      return fail("'name' is not a string");
    machine.name = name.str();
  }
  if (Attribute value = find("cpu")) {
    auto cpu = dyn_cast<StringAttr>(value);
    if (!cpu)
      return fail("'cpu' is not a string");
    machine.cpu = cpu.str();
  }
  Attribute value = find("features");
  if (!value)
    return success();
  auto array = dyn_cast<ArrayAttr>(value);
  if (!array || !llvm::all_of(array, llvm::IsaPred<StringAttr>))
    return fail("'features' is not an array of strings");
  auto names = array.getAsValueRange<StringAttr>();
  std::vector<std::string> features;
  for (const InstructionSet &set : getInstructionSets())
    if (llvm::is_contained(names, set.name))
      features.push_back(set.name.str());
  for (StringRef name : names)
    if (!llvm::is_contained(features, name))
      return fail("'features' has '" + name +
                  "', which is not one of the instruction sets that GC knows");
  machine.setInstructionSet(machine.cpu, std::move(features));
  return success();
}

LogicalResult DescriptionReader::readKernels(Machine &machine) {
  Attribute value = find("kernels");
  if (!value)
    return success();
  auto array = dyn_cast<ArrayAttr>(value);
  if (!array || !llvm::all_of(array, llvm::IsaPred<DictionaryAttr>))
    return fail("'kernels' is not an array of dictionaries");
  machine.kernels.clear();
  for (auto kernel : array.getAsRange<DictionaryAttr>()) {
    KernelRate rate;
    auto types = kernel.getAs<StringAttr>("types");
    std::optional<KernelTypes> known =
        types ? parseKernelTypes(types) : std::nullopt;
    if (!known)
      return fail("'kernels' has no valid 'types'");
    rate.types = *known;
    auto isa = kernel.getAs<StringAttr>("isa");
    if (!isa)
      return fail("'kernels' has no 'isa'");
    rate.isa = isa.str();
    for (const Fact<KernelRate> &fact : getKernelFacts()) {
      Attribute number = kernel.get(fact.key);
      if (!number)
        return fail("'kernels' has no '" + fact.key + "'");
      if (failed(readFact(fact, number, fact.key, rate)))
        return failure();
    }
    machine.kernels.push_back(std::move(rate));
  }
  return success();
}

FailureOr<Machine> DescriptionReader::read() {
  FailureOr<Machine> base = getBase();
  if (failed(base))
    return failure();
  Machine machine = std::move(*base);
  if (failed(readInstructionSet(machine)) || failed(readKernels(machine)))
    return failure();
  for (const Fact<Machine> &fact : getMachineFacts())
    if (Attribute value = find(fact.getEntry()))
      if (failed(readFact(fact, value, fact.getEntry(), machine)))
        return failure();
  if (!llvm::isPowerOf2_64(machine.vectorBits))
    return fail("'max_vector_op_width' is not a power of two");
  if (machine.vectorBits > kMostVectorBits)
    return fail("'max_vector_op_width' is more than " + Twine(kMostVectorBits) +
                ", which no instruction set has");
  if (!machine.getKernelRate(KernelTypes::f32))
    return fail("'kernels' has none of types f32 for an instruction set in "
                "'features'");
  return machine;
}

FailureOr<Machine> gc::getMachine(ModuleOp module) {
  TargetSystemSpecInterface system = module.getTargetSystemSpec();
  if (!system)
    return getDefault(module);
  auto device = system.getDeviceSpecForDeviceID(
      StringAttr::get(module.getContext(), kDevice));
  if (!device)
    return getDefault(module);
  return DescriptionReader(module, *device).read();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename T>
static Attribute getValue(const Fact<T> &fact, const T &facts, Builder &b) {
  double value = fact.get(facts);
  if (fact.isInteger())
    return b.getI64IntegerAttr(static_cast<int64_t>(value));
  return b.getF64FloatAttr(value);
}

static Attribute getKernels(const Machine &machine, Builder &b) {
  SmallVector<Attribute> kernels;
  for (const KernelRate &rate : machine.kernels) {
    NamedAttrList attributes;
    attributes.set("types", b.getStringAttr(getKernelTypesName(rate.types)));
    attributes.set("isa", b.getStringAttr(rate.isa));
    for (const Fact<KernelRate> &fact : getKernelFacts())
      attributes.set(fact.key, getValue(fact, rate, b));
    kernels.push_back(attributes.getDictionary(b.getContext()));
  }
  return b.getArrayAttr(kernels);
}

void gc::setMachine(ModuleOp module, const Machine &machine) {
  MLIRContext *context = module.getContext();
  context->getOrLoadDialect<DLTIDialect>();
  Builder b(context);
  SmallVector<DataLayoutEntryInterface> entries;
  auto add = [&](StringRef name, Attribute value) {
    entries.push_back(DataLayoutEntryAttr::get(b.getStringAttr(name), value));
  };
  const Machine *preset = findPreset(machine.name);
  add(preset ? "machine" : "name", b.getStringAttr(machine.name));
  if (!preset || preset->cpu != machine.cpu)
    add("cpu", b.getStringAttr(machine.cpu));
  bool hasFeatures = !preset || preset->features != machine.features;
  if (hasFeatures)
    add("features",
        b.getStrArrayAttr(llvm::to_vector_of<StringRef>(machine.features)));
  for (const Fact<Machine> &fact : getMachineFacts()) {
    // Values that follow from the features would be lost.
    bool isVector = fact.key.starts_with("vector_") && hasFeatures;
    if (!preset || isVector || fact.get(*preset) != fact.get(machine))
      add(fact.getEntry(), getValue(fact, machine, b));
  }
  if (!preset || preset->kernels != machine.kernels)
    add("kernels", getKernels(machine, b));

  SmallVector<DataLayoutEntryInterface> devices;
  StringAttr id = b.getStringAttr(kDevice);
  if (auto old = module->getAttrOfType<TargetSystemSpecInterface>(
          DLTIDialect::kTargetSystemDescAttrName))
    for (DataLayoutEntryInterface entry : old.getEntries())
      if (entry.getKey() != llvm::PointerUnion<Type, StringAttr>(id))
        devices.push_back(entry);
  devices.push_back(DataLayoutEntryAttr::get(
      id, TargetDeviceSpecAttr::get(context, entries)));
  module->setAttr(DLTIDialect::kTargetSystemDescAttrName,
                  TargetSystemSpecAttr::get(context, devices));
}
