# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The convolutions and residual blocks of ResNet-50, in f32 and int8."""

from graph_builder import GraphBuilder, weight_scales

# ResNet-50 (version 1.5) by layer: pixels per side, kernel, stride, input and output
# channels; each with a bias and ReLU, channels last.
RESNET_LAYERS = ((224, 7, 2, 3, 64),) + tuple(
    layer for size, width in ((56, 64), (28, 128), (14, 256), (7, 512))
    for layer in (
        ((56, 1, 1, 64, 64),) if width == 64 else
        ((2 * size, 1, 1, 2 * width, width),
         (2 * size, 3, 2, width, width),
         (2 * size, 1, 2, 2 * width, 4 * width))) + (
             (size, 3, 1, width, width), (size, 1, 1, width, 4 * width),
             (size, 1, 1, 4 * width, width)))
CONV_BATCHES = (1, 32)
# Its residual blocks, by pixels per side and width: with the input added to the
# result, or a projection of it by every second pixel.
BOTTLENECKS = {"identity": ((56, 64), (28, 128), (14, 256), (7, 512)),
               "stride": ((56, 128), (28, 256), (14, 512))}
BOTTLENECKS_INT8 = {**BOTTLENECKS, "projection": ((56, 64),)}

# Scale and zero point of images: pixels, which have both signs, and what follows a
# ReLU; and of a projection.
PIXELS, IMAGE, PROJECTION = (0.02, 114), (0.04, 0), (0.04, 0)


def convolution(batch, size, kernel, stride, inputs, outputs):
    b = GraphBuilder()
    b.convolution(b.tensor("f32", (batch, size, size, inputs)), kernel, stride,
                  outputs)
    return b.graph()


def bottleneck(kind, batch, size, width):
    """A residual block of ResNet-50 on an image of size x size pixels."""
    b = GraphBuilder()
    strides = kind == "stride"
    source = b.tensor("f32", (batch, size, size,
                              2 * width if strides else 4 * width))
    x = b.convolution(source, 1, 1, width)
    x = b.convolution(x, 3, 1 + strides, width)
    other = (b.convolution(source, 1, 2, 4 * width, relu=False)
             if strides else source)
    x = b.convolution(x, 1, 1, 4 * width, relu=False)
    x = b.op("Add", [x, other], "f32", x["shape"])
    b.op("ReLU", [x], "f32", x["shape"])
    return b.graph()


class Int8(GraphBuilder):
    """Images of u8, weights of s8 with a scale for each output channel."""

    def image(self, shape, zp=IMAGE):
        return self.dequantized(self.tensor("u8", shape), zp)

    def dequantized(self, x, by):
        return self.quantization("Dequantize", x, "f32", x["shape"], *by)

    def weights(self, shape):
        k, n = shape[0] * shape[1] * shape[2], shape[3]
        return self.quantization(
            "Dequantize", lambda: self.tensor("s8", shape, const=True), "f32",
            shape, weight_scales(k, n, False), [0] * n, axis=3)

    def layer(self, source, kernel, stride, outputs):
        """A convolution whose result is quantized and dequantized again."""
        x = self.convolution(source, kernel, stride, outputs,
                             weights=self.weights)
        return self.dequantized(self.quantized(x), IMAGE)

    def quantized(self, x, dtype="u8", by=IMAGE):
        return self.quantization("Quantize", x, dtype, x["shape"], *by)


def convolution_int8(batch, size, kernel, stride, inputs, outputs):
    b = Int8()
    source = b.image((batch, size, size, inputs),
                     PIXELS if inputs == 3 else IMAGE)
    b.quantized(b.convolution(source, kernel, stride, outputs,
                              weights=b.weights))
    return b.graph()


def bottleneck_int8(kind, batch, size, width):
    """The same blocks: the projection is s8, the sum is of integers."""
    b = Int8()
    inputs = {"identity": 4, "stride": 2, "projection": 1}[kind] * width
    stride = 2 if kind == "stride" else 1
    source = b.image((batch, size, size, inputs))
    x = b.layer(source, 1, 1, width)
    x = b.layer(x, 3, stride, width)
    other = source
    if kind != "identity":
        other = b.convolution(source, 1, stride, 4 * width, relu=False,
                              weights=b.weights)
        other = b.dequantized(b.quantized(other, "s8", PROJECTION), PROJECTION)
    x = b.convolution(x, 1, 1, 4 * width, relu=False, weights=b.weights)
    x = b.op("Add", [x, other], "f32", x["shape"])
    b.quantized(b.op("ReLU", [x], "f32", x["shape"]))
    return b.graph()


SETS = {
    prefix: [f"{prefix}-" + "b{}-{}-k{}-s{}-{}-{}".format(b, *layer)
             for b in CONV_BATCHES for layer in RESNET_LAYERS]
    for prefix in ("conv", "conv-int8")}
SETS.update({
    prefix: [f"{prefix}-{kind}-b{b}-{size}-{width}" for b in CONV_BATCHES
             for kind in blocks for size, width in blocks[kind]]
    for prefix, blocks in (("bottleneck", BOTTLENECKS),
                           ("bottleneck-int8", BOTTLENECKS_INT8))})


def workload(name):
    """The graph of one of these names."""
    int8 = "-int8-" in name
    parts = name.replace("-int8-", "-").split("-")[1:]
    if name.startswith("conv-"):
        make = convolution_int8 if int8 else convolution
        return make(*(int(p.lstrip("bks")) for p in parts))
    kind, batch, size, width = parts
    make = bottleneck_int8 if int8 else bottleneck
    return make(kind, int(batch[1:]), int(size), int(width))
