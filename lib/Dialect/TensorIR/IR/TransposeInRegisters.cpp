// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/IR/TransposeInRegisters.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc {

static Value shuffle(OpBuilder &builder, Location loc, Value a, Value b,
                     int64_t lanes, function_ref<int64_t(int64_t)> source) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < lanes; ++lane)
    mask.push_back(source(lane));
  return vector::ShuffleOp::create(builder, loc, a, b, mask);
}

void transposeInRegisters(OpBuilder &builder, Location loc,
                          SmallVectorImpl<Value> &rows) {
  int64_t lanes = rows.size();
  // Quads of lanes (128 bits) first, four rows at a time: unpack single
  // elements, then pairs. Row 4k + c then holds, in quad j, column 4j + c of
  // rows 4k to 4k + 3.
  auto unpack = [&](Value a, Value b, int64_t size, bool high) {
    return shuffle(builder, loc, a, b, lanes, [&](int64_t lane) {
      int64_t quad = lane / 4 * 4, within = lane % 4;
      int64_t piece = within / size, rest = within % size;
      int64_t from = quad + (high ? 2 : 0) + piece / 2 * size + rest;
      return piece % 2 ? lanes + from : from;
    });
  };
  for (int64_t k = 0; k < lanes; k += 4) {
    Value low01 = unpack(rows[k], rows[k + 1], 1, false);
    Value high01 = unpack(rows[k], rows[k + 1], 1, true);
    Value low23 = unpack(rows[k + 2], rows[k + 3], 1, false);
    Value high23 = unpack(rows[k + 2], rows[k + 3], 1, true);
    rows[k] = unpack(low01, low23, 2, false);
    rows[k + 1] = unpack(low01, low23, 2, true);
    rows[k + 2] = unpack(high01, high23, 2, false);
    rows[k + 3] = unpack(high01, high23, 2, true);
  }
  // Then the quads themselves, by halves.
  for (int64_t half = lanes / 2; half >= 4; half /= 2) {
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & half)
        continue;
      Value a = rows[i], b = rows[i + half];
      rows[i] = shuffle(builder, loc, a, b, lanes, [&](int64_t lane) {
        return lane & half ? lanes + lane - half : lane;
      });
      rows[i + half] = shuffle(builder, loc, a, b, lanes, [&](int64_t lane) {
        return lane & half ? lanes + lane : lane + half;
      });
    }
  }
}

} // namespace gc
