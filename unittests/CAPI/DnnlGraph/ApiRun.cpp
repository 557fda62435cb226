// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApiRun.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Diagnostics.h"
#include "Reference/Compare.h"
#include "Reference/Inputs.h"
#include "Reference/Interpreter.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace gc;
using namespace gc::dnnltest;
using dnnl::engine;
using dnnl::stream;
using dnnl::graph::logical_tensor;
using dnnl::graph::op;
using dnnl::graph::partition;
using dnnl::graph::tensor;
using reference::Tensor;
using LT = logical_tensor;

namespace {
struct Failure {
  std::string message;
};
} // namespace

[[noreturn]] static void fail(const std::string &message) {
  throw Failure{message};
}

static LT::data_type getDataType(mlir::Type type) {
  static const std::map<std::string, LT::data_type> types = {
      {"f32", LT::data_type::f32},         {"bf16", LT::data_type::bf16},
      {"f16", LT::data_type::f16},         {"s8", LT::data_type::s8},
      {"u8", LT::data_type::u8},           {"s32", LT::data_type::s32},
      {"u64", LT::data_type::s64},         {"boolean", LT::data_type::boolean},
      {"f8_e5m2", LT::data_type::f8_e5m2}, {"f8_e4m3", LT::data_type::f8_e4m3},
      {"s4", LT::data_type::s4},           {"u4", LT::data_type::u4}};
  return types.at(onednn::getDtype(type).str());
}

/// The kind of a name, found by the spelling of the C++ enumerators.
static op::kind getKind(llvm::StringRef name) {
  // Files have names of earlier versions as well.
  if (const graph::OpSpec *spec = onednn::findOp(name))
    name = spec->kind;
  static const std::map<std::string, op::kind> kinds = [] {
    std::map<std::string, op::kind> result;
#define GC_KIND(name) result[llvm::StringRef(#name).lower()] = op::kind::name;
#include "Kinds.def"
    return result;
  }();
  auto entry = kinds.find(name.lower());
  if (entry == kinds.end())
    fail("no kind " + name.str());
  return entry->second;
}

static op::attr getAttr(llvm::StringRef name) {
  static const std::map<std::string, op::attr> attrs = [] {
    std::map<std::string, op::attr> result;
#define GC_ATTR(name) result[#name] = op::attr::name;
#include "Kinds.def"
    return result;
  }();
  auto entry = attrs.find(name.str());
  if (entry == attrs.end())
    fail("no attribute " + name.str());
  return entry->second;
}

static void setAttr(op &target, const onednn::OpAttr &attr) {
  op::attr name = getAttr(attr.name);
  if (auto value = mlir::dyn_cast<mlir::BoolAttr>(attr.value))
    target.set_attr<bool>(name, value.getValue());
  else if (auto value = mlir::dyn_cast<mlir::IntegerAttr>(attr.value))
    target.set_attr<int64_t>(name, value.getInt());
  else if (auto value = mlir::dyn_cast<mlir::FloatAttr>(attr.value))
    target.set_attr<float>(name, static_cast<float>(value.getValueAsDouble()));
  else if (auto value = mlir::dyn_cast<mlir::StringAttr>(attr.value))
    target.set_attr<std::string>(name, value.str());
  else if (auto value = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attr.value))
    target.set_attr<std::vector<int64_t>>(name, value.asArrayRef().vec());
  else if (auto value = mlir::dyn_cast<mlir::DenseF32ArrayAttr>(attr.value))
    target.set_attr<std::vector<float>>(name, value.asArrayRef().vec());
}

namespace {
class Program {
public:
  Program(onednn::GraphFile &graph, const ApiOptions &options)
      : graph(graph), options(options) {}

  void build();
  void checkPartitions();
  void setInput(uint64_t id, Tensor value, bool constant);
  void run();
  const Tensor &getTensor(uint64_t id) { return values.at(id); }

  size_t inplace = 0, opaque = 0;
  size_t getNumPartitions() const { return partitions.size(); }

private:
  LT describe(const onednn::LogicalTensor &tensor);
  LT describeValue(uint64_t id);
  void *getData(const LT &input);
  void runPartition(partition &part);
  tensor addOpaque(const LT &output);
  void runWildcard(const LT &input, const LT &output);
  LT chooseOutput(const LT &port);
  bool isHideable(uint64_t id);
  std::optional<LT> hide(const onednn::LogicalTensor &output);

  onednn::GraphFile &graph;
  const ApiOptions &options;
  std::vector<partition> partitions;
  std::map<uint64_t, Tensor> values;
  /// Memory of tensors in the form that the library takes.
  std::map<uint64_t, std::vector<char>> packed;
  /// Tensors in layouts that only the library knows.
  std::map<uint64_t, std::pair<LT, std::vector<char>>> hidden;
  std::set<uint64_t> constants;
  engine cpu{engine::kind::cpu, 0};
  stream cpuStream{cpu};
};
} // namespace

