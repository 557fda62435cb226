// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns a oneDNN Graph JSON into an ONNX model with the benchmark's inputs:
// constants become initializers, a strided input becomes its dense buffer and
// a Transpose. Scalars that the file leaves open are initializers too.
'use strict';

const fs = require('fs');
const onnx = require('./onnx.js');

class Unsupported extends Error {}

const ARRAYS = {f32: Float32Array, u8: Uint8Array, s8: Int8Array,
                boolean: Uint8Array};
const product = (shape) => shape.reduce((a, b) => a * b, 1);

function hashElement(id, index) {
  let x = (Math.imul(index, 0x9e3779b1) + Math.imul(id, 0x85ebca77)) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d) >>> 0;
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
}

/** Axes by falling stride: the order in which the buffer holds them. */
function bufferOrder(tensor) {
  const axes = tensor.shape.map((_, axis) => axis);
  const long = axes.filter((axis) => tensor.shape[axis] > 1);
  const falls = (axis, i) => !i || tensor.stride[long[i - 1]] >=
                                       tensor.stride[axis];
  if (long.every(falls)) return axes;
  return axes.sort((a, b) => tensor.stride[b] - tensor.stride[a] || a - b);
}

/**
 * The values of a tensor's elements in the order of its buffer, without gaps:
 * the same that the other peers compute on (bench/oracle.py), where an
 * element's value depends on its position in the buffer with gaps.
 */
function inputData(tensor, order) {
  const count = product(tensor.shape);
  const data = new ARRAYS[tensor.dtype](count);
  const rank = tensor.shape.length;
  const constant = tensor.property_type === 'constant';
  const scale =
      constant && rank >= 2 ? Math.sqrt(3 / tensor.shape[rank - 2]) : 1;
  const value = (hash) => {
    if (tensor.dtype === 'boolean') return hash & 1;
    if (tensor.dtype !== 'f32') return hash;
    const unit = (hash >>> 8) / 16777216;
    return count === 1 ? 1 + unit : (2 * unit - 1) * scale;
  };
  const index = new Array(rank).fill(0);
  let position = 0;
  for (let i = 0; i < count; ++i) {
    data[i] = value(hashElement(tensor.id, position));
    for (let at = rank - 1; at >= 0; --at) {
      const axis = order[at];
      position += tensor.stride[axis];
      if (++index[axis] < tensor.shape[axis]) break;
      position -= index[axis] * tensor.stride[axis];
      index[axis] = 0;
    }
  }
  return data;
}

/** Collects the fields of the ONNX graph. */
class Converter {
  constructor() {
    this.fields = [];
    this.feeds = {}; // name -> {dtype, shape, data}
    this.constants = 0;
  }

  emit(type, inputs, output, attributes) {
    this.fields.push(onnx.node(type, inputs, [output], attributes));
  }

  constant(dtype, shape, values) {
    const name = `c${this.constants++}`;
    const data = dtype === 's64' ? BigInt64Array.from(values, BigInt)
                                 : ARRAYS[dtype].from(values);
    this.fields.push(onnx.initializer(name, dtype, shape, data));
    return name;
  }

  input(tensor) {
    if (!(tensor.dtype in ARRAYS))
      throw new Unsupported(`data type ${tensor.dtype}: none in this peer`);
    const name = `t${tensor.id}`;
    const order = bufferOrder(tensor);
    const shape = order.map((axis) => tensor.shape[axis]);
    const plain = order.every((axis, i) => axis === i);
    const source = plain ? name : `${name}_buffer`;
    const data = inputData(tensor, order);
    if (tensor.property_type === 'constant' || tensor.shape.length === 0) {
      this.fields.push(onnx.initializer(source, tensor.dtype, shape, data));
    } else {
      this.fields.push(onnx.graphInput(source, tensor.dtype, shape));
      this.feeds[source] = {dtype: tensor.dtype, shape, data};
    }
    if (!plain) {
      const perm = tensor.shape.map((_, axis) => order.indexOf(axis));
      this.emit('Transpose', [source], name, {perm});
    }
  }

