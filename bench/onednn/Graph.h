// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A oneDNN Graph JSON file as the baseline driver sees it, and the benchmark's
// reproducible inputs. Deliberately shares no code with the compiler: a
// baseline that used the compiler's importer could hide the importer's bugs.
#ifndef GC_BENCH_ONEDNN_GRAPH_H
#define GC_BENCH_ONEDNN_GRAPH_H

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

/// A logical tensor: shape and strides in elements.
struct Tensor {
  int64_t Id = 0;
  std::string Dtype;
  std::vector<int64_t> Shape;
  std::vector<int64_t> Stride;
  bool Constant = false;

  /// Elements between the first and one past the last addressed one.
  int64_t span() const;
};

/// An operation. `Kind` is in lower case, as files vary in case.
struct Op {
  int64_t Id = 0;
  std::string Kind;
  nlohmann::json Attrs;
  std::vector<int64_t> Inputs;
  std::vector<int64_t> Outputs;
};

/// Operations in topological order, with the tensors they name.
struct Graph {
  std::map<int64_t, Tensor> Tensors;
  std::vector<Op> Ops;
  std::vector<int64_t> Inputs;
  std::vector<int64_t> Outputs;

  const Tensor &tensor(int64_t Id) const { return Tensors.at(Id); }

  /// The positions in Ops of the consumers of a tensor.
  std::vector<size_t> consumers(int64_t Id) const;

  /// 2*M*N*K over all matmuls and convolutions, batch dimensions included.
  double flops() const;
};

/// Reads a file. Throws std::runtime_error naming the file and the reason.
Graph readGraph(const std::string &Path);

/// Writes the benchmark's inputs for a tensor of the graph: `Data` has room for
/// `T.span()` elements of the tensor's type. The values depend only on the
/// tensor's id and the position, so that every peer computes on the same
/// numbers: constants of rank two and more in ±sqrt(3/K), one-element tensors
/// in [1, 2), integers over their range, booleans by the lowest bit, everything
/// else in [-1, 1).
void fillInput(const Tensor &T, void *Data);

} // namespace bench

#endif
