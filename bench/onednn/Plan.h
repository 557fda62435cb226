// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps a graph to oneDNN primitives the way a careful user would: each matmul
// takes its bias, elementwise and binary neighbours as post-ops, constant
// weights are reordered once, primitives and memory are made before the first
// run; products of dequantized operands are products of integers whose result
// is quantized on the way out. Where there is more than one way (matmul or
// inner product, the weights in the layout the primitive asks for or
// transposed, which is up to twice as fast where the library falls back on a
// plain GEMM), every way is built and timed, and the fastest one is the
// baseline.
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

/// Throws std::runtime_error for a type that is not mapped.
dnnl::memory::data_type dataType(const std::string &Name);

/// The matrices of a stack of them transposed.
dnnl::memory::desc swapLastTwo(const dnnl::memory::desc &D);

/// The same layout for elements of another type.
dnnl::memory::desc withType(dnnl::memory::desc D, dnnl::memory::data_type T);

/// Removes the variants that the library computes with its reference loops, a
/// fallback rather than a baseline, unless all of them are.
void dropReferences(std::vector<Variant> &Variants);

/// A list of integers among the attributes of an operation.
std::vector<int64_t> getList(const Op &O, const char *Name);

/// An image with its channels last in the order that the library counts in:
/// n, channels, x...
dnnl::memory::desc channelsSecond(const dnnl::memory::desc &D);

/// A convolution for inference; the bias may be empty.
dnnl::convolution_forward::desc
convolutionDesc(const Op &O, const dnnl::memory::desc &Src,
                const dnnl::memory::desc &Weights,
                const dnnl::memory::desc &Bias, const dnnl::memory::desc &Dst);

/// The file's weights in the order that the library counts in. Throws
/// std::runtime_error for formats that are not mapped.
dnnl::memory::desc convolutionWeights(const Op &O, dnnl::memory::desc Weights);

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

  /// The most ways that any group has.
  size_t ways() const;

  /// Way N of each group, or its last one: for tests.
  Plan way(size_t N) const;

  /// The bytes of a tensor, after a run.
  const void *data(int64_t Id) const;

