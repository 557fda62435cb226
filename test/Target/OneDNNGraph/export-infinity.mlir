// Bounds that do not bind. JSON has no infinities: numbers beyond all doubles
// stand for them, for other readers of JSON too.

// RUN: gc-translate --export-onednn-graph %s -o %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: gc-translate --import-onednn-graph %t.json | FileCheck %s --check-prefix=BACK
// RUN: %python -c "import json, sys; g = json.load(open(sys.argv[1])); print(g['graph'][0]['attrs']['max']['value'])" %t.json | FileCheck %s --check-prefix=OTHER

// CHECK: "min": {
// CHECK-NEXT: "type": "f32",
// CHECK-NEXT: "value": -1e999
// CHECK: "max": {
// CHECK-NEXT: "type": "f32",
// CHECK-NEXT: "value": 1e999
// BACK: graph.clamp %{{.*}} {max = 0x7F800000 : f32, min = 0xFF800000 : f32}
// OTHER: inf
func.func @clamp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.clamp %x {min = 0xFF800000 : f32, max = 0x7F800000 : f32}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
