# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The test matrix of the NPU, as graph functions.

Classes of operators and fused subgraphs that are stated in the AKG paper (section
6, Table 1), with shapes where the paper gives ranges only. Elements are f16, the
batch is 16, images have channels last, unless the name says otherwise.
"""


def join(shape):
    return "x".join(map(str, shape))


class Function:
    """Collects the ops of one graph function.

    Values are pairs (name, type), types pairs (shape, element type).
    """

    def __init__(self):
        self.arguments = []
        self.lines = []
        self.values = 0

    @staticmethod
    def spell(kind):
        shape, element = kind
        return f"tensor<{join([*shape, element])}>"

    def argument(self, shape, element="f16", constant=False):
        value = f"%a{len(self.arguments)}", (tuple(shape), element)
        mark = " {graph.const_arg}" if constant else ""
        self.arguments.append(f"{value[0]}: {self.spell(value[1])}{mark}")
        return value

    def op(self, name, operands, shape=None, element=None, attributes=""):
        """The result of an op; its type is that of the first operand by default."""
        first = operands[0][1] if operands else ((), "f16")
        kind = (tuple(first[0] if shape is None else shape), element or first[1])
        result = f"%{self.values}", kind
        self.values += 1
        names = ", ".join(operand[0] for operand in operands)
        types = ", ".join(self.spell(operand[1]) for operand in operands)
        attributes = f" {{{attributes}}}" if attributes else ""
        self.lines.append(f"  {result[0]} = graph.{name} {names}{attributes} : "
                          f"({types}) -> {self.spell(kind)}")
        return result

    def constant(self, number, element="f16"):
        result = f"%{self.values}", ((), element)
        self.values += 1
        self.lines.append(f"  {result[0]} = graph.constant dense<{number:e}> : "
                          f"tensor<{element}>")
        return result

    def scaled(self, value, number):
        return self.op("multiply", [value, self.constant(number, value[1][1])])

    def shifted(self, value, number):
        return self.op("add", [value, self.constant(number, value[1][1])])

    def cast(self, value, element):
        result = f"%{self.values}", (value[1][0], element)
        self.values += 1
        self.lines.append(f"  {result[0]} = graph.type_cast {value[0]} : "
                          f"{self.spell(value[1])} -> {self.spell(result[1])}")
        return result

    def reduce(self, kind, value, axes, keep=True):
        shape = [1 if axis in axes else size
                 for axis, size in enumerate(value[1][0])
                 if keep or axis not in axes]
        return self.op(f"reduce_{kind}", [value], shape, attributes=(
            f"axes = array<i64: {', '.join(map(str, axes))}>, "
            f"keep_dims = {str(keep).lower()}"))

    def finish(self, *results):
        types = ", ".join(self.spell(result[1]) for result in results)
        names = ", ".join(result[0] for result in results)
        lines = [f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{",
                 *self.lines, f"  return {names} : {types}", "}"]
        return "\n".join(lines) + "\n"


def convolution(channels, size, outputs, kernel, stride, batch=16,
                activated=False):
    """A convolution, or one with a bias and ReLU.

    size: of square images, or (height, width).
    """
    f = Function()
    pad = kernel // 2
    sizes = size if isinstance(size, tuple) else (size, size)
    out = [(n + 2 * pad - kernel) // stride + 1 for n in sizes]
    x = f.argument((batch, *sizes, channels))
    w = f.argument((kernel, kernel, channels, outputs), constant=True)
    pair = "array<i64: {0}, {0}>".format
    y = f.op("convolution", [x, w], (batch, *out, outputs), attributes=(
        f'strides = {pair(stride)}, pads_begin = {pair(pad)}, '
        f'pads_end = {pair(pad)}, dilations = {pair(1)}, '
        'data_format = "NXC", weights_format = "XIO"'))
    if activated:
        y = f.op("relu", [f.op("add", [y, f.argument((outputs,))])])
    return f.finish(y)


def matmul(m, k, n, batch=(), element="f16"):
    f = Function()
    a = f.argument((*batch, m, k), element)
    b = f.argument((*batch, k, n), element)
    return f.finish(f.op("matmul", [a, b], (*batch, m, n)))


def elementwise(name, shape):
    f = Function()
    x = f.argument(shape)
    if name == "cast":
        return f.finish(f.cast(x, "f32"))
    operands = [x, f.argument(shape)] if name == "add" else [x]
    return f.finish(f.op(name, operands))


def transpose(shape, order, element="f16"):
    f = Function()
    x = f.argument(shape, element)
    return f.finish(f.op(
        "static_transpose", [x], [shape[i] for i in order],
        attributes=f"order = array<i64: {', '.join(map(str, order))}>"))


def one_hot(shape, depth):
    """1 where the index is that of the column: neither above nor below it."""
    f = Function()
    index = f.argument((*shape, 1), "f32")
    columns = f.argument((*[1] * len(shape), depth), "f32")
    full = (*shape, depth)
    above = f.op("greater_equal", [index, columns], full, "i1")
    below = f.op("greater_equal", [columns, index], full, "i1")
    one, zero = f.constant(1.0), f.constant(0.0)
    inner = f.op("select", [below, one, zero], full, "f16")
    return f.finish(f.op("select", [above, inner, zero], full, "f16"))


def batch_norm_reduce(batch, c1, *sizes):
    """Sums and sums of squares of each channel, in f32."""
    f = Function()
    x = f.cast(f.argument((batch, c1, *sizes, 16)), "f32")
    axes = [0, *range(2, 2 + len(sizes))]
    return f.finish(f.reduce("sum", x, axes),
                    f.reduce("sum", f.op("square", [x]), axes))


def batch_norm_update(batch, c1, *sizes):
    f = Function()
    x = f.argument((batch, c1, *sizes, 16))
    channels = (1, c1, *[1] * len(sizes), 16)
    factors, summands = f.argument(channels), f.argument(channels)
    return f.finish(f.op("add", [f.op("multiply", [x, factors]), summands]))


def subgraph1(shape=(16, 16, 512, 512)):
    """A masked softmax, from its six ops."""
    f = Function()
    x, last = f.argument(shape), len(shape) - 1
    mask = f.argument((shape[0], *[1] * (last - 1), shape[-1]))
    x = f.op("add", [x, mask])
    x = f.op("exp", [f.op("subtract", [x, f.reduce("max", x, [last])])])
    return f.finish(f.op("divide", [x, f.reduce("sum", x, [last])]))


def subgraph2(shape=(256, 512, 16, 16)):
    """The gradient of GELU by tanh: three casts and 18 ops of arithmetic."""
    f = Function()
    x = f.cast(f.argument(shape), "f32")
    dy = f.cast(f.argument(shape), "f32")
    square = f.op("square", [x])
    inner = f.shifted(f.scaled(square, 0.044715), 1.0)
    angle = f.scaled(f.op("multiply", [x, inner]), 0.7978845608)
    # tanh(a) = 1 - 2 / (exp(2 a) + 1)
    below = f.shifted(f.op("exp", [f.scaled(angle, 2.0)]), 1.0)
    t = f.shifted(f.scaled(f.op("reciprocal", [below]), -2.0), 1.0)
    slope = f.shifted(f.scaled(f.op("square", [t]), -1.0), 1.0)
    rate = f.shifted(f.scaled(square, 0.1070322243), 0.7978845608)
    second = f.op("multiply", [f.op("multiply", [x, slope]), rate])
    total = f.scaled(f.op("add", [f.shifted(t, 1.0), second]), 0.5)
    return f.finish(f.cast(f.op("multiply", [dy, total]), "f16"))


def subgraph3(shape=(30522, 1024)):
    """The next moments of LAMB and its update, 15 ops in f32."""
    f = Function()
    g, m, v, w = (f.argument(shape, "f32") for _ in range(4))
    next_m = f.op("add", [f.scaled(m, 0.9), f.scaled(g, 0.1)])
    next_v = f.op("add", [f.scaled(v, 0.999),
                          f.scaled(f.op("square", [g]), 0.001)])
    mean, variance = f.scaled(next_m, 1.25), f.scaled(next_v, 1.5)
    root = f.shifted(f.op("sqrt", [variance]), 1e-6)
    update = f.op("add", [f.op("divide", [mean, root]), f.scaled(w, 0.01)])
    return f.finish(next_m, next_v, update)


def subgraph4(shape=(1024, 1024)):
    f = Function()
    x, y, z, low, high = (f.argument(shape, "f32") for _ in range(5))
    ratio = f.op("divide", [x, y])
    zero, one = f.constant(0.0, "f32"), f.constant(1.0, "f32")
    positive = f.op("greater_equal", [x, zero], shape, "i1")
    first = f.op("select", [positive, ratio, one], shape, "f32")
    larger = f.op("greater_equal", [y, zero], shape, "i1")
    second = f.op("select", [larger, first, one], shape, "f32")
    bounded = f.op("maximum", [f.op("minimum", [second, high]), low])
    step = f.op("multiply", [f.scaled(bounded, 0.01), z])
    return f.finish(f.op("subtract", [x, step]))


def subgraph5(m=16, k=1024, n=1024):
    """A product with bias and tanh by exp."""
    f = Function()
    a, b, bias = f.argument((m, k)), f.argument((k, n)), f.argument((n,), "f32")
    x = f.cast(f.op("matmul", [a, b], (m, n)), "f32")
    x = f.op("add", [x, bias])
    below = f.shifted(f.op("exp", [f.scaled(x, 2.0)]), 1.0)
    x = f.shifted(f.scaled(f.op("reciprocal", [below]), -2.0), 1.0)
    return f.finish(f.cast(x, "f16"))


def attention(length=1024, depth=64, heads=16):
    f = Function()
    shape = (heads, length, depth)
    q, k, v = (f.argument(shape) for _ in range(3))
    scores = f.op("matmul", [q, k], (heads, length, length),
                  attributes="transpose_b = true")
    scores = f.scaled(scores, 0.125)
    weights = f.op("softmax", [scores], attributes="axis = -1 : i64")
    return f.finish(f.op("matmul", [weights, v], shape))


# What the kernels of each class are, (input channels, height and width, output
# channels, kernel, stride) for instance.
LAYERS = [(3, 224, 64, 7, 2), (64, 56, 64, 3, 1), (64, 56, 256, 1, 1),
          (256, 56, 128, 1, 2), (128, 28, 128, 3, 1), (512, 28, 256, 1, 2),
          (256, 14, 256, 3, 1), (1024, 14, 256, 1, 1), (512, 7, 512, 3, 1),
          (2048, 7, 512, 1, 1)]
PRODUCTS = [(16, 1024, 1024), (64, 1024, 16), (1024, 64, 1024),
            (160, 1024, 1024), (2048, 768, 768), (2048, 768, 3072),
            (2048, 3072, 768), (8192, 1024, 1024), (8192, 1024, 4096),
            (1000, 1000, 1000)]
BATCHED = [(256, 128, 64, 128), (256, 128, 128, 64), (256, 512, 64, 512),
           (256, 512, 512, 64), (192, 128, 64, 128), (192, 128, 128, 64),
           (16, 512, 512, 512), (16, 1024, 1024, 1024), (16, 48, 32, 16),
           (16, 100, 100, 100)]
SHAPES = [(16, 1024), (16, 4096), (16, 65536), (16, 1000), (16, 33, 33, 16),
          (16, 64, 56, 56), (16, 256, 14, 14), (16, 512, 768),
          (16, 1024, 1024), (16, 7, 7, 2048)]
TRANSPOSES = [((16, 128, 16, 64), (0, 2, 1, 3), "f16"),
              ((16, 24, 38, 38), (0, 2, 3, 1), "f32"),
              ((128, 128), (1, 0), "f16"), ((4096, 1024), (1, 0), "f16"),
              ((1000, 777), (1, 0), "f16"),
              ((16, 64, 56, 56), (0, 2, 3, 1), "f16"),
              ((16, 256, 14, 14), (0, 2, 3, 1), "f16"),
              ((16, 16, 512, 64), (0, 1, 3, 2), "f16"),
              ((16, 12, 128, 128), (0, 1, 3, 2), "f16"),
              ((16, 8, 197, 64), (0, 1, 3, 2), "f16")]
HOTS = [((8192,), 2), ((8192,), 64), ((8192,), 21128), ((1280,), 30522),
        ((160,), 160), ((1024,), 16), ((123,), 128), ((16,), 16),
        ((8, 8732), 6), ((1,), 32000)]
NORMS = [(4, 112), (4, 56), (16, 56), (8, 28), (32, 28), (16, 14), (64, 14),
         (32, 7), (128, 7), (1, 224)]
SIZES = [*range(64, 513, 64), 1000, *range(640, 4609, 128)]


def name_convolution(channels, size, outputs, kernel, stride):
    return f"{channels}-{size}-to-{outputs}-{kernel}x{kernel}-s{stride}"


def name_transpose(shape, order, element):
    return f"{join(shape)}-{''.join(map(str, order))}"


def norm_name(c1, size):
    return f"c{16 * c1}-{size}"


def make_matrix():
    """{class: {name: text of a module}}."""
    return {
        "op1-convolution": {name_convolution(*layer): convolution(*layer)
                            for layer in LAYERS},
        "op2-matmul": {join(p): matmul(*p) for p in PRODUCTS},
        "op3-relu": {join(s): elementwise("relu", s) for s in SHAPES},
        "op4-batched": {join(p): matmul(*p[1:], p[:1]) for p in BATCHED},
        "op5-cast": {join(s): elementwise("cast", s) for s in SHAPES},
        "op6-transpose": {name_transpose(*t): transpose(*t)
                          for t in TRANSPOSES},
        "op7-one-hot": {f"{join(s)}-to-{d}": one_hot(s, d) for s, d in HOTS},
        "op8-add": {join(s): elementwise("add", s) for s in SHAPES},
        "op9-norm-reduce": {norm_name(c, s): batch_norm_reduce(16, c, s, s)
                            for c, s in NORMS},
        "op10-norm-update": {norm_name(c, s): batch_norm_update(16, c, s, s)
                             for c, s in NORMS},
        "gemm": {str(n): matmul(n, n, n) for n in SIZES},
        "subgraph": {"1": subgraph1(), "2": subgraph2(), "3": subgraph3(),
                     "4": subgraph4(), "5": subgraph5(),
                     "attention": attention()},
    }
