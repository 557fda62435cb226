# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Layers beyond the largest group go to another one.

# RUN: %python %s > %t.mlir
# RUN: gc-opt %t.mlir --gc-cpu-pipeline="threads=2 stop-after=fusion" | FileCheck %s --check-prefix=GROUPS
# RUN: gc-opt %t.mlir --gc-cpu-pipeline="threads=2 stop-after=fusion" --remarks-filter-missed=graph-mark-mergeable --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

# GROUPS-COUNT-32: graph.merge_group = 0 : i64
# GROUPS-COUNT-8: graph.merge_group = 1 : i64
# GROUPS-NOT: graph.merge_group
# REMARK: NotMerged {{.*}} is not merged with {{.*}}: the group has 32 regions already
# REMARK-NOT: NotMerged

x, w = "tensor<32x64xf32>", "tensor<64x64xf32>"
print(f"func.func @main(%v0: {x}, %w: {w}) -> {x} {{")
for i in range(40):
    print(f"  %m{i} = graph.matmul %v{i}, %w : ({x}, {w}) -> {x}")
    print(f"  %v{i + 1} = graph.relu %m{i} : ({x}) -> {x}")
print(f"  return %v40 : {x}\n}}")
