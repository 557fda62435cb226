// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Models without the raw data of their large initializers are what protobuf
// makes of the whole file otherwise.

#include "Dialect/Graph/IR/GraphOps.h"
#include "RawData.h"
#include "Target/Onnx/Onnx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cstring>
#include <google/protobuf/stubs/logging.h>
#include <random>

using namespace gc;
using namespace gc::onnxio;

namespace {

constexpr int64_t kCount = 20000;

void addFloats(::onnx::TensorProto &tensor, const char *name, float scale,
               int64_t count = kCount) {
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_dims(count);
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(scale * float(i % 31 - 15));
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
}

void addNode(::onnx::GraphProto &graph, const char *type, const char *a,
             const char *b, const char *result) {
  ::onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(type);
  node.add_input(a);
  node.add_input(b);
  node.add_output(result);
}

void addValue(::onnx::ValueInfoProto &value, const char *name) {
  value.set_name(name);
  auto &type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(::onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_value(kCount);
}

/// y = (x + w) * v + s, with the last one too small to be split off.
::onnx::ModelProto makeModel() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  ::onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("graph");
  addFloats(*graph.add_initializer(), "w", 1);
  addFloats(*graph.add_initializer(), "s", 3, 1);
  addFloats(*graph.add_initializer(), "v", 2);
  // The order of fields is not that of their numbers.
  graph.mutable_initializer(2)->set_doc_string("weights");
  addValue(*graph.add_input(), "x");
  addValue(*graph.add_output(), "y");
  addNode(graph, "Add", "x", "w", "t0");
  addNode(graph, "Mul", "t0", "v", "t1");
  addNode(graph, "Add", "t1", "s", "y");
  return model;
}

/// Puts back what was left out.
bool join(const SplitModel &split, ::onnx::ModelProto &model) {
  if (!split.parse(model))
    return false;
  for (int i = 0; i < model.graph().initializer_size(); ++i)
    if (const llvm::StringRef *raw = split.getRawData(i)) {
      EXPECT_FALSE(model.graph().initializer(i).has_raw_data());
      model.mutable_graph()->mutable_initializer(i)->set_raw_data(raw->data(),
                                                                  raw->size());
    }
  return true;
}

TEST(OnnxRawData, LargeOnesStayInTheFile) {
  ::onnx::ModelProto model = makeModel();
  std::string bytes = model.SerializeAsString();
  std::optional<SplitModel> split = SplitModel::create(bytes);
  ASSERT_TRUE(split);
  EXPECT_FALSE(split->getRawData(1));
  EXPECT_FALSE(split->getRawData(3));
  for (int i : {0, 2}) {
    const llvm::StringRef *raw = split->getRawData(i);
    ASSERT_TRUE(raw);
    EXPECT_GE(raw->data(), bytes.data());
    EXPECT_LE(raw->end(), bytes.data() + bytes.size());
    EXPECT_EQ(*raw, model.graph().initializer(i).raw_data());
  }
  ::onnx::ModelProto joined;
  ASSERT_TRUE(join(*split, joined));
  EXPECT_EQ(joined.SerializeAsString(), bytes);
}

TEST(OnnxRawData, NothingToLeaveOut) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->clear_initializer();
  EXPECT_FALSE(SplitModel::create(model.SerializeAsString()));
  EXPECT_FALSE(SplitModel::create(""));
}

TEST(OnnxRawData, WhatProtobufMergesIsLeftToIt) {
  std::string bytes = makeModel().SerializeAsString();
  // Fields of the graph in two pieces, and a tensor with two values.
  EXPECT_FALSE(SplitModel::create(bytes + bytes));
  ::onnx::ModelProto twice;
  ::onnx::TensorProto tensor;
  addFloats(tensor, "w", 1);
  std::string encoded = tensor.SerializeAsString();
  encoded += encoded;
  std::string graph = "\x2A"; // Field 5, bytes.
  for (size_t size = encoded.size(); size > 0; size >>= 7)
    graph += char((size & 0x7F) | (size >> 7 ? 0x80 : 0));
  graph += encoded;
  std::string model = "\x3A"; // Field 7, bytes.
  for (size_t size = graph.size(); size > 0; size >>= 7)
    model += char((size & 0x7F) | (size >> 7 ? 0x80 : 0));
  model += graph;
  ASSERT_TRUE(twice.ParseFromString(model));
  ASSERT_EQ(twice.graph().initializer_size(), 1);
  EXPECT_FALSE(SplitModel::create(model));
}