LT Program::describe(const onednn::LogicalTensor &tensor) {
  auto property = tensor.property == onednn::Property::Constant
                      ? LT::property_type::constant
                      : LT::property_type::undef;
  LT::data_type type = getDataType(tensor.elementType);
  if (options.unknown.count(tensor.id))
    return LT(tensor.id, type, DNNL_GRAPH_UNKNOWN_NDIMS,
              LT::layout_type::strided, property);
  LT::dims dims(tensor.shape.begin(), tensor.shape.end());
  if (options.unknownSizes.count(tensor.id))
    dims.assign(dims.size(), DNNL_GRAPH_UNKNOWN_DIM);
  return LT(tensor.id, type, dims, LT::layout_type::undef, property);
}

void Program::build() {
  dnnl::graph::graph result(engine::kind::cpu);
  size_t next = 0;
  std::map<uint64_t, LT> tensors;
  auto describeOnce = [&](const onednn::LogicalTensor &tensor) {
    return tensors.try_emplace(tensor.id, describe(tensor)).first->second;
  };
  for (const onednn::OpNode &node : graph.ops) {
    bool isWildcard = options.wildcards.count(node.id);
    op built(node.id, isWildcard ? op::kind::Wildcard : getKind(node.kind),
             node.kind);
    if (!isWildcard)
      for (const onednn::OpAttr &attr : node.attrs)
        setAttr(built, attr);
    for (const auto &input : node.inputs)
      built.add_input(describeOnce(input));
    for (const auto &output : node.outputs)
      built.add_output(describeOnce(output));
    if (result.add_op(built, /*allow_exception=*/false) !=
        dnnl::status::success)
      fail("not added: " + node.describe());
    next = std::max<size_t>(next, node.id + 1);
  }
  for (uint64_t id : options.ended)
    if (tensors.count(id))
      result.add_op(op(next++, op::kind::End, {tensors.at(id)}, {}));
  result.finalize();
  partitions = result.get_partitions(options.policy);
}

/// Each op once, in an order in which all inputs are there.
void Program::checkPartitions() {
  std::set<size_t> seen;
  std::set<uint64_t> made, madeBefore;
  for (const onednn::OpNode &node : graph.ops)
    for (const auto &output : node.outputs)
      made.insert(output.id);
  std::set<size_t> ids;
  for (partition &part : partitions) {
    if (!ids.insert(part.get_id()).second)
      fail("two partitions have one id");
    for (size_t id : part.get_ops())
      if (!seen.insert(id).second)
        fail("op " + std::to_string(id) + " is in two partitions");
    if (options.policy == partition::policy::debug && part.get_ops_num() != 1)
      fail("a partition of several ops for debugging");
    for (const LT &port : part.get_input_ports())
      if (made.count(port.get_id()) && !madeBefore.count(port.get_id()))
        fail("partitions are not in order");
    for (const LT &port : part.get_output_ports())
      madeBefore.insert(port.get_id());
  }
  for (const onednn::OpNode &node : graph.ops)
    if (!seen.count(node.id))
      fail(node.describe() + " is in no partition");
}

void Program::setInput(uint64_t id, Tensor value, bool constant) {
  if (constant)
    constants.insert(id);
  values.insert_or_assign(id, std::move(value));
}

static bool isNibble(LT::data_type type) {
  return type == LT::data_type::s4 || type == LT::data_type::u4;
}

/// The tensor as it is in memory.
LT Program::describeValue(uint64_t id) {
  if (auto entry = hidden.find(id); entry != hidden.end())
    return entry->second.first;
  const Tensor &value = values.at(id);
  static const std::map<reference::ElementType, LT::data_type> types = {
      {reference::ElementType::F32, LT::data_type::f32},
      {reference::ElementType::BF16, LT::data_type::bf16},
      {reference::ElementType::F16, LT::data_type::f16},
      {reference::ElementType::F8E5M2, LT::data_type::f8_e5m2},
      {reference::ElementType::F8E4M3FN, LT::data_type::f8_e4m3},
      {reference::ElementType::S32, LT::data_type::s32},
      {reference::ElementType::S8, LT::data_type::s8},
      {reference::ElementType::U8, LT::data_type::u8},
      {reference::ElementType::S4, LT::data_type::s4},
      {reference::ElementType::U4, LT::data_type::u4},
      {reference::ElementType::Boolean, LT::data_type::boolean},
      {reference::ElementType::U64, LT::data_type::s64}};
  LT::data_type type = types.at(value.getType());
  if (isNibble(type) && !packed.count(id)) {
    std::vector<char> bytes((value.getBufferElements() + 1) / 2);
    for (int64_t i = 0; i < value.getBufferElements(); ++i)
      bytes[i / 2] |= (value.getData<char>()[i] & 15) << (i % 2 * 4);
    packed[id] = std::move(bytes);
  }
  return LT(id, type,
            LT::dims(value.getShape().begin(), value.getShape().end()),
            LT::dims(value.getStrides().begin(), value.getStrides().end()),
            constants.count(id) ? LT::property_type::constant
                                : LT::property_type::undef);
}

