// A 32x32x32 product through all levels: pack to L1, fractals to L0A and L0B,
// cube, L0C to UB with a cast, unpack to global memory.
//
// RUN: gc-runner --target=npu --check %s | FileCheck %s
// RUN: gc-runner --target=npu --check %s --json=- | FileCheck %s --check-prefix=JSON
// RUN: gc-runner --target=npu --check %s --entry=bytes | FileCheck %s --check-prefix=BYTES

// CHECK: bound 296 (memory)
// CHECK: M 14 (
// CHECK: check     passed

// JSON: "name": "matmul"
// JSON: "target": "npu"
// JSON: "cycles": 539
// JSON: "bound_cycles": 296
// JSON: "bound_fraction": 0.549
// JSON: "flops": 65536
// JSON: "gm_bytes": 6144
// JSON: "pipes": {
// JSON-NEXT: "S": 17,
// JSON-NEXT: "V": 16,
// JSON-NEXT: "M": 14,
// JSON-NEXT: "MTE1": 12,
// JSON-NEXT: "MTE2": 64,
// JSON-NEXT: "MTE3": 32
// JSON: "flags": 4
// JSON: "instructions": 17
// JSON: "max_abs_err":

// BYTES: bound 296 (memory)
// BYTES: check     passed

func.func private @product(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %a, %b : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %0 : tensor<32x32xf16>
}

func.func @main(%x: memref<32x32xf16, #npu.space<gm>>, %y: memref<32x32xf16, #npu.space<gm>>, %z: memref<32x32xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @product} {
  %c0 = arith.constant 0 : index
  %a1 = npu.alloc at 0 : memref<2x32x16xf16, #npu.space<l1>>
  %b1 = npu.alloc at 2048 : memref<2x32x16xf16, #npu.space<l1>>
  %a0 = npu.alloc at 0 : memref<2x2x16x16xf16, #npu.space<l0a>>
  %b0 = npu.alloc at 0 : memref<2x2x16x16xf16, #npu.space<l0b>>
  %c = npu.alloc at 0 : memref<2x2x16x16xf32, #npu.space<l0c>>
  %r = npu.alloc at 0 : memref<2x32x16xf16, #npu.space<ub>>
  npu.pack %x to %a1 : memref<32x32xf16, #npu.space<gm>> to memref<2x32x16xf16, #npu.space<l1>>
  npu.pack %y to %b1 : memref<32x32xf16, #npu.space<gm>> to memref<2x32x16xf16, #npu.space<l1>>
  npu.set_flag mte2 -> mte1 [%c0]
  npu.wait_flag mte2 -> mte1 [%c0]
  // A: [K1, M, K0] to zZ [M1, K1, 16, K0], a row of fractals at a time.
  %a1r0 = memref.subview %a1[0, 0, 0] [2, 16, 16] [1, 1, 1] : memref<2x32x16xf16, #npu.space<l1>> to memref<2x16x16xf16, strided<[512, 16, 1]>, #npu.space<l1>>
  %a1r1 = memref.subview %a1[0, 16, 0] [2, 16, 16] [1, 1, 1] : memref<2x32x16xf16, #npu.space<l1>> to memref<2x16x16xf16, strided<[512, 16, 1], offset: 256>, #npu.space<l1>>
  %a0r0 = memref.subview %a0[0, 0, 0, 0] [1, 2, 16, 16] [1, 1, 1, 1] : memref<2x2x16x16xf16, #npu.space<l0a>> to memref<2x16x16xf16, strided<[256, 16, 1]>, #npu.space<l0a>>
  %a0r1 = memref.subview %a0[1, 0, 0, 0] [1, 2, 16, 16] [1, 1, 1, 1] : memref<2x2x16x16xf16, #npu.space<l0a>> to memref<2x16x16xf16, strided<[256, 16, 1], offset: 512>, #npu.space<l0a>>
  npu.load2d %a1r0 to %a0r0 fractals 2 source_stride 2 : memref<2x16x16xf16, strided<[512, 16, 1]>, #npu.space<l1>> to memref<2x16x16xf16, strided<[256, 16, 1]>, #npu.space<l0a>>
  npu.load2d %a1r1 to %a0r1 fractals 2 source_stride 2 : memref<2x16x16xf16, strided<[512, 16, 1], offset: 256>, #npu.space<l1>> to memref<2x16x16xf16, strided<[256, 16, 1], offset: 512>, #npu.space<l0a>>
  // B: [N1, K, 16] to nZ [K1, N1, 16, 16], each fractal transposed.
  %b1k0 = memref.subview %b1[0, 0, 0] [2, 16, 16] [1, 1, 1] : memref<2x32x16xf16, #npu.space<l1>> to memref<2x16x16xf16, strided<[512, 16, 1]>, #npu.space<l1>>
  %b1k1 = memref.subview %b1[0, 16, 0] [2, 16, 16] [1, 1, 1] : memref<2x32x16xf16, #npu.space<l1>> to memref<2x16x16xf16, strided<[512, 16, 1], offset: 256>, #npu.space<l1>>
  %b0k0 = memref.subview %b0[0, 0, 0, 0] [1, 2, 16, 16] [1, 1, 1, 1] : memref<2x2x16x16xf16, #npu.space<l0b>> to memref<2x16x16xf16, strided<[256, 16, 1]>, #npu.space<l0b>>
  %b0k1 = memref.subview %b0[1, 0, 0, 0] [1, 2, 16, 16] [1, 1, 1, 1] : memref<2x2x16x16xf16, #npu.space<l0b>> to memref<2x16x16xf16, strided<[256, 16, 1], offset: 512>, #npu.space<l0b>>
  npu.load2d %b1k0 to %b0k0 fractals 2 source_stride 2 transposed : memref<2x16x16xf16, strided<[512, 16, 1]>, #npu.space<l1>> to memref<2x16x16xf16, strided<[256, 16, 1]>, #npu.space<l0b>>
  npu.load2d %b1k1 to %b0k1 fractals 2 source_stride 2 transposed : memref<2x16x16xf16, strided<[512, 16, 1], offset: 256>, #npu.space<l1>> to memref<2x16x16xf16, strided<[256, 16, 1], offset: 512>, #npu.space<l0b>>
  npu.set_flag mte1 -> m [%c0]
  npu.wait_flag mte1 -> m [%c0]
  npu.matmul %a0, %b0 into %c initialised : memref<2x2x16x16xf16, #npu.space<l0a>>, memref<2x2x16x16xf16, #npu.space<l0b>> into memref<2x2x16x16xf32, #npu.space<l0c>>
  npu.set_flag m -> v [%c0]
  npu.wait_flag m -> v [%c0]
  npu.drain %c to %r : memref<2x2x16x16xf32, #npu.space<l0c>> to memref<2x32x16xf16, #npu.space<ub>>
  npu.set_flag v -> mte3 [%c0]
  npu.wait_flag v -> mte3 [%c0]
  npu.unpack %r to %z : memref<2x32x16xf16, #npu.space<ub>> to memref<32x32xf16, #npu.space<gm>>
  return
}

