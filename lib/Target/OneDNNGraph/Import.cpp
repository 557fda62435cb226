// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds IR of the Graph dialect from a file that was read and sorted.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Kinds.h"
#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "Topology.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace gc;
using namespace gc::onednn;
using graph::AttrSpec;
using graph::AttrUse;

/// The type of a tensor without its layout.
static RankedTensorType getPlainType(const LogicalTensor &tensor) {
  return RankedTensorType::get(tensor.shape, tensor.elementType);
}

/// Whether strides are row-major, as far as they are ever used.
static bool isPlain(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  if (llvm::is_contained(shape, 0))
    return true;
  for (auto [size, stride, plain] :
       llvm::zip_equal(shape, strides, graph::getPlainStrides(shape)))
    if (size != 1 && stride != plain)
      return false;
  return true;
}

/// The type of a tensor with the layout that the file gives it.
static RankedTensorType getStridedType(const LogicalTensor &tensor) {
  RankedTensorType type = getPlainType(tensor);
  if (!tensor.strides || isPlain(tensor.shape, *tensor.strides))
    return type;
  return graph::withLayout(
      type, graph::LayoutAttr::get(type.getContext(), *tensor.strides));
}

/// Whether no two elements share a place, shown by each stride stepping over
/// all that smaller strides reach.
static bool hasDisjointElements(const LogicalTensor &tensor) {
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [size, stride] : llvm::zip_equal(tensor.shape, *tensor.strides))
    if (size > 1)
      dims.emplace_back(stride, size);
  llvm::sort(dims);
  int64_t reach = 0;
  for (auto [stride, size] : dims) {
    if (stride <= reach)
      return false;
    reach += (size - 1) * stride;
  }
  return true;
}

namespace {
class Importer {
public:
  Importer(const GraphFile &file, const Topology &topology,
           MLIRContext *context)
      : file(file), topology(topology), builder(context),
        values(topology.tensors.size()) {}

  OwningOpRef<ModuleOp> import();

private:
  LogicalResult checkKinds();
  FailureOr<Type> getResultType(const Tensor &tensor);
  LogicalResult importOp(const OpNode &op);
  LogicalResult addAttrs(const OpNode &op, const graph::OpSpec &spec,
                         OperationState &state);
  LogicalResult verifyOp(const OpNode &op, Operation *built);

  const GraphFile &file;
  const Topology &topology;
  OpBuilder builder;
  /// One per tensor of the topology.
  std::vector<Value> values;
};
} // namespace

/// Reports all ops that have no row in the table in one error.
LogicalResult Importer::checkKinds() {
  llvm::MapVector<StringRef, SmallVector<uint64_t>> unsupported;
  const OpNode *first = nullptr;
  size_t count = 0;
  for (const OpNode &op : file.ops) {
    if (findOp(op.kind))
      continue;
    unsupported[op.kind].push_back(op.id);
    first = first ? first : &op;
    ++count;
  }
  if (!first)
    return success();
  InFlightDiagnostic diag = emitError(first->loc);
  diag << count << (count == 1 ? " op is" : " ops are") << " not supported: ";
  llvm::interleaveComma(unsupported, diag, [&](const auto &entry) {
    diag << entry.first << " (id ";
    llvm::interleaveComma(entry.second, diag);
    diag << ")";
  });
  return diag;
}

/// The type of an output of the graph.
FailureOr<Type> Importer::getResultType(const Tensor &tensor) {
  RankedTensorType type = getStridedType(*tensor.type);
  if (tensor.producer && type.getEncoding() &&
      !hasDisjointElements(*tensor.type))
    return emitError(tensor.owner->loc)
           << tensor.owner->describe() << ": elements of output tensor "
           << tensor.type->id << " may overlap because of its strides";
  return Type(type);
}

LogicalResult Importer::addAttrs(const OpNode &op, const graph::OpSpec &spec,
                                 OperationState &state) {
  for (const OpAttr &attr : op.attrs) {
    const auto *known = llvm::find_if(spec.attrs, [&](const AttrSpec &known) {
      return known.name == attr.name;
    });
    if (known == spec.attrs.end()) {
      if (spec.anyAttrs)
        continue;
      return emitError(op.loc)
             << op.describe() << ": unknown attribute '" << attr.name << "'";
    }
    if (known->type != attr.type)
      return emitError(op.loc)
             << op.describe() << ": attribute '" << attr.name << "' has type "
             << graph::stringify(attr.type) << " instead of "
             << graph::stringify(known->type);
    if (known->use == AttrUse::Hint)
      continue;
    Attribute value = attr.value;
    if (known->anyCase)
      value = builder.getStringAttr(cast<StringAttr>(value).strref().lower());
    state.addAttribute(known->name, value);
  }
  for (const AttrSpec &known : spec.attrs)
    if (known.use == AttrUse::Required && !state.attributes.get(known.name))
      return emitError(op.loc) << op.describe() << ": attribute '" << known.name
                               << "' is missing";
  return success();
}

