// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds IR of the Graph dialect from a file that was read and sorted.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/PartitionAttrs.h"
#include "Dialect/Graph/IR/RefinedTypes.h"
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
static TensorType getPlainType(const LogicalTensor &tensor) {
  if (!tensor.isRanked)
    return UnrankedTensorType::get(tensor.elementType);
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
static TensorType getStridedType(const LogicalTensor &tensor) {
  TensorType plain = getPlainType(tensor);
  auto type = dyn_cast<RankedTensorType>(plain);
  if (!type || !tensor.strides || isPlain(tensor.shape, *tensor.strides))
    return plain;
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
           MLIRContext *context, ResultShapes resultShapes,
           UnknownKinds unknownKinds)
      : file(file), topology(topology), resultShapes(resultShapes),
        unknownKinds(unknownKinds), builder(context),
        values(topology.tensors.size()) {}

  OwningOpRef<ModuleOp> import();

private:
  LogicalResult checkKinds();
  FailureOr<Type> getResultType(const Tensor &tensor);
  FailureOr<Value> layOut(Value value, const Tensor &tensor);
  LogicalResult importOp(const OpNode &op);
  LogicalResult addAttrs(const OpNode &op, const graph::OpSpec &spec,
                         OperationState &state);
  LogicalResult checkOp(const OpNode &op, function_ref<LogicalResult()> check);

  const GraphFile &file;
  const Topology &topology;
  ResultShapes resultShapes;
  UnknownKinds unknownKinds;
  OpBuilder builder;
  /// One per tensor of the topology.
  std::vector<Value> values;
};
} // namespace

/// The row of an op; null if the dialect does not have it.
static const graph::OpSpec *findSpec(const OpNode &op) {
  return findExtraTensor(op.kind, op.inputs.size(), op.outputs.size())
             ? nullptr
             : findOp(op.kind);
}

/// The kind of an op that the dialect does not have.
static std::string describeKind(const OpNode &op) {
  const ExtraTensor *extra =
      findExtraTensor(op.kind, op.inputs.size(), op.outputs.size());
  if (!extra)
    return op.kind;
  return op.kind + " with the " + (extra->isOutput ? "output " : "input ") +
         extra->name.str();
}

/// Reports all ops that the dialect does not have in one error.
LogicalResult Importer::checkKinds() {
  llvm::MapVector<StringAttr, SmallVector<uint64_t>> unsupported;
  const OpNode *first = nullptr;
  size_t count = 0;
  for (const OpNode &op : file.ops) {
    if (findSpec(op))
      continue;
    unsupported[builder.getStringAttr(describeKind(op))].push_back(op.id);
    first = first ? first : &op;
    ++count;
  }
  if (!first)
    return success();
  InFlightDiagnostic diag = emitError(first->loc);
  diag << count << (count == 1 ? " op is" : " ops are") << " not supported: ";
  llvm::interleaveComma(unsupported, diag, [&](const auto &entry) {
    diag << entry.first.getValue() << " (id ";
    llvm::interleaveComma(entry.second, diag);
    diag << ")";
  });
  return diag;
}

/// The type of an output of the graph.
FailureOr<Type> Importer::getResultType(const Tensor &tensor) {
  TensorType type = getStridedType(*tensor.type);
  if (tensor.producer && graph::getLayout(type) &&
      !hasDisjointElements(*tensor.type))
    return emitError(tensor.owner->loc)
           << tensor.owner->describe() << ": elements of output tensor "
           << tensor.type->id << " may overlap because of its strides";
  return Type(type);
}

