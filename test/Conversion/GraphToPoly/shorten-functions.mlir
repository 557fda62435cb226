// RUN: gc-opt %s --poly-shorten-functions | FileCheck %s

// CHECK-LABEL: func.func @erf
// CHECK-DAG:     %[[B:.*]] = graph.constant dense<-7.06{{.*}}e-02> : tensor<f16>
// CHECK-DAG:     %[[A:.*]] = graph.constant dense<-1.597{{.*}}> : tensor<f16>
// CHECK-DAG:     %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<f16>
// CHECK-DAG:     %[[SQUARE:.*]] = graph.multiply %arg0, %arg0
// CHECK-DAG:     %[[SCALED:.*]] = graph.multiply %[[SQUARE]], %[[B]]
// CHECK-DAG:     %[[FACTOR:.*]] = graph.add %[[SCALED]], %[[A]]
// CHECK-DAG:     %[[LOGIT:.*]] = graph.multiply %[[FACTOR]], %arg0
// CHECK-DAG:     %[[POWER:.*]] = graph.exp %[[LOGIT]]
// CHECK-DAG:     %[[DIVISOR:.*]] = graph.add %[[POWER]], %[[ONE]]
// CHECK:         %[[Y:.*]] = graph.divide %arg0, %[[DIVISOR]]
// CHECK:         return %[[Y]]
func.func @erf(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = graph.gelu %x : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// CHECK-LABEL: func.func @tanh
// CHECK-DAG:     graph.constant dense<-7.135{{.*}}e-02> : tensor<f16>
// CHECK-DAG:     graph.constant dense<-1.595{{.*}}> : tensor<f16>
// CHECK-NOT:     graph.gelu
// CHECK:         return
func.func @tanh(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = graph.gelu %x {mode = "gelu_tanh"} : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// In f32 the error would be thousands of units in the last place.
// CHECK-LABEL: func.func @wide
// CHECK-NEXT:    graph.gelu
func.func @wide(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.gelu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
