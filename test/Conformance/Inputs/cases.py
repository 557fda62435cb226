# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs for every op with windows: each pair of formats, strides, pads,
dilations, groups and types occurs in at least one. Shapes are small, and odd enough
that blocks and vectors have tails; channels are as many as groups need."""

import pairwise

SPATIAL = {1: (13,), 2: (7, 9), 3: (4, 5, 6)}
KERNELS = {"1": (1, 1, 1), "3": (3, 3, 3), "mixed": (2, 3, 1)}
STRIDES = {"1": (1, 1, 1), "2": (2, 2, 2), "mixed": (1, 3, 2)}
DILATIONS = {"1": (1, 1, 1), "mixed": (2, 1, 2)}
# Pads at the beginning and at the end.
PADS = {
    "none": ((0, 0, 0), (0, 0, 0)),
    "equal": ((1, 1, 1), (1, 1, 1)),
    "unequal": ((1, 0, 2), (0, 2, 1)),
}
AUTO_PADS = ("same_upper", "same_lower", "valid")
FLOATS = ["f32", "bf16", "f16"]
BATCH = 2
# What decides whether windows fit.
SIZED = ("dims", "kernel", "stride", "pads", "dilation", "rounding")
WINDOW = {
    "format": ["NXC", "NCX"],
    "dims": [1, 2, 3],
    "kernel": list(KERNELS),
    "stride": list(STRIDES),
    "pads": list(PADS) + list(AUTO_PADS),
    "type": FLOATS,
}


def divide_up(a, b):
    return -(-a // b)


class Axis:
    """A kernel along one spatial dimension of `size`."""

    def __init__(self, size, kernel, stride, dilation, begin, end):
        self.size, self.kernel, self.stride, self.dilation = size, kernel, stride, dilation
        self.begin, self.end = begin, end
        self.reach = (kernel - 1) * dilation + 1

    def get_output(self, rounds_up=False):
        room = self.size + self.begin + self.end - self.reach
        if room < 0:
            return 0
        return (divide_up(room, self.stride) if rounds_up else room // self.stride) + 1

    def resolve(self, auto_pad):
        if auto_pad in AUTO_PADS:
            self.begin = self.end = 0
        if auto_pad in ("same_upper", "same_lower"):
            count = divide_up(self.size, self.stride)
            pads = max((count - 1) * self.stride + self.reach - self.size, 0)
            self.begin = pads // 2 if auto_pad == "same_upper" else divide_up(pads, 2)
            self.end = pads - self.begin

    def is_each_inside(self, rounds_up=False):
        """Whether each window has an element of the image."""
        return all(
            any(
                0 <= p * self.stride + k * self.dilation - self.begin < self.size
                for k in range(self.kernel)
            )
            for p in range(self.get_output(rounds_up))
        )


def get_axes(choice, sizes=None):
    begin, end = PADS.get(choice["pads"], PADS["none"])
    axes = [
        Axis(
            size,
            KERNELS[choice["kernel"]][i],
            STRIDES[choice["stride"]][i],
            DILATIONS[choice.get("dilation", "1")][i],
            begin[i],
            end[i],
        )
        for i, size in enumerate(sizes or SPATIAL[choice["dims"]])
    ]
    for axis in axes:
        axis.resolve(choice["pads"])
    return axes


def fits(choice):
    return all(axis.get_output() >= 1 for axis in get_axes(choice))


# ---------------------------------------------------------------------------
# Text
# ---------------------------------------------------------------------------


def make_type(shape, element):
    return "tensor<%sx%s>" % ("x".join(map(str, shape)), element)


def make_list(values):
    return "array<i64: %s>" % ", ".join(map(str, values))


def make_image(choice, spatial, channels):
    parts = [BATCH, *spatial]
    parts.insert(len(parts) if choice["format"] == "NXC" else 1, channels)
    return parts


def make_attributes(choice, axes, with_dilations, extra):
    auto_pad = choice["pads"] if choice["pads"] in AUTO_PADS else "none"
    attributes = {
        "strides": make_list(axis.stride for axis in axes),
        "pads_begin": make_list(axis.begin for axis in axes),
        "pads_end": make_list(axis.end for axis in axes),
        "auto_pad": '"%s"' % auto_pad,
        "data_format": '"%s"' % choice["format"],
        **extra,
    }
    if with_dilations:
        attributes["dilations"] = make_list(axis.dilation for axis in axes)
    return ", ".join("%s = %s" % item for item in attributes.items())


class Program:
    """A function of arguments, one op, and what the program returns."""

    def __init__(self):
        self.arguments, self.lines, self.count = [], [], 0

    def argument(self, shape, element):
        name = "%%a%d" % len(self.arguments)
        self.arguments.append("%s: %s" % (name, make_type(shape, element)))
        return name, make_type(shape, element)

    def op(self, name, operands, attributes, result):
        value = "%%%d" % self.count
        self.count += 1
        self.lines.append(
            "  %s = graph.%s %s%s : (%s) -> %s"
            % (
                value,
                name,
                ", ".join(operand for operand, _ in operands),
                " {%s}" % attributes if attributes else "",
                ", ".join(kind for _, kind in operands),
                result,
            )
        )
        return value, result

    def finish(self, value):
        return "func.func @main(%s) -> %s {\n%s\n  return %s : %s\n}\n" % (
            ", ".join(self.arguments),
            value[1],
            "\n".join(self.lines),
            value[0],
            value[1],
        )


def dequantized(program, shape, element, zp):
    """An argument of 8 bits as f32."""
    source = program.argument(shape, element)
    attributes = "scales = array<f32: 0.05>, zps = array<i64: %d>" % zp
    # As assembly writes the op.
    return program.op("dequantize", [source], attributes, make_type(shape, "f32"))


def tensor(program, choice, shape, is_weights=False):
    if choice["type"] == "int8":
        if is_weights:
            return dequantized(program, shape, "si8", 0)
        return dequantized(program, shape, "ui8", 3)
    return program.argument(shape, choice["type"])


def get_element(choice):
    return "f32" if choice["type"] == "int8" else choice["type"]


def with_sum(program, value, shape, element):
    """Added to an argument: much of a gradient is 0."""
    other = program.argument(shape, element)
    return program.op("add", [value, other], "", value[1])


# ---------------------------------------------------------------------------
# Convolutions
# ---------------------------------------------------------------------------

# Groups, channels of the image, channels of the output.
CHANNELS = {"1": (1, 5, 7), "2": (2, 8, 12), "depthwise": (6, 6, 6), "wide": (1, 16, 33)}


def make_weights(choice, axes, is_transposed):
    groups, inputs, outputs = CHANNELS[choice["groups"]]
    shape = []
    for part in choice["weights"]:
        if part == "X":
            shape += [axis.kernel for axis in axes]
        else:
            shape.append(inputs // groups if (part == "O") == is_transposed else outputs)
    return shape


def make_convolution(op, choice):
    is_transposed = op.startswith("conv_transpose")
    groups, inputs, outputs = CHANNELS[choice["groups"]]
    axes = get_axes(choice)
    output = [axis.get_output() for axis in axes]
    image_size = [axis.size for axis in axes]
    if op == "conv_transpose" and choice["pads"] in AUTO_PADS[:2]:
        image_size = [count * axis.stride for count, axis in zip(output, axes)]
    elif op == "conv_transpose":
        # Sizes that an output decides: nothing is left over at the end.
        image_size = [
            (count - 1) * axis.stride + axis.reach - axis.begin - axis.end
            for count, axis in zip(output, axes)
        ]
    image = make_image(choice, image_size, inputs)
    result = make_image(choice, output, outputs)
    weights = make_weights(choice, axes, is_transposed)
    extra = {"groups": groups, "weights_format": '"%s"' % choice["weights"]}
    program = Program()
    element = get_element(choice)
    if op.endswith("weights"):
        extra["weights_shape"] = make_list(weights)
        pair = [image, result] if not is_transposed else [result, image]
        operands = [tensor(program, choice, shape) for shape in pair]
        target = weights
    else:
        # The image is computed by these two, the output by the others.
        to_image = op in ("conv_transpose", "convolution_backward_data")
        source, target = (result, image) if to_image else (image, result)
        operands = [tensor(program, choice, source), tensor(program, choice, weights, True)]
        if op == "convolution_backward_data":
            extra["dst_shape"] = make_list(image)
    if choice.get("bias") == "yes":
        channels = inputs if op == "conv_transpose" else outputs
        operands.append(program.argument([channels], element))
    value = program.op(
        op,
        operands,
        make_attributes(choice, axes, True, extra),
        make_type(target, element),
    )
    if "backward" in op or op == "conv_transpose":
        value = with_sum(program, value, target, element)
    elif choice["type"] == "int8":
        value = program.op(
            "quantize",
            [value],
            "scales = array<f32: 0.5>, zps = array<i64: 2>",
            make_type(target, "ui8"),
        )
    return program.finish(value)


def is_image_possible(choice):
    """An output of a transposed convolution is not empty."""
    if choice["pads"] in AUTO_PADS[:2]:
        return fits(choice)
    return fits(choice) and all(
        (axis.get_output() - 1) * axis.stride + axis.reach > axis.begin + axis.end
        for axis in get_axes(choice)
    )


def get_convolutions():
    shared = {**WINDOW, "dilation": list(DILATIONS), "groups": list(CHANNELS)}
    for op in (
        "convolution",
        "conv_transpose",
        "convolution_backward_data",
        "conv_transpose_backward_data",
        "convolution_backward_weights",
        "conv_transpose_backward_weights",
    ):
        is_transposed = op.startswith("conv_transpose")
        factors = dict(shared)
        factors["weights"] = ["XIO", "OIX"] + (["IOX", "XOI"] if is_transposed else [])
        if op in ("convolution", "conv_transpose"):
            factors["bias"] = ["no", "yes"]
            factors["type"] = FLOATS + ["int8"]
        allowed = is_image_possible if op == "conv_transpose" else fits
        for choice in pairwise.make(factors, SIZED, allowed):
            yield op, choice, make_convolution(op, choice)


# ---------------------------------------------------------------------------
# Pooling
# ---------------------------------------------------------------------------


def make_pool(op, choice):
    is_max, is_backward = op.startswith("max"), op.endswith("backward")
    axes = get_axes(choice)
    channels = int(choice["channels"])
    rounds_up = choice["rounding"] == "ceil"
    image = make_image(choice, [axis.size for axis in axes], channels)
    result = make_image(choice, [axis.get_output(rounds_up) for axis in axes], channels)
    extra = {"kernel": make_list(axis.kernel for axis in axes)}
    if not is_max:
        extra["exclude_pad"] = "true" if choice["exclude"] == "yes" else "false"
    program = Program()
    element = get_element(choice)
    if is_backward:
        operands = [tensor(program, choice, image)] if is_max else []
        operands.append(tensor(program, choice, result))
        if not is_max:
            extra["src_shape"] = make_list(image)
        target = image
    else:
        operands = [tensor(program, choice, image)]
        extra["rounding_type"] = '"%s"' % choice["rounding"]
        target = result
    value = program.op(
        op,
        operands,
        make_attributes(choice, axes, is_max, extra),
        make_type(target, element),
    )
    if is_backward:
        value = with_sum(program, value, target, element)
    return program.finish(value)


def get_pools():
    for op in ("max_pool", "avg_pool", "max_pool_backward", "avg_pool_backward"):
        factors = {**WINDOW, "channels": ["1", "17"], "rounding": ["floor", "ceil"]}
        if op.startswith("max"):
            factors["dilation"] = list(DILATIONS)
        else:
            factors["exclude"] = ["yes", "no"]
        if not op.endswith("backward"):
            factors["type"] = FLOATS + ["int8"]

        # A maximum of nothing is -infinity.
        def allowed(choice, op=op):
            rounds_up = choice["rounding"] == "ceil"
            return fits(choice) and (
                op.startswith("avg")
                or all(axis.is_each_inside(rounds_up) for axis in get_axes(choice))
            )

        for choice in pairwise.make(factors, SIZED, allowed):
            yield op, choice, make_pool(op, choice)


# ---------------------------------------------------------------------------
# Interpolation
# ---------------------------------------------------------------------------

FACTORS = {"half": (0.5, 0.5, 0.5), "twice": (2, 2, 2), "mixed": (1.5, 0.5, 3), "same": (1, 1, 1)}
LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}


def make_interpolation(op, choice):
    sizes = SPATIAL[choice["dims"]]
    factors = FACTORS[choice["factor"]][: len(sizes)]
    scaled = [int(size * factor) for size, factor in zip(sizes, factors)]
    channels = int(choice["channels"])
    image = make_image(choice, sizes, channels)
    result = make_image(choice, scaled, channels)
    mode = LINEAR[choice["dims"]] if choice["mode"] == "named" else choice["mode"]
    attributes = 'mode = "%s", coordinate_transformation_mode = "%s", data_format = "%s", ' % (
        mode,
        choice["coordinates"],
        choice["format"],
    )
    if choice["given"] == "sizes":
        attributes += "sizes = " + make_list(scaled)
    else:
        attributes += "scales = array<f32: %s>" % ", ".join("%.2f" % f for f in factors)
    program = Program()
    element = choice["type"]
    operands = [program.argument(image, element)]
    if op == "interpolate":
        value = program.op(op, operands, attributes, make_type(result, element))
        return program.finish(value)
    operands.append(program.argument(result, element))
    value = program.op(op, operands, attributes, make_type(image, element))
    return program.finish(with_sum(program, value, image, element))


def get_interpolations():
    factors = {
        "format": ["NXC", "NCX"],
        "dims": [1, 2, 3],
        "mode": ["nearest", "linear", "named"],
        "coordinates": ["half_pixel", "align_corners"],
        "given": ["sizes", "scales"],
        "factor": list(FACTORS),
        "channels": ["1", "17"],
        "type": FLOATS,
    }
    for op in ("interpolate", "interpolate_backward"):
        for choice in pairwise.make(factors):
            yield op, choice, make_interpolation(op, choice)


def get_cases():
    """(op, choice, program) for all ops."""
    yield from get_convolutions()
    yield from get_pools()
    yield from get_interpolations()


if __name__ == "__main__":
    counts = {}
    for op, _, _ in get_cases():
        counts[op] = counts.get(op, 0) + 1
    print(counts, sum(counts.values()))
