// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads and writes numpy's .npy files, dense and in row-major order, as
// {dtype, shape, data} with the type names of ONNX Runtime.
'use strict';

const fs = require('fs');

const TYPES = {
  '<f4': ['float32', Float32Array], '<f2': ['float16', Uint16Array],
  '<f8': ['float64', Float64Array], '<i4': ['int32', Int32Array],
  '<i8': ['int64', BigInt64Array], '|i1': ['int8', Int8Array],
  '|u1': ['uint8', Uint8Array], '|b1': ['bool', Uint8Array],
};

function read(path) {
  const file = fs.readFileSync(path);
  if (file.toString('latin1', 1, 6) !== 'NUMPY' || file[6] !== 1)
    throw new Error(`${path} is not a .npy file of version 1`);
  const end = 10 + file.readUInt16LE(8);
  const header = file.toString('latin1', 10, end);
  const descr = /'descr': *'([^']*)'/.exec(header)?.[1];
  const sizes = /'shape': *\(([^)]*)\)/.exec(header)?.[1];
  if (!(descr in TYPES) || !/'fortran_order': *False/.test(header))
    throw new Error(`${path}: arrays of ${descr} in this order are not read`);
  const [dtype, Type] = TYPES[descr];
  const shape = sizes.split(',').filter((s) => s.trim()).map(Number);
  const count = shape.reduce((a, b) => a * b, 1);
  // A copy is aligned.
  const bytes = new Uint8Array(count * Type.BYTES_PER_ELEMENT);
  bytes.set(file.subarray(end, end + bytes.length));
  return {dtype, shape, data: new Type(bytes.buffer)};
}

function write(path, {dtype, shape, data}) {
  const entry = Object.entries(TYPES).find(([, [name]]) => name === dtype);
  if (!entry) throw new Error(`${path}: arrays of ${dtype} are not written`);
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  let header = `{'descr': '${entry[0]}', 'fortran_order': False, ` +
               `'shape': (${sizes}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const start = Buffer.from('\x93NUMPY\x01\x00\x00\x00', 'latin1');
  start.writeUInt16LE(header.length, 8);
  fs.writeFileSync(path, Buffer.concat([
    start, Buffer.from(header, 'latin1'),
    Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

module.exports = {read, write};
