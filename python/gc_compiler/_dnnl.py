# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libgc_dnnl_graph for Python: its structures, numbers and functions. What users
call is in graphs.py."""

import ctypes
import os
import threading

import numpy as np

from ._core import Error

MAX_NDIMS = 12
UNKNOWN_DIM = -(2**63)
CPU = 1
UNDEF, ANY, STRIDED, OPAQUE = range(4)
POLICIES = {"fusion": 1, "debug": 2}
PROPERTIES = {"variable": 1, "constant": 2}
STATUSES = (
    "success",
    "out_of_memory",
    "invalid_arguments",
    "unimplemented",
    "last_impl_reached",
    "runtime_error",
    "not_required",
    "invalid_graph",
    "invalid_graph_op",
    "invalid_shape",
    "invalid_data_type",
)

# numpy's types of elements; those that it does not have are integers of the bits.
DTYPES = {
    "f16": (1, np.float16),
    "bf16": (2, np.uint16),
    "f32": (3, np.float32),
    "s32": (4, np.int32),
    "s8": (5, np.int8),
    "u8": (6, np.uint8),
    "f64": (7, np.float64),
    "boolean": (8, np.bool_),
    "f8_e5m2": (9, np.uint8),
    "f8_e4m3": (10, np.uint8),
    "s64": (16, np.int64),
}
DTYPE_NAMES = {number: name for name, (number, _) in DTYPES.items()}

# In the order of the enumeration.
KINDS = """Abs AbsBackward Add AvgPool AvgPoolBackward BatchNormTrainingBackward
BatchNormForwardTraining BatchNormInference BiasAdd BiasAddBackward Clamp
ClampBackward Concat Convolution ConvolutionBackwardData
ConvolutionBackwardWeights ConvTranspose ConvTransposeBackwardData
ConvTransposeBackwardWeights Dequantize Divide DynamicDequantize DynamicQuantize
Elu EluBackward End Exp GELU GELUBackward HardSwish HardSwishBackward Interpolate
InterpolateBackward LayerNorm LayerNormBackward LeakyReLU Log LogSoftmax
LogSoftmaxBackward MatMul Maximum MaxPool MaxPoolBackward Minimum Mish
MishBackward Multiply PReLU PReLUBackward Quantize Reciprocal ReduceL1 ReduceL2
ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReLU ReLUBackward Reorder
Round Sigmoid SigmoidBackward SoftMax SoftMaxBackward SoftPlus SoftPlusBackward
Sqrt SqrtBackward Square SquaredDifference StaticReshape StaticTranspose Subtract
Tanh TanhBackward TypeCast Wildcard HardSigmoid HardSigmoidBackward Select Pow
GroupNorm GenIndex GreaterEqual RMSNorm Dropout""".split()


def _number(first, names):
    return {name: first + i for i, name in enumerate(names.split())}


ATTRIBUTES = {
    "f32": _number(0x1, "alpha beta epsilon max min momentum"),
    "f32[]": _number(0x20, "scales"),
    "s64": _number(0x30, "axis begin_norm_axis groups"),
    "s64[]": _number(
        0x40,
        "axes dilations dst_shape kernel order output_padding pads_begin "
        "pads_end shape sizes src_shape strides weights_shape zps group_shape",
    ),
    "bool": _number(
        0x60,
        "exclude_pad keep_dims keep_stats per_channel_broadcast special_zero "
        "transpose_a transpose_b use_affine use_dst",
    ),
    "str": _number(
        0x80,
        "auto_broadcast auto_pad coordinate_transformation_mode data_format mode "
        "qtype rounding_type weights_format accumulation_mode",
    ),
}


class LogicalTensor(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_size_t),
        ("ndims", ctypes.c_int),
        ("dims", ctypes.c_int64 * MAX_NDIMS),
        ("data_type", ctypes.c_int),
        ("property", ctypes.c_int),
        ("layout_type", ctypes.c_int),
        ("strides", ctypes.c_int64 * MAX_NDIMS),
    ]

    def get_shape(self):
        """The sizes, or None if one of them or their number is unknown."""
        if self.ndims < 0:
            return None
        shape = tuple(self.dims[: self.ndims])
        return None if UNKNOWN_DIM in shape else shape

    def get_strides(self):
        return tuple(self.strides[: max(0, self.ndims)])


_ARGUMENTS = {
    "engine_create": "pis",
    "stream_create": "ppu",
    "graph_op_create": "psic",
    "graph_op_add_input": "pp",
    "graph_op_add_output": "pp",
    "graph_op_set_attr_f32": "pips",
    "graph_op_set_attr_s64": "pips",
    "graph_op_set_attr_bool": "pips",
    "graph_op_set_attr_str": "pics",
    "graph_op_destroy": "p",
    "graph_graph_create": "pi",
    "graph_graph_destroy": "p",
    "graph_add_op": "pp",
    "graph_graph_finalize": "p",
    "graph_graph_filter": "pi",
    "graph_graph_get_partition_num": "pp",
    "graph_graph_get_partitions": "psp",
    "graph_partition_destroy": "p",
    "graph_partition_get_op_num": "pp",
    "graph_partition_get_ops": "psp",
    "graph_partition_is_supported": "pp",
    "graph_partition_get_input_ports_num": "pp",
    "graph_partition_get_input_ports": "psp",
    "graph_partition_get_output_ports_num": "pp",
    "graph_partition_get_output_ports": "psp",
    "graph_partition_compile": "ppspspp",
    "graph_compiled_partition_create": "pp",
    "graph_compiled_partition_destroy": "p",
    "graph_compiled_partition_query_logical_tensor": "psp",
    "graph_compiled_partition_execute": "ppspsp",
    "graph_tensor_create": "pppp",
    "graph_tensor_destroy": "p",
}
_CTYPES = {
    "p": ctypes.c_void_p,
    "i": ctypes.c_int,
    "u": ctypes.c_uint,
    "s": ctypes.c_size_t,
    "c": ctypes.c_char_p,
}


def _find_library():
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        from ._folder import FOLDER
    except ImportError:
        FOLDER = "lib"
    return os.path.join(here, FOLDER, "libgc_dnnl_graph.so.0")


class Library:
    """The functions, which raise an Error for a status other than success."""

    def __init__(self):
        self._library = ctypes.CDLL(_find_library())
        self._reason = self._library.gc_dnnl_last_reason
        self._reason.restype = ctypes.c_char_p
        for name, arguments in _ARGUMENTS.items():
            function = getattr(self._library, "dnnl_" + name)
            function.argtypes = [_CTYPES[letter] for letter in arguments]
            function.restype = ctypes.c_int
            setattr(self, name, self._checked(name, function))

    def _checked(self, name, function):
        def call(*arguments):
            status = function(*arguments)
            if status:
                reason = self._reason().decode("utf-8", "replace")
                text = STATUSES[status] if status < len(STATUSES) else str(status)
                raise Error(reason or f"dnnl_{name}: {text}")

        return call

    def create(self, name, *arguments):
        """An object that a function makes, which comes first."""
        handle = ctypes.c_void_p()
        getattr(self, name)(ctypes.byref(handle), *arguments)
        return handle

    def number(self, name, handle):
        """What a function counts."""
        count = ctypes.c_size_t()
        getattr(self, name)(handle, ctypes.byref(count))
        return count.value

    def ports(self, which, partition):
        count = self.number(f"graph_partition_get_{which}_ports_num", partition)
        ports = (LogicalTensor * count)()
        getattr(self, f"graph_partition_get_{which}_ports")(partition, count, ports)
        return list(ports)


_loading = threading.Lock()
_library = None


def get_library():
    """The library, opened by the first call."""
    global _library
    with _loading:
        if _library is None:
            _library = Library()
        return _library


_engine = None


def get_engine():
    """The CPU and a stream on it, which live as long as the process."""
    global _engine
    library = get_library()
    with _loading:
        if _engine is None:
            engine = library.create("engine_create", CPU, 0)
            _engine = engine, library.create("stream_create", engine, 1)
        return _engine