// Damage anywhere but in the values, where it would be nothing special.
TEST(OnnxRawData, DamagedFiles) {
  google::protobuf::LogSilencer silencer;
  ::onnx::ModelProto model = makeModel();
  std::string whole = model.SerializeAsString();
  size_t values = kCount * sizeof(float);
  std::vector<size_t> places;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const auto &tensor : model.graph().initializer())
      if (whole.compare(i, values, tensor.raw_data()) == 0)
        i += values;
    places.push_back(i);
  }
  std::mt19937 random(1);
  int64_t split = 0, refused = 0;
  for (int64_t i = 0; i < 4000; ++i) {
    std::string bytes = whole;
    size_t at = places[random() % places.size()];
    switch (random() % 4) {
    case 0:
      bytes[at] = char(random());
      break;
    case 1:
      bytes[at] ^= char(1 << random() % 8);
      break;
    case 2:
      bytes.erase(at, 1 + random() % 3);
      break;
    default:
      bytes.resize(random() % bytes.size());
    }
    ::onnx::ModelProto expected, found;
    bool isModel = expected.ParseFromString(bytes);
    std::optional<SplitModel> some = SplitModel::create(bytes);
    if (!some)
      continue;
    bool isFound = join(*some, found);
    ASSERT_EQ(isFound, isModel) << "mutant " << i;
    if (isModel)
      ASSERT_EQ(found.SerializeAsString(), expected.SerializeAsString())
          << "mutant " << i;
    ++(isModel ? split : refused);
  }
  EXPECT_GT(split, 500);
  EXPECT_GT(refused, 50);
}

TEST(OnnxRawData, ImportMakesNoCopy) {
  std::string bytes = makeModel().SerializeAsString();
  mlir::MLIRContext context;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, "model.onnx");
  llvm::StringRef inside = buffer->getBuffer();
  auto module = importOnnx(std::move(buffer), &context);
  ASSERT_TRUE(module);
  auto copied =
      importOnnx(llvm::MemoryBufferRef(bytes, "model.onnx"), &context);
  ASSERT_TRUE(copied);
  auto getLarge = [](mlir::ModuleOp of) {
    std::vector<llvm::ArrayRef<char>> data;
    of.walk([&](graph::ConstantOp op) {
      if (auto value =
              llvm::dyn_cast<mlir::DenseResourceElementsAttr>(op.getValue()))
        data.push_back(value.getRawHandle().getBlob()->getData());
    });
    return data;
  };
  auto own = getLarge(*module), other = getLarge(*copied);
  ASSERT_EQ(own.size(), 2u);
  ASSERT_EQ(other.size(), 2u);
  for (auto [mine, theirs] : llvm::zip_equal(own, other)) {
    EXPECT_GE(mine.data(), inside.data());
    EXPECT_LE(mine.end(), inside.end());
    EXPECT_EQ(mine, theirs);
  }
}

TEST(OnnxRawData, SizesAreStillChecked) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, kCount + 1);
  mlir::MLIRContext context;
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &found) {
    message += found.str();
    return mlir::success();
  });
  EXPECT_FALSE(importOnnx(
      llvm::MemoryBuffer::getMemBufferCopy(model.SerializeAsString(), "m.onnx"),
      &context));
  EXPECT_EQ(message, "initializer 'w' has 80000 bytes of values instead of "
                     "80004");
}

} // namespace
