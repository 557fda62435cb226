# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random ops of linalg on tensors."""

import math

from program import Program, tensor

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
