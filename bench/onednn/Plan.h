// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps a graph to oneDNN primitives the way a careful user would: each matmul
// takes its bias, elementwise and binary neighbours as post-ops, constant
// weights are reordered once, primitives and memory are made before the first
// run. Where there is more than one way (matmul or inner product, the weights
// in the layout the primitive asks for or transposed, which is up to twice as
// fast where the library falls back on a plain GEMM), every way is built and
// timed, and the fastest one is the baseline.
#ifndef GC_BENCH_ONEDNN_PLAN_H
#define GC_BENCH_ONEDNN_PLAN_H

#include "Graph.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace bench {

/// A primitive with its arguments bound.
struct Step {
  dnnl::primitive Primitive;
  std::unordered_map<int, dnnl::memory> Args;
  std::string Name; ///< Primitive kind, number of post-ops, implementation.
};

/// One way to compute a group of operations.
struct Variant {
  std::string Name;
  std::vector<Step> Steps;
};

/// An ordered list of steps that computes the graph.
struct Plan {
  std::string Name;
  std::vector<Step> Steps;

  /// Runs all steps and waits for the last.
  void run(dnnl::stream &Stream) const;
};

/// A list of integers among the attributes of an operation.
std::vector<int64_t> getList(const Op &O, const char *Name);

/// An image with its channels last in the order that the library counts in:
/// n, channels, x...
dnnl::memory::desc channelsSecond(const dnnl::memory::desc &D);

/// Builds the memories of a graph and the plans that compute it.
class Planner {
public:
  /// Fills the inputs and makes the primitives. Throws dnnl::error where the
  /// library has no primitive for the data type, std::runtime_error where this
  /// driver has no mapping for an operation.
  Planner(const Graph &G, dnnl::engine Engine, dnnl::stream Stream);

  /// The distinct plans: one per way used throughout, and "tuned", which takes
  /// per group what was fastest when timed alone.
  std::vector<Plan> plans();

  /// The bytes of a tensor, after a run.
  const void *data(int64_t Id) const;

private:
  struct PostOp {
    dnnl::algorithm Algorithm = dnnl::algorithm::undef;
    int64_t Other = -1; ///< Second operand of a binary one, else -1.
  };
  /// A matmul or convolution and what it absorbs.
  struct Group {
    int64_t Src, Weights, Bias = -1, Dst;
    float Scale = 1.0f; ///< The library's output scale, part of its GEMM.
    std::vector<PostOp> PostOps;
    dnnl::memory::desc DstDesc;
    dnnl::memory DstMemory;
  };

  dnnl::memory::desc desc(const Tensor &T) const;
  dnnl::memory::desc broadcastDesc(const Tensor &T, size_t Rank) const;
  dnnl::memory memoryOf(int64_t Id);
  dnnl::memory reordered(int64_t Id, const dnnl::memory::desc &From,
                         const dnnl::memory::desc &To);
  Group collectGroup(size_t OpIndex, std::vector<bool> &Done);
  bool absorb(Group &Grp, const Op &Next, const std::vector<bool> &Done);
  bool foldScale(Group &Grp);
  dnnl::post_ops fuse(const Group &Grp, size_t Count, Step &S);
  void appendRest(const Group &Grp, size_t Fused, Variant &V);
  Variant matmulVariant(const Group &Grp, size_t Fused, bool Transposed);
  Variant transposedVariant(const Group &Grp);
  Variant innerProductVariant(const Group &Grp, bool Transposed);
  Variant convolutionVariant(const Op &O, const Group &Grp, size_t Fused,
                             bool OwnLayout);
  std::vector<Variant> convolutionVariants(const Op &O, const Group &Grp);
  std::vector<Variant> variants(const Group &Grp);
  bool dies(int64_t Id) const;
  Variant softmax(const Op &O);
  Variant eltwise(const Op &O, dnnl::algorithm Algorithm);
  Variant binary(const Op &O, dnnl::algorithm Algorithm);
  /// The layout of an image by the operation's data format.
  dnnl::memory::desc imageDesc(const Op &O, int64_t Id) const;
  /// A tensor's memory in another order of its dimensions.
  dnnl::memory bound(const dnnl::memory::desc &D, int64_t Id);
  Variant pool(const Op &O, dnnl::algorithm Algorithm, bool IsBackward);
  Variant resample(const Op &O, bool IsBackward);
  /// What slides over images, if the operation does.
  std::optional<Variant> image(const Op &O);
  std::optional<Variant> function(const Op &O);
  std::optional<Variant> reduction(const Op &O);
  std::optional<Variant> normalExponential(const Op &O);
  std::optional<Variant> normalisation(const Op &O);
  /// The other operations that are a primitive of their own.
  std::optional<Variant> row(const Op &O);
  bool view(const Op &O, dnnl::memory::desc &Desc);
  Variant copy(const Op &O);
  std::vector<Variant> stage(size_t OpIndex, std::vector<bool> &Done);
  double time(const Variant &V);

  const Graph &G;
  dnnl::engine Engine;
  dnnl::stream Stream;
  std::unordered_map<int64_t, dnnl::memory> Memories;
  /// Layouts that differ from the file's: results that are views of others.
  std::unordered_map<int64_t, dnnl::memory::desc> Views;
  std::vector<std::vector<Variant>> Stages;
};

} // namespace bench

#endif
