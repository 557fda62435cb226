// Both dialects and the pipeline are present, in addition to the upstream ones.

// RUN: gc-opt --show-dialects | FileCheck %s
// RUN: gc-opt --help | FileCheck %s --check-prefix=HELP

// CHECK: Available Dialects:
// CHECK-SAME: graph
// CHECK-SAME: linalg
// CHECK-SAME: tir

// HELP-DAG: --gc-cpu-pipeline
// HELP-DAG: --graph-fuse
