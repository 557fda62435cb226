// Graph functions as scops.

// RUN: gc-opt %s --split-input-file --graph-decompose --poly-extract | FileCheck %s

// An elementwise op is flat, whatever its shape.
// CHECK-LABEL: func.func private @relu_graph
// CHECK:       poly.scop @relu reference @relu_graph schedule {
// CHECK-NEXT:    domain: "{ S_0[i0] : 0 <= i0 <= 999 }",
// CHECK-NEXT:    child: {
// CHECK-NEXT:      schedule: "[{ S_0[i0] -> [(i0)] }]"
// CHECK:       poly.array @I0 input 0 : tensor<1000xf16>
// CHECK-NEXT:  poly.array @O0 output 0 : tensor<1000xf16>
// CHECK-NEXT:  poly.statement @S_0 domain "{ S_0[i0] : 0 <= i0 <= 999 }"
// CHECK-SAME:    reads [@I0 "{ S_0[i0] -> I0[i0] }"] writes @O0 "{ S_0[i0] -> O0[i0] }" {
// CHECK-NEXT:  ^bb0(%[[X:.*]]: f16):
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %[[MAX:.*]] = arith.maximumf %[[WIDE]], %[[ZERO]] fastmath<nsz> : f32
// CHECK-NEXT:    %[[Y:.*]] = arith.truncf %[[MAX]] : f32 to f16
// CHECK-NEXT:    poly.yield %[[Y]] : f16
func.func @relu(%x: tensor<10x100xf16>) -> tensor<10x100xf16> {
  %y = graph.relu %x : (tensor<10x100xf16>) -> tensor<10x100xf16>
  return %y : tensor<10x100xf16>
}

// -----

// A product is initialised, summed in f32 and converted; leading dimensions are
// rows; a bias is read by column.
// CHECK-LABEL: poly.scop @matmul
// CHECK:       poly.array @I0 input 0 : tensor<400x64xf16>
// CHECK:       poly.array @[[F16:.*]] temporary : tensor<400x50xf16>
// CHECK:       poly.array @[[SUM:.*]] temporary : tensor<400x50xf32>
// CHECK:       poly.array @O0 output 0 : tensor<400x50xf16>
// CHECK:       poly.statement @S_0 {{.*}} writes @[[SUM]] "{ S_0[i0, i1] -> [[SUM]][i0, i1] }" {
// CHECK:       poly.statement @S_1 domain "{ S_1[i0, i1, i2] : 0 <= i0 <= 399 and 0 <= i1 <= 49 and 0 <= i2 <= 63 }"
// CHECK-SAME:    reads [@I0 "{ S_1[i0, i1, i2] -> I0[i0, i2] }", @I1 "{ S_1[i0, i1, i2] -> I1[i1, i2] }", @[[SUM]] {{.*}}] writes @[[SUM]]
// CHECK-NEXT:  ^bb0(%[[A:.*]]: f16, %[[B:.*]]: f16, %[[C:.*]]: f32):
// CHECK-NEXT:    %[[WA:.*]] = arith.extf %[[A]]
// CHECK-NEXT:    %[[WB:.*]] = arith.extf %[[B]]
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[WA]], %[[WB]] : f32
// CHECK-NEXT:    arith.addf %[[C]], %[[P]] : f32
// CHECK:       poly.statement @S_2 {{.*}} reads [@[[SUM]] {{.*}}] writes @[[F16]]
// CHECK:         arith.truncf
// CHECK:       poly.statement @S_3 {{.*}} reads [@[[F16]] "{ S_3[i0, i1] -> [[F16]][i0, i1] }", @I2 "{ S_3[i0, i1] -> I2[i1] }"] writes @O0
func.func @matmul(%a: tensor<4x100x64xf16>, %b: tensor<50x64xf16>, %bias: tensor<50xf16>) -> tensor<4x100x50xf16> {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<4x100x64xf16>, tensor<50x64xf16>) -> tensor<4x100x50xf16>
  %1 = graph.add %0, %bias : (tensor<4x100x50xf16>, tensor<50xf16>) -> tensor<4x100x50xf16>
  return %1 : tensor<4x100x50xf16>
}

