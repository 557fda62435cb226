// What was chosen for kernels, written to a file and read again, gives the same
// programs; the hierarchy and the policy alone do, too.

// RUN: split-file %s %t
// RUN: %python %t/replay.py %t/kernels.mlir %t | FileCheck %s --check-prefix=REPLAY
// REPLAY-COUNT-7: {{[a-z]+}}: the same program three times
// REPLAY-NOT:     {{.}}

// RUN: FileCheck %s --check-prefix=LAYER --input-file=%t/layer.json
// LAYER:      "alternatives": {
// LAYER:        "innermost": [
// LAYER-NEXT:     0,
// LAYER-NEXT:     1
// LAYER:        "panel": [
// LAYER-NEXT:     0,
// LAYER:        "parts": [
// LAYER-NEXT:     1,
// LAYER-NEXT:     2,
// LAYER-NEXT:     4
// LAYER:        "schedule": [
// LAYER:      "choices": {
// LAYER-NEXT:   "innermost": 1,
// LAYER:        "parts": 4,
// LAYER:        "schedule": 1
// LAYER:      "hierarchy": [
// LAYER:        "buf L1 (1048576)",
// LAYER-DAG:    "S_1 : cube (L0A L0B -> L0C, 4096, 1024)",
// LAYER-DAG:    "S_3 : vector (UB -> UB, 128, 32)",
// LAYER-DAG:    "I0 : dataflow (GM -> L1, 64, 32)",
// LAYER-DAG:    "I0 : dataflow (L1 -> L0A, 512, 512)",
// LAYER-DAG:    "O0 : dataflow (UB -> GM, 64, 1)"
// LAYER:      "kernel": "layer"
// LAYER:      "policy": "S_1 : {{.*}} @ L1, {{.*}} @ L0
// LAYER:      "problem": "{{[0-9a-f]+}}"
// LAYER:      "machine": "gm64-{{[0-9a-f]+}}",
// LAYER-NEXT: "version": 1

// Other choices are other programs, which compute the same.
// RUN: %python %t/vary.py %t/kernels.mlir %t | FileCheck %s --check-prefix=VARY
// VARY-DAG: layer innermost=0: right
// VARY-DAG: layer panel=0: right
// VARY-DAG: layer parts=1: right
// VARY-DAG: layer parts=2: right
// VARY-DAG: layer resident=1: right
// VARY-DAG: layer schedule=0: right
// VARY-DAG: layer skewed=0: right
// VARY-DAG: rows slots=1: right
// VARY-DAG: rows slots=4: right
// VARY-DAG: attention column_step=16: right
// VARY-DAG: attention term_step=16: right
// VARY-DAG: sums schedule=0: right
// VARY:     0 choices are wrong

//--- replay.py
"""Compiles each function of a file, then with its plan, and with the texts of its plan."""
import json, pathlib, re, subprocess, sys
text, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])


def compile(function, options):
    return subprocess.run(["gc-opt", "-", f"--gc-npu-pipeline={options}"], input=function,
                          capture_output=True, text=True, check=True).stdout


for function in re.split(r"(?m)^(?=func)", text)[1:]:
    name = re.match(r"func.func @(\w+)", function)[1]
    plan = folder / f"{name}.json"
    texts = folder / f"{name}-texts.json"
    first = compile(function, f"export-plan={plan}")
    again = compile(function, f"import-plan={plan} export-plan={plan}.again")
    assert plan.read_text() == pathlib.Path(f"{plan}.again").read_text(), name
    file = json.loads(plan.read_text())
    for kernel in file["kernels"]:
        del kernel["choices"]
    texts.write_text(json.dumps(file))
    third = compile(function, f"import-plan={texts}")
    assert first == again and first == third, name
    print(f"{name}: the same program three times")
