// One layer of a perceptron, for
//   my-opt mlp.mlir --report-flops --gc-cpu-pipeline="threads=2"
// The comments that start with CHECK are what a test expects of the result.

// CHECK-DAG: llvm.func @layer_compute
// CHECK-DAG: llvm.func {{.*}}@gc_brgemm_dispatch
// FLOPS: mlp.mlir:[[# @LINE + 6]]:{{[0-9]+}}: remark: 196608 flops
func.func @layer(%x: tensor<32x64xf32> {graph.name = "x"},
                 %weight: tensor<64x48xf32> {graph.const_arg},
                 %bias: tensor<48xf32> {graph.const_arg})
    -> tensor<32x48xf32> {
  // 2 * 32 * 48 * 64 floating-point operations.
  %0 = graph.matmul %x, %weight, %bias
      : (tensor<32x64xf32>, tensor<64x48xf32>, tensor<48xf32>) -> tensor<32x48xf32>
  %1 = graph.relu %0 : (tensor<32x48xf32>) -> tensor<32x48xf32>
  return %1 : tensor<32x48xf32>
}
