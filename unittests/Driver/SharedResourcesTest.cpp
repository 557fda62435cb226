// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled graphs read large resources where they are, own them with the
// context, and give them up when they are folded.

#include "Driver/SharedResources.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Driver.h"
#include "Driver/SharedConstants.h"
#include "Driver/Source.h"
#include "Target/Onnx/Onnx.h"
#include "Transforms/Register.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"

using namespace gc;

namespace {

constexpr int64_t kCount = 20000;

/// The first constant is folded, the second is read by every execution.
constexpr const char *kProgram = R"(
  func.func @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {
    %w = graph.constant dense<0.0> : tensor<20000xf32>
    %b = graph.constant dense<0.0> : tensor<20000xf32>
    %0 = graph.abs %w : (tensor<20000xf32>) -> tensor<20000xf32>
    %1 = graph.multiply %x, %0 : (tensor<20000xf32>, tensor<20000xf32>) -> tensor<20000xf32>
    %2 = graph.add %1, %b : (tensor<20000xf32>, tensor<20000xf32>) -> tensor<20000xf32>
    return %2 : tensor<20000xf32>
  })";

/// Numbers `offset` bytes after an address that is aligned to 64, which count
/// when they are freed.
struct Weights {
  Weights(int64_t offset, float scale) : offset(offset) {
    std::vector<float> values;
    for (int64_t i = 0; i < kCount; ++i)
      values.push_back(scale * float(i % 17 - 8));
    memory = static_cast<char *>(gc_allocate(64 + kCount * sizeof(float), 64));
    memcpy(memory + offset, values.data(), kCount * sizeof(float));
  }
  ~Weights() { gc_deallocate(memory); }

  mlir::AsmResourceBlob makeBlob() {
    return {llvm::ArrayRef<char>(memory + offset, kCount * sizeof(float)),
            /*dataAlignment=*/4,
            [this](void *, size_t, size_t) {
              // Whoever still reads them computes something else.
              memset(memory, 0xFF, 64 + kCount * sizeof(float));
              ++freed;
            },
            /*dataIsMutable=*/false};
  }

  int64_t offset;
  char *memory;
  int64_t freed = 0;
};

class SharedResourcesTest : public ::testing::Test {
protected:
  SharedResourcesTest() { renewContext(); }

