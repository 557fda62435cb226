// Plans of kernels on several cores: how many, which loop they divide, and the
// plan of cores whose part has another size.

// RUN: split-file %s %t && cd %t
// RUN: gc-opt erf.mlir --gc-npu-pipeline="cores=8 export-plan=erf.json" -o erf.out.mlir
// RUN: FileCheck %s --check-prefix=PLAN --input-file=erf.json
// PLAN: "core_loop": 0
// PLAN: "cores": 8
// PLAN: "kernel": "erf"
// PLAN: "beside": "erf"
// PLAN: "kernel": "erf_rest"
// RUN: %python run.py

// A plan of one core says nothing about cores, as before.
// RUN: gc-opt erf.mlir --gc-npu-pipeline="export-plan=single.json" -o single.mlir
// RUN: FileCheck %s --check-prefix=SINGLE --input-file=single.json --implicit-check-not=cores --implicit-check-not=beside
// SINGLE: "kernel": "erf"

//--- run.py
"""Plans on several cores are replayed, changed and refused."""
import json, re, subprocess


def compile(graph, options):
    return subprocess.run(["gc-opt", graph, "--mlir-print-op-on-diagnostic=false", f"--gc-npu-pipeline={options}"],
                          capture_output=True, text=True)


def run(graph, cores, *options):
    done = subprocess.run(["gc-runner", "--target=npu", graph, f"--cores={cores}", "--check", "--strict", "--json=-", *options],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


# The same program again, without a search.
for graph in ["erf.mlir", "softmax.mlir", "product.mlir", "several.mlir"]:
    first = compile(graph, "cores=8 export-plan=plan.json")
    again = compile(graph, "cores=8 import-plan=plan.json")
    assert first.returncode == again.returncode == 0, again.stderr
    assert first.stdout == again.stdout, graph
    # A database finds it, and runs it.
    found = compile(graph, "cores=8 plan-database=plan.json")
    assert found.stdout == first.stdout and "chosen anew" not in found.stderr, (graph, found.stderr)
    run(graph, 8, "--pipeline-options=plan-database=plan.json")
# What is chosen is a function of the plan, not of the search.
plan = json.load(open("erf.json"))


def change(fn):
    changed = json.loads(json.dumps(plan))
    fn(changed["kernels"])
    json.dump(changed, open("changed.json", "w"))


def count_cores(text):
    return int(re.search(r"all_cores = (\d+)", text)[1]) if "all_cores" in text else 1


for cores in [1, 2, 4, 8]:
    def set_cores(kernels):
        kernels[0]["choices"]["cores"] = cores
        if cores == 1:
            del kernels[0]["choices"]["core_loop"]
        del kernels[0]["policy"], kernels[0]["hierarchy"], kernels[1:]
    change(set_cores)
    done = compile("erf.mlir", "cores=8 stop-after=promote import-plan=changed.json")
    assert done.returncode == 0 and count_cores(done.stdout) == cores, (cores, done.stderr)
    run("erf.mlir", 8, "--pipeline-options=import-plan=changed.json")
# The cores beside have a plan of their own.
change(lambda kernels: kernels[1].update(policy="S_0 : 1024 @ UB", hierarchy=[]))
done = compile("erf.mlir", "cores=8 stop-after=promote import-plan=changed.json")
policies = re.findall(r'policy = "(.*?)"', done.stdout)
assert policies == [plan["kernels"][0]["policy"], "S_0 : 1024 @ UB"], policies
run("erf.mlir", 8, "--pipeline-options=import-plan=changed.json")
change(lambda kernels: kernels[1]["choices"].update(slots=2) or kernels[1].update(hierarchy=[]))
done = compile("erf.mlir", "cores=8 stop-after=promote import-plan=changed.json")
assert re.findall(r"slots = (\d)", done.stdout) == [str(plan["kernels"][0]["choices"]["slots"]), "2"], done.stderr

# A database has plans of one core and of several for a kernel.
single = compile("erf.mlir", "export-plan=one.json")
both = {**plan, "kernels": [{**json.load(open("one.json"))["kernels"][0], "kernel": "one"}, *plan["kernels"]]}
json.dump(both, open("both.json", "w"))
assert compile("erf.mlir", "plan-database=both.json").stdout == single.stdout
assert compile("erf.mlir", "cores=8 plan-database=both.json").stdout == open("erf.out.mlir").read()
done = compile("erf.mlir", "plan-database=erf.json")
assert done.stdout == single.stdout and "is for @erf: it is chosen anew" in done.stderr, done.stderr
done = compile("erf.mlir", "cores=4 plan-database=erf.json")
assert done.returncode == 0 and "is for @erf: it is chosen anew" in done.stderr, done.stderr

# What cannot be had.
CASES = [
    (lambda k: k[0]["choices"].update(cores=3), "cores=8", "cannot have the choice 'cores' = 3; possible are 1, 8, 4, 2"),
    (lambda k: None, "cores=4", "cannot have the choice 'cores' = 8; possible are 1, 4, 2"),
    (lambda k: None, "cores=1", "has no choice 'core_loop' to make, but its plan makes it"),
    (lambda k: k[0]["choices"].update(core_loop=7), "cores=8", "cannot have the choice 'core_loop' = 7; possible are 0"),
    (lambda k: k[0]["choices"].update(cores=1), "cores=8", "has no choice 'core_loop' to make on one core, but its plan makes it"),
    (lambda k: k[1]["choices"].update(parts=2), "cores=8", "has no choice 'parts' to make, but its plan makes it"),
    (lambda k: k[1].update(policy="S_9 : 4 @ UB"), "cores=8", "has a wrong tiling policy: there is no statement 'S_9'"),
    (lambda k: k[1].update(beside=3), "cores=8", "kernel 'erf_rest': 'beside' is not a string"),
    (lambda k: k[0]["choices"].update(cores=4), "cores=8", "has parts of one size, but its plan is of two"),
]
for fn, options, message in CASES:
    change(fn)
    graph = "erf.mlir"
    if "of two" in message:
        # 1000 iterations of four cores.
        graph = "even.mlir"
        problem = json.loads((compile(graph, "export-plan=even.json"), open("even.json").read())[1])["kernels"][0]["problem"]
        changed = json.load(open("changed.json"))
        for kernel in changed["kernels"]:
            kernel.update(problem=problem, kernel=kernel["kernel"].replace("erf", "even"))
        changed["kernels"][1]["beside"] = "even"
        json.dump(changed, open("changed.json", "w"))
    done = compile(graph, f"{options} import-plan=changed.json")
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    assert done.returncode == 1 and len(errors) == 1 and message in errors[0], (message, done.stderr)
//--- erf.mlir
func.func @erf(%x: tensor<1001x512xf16>) -> tensor<1001x512xf16> {
  %y = graph.erf %x : (tensor<1001x512xf16>) -> tensor<1001x512xf16>
  return %y : tensor<1001x512xf16>
}
//--- even.mlir
func.func @even(%x: tensor<1024x512xf16>) -> tensor<1024x512xf16> {
  %y = graph.erf %x : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  return %y : tensor<1024x512xf16>
}
//--- softmax.mlir
func.func @rows(%x: tensor<1024x512xf16>) -> tensor<1024x512xf16> {
  %0 = graph.softmax %x {axis = 1 : i64} : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  return %0 : tensor<1024x512xf16>
}
//--- product.mlir
func.func @product(%x: tensor<700x512xf16>, %w: tensor<512x512xf16>) -> tensor<700x512xf16> {
  %0 = graph.matmul %x, %w : (tensor<700x512xf16>, tensor<512x512xf16>) -> tensor<700x512xf16>
  %1 = graph.tanh %0 : (tensor<700x512xf16>) -> tensor<700x512xf16>
  return %1 : tensor<700x512xf16>
}
//--- several.mlir
func.func @several(%x: tensor<600x256xf16>, %w: tensor<256x256xf16>) -> tensor<600x256xf16> {
  %0 = graph.tanh %x : (tensor<600x256xf16>) -> tensor<600x256xf16>
  %1 = graph.matmul %0, %w : (tensor<600x256xf16>, tensor<256x256xf16>) -> tensor<600x256xf16>
  %2 = graph.erf %1 : (tensor<600x256xf16>) -> tensor<600x256xf16>
  return %2 : tensor<600x256xf16>
}
