# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs of TOSA and of linalg on tensors, as text."""

import math
import random
import struct


class Program:
    """A function under construction: values are (name, shape), all of f32."""

    def __init__(self, name, rng, mixed):
        self.name, self.rng, self.mixed = name, rng, mixed
        self.lines, self.arguments, self.count = [], [], 0
        self.constants = {}

    def emit(self, text, shape):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name, tuple(shape)

    def argument(self, shape):
        name = f"%a{len(self.arguments)}"
        self.arguments.append((name, tuple(shape)))
        return name, tuple(shape)

    def constant(self, text):
        """The name of a constant op of this text; one per text."""
        if text not in self.constants:
            self.constants[text] = f"%c{len(self.constants)}"
        return self.constants[text]

    def finish(self, results):
        arguments = ", ".join(f"{n}: {tensor(s)}" for n, s in self.arguments)
        types = ", ".join(tensor(s) for _, s in results)
        names = ", ".join(n for n, _ in results)
        constants = [f"  {n} = {t}" for t, n in self.constants.items()]
        body = "\n".join(constants + self.lines)
        self.results = [s for _, s in results]
        return (f"func.func @{self.name}({arguments}) -> ({types}) {{\n{body}\n"
                f"  return {names} : {types}\n}}\n")


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{s}x" for s in shape) + element + ">"


def dense(shape, rng):
    values = [rng.uniform(-1, 1) for _ in range(math.prod(shape))]
    data = struct.pack(f"<{len(values)}f", *values).hex().upper()
    return f'arith.constant dense<"0x{data}"> : {tensor(shape)}'


def pick_shape(rng, rank):
    return tuple(rng.choice([1, 2, 3, 4, 6, 8]) for _ in range(rank))


# ---------------------------------------------------------------- TOSA

