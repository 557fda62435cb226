# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random ops of TOSA."""

import math

from program import Program, tensor


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