/// Runs the op's verifier, which compares the file's result types with the
/// inferred ones too, and reports what it says about the op of the file.
LogicalResult Importer::verifyOp(const OpNode &op, Operation *built) {
  std::string reason;
  LogicalResult valid = [&] {
    ScopedDiagnosticHandler handler(
        builder.getContext(), [&](Diagnostic &diag) {
          if (diag.getSeverity() == DiagnosticSeverity::Error && reason.empty())
            reason = diag.str();
          return success();
        });
    return verify(built);
  }();
  if (succeeded(valid))
    return success();
  return emitError(op.loc) << op.describe() << ": " << reason;
}

LogicalResult Importer::importOp(const OpNode &op) {
  const graph::OpSpec &spec = *findOp(op.kind);
  auto checkCount = [&](size_t count, size_t least, size_t most,
                        StringRef what) -> LogicalResult {
    if (count >= least && count <= most)
      return success();
    InFlightDiagnostic diag = emitError(op.loc);
    diag << op.describe() << ": has " << count << " " << what << "s, takes ";
    if (least != most)
      diag << least << " to ";
    return diag << most;
  };
  if (failed(checkCount(op.inputs.size(), getLeast(spec.operands),
                        getMost(spec.operands), "input")) ||
      failed(checkCount(op.outputs.size(), getLeast(spec.results),
                        getMost(spec.results), "output")))
    return failure();
  OperationState state(op.loc, spec.opName);
  if (failed(addAttrs(op, spec, state)))
    return failure();
  for (const LogicalTensor &input : op.inputs)
    state.addOperands(values[topology.byId.at(input.id)]);
  for (const LogicalTensor &output : op.outputs)
    state.addTypes(getPlainType(output));
  Operation *built = builder.create(state);
  for (auto [output, value] : llvm::zip_equal(op.outputs, built->getResults()))
    values[topology.byId.at(output.id)] = value;
  return verifyOp(op, built);
}

OwningOpRef<ModuleOp> Importer::import() {
  if (failed(checkKinds()))
    return nullptr;
  SmallVector<Type> argTypes, resultTypes;
  for (size_t input : topology.inputs)
    argTypes.push_back(getStridedType(*topology.tensors[input].type));
  for (size_t output : topology.outputs) {
    FailureOr<Type> type = getResultType(topology.tensors[output]);
    if (failed(type))
      return nullptr;
    resultTypes.push_back(*type);
  }

  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, file.loc);
  builder.setInsertionPointToStart(module->getBody());
  auto function =
      func::FuncOp::create(builder, file.loc, file.name,
                           builder.getFunctionType(argTypes, resultTypes));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (auto [i, input] : llvm::enumerate(topology.inputs)) {
    const Tensor &tensor = topology.tensors[input];
    values[input] = body->getArgument(i);
    function.setArgAttr(i, graph::GraphDialect::kNameAttr,
                        builder.getStringAttr(std::to_string(tensor.type->id)));
    if (tensor.constant)
      function.setArgAttr(i, graph::GraphDialect::kConstArgAttr,
                          builder.getUnitAttr());
  }
  for (size_t op : topology.order)
    if (failed(importOp(file.ops[op])))
      return nullptr;

  SmallVector<Value> results;
  for (auto [output, type] : llvm::zip_equal(topology.outputs, resultTypes)) {
    Value value = values[output];
    if (value.getType() != type)
      value = graph::ReorderOp::create(
          builder, topology.tensors[output].owner->loc, type, value);
    results.push_back(value);
  }
  func::ReturnOp::create(builder, file.loc, results);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> gc::importOneDNNGraph(llvm::SourceMgr &sources,
                                            MLIRContext *context) {
  context->loadDialect<func::FuncDialect, graph::GraphDialect>();
  FailureOr<GraphFile> file = readGraphFile(sources, context);
  if (failed(file))
    return nullptr;
  FailureOr<Topology> topology = buildTopology(*file);
  if (failed(topology))
    return nullptr;
  return Importer(*file, *topology, context).import();
}

void gc::registerOneDNNGraphTranslation() {
  TranslateToMLIRRegistration registration(
      "import-onednn-graph", "import a oneDNN Graph JSON file",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        return OwningOpRef<Operation *>(importOneDNNGraph(sources, context));
      },
      [](DialectRegistry &registry) {
        registry.insert<func::FuncDialect, graph::GraphDialect>();
      });
}
