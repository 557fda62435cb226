// Memory hierarchies that are wrong, or that cannot be honoured.

// RUN: split-file %s %t
// RUN: %python %t/run.py %t/layer.mlir %t/cases.txt

//--- layer.mlir
func.func @layer(%x: tensor<128x64xf16>, %w: tensor<64x128xf16>, %b: tensor<128xf16>) -> tensor<128x128xf16> {
  %0 = graph.matmul %x, %w : (tensor<128x64xf16>, tensor<64x128xf16>) -> tensor<128x128xf16>
  %1 = graph.add %0, %b : (tensor<128x128xf16>, tensor<128xf16>) -> tensor<128x128xf16>
  return %1 : tensor<128x128xf16>
}
//--- run.py
"""Compiles a scop with each hierarchy of a file: the error has to be the one below it."""
import subprocess, sys
graph, cases = sys.argv[1:]
scop = subprocess.run(["gc-opt", graph, "--poly-extract"], capture_output=True, text=True, check=True).stdout
passes = "poly-schedule,poly-tile,poly-fuse,poly-map-units,poly-promote,poly-tile-statements"
bad = 0
for case in open(cases).read().strip().split("\n\n"):
    *lines, expected = case.split("\n")
    text = "\\0A".join(lines)
    # The attribute of the only scop.
    source = scop.replace("\n  } {\n", '\n  } attributes {hierarchy = "%s"} {\n' % text, 1)
    assert source != scop
    run = subprocess.run(["gc-opt", "-", f"--pass-pipeline=builtin.module(poly.scop({passes}))"],
                         input=source, capture_output=True, text=True)
    errors = [line for line in run.stderr.split("\n") if " error: " in line]
    if run.returncode == 0 or len(errors) != 1 or expected not in errors[0]:
        print(f"{lines}: expected '{expected}', got {run.returncode} {errors}")
        bad += 1
sys.exit(bad)
//--- cases.txt
bus
has a wrong memory hierarchy: line 1, column 1: expected buf, cube, vector or dataflow at 'bus'

buf L1 (4096)
buf L3 (1)
line 2, column 5: expected a memory at 'L3'; there are GM, L1, UB, L0A, L0B and L0C

buf GM (4096)
line 1, column 5: buf takes one memory of the core

buf L1 L0A (4096)
line 1, column 5: buf takes one memory of the core

buf L1 4096
line 1, column 8: expected '(' at '4096'

buf L1 (0)
line 1, column 9: expected a size in bytes, a number from 1, at '0'

buf L1 (99999999999999999999)
expected a size in bytes, a number from 1, at '99999999999999999999'

buf L1 (4096) buf L1 (4096)
line 1, column 15: the core has two sizes in L1

S_1 : cube (L0A L0B -> L0C, 4096, 1024)
S_1 : cube (L0A L0B -> L0C, 4096, 1024)
line 2, column 1: 'S_1' has two units

S_1 : cube (L0A L0A -> L0C, 4096, 1024)
line 1, column 17: L0A is given twice

S_1 : cube (L0A L0B -> L0C, 4096
line 1, column 33: expected ',' at the end

dataflow (GM, L1)
line 1, column 13: expected '->' at ','

buf L1 (2097152)
cannot honour 'buf L1 (2097152)' (line 1, column 1 of its memory hierarchy): L1 has 1048576 bytes

buf L0C (16)
cannot honour 'buf L0C (16)' (line 1, column 1 of its memory hierarchy): the machine cannot be that small

buf UB (1024)
has no tile of 'S_1' that fits L1 and L0

dataflow (L0C -> GM, 64, 1)
cannot honour 'dataflow (L0C -> GM, 64, 1)' (line 1, column 1 of its memory hierarchy): the machine has no such path

dataflow (L1 -> L0A, 100, 512)
the machine's throughput is 512 and its alignment 512

cube (UB -> UB, 128, 32)
the machine has no such unit

S_9 : vector (UB -> UB, 128, 32)
there is no statement 'S_9'

Q : buf UB (512)
there is no array 'Q'

S_1 : vector (UB -> UB, 128, 32)
(line 1, column 1 of its memory hierarchy): contractions and what belongs to them run on the cube unit

S_3 : cube (L0A L0B -> L0C, 4096, 1024)
the cube unit takes contractions with the zeros that they begin with, and sums of columns of f16 in tiles of all rows

S_3 : vector (L0C -> UB, 128, 32)
cannot honour 'S_3 : vector (L0C -> UB, 128, 32)' (line 1, column 1 of its memory hierarchy): there is S_3 : vector (UB -> UB, 128, 32)

I0 : dataflow (GM -> UB, 64, 32)
there is I0 : dataflow (GM -> L1, 64, 32), I0 : dataflow (L1 -> L0A, 512, 512)

I0 : buf UB (4096)
'I0' has no buffer of its own in UB

I0 : buf L1 (4095)
'I0' has tiles of
