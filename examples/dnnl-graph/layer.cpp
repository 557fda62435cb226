// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A layer of a perceptron through the Graph API.

#include "oneapi/dnnl/dnnl_graph.hpp"

#include <cstdio>
#include <vector>

using namespace dnnl;
using namespace dnnl::graph;

int main() {
  using lt = logical_tensor;
  const auto f32 = lt::data_type::f32;
  const auto strided = lt::layout_type::strided;

  // y = relu(x w). Shapes may be unknown until the layer is compiled.
  dnnl::graph::graph layer(engine::kind::cpu);
  layer.add_op(op(0, op::kind::MatMul, {lt(0, f32), lt(1, f32)}, {lt(2, f32)}));
  layer.add_op(op(1, op::kind::ReLU, {lt(2, f32)}, {lt(3, f32)}));
  layer.finalize();
  std::vector<partition> partitions = layer.get_partitions();
  std::printf("%zu partition of %zu ops\n", partitions.size(),
              partitions[0].get_ops_num());

  engine cpu(engine::kind::cpu, 0);
  stream work(cpu);
  lt x(0, f32, lt::dims{2, 3}, strided);
  lt w(1, f32, lt::dims{3, 2}, strided, lt::property_type::constant);
  lt y(3, f32, lt::layout_type::any);
  compiled_partition compiled = partitions[0].compile({x, w}, {y}, cpu);
  y = compiled.query_logical_tensor(3);
  std::printf("y is %lld x %lld\n", (long long)y.get_dims()[0],
              (long long)y.get_dims()[1]);

  std::vector<float> xs = {1, 2, 3, 4, 5, 6}, ws = {1, -1, 0, 1, 2, -1}, ys(4);
  compiled.execute(work, {tensor(x, cpu, xs.data()), tensor(w, cpu, ws.data())},
                   {tensor(y, cpu, ys.data())});
  work.wait();
  std::printf("%g %g\n%g %g\n", ys[0], ys[1], ys[2], ys[3]);
}