func.func private @product_bytes(%a: tensor<32x32xsi8>, %b: tensor<32x32xsi8>) -> tensor<32x32xsi32> {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<32x32xsi8>, tensor<32x32xsi8>) -> tensor<32x32xsi32>
  return %0 : tensor<32x32xsi32>
}

// The second operand comes transposed, so that no fractal of bytes has to be.
func.func @bytes(%x: memref<32x32xi8, #npu.space<gm>>, %y: memref<32x32xi8, #npu.space<gm>>, %z: memref<32x32xi32, #npu.space<gm>>) attributes {npu.kernel, reference = @product_bytes} {
  %c0 = arith.constant 0 : index
  %a1 = npu.alloc at 0 : memref<1x32x32xi8, #npu.space<l1>>
  %b1 = npu.alloc at 1024 : memref<1x32x32xi8, #npu.space<l1>>
  %a0 = npu.alloc at 0 : memref<2x1x16x32xi8, #npu.space<l0a>>
  %b0 = npu.alloc at 0 : memref<1x2x16x32xi8, #npu.space<l0b>>
  %c = npu.alloc at 0 : memref<2x2x16x16xi32, #npu.space<l0c>>
  %r = npu.alloc at 0 : memref<2x32x16xi32, #npu.space<ub>>
  npu.pack %x to %a1 : memref<32x32xi8, #npu.space<gm>> to memref<1x32x32xi8, #npu.space<l1>>
  npu.pack %y to %b1 : memref<32x32xi8, #npu.space<gm>> to memref<1x32x32xi8, #npu.space<l1>>
  npu.set_flag mte2 -> mte1 [%c0]
  npu.wait_flag mte2 -> mte1 [%c0]
  npu.load2d %a1 to %a0 fractals 2 : memref<1x32x32xi8, #npu.space<l1>> to memref<2x1x16x32xi8, #npu.space<l0a>>
  npu.load2d %b1 to %b0 fractals 2 : memref<1x32x32xi8, #npu.space<l1>> to memref<1x2x16x32xi8, #npu.space<l0b>>
  npu.set_flag mte1 -> m [%c0]
  npu.wait_flag mte1 -> m [%c0]
  npu.matmul %a0, %b0 into %c initialised : memref<2x1x16x32xi8, #npu.space<l0a>>, memref<1x2x16x32xi8, #npu.space<l0b>> into memref<2x2x16x16xi32, #npu.space<l0c>>
  npu.set_flag m -> v [%c0]
  npu.wait_flag m -> v [%c0]
  npu.drain %c to %r : memref<2x2x16x16xi32, #npu.space<l0c>> to memref<2x32x16xi32, #npu.space<ub>>
  npu.set_flag v -> mte3 [%c0]
  npu.wait_flag v -> mte3 [%c0]
  npu.unpack %r to %z : memref<2x32x16xi32, #npu.space<ub>> to memref<32x32xi32, #npu.space<gm>>
  return
}
