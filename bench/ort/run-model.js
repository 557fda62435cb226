// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// node run-model.js MODEL.onnx --input=NAME=FILE.npy... [--output-dir=FOLDER]
// runs a model on ONNX Runtime's CPU provider and prints one JSON object. With
// --bench it is also measured: setup_ms is the time to make the session, which
// optimises the graph, run_ms that of a run into tensors that exist, so that
// nothing is copied for JavaScript, max_rss_kb the peak of this process. Results
// are FOLDER/0.npy, 1.npy and so on. The module onnxruntime-node is found through
// NODE_PATH.
'use strict';

const path = require('path');
const npy = require('./npy.js');

function parseOptions(args) {
  const options = {threads: 2, warmup: 2, minTime: 1, inputs: {}};
  for (const arg of args) {
    const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/.exec(arg) || [];
    if (name === 'threads' || name === 'warmup')
      options[name] = Number.parseInt(value, 10);
    else if (name === 'min-time')
      options.minTime = Number.parseFloat(value);
    else if (name === 'output-dir')
      options.output = value;
    else if (name === 'bench')
      options.bench = true;
    else if (name === 'input' && value.includes('='))
      options.inputs[value.slice(0, value.lastIndexOf('='))] =
          value.slice(value.lastIndexOf('=') + 1);
    else if (!arg.startsWith('--') && !options.model)
      options.model = arg;
    else
      throw new Error(`unknown argument ${arg}`);
  }
  if (!options.model) throw new Error('usage: run-model.js MODEL.onnx ...');
  return options;
}

const milliseconds = (start) =>
  Number(process.hrtime.bigint() - start) * 1e-6;

async function measure(session, feeds, fetches, options) {
  for (let i = 0; i < options.warmup; ++i) await session.run(feeds, fetches);
  const times = [];
  let spent = 0;
  while (times.length < 3 || spent < options.minTime * 1e3) {
    const start = process.hrtime.bigint();
    await session.run(feeds, fetches);
    times.push(milliseconds(start));
    spent += times.at(-1);
  }
  times.sort((a, b) => a - b);
  return {median: times[times.length >> 1], min: times[0], max: times.at(-1),
          runs: times.length};
}

async function run(options) {
  const ort = require('onnxruntime-node');
  const feeds = {};
  for (const [name, file] of Object.entries(options.inputs)) {
    const {dtype, shape, data} = npy.read(file);
    feeds[name] = new ort.Tensor(dtype, data, shape);
  }
  const start = process.hrtime.bigint();
  const session = await ort.InferenceSession.create(options.model, {
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  const report = {status: 'ok', setup_ms: milliseconds(start)};
  const results = await session.run(feeds);
  if (options.output)
    session.outputNames.forEach((name, i) => {
      const {type, dims, data} = results[name];
      npy.write(path.join(options.output, `${i}.npy`),
                {dtype: type, shape: dims, data});
    });
  if (options.bench)
    report.run_ms = await measure(session, feeds, results, options);
  report.max_rss_kb = process.resourceUsage().maxRSS;
  return report;
}

run(parseOptions(process.argv.slice(2))).then(
    (report) => console.log(JSON.stringify(report)),
    (error) => {
      console.log(JSON.stringify({status: 'error', error: error.message}));
      process.exitCode = 3;
    });
