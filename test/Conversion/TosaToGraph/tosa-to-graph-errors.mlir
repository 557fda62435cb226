// What stays, and why.

// RUN: gc-opt %s --convert-tosa-to-graph --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=convert-tosa-to-graph

func.func @nan(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  // expected-remark @+1 {{it ignores NaN}}
  %0 = tosa.reduce_max %x {axis = 1 : i32, nan_mode = IGNORE} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

func.func @wraps(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-remark @+1 {{integer arithmetic wraps, in the dialect it saturates}}
  %0 = tosa.add %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{results of type tensor<?xf32> are not supported}}
  %0 = tosa.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @comparison(%x: tensor<4xf32>) -> tensor<4xi1> {
  // expected-remark @+1 {{there is no such operation in the Graph dialect}}
  %0 = tosa.greater %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @narrow(%x: tensor<4xi32>) -> tensor<4xi8> {
  // expected-remark @+1 {{casts to narrower integers are not supported}}
  %0 = tosa.cast %x : (tensor<4xi32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @exponent(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{the exponent is not a constant}}
  %0 = tosa.pow %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The condition may be an argument.

func.func @select(%m: tensor<4xi1>, %x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  // expected-remark @+1 {{}}
  %0 = tosa.select %m, %x, %y : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
