// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs of other projects, if they are there, through the C++ header.

#include "ApiRun.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Reference/Interpreter.h"
#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "Transforms/Register.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>

using namespace gc;
using namespace gc::dnnltest;

namespace {

/// The files of the folder whose path has `GC_WORKLOADS_FILTER` in it, of at
/// most a size that the reference evaluates soon.
std::vector<std::string> findFiles() {
  std::vector<std::string> files;
  const char *filter = getenv("GC_WORKLOADS_FILTER");
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator
           entry(GC_WORKLOADS_FOLDER, error),
       end;
       entry != end && !error; entry.increment(error))
    if (llvm::StringRef path = entry->path();
        path.ends_with(".json") && (!filter || path.contains(filter)))
      files.push_back(path.str());
  std::sort(files.begin(), files.end());
  return files;
}

/// Multiplications and elements of the largest tensor, roughly.
double estimateWork(const onednn::GraphFile &graph) {
  double work = 0;
  for (const onednn::OpNode &node : graph.ops) {
    double elements = 1, output = 1;
    for (const auto &input : node.inputs) {
      double size = 1;
      for (int64_t dim : input.shape)
        size *= static_cast<double>(dim);
      elements = std::max(elements, size);
    }
    for (const auto &made : node.outputs)
      for (int64_t dim : made.shape)
        output *= static_cast<double>(dim);
    bool isProduct =
        llvm::StringRef(node.kind).contains("Conv") || node.kind == "MatMul";
    work += isProduct && !node.inputs.front().shape.empty() ? output * 512
                                                            : elements;
  }
  return work;
}

TEST(Workloads, AgreeWithTheReference) {
  std::vector<std::string> files = findFiles();
  if (files.empty())
    GTEST_SKIP() << "there are no graphs in " << GC_WORKLOADS_FOLDER;
  const char *limit = getenv("GC_WORKLOADS_LIMIT");
  // With a seed: views, layouts of the library's choice, in place, one op each.
  const char *seed = getenv("GC_RANDOM_SEED");
  double most = limit ? atof(limit) : 5e6;
  int ran = 0, refused = 0, large = 0;
  for (const std::string &file : files) {
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    reference::registerReferenceModels(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto buffer = llvm::MemoryBuffer::getFile(file);
    ASSERT_TRUE(bool(buffer)) << file;
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
    auto graph = onednn::readGraphFile(sources, &context);
    if (mlir::failed(graph)) {
      ++refused;
      continue;
    }
    if (estimateWork(*graph) > most) {
      ++large;
      continue;
    }
    ApiOptions options;
    std::mt19937 random(seed ? atoi(seed) : 1);
    if (seed) {
      options.choose = [&](unsigned count) { return random() % count; };
      if (random() % 2)
        options.policy = dnnl::graph::partition::policy::debug;
    }
    ApiResult result = runThroughApi(*graph, &context, options);
    EXPECT_EQ(result.error, "") << file;
    if (result.refusal.empty()) {
      ++ran;
      if (result.partitions != 1)
        std::cerr << file << ": " << result.partitions << " partitions\n";
    } else {
      ++refused;
      std::cerr << file << ": " << result.refusal << "\n";
    }
  }
  std::cerr << ran << " graphs ran, " << refused << " were refused, " << large
            << " are too large for this test\n";
  EXPECT_GT(ran, 0);
}

/// What is dumped for a compiled partition is read by the importer, with all
/// shapes.
TEST(Dumps, AreReadByTheImporter) {
  using LT = dnnl::graph::logical_tensor;
  using dnnl::graph::op;
  llvm::SmallString<128> folder, before;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gc-dump", folder));
  ASSERT_FALSE(llvm::sys::fs::current_path(before));
  ASSERT_FALSE(llvm::sys::fs::set_current_path(folder));
  dnnl::graph::set_dump_mode(dnnl::graph::dump_mode::subgraph |
                             dnnl::graph::dump_mode::graph);
  const auto f32 = LT::data_type::f32;
  dnnl::graph::graph g(dnnl::engine::kind::cpu);
  op elu(1, op::kind::Elu, {LT(2, f32)}, {LT(3, f32)});
  elu.set_attr<float>(op::attr::alpha, 0.25f);
  g.add_op(op(0, op::kind::MatMul, {LT(0, f32), LT(1, f32)}, {LT(2, f32)}));
  // JSON has no infinity.
  op clamp(2, op::kind::Clamp, {LT(3, f32)}, {LT(4, f32)});
  clamp.set_attr<float>(op::attr::min, 0.1f);
  clamp.set_attr<float>(op::attr::max, std::numeric_limits<float>::infinity());
  g.add_op(elu);
  g.add_op(clamp);
  g.finalize();
  auto partitions = g.get_partitions();
  ASSERT_EQ(partitions.size(), 1u);
  LT x(0, f32, LT::dims{5, 7}, LT::layout_type::strided);
  LT w(1, f32, LT::dims{7, 9}, LT::dims{1, 7});
  partitions[0].compile({x, w}, {LT(4, f32, LT::layout_type::any)},
                        dnnl::engine(dnnl::engine::kind::cpu, 0));
  dnnl::graph::set_dump_mode(dnnl::graph::dump_mode::none);
  std::string stem = "graph-" + std::to_string(partitions[0].get_id());
  EXPECT_TRUE(llvm::sys::fs::exists(stem + ".json"));
  EXPECT_TRUE(llvm::sys::fs::exists(stem + "-partitioning.json"));
  int read = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(".", error), end;
       entry != end && !error; entry.increment(error)) {
    llvm::StringRef path = entry->path();
    if (!path.contains(stem + "-") || path.contains("partitioning"))
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(bool(buffer));
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    mlir::MLIRContext context;
    auto module = importOneDNNGraph(sources, &context);
    EXPECT_TRUE(bool(module));
    if (module)
      module->walk([](graph::ClampOp op) {
        EXPECT_EQ(op.getMin().convertToFloat(), 0.1f);
        EXPECT_TRUE(op.getMax().isInfinity());
      });
    ++read;
  }
  EXPECT_EQ(read, 1);
  ASSERT_FALSE(llvm::sys::fs::set_current_path(before));
  llvm::sys::fs::remove_directories(folder);
}

} // namespace