/// An output with the layout that the graph gives it.
FailureOr<Value> Importer::layOut(Value value, const Tensor &tensor) {
  if (resultShapes == ResultShapes::Unchecked)
    return value;
  LogicalTensor described = *tensor.type;
  Tensor output = tensor;
  output.type = &described;
  if (resultShapes == ResultShapes::Inferred) {
    auto type = cast<RankedTensorType>(value.getType());
    described.shape.assign(type.getShape().begin(), type.getShape().end());
    described.isRanked = true;
    if (described.strides &&
        described.strides->size() != type.getShape().size())
      return emitError(tensor.owner->loc)
             << tensor.owner->describe() << ": output tensor "
             << tensor.type->id << " has " << type.getRank()
             << " dimensions and " << described.strides->size() << " strides";
  }
  FailureOr<Type> type = getResultType(output);
  if (failed(type) || value.getType() == *type)
    return failed(type) ? FailureOr<Value>(failure()) : value;
  return graph::ReorderOp::create(builder, tensor.owner->loc, *type, value)
      .getResult();
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

/// Reports what a check says about an op that was built as an error of the op
/// of the file.
LogicalResult Importer::checkOp(const OpNode &op,
                                function_ref<LogicalResult()> check) {
  std::string reason;
  LogicalResult valid = [&] {
    ScopedDiagnosticHandler handler(
        builder.getContext(), [&](Diagnostic &diag) {
          if (diag.getSeverity() == DiagnosticSeverity::Error && reason.empty())
            reason = diag.str();
          return success();
        });
    return check();
  }();
  if (succeeded(valid))
    return success();
  return emitError(op.loc) << op.describe() << ": " << reason;
}

LogicalResult Importer::importOp(const OpNode &op) {
  const graph::OpSpec *known = findSpec(op);
  const graph::OpSpec &spec =
      known ? *known : *graph::findOp(graph::WildcardOp::getOperationName());
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
  if (!known)
    state.addAttribute(graph::kUnknownKindAttr,
                       builder.getStringAttr(describeKind(op)));
  for (const LogicalTensor &input : op.inputs)
    state.addOperands(values[topology.byId.at(input.id)]);
  bool infers = resultShapes == ResultShapes::Inferred;
  for (const LogicalTensor &output : op.outputs)
    state.addTypes(infers ? RankedTensorType::get({}, output.elementType)
                          : getPlainType(output));
  Operation *built = builder.create(state);
  for (auto [output, value] : llvm::zip_equal(op.outputs, built->getResults()))
    values[topology.byId.at(output.id)] = value;
  if (resultShapes == ResultShapes::Unchecked)
    return success();
  if (infers &&
      failed(checkOp(op, [&] { return graph::refineResultTypes(built); })))
    return failure();
  // The verifier compares result types with the inferred ones too.
  return checkOp(op, [&] { return verify(built); });
}

OwningOpRef<ModuleOp> Importer::import() {
  if (unknownKinds == UnknownKinds::Refused && failed(checkKinds()))
    return nullptr;
  SmallVector<Type> argTypes;
  for (size_t input : topology.inputs)
    argTypes.push_back(getStridedType(*topology.tensors[input].type));

  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, file.loc);
  builder.setInsertionPointToStart(module->getBody());
  auto function = func::FuncOp::create(builder, file.loc, file.name,
                                       builder.getFunctionType(argTypes, {}));
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
  for (size_t output : topology.outputs) {
    FailureOr<Value> result = layOut(values[output], topology.tensors[output]);
    if (failed(result))
      return nullptr;
    results.push_back(*result);
  }
  func::ReturnOp::create(builder, file.loc, results);
  function.setFunctionType(
      builder.getFunctionType(argTypes, ValueRange(results).getTypes()));
  if (resultShapes != ResultShapes::Unchecked && failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> gc::onednn::importGraph(const GraphFile &graph,
                                              MLIRContext *context,
                                              ResultShapes resultShapes,
                                              UnknownKinds unknownKinds) {
  context->loadDialect<func::FuncDialect, graph::GraphDialect>();
  FailureOr<Topology> topology = buildTopology(graph);
  if (failed(topology))
    return nullptr;
  return Importer(graph, *topology, context, resultShapes, unknownKinds)
      .import();
}

OwningOpRef<ModuleOp> gc::importOneDNNGraph(llvm::SourceMgr &sources,
                                            MLIRContext *context,
                                            UnknownKinds unknownKinds) {
  context->loadDialect<func::FuncDialect, graph::GraphDialect>();
  FailureOr<GraphFile> file = readGraphFile(sources, context);
  if (failed(file))
    return nullptr;
  return importGraph(*file, context, ResultShapes::Given, unknownKinds);
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
