# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single operations for the set `ops`, each on one stated shape.

What memory limits works on tensors of 64 MiB, so that caches hold little of
them; contractions are layers of ordinary networks; depthwise convolutions are
those of MobileNet-V2.
"""

from graph_builder import GraphBuilder

# 64 MiB of f32: a matrix, images with channels last and second.
MATRIX = (4096, 4096)
NXC = (20, 112, 112, 64)
NCX = (20, 64, 112, 112)
# The rows of a language model's activations.
ROWS = (16384, 1024)

# Pixels per side, stride and channels of MobileNet-V2's 3x3 convolutions.
DEPTHWISE = ((112, 1, 32), (112, 2, 96), (56, 1, 144), (56, 2, 144),
             (28, 1, 192), (28, 2, 192), (14, 1, 384), (14, 1, 576),
             (14, 2, 576), (7, 1, 960))
DEPTHWISE_BATCHES = (1, 32)


def typed(value):
    """An attribute with the type that its value has."""
    if isinstance(value, bool):
        return ("bool", int(value))
    if isinstance(value, (list, tuple)):
        return ("f32[]" if any(isinstance(v, float) for v in value) else "s64[]",
                list(value))
    names = {int: "s64", float: "f32", str: "string"}
    return (names[type(value)], value)


class Single:
    """One operation; shapes stand for f32 tensors, ("u8", shape) for others."""

    def __init__(self, kind, inputs, *outputs, const=(), **attrs):
        self.kind, self.inputs, self.outputs = kind, inputs, outputs
        self.const, self.attrs = const, attrs

    @staticmethod
    def split(spec):
        return spec if isinstance(spec[0], str) else ("f32", spec)

    def graph(self):
        b = GraphBuilder()
        inputs = [b.tensor(*self.split(spec), const=i in self.const)
                  for i, spec in enumerate(self.inputs)]
        b.op(self.kind, inputs, *self.split(self.outputs[0]),
             {k: typed(v) for k, v in self.attrs.items()})
        for spec in self.outputs[1:]:
            b.ops[-1]["outputs"].append(b.tensor(*self.split(spec)))
        return b.graph()


def elementwise():
    """{name: operation} of everything that is computed element by element."""
    unary = {
        "abs": ("Abs", {}), "clamp": ("Clamp", {"min": -0.5, "max": 0.5}),
        "elu": ("Elu", {"alpha": 1.0}), "exp": ("Exp", {}),
        "gelu": ("GELU", {}), "hard_sigmoid": ("HardSigmoid", {
            "alpha": 0.2, "beta": 0.5}),
        "hard_swish": ("HardSwish", {}), "leaky_relu": ("LeakyReLU", {
            "alpha": 0.1}),
        "log": ("Log", {}), "mish": ("Mish", {}), "pow": ("Pow", {"beta": 3.0}),
        "reciprocal": ("Reciprocal", {}), "relu": ("ReLU", {}),
        "round": ("Round", {}), "sigmoid": ("Sigmoid", {}),
        "soft_plus": ("SoftPlus", {"beta": 1.0}), "sqrt": ("Sqrt", {}),
        "square": ("Square", {}), "tanh": ("Tanh", {})}
    binary = {"add": "Add", "divide": "Divide", "maximum": "Maximum",
              "minimum": "Minimum", "multiply": "Multiply",
              "subtract": "Subtract", "squared_difference": "SquaredDifference"}
    backward = {
        "abs": ("Abs", {}),
        "clamp": ("Clamp", {"min": -0.5, "max": 0.5, "use_dst": False}),
        "elu": ("Elu", {"alpha": 1.0, "use_dst": False}), "gelu": ("GELU", {}),
        "hard_sigmoid": ("HardSigmoid", {"alpha": 0.2, "beta": 0.5}),
        "hard_swish": ("HardSwish", {}), "mish": ("Mish", {}),
        "relu": ("ReLU", {"use_dst": False}),
        "sigmoid": ("Sigmoid", {"use_dst": False}),
        "soft_plus": ("SoftPlus", {"beta": 1.0}),
        "sqrt": ("Sqrt", {"use_dst": False}),
        "tanh": ("Tanh", {"use_dst": False})}
    found = {n: Single(kind, [MATRIX], MATRIX, **attrs)
             for n, (kind, attrs) in unary.items()}
    found.update({n: Single(kind, [MATRIX, MATRIX], MATRIX)
                  for n, kind in binary.items()})
    found.update({f"{n}_backward": Single(f"{kind}Backward", [MATRIX, MATRIX],
                                          MATRIX, **attrs)
                  for n, (kind, attrs) in backward.items()})
    row, channels = (MATRIX[1],), (NCX[1],)
    found.update({
        "bias_add": Single("BiasAdd", [MATRIX, row], MATRIX, data_format="NXC"),
        "bias_add-ncx": Single("BiasAdd", [NCX, channels], NCX,
                               data_format="NCX"),
        "gen_index": Single("GenIndex", [MATRIX], ("s32", MATRIX), axis=1),
        "greater_equal": Single("GreaterEqual", [MATRIX, MATRIX],
                                ("boolean", MATRIX)),
        "select": Single("Select", [("boolean", MATRIX), MATRIX, MATRIX],
                         MATRIX),
        "prelu": Single("PReLU", [NXC, channels], NXC, data_format="NXC"),
        "prelu_backward": Single("PReLUBackward", [NXC, channels, NXC], NXC,
                                 channels, data_format="NXC"),
        "dropout": Single("Dropout", [MATRIX, ("u64", (1,)), ("u64", (1,)),
                                      (1,)], MATRIX),
        "type_cast-bf16": Single("TypeCast", [MATRIX], ("bf16", MATRIX)),
        "type_cast-f32": Single("TypeCast", [("bf16", MATRIX)], MATRIX),
        "quantize": Single("Quantize", [MATRIX], ("u8", MATRIX),
                           qtype="per_tensor", scales=[0.01], zps=[128]),
        "dequantize": Single("Dequantize", [("u8", MATRIX)], MATRIX,
                             qtype="per_tensor", scales=[0.01], zps=[128]),
        "dynamic_quantize": Single("DynamicQuantize", [MATRIX, (1,)],
                                   ("u8", MATRIX), qtype="per_tensor"),
        "dynamic_dequantize": Single("DynamicDequantize",
                                     [("u8", MATRIX), (1,)], MATRIX,
                                     qtype="per_tensor")})
    return found


def reductions():
    rows, columns = (MATRIX[0], 1), (1, MATRIX[1])
    kinds = {"reduce_l1": "ReduceL1", "reduce_l2": "ReduceL2",
             "reduce_max": "ReduceMax", "reduce_mean": "ReduceMean",
             "reduce_min": "ReduceMin", "reduce_prod": "ReduceProd",
             "reduce_sum": "ReduceSum"}
    found = {n: Single(kind, [MATRIX], rows, axes=[1], keep_dims=True)
             for n, kind in kinds.items()}
    found.update({
        "reduce_sum-columns": Single("ReduceSum", [MATRIX], columns, axes=[0],
                                     keep_dims=True),
        "reduce_sum-all": Single("ReduceSum", [MATRIX], (1, 1), axes=[0, 1],
                                 keep_dims=True),
        "reduce_sum-pixels": Single("ReduceSum", [NXC], (20, 1, 1, 64),
                                    axes=[1, 2], keep_dims=True),
        "reduce_max-pixels-ncx": Single("ReduceMax", [NCX], (20, 64, 1, 1),
                                        axes=[2, 3], keep_dims=True),
        "bias_add_backward": Single("BiasAddBackward", [NXC], (64,),
                                    data_format="NXC"),
        "bias_add_backward-ncx": Single("BiasAddBackward", [NCX], (64,),
                                        data_format="NCX")})
    return found


def movements():
    heads, back = (32, 512, 16, 64), (32, 16, 512, 64)
    half, batch = (4096, 2048), (10, 64, 112, 112)
    channels = (20, 112, 112, 32)
    return {
        "static_transpose": Single("StaticTranspose", [MATRIX], MATRIX,
                                   order=[1, 0]),
        "static_transpose-heads": Single("StaticTranspose", [heads], back,
                                         order=[0, 2, 1, 3]),
        "static_transpose-nxc": Single("StaticTranspose", [NCX], NXC,
                                       order=[0, 2, 3, 1]),
        "static_transpose-ncx": Single("StaticTranspose", [NXC], NCX,
                                       order=[0, 3, 1, 2]),
        "concat-columns": Single("Concat", [half, half], MATRIX, axis=1),
        "concat-batch": Single("Concat", [batch, batch], NCX, axis=0),
        "concat-channels": Single("Concat", [channels, channels], NXC, axis=3),
    }


def pools():
    """Pooling and interpolation of images, and their gradients."""
    half = {"NXC": (20, 56, 56, 64), "NCX": (20, 64, 56, 56)}
    whole = {"NXC": NXC, "NCX": NCX}
    stem = {"kernel": [3, 3], "strides": [2, 2], "pads_begin": [1, 1],
            "pads_end": [0, 0]}
    dense = {"kernel": [3, 3], "strides": [1, 1], "pads_begin": [1, 1],
             "pads_end": [1, 1]}
    found = {}
    for layout, suffix in (("NXC", ""), ("NCX", "-ncx")):
        large, small = whole[layout], half[layout]
        form = {"data_format": layout}
        found.update({
            f"max_pool{suffix}": Single("MaxPool", [large], small, **stem,
                                        **form),
            f"avg_pool{suffix}": Single("AvgPool", [large], small,
                                        exclude_pad=True, **stem, **form),
            f"avg_pool-dense{suffix}": Single(
                "AvgPool", [large], large, exclude_pad=False, **dense, **form),
            f"max_pool_backward{suffix}": Single(
                "MaxPoolBackward", [large, small], large, **stem, **form),
            f"avg_pool_backward{suffix}": Single(
                "AvgPoolBackward", [small], large, exclude_pad=True,
                src_shape=list(large), **stem, **form),
            f"interpolate{suffix}": Single(
                "Interpolate", [small], large, mode="bilinear",
                sizes=[112, 112], **form),
            f"interpolate_backward{suffix}": Single(
                "InterpolateBackward", [small, large], small, mode="bilinear",
                sizes=[112, 112], **form)})
    found["interpolate-nearest"] = Single(
        "Interpolate", [half["NXC"]], NXC, mode="nearest", sizes=[112, 112],
        data_format="NXC")
    return found


def norms():
    """Softmax, normalisations, and their gradients."""
    width, channels = (ROWS[1],), (64,)
    rows, groups = (ROWS[0],), (20, 32)
    epsilon = {"epsilon": 1e-5}
    found = {
        "softmax": Single("SoftMax", [MATRIX], MATRIX, axis=1),
        "softmax-channels": Single("SoftMax", [NCX], NCX, axis=1),
        "log_softmax": Single("LogSoftmax", [MATRIX], MATRIX, axis=1),
        "softmax_backward": Single("SoftMaxBackward", [MATRIX, MATRIX], MATRIX,
                                   axis=1),
        "log_softmax_backward": Single("LogSoftmaxBackward", [MATRIX, MATRIX],
                                       MATRIX, axis=1),
        "layer_norm": Single("LayerNorm", [ROWS, width, width], ROWS,
                             keep_stats=False, **epsilon),
        "layer_norm-stats": Single("LayerNorm", [ROWS, width, width], ROWS,
                                   rows, rows, keep_stats=True, **epsilon),
        "layer_norm_backward": Single(
            "LayerNormBackward", [ROWS, ROWS, rows, rows, width, width], ROWS,
            width, width, **epsilon),
        "rms_norm": Single("RMSNorm", [ROWS, width], ROWS, **epsilon)}
    for image, layout, suffix in ((NXC, "NXC", ""), (NCX, "NCX", "-ncx")):
        form = {"data_format": layout, **epsilon}
        found.update({
            f"group_norm{suffix}": Single(
                "GroupNorm", [image, channels, channels], image, groups=32,
                keep_stats=False, **form),
            f"batch_norm_inference{suffix}": Single(
                "BatchNormInference", [image] + 4 * [channels], image, **form),
            f"batch_norm_forward_training{suffix}": Single(
                "BatchNormForwardTraining", [image] + 4 * [channels], image,
                *(4 * [channels]), momentum=0.1, **form),
            f"batch_norm_training_backward{suffix}": Single(
                "BatchNormTrainingBackward", [image, image] + 3 * [channels],
                image, channels, channels, **form)})
    return found


def convolution_attrs(stride, groups=1):
    return {"strides": [stride, stride], "pads_begin": [1, 1],
            "pads_end": [1, 1], "dilations": [1, 1], "groups": groups,
            "data_format": "NXC", "weights_format": "XIO"}


def contractions():
    """What arithmetic limits: 3x3 kernels on 28 x 28 pixels of 128 channels."""
    image, weights = (32, 28, 28, 128), (3, 3, 128, 128)
    attrs = convolution_attrs(1)
    square = (1024, 1024)
    return {
        "matmul": Single("MatMul", [square, square], square, const=(1,)),
        "convolution": Single("Convolution", [image, weights], image,
                              const=(1,), **attrs),
        "convolution_backward_data": Single(
            "ConvolutionBackwardData", [image, weights], image, const=(1,),
            dst_shape=list(image), **attrs),
        "convolution_backward_weights": Single(
            "ConvolutionBackwardWeights", [image, image], weights,
            weights_shape=list(weights), **attrs),
        "conv_transpose": Single("ConvTranspose", [image, weights], image,
                                 const=(1,), **attrs),
        "conv_transpose_backward_data": Single(
            "ConvTransposeBackwardData", [image, weights], image, const=(1,),
            **attrs),
        "conv_transpose_backward_weights": Single(
            "ConvTransposeBackwardWeights", [image, image], weights,
            weights_shape=list(weights), **attrs)}


def depthwise(batch, size, stride, channels):
    """A 3x3 convolution of single channels, with bias and ReLU."""
    b = GraphBuilder()
    source = b.tensor("f32", (batch, size, size, channels))
    weights = b.tensor("f32", (3, 3, 1, channels), const=True)
    bias = b.tensor("f32", (channels,), const=True)
    shape = (batch, (size - 1) // stride + 1, (size - 1) // stride + 1, channels)
    x = b.op("Convolution", [source, weights, bias], "f32", shape,
             {k: typed(v) for k, v in
              convolution_attrs(stride, channels).items()})
    b.op("ReLU", [x], "f32", shape)
    return b.graph()


BANDWIDTH = {**elementwise(), **reductions(), **movements(), **pools(),
             **norms()}
CONTRACTIONS = contractions()

SETS = {
    "ops-memory": [f"op-{n}" for n in BANDWIDTH],
    "ops-compute": [f"op-{n}" for n in CONTRACTIONS],
    "depthwise": [f"depthwise-b{b}-{size}-s{stride}-{channels}"
                  for b in DEPTHWISE_BATCHES
                  for size, stride, channels in DEPTHWISE]}


def workload(name):
    """The graph of that name as a dict; KeyError if there is none."""
    if name.startswith("depthwise-"):
        return depthwise(*(int(p.lstrip("bs")) for p in name.split("-")[1:]))
    return {**BANDWIDTH, **CONTRACTIONS}[name.removeprefix("op-")].graph()


def describe(graph):
    """The shapes of the inputs and of the first result."""
    def text(tensor):
        shape = "x".join(map(str, tensor["shape"]))
        return shape if tensor["dtype"] == "f32" else (
            f"{tensor['dtype']} {shape}")
    op = graph["graph"][0]
    return "{} -> {}".format(", ".join(map(text, op["inputs"])),
                             text(op["outputs"][0]))
