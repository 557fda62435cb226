// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// node ort-bench.js GRAPH.json: runs a graph on ONNX Runtime's CPU provider and
// prints one JSON object, with the field names of gc-runner's report. Options
// and exit codes are those of bench/onednn/Main.cpp. The module
// onnxruntime-node is found through NODE_PATH.
'use strict';

const fs = require('fs');
const {readGraph, Unsupported, ARRAYS, product} = require('./graph.js');

const TYPES = {f32: 'float32', u8: 'uint8', s8: 'int8', boolean: 'bool'};

function parseOptions(args) {
  const options = {threads: 2, warmup: 5, minTime: 0.5};
  for (const arg of args) {
    const [, name, value] = /^--([a-z-]+)=(.*)$/.exec(arg) || [];
    if (name === 'threads' || name === 'warmup')
      options[name] = Number.parseInt(value, 10);
    else if (name === 'min-time')
      options.minTime = Number.parseFloat(value);
    else if (name === 'output')
      options.output = value;
    else if (!arg.startsWith('--') && !options.input)
      options.input = arg;
    else
      throw new Error(`unknown argument ${arg}`);
  }
  if (!options.input)
    throw new Error('usage: node ort-bench.js GRAPH.json [options]');
  return options;
}

async function measure(session, feeds, fetches, options) {
  for (let i = 0; i < options.warmup; ++i) await session.run(feeds, fetches);
  const times = [];
  let spent = 0;
  while (times.length < 3 || spent < options.minTime * 1e3) {
    const start = process.hrtime.bigint();
    await session.run(feeds, fetches);
    const ms = Number(process.hrtime.bigint() - start) * 1e-6;
    times.push(ms);
    spent += ms;
  }
  return times.sort((a, b) => a - b);
}

async function runGraph(options) {
  const ort = require('onnxruntime-node');
  const graph = readGraph(options.input);
  const tensor = ({dtype, shape, data}) =>
    new ort.Tensor(TYPES[dtype], data || new ARRAYS[dtype](product(shape)),
                   shape);
  const feeds = {}, fetches = {};
  for (const [name, feed] of Object.entries(graph.feeds))
    feeds[name] = tensor(feed);
  for (const output of graph.outputs) fetches[output.name] = tensor(output);

  const start = process.hrtime.bigint();
  const session = await ort.InferenceSession.create(graph.model, {
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  const setup = Number(process.hrtime.bigint() - start) * 1e-6;
  const times = await measure(session, feeds, fetches, options);
  if (options.output) {
    const results = await session.run(feeds, fetches);
    fs.writeFileSync(options.output, results[graph.outputs[0].name].data);
  }
  const median = times[times.length >> 1];
  return {
    status: 'ok',
    version: ort.env.versions?.node,
    setup_ms: setup,
    run_ms: {median, min: times[0], max: times.at(-1), runs: times.length},
    flops: graph.flops,
    gflops: graph.flops / median * 1e-6,
  };
}

async function main() {
  let options;
  try {
    options = parseOptions(process.argv.slice(2));
    fs.accessSync(options.input, fs.constants.R_OK);
  } catch (error) {
    console.error(`ort-bench: ${error.message}`);
    return 2;
  }
  const report = {name: options.input, peer: 'ort', threads: options.threads};
  let code = 0;
  try {
    Object.assign(report, await runGraph(options));
  } catch (error) {
    report.status = error instanceof Unsupported ? 'unsupported' : 'error';
    report.error = error.message;
    code = 3;
  }
  console.log(JSON.stringify(report));
  return code;
}

main().then((code) => { process.exitCode = code; });
