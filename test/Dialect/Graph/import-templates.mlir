// Templates of a file, as graph-export-templates writes it and as a tuner does.

// RUN: rm -rf %t && split-file %s %t
// RUN: gc-opt %t/chain.mlir --pass-pipeline="builtin.module(func.func(graph-select-template{threads=2}), graph-export-templates{threads=2 file=%t/own.json})" --machine=zen3-2 | FileCheck %s --check-prefix=OWN
// OWN:   MB = [[#MB:]]
// OWN:   order = [m, n, k]
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/own.json
// FILE:       "graphs": [
// FILE-NEXT:    {
// FILE-NEXT:      "graph": "chain",
// FILE-NEXT:      "kernel": "auto",
// FILE-NEXT:      "problem": "{{[0-9a-f]+}}",
// FILE-NEXT:      "templates": [
// FILE-NEXT:        "#graph.matmul_template<{{.*}}>",
// FILE-NEXT:        "#graph.matmul_template<{{.*}}>"
// FILE-NEXT:      ],
// FILE-NEXT:      "threads": 2
// FILE-NEXT:    }
// FILE:       "machine": "zen3-2-{{[0-9a-f]+}}",
// FILE:       "version": 1

// What is changed there is set, and templates that ops have stay.
// RUN: sed 's/order = .m, n, k./order = [n, m, k]/' %t/own.json > %t/changed.json
// RUN: gc-opt %t/chain.mlir --graph-import-templates="threads=2 file=%t/changed.json" --machine=zen3-2 | FileCheck %s --check-prefix=CHANGED
// CHANGED-COUNT-2: order = [n, m, k]
// RUN: gc-opt %t/given.mlir --graph-import-templates="threads=2 file=%t/changed.json" --machine=zen3-2 | FileCheck %s --check-prefix=GIVEN
// GIVEN: MB = 7,{{.*}}order = [m, k, n]
// GIVEN: order = [n, m, k]

// Names do not count, but shapes, threads, kernels and which arguments are
// constants do. A graph that is not there gets its templates from the next pass.
// RUN: gc-opt %t/names.mlir --graph-import-templates="threads=2 file=%t/changed.json" --machine=zen3-2 | FileCheck %s --check-prefix=CHANGED
// RUN: gc-opt %t/chain.mlir --graph-import-templates="threads=1 file=%t/changed.json" --machine=zen3-2 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: gc-opt %t/chain.mlir --graph-import-templates="threads=2 kernel=vector file=%t/changed.json" --machine=zen3-2 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: gc-opt %t/shape.mlir --graph-import-templates="threads=2 file=%t/changed.json" --machine=zen3-2 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: gc-opt %t/constant.mlir --graph-import-templates="threads=2 file=%t/changed.json" --machine=zen3-2 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: remark: no templates of '{{.*}}changed.json' are for @chain: they are chosen anew
// OTHER-NOT: template_params

// A function without tunable ops needs none.
// RUN: gc-opt %t/relu.mlir --graph-import-templates="threads=2 file=%t/changed.json" --machine=zen3-2 2>&1 | FileCheck %s --check-prefix=RELU --implicit-check-not=remark
// RELU: graph.relu

// What is for another machine or compiler is not used.
// RUN: gc-opt %t/chain.mlir --graph-import-templates="threads=2 file=%t/changed.json" --machine=zen4-2 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: remark: templates of '{{.*}}changed.json' are not used: it is for the machine zen3-2-{{[0-9a-f]+}}, but this one is zen4-2-{{[0-9a-f]+}}
// MACHINE-NOT: template_params
// RUN: sed 's/"version": 1/"version": 2/' %t/changed.json > %t/newer.json
// RUN: gc-opt %t/chain.mlir --graph-import-templates="threads=2 file=%t/newer.json" --machine=zen3-2 2>&1 | FileCheck %s --check-prefix=NEWER
// NEWER: remark: templates of '{{.*}}newer.json' are not used: the file's version is not 1, the one of this compiler

// The pipeline has both, and computes the same with other templates.
// RUN: gc-opt %t/chain.mlir --gc-cpu-pipeline="threads=2 machine=zen3-2 export-templates=%t/pipeline.json stop-after=layout" -o %t/plain.mlir
// RUN: sed 's/order = .m, n, k./order = [n, m, k]/' %t/pipeline.json > %t/pipeline-changed.json
// RUN: gc-opt %t/chain.mlir --gc-cpu-pipeline="threads=2 machine=zen3-2 template-database=%t/pipeline-changed.json stop-after=layout" | FileCheck %s --check-prefix=CHANGED
// RUN: gc-opt %t/chain.mlir --gc-cpu-pipeline="threads=2 machine=zen3-2 template-database=%t/pipeline.json stop-after=layout" | diff - %t/plain.mlir

//--- chain.mlir
func.func @chain(%x: tensor<256x512xf32>, %w: tensor<512x384xf32>, %v: tensor<384x100xf32>) -> tensor<256x100xf32> {
  %0 = graph.matmul %x, %w : (tensor<256x512xf32>, tensor<512x384xf32>) -> tensor<256x384xf32>
  %1 = graph.matmul %0, %v : (tensor<256x384xf32>, tensor<384x100xf32>) -> tensor<256x100xf32>
  return %1 : tensor<256x100xf32>
}
//--- names.mlir
func.func @other(%image: tensor<256x512xf32> {graph.name = "image"}, %w: tensor<512x384xf32>, %v: tensor<384x100xf32>) -> tensor<256x100xf32> {
  %product = graph.matmul %image, %w : (tensor<256x512xf32>, tensor<512x384xf32>) -> tensor<256x384xf32>
  %result = graph.matmul %product, %v : (tensor<256x384xf32>, tensor<384x100xf32>) -> tensor<256x100xf32>
  return %result : tensor<256x100xf32>
}
//--- given.mlir
func.func @chain(%x: tensor<256x512xf32>, %w: tensor<512x384xf32>, %v: tensor<384x100xf32>) -> tensor<256x100xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 7, NB = 32, KB = 64, BS = 1, order = [m, k, n], packA = false, packB = true>} : (tensor<256x512xf32>, tensor<512x384xf32>) -> tensor<256x384xf32>
  %1 = graph.matmul %0, %v : (tensor<256x384xf32>, tensor<384x100xf32>) -> tensor<256x100xf32>
  return %1 : tensor<256x100xf32>
}
//--- shape.mlir
func.func @chain(%x: tensor<256x512xf32>, %w: tensor<512x384xf32>, %v: tensor<384x101xf32>) -> tensor<256x101xf32> {
  %0 = graph.matmul %x, %w : (tensor<256x512xf32>, tensor<512x384xf32>) -> tensor<256x384xf32>
  %1 = graph.matmul %0, %v : (tensor<256x384xf32>, tensor<384x101xf32>) -> tensor<256x101xf32>
  return %1 : tensor<256x101xf32>
}
//--- constant.mlir
func.func @chain(%x: tensor<256x512xf32>, %w: tensor<512x384xf32> {graph.const_arg}, %v: tensor<384x100xf32>) -> tensor<256x100xf32> {
  %0 = graph.matmul %x, %w : (tensor<256x512xf32>, tensor<512x384xf32>) -> tensor<256x384xf32>
  %1 = graph.matmul %0, %v : (tensor<256x384xf32>, tensor<384x100xf32>) -> tensor<256x100xf32>
  return %1 : tensor<256x100xf32>
}
//--- relu.mlir
func.func @relu(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %0 = graph.relu %x : (tensor<256x512xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}
