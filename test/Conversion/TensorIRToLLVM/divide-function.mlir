// RUN: gc-opt %s --convert-tir-to-llvm=part-ops=60 | FileCheck %s
// RUN: gc-opt %s --convert-tir-to-llvm=part-ops=400 | FileCheck %s --check-prefix=WHOLE
// RUN: gc-opt %s --convert-tir-to-llvm=part-ops=0 | FileCheck %s --check-prefix=WHOLE

// WHOLE-NOT: llvm.call @long_loop

// About half of a long function that runs in every execution becomes functions
// of their own; the loop around both halves stays.

// CHECK-LABEL: llvm.func @long_compute(
// CHECK:         llvm.icmp
// CHECK:         llvm.call @long_loop(%{{.*}}, %{{.*}}, %{{.*}}) : ({{.*}}) -> ()
// CHECK:         llvm.icmp
// CHECK:         llvm.fmul
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func internal @long_loop(
// CHECK-NOT:     llvm.fmul
// CHECK:         llvm.fadd
// CHECK-NOT:     llvm.fmul
// CHECK:         llvm.return
func.func @long(%a: memref<13x64xf32>, %b: memref<13x64xf32>, %c: memref<13x64xf32>)
    attributes {tir.entry = "long", tir.role = "compute", tir.inputs = 1 : i64, tir.outputs = 2 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 64 : index
  %x = arith.constant 1.5 : f32
  tir.parallel (%i) in (13) {
    scf.for %j = %zero to %size step %one {
      %v0 = memref.load %a[%i, %j] : memref<13x64xf32>
      %v1 = arith.addf %v0, %x : f32
      %v2 = arith.addf %v1, %x : f32
      %v3 = arith.addf %v2, %x : f32
      %v4 = arith.addf %v3, %x : f32
      %v5 = arith.addf %v4, %x : f32
      %v6 = arith.addf %v5, %x : f32
      %v7 = arith.addf %v6, %x : f32
      %v8 = arith.addf %v7, %x : f32
      %v9 = arith.addf %v8, %x : f32
      %v10 = arith.addf %v9, %x : f32
      %v11 = arith.addf %v10, %x : f32
      %v12 = arith.addf %v11, %x : f32
      %v13 = arith.addf %v12, %x : f32
      %v14 = arith.addf %v13, %x : f32
      %v15 = arith.addf %v14, %x : f32
      %v16 = arith.addf %v15, %x : f32
      %v17 = arith.addf %v16, %x : f32
      %v18 = arith.addf %v17, %x : f32
      %v19 = arith.addf %v18, %x : f32
      %v20 = arith.addf %v19, %x : f32
      %v21 = arith.addf %v20, %x : f32
      %v22 = arith.addf %v21, %x : f32
      %v23 = arith.addf %v22, %x : f32
      %v24 = arith.addf %v23, %x : f32
      %v25 = arith.addf %v24, %x : f32
      %v26 = arith.addf %v25, %x : f32
      %v27 = arith.addf %v26, %x : f32
      %v28 = arith.addf %v27, %x : f32
      %v29 = arith.addf %v28, %x : f32
      %v30 = arith.addf %v29, %x : f32
      %v31 = arith.addf %v30, %x : f32
      %v32 = arith.addf %v31, %x : f32
      %v33 = arith.addf %v32, %x : f32
      %v34 = arith.addf %v33, %x : f32
      %v35 = arith.addf %v34, %x : f32
      %v36 = arith.addf %v35, %x : f32
      %v37 = arith.addf %v36, %x : f32
      %v38 = arith.addf %v37, %x : f32
      %v39 = arith.addf %v38, %x : f32
      %v40 = arith.addf %v39, %x : f32
      %v41 = arith.addf %v40, %x : f32
      %v42 = arith.addf %v41, %x : f32
      %v43 = arith.addf %v42, %x : f32
      %v44 = arith.addf %v43, %x : f32
      %v45 = arith.addf %v44, %x : f32
      %v46 = arith.addf %v45, %x : f32
      %v47 = arith.addf %v46, %x : f32
      %v48 = arith.addf %v47, %x : f32
      %v49 = arith.addf %v48, %x : f32
      %v50 = arith.addf %v49, %x : f32
      %v51 = arith.addf %v50, %x : f32
      %v52 = arith.addf %v51, %x : f32
      %v53 = arith.addf %v52, %x : f32
      %v54 = arith.addf %v53, %x : f32
      %v55 = arith.addf %v54, %x : f32
      %v56 = arith.addf %v55, %x : f32
      %v57 = arith.addf %v56, %x : f32
      %v58 = arith.addf %v57, %x : f32
      %v59 = arith.addf %v58, %x : f32
      %v60 = arith.addf %v59, %x : f32
      memref.store %v60, %b[%i, %j] : memref<13x64xf32>
    }
    scf.for %j = %zero to %size step %one {
      %v0 = memref.load %a[%i, %j] : memref<13x64xf32>
      %v1 = arith.mulf %v0, %x : f32
      %v2 = arith.mulf %v1, %x : f32
      %v3 = arith.mulf %v2, %x : f32
      %v4 = arith.mulf %v3, %x : f32
      %v5 = arith.mulf %v4, %x : f32
      %v6 = arith.mulf %v5, %x : f32
      %v7 = arith.mulf %v6, %x : f32
      %v8 = arith.mulf %v7, %x : f32
      %v9 = arith.mulf %v8, %x : f32
      %v10 = arith.mulf %v9, %x : f32
      %v11 = arith.mulf %v10, %x : f32
      %v12 = arith.mulf %v11, %x : f32
      %v13 = arith.mulf %v12, %x : f32
      %v14 = arith.mulf %v13, %x : f32
      %v15 = arith.mulf %v14, %x : f32
      %v16 = arith.mulf %v15, %x : f32
      %v17 = arith.mulf %v16, %x : f32
      %v18 = arith.mulf %v17, %x : f32
      %v19 = arith.mulf %v18, %x : f32
      %v20 = arith.mulf %v19, %x : f32
      %v21 = arith.mulf %v20, %x : f32
      %v22 = arith.mulf %v21, %x : f32
      %v23 = arith.mulf %v22, %x : f32
      %v24 = arith.mulf %v23, %x : f32
      %v25 = arith.mulf %v24, %x : f32
      %v26 = arith.mulf %v25, %x : f32
      %v27 = arith.mulf %v26, %x : f32
      %v28 = arith.mulf %v27, %x : f32
      %v29 = arith.mulf %v28, %x : f32
      %v30 = arith.mulf %v29, %x : f32
      %v31 = arith.mulf %v30, %x : f32
      %v32 = arith.mulf %v31, %x : f32
      %v33 = arith.mulf %v32, %x : f32
      %v34 = arith.mulf %v33, %x : f32
      %v35 = arith.mulf %v34, %x : f32
      %v36 = arith.mulf %v35, %x : f32
      %v37 = arith.mulf %v36, %x : f32
      %v38 = arith.mulf %v37, %x : f32
      %v39 = arith.mulf %v38, %x : f32
      %v40 = arith.mulf %v39, %x : f32
      %v41 = arith.mulf %v40, %x : f32
      %v42 = arith.mulf %v41, %x : f32
      %v43 = arith.mulf %v42, %x : f32
      %v44 = arith.mulf %v43, %x : f32
      %v45 = arith.mulf %v44, %x : f32
      %v46 = arith.mulf %v45, %x : f32
      %v47 = arith.mulf %v46, %x : f32
      %v48 = arith.mulf %v47, %x : f32
      %v49 = arith.mulf %v48, %x : f32
      %v50 = arith.mulf %v49, %x : f32
      %v51 = arith.mulf %v50, %x : f32
      %v52 = arith.mulf %v51, %x : f32
      %v53 = arith.mulf %v52, %x : f32
      %v54 = arith.mulf %v53, %x : f32
      %v55 = arith.mulf %v54, %x : f32
      %v56 = arith.mulf %v55, %x : f32
      %v57 = arith.mulf %v56, %x : f32
      %v58 = arith.mulf %v57, %x : f32
      %v59 = arith.mulf %v58, %x : f32
      %v60 = arith.mulf %v59, %x : f32
      memref.store %v60, %c[%i, %j] : memref<13x64xf32>
    }
  }
  return
}
