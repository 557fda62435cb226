// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Npu/IR/KernelLimits.h"
#include "Dialect/Npu/IR/NpuCores.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc::npu;

#include "Dialect/Npu/IR/NpuDialect.cpp.inc"
#include "Dialect/Npu/IR/NpuEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Dialect/Npu/IR/NpuAttrs.cpp.inc"
#include "Dialect/Npu/IR/NpuInterfaces.cpp.inc"

Attribute MemorySpaceAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  SMLoc location;
  if (parser.parseLess() || parser.getCurrentLocation(&location) ||
      parser.parseKeyword(&name))
    return {};
  std::optional<MemorySpace> space = symbolizeMemorySpace(name);
  if (!space) {
    parser.emitError(location, "there is no memory '")
        << name << "'; there are gm, l1, ub, l0a, l0b and l0c";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return MemorySpaceAttr::get(parser.getContext(), *space);
}

void MemorySpaceAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyMemorySpace(getValue()) << '>';
}

// The enums of the dialect are those of the model.
static_assert(static_cast<int>(MemorySpace::l0c) ==
              static_cast<int>(Space::l0c));
static_assert(static_cast<int>(PipeKind::mte3) == static_cast<int>(Pipe::mte3));
static_assert(static_cast<int>(VectorKind::cmp_ge) ==
              static_cast<int>(VectorOp::compareGe));
static_assert(static_cast<int>(VectorKind::select) ==
              static_cast<int>(VectorOp::select));
static_assert(static_cast<int>(VectorKind::group_min) ==
              static_cast<int>(VectorOp::groupMin));

// Ops are defined in their own files; their generated code is in NpuOps.cpp.
void NpuDialect::initialize() {
  registerAttributes();
  registerOperations();
}

void NpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Npu/IR/NpuAttrs.cpp.inc"
      >();
}

/// A dictionary of positive numbers of bytes by memory.
static LogicalResult verifyMemoryLimits(Operation *op, Attribute value) {
  auto limits = dyn_cast<DictionaryAttr>(value);
  for (NamedAttribute entry :
       limits ? limits.getValue() : ArrayRef<NamedAttribute>()) {
    auto bytes = dyn_cast<IntegerAttr>(entry.getValue());
    std::optional<Space> space = parseSpace(entry.getName().getValue());
    if (!space || *space == Space::gm || !bytes || bytes.getInt() < 1)
      return op->emitOpError()
             << "'" << kMemoryAttr << "' has " << entry.getName() << " = "
             << entry.getValue() << "; a positive number for a memory of the "
             << "core is needed";
  }
  if (!limits)
    return op->emitOpError() << "'" << kMemoryAttr << "' is not a dictionary";
  return success();
}

LogicalResult NpuDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kKernelAttr) {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<FunctionOpInterface>(op))
      return op->emitOpError()
             << "'" << name << "' is only for functions and takes no value";
    return success();
  }
  if (name == kOnceAttr) {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<CallOpInterface>(op))
      return op->emitOpError()
             << "'" << name << "' is only for calls and takes no value";
    return success();
  }
  if (name == kRepeatedAttr) {
    if (!isa<FunctionOpInterface>(op) ||
        !isa<FlatSymbolRefAttr>(attr.getValue()))
      return op->emitOpError() << "'" << name
                               << "' must be the name of a graph function on a "
                                  "function";
    return success();
  }
  if (name == kCoresAttr || name == kPipelineAttr) {
    bool isPlaceRight =
        name == kCoresAttr ? isa<FunctionOpInterface>(op) : isa<scf::ForOp>(op);
    auto count = dyn_cast<IntegerAttr>(attr.getValue());
    if (name == kPipelineAttr && count && count.getInt() > kMaxPipeline)
      return op->emitOpError()
             << "'" << name << "' must be at most " << kMaxPipeline;
    if (!isPlaceRight || !count || count.getInt() < 1)
      return op->emitOpError()
             << "'" << name << "' must be an integer of 1 or more on "
             << (name == kCoresAttr ? "a function" : "scf.for");
    return success();
  }
  if (name == kFirstCoreAttr) {
    auto first = dyn_cast<IntegerAttr>(attr.getValue());
    if (!isa<FunctionOpInterface>(op) || !first || first.getInt() < 0)
      return op->emitOpError() << "'" << name
                               << "' must be an integer of 0 or more on a "
                                  "function";
    return success();
  }
  if (name == kBesideAttr) {
    if (!isa<FunctionOpInterface>(op) ||
        !isa<FlatSymbolRefAttr>(attr.getValue()))
      return op->emitOpError()
             << "'" << name << "' must be the name of a kernel on a function";
    return success();
  }
  if (name == kStageAttr) {
    auto stage = dyn_cast<IntegerAttr>(attr.getValue());
    if (!isa_and_nonnull<scf::ForOp>(op->getParentOp()) || !stage ||
        stage.getInt() < 0 || stage.getInt() >= kMaxPipeline)
      return op->emitOpError()
             << "'" << name << "' must be an integer from 0 to "
             << kMaxPipeline - 1 << " on an op in the body of scf.for";
    return success();
  }
  if (name == kMemoryAttr)
    return verifyMemoryLimits(op, attr.getValue());
  if (name == kMostSlotsAttr) {
    auto slots = dyn_cast<IntegerAttr>(attr.getValue());
    if (!isa<AllocOp>(op) || !slots || slots.getInt() < 1)
      return op->emitOpError() << "'" << name
                               << "' must be an integer of 1 or more on "
                                  "npu.alloc";
    return success();
  }
  return op->emitOpError() << "has an unknown attribute '" << name << "'";
}