/// Whether all that read a tensor are partitions that the library runs.
bool Program::isHideable(uint64_t id) {
  bool isRead = false;
  for (partition &part : partitions)
    for (const LT &port : part.get_input_ports())
      if (port.get_id() == id) {
        isRead = true;
        if (!part.is_supported())
          return false;
      }
  return isRead;
}

/// The tensor in the blocks that the options name, if it may have them.
std::optional<LT> Program::hide(const onednn::LogicalTensor &output) {
  if (!options.blocks || output.shape.size() != 2 || !isHideable(output.id))
    return std::nullopt;
  LT result(output.id, getDataType(output.elementType),
            LT::dims(output.shape.begin(), output.shape.end()),
            LT::layout_type::opaque);
  result.data.layout.layout_id = *options.blocks;
  return result;
}

/// Any layout, row-major, a view: with a gap after each row, or with the first
/// dimension innermost; or an opaque one.
LT Program::chooseOutput(const LT &port) {
  unsigned choice = options.choose(5);
  switch (choice) {
  case 0:
    return LT(port.get_id(), port.get_data_type(), LT::layout_type::any);
  case 1:
    return LT(port.get_id(), port.get_data_type(), LT::layout_type::strided);
  }
  for (const onednn::OpNode &node : graph.ops)
    for (const auto &output : node.outputs)
      if (output.id == port.get_id()) {
        if (choice == 4)
          return hide(output).value_or(
              LT(output.id, port.get_data_type(), LT::layout_type::any));
        LT::dims dims(output.shape.begin(), output.shape.end());
        LT::dims strides(dims.size(), 1);
        if (choice == 2)
          for (size_t i = dims.size(); i-- > 1;)
            strides[i - 1] = strides[i] * dims[i] + (i == 1 ? 3 : 0);
        else
          for (size_t i = 1; i < dims.size(); ++i)
            strides[i] = strides[i - 1] * dims[i - 1];
        return LT(port.get_id(), port.get_data_type(), dims, strides);
      }
  fail("an output that no op makes");
}

void *Program::getData(const LT &input) {
  if (auto entry = hidden.find(input.get_id()); entry != hidden.end())
    return entry->second.second.data();
  return isNibble(input.get_data_type()) ? packed.at(input.get_id()).data()
                                         : values.at(input.get_id()).getData();
}

tensor Program::addOpaque(const LT &output) {
  ++opaque;
  auto &[lt, data] = hidden[output.get_id()];
  lt = output;
  // Padding may be anything, also NaN.
  data.assign(output.get_mem_size(), char(0xff));
  return tensor(output, cpu, data.data());
}

void Program::runPartition(partition &part) {
  std::vector<LT> inputs, outputs;
  std::set<size_t> known;
  for (const LT &port : part.get_input_ports())
    if (known.insert(port.get_id()).second)
      inputs.push_back(describeValue(port.get_id()));
  for (const LT &port : part.get_output_ports())
    outputs.push_back(chooseOutput(port));
  auto compiled = part.compile(inputs, outputs, cpu);
  std::vector<tensor> in, out;
  for (const LT &input : inputs)
    in.emplace_back(input, cpu, getData(input));
  std::map<size_t, size_t> pairs;
  for (auto [input, output] : compiled.get_inplace_ports())
    pairs[output] = input;
  for (LT &output : outputs) {
    output = compiled.query_logical_tensor(output.get_id());
    if (output.get_layout_type() == LT::layout_type::opaque) {
      out.push_back(addOpaque(output));
      continue;
    }
    LT::dims dims = output.get_dims(), strides = output.get_strides();
    mlir::Type type;
    for (const onednn::OpNode &node : graph.ops)
      for (const auto &made : node.outputs)
        if (made.id == output.get_id())
          type = made.elementType;
    auto value =
        Tensor::create(*reference::getElementType(type), dims, {strides});
    if (mlir::failed(value))
      fail("no memory");
    std::memset(value->getData(), 0x5a, value->getBufferBytes());
    // In place: the input's content is lost, so that a copy takes its place.
    auto pair = pairs.find(output.get_id());
    if (pair != pairs.end() && options.choose(2) == 1) {
      ++inplace;
      std::memcpy(value->getData(), values.at(pair->second).getData(),
                  value->getBufferBytes());
      for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].get_id() == pair->second)
          in[i].set_data_handle(value->getData());
    }
    out.emplace_back(output, cpu, value->getData());
    values.insert_or_assign(output.get_id(), std::move(*value));
  }
  tensor scratchpad;
  LT scratch = compiled.get_scratchpad_logical_tensor();
  if (scratch.get_mem_size() > 0 && options.choose(2) == 1)
    scratchpad = tensor(scratch, cpu);
  compiled.execute(cpuStream, in, out, scratchpad);
  cpuStream.wait();
}

