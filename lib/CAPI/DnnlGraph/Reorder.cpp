// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The one primitive: copies elements between layouts and element types.

#include "Memory.h"
#include "Next.h"
#include "Reference/ElementType.h"
#include "Status.h"

#include <cmath>
#include <memory>

using namespace gc;
using namespace gc::dnnlgraph;
using reference::ElementType;

struct dnnl_primitive_attr {};

struct dnnl_primitive_desc {
  LT from, to;
};

struct dnnl_primitive {
  dnnl_primitive_desc desc;
};

static std::optional<ElementType> getType(dnnl_data_type_t type) {
  switch (type) {
  case dnnl_f16:
    return ElementType::F16;
  case dnnl_bf16:
    return ElementType::BF16;
  case dnnl_f32:
    return ElementType::F32;
  case dnnl_f64:
    return ElementType::F64;
  case dnnl_s32:
    return ElementType::S32;
  case dnnl_s8:
    return ElementType::S8;
  case dnnl_u8:
    return ElementType::U8;
  case dnnl_boolean:
    return ElementType::Boolean;
  case dnnl_f8_e5m2:
    return ElementType::F8E5M2;
  case dnnl_f8_e4m3:
    return ElementType::F8E4M3FN;
  default:
    return std::nullopt;
  }
}

static bool isNibble(dnnl_data_type_t type) {
  return type == dnnl_s4 || type == dnnl_u4;
}

bool dnnlgraph::canCopy(dnnl_data_type_t type) {
  return getType(type) || isNibble(type) || type == dnnl_s64;
}

static double load(dnnl_data_type_t type, const void *base, int64_t index) {
  if (isNibble(type)) {
    unsigned byte = static_cast<const uint8_t *>(base)[index / 2];
    int value = index % 2 ? byte >> 4 : byte & 15;
    return type == dnnl_s4 && value > 7 ? value - 16 : value;
  }
  if (type == dnnl_s64)
    return static_cast<double>(static_cast<const int64_t *>(base)[index]);
  double value;
  reference::loadElements(*getType(type), base, index, 1, 1, &value);
  return value;
}

static void store(dnnl_data_type_t type, void *base, int64_t index,
                  double value) {
  if (isNibble(type)) {
    auto element = static_cast<int>(reference::roundTo(
        type == dnnl_s4 ? ElementType::S4 : ElementType::U4, value));
    uint8_t &byte = static_cast<uint8_t *>(base)[index / 2];
    unsigned nibble = element & 15;
    byte = index % 2 ? (byte & 15) | nibble << 4 : (byte & 240) | nibble;
    return;
  }
  if (type == dnnl_s64) {
    // Of the numbers beyond, a double may hold none that fits.
    constexpr double limit = 9223372036854774784.0;
    double rounded = std::isnan(value) ? 0 : std::nearbyint(value);
    static_cast<int64_t *>(base)[index] =
        static_cast<int64_t>(std::min(std::max(rounded, -limit), limit));
    return;
  }
  reference::storeElements(*getType(type), base, index, 1, 1, &value);
}

void dnnlgraph::copyElements(const LT &from, const void *source, const LT &to,
                             void *target) {
  if (llvm::is_contained(getDims(from), 0))
    return;
  int64_t index[DNNL_MAX_NDIMS] = {};
  int64_t fromOffset = 0, toOffset = 0;
  while (true) {
    store(to.data_type, target, toOffset,
          load(from.data_type, source, fromOffset));
    int d = from.ndims - 1;
    for (; d >= 0; --d) {
      fromOffset += from.layout.strides[d];
      toOffset += to.layout.strides[d];
      if (++index[d] < from.dims[d])
        break;
      fromOffset -= from.layout.strides[d] * from.dims[d];
      toOffset -= to.layout.strides[d] * from.dims[d];
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr) {
  GC_FORWARD(dnnl_primitive_attr_create, attr);
  if (!attr)
    return dnnl_invalid_arguments;
  return guard([&] {
    *attr = new dnnl_primitive_attr;
    return dnnl_success;
  });
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr) {
  GC_FORWARD(dnnl_primitive_attr_destroy, attr);
  delete attr;
  return dnnl_success;
}

dnnl_status_t dnnl_reorder_primitive_desc_create(
    dnnl_primitive_desc_t *reorder_primitive_desc,
    const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
    const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
    const_dnnl_primitive_attr_t attr) {
  GC_FORWARD(dnnl_reorder_primitive_desc_create, reorder_primitive_desc,
             src_desc, src_engine, dst_desc, dst_engine, attr);
  if (!reorder_primitive_desc || !src_desc || !src_engine || !dst_desc ||
      !dst_engine)
    return dnnl_invalid_arguments;
  const LT &from = src_desc->lt, &to = dst_desc->lt;
  if (getDims(from) != getDims(to))
    return fail(dnnl_invalid_arguments, "a reorder keeps the shape");
  if (!canCopy(from.data_type) || !canCopy(to.data_type))
    return fail(dnnl_unimplemented, "there is no reorder of this type");
  return guard([&] {
    *reorder_primitive_desc = new dnnl_primitive_desc{from, to};
    return dnnl_success;
  });
}

dnnl_status_t
dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc) {
  GC_FORWARD(dnnl_primitive_desc_destroy, primitive_desc);
  delete primitive_desc;
  return dnnl_success;
}

dnnl_status_t
dnnl_primitive_create(dnnl_primitive_t *primitive,
                      const_dnnl_primitive_desc_t primitive_desc) {
  GC_FORWARD(dnnl_primitive_create, primitive, primitive_desc);
  if (!primitive || !primitive_desc)
    return dnnl_invalid_arguments;
  return guard([&] {
    *primitive = new dnnl_primitive{*primitive_desc};
    return dnnl_success;
  });
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive,
                                     dnnl_stream_t stream, int nargs,
                                     const dnnl_exec_arg_t *args) {
  GC_FORWARD(dnnl_primitive_execute, primitive, stream, nargs, args);
  if (!primitive || !stream || (nargs > 0 && !args))
    return dnnl_invalid_arguments;
  const dnnl_memory *from = nullptr, *to = nullptr;
  for (int i = 0; i < nargs; ++i) {
    if (args[i].arg == DNNL_ARG_FROM)
      from = args[i].memory;
    else if (args[i].arg == DNNL_ARG_TO)
      to = args[i].memory;
  }
  const dnnl_primitive_desc &desc = primitive->desc;
  if (!from || !to || !areEqual(from->desc.lt, desc.from) ||
      !areEqual(to->desc.lt, desc.to))
    return fail(dnnl_invalid_arguments,
                "the arguments are not those that the reorder is for");
  if (getAllocationBytes(desc.from) > 0 && (!from->handle || !to->handle))
    return dnnl_invalid_arguments;
  copyElements(desc.from, from->handle, desc.to, to->handle);
  return dnnl_success;
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive) {
  GC_FORWARD(dnnl_primitive_destroy, primitive);
  delete primitive;
  return dnnl_success;
}