  void renewContext() {
    module = nullptr;
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry);
  }

  void destroyContext() {
    module = nullptr;
    context = nullptr;
  }

  /// The graph with these weights; `isShared` as the reader of files does it.
  void make(Weights &w, Weights &b, bool isShared = true) {
    module = mlir::parseSourceString<mlir::ModuleOp>(kProgram, context.get());
    ASSERT_TRUE(module);
    Weights *all[] = {&w, &b};
    int64_t i = 0;
    module->walk([&](graph::ConstantOp op) {
      op.setValueAttr(mlir::DenseResourceElementsAttr::get(
          mlir::cast<mlir::RankedTensorType>(op.getType()), "weights",
          all[i++]->makeBlob()));
    });
    ASSERT_EQ(i, 2);
    if (isShared)
      shareResources(*module);
  }

  std::unique_ptr<CompiledGraph> compile(const CompileOptions &options = {}) {
    auto graph =
        CompiledGraph::compile(llvm::cantFail(findEntry(*module, "")), options);
    if (!graph) {
      ADD_FAILURE() << llvm::toString(graph.takeError());
      return nullptr;
    }
    EXPECT_EQ((*graph)->getModule()->num_folded, 1u);
    return std::move(*graph);
  }

  void execute(CompiledGraph &graph) {
    std::vector<float> x(kCount), y(kCount, -1.f);
    for (int64_t i = 0; i < kCount; ++i)
      x[i] = float(i % 5);
    void *inputs[] = {x.data()}, *outputs[] = {y.data()};
    llvm::cantFail(graph.execute(inputs, outputs, nullptr, 1));
    // 1 and 3 are the scales of the weights.
    for (int64_t i = 0; i < kCount; ++i)
      ASSERT_EQ(y[i],
                x[i] * std::abs(float(i % 17 - 8)) + 3.f * float(i % 17 - 8))
          << "element " << i;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(SharedResourcesTest, CodeOutlivesTheContextAndFreesWhatItHasFolded) {
  // At 4 bytes, no load may rely on more than the alignment of an element.
  for (int64_t offset : {0, 4, 16}) {
    Weights w(offset, 1), b(offset, 3);
    make(w, b);
    auto graph = compile();
    ASSERT_TRUE(graph);
    destroyContext();
    EXPECT_EQ(w.freed + b.freed, 0);
    execute(*graph);
    EXPECT_EQ(w.freed, 1);
    EXPECT_EQ(b.freed, 0);
    execute(*graph);
    graph = nullptr;
    EXPECT_EQ(b.freed, 1);
    renewContext();
  }
}

TEST_F(SharedResourcesTest, AGraphThatIsCompiledTwiceKeepsItsWeights) {
  Weights w(0, 1), b(0, 3);
  make(w, b);
  auto first = compile();
  ASSERT_TRUE(first);
  execute(*first);
  EXPECT_EQ(w.freed + b.freed, 0);
  auto second = compile();
  ASSERT_TRUE(second);
  dropResources(*module);
  EXPECT_EQ(w.freed + b.freed, 0);
  execute(*second);
  EXPECT_EQ(w.freed, 1);
  first = nullptr;
  EXPECT_EQ(b.freed, 0);
  execute(*second);
  second = nullptr;
  EXPECT_EQ(b.freed, 1);
}

TEST_F(SharedResourcesTest, GraphsOfSeveralSizesShareThem) {
  Weights w(0, 1), b(0, 3);
  make(w, b);
  CompileOptions options;
  options.constants = std::make_shared<SharedConstants>();
  auto first = compile(options), second = compile(options);
  ASSERT_TRUE(first && second);
  destroyContext();
  EXPECT_EQ(options.constants->getBytes(), 2 * kCount * int64_t(sizeof(float)));
  execute(*first);
  EXPECT_EQ(w.freed, 0);
  execute(*second);
  EXPECT_EQ(w.freed, 1);
  EXPECT_EQ(options.constants->getBytes(), kCount * int64_t(sizeof(float)));
}

TEST_F(SharedResourcesTest, SharedOnesAreAlignedAsTheCodeExpects) {
  SharedConstants shared;
  std::vector<char> memory(4096, 'x');
  const char *aligned = memory.data();
  aligned += 64 - reinterpret_cast<uintptr_t>(aligned) % 64;
  auto share = [&](const char *begin) {
    auto owner = std::make_shared<int>();
    NamedData data{"w", llvm::StringRef(begin, 1024), owner};
    return std::pair(owner, shared.share({data}).front().bytes.data());
  };
  auto first = share(aligned + 1);
  EXPECT_EQ(first.second, aligned + 1);
  // Code that was given this one cannot do with the first.
  auto second = share(aligned + 64);
  EXPECT_EQ(second.second, aligned + 64);
  auto third = share(aligned + 128);
  EXPECT_EQ(third.second, aligned + 64);
}

TEST_F(SharedResourcesTest, OnlyFoldsReadWhatIsNotAligned) {
  for (int64_t offset : {1, 2, 3}) {
    Weights w(offset, 1), b(offset, 3);
    make(w, b);
    auto graph = compile();
    ASSERT_TRUE(graph);
    destroyContext();
    EXPECT_EQ(w.freed, 0);
    EXPECT_EQ(b.freed, 1);
    execute(*graph);
    EXPECT_EQ(w.freed, 1);
    renewContext();
  }
}

TEST_F(SharedResourcesTest, OthersAreCopied) {
  Weights w(0, 1), b(0, 3);
  make(w, b, /*isShared=*/false);
  auto graph = compile();
  ASSERT_TRUE(graph);
  destroyContext();
  EXPECT_EQ(w.freed, 1);
  EXPECT_EQ(b.freed, 1);
  execute(*graph);
}

TEST_F(SharedResourcesTest, ACopiedModelDoesNotNeedItsFile) {
  Weights w(0, 1), b(0, 3);
  make(w, b);
  int file;
  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("model", "onnx", file, path));
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  bool isWritten = succeeded(exportOnnx(*module, os));
  os.close();
  if (!isWritten) {
    destroyContext();
    GTEST_SKIP() << "built without ONNX";
  }
  auto read = readGraph(path, context.get());
  if (!read)
    FAIL() << llvm::toString(read.takeError());
  module = std::move(*read);
  // Whoever had mapped the file could not read it any more.
  std::error_code error;
  llvm::raw_fd_ostream empty(path, error, llvm::sys::fs::CD_CreateAlways);
  ASSERT_FALSE(error);
  auto graph = compile();
  ASSERT_TRUE(graph);
  destroyContext();
  execute(*graph);
}

TEST_F(SharedResourcesTest, WhatIsFreedIsNotFoundAnyMore) {
  Weights w(0, 1), b(0, 3);
  llvm::ArrayRef<char> data(w.memory, kCount * sizeof(float));
  EXPECT_FALSE(findOwner(data));
  make(w, b);
  EXPECT_TRUE(findOwner(data));
  EXPECT_FALSE(findOwner(data.drop_back()));
  destroyContext();
  EXPECT_FALSE(findOwner(data));
}

TEST_F(SharedResourcesTest, FilesAreReadThisWay) {
  std::string bytes = "04000000" + std::string(8 * kCount, '0');
  std::string text = R"(
    func.func @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {
      %w = graph.constant dense_resource<w> : tensor<20000xf32>
      %0 = graph.add %x, %w : (tensor<20000xf32>, tensor<20000xf32>) -> tensor<20000xf32>
      return %0 : tensor<20000xf32>
    }
    {-# dialect_resources: {builtin: {w: "0x)" +
                     bytes + R"("}} #-})";
  module = llvm::cantFail(
      parseGraph(llvm::MemoryBuffer::getMemBufferCopy(text, "text"),
                 SourceFormat::mlir, context.get()));
  int64_t found = 0;
  module->walk([&](graph::ConstantOp op) {
    auto value = mlir::cast<mlir::DenseResourceElementsAttr>(op.getValue());
    found += bool(findOwner(value.getRawHandle().getBlob()->getData()));
  });
  EXPECT_EQ(found, 1);
}

} // namespace
