// RUN: gc-opt %s --convert-tir-to-llvm | FileCheck %s

// Nothing is left for a library: no op of the math dialect, no call, no intrinsic
// that LLVM would turn into one. Ops that are x86 instructions stay.

// CHECK-LABEL: llvm.func @f_compute(
// CHECK-NOT:   llvm.call
// CHECK-NOT:   llvm.intr.{{exp|log|pow|sin|cos|tanh}}
// CHECK-DAG:   llvm.intr.sqrt({{.*}}) : (vector<8xf32>) -> vector<8xf32>
// CHECK-DAG:   llvm.intr.roundeven({{.*}}) : (vector<8xf32>) -> vector<8xf32>
// CHECK-DAG:   llvm.fmul %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<8xf32>
// CHECK:       llvm.return
func.func @f(%a: memref<8xf32>, %b: memref<2x4xf32>, %h: memref<8xbf16>,
             %o: memref<8xf32>, %p: memref<2x4xf32>, %q: memref<8xbf16>)
    attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 3 : i64,
                tir.outputs = 3 : i64} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  %0 = math.exp %x : vector<8xf32>
  %1 = math.log %0 : vector<8xf32>
  %2 = math.tanh %1 : vector<8xf32>
  %3 = math.erf %2 : vector<8xf32>
  %4 = math.powf %3, %x : vector<8xf32>
  %5 = math.log1p %4 : vector<8xf32>
  %6 = math.expm1 %5 : vector<8xf32>
  %7 = math.sqrt %6 : vector<8xf32>
  %8 = math.roundeven %7 : vector<8xf32>
  %9 = math.sin %8 : vector<8xf32>
  vector.store %9, %o[%c0] : memref<8xf32>, vector<8xf32>
  // Vectors of more dimensions, scalars and smaller types too.
  %pad = arith.constant 0.0 : f32
  %y = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<2x4xf32>, vector<2x4xf32>
  %10 = math.exp %y : vector<2x4xf32>
  vector.transfer_write %10, %p[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, memref<2x4xf32>
  %z = memref.load %h[%c0] : memref<8xbf16>
  %11 = math.exp %z : bf16
  memref.store %11, %q[%c0] : memref<8xbf16>
  return
}
