// A layer of an MLP in the form that StableHLO's conversion to linalg emits:
// dot_general is a linalg.matmul into a fill, broadcast_in_dim, add and maximum are
// generic ops. The rows are printed after an op that GC does not know.

func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [-4.0, -5.0, -6.0]]> : tensor<2x3xf32>
  %0 = call @layer(%x) : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %1 = tensor.cast %0 : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%1) : (tensor<*xf32>) -> ()
  return
}

func.func @layer(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %b = arith.constant dense<[1.0, -30.0]> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = tensor.empty() : tensor<2x2xf32>
  %cst = arith.constant 0.0 : f32
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x2xf32>)
      outs(%1 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<2xf32>) outs(%0 : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x2xf32>
  %4 = linalg.map { arith.addf } ins(%2, %3 : tensor<2x2xf32>, tensor<2x2xf32>)
      outs(%0 : tensor<2x2xf32>)
  %5 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%zero : tensor<f32>) outs(%0 : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x2xf32>
  %6 = linalg.map { arith.maximumf } ins(%4, %5 : tensor<2x2xf32>, tensor<2x2xf32>)
      outs(%0 : tensor<2x2xf32>)
  // Row i is multiplied by i + 1.
  %7 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%6 : tensor<2x2xf32>) outs(%0 : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %g = arith.addf %f, %one : f32
    %r = arith.mulf %in, %g : f32
    linalg.yield %r : f32
  } -> tensor<2x2xf32>
  return %7 : tensor<2x2xf32>
}