// -----

// Bytes are summed in i32, without a conversion of the result.
// CHECK-LABEL: poly.scop @bytes
// CHECK:       poly.array @O0 output 0 : tensor<64x32xi32>
// CHECK:       poly.statement @S_1 {{.*}} writes @O0
// CHECK:         arith.extsi {{.*}} : i8 to i32
// CHECK:         arith.extsi {{.*}} : i8 to i32
// CHECK:         arith.muli
// CHECK:         arith.addi
func.func @bytes(%a: tensor<64x48xsi8>, %b: tensor<48x32xsi8>) -> tensor<64x32xsi32> {
  %0 = graph.matmul %a, %b : (tensor<64x48xsi8>, tensor<48x32xsi8>) -> tensor<64x32xsi32>
  return %0 : tensor<64x32xsi32>
}

// -----

// A maximum has the elements' type, a sum of f16 is f32 until its end. The
// dimension that both sides of the row have in common is one.
// CHECK-LABEL: poly.scop @rows
// CHECK:       poly.array @I0 input 0 : tensor<512x64xf16>
// CHECK:       poly.statement @S_0 domain "{ S_0[i0] : 0 <= i0 <= 511 }"
// CHECK:         arith.constant 0xFC00 : f16
// CHECK:       poly.statement @S_1 domain "{ S_1[i0, i1] : 0 <= i0 <= 511 and 0 <= i1 <= 63 }"
// CHECK:         arith.maximumf {{.*}} : f16
// CHECK:       poly.statement @S_2 {{.*}} reads [@I0 {{.*}}, @[[MAX:.*]] "{ S_2[i0, i1] -> [[MAX]][i0] }"]
// CHECK:         arith.subf
// CHECK:       poly.statement @S_3
// CHECK:         arith.constant 0.000000e+00 : f32
// CHECK:       poly.statement @S_4
// CHECK:         arith.addf {{.*}} : f32
// CHECK:       poly.statement @S_5 domain "{ S_5[i0] : 0 <= i0 <= 511 }"
// CHECK:         arith.truncf
func.func @rows(%x: tensor<8x64x64xf16>) -> tensor<8x64x1xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 2>, keep_dims = true} : (tensor<8x64x64xf16>) -> tensor<8x64x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<8x64x64xf16>, tensor<8x64x1xf16>) -> tensor<8x64x64xf16>
  %2 = graph.reduce_sum %1 {axes = array<i64: 2>, keep_dims = true} : (tensor<8x64x64xf16>) -> tensor<8x64x1xf16>
  return %2 : tensor<8x64x1xf16>
}

// -----

// A transpose moves elements as they are.
// CHECK-LABEL: poly.scop @transpose
// CHECK:       poly.statement @S_0 {{.*}} reads [@I0 "{ S_0[i0, i1] -> I0[i1, i0] }"] writes @O0 "{ S_0[i0, i1] -> O0[i0, i1] }" {
// CHECK-NEXT:  ^bb0(%[[X:.*]]: f16):
// CHECK-NEXT:    poly.yield %[[X]] : f16
func.func @transpose(%x: tensor<30x20xf16>) -> tensor<20x30xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<30x20xf16>) -> tensor<20x30xf16>
  return %0 : tensor<20x30xf16>
}

// -----

