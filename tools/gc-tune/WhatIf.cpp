// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WhatIf.h"
#include "Driver/NpuBound.h"
#include "Driver/NpuDriver.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace gc;
using namespace gc::tune;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static const npu::Parameter *findParameter(StringRef field) {
  for (const npu::Parameter &parameter : npu::getParameters())
    if (field == parameter.name)
      return &parameter;
  return nullptr;
}

static Error checkChange(const MachineChange &change) {
  npu::Machine machine;
  if (npu::setParameter(machine, change.field, change.value))
    return Error::success();
  if (const npu::Parameter *parameter = findParameter(change.field))
    return makeError("--what-if: " + change.field + " must be from " +
                     Twine(parameter->min) + " to " + Twine(parameter->max) +
                     ", not " + Twine(change.value));
  if (npu::getParameter(machine, change.field))
    return makeError("--what-if: " + change.field + " cannot be " +
                     Twine(change.value) +
                     "; cycles of vector ops are from 0 to 1048576");
  std::string names;
  for (const npu::Parameter &parameter : npu::getParameters())
    names += std::string(names.empty() ? "" : ", ") + parameter.name;
  return makeError("--what-if: the NPU has no field '" + change.field +
                   "'; there are " + names +
                   ", and <op>_head, <op>_slope and <op>_tail of vector ops");
}

Expected<std::vector<MachineChange>> tune::parseMachineChanges(StringRef text) {
  std::vector<MachineChange> changes;
  SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items) {
    auto [field, number] = item.split('=');
    MachineChange change{field.str(), 0};
    if (field.empty() || !item.contains('='))
      return makeError("--what-if takes FIELD=NUMBER[,FIELD=NUMBER], not '" +
                       item + "'");
    if (number.getAsInteger(10, change.value))
      return makeError("--what-if: '" + number + "' of " + field +
                       " is not an integer of 64 bits");
    if (Error error = checkChange(change))
      return std::move(error);
    if (any_of(changes, [&](const MachineChange &other) {
          return other.field == change.field;
        }))
      return makeError("--what-if changes " + field + " twice");
    changes.push_back(std::move(change));
  }
  return changes;
}

/// Writes the changes into the description of the NPU that the module has.
static void changeMachine(mlir::ModuleOp module,
                          ArrayRef<MachineChange> changes) {
  mlir::MLIRContext *context = module.getContext();
  context->getOrLoadDialect<mlir::DLTIDialect>();
  mlir::Builder b(context);
  mlir::StringAttr id = b.getStringAttr("NPU");
  SmallVector<mlir::DataLayoutEntryInterface> devices, entries;
  auto isChanged = [&](mlir::DataLayoutEntryInterface entry) {
    auto key = dyn_cast<mlir::StringAttr>(entry.getKey());
    return key && any_of(changes, [&](const MachineChange &change) {
             return change.field == key.getValue();
           });
  };
  if (auto old = module->getAttrOfType<mlir::TargetSystemSpecInterface>(
          mlir::DLTIDialect::kTargetSystemDescAttrName)) {
    for (mlir::DataLayoutEntryInterface entry : old.getEntries())
      if (entry.getKey() != PointerUnion<mlir::Type, mlir::StringAttr>(id))
        devices.push_back(entry);
    if (auto device = old.getDeviceSpecForDeviceID(id))
      for (mlir::DataLayoutEntryInterface entry : device->getEntries())
        if (!isChanged(entry))
          entries.push_back(entry);
  }
  for (const MachineChange &change : changes)
    entries.push_back(mlir::DataLayoutEntryAttr::get(
        b.getStringAttr(change.field), b.getI64IntegerAttr(change.value)));
  devices.push_back(mlir::DataLayoutEntryAttr::get(
      id, mlir::TargetDeviceSpecAttr::get(context, entries)));
  module->setAttr(mlir::DLTIDialect::kTargetSystemDescAttrName,
                  mlir::TargetSystemSpecAttr::get(context, devices));
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

namespace {
struct Price {
  int64_t cycles = 0, bound = 0;

  double getFraction() const { return double(bound) / double(cycles); }
};
/// With the name of each kernel, and of graphs of several kernels. What a
/// machine has in one kernel may be several on another.
using Prices = std::vector<std::pair<std::string, Price>>;
} // namespace

static Expected<Price> priceKernel(const NpuKernel &kernel,
                                   const npu::Machine &machine) {
  auto compiled = CompiledKernel::compile(kernel, npu::Mode::cycles);
  if (!compiled)
    return compiled.takeError();
  mlir::func::FuncOp function = kernel.kernel;
  std::vector<NpuTensor> tensors;
  for (auto [number, type] : enumerate(function.getArgumentTypes())) {
    auto shaped = cast<mlir::ShapedType>(type);
    tensors.push_back(
        {"tensor" + std::to_string(number), nullptr,
         int64_t(divideCeil(
             shaped.getNumElements() * shaped.getElementTypeBitWidth(), 8)),
         true});
  }
  npu::Options options;
  options.mode = npu::Mode::cycles;
  auto report = (*compiled)->run(machine, options, tensors);
  if (!report)
    return report.takeError();
  return Price{report->cycles,
               computeNpuBound(kernel.reference, machine, kernel.countCores())
                   .getCycles()};
}

/// The kernels of a graph, and if there are several the graph itself, as
/// gc-runner compiles it.
static Error priceGraph(mlir::ModuleOp module, StringRef name,
                        const npu::Machine &machine, Prices &prices) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  std::vector<Remark> remarks;
  auto isGraph = compileGraphs(*copy, name, {}, remarks);
  if (!isGraph || !*isGraph)
    return isGraph.takeError();
  auto program = findNpuProgram(*copy, name);
  if (!program)
    return program.takeError();
  Price whole;
  for (const NpuStep &step : program->steps) {
    if (step.isOnce)
      continue;
    auto price = priceKernel(step.kernel, machine);
    if (!price)
      return price.takeError();
    mlir::func::FuncOp kernel = step.kernel.kernel;
    prices.emplace_back(kernel.getName().str(), *price);
    whole.cycles += price->cycles;
  }
  whole.bound =
      computeNpuBound(program->repeated, machine, /*cores=*/1).getCycles();
  if (program->steps.size() > 1)
    prices.emplace_back(name.str(), whole);
  return Error::success();
}

