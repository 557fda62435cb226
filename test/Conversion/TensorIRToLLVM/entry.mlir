// RUN: gc-opt %s --convert-tir-to-llvm="features=avx2,fma" | FileCheck %s

// A compute function with a fold function, temporaries of both kinds and strided
// arguments: bare pointers come from the argument array, this thread's part of
// the arena is after the shared part of the whole module (2080 -> 2112), each
// part rounded up (160 -> 192).

func.func @f(%a: memref<13x8xf32, strided<[16, 1]>>, %c: memref<8xf32>,
             %o: memref<13x8xf32>, %w: memref<8xf32>, %arena: memref<?xi8>,
             %own: memref<?xi8>)
    attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 2 : i64,
                tir.outputs = 1 : i64, tir.folded = 1 : i64,
                tir.arena_bytes = 416 : i64, tir.thread_arena_bytes = 160 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = memref.view %arena[%c0][] : memref<?xi8> to memref<13x8xf32>
  %p = memref.view %own[%c64][] : memref<?xi8> to memref<8xf32>
  tir.parallel (%i) in (13) attributes {name = "scale"} {
    %x = vector.load %a[%i, %c0] : memref<13x8xf32, strided<[16, 1]>>, vector<8xf32>
    %y = vector.load %w[%c0] : memref<8xf32>, vector<8xf32>
    %m = arith.mulf %x, %y : vector<8xf32>
    vector.store %m, %p[%c0] : memref<8xf32>, vector<8xf32>
    vector.store %m, %t[%i, %c0] : memref<13x8xf32>, vector<8xf32>
    vector.store %m, %o[%i, %c0] : memref<13x8xf32>, vector<8xf32>
  }
  return
}

func.func private @f_fold(%c: memref<8xf32>, %w: memref<8xf32>,
                          %arena: memref<?xi8>, %own: memref<?xi8>)
    attributes {tir.entry = "f", tir.role = "fold", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64, tir.fold_inputs = array<i64: 1>,
                tir.arena_bytes = 2080 : i64, tir.thread_arena_bytes = 0 : i64} {
  tir.parallel (%i) in (8) {
    %x = memref.load %c[%i] : memref<8xf32>
    memref.store %x, %w[%i] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: llvm.func @f_compute(
// CHECK-SAME:    %[[ARGS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr, %[[TEAM:.*]]: !llvm.ptr) -> i32
// CHECK-DAG:     %[[C192:.*]] = llvm.mlir.constant(192 : i64) : i64
// CHECK-DAG:     %[[C2112:.*]] = llvm.mlir.constant(2112 : i64) : i64
// CHECK-DAG:     %[[STATUS:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK:         llvm.load %[[ARGS]] invariant : !llvm.ptr -> !llvm.ptr
// The unused second argument is not loaded.
// CHECK-NOT:     llvm.getelementptr inbounds %[[ARGS]][1]
// CHECK:         %[[OUT:.*]] = llvm.getelementptr inbounds %[[ARGS]][2]
// CHECK:         llvm.load %[[OUT]] invariant
// CHECK:         %[[THREAD:.*]] = llvm.load %[[TEAM]] invariant : !llvm.ptr -> i64
// CHECK:         %[[PARTS:.*]] = llvm.mul %[[THREAD]], %[[C192]]
// CHECK:         %[[OFFSET:.*]] = llvm.add %{{.*}}%[[C2112]]
// CHECK:         llvm.getelementptr inbounds %[[ARENA]][%[[OFFSET]]]
// CHECK-NOT:     memref
// CHECK:         llvm.return %[[STATUS]] : i32

// CHECK-LABEL: llvm.func @f_fold(
// CHECK-SAME:    !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32

// CHECK: llvm.mlir.global internal constant @f_module_name("f\00")
// CHECK: llvm.mlir.global internal constant @f_module_features("+avx2,+fma\00")
// CHECK: llvm.mlir.global internal constant @f_module_fold_inputs() {{.*}} : !llvm.array<1 x i32>
// CHECK: llvm.mlir.global internal constant @f_module_folded_bytes() {{.*}} : !llvm.array<1 x i64>
// CHECK:   llvm.mlir.constant(32 : i64)
// CHECK: llvm.mlir.global internal constant @f_module_region_0("scale\00")
// CHECK: llvm.mlir.global internal constant @f_module_region_1("f.fold.0\00")
// CHECK: llvm.mlir.global external constant @f_module()
// CHECK-SAME: !llvm.struct<(i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, ptr, i64, i64, i64, ptr, ptr, ptr, ptr)>
// Version, inputs, outputs, fold inputs, folded buffers, regions.
// CHECK:   llvm.mlir.constant(2 : i32)
// CHECK:   llvm.mlir.constant(2 : i32)
// CHECK:   llvm.mlir.constant(1 : i32)
// CHECK:   llvm.mlir.constant(1 : i32)
// CHECK:   llvm.mlir.constant(1 : i32)
// CHECK:   llvm.mlir.constant(2 : i32)
// CHECK:   llvm.mlir.addressof @f_module_name
// CHECK:   llvm.mlir.addressof @f_module_features
// CHECK:   llvm.mlir.addressof @f_module_fold_inputs
// CHECK:   llvm.mlir.addressof @f_module_folded_bytes
// CHECK:   llvm.mlir.constant(2112 : i64)
// CHECK:   llvm.mlir.constant(192 : i64)
// CHECK:   llvm.mlir.constant(64 : i64)
// CHECK:   llvm.mlir.addressof @f_module_regions
// No kernels, so no init.
// CHECK:   llvm.mlir.zero
// CHECK:   llvm.mlir.addressof @f_fold
// CHECK:   llvm.mlir.addressof @f_compute
