// What stays, and why.

// RUN: gc-opt %s --convert-linalg-to-graph --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=convert-linalg-to-graph

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{results of type tensor<?xf32> are not supported}}
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-remark @+1 {{results of type tensor<4xf64> are not supported}}
  %0 = linalg.exp ins(%x : tensor<4xf64>) outs(%x : tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

#map = affine_map<(d0) -> (d0)>
func.func @index(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{its body reads indices}}
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.addf %in, %f : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>
func.func @scalar(%x: tensor<4xf32>, %y: f32) -> tensor<4xf32> {
  // expected-remark @+1 {{it reads a scalar that is not a constant}}
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %y : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// maxnumf ignores NaN, the dialect's maximum does not.

#map = affine_map<(d0) -> (d0)>
func.func @meaning(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{'arith.maxnumf' has no meaning in the Graph dialect}}
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %s = arith.maxnumf %in, %other : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Elements along the diagonal.

func.func @diagonal(%x: tensor<4x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{an indexing map has a dimension twice}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-remark @+1 {{'arith.addi' has no meaning in the Graph dialect}}
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32>) outs(%x : tensor<4xi32>) {
  ^bb0(%in: i32, %out: i32):
    %s = arith.addi %in, %in : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A running difference is no reduction of the dialect.

func.func @reduction(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  // expected-remark @+1 {{its body is not a supported reduction}}
  %0 = linalg.reduce ins(%x : tensor<4xf32>) outs(%y : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %s = arith.subf %out, %in : f32
      linalg.yield %s : f32
    }
  return %0 : tensor<f32>
}

// -----

// The second sum adds up what the first one has so far.

#matrix = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
func.func @prefixes(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark @+1 {{its body is not a supported reduction}}
  %0:2 = linalg.generic {indexing_maps = [#matrix, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%y, %y : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%in: f32, %first: f32, %second: f32):
    %s = arith.addf %first, %in : f32
    %t = arith.addf %second, %s : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Integers that one op reads as signed and another one as unsigned.

#map = affine_map<(d0) -> (d0)>
func.func @signs(%x: tensor<4xi8>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{it reads signed integers as unsigned, or the reverse}}
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi8>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: i8, %out: f32):
    %u = arith.uitofp %in : i8 to f32
    %s = arith.sitofp %in : i8 to f32
    %d = arith.subf %u, %s : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @returned(%x: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>) {
  // expected-remark @+1 {{it reads signed integers as unsigned, or the reverse}}
  %0 = arith.uitofp %x : tensor<4xi8> to tensor<4xf32>
  return %0, %x : tensor<4xf32>, tensor<4xi8>
}

func.func @chain(%x: tensor<4xi8>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{it reads signed integers as unsigned, or the reverse}}
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi8>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: i8, %out: f32):
    %wide = arith.extsi %in : i8 to i32
    %f = arith.uitofp %wide : i32 to f32
    linalg.yield %f : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