// A reshape of an input or a result is the array in another shape, and what is
// returned twice is copied.
// CHECK-LABEL: poly.scop @reshape
// CHECK:       poly.array @I0_0 input 0 : tensor<600xf16>
// CHECK:       poly.array @O0 output 0 : tensor<600xf16>
// CHECK:       poly.array @O1 output 1 : tensor<600xf16>
// CHECK:       poly.statement @S_0 {{.*}} reads [@I0_0 "{ S_0[i0] -> I0_0[i0] }"] writes @O0
// CHECK:       poly.statement @S_1 {{.*}} reads [@O0 "{ S_1[i0] -> O0[i0] }"] writes @O1
func.func @reshape(%x: tensor<30x20xf16>) -> (tensor<600xf16>, tensor<5x6x20xf16>) {
  %0 = graph.static_reshape %x {shape = array<i64: 5, 6, 20>} : (tensor<30x20xf16>) -> tensor<5x6x20xf16>
  %1 = graph.relu %0 : (tensor<5x6x20xf16>) -> tensor<5x6x20xf16>
  %2 = graph.static_reshape %1 {shape = array<i64: 600>} : (tensor<5x6x20xf16>) -> tensor<600xf16>
  %3 = graph.static_reshape %2 {shape = array<i64: 5, 6, 20>} : (tensor<600xf16>) -> tensor<5x6x20xf16>
  return %2, %3 : tensor<600xf16>, tensor<5x6x20xf16>
}

// -----

// A reshape between two ops is a map of indices.
// CHECK-LABEL: poly.scop @between
// CHECK:       poly.statement @S_1 {{.*}} reads [@[[T:.*]] "{ S_1[i0, i1] -> [[T]][i1, i0] }"] writes @[[U:[^ ]*]]
// CHECK:       poly.statement @S_2 {{.*}} reads [@[[U]] "{ S_2[i0] -> [[U]][o0, o1] : (-i0 + o1) mod 30 = 0 and -29 + i0 <= 30o0 <= i0 and 0 <= o1 <= 29 }"]
func.func @between(%x: tensor<30x20xf16>) -> tensor<600x1xf16> {
  %0 = graph.relu %x : (tensor<30x20xf16>) -> tensor<30x20xf16>
  %1 = graph.static_transpose %0 {order = array<i64: 1, 0>} : (tensor<30x20xf16>) -> tensor<20x30xf16>
  %2 = graph.static_reshape %1 {shape = array<i64: 600, 1>} : (tensor<20x30xf16>) -> tensor<600x1xf16>
  %3 = graph.exp %2 : (tensor<600x1xf16>) -> tensor<600x1xf16>
  return %3 : tensor<600x1xf16>
}

// -----

// Comparisons have no array: whoever selects by one computes it.
// CHECK-LABEL: poly.scop @choose
// CHECK-NOT:   xi1>
// CHECK:       poly.statement @S_0 {{.*}} reads [@I0 "{ S_0[i0, i1] -> I0[i0, i1] }", @I1 "{ S_0[i0, i1] -> I1[i1] }", @I2 "{ S_0[i0, i1] -> I2[i0, i1] }"] writes @O0
// CHECK-NEXT:  ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:    %[[BIT:.*]] = arith.cmpf oge, %[[A]], %[[B]] : f32
// CHECK-NEXT:    %[[Y:.*]] = arith.select %[[BIT]], %[[A]], %[[C]] : f32
// CHECK-NEXT:    poly.yield %[[Y]] : f32
// CHECK-NOT:   poly.statement
func.func @choose(%a: tensor<30x20xf32>, %b: tensor<20xf32>, %c: tensor<30x20xf32>) -> tensor<30x20xf32> {
  %0 = graph.greater_equal %a, %b : (tensor<30x20xf32>, tensor<20xf32>) -> tensor<30x20xi1>
  %1 = graph.select %0, %a, %c : (tensor<30x20xi1>, tensor<30x20xf32>, tensor<30x20xf32>) -> tensor<30x20xf32>
  return %1 : tensor<30x20xf32>
}

// -----

