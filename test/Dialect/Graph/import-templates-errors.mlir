// Files that are not databases of templates, or have templates that cannot be.

// RUN: rm -rf %t && split-file %s %t
// RUN: %python %t/run.py %t %t/cases.txt
// RUN: %python %t/mutants.py %t %programs

// RUN: not gc-opt %t/chain.mlir --graph-import-templates=file=%t/none.json 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: the templates cannot be read: {{.*}}none.json{{.*}}No such file
// RUN: not gc-opt %t/chain.mlir --gc-cpu-pipeline="export-templates=%t/none/own.json" 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: the templates cannot be written: {{.*}}No such file
// RUN: not gc-opt %t/chain.mlir --graph-import-templates="threads=-1 file=%t/good.json" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not gc-opt %t/chain.mlir --graph-export-templates="threads=5000 file=%t/own.json" 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: option 'threads' must be from 0 to 4096

//--- chain.mlir
func.func @chain(%x: tensor<64x96xf32>, %w: tensor<96x80xf32>, %v: tensor<80x100xf32>) -> tensor<64x100xf32> {
  %0 = graph.matmul %x, %w : (tensor<64x96xf32>, tensor<96x80xf32>) -> tensor<64x80xf32>
  %1 = graph.matmul %0, %v : (tensor<64x80xf32>, tensor<80x100xf32>) -> tensor<64x100xf32>
  return %1 : tensor<64x100xf32>
}
//--- common.py
"""Compiles the chain with a file's templates, after export-templates has made good.json."""
import pathlib, subprocess, sys
folder = pathlib.Path(sys.argv[1])


def compile(options):
    return subprocess.run(["gc-opt", folder / "chain.mlir", "-o", "/dev/null",
                           f"--gc-cpu-pipeline=threads=2 machine=zen3-2 stop-after=layout {options}"],
                          capture_output=True, text=True)


def compile_with(text):
    changed = folder / "changed.json"
    changed.write_text(text)
    run = compile(f"template-database={changed}")
    return run, [line for line in run.stderr.split("\n") if "error: " in line]


good = folder / "good.json"
compile(f"export-templates={good}").check_returncode()
//--- mutants.py
"""Damaged files compile, or give one error."""
import random
from common import compile_with, good, sys
text = good.read_text()
tokens = ["-1", "0", "99999999999999999999", '"', "{", "]", "\\", "null", "x", "#graph.", "<", ">", "m, m, m", "\0", "é"]
bad = refused = 0
for seed in range(int(sys.argv[2])):
    draw = random.Random(seed)
    mutant = text
    for _ in range(draw.randint(1, 3)):
        begin = draw.randrange(len(mutant))
        end = min(len(mutant), begin + draw.choice([0, 1, 1, 2, 8, 40]))
        mutant = mutant[:begin] + draw.choice(tokens + [""] * 4 + [mutant[:draw.randrange(60)]]) + mutant[end:]
    run, errors = compile_with(mutant)
    refused += run.returncode == 1
    if (run.returncode, len(errors)) not in ((0, 0), (1, 1)):
        print(f"mutant {seed}: {run.returncode} {run.stderr}")
        bad += 1
assert refused > 0
sys.exit(bad > 0)
//--- run.py
"""Changes a file by each line of Python of cases.txt: the error has to be the one below it."""
import json
from common import compile_with, good, sys
bad = 0
for case in open(sys.argv[2]).read().strip().split("\n\n"):
    change, expected = case.split("\n")
    f = json.loads(good.read_text())
    scope = {"f": f, "g": f["graphs"][0], "t": f["graphs"][0]["templates"], "text": None}
    exec(change, scope)
    run, errors = compile_with(json.dumps(f) if scope["text"] is None else scope["text"])
    if run.returncode != 1 or len(errors) != 1 or expected not in errors[0]:
        print(f"{change}: expected '{expected}', got {run.returncode} {run.stderr}")
        bad += 1
sys.exit(bad)
//--- cases.txt
text = ""
changed.json': not valid JSON:

text = "[" * 100000
changed.json': brackets are nested too deeply

text = "[]"
changed.json': the file is not a JSON object

del f["version"]
changed.json': the file has no 'version'

f["version"] = "1"
changed.json': the file's version is not a number

del f["machine"]
changed.json': the file has no 'machine'

f["machine"] = 1
changed.json': the file: 'machine' is not a string

f["kernels"] = []
changed.json': the file has an unknown key 'kernels'

f["graphs"] = {}
changed.json': 'graphs' is not an array

f["graphs"] = [1]
changed.json': graph 0 is not an object

f["graphs"] *= 2
changed.json': graph 'chain' is given twice

del g["problem"]
changed.json': graph 0 has no 'problem'

g["problem"] = 3
changed.json': graph 'chain': 'problem' is not a string

g["threads"] = 0
changed.json': graph 'chain': 'threads' is not a positive integer

g["threads"] = "2"
changed.json': graph 'chain': 'threads' is not a positive integer

g["nanoseconds"] = -1
changed.json': graph 'chain': 'nanoseconds' is not a positive integer

g["templates"] = "m"
changed.json': graph 'chain': 'templates' is not an array of strings

g["templates"] = [1, 2]
changed.json': graph 'chain': 'templates' is not an array of strings

t.pop()
the templates of graph 'chain' are not for @chain: there are 1 for 2 ops

t[0] = "32 : i64"
the templates of graph 'chain' are not for @chain: '32 : i64': it is not a template

t[0] = ""
the templates of graph 'chain' are not for @chain: '': 

t[0] = t[0] + " x"
the templates of graph 'chain' are not for @chain: '#graph.matmul_template<

t[0] = "<" * 10000
the templates of graph 'chain' are not for @chain: '<<<<

t[1] = "#graph.gather_template"
the templates of graph 'chain' are not for @chain: 'graph.matmul' op has the template #graph.gather_template, which is not

t[1] = t[1].replace("MB = ", "MB = 1000000")
the templates of graph 'chain' are not for @chain: 'graph.matmul' op