void Program::runWildcard(const LT &input, const LT &output) {
  auto value = values.at(input.get_id()).clone();
  if (mlir::failed(value))
    fail("no memory");
  std::vector<double> elements = value->getValues();
  for (double &element : elements)
    element = std::abs(element);
  value->setValues(elements);
  values.insert_or_assign(output.get_id(), std::move(*value));
}

void Program::run() {
  for (partition &part : partitions) {
    if (part.is_supported())
      runPartition(part);
    else if (std::vector<LT> outputs = part.get_output_ports();
             !outputs.empty())
      runWildcard(part.get_input_ports().front(), outputs.front());
  }
}

ApiResult gc::dnnltest::runThroughApi(onednn::GraphFile graph,
                                      mlir::MLIRContext *context,
                                      const ApiOptions &options) {
  ApiResult result;
  // Outputs: what nobody reads, and what an end marks.
  std::set<uint64_t> read;
  std::vector<uint64_t> outputs;
  for (const onednn::OpNode &node : graph.ops)
    for (const auto &input : node.inputs)
      if (!llvm::StringRef(node.kind).equals_insensitive("End"))
        read.insert(input.id);
  for (const onednn::OpNode &node : graph.ops)
    for (const auto &output : node.outputs)
      if (!read.count(output.id) || options.ended.count(output.id))
        outputs.push_back(output.id);
  graph.outputPorts.emplace(outputs.begin(), outputs.end());
  // Layouts are chosen here.
  for (onednn::OpNode &node : graph.ops)
    for (auto *list : {&node.inputs, &node.outputs})
      for (onednn::LogicalTensor &tensor : *list)
        tensor.strides.reset();
  try {
    DiagnosticCollector diagnostics(context);
    auto module = onednn::importGraph(graph, context);
    if (!module) {
      result.refusal = llvm::toString(diagnostics.takeError("not imported"));
      return result;
    }
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto inputs = reference::makeInputs(function, /*seed=*/7);
    if (mlir::failed(inputs))
      fail("no inputs");
    Program program(graph, options);
    program.build();
    program.checkPartitions();
    result.partitions = program.getNumPartitions();
    for (auto [i, input] : llvm::enumerate(*inputs)) {
      auto name = function.getArgAttrOfType<mlir::StringAttr>(
          i, graph::GraphDialect::kNameAttr);
      bool constant =
          bool(function.getArgAttr(i, graph::GraphDialect::kConstArgAttr));
      // Views: with a gap between rows, or with the first dimension innermost.
      Tensor value = input;
      unsigned choice = options.choose(4);
      if (choice >= 2 && input.getRank() > 1 &&
          reference::getInfo(input.getType()).bytes > 1) {
        llvm::SmallVector<int64_t> strides(input.getStrides());
        if (choice == 2)
          for (int64_t d = 0; d + 1 < input.getRank(); ++d)
            strides[d] = strides[d] * 2;
        else
          for (int64_t d = 0, next = 1; d < input.getRank(); ++d)
            next *= input.getShape()[d],
                strides[d] = next / input.getShape()[d];
        auto view =
            Tensor::create(input.getType(), input.getShape(), {strides});
        if (mlir::failed(view))
          fail("no memory");
        std::memset(view->getData(), 0xff, view->getBufferBytes());
        view->copyFrom(input);
        value = *view;
      }
      program.setInput(std::stoull(name.str()), value, constant);
    }
    try {
      program.run();
    } catch (const dnnl::error &error) {
      if (error.status != dnnl_unimplemented)
        throw;
      result.refusal = error.message;
      return result;
    }
    result.inplace = program.inplace;
    result.opaque = program.opaque;
    reference::InterpretOptions interpret;
    interpret.errorBounds = true;
    auto expected = reference::interpret(function, *inputs, interpret);
    if (mlir::failed(expected))
      fail(llvm::toString(diagnostics.takeError("the reference failed")));
    for (auto [i, id] : llvm::enumerate(outputs)) {
      auto comparison = reference::compare(
          program.getTensor(id), expected->values[i], expected->bounds[i]);
      if (!comparison.passed)
        fail("tensor " + std::to_string(id) + ": " + comparison.message);
    }
  } catch (const Failure &failure) {
    result.error = failure.message;
  } catch (const dnnl::error &error) {
    result.error =
        std::string(error.message) + ", status " + std::to_string(error.status);
  }
  return result;
}
