// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A writer for the few ONNX messages the benchmark needs (field numbers from
// onnx.proto3). Message and attribute builders return Buffers.
'use strict';

const DATA_TYPES = {f32: 1, u8: 2, s8: 3, s64: 7, boolean: 9};

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest ? low | 0x80 : low);
  } while (rest);
  return Buffer.from(bytes);
}

function integer(field, value) {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function bytes(field, data) {
  const body = typeof data === 'string' ? Buffer.from(data) : data;
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
}

/** A message field whose body is the given parts. */
function message(field, ...parts) {
  return bytes(field, Buffer.concat(parts.flat()));
}

/** AttributeProto as a field of NodeProto: integers and lists of them. */
function attribute(name, value) {
  if (Array.isArray(value))
    return message(5, bytes(1, name), value.map((v) => integer(8, v)),
                   integer(20, 7));
  return message(5, bytes(1, name), integer(3, value), integer(20, 2));
}

/** NodeProto as a field of GraphProto. */
function node(opType, inputs, outputs, attributes = {}) {
  return message(1, inputs.map((i) => bytes(1, i)),
                 outputs.map((o) => bytes(2, o)), bytes(3, outputs[0]),
                 bytes(4, opType),
                 Object.entries(attributes).map(([k, v]) => attribute(k, v)));
}

/** TensorProto as an initializer of GraphProto; `data` is a typed array. */
function initializer(name, dtype, shape, data) {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return message(5, shape.map((d) => integer(1, d)),
                 integer(2, DATA_TYPES[dtype]), bytes(8, name), bytes(9, raw));
}

function valueInfo(field, name, dtype, shape) {
  const dims = shape.map((d) => message(1, integer(1, d)));
  return message(field, bytes(1, name),
                 message(2, message(1, integer(1, DATA_TYPES[dtype]),
                                    message(2, dims))));
}

const graphInput = (...args) => valueInfo(11, ...args);
const graphOutput = (...args) => valueInfo(12, ...args);

/** ModelProto over the given fields of GraphProto, for opset 17. */
function model(graphFields) {
  return Buffer.concat([integer(1, 8), bytes(2, 'gc-bench'),
                        message(7, graphFields, bytes(2, 'graph')),
                        message(8, bytes(1, ''), integer(2, 17))]);
}

module.exports = {node, initializer, graphInput, graphOutput, model};