// Other functions are left alone.
// CHECK-LABEL: func.func @other
// CHECK-LABEL: func.func private @reference
// CHECK-NOT:   poly.scop
func.func @other(%x: tensor<4xf16>) -> tensor<4xf16> {
  return %x : tensor<4xf16>
}
func.func private @reference(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = graph.relu %x : (tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

// Values of rows are registers of f32: a sum that only divides rows of f16 is
// not rounded.
// CHECK-LABEL: poly.scop @quotients
// CHECK:         poly.array @[[SUM:.*]] temporary : tensor<30xf32>
// CHECK-NOT:     poly.array {{.*}}temporary
// CHECK:         poly.statement {{.*}}reads [@I0 {{.*}}, @[[SUM]] "{ {{.*}} }"] writes @O0
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f16, %[[S:.*]]: f32):
// CHECK-NEXT:      %[[W:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:      arith.divf %[[W]], %[[S]] : f32
func.func @quotients(%x: tensor<30x20xf16>) -> tensor<30x20xf16> {
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<30x20xf16>) -> tensor<30x1xf16>
  %1 = graph.divide %x, %0 : (tensor<30x20xf16>, tensor<30x1xf16>) -> tensor<30x20xf16>
  return %1 : tensor<30x20xf16>
}

// -----

// Rounded: sums that are a result, larger ones of two (which has no form with a
// register), and sums of which something is computed.
// CHECK-LABEL: poly.scop @returned
// CHECK:         arith.truncf {{.*}} : f32 to f16
// CHECK:         ^bb0(%{{.*}}: f16, %{{.*}}: f16):
func.func @returned(%x: tensor<30x20xf16>) -> (tensor<30x20xf16>, tensor<30x1xf16>) {
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<30x20xf16>) -> tensor<30x1xf16>
  %1 = graph.divide %x, %0 : (tensor<30x20xf16>, tensor<30x1xf16>) -> tensor<30x20xf16>
  return %1, %0 : tensor<30x20xf16>, tensor<30x1xf16>
}

// CHECK-LABEL: poly.scop @larger
// CHECK:         arith.truncf {{.*}} : f32 to f16
// CHECK:         ^bb0(%{{.*}}: f16, %{{.*}}: f16):
func.func @larger(%x: tensor<30x20xf16>) -> tensor<30x20xf16> {
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<30x20xf16>) -> tensor<30x1xf16>
  %1 = graph.maximum %x, %0 : (tensor<30x20xf16>, tensor<30x1xf16>) -> tensor<30x20xf16>
  return %1 : tensor<30x20xf16>
}

// CHECK-LABEL: poly.scop @computed
// CHECK:         arith.truncf {{.*}} : f32 to f16
// CHECK:         ^bb0(%{{.*}}: f16):
// CHECK:         math.exp
func.func @computed(%x: tensor<30x20xf16>) -> tensor<30x20xf16> {
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<30x20xf16>) -> tensor<30x1xf16>
  %1 = graph.exp %0 : (tensor<30x1xf16>) -> tensor<30x1xf16>
  %2 = graph.divide %x, %1 : (tensor<30x20xf16>, tensor<30x1xf16>) -> tensor<30x20xf16>
  return %2 : tensor<30x20xf16>
}

// -----

// Windows that have each element once are the argument in another shape, and
// the reduction goes through its elements in their order.
// CHECK-LABEL: poly.scop @pool
// CHECK:       poly.array @[[X:I0_[0-9]+]] input 0 : tensor<24x2x1536xf16>
// CHECK:       poly.statement @S_1 {{.*}} reads [@O0 "{ S_1[i0, i1, i2] -> O0[i0, i2] }", @[[X]] "{ S_1[i0, i1, i2] -> [[X]][i0, i1, i2] }"] writes @O0
func.func @pool(%x: tensor<2x24x12x128xf16>) -> tensor<2x12x12x128xf16> {
  %0 = graph.max_pool %x {kernel = array<i64: 2, 1>, strides = array<i64: 2, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>} : (tensor<2x24x12x128xf16>) -> tensor<2x12x12x128xf16>
  return %0 : tensor<2x12x12x128xf16>
}