/// All of the module's graphs on the machine that it describes.
static Expected<Prices> priceGraphs(mlir::ModuleOp module) {
  auto machine = getNpuMachine(module, "");
  if (!machine)
    return machine.takeError();
  Prices prices;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration())
      if (Error error =
              priceGraph(module, function.getName(), *machine, prices))
        return std::move(error);
  return prices;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static json::Object toJson(const Price &price) {
  return json::Object{{"cycles", price.cycles},
                      {"bound_cycles", price.bound},
                      {"bound_fraction", price.getFraction()}};
}

static std::string toText(const Price *price) {
  if (!price)
    return "no such kernel";
  return formatv("{0} cycles, fraction {1:f3}", price->cycles,
                 price->getFraction())
      .str();
}

static void print(StringRef name, const Price *stated, const Price *changed,
                  StringRef text, bool json) {
  if (!json) {
    outs() << name << ": " << toText(stated) << "; with " << text << " "
           << toText(changed);
    if (stated && changed)
      outs() << formatv(", {0:f3} times the cycles",
                        double(changed->cycles) / double(stated->cycles));
    outs() << "\n";
    return;
  }
  json::Object object{{"kernel", name}, {"what_if", text}};
  if (stated)
    object["stated"] = toJson(*stated);
  if (changed)
    object["changed"] = toJson(*changed);
  outs() << json::Value(std::move(object)) << "\n";
}

Error tune::priceMachine(mlir::ModuleOp module, ArrayRef<MachineChange> changes,
                         StringRef file, bool json) {
  std::string text;
  for (const MachineChange &change : changes)
    text += (text.empty() ? "" : ",") + change.field + "=" +
            std::to_string(change.value);
  mlir::OwningOpRef<mlir::ModuleOp> other = module.clone();
  changeMachine(*other, changes);
  auto stated = priceGraphs(module);
  if (!stated)
    return stated.takeError();
  if (stated->empty())
    return makeError(file + " has no graphs");
  auto changed = priceGraphs(*other);
  if (!changed)
    return makeError("with " + text + ": " + toString(changed.takeError()));
  auto find = [](const Prices &prices, StringRef name) {
    auto it = llvm::find_if(
        prices, [&](const auto &entry) { return entry.first == name; });
    return it == prices.end() ? nullptr : &it->second;
  };
  for (auto &[name, price] : *stated)
    print(name, &price, find(*changed, name), text, json);
  for (auto &[name, price] : *changed)
    if (!find(*stated, name))
      print(name, nullptr, &price, text, json);
  return Error::success();
}