  quantization(type, op, names) {
    const attr = (name) => op.attrs[name].value;
    const dtype = (type === 'QuantizeLinear' ? op.outputs : op.inputs)[0].dtype;
    const perTensor = attr('qtype') === 'per_tensor';
    const shape = perTensor ? [] : [attr('scales').length];
    const scales = this.constant('f32', shape, attr('scales'));
    const zps = this.constant(dtype, shape, attr('zps'));
    this.emit(type, [names[0], scales, zps], names[1],
              perTensor ? {} : {axis: attr('axis')});
  }

  matmul(op, ins, out) {
    if (op.attrs.transpose_a?.value || op.attrs.transpose_b?.value)
      throw new Unsupported(`op ${op.id}: transposes are not mapped`);
    // Weights that are quantised reach ORT's integer matmul only as MatMul.
    const constantWeights = op.inputs[1].property_type === 'constant';
    if (ins.length < 3) {
      this.emit('MatMul', ins, out);
    } else if (op.inputs[0].shape.length === 2 && constantWeights) {
      this.emit('Gemm', ins, out);
    } else {
      this.emit('MatMul', ins.slice(0, 2), `${out}_product`);
      this.emit('Add', [`${out}_product`, ins[2]], out);
    }
  }

  convert(op) {
    const ins = op.inputs.map((t) => `t${t.id}`);
    const out = `t${op.outputs[0].id}`;
    const same = {
      add: 'Add', biasadd: 'Add', divide: 'Div', multiply: 'Mul',
      subtract: 'Sub', relu: 'Relu', sigmoid: 'Sigmoid', tanh: 'Tanh',
    };
    const kind = op.kind.toLowerCase();
    if (kind in same)
      this.emit(same[kind], ins, out);
    else if (kind === 'matmul')
      this.matmul(op, ins, out);
    else if (kind === 'softmax')
      this.emit('Softmax', ins, out, {axis: op.attrs.axis.value});
    else if (kind === 'statictranspose')
      this.emit('Transpose', ins, out, {perm: op.attrs.order.value});
    else if (kind === 'select')
      this.emit('Where', ins, out);
    else if (kind === 'reorder')
      this.emit('Identity', ins, out);
    else if (kind === 'staticreshape')
      this.emit('Reshape', [ins[0], this.constant('s64',
          [op.attrs.shape.value.length], op.attrs.shape.value)], out);
    else if (kind === 'quantize')
      this.quantization('QuantizeLinear', op, [ins[0], out]);
    else if (kind === 'dequantize')
      this.quantization('DequantizeLinear', op, [ins[0], out]);
    else
      throw new Unsupported(`op ${op.id}: kind ${op.kind} is not mapped here`);
  }
}

/**
 * Reads a file (ops in topological order) and returns
 * {model, feeds, outputs: [{name, dtype, shape}], flops}.
 */
function readGraph(path) {
  const graph = JSON.parse(fs.readFileSync(path, 'utf8')).graph;
  const converter = new Converter();
  const produced = new Set(graph.flatMap((op) => op.outputs.map((t) => t.id)));
  const consumed = new Set(graph.flatMap((op) => op.inputs.map((t) => t.id)));
  const known = new Set(produced);
  let flops = 0;
  for (const op of graph) {
    for (const tensor of op.inputs)
      if (!known.has(tensor.id)) {
        known.add(tensor.id);
        converter.input(tensor);
      }
    converter.convert(op);
    if (op.kind.toLowerCase() === 'matmul')
      flops += 2 * product(op.outputs[0].shape) * op.inputs[0].shape.at(-1);
  }
  const outputs = graph.flatMap((op) => op.outputs)
                      .filter((t) => !consumed.has(t.id))
                      .map((t) => ({name: `t${t.id}`, dtype: t.dtype,
                                    shape: t.shape}));
  for (const {name, dtype, shape} of outputs)
    converter.fields.push(onnx.graphOutput(name, dtype, shape));
  return {model: onnx.model(converter.fields), feeds: converter.feeds, outputs,
          flops};
}

module.exports = {readGraph, Unsupported, ARRAYS, product};
