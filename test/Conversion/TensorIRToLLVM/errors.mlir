// RUN: gc-opt %s --convert-tir-to-llvm --split-input-file --verify-diagnostics
// RUN: not gc-opt %s --split-input-file --convert-tir-to-llvm="features=avx2,beads" 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: error: option 'features': 'beads' is not one of the instruction sets that are checked for: sse3, {{.*}}avx2, {{.*}}amx

// expected-error @+1 {{needs 'tir.role' of "compute" or "fold"}}
func.func @f(%o: memref<4xf32>) attributes {tir.entry = "f"} { return }

// -----

// expected-error @+1 {{needs 'tir.inputs' of 0 or more}}
func.func @f(%o: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.outputs = 1 : i64} { return }

// -----

// expected-error @+1 {{does not have the arguments that its tir attributes name}}
func.func @f(%o: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 1 : i64, tir.outputs = 1 : i64} { return }

// -----

// expected-error @+1 {{needs memref arguments of static shape and strides, but has 'memref<?xf32>'}}
func.func @f(%o: memref<?xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} { return }

// -----

// expected-error @+1 {{but has 'tensor<4xf32>'}}
func.func @f(%o: tensor<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} { return }

// -----

// expected-error @+1 {{takes folded buffers, but there is no fold function}}
func.func @f(%o: memref<4xf32>, %w: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64, tir.folded = 1 : i64} { return }

// -----

// expected-error @+1 {{has no matching compute function}}
func.func @g(%o: memref<4xf32>) attributes {tir.entry = "f", tir.role = "fold", tir.inputs = 0 : i64, tir.outputs = 1 : i64, tir.fold_inputs = array<i64>} { return }

// -----

func.func @f(%o: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} { return }
// expected-error @+1 {{is a second "compute" function of "f"}}
func.func @g(%o: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} { return }

// -----

func.func @f(%a: memref<4xf32>, %o: memref<4xf32>, %w: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 1 : i64, tir.outputs = 1 : i64, tir.folded = 1 : i64} { return }
// expected-error @+1 {{has 'tir.fold_inputs' out of range}}
func.func @g(%a: memref<4xf32>, %w: memref<4xf32>) attributes {tir.entry = "f", tir.role = "fold", tir.inputs = 1 : i64, tir.outputs = 1 : i64, tir.fold_inputs = array<i64: 1>} { return }

// -----

// expected-error @+1 {{has the name that the code of 'f' needs}}
func.func @f_compute() { return }
func.func @f(%o: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} { return }

// -----

func.func @f(%o: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  // expected-error @+1 {{has no place yet: run tir-plan-buffers first}}
  %0 = tir.scratch : memref<4xf32>
  return
}

// -----

func.func @f(%o: memref<4x4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  // expected-error @+1 {{is not a call yet: run tir-lower-microkernels first}}
  %0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>
  return
}

// -----

func.func @f(%o: memref<4xf32>) attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  tir.parallel (%i) in (4) {
    // expected-error @+1 {{is inside tir.parallel, which not every thread of the team reaches}}
    tir.barrier
  }
  return
}