//--- vary.py
"""Compiles functions with each alternative of each choice and checks what they compute."""
import json, pathlib, re, subprocess, sys
text, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
wrong = 0
for function in re.split(r"(?m)^(?=func)", text)[1:]:
    name = re.match(r"func.func @(\w+)", function)[1]
    file = json.loads((folder / f"{name}.json").read_text())
    if len(file["kernels"]) > 1:
        continue
    kernel = file["kernels"][0]
    # Memory is planned for the choices; they may need more or less.
    del kernel["hierarchy"]
    choices = dict(kernel["choices"])
    for choice, values in kernel["alternatives"].items():
        for value in values:
            if value == choices[choice]:
                continue
            kernel["choices"] = {**choices, choice: value}
            # What follows from the choice is left to the passes.
            if choice in ("panel", "innermost"):
                kernel["choices"].pop("resident", None)
            if choice == "innermost":
                kernel["choices"].pop("panel", None)
            plan, program = folder / "varied.json", folder / "varied.mlir"
            plan.write_text(json.dumps(file))
            run = subprocess.run(["gc-opt", "-", "-o", program,
                                  f"--gc-npu-pipeline=import-plan={plan} stop-after=npu"],
                                 input=function, capture_output=True, text=True)
            if run.returncode == 0:
                run = subprocess.run(["gc-runner", "--target=npu", program, "--check", "--strict"],
                                     capture_output=True, text=True)
            wrong += run.returncode != 0
            print(f"{name} {choice}={value}:", "right" if run.returncode == 0 else run.stdout + run.stderr)
print(wrong, "choices are wrong")
//--- kernels.mlir
func.func @layer(%x: tensor<256x256xf16>, %w: tensor<256x256xf16>, %bias: tensor<256xf16>) -> tensor<256x256xf16> {
  %0 = graph.matmul %x, %w : (tensor<256x256xf16>, tensor<256x256xf16>) -> tensor<256x256xf16>
  %1 = graph.add %0, %bias : (tensor<256x256xf16>, tensor<256xf16>) -> tensor<256x256xf16>
  %2 = graph.relu %1 : (tensor<256x256xf16>) -> tensor<256x256xf16>
  return %2 : tensor<256x256xf16>
}
func.func @relu(%x: tensor<40x1000xf16>) -> tensor<40x1000xf16> {
  %y = graph.relu %x : (tensor<40x1000xf16>) -> tensor<40x1000xf16>
  return %y : tensor<40x1000xf16>
}
func.func @rows(%x: tensor<260x256xf16>) -> tensor<260x256xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<260x256xf16>) -> tensor<260x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<260x256xf16>, tensor<260x1xf16>) -> tensor<260x256xf16>
  return %1 : tensor<260x256xf16>
}
func.func @attention(%q: tensor<2x128x32xf16>, %k: tensor<2x128x32xf16>, %v: tensor<2x128x32xf16>) -> tensor<2x128x32xf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x128x32xf16>, tensor<2x128x32xf16>) -> tensor<2x128x128xf16>
  %1 = graph.softmax %0 {axis = -1 : i64} : (tensor<2x128x128xf16>) -> tensor<2x128x128xf16>
  %2 = graph.matmul %1, %v : (tensor<2x128x128xf16>, tensor<2x128x32xf16>) -> tensor<2x128x32xf16>
  return %2 : tensor<2x128x32xf16>
}
func.func @convolution(%x: tensor<2x12x12x64xf16>, %w: tensor<3x3x64x64xf16>) -> tensor<2x12x12x64xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x12x12x64xf16>, tensor<3x3x64x64xf16>) -> tensor<2x12x12x64xf16>
  return %0 : tensor<2x12x12x64xf16>
}
func.func @sums(%x: tensor<4x500x16xf16>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = graph.type_cast %x : tensor<4x500x16xf16> -> tensor<4x500x16xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0, 1>, keep_dims = false} : (tensor<4x500x16xf32>) -> tensor<16xf32>
  %2 = graph.square %0 : (tensor<4x500x16xf32>) -> tensor<4x500x16xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 0, 1>, keep_dims = false} : (tensor<4x500x16xf32>) -> tensor<16xf32>
  return %1, %3 : tensor<16xf32>, tensor<16xf32>
}
func.func @mlp(%x: tensor<160x64xf16>, %w: tensor<64x128xf16>, %v: tensor<128x64xf16>) -> tensor<160x64xf16> {
  %0 = graph.matmul %x, %w : (tensor<160x64xf16>, tensor<64x128xf16>) -> tensor<160x128xf16>
  %1 = graph.relu %0 : (tensor<160x128xf16>) -> tensor<160x128xf16>
  %2 = graph.matmul %1, %v : (tensor<160x128xf16>, tensor<128x64xf16>) -> tensor<160x64xf16>
  return %2 : tensor<160x64xf16>
}
