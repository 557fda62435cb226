// Tiles that do not fit, buffers that tiles do not need, and passes in the wrong order.

// RUN: split-file %s %t && cd %t
// RUN: %python run.py

// RUN: not gc-opt relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile,poly-fuse,poly-map-units,poly-tile-statements))' 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: 'poly.scop' op has no buffers; run poly-promote first
// RUN: not gc-opt relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile,poly-fuse,poly-map-units,poly-promote,poly-promote))' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: 'poly.scop' op has been promoted

// RUN: gc-opt relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_0 : 1024 @ UB"},poly-fuse,poly-map-units,poly-promote))' -o promoted.mlir
// RUN: sed 's/@O0_ub of @O0 : memref<1024xf16/@O0_ub of @O0 : memref<512xf16/' promoted.mlir > other.mlir
// RUN: not gc-opt other.mlir --pass-pipeline='builtin.module(poly.scop(poly-tile-statements))' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: 'poly.buffer' op is 'memref<512xf16, #npu.space<ub>>' of @O0, but tiles need 'memref<1024xf16, #npu.space<ub>>' of @O0; poly-promote makes it
// RUN: grep -v '@O0_ub' promoted.mlir > less.mlir
// RUN: not gc-opt less.mlir --pass-pipeline='builtin.module(poly.scop(poly-tile-statements))' 2>&1 | FileCheck %s --check-prefix=LESS
// LESS: error: 'poly.scop' op has no buffer for 'memref<1024xf16, #npu.space<ub>>' of @O0; poly-promote makes it
// RUN: sed 's/\(.*\)@O0_ub \(of .*\)/\1@O0_ub \2\n\1@more \2/' promoted.mlir > more.mlir
// RUN: not gc-opt more.mlir --pass-pipeline='builtin.module(poly.scop(poly-tile-statements))' 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: 'poly.buffer' op is a buffer that no tile needs

//--- run.py
"""One error for tiles that do not fit, and the policies that it names do fit."""
import re, subprocess


def promote(graph, policy):
    passes = (f"builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{{policy=\"{policy}\"}},"
              "poly-fuse,poly-map-units,poly-promote))")
    return subprocess.run(["gc-opt", graph, "--mlir-print-op-on-diagnostic=false", f"--pass-pipeline={passes}"],
                          capture_output=True, text=True)


CAPACITY = {"UB": 262144, "L1": 1048576, "L0A": 65536, "L0B": 65536, "L0C": 262144}
CASES = [
    # An elementwise kernel: an input and a result.
    ("relu.mlir", "S_0 : 100000 @ UB", "UB", 400000, ["@O0_ub with a tile of @O0, 100000xf16, 200000 bytes of UB",
                                                       "@I0_ub with a tile of @I0, 100000xf16, 200000 bytes of UB"]),
    # What an instruction leaves to the next is counted, too.
    ("tanh.mlir", "S_0 : 60000 @ UB", "UB", 360000, ["what one instruction leaves to the next"]),
    # Each memory of a product.
    ("product.mlir", "S_1 : 512 @ L1, 512 @ L1, 128 @ L1, 512 @ L0, 512 @ L0, 16 @ L0", "L0C", 1048576,
     ["_l0c with a tile of @"]),
    ("product.mlir", "S_1 : 128 @ L1, 128 @ L1, 512 @ L1, 128 @ L0, 128 @ L0, 512 @ L0", "L0A", 131072,
     ["@I0_l0a with a tile of @I0, 8x32x16x16xf16, 131072 bytes of L0A"]),
    ("long.mlir", "S_1 : 256 @ L1, 256 @ L1, 2048 @ L1, 256 @ L0, 256 @ L0, 64 @ L0", "L1", 2097152,
     ["@I0_l1 with a tile of @I0", "@I1_l1 with a tile of @I1"]),
]
for graph, policy, memory, needed, alive in CASES:
    run = promote(graph, policy)
    assert run.returncode == 1, (policy, run.stderr)
    errors = [line for line in run.stderr.splitlines() if "error: " in line]
    assert len(errors) == 1, run.stderr
    found = re.search(r"does not fit (\w+): (\d+) bytes are needed at the same time, and there are (\d+); "
                      r"it would with policy='(.*)', in about (\d+) cycles$", errors[0])
    assert found, errors[0]
    assert found[1] == memory and int(found[3]) == CAPACITY[memory] < int(found[2]), errors[0]
    assert needed in (None, int(found[2])), errors[0]
    for text in alive:
        assert f"note: alive then: {text}" in run.stderr or text in run.stderr, (text, run.stderr)
    # The buffers that are named are all that is needed.
    assert sum(int(n) for n in re.findall(rf", (\d+) bytes of {memory}$", run.stderr, re.M)) == int(found[2]), run.stderr
    repairs = re.findall(r"note: fits: policy='(.*)', about (\d+) cycles", run.stderr)
    assert repairs and repairs[0] == (found[4], found[5]), run.stderr
    assert [int(c) for _, c in repairs] == sorted(int(c) for _, c in repairs), repairs
    for repair, _ in repairs:
        good = promote(graph, repair)
        assert good.returncode == 0, (repair, good.stderr)
        peaks = re.search(r"peak_bytes = \{(.*?)\}", good.stdout)[1]
        for name, peak in re.findall(r"(\w+) = (\d+)", peaks):
            assert int(peak) <= CAPACITY[name.upper()], peaks