class Tosa(Program):
    def unary(self, op, x, attrs=""):
        return self.emit(f"tosa.{op} {x[0]}{attrs} : ({tensor(x[1])}) -> "
                         f"{tensor(x[1])}", x[1])

    def number(self, value, rank):
        shape = (1,) * rank
        return self.constant(f'"tosa.const"() {{values = dense<{value}> : '
                             f"{tensor(shape)}}} : () -> {tensor(shape)}"), shape

    def shape(self, sizes):
        values = ", ".join(map(str, sizes))
        return self.constant(
            f"tosa.const_shape {{values = dense<[{values}]> : "
            f"tensor<{len(sizes)}xindex>}} : () -> !tosa.shape<{len(sizes)}>")

    def binary(self, op, x, y):
        shape = tuple(max(a, b) for a, b in zip(x[1], y[1]))
        shift, more = "", ""
        if op == "mul":
            shift = ", " + self.constant(
                '"tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> '
                "tensor<1xi8>")
            more = ", tensor<1xi8>"
        return self.emit(f"tosa.{op} {x[0]}, {y[0]}{shift} : ({tensor(x[1])}, "
                         f"{tensor(y[1])}{more}) -> {tensor(shape)}", shape)

    def reduce(self, op, x, axis):
        shape = x[1][:axis] + (1,) + x[1][axis + 1:]
        return self.emit(f"tosa.reduce_{op} {x[0]} {{axis = {axis} : i32}} : "
                         f"({tensor(x[1])}) -> {tensor(shape)}", shape)

    def reshape(self, x, shape):
        if x[1] == tuple(shape):
            return x
        return self.emit(
            f"tosa.reshape {x[0]}, {self.shape(shape)} : ({tensor(x[1])}, "
            f"!tosa.shape<{len(shape)}>) -> {tensor(shape)}", shape)

    def bound(self, x):
        return self.unary(self.rng.choice(["tanh", "sigmoid"]), x)

    def step(self, x):
        rng, rank, kind = self.rng, len(x[1]), self.rng.randrange(14)
        if kind == 0:
            return self.unary(rng.choice(["abs", "tanh", "sigmoid", "erf"]), x)
        if kind == 1:
            return self.unary("exp", self.bound(x))
        if kind == 2:
            return self.unary("clamp", x,
                              " {min_val = -0.5 : f32, max_val = 0.75 : f32}")
        if kind == 3:
            op = rng.choice(["add", "sub", "mul", "maximum", "minimum"])
            shape = tuple(rng.choice([s, s, 1]) for s in x[1])
            return self.binary(op, x, self.argument(shape))
        if kind == 4:
            axis = rng.randrange(rank)
            low = self.reduce(rng.choice(["max", "min", "sum"]), x, axis)
            return self.bound(self.binary("sub", x, low))
        if kind == 5:
            return self.softmax(x, rng.randrange(rank))
        if kind == 6:
            return self.norm(x, rng.randrange(rank))
        if kind == 7:
            order = list(range(rank))
            rng.shuffle(order)
            shape = [x[1][i] for i in order]
            perms = ", ".join(map(str, order))
            return self.emit(
                f"tosa.transpose {x[0]} {{perms = array<i32: {perms}>}} : "
                f"({tensor(x[1])}) -> {tensor(shape)}", shape)
        if kind == 8:
            low = [rng.randrange(s) for s in x[1]]
            size = [rng.randint(1, s - l) for s, l in zip(x[1], low)]
            return self.emit(
                f"tosa.slice {x[0]}, {self.shape(low)}, {self.shape(size)} : "
                f"({tensor(x[1])}, !tosa.shape<{rank}>, !tosa.shape<{rank}>) -> "
                f"{tensor(size)}", size)
        if kind == 9:
            pads = [rng.randrange(3) for _ in range(2 * rank)]
            shape = [s + pads[2 * i] + pads[2 * i + 1]
                     for i, s in enumerate(x[1])]
            value = self.number("2.5", 1)[0]
            return self.emit(
                f"tosa.pad {x[0]}, {self.shape(pads)}, {value} : "
                f"({tensor(x[1])}, !tosa.shape<{2 * rank}>, tensor<1xf32>) -> "
                f"{tensor(shape)}", shape)
        if kind == 10:
            axis = rng.randrange(rank)
            y = self.argument(x[1])
            shape = x[1][:axis] + (2 * x[1][axis],) + x[1][axis + 1:]
            return self.emit(
                f"tosa.concat {x[0]}, {y[0]} {{axis = {axis} : i32}} : "
                f"({tensor(x[1])}, {tensor(x[1])}) -> {tensor(shape)}", shape)
        if kind == 11:
            return self.select(x)
        if kind == 12:
            return self.window(x)
        return self.matmul(x)

    def softmax(self, x, axis):
        e = self.unary("exp", self.binary("sub", x, self.reduce("max", x, axis)))
        return self.binary("mul", e,
                           self.unary("reciprocal", self.reduce("sum", e, axis)))

    def norm(self, x, axis):
        scale = self.number(repr(1.0 / x[1][axis]), len(x[1]))
        mean = self.binary("mul", self.reduce("sum", x, axis), scale)
        centred = self.binary("sub", x, mean)
        square = self.binary("mul", centred, centred)
        variance = self.binary("mul", self.reduce("sum", square, axis), scale)
        variance = self.binary("add", variance, self.number("0.1", len(x[1])))
        return self.binary("mul", centred, self.unary("rsqrt", variance))

    def select(self, x):
        y = self.argument(x[1])
        op = self.rng.choice(["greater", "greater_equal"])
        mask = self.emit(f"tosa.{op} {x[0]}, {y[0]} : ({tensor(x[1])}, "
                         f"{tensor(x[1])}) -> {tensor(x[1], 'i1')}", x[1])
        # The wider the gap, the less rounding decides.
        return self.emit(
            f"tosa.select {mask[0]}, {x[0]}, {y[0]} : ({tensor(x[1], 'i1')}, "
            f"{tensor(x[1])}, {tensor(x[1])}) -> {tensor(x[1])}", x[1])

    def matmul(self, x):
        k = x[1][-1]
        n = self.rng.choice([1, 3, 8, 16])
        batch = self.rng.choice([1, x[1][0]]) if len(x[1]) > 1 else 1
        m = math.prod(x[1]) // k // batch
        flat = self.reshape(x, (batch, m, k))
        w = self.argument((batch, k, n))
        zero = self.number("0.0", 1)[0]
        product = self.emit(
            f"tosa.matmul {flat[0]}, {w[0]}, {zero}, {zero} : "
            f"({tensor(flat[1])}, {tensor(w[1])}, tensor<1xf32>, tensor<1xf32>) "
            f"-> {tensor((batch, m, n))}", (batch, m, n))
        return self.bound(product) if k > 8 else product

    def window(self, x):
        """An image of the right size is another argument, scaled by x."""
        rng, zero = self.rng, self.number("0.0", 1)[0]
        n, h, w, c = rng.choice([1, 2]), rng.randint(4, 8), rng.randint(4, 8), \
            rng.choice([1, 3, 4, 8])
        image = self.argument((n, h, w, c))
        one = x
        for axis in range(len(x[1])):
            one = self.reduce("max", one, axis)
        image = self.binary("mul", image,
                            self.reshape(self.bound(one), (1, 1, 1, 1)))
        kind = rng.choice(["conv2d", "depthwise_conv2d", "max_pool2d",
                           "avg_pool2d"])
        k = [rng.randint(1, 3), rng.randint(1, 3)]
        stride = [rng.randint(1, 2), rng.randint(1, 2)]
        dilation = [1, 1] if "pool" in kind else [rng.randint(1, 2) for _ in k]
        pad, out = [], []
        for size, kk, s, d in zip((h, w), k, stride, dilation):
            reach = (kk - 1) * d + 1
            before = rng.randrange(kk)
            after = rng.randrange(kk)
            # TOSA wants windows that fit exactly.
            while (size + before + after - reach) % s != 0:
                after += 1
            if after >= kk and "pool" in kind:
                before, after = 0, 0
                while (size + after - reach) % s != 0:
                    after += 1
                if after >= kk:
                    return x
            pad += [before, after]
            out.append((size + before + after - reach) // s + 1)
        attrs = (f"pad = array<i64: {', '.join(map(str, pad))}>, "
                 f"stride = array<i64: {stride[0]}, {stride[1]}>")
        if "pool" in kind:
            attrs += f", kernel = array<i64: {k[0]}, {k[1]}>"
            shape = (n, *out, c)
            zeros, types = "", ""
            if kind == "avg_pool2d":
                attrs += ", acc_type = f32"
                zeros, types = f", {zero}, {zero}", ", tensor<1xf32>" * 2
            return self.emit(
                f"tosa.{kind} {image[0]}{zeros} {{{attrs}}} : "
                f"({tensor(image[1])}{types}) -> {tensor(shape)}", shape)
        f = rng.choice([1, 4, 8])
        if kind == "conv2d":
            filters, results = self.argument((f, *k, c)), f
        else:
            filters, results = self.argument((*k, c, 2)), 2 * c
        bias = self.argument((results,))
        shape = (n, *out, results)
        attrs += (f", dilation = array<i64: {dilation[0]}, {dilation[1]}>, "
                  "acc_type = f32")
        return self.bound(self.emit(
            f"tosa.{kind} {image[0]}, {filters[0]}, {bias[0]}, {zero}, {zero} "
            f"{{{attrs}}} : ({tensor(image[1])}, {tensor(filters[1])}, "
            f"{tensor(bias[1])}, tensor<1xf32>, tensor<1xf32>) -> "
            f"{tensor(shape)}", shape))

    def foreign(self, x):
        """What stays upstream's."""
        op = self.rng.choice(["sin", "cos", "reverse"])
        if op == "reverse":
            axis = self.rng.randrange(len(x[1]))
            return self.emit(
                f"tosa.reverse {x[0]} {{axis = {axis} : i32}} : "
                f"({tensor(x[1])}) -> {tensor(x[1])}", x[1])
        return self.unary(op, x)


# ---------------------------------------------------------------- linalg

UNARY = ["math.tanh", "math.absf", "arith.negf", "math.erf"]
BINARY = ["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf",
          "arith.minimumf"]
PREDICATES = ["ogt", "oge", "olt", "ole", "ugt", "uge", "ult", "ule"]


class Linalg(Program):
    def empty(self, shape):
        return self.constant(f"tensor.empty() : {tensor(shape)}")

    def scalar(self, value):
        return self.constant(f"arith.constant {value} : f32")

    def fill(self, shape, value="0.0"):
        return self.emit(
            f"linalg.fill ins({self.scalar(value)} : f32) "
            f"outs({self.empty(shape)} : {tensor(shape)}) -> {tensor(shape)}",
            shape)

    def generic(self, maps, kinds, inputs, init, shape, body):
        """Body lines see %x0, %x1 ... and %o."""
        loops = ", ".join(f"d{i}" for i in range(len(kinds)))
        texts = ", ".join(
            f"affine_map<({loops}) -> ({', '.join(f'd{i}' for i in m)})>"
            for m in maps)
        names = ", ".join(n for n, _ in inputs)
        types = ", ".join(tensor(s) for _, s in inputs)
        arguments = ", ".join(f"%x{i}: f32" for i in range(len(inputs)))
        words = ", ".join(f'"{k}"' for k in kinds)
        lines = "\n".join("    " + line for line in body)
        return self.emit(
            f"linalg.generic {{indexing_maps = [{texts}], iterator_types = "
            f"[{words}]}} ins({names} : {types}) outs({init} : {tensor(shape)}) "
            f"{{\n  ^bb0({arguments}, %o: f32):\n{lines}\n  }} -> "
            f"{tensor(shape)}", shape)

    def body(self, inputs):
        """A random expression of the inputs, bounded at the end."""
        rng, lines = self.rng, []
        names = [f"%x{i}" for i in range(inputs)]

        def add(text):
            name = f"%s{len(lines)}"
            lines.append(f"{name} = {text}")
            names.append(name)

        for i in range(inputs - 1):
            add(f"{rng.choice(BINARY)} {names[-1 if i else 0]}, %x{i + 1} : f32")
        for _ in range(rng.randrange(4)):
            kind = rng.randrange(4)
            if kind == 0:
                add(f"{rng.choice(UNARY)} {names[-1]} : f32")
            elif kind == 1:
                add(f"{rng.choice(BINARY)} {names[-1]}, {rng.choice(names)} : f32")
            elif kind == 2:
                add(f"arith.mulf {names[-1]}, {self.scalar('0.75')} : f32")
            else:
                name = f"%p{len(lines)}"
                other = self.scalar("0.3141592")
                value = names[-1]
                add(f"arith.cmpf {rng.choice(PREDICATES)}, {value}, {other} : f32")
                mask = names.pop()
                add(f"arith.select {mask}, {value}, {rng.choice(names)} : f32")
        add(f"math.tanh {names[-1]} : f32")
        return lines + [f"linalg.yield {names[-1]} : f32"]

    def step(self, x):
        rng, rank, kind = self.rng, len(x[1]), self.rng.randrange(11)
        loops = list(range(rank))
        if kind <= 2:
            inputs, maps = [x], [loops]
            for _ in range(rng.randrange(3)):
                dims = [d for d in loops if rng.random() < 0.6]
                rng.shuffle(dims)
                inputs.append(self.argument([x[1][d] for d in dims]))
                maps.append(dims)
            return self.generic(maps + [loops], ["parallel"] * rank, inputs,
                                self.empty(x[1]), x[1], self.body(len(inputs)))
        if kind == 3:
            order = loops[:]
            rng.shuffle(order)
            shape = [x[1][i] for i in order]
            return self.emit(
                f"linalg.transpose ins({x[0]} : {tensor(x[1])}) "
                f"outs({self.empty(shape)} : {tensor(shape)}) permutation = "
                f"{order}", shape)
        if kind == 4:
            return self.reduce(x)
        if kind == 5:
            return self.reshape(x, (math.prod(x[1][:-1]), x[1][-1])) \
                if rank > 2 else self.softmax(x)
        if kind == 6:
            low = [rng.randrange(s) for s in x[1]]
            size = [rng.randint(1, s - l) for s, l in zip(x[1], low)]
            return self.emit(
                f"tensor.extract_slice {x[0]}{low} {size} {[1] * rank} : "
                f"{tensor(x[1])} to {tensor(size)}", size)
        if kind == 7:
            low = [rng.randrange(3) for _ in x[1]]
            high = [rng.randrange(3) for _ in x[1]]
            shape = [s + l + h for s, l, h in zip(x[1], low, high)]
            places = ", ".join(f"%i{d}: index" for d in loops)
            value = self.scalar("1.5")
            return self.emit(
                f"tensor.pad {x[0]} low{low} high{high} {{\n  ^bb0({places}):\n"
                f"    tensor.yield {value} : f32\n  }} : {tensor(x[1])} to "
                f"{tensor(shape)}", shape)
        if kind == 8:
            return self.window()
        return self.contract(x)

    def reduce(self, x):
        rng, rank = self.rng, len(x[1])
        reduced = [d for d in range(rank) if rng.random() < 0.5] or [0]
        kept = [d for d in range(rank) if d not in reduced]
        rng.shuffle(kept)
        shape = [x[1][d] for d in kept]
        op, init = rng.choice([("arith.addf", "0.0"), ("arith.addf", "0.5"),
                               ("arith.maximumf", "-3.40282347E+38"),
                               ("arith.minimumf", "0xff800000"
                                if False else "3.40282347E+38")])
        kinds = ["reduction" if d in reduced else "parallel" for d in range(rank)]
        square = ["%s0 = arith.mulf %x0, %x0 : f32"] if rng.random() < 0.5 else []
        term = "%s0" if square else "%x0"
        value = self.generic(
            [list(range(rank)), kept], kinds, [x],
            self.fill(shape, init)[0], shape,
            square + [f"%r = {op} %o, {term} : f32", "linalg.yield %r : f32"])
        if not kept:
            return x
        return self.generic([list(range(len(kept)))] * 2,
                            ["parallel"] * len(kept), [value],
                            self.empty(shape), shape, self.body(1))

    def softmax(self, x):
        """The way upstream lowers it from TOSA."""
        rank = len(x[1])
        loops, kinds = list(range(rank)), ["parallel"] * (rank - 1)
        shape = x[1][:-1]
        top = self.generic([loops, loops[:-1]], kinds + ["reduction"], [x],
                           self.fill(shape, "-3.40282347E+38")[0], shape,
                           ["%r = arith.maximumf %x0, %o : f32",
                            "linalg.yield %r : f32"])
        kinds += ["parallel"]
        e = self.generic([loops, loops[:-1], loops], kinds, [x, top],
                         self.empty(x[1]), x[1],
                         ["%d = arith.subf %x0, %x1 : f32",
                          "%r = math.exp %d : f32", "linalg.yield %r : f32"])
        total = self.generic([loops, loops[:-1]], kinds[:-1] + ["reduction"],
                             [e], self.fill(shape)[0], shape,
                             ["%r = arith.addf %x0, %o : f32",
                              "linalg.yield %r : f32"])
        return self.generic([loops, loops[:-1], loops], kinds, [e, total],
                            self.empty(x[1]), x[1],
                            ["%r = arith.divf %x0, %x1 : f32",
                             "linalg.yield %r : f32"])

    def reshape(self, x, shape):
        rank = len(x[1])
        groups = f"[[{', '.join(map(str, range(rank - 1)))}], [{rank - 1}]]"
        return self.emit(f"tensor.collapse_shape {x[0]} {groups} : "
                         f"{tensor(x[1])} into {tensor(shape)}", shape)

    def contract(self, x):
        """A generic product: some loops of x are reduced, some are a batch."""
        rng, rank = self.rng, len(x[1])
        k = [rng.randrange(rank)]
        batch = [d for d in range(rank) if d not in k and rng.random() < 0.3]
        columns = list(range(rank, rank + rng.choice([0, 1, 1, 1])))
        sizes = list(x[1]) + [rng.choice([1, 4, 8, 16]) for _ in columns]
        weights = k + batch + columns
        rng.shuffle(weights)
        result = [d for d in range(rank) if d not in k] + columns
        if rng.random() < 0.3:
            rng.shuffle(result)
        if not result:
            return x
        w = self.argument([sizes[d] for d in weights])
        shape = [sizes[d] for d in result]
        init = self.fill(shape) if rng.random() < 0.7 else self.argument(shape)
        kinds = ["reduction" if d in k else "parallel"
                 for d in range(rank + len(columns))]
        return self.generic([list(range(rank)), weights, result], kinds, [x, w],
                            init[0], shape,
                            ["%p = arith.mulf %x0, %x1 : f32",
                             "%r = arith.addf %o, %p : f32",
                             "linalg.yield %r : f32"])

    def window(self):
        rng = self.rng
        n, c, f = rng.choice([1, 2]), rng.choice([1, 3, 8]), rng.choice([1, 4])
        oh, ow = rng.randint(2, 5), rng.randint(2, 5)
        kh, kw = rng.randint(1, 3), rng.randint(1, 3)
        s, d = rng.randint(1, 2), rng.randint(1, 2)
        h, w = (oh - 1) * s + (kh - 1) * d + 1, (ow - 1) * s + (kw - 1) * d + 1
        last = (n, h, w, c), (n, oh, ow, f)
        second = (n, c, h, w), (n, f, oh, ow)
        name, (image, out), filters, value = rng.choice([
            ("conv_2d_nhwc_hwcf", last, (kh, kw, c, f), "0.0"),
            ("conv_2d_nhwc_fhwc", last, (f, kh, kw, c), "0.0"),
            ("conv_2d_nchw_fchw", second, (f, c, kh, kw), "0.25"),
            ("depthwise_conv_2d_nhwc_hwc", (last[0], (n, oh, ow, c)),
             (kh, kw, c), "0.0"),
            ("pooling_nhwc_max", (last[0], (n, oh, ow, c)), (kh, kw),
             "-3.40282347E+38"),
            ("pooling_nhwc_sum", (last[0], (n, oh, ow, c)), (kh, kw), "0.0"),
            ("pooling_nchw_max", (second[0], (n, c, oh, ow)), (kh, kw),
             "-3.40282347E+38"),
        ])
        a, b = self.argument(image), self.argument(filters)
        init = self.fill(out, value)
        return self.emit(
            f"linalg.{name} {{dilations = dense<{d}> : tensor<2xi64>, strides = "
            f"dense<{s}> : tensor<2xi64>}} ins({a[0]}, {b[0]} : {tensor(image)}, "
            f"{tensor(filters)}) outs({init[0]} : {tensor(out)}) -> "
            f"{tensor(out)}", out)

    def foreign(self, x):
        rng, rank = self.rng, len(x[1])
        loops = list(range(rank))
        if rng.random() < 0.5:
            body = ["%i = linalg.index 0 : index",
                    "%j = arith.index_cast %i : index to i32",
                    "%f = arith.sitofp %j : i32 to f32",
                    "%g = arith.addf %f, %x0 : f32",
                    "%r = math.tanh %g : f32", "linalg.yield %r : f32"]
        else:
            body = ["%r = math.sin %x0 : f32", "linalg.yield %r : f32"]
        return self.generic([loops, loops], ["parallel"] * rank, [x],
                            self.empty(x[1]), x[1], body)


def generate(name, kind, seed, foreign):
    """A program of a dialect; the share `foreign` of its ops stays upstream's.
    Returns it with its text."""
    rng = random.Random(seed)
    program = (Tosa if kind == "tosa" else Linalg)(name, rng, foreign > 0)
    values = [program.argument(pick_shape(rng, rng.randint(1, 4)))]
    for _ in range(rng.randint(3, 12)):
        # Mostly a chain, sometimes a branch.
        x = values[-1] if rng.random() < 0.75 else rng.choice(values)
        if math.prod(x[1]) > 4096:
            continue
        step = program.foreign if rng.random() < foreign else program.step
        values.append(step(x))
    results = values[-1:] + rng.sample(values, min(2, len(values)))
    results = [r for r in results if not r[0].startswith("%a")] or \
        [program.foreign(values[0])]
    return program, program.finish(results)