private:
  /// Scale * (integer - Zero): one scale, or one for each index of an axis.
  struct Quantization {
    std::vector<float> Scales;
    int32_t Zero = 0;
    int Axis = -1;

    int mask() const { return Axis < 0 ? 0 : 1 << Axis; }
  };
  /// The 8-bit integers that a dequantized tensor stands for.
  struct Integers {
    dnnl::memory Data;
    Quantization By;
    bool Known = false; ///< Before the runs.
    int64_t Id = -1;    ///< The tensor that is dequantized, if it is no view.
  };
  struct PostOp {
    dnnl::algorithm Algorithm = dnnl::algorithm::undef;
    int64_t Other = -1; ///< Second operand of a binary one, else -1.
  };
  /// A matmul or convolution and what it absorbs.
  struct Group {
    int64_t Src, Weights, Bias = -1, Dst;
    dnnl::memory::desc SrcDesc, WeightsDesc;
    bool OfIntegers = false;      ///< Both operands are in Dequantized.
    const Op *Quantize = nullptr; ///< The last operation, if it is one.
    float Scale = 1.0f; ///< The library's output scale, part of its GEMM.
    std::vector<PostOp> PostOps;
    dnnl::memory::desc DstDesc;
    dnnl::memory DstMemory;
  };

  /// What happens to a sum of integer products: an elementwise function, a
  /// binary operation with a tensor, or, where the algorithm is undefined, the
  /// addition of Alpha * (Other - Beta) in whose place the result goes.
  struct Piece {
    dnnl::algorithm Algorithm;
    double Alpha = 0, Beta = 0;
    dnnl::memory Other; ///< Empty for a function.
  };
  /// Scales * (sum + Bias), one or for each channel, then the pieces.
  struct Epilogue {
    std::vector<float> Scales, Bias;
    std::vector<Piece> Pieces;

    void simplify();
  };
  /// A matmul or convolution of integers, its layouts in the library's order of
  /// dimensions.
  struct Product {
    const Op &Operation;
    Group Grp;
    const Integers &Src, &Weights;
    bool IsConvolution;
    int Rank, Channels; ///< Of the result: dimensions, the one of channels.
    dnnl::memory::desc SrcDesc, WeightsDesc, DstDesc;
    bool Folds; ///< The zero point of the source is part of the bias.

    /// The library wants signed weights: u8 ones are shifted.
    int32_t shift() const {
      return WeightsDesc.data_type() == dnnl::memory::data_type::u8 ? 128 : 0;
    }
    int32_t weightsZero() const { return Weights.By.Zero - shift(); }
  };
  enum class Form { Given, Asked, Transposed, Inner, InnerTransposed };

  dnnl::memory::desc desc(const Tensor &T) const;
  dnnl::memory::desc broadcastDesc(const Tensor &T, size_t Rank) const;
  dnnl::memory memoryOf(int64_t Id);
  dnnl::memory reordered(int64_t Id, const dnnl::memory::desc &From,
                         const dnnl::memory::desc &To);
  bool isKnown(int64_t Id) const;
  Group collectGroup(size_t OpIndex, std::vector<bool> &Done);
  bool absorb(Group &Grp, const Op &Next, const std::vector<bool> &Done);
  bool foldScale(Group &Grp);
  dnnl::post_ops fuse(const Group &Grp, size_t Count, Step &S);
  void appendRest(const Group &Grp, size_t Fused, Variant &V);
  Variant matmulVariant(const Group &Grp, size_t Fused, bool Transposed);
  Variant transposedVariant(const Group &Grp);
  bool isPrepacked(const Group &Grp) const;
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
  dnnl::memory::desc viewOf(const Op &O, dnnl::memory::desc From) const;
  Variant copy(const Op &O);
  Quantization quantizationOf(const Op &O) const;
  Step reorderStep(const dnnl::memory &From, const dnnl::memory &To,
                   const dnnl::primitive_attr &Attr = {});
  Step dequantizeStep(const Integers &From, const dnnl::memory &To);
  Step quantizeStep(const dnnl::memory &From, const dnnl::memory &To,
                    const Op &O);
  /// Whether the result of the operation needs no memory: products read the
  /// integers in its place. Others dequantize them first.
  bool defer(const Op &O);
  void deferReady(std::vector<bool> &Done);
  const Op *quantizedSoftmax(const Op &O, std::vector<bool> &Done) const;
  std::vector<Variant> softmaxVariants(const Op &O, const Op &Quantize);
  bool isOfIntegers(const Op &O) const;
  bool canQuantize(const Group &Grp, const Op &Next) const;
  Product product(const Op &O, const Group &Collected);
  const Integers *summand(const Product &P) const;
  Epilogue epilogue(const Product &P, bool Quantizes, bool Sums = false);
  dnnl::memory signedWeights(const Product &P, const dnnl::memory::desc &From,
                             const dnnl::memory::desc &To,
                             std::vector<Step> &Steps);
  Step bindProduct(const Product &P, const Epilogue &E, size_t Fused,
                   size_t BiasRank, dnnl::primitive_attr &Attr);
  void appendMatmul(const Product &P, Form F, const Epilogue &E, size_t Fused,
                    const dnnl::memory &Dst, std::vector<Step> &Steps);
  void appendInnerProduct(const Product &P, Form F, const Epilogue &E,
                          const dnnl::memory &Dst, std::vector<Step> &Steps);
  void appendConvolution(const Product &P, const Epilogue &E, size_t Fused,
                         const dnnl::memory &Dst, std::vector<Step> &Steps);
  void appendPieces(const Epilogue &E, size_t From, const dnnl::memory &M,
                    std::vector<Step> &Steps);
  std::vector<Variant> integerVariants(const Op &O, const Group &Grp);
  std::vector<Variant> stage(size_t OpIndex, std::vector<bool> &Done);
  double time(const Variant &V);

  const Graph &G;
  dnnl::engine Engine;
  dnnl::stream Stream;
  std::unordered_map<int64_t, dnnl::memory> Memories;
  /// Layouts that differ from the file's: results that are views of others.
  std::unordered_map<int64_t, dnnl::memory::desc> Views;
  /// Results of dequantization, whose memory exists only if asked for.
  std::unordered_map<int64_t, Integers> Dequantized;
  std::vector<std::vector<Variant>> Stages;
};

} // namespace bench

#endif
