#map = affine_map<(d0) -> (d0 * 384, 616)>
module {
  func.func private @relu_graph(%arg0: tensor<10x100xf16>) -> tensor<10x100xf16> {
    %0 = graph.relu %arg0 : (tensor<10x100xf16>) -> tensor<10x100xf16>
    return %0 : tensor<10x100xf16>
  }
  func.func @relu(%arg0: memref<10x100xf16, #npu.space<gm>>, %arg1: memref<10x100xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @relu_graph} {
    %collapse_shape = memref.collapse_shape %arg0 [[0, 1]] : memref<10x100xf16, #npu.space<gm>> into memref<1000xf16, #npu.space<gm>>
    %collapse_shape_0 = memref.collapse_shape %arg1 [[0, 1]] : memref<10x100xf16, #npu.space<gm>> into memref<1000xf16, #npu.space<gm>>
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    scf.for %arg2 = %c0 to %c3 step %c1 {
      %0 = npu.alloc : memref<384xf16, #npu.space<ub>>
      %1 = npu.alloc : memref<384xf16, #npu.space<ub>>
      %2 = affine.min #map(%arg2)
      %subview = memref.subview %collapse_shape[%2] [384] [1] : memref<1000xf16, #npu.space<gm>> to memref<384xf16, strided<[1], offset: ?>, #npu.space<gm>>
      npu.copy %subview to %1 : memref<384xf16, strided<[1], offset: ?>, #npu.space<gm>> to memref<384xf16, #npu.space<ub>>
      %3 = affine.min #map(%arg2)
      npu.unary  relu %1 to %0 : memref<384xf16, #npu.space<ub>> to memref<384xf16, #npu.space<ub>>
      %4 = affine.min #map(%arg2)
      %subview_1 = memref.subview %collapse_shape_0[%4] [384] [1] : memref<1000xf16, #npu.space<gm>> to memref<384xf16, strided<[1], offset: ?>, #npu.space<gm>>
      npu.copy %0 to %subview_1 : memref<384xf16, #npu.space<ub>> to memref<384xf16, strided<[1], offset: ?>, #npu.space<gm>>
    } {npu.pipeline = 3 : i64}
    return
  }
}

