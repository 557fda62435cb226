// Memory hierarchies that change what is made of a kernel, and what is printed
// of it afterwards.

// RUN: split-file %s %t

// The core's memories are smaller: tiles are, and addresses, too.
// RUN: %python %t/with.py %t/layer.mlir 'buf UB (65536) buf L0C (131072)' 'stop-after=promote' | FileCheck %s --check-prefix=SMALL
// SMALL: hierarchy = "{{.*}}buf UB (65536)\0A{{.*}}buf L0C (131072)\0A{{.*}}npu.memory = {l0c = 131072 : i64, ub = 65536 : i64}
// RUN: %python %t/with.py %t/layer.mlir 'buf UB (65536) buf L0C (131072)' 'stop-after=memory' | FileCheck %s --check-prefix=KERNEL
// KERNEL: func.func @kernel({{.*}}npu.memory = {l0c = 131072 : i64, ub = 65536 : i64}

// Fewer tiles of an input are under way. `#` begins a comment.
// RUN: %python %t/with.py %t/relu.mlir 'buf UB (262144)' 'stop-after=promote' | FileCheck %s --check-prefix=THREE
// THREE: I0 : buf UB (61440)\0A
// THREE: poly.buffer @I0_ub of @I0 : memref<10240xf16
// RUN: %python %t/with.py %t/relu.mlir '# two of three?I0 : buf UB (40960)' 'stop-after=promote' | FileCheck %s --check-prefix=TWO
// TWO: I0 : buf UB (40960)\0A
// TWO: poly.buffer @I0_ub of @I0 slots 2 : memref<10240xf16
// RUN: %python %t/with.py %t/relu.mlir 'I0 : buf UB (40960)' 'stop-after=slots' | FileCheck %s --check-prefix=SLOTS
// SLOTS-DAG: npu.alloc slots 2 {npu.most_slots = 2 : i64} : memref<10240xf16
// SLOTS-DAG: npu.alloc slots 3 : memref<10240xf16

// Sums are converted on the way out of L0C, or in UB.
// RUN: %python %t/with.py %t/layer.mlir 'S_2 : vector (L0C -> UB, 128, 32)' 'stop-after=promote' | FileCheck %s --check-prefix=DRAINED
// DRAINED:     S_2 : vector (L0C -> UB, 128, 32)
// DRAINED-NOT: poly.tile @S_2_tile
// RUN: %python %t/with.py %t/layer.mlir 'S_2 : vector (UB -> UB, 128, 32)' 'stop-after=promote' | FileCheck %s --check-prefix=CONVERTED
// CONVERTED: S_2 : vector (UB -> UB, 128, 32)
// CONVERTED: poly.tile @S_2_tile
// CONVERTED:   npu.cast

// Sums of columns on the unit that is given.
// RUN: %python %t/with.py %t/sums.mlir 'S_2 : cube (L0A L0B -> L0C, 4096, 1024)' 'stop-after=map' | FileCheck %s --check-prefix=CUBE
// CUBE:     mark: "cube"
// RUN: %python %t/with.py %t/sums.mlir 'S_1 : vector (UB -> UB, 128, 32)' 'stop-after=map' | FileCheck %s --check-prefix=VECTOR
// VECTOR-NOT: mark: "cube"
// VECTOR:     mark: "local_UB"

// All of them compute what the graphs say.
// RUN: %python %t/with.py %t/layer.mlir 'buf UB (65536) buf L0C (131072)' 'stop-after=npu' > %t/1.mlir
// RUN: gc-runner --target=npu %t/1.mlir --check --strict
// RUN: %python %t/with.py %t/relu.mlir 'I0 : buf UB (40960)' 'stop-after=npu' > %t/2.mlir
// RUN: gc-runner --target=npu %t/2.mlir --check --strict
// RUN: %python %t/with.py %t/layer.mlir 'S_2 : vector (UB -> UB, 128, 32)' 'stop-after=npu' > %t/3.mlir
// RUN: gc-runner --target=npu %t/3.mlir --check --strict
// RUN: %python %t/with.py %t/sums.mlir 'S_1 : vector (UB -> UB, 128, 32)' 'stop-after=npu' > %t/4.mlir
// RUN: gc-runner --target=npu %t/4.mlir --check --strict
// RUN: %python %t/with.py %t/sums.mlir 'S_2 : cube (L0A L0B -> L0C, 4096, 1024)' 'stop-after=npu' > %t/5.mlir
// RUN: gc-runner --target=npu %t/5.mlir --check --strict

//--- with.py
"""Compiles the kernel of a file with a memory hierarchy, in which `?` is the end of a line."""
import json, pathlib, subprocess, sys
graph, text, options = sys.argv[1:]
plan = pathlib.Path(graph + ".json")
subprocess.run(["gc-opt", graph, "-o", "/dev/null",
                f"--gc-npu-pipeline=export-plan={plan} stop-after=promote"], check=True)
file = json.loads(plan.read_text())
for kernel in file["kernels"]:
    kernel.pop("choices"), kernel.pop("policy")
    kernel["hierarchy"] = text.split("?")
plan.write_text(json.dumps(file))
sys.exit(subprocess.run(["gc-opt", graph, f"--gc-npu-pipeline=import-plan={plan} {options}"]).returncode)
//--- layer.mlir
func.func @kernel(%x: tensor<256x128xf16>, %w: tensor<128x256xf16>, %b: tensor<256xf16>) -> tensor<256x256xf16> {
  %0 = graph.matmul %x, %w : (tensor<256x128xf16>, tensor<128x256xf16>) -> tensor<256x256xf16>
  %1 = graph.add %0, %b : (tensor<256x256xf16>, tensor<256xf16>) -> tensor<256x256xf16>
  return %1 : tensor<256x256xf16>
}
//--- relu.mlir
func.func @kernel(%x: tensor<1000x1024xf16>) -> tensor<1000x1024xf16> {
  %y = graph.relu %x : (tensor<1000x1024xf16>) -> tensor<1000x1024xf16>
  return %y : tensor<1000x1024xf16>
}
//--- sums.mlir
func.func @kernel(%x: tensor<4x100x16xf16>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = graph.type_cast %x : tensor<4x100x16xf16> -> tensor<4x100x16xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0, 1>, keep_dims = false} : (tensor<4x100x16xf32>) -> tensor<16xf32>
  %2 = graph.square %0 : (tensor<4x100x16xf32>) -> tensor<4x100x16xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 0, 1>, keep_dims = false} : (tensor<4x100x16xf32>) -> tensor<16xf32>
  return %1, %3 : tensor<16xf32>, tensor<16xf32>
}