# Where nothing fits, that is said, too.
run = promote("rows.mlir", "S_1 : 1 @ UB, 200000 @ UB")
assert run.stderr.count("error: ") == 1 and "no smaller tiles were found that fit" in run.stderr, run.stderr
# Exact: the bytes of the attribute are enough for the whole pipeline, a block less is refused.
SPEC = ('module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = '
        '#dlti.target_device_spec<"npu.profile" = "gm64", "ub_bytes" = %d : i64>>} {\n')
for graph, policy in [("relu.mlir", "S_0 : 5000 @ UB"), ("tanh.mlir", "S_0 : 4000 @ UB"),
                      ("softmax.mlir", "S_6 : 16 @ UB, 256 @ UB")]:
    peak = int(re.search(r"peak_bytes = \{ub = (\d+)", promote(graph, policy).stdout)[1])
    for bytes, fits in [(peak, True), (peak - 32, False)]:
        with open("small.mlir", "w") as file:
            file.write(SPEC % bytes + open(graph).read() + "}\n")
        run = promote("small.mlir", policy)
        assert (run.returncode == 0) == fits, (graph, bytes, run.stderr)
        if not fits:
            assert f"does not fit UB: {peak} bytes are needed at the same time, and there are {bytes}" in run.stderr
            continue
        open("fits.mlir", "w").write(run.stdout)
        subprocess.run(["gc-opt", "fits.mlir", "-o", "/dev/null", "--pass-pipeline=builtin.module(poly.scop(poly-tile-statements),"
                        "convert-poly-to-npu,func.func(npu-double-buffer,npu-expand-tiles,npu-plan-memory))"], check=True)
//--- relu.mlir
func.func @relu(%x: tensor<400000xf16>) -> tensor<400000xf16> {
  %y = graph.relu %x : (tensor<400000xf16>) -> tensor<400000xf16>
  return %y : tensor<400000xf16>
}
//--- tanh.mlir
func.func @tanh(%x: tensor<400000xf16>) -> tensor<400000xf16> {
  %y = graph.tanh %x : (tensor<400000xf16>) -> tensor<400000xf16>
  return %y : tensor<400000xf16>
}
//--- product.mlir
func.func @product(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %0 = graph.matmul %x, %w : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}
//--- long.mlir
func.func @long(%x: tensor<256x2048xf16>, %w: tensor<2048x512xf16>) -> tensor<256x512xf16> {
  %0 = graph.matmul %x, %w : (tensor<256x2048xf16>, tensor<2048x512xf16>) -> tensor<256x512xf16>
  return %0 : tensor<256x512xf16>
}
//--- rows.mlir
func.func @rows(%x: tensor<4x200000xf16>) -> tensor<4x1xf16> {
  %y = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x200000xf16>) -> tensor<4x1xf16>
  return %y : tensor<4x1xf16>
}
//--- softmax.mlir
func.func @softmax(%x: tensor<256x256xf16>) -> tensor<256x256xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<256x256xf16>) -> tensor<256x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<256x256xf16>, tensor<256x1xf16>) -> tensor<256x256xf16>
  %2 = graph.exp %1 : (tensor<256x256xf16>) -> tensor<256x256xf16>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<256x256xf16>) -> tensor<256x1xf16>
  %4 = graph.divide %2, %3 : (tensor<256x256xf16>, tensor<256x1xf16>) -> tensor<256x256xf16>
  return %4 : tensor<256x256xf16>
}
