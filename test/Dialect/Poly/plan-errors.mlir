// Files that are not plans, or plans for something else.

// RUN: split-file %s %t
// RUN: %python %t/run.py %t %t/cases.txt

// In a database a plan for another kernel or machine is passed over.
// RUN: gc-opt %t/relu.mlir --gc-npu-pipeline="export-plan=%t/plan.json stop-after=promote" -o %t/plain.mlir
// RUN: gc-opt %t/other.mlir --gc-npu-pipeline="plan-database=%t/plan.json stop-after=promote" -o %t/other.out.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: remark: no plan of '{{.*}}plan.json' is for @relu: it is chosen anew
// RUN: gc-opt %t/slow.mlir --gc-npu-pipeline="plan-database=%t/plan.json stop-after=promote" -o %t/slow.out.mlir 2>&1 | FileCheck %s --check-prefix=SLOW
// SLOW: remark: plans of '{{.*}}plan.json' are not used: it is for the machine gm64-{{.*}}, but this one is gm32-
// RUN: sed 's/"version": 1/"version": 2/' %t/plan.json > %t/newer.json
// RUN: gc-opt %t/relu.mlir --gc-npu-pipeline="plan-database=%t/newer.json stop-after=promote" -o %t/newer.out.mlir 2>&1 | FileCheck %s --check-prefix=NEWER
// NEWER: remark: plans of '{{.*}}newer.json' are not used: the file's version is not 1, the one of this compiler
// RUN: cmp %t/newer.out.mlir %t/plain.mlir
// The name of the kernel does not matter there.
// RUN: sed 's/"kernel": "relu"/"kernel": "clamp"/; s/"slots": 2/"slots": 3/; s/(80000)/(120000)/' %t/plan.json > %t/clamp.json
// RUN: gc-opt %t/relu.mlir --gc-npu-pipeline="plan-database=%t/clamp.json stop-after=promote" | FileCheck %s --check-prefix=FOUND
// FOUND: mark: "pipeline:3"
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t/plain.mlir
// PLAIN: mark: "pipeline:2"

// RUN: not gc-opt %t/relu.mlir --gc-npu-pipeline="export-plan=%t/none/plan.json" 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: the plan cannot be written: {{.*}}No such file
// RUN: not gc-opt %t/relu.mlir --gc-npu-pipeline="import-plan=%t/none.json" 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: the plan cannot be read: {{.*}}No such file

//--- relu.mlir
func.func @relu(%x: tensor<1000x1000xf16>) -> tensor<1000x1000xf16> {
  %y = graph.relu %x : (tensor<1000x1000xf16>) -> tensor<1000x1000xf16>
  return %y : tensor<1000x1000xf16>
}
//--- other.mlir
func.func @relu(%x: tensor<1000x999xf16>) -> tensor<1000x999xf16> {
  %y = graph.relu %x : (tensor<1000x999xf16>) -> tensor<1000x999xf16>
  return %y : tensor<1000x999xf16>
}
//--- slow.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.profile" = "gm32">>} {
  func.func @relu(%x: tensor<1000x1000xf16>) -> tensor<1000x1000xf16> {
    %y = graph.relu %x : (tensor<1000x1000xf16>) -> tensor<1000x1000xf16>
    return %y : tensor<1000x1000xf16>
  }
}
//--- run.py
"""Changes a plan by each line of Python of a file: the error has to be the one below it."""
import json, pathlib, subprocess, sys
folder, cases = pathlib.Path(sys.argv[1]), sys.argv[2]


def compile(graph, options):
    return subprocess.run(["gc-opt", folder / graph, "-o", "/dev/null", f"--gc-npu-pipeline={options} stop-after=promote"],
                          capture_output=True, text=True)


plan = folder / "good.json"
compile("relu.mlir", f"export-plan={plan}").check_returncode()
bad = 0
for case in open(cases).read().strip().split("\n\n"):
    change, expected = case.split("\n")
    f = json.loads(plan.read_text())
    scope = {"f": f, "k": f["kernels"][0], "text": None, "graph": "relu.mlir"}
    exec(change, scope)
    changed = folder / "changed.json"
    changed.write_text(json.dumps(f) if scope["text"] is None else scope["text"])
    run = compile(scope["graph"], f"import-plan={changed}")
    errors = [line for line in run.stderr.split("\n") if "error: " in line]
    if run.returncode != 1 or len(errors) != 1 or expected not in errors[0]:
        print(f"{change}: expected '{expected}', got {run.returncode} {run.stderr}")
        bad += 1
sys.exit(bad)
//--- cases.txt
text = "{"
changed.json': not valid JSON:

text = "[" * 100000
changed.json': brackets are nested too deeply

text = "[]"
changed.json': the file is not a JSON object

del f["version"]
changed.json': the file has no 'version'

f["version"] = 2
changed.json': the file's version is not 1, the one of this compiler

f["version"] = "1"
changed.json': the file's version is not a number

f["machine"] = "gm64-0"
changed.json': it is for the machine gm64-0, but this one is gm64-

graph = "slow.mlir"
changed.json': it is for the machine gm64-

graph = "other.mlir"
changed.json': its plan for the kernel 'relu' is for another problem

k["kernel"] = "softmax"
changed.json': it has no plan for the kernel 'relu'

f["kernels"] = []
changed.json': it has no plan for the kernel 'relu'

f["kernels"] = 3
changed.json': 'kernels' is not an array

f["kernels"] *= 2
changed.json': kernel 'relu' has two plans

f["kernels"] = [3]
changed.json': kernel 0 is not an object

del k["problem"]
changed.json': kernel 0 has no 'problem'

k["colour"] = 1
changed.json': kernel 0 has an unknown key 'colour'

f["colour"] = 1
changed.json': the file has an unknown key 'colour'

k["cycles"] = 0
changed.json': kernel 'relu': 'cycles' is not a positive integer

k["policy"] = 1
changed.json': kernel 'relu': 'policy' is not a string

k["policy"] = "S_0 : 4 @ L3"
kernel 'relu': wrong tiling policy: 'L3' is not a buffer for tiles, in the sizes of 'S_0'; there are L1, L0 and UB

k["policy"] = "S_7 : 4 @ UB"
'poly.scop' op has a wrong tiling policy: there is no statement 'S_7'

k["hierarchy"] = "buf UB (4)"
kernel 'relu': 'hierarchy' is not an array of strings

k["hierarchy"] = ["buf UB (262144)", "buf L3 (4)"]
kernel 'relu': wrong memory hierarchy: line 2, column 5: expected a memory at 'L3'

k["choices"] = []
kernel 'relu': 'choices' is not an object

k["choices"]["slots"] = "x"
kernel 'relu': choice 'slots' is not an integer

k["choices"]["s+"] = 1
kernel 'relu': 's+' is not the name of a choice

k["choices"]["slots"] = 9
'poly.scop' op cannot have the choice 'slots' = 9; possible are 1, 2, 3, 4

k["choices"]["parts"] = 1
'poly.scop' op has no choice 'parts' to make, but its plan makes it
