"""Tenon: a compiler and runtime for StableHLO programs.

    add = tenon.compile(text_of_a_stablehlo_program)
    z = add(x, y)                                     # NumPy arrays

    builder = tenon.ProgramBuilder("axpy")
    x = builder.parameter("f32[3]", "x")
    axpy = tenon.compile(builder.build(2 * x + tenon.ops.sine(x)))

docs/python.md is the guide.
"""

from tenon import _signatures, _tenon

_signatures.describe(_tenon)

from tenon._tenon import (  # noqa: E402
    AotCompilationResult,
    Client,
    Computation,
    ComputationBuilder,
    ConvolutionDimensionNumbers,
    Data,
    DynamicComputation,
    DynamicParameter,
    ElementType,
    Executable,
    Literal,
    Padding,
    ProgramBuilder,
    ProgramValue,
    Shape,
    Statistics,
    Value,
    compile_ahead_of_time,
    load_target,
    platform_names,
    set_trace_sink,
)
from tenon._tenon import version as __version__  # noqa: E402
from tenon._errors import Error, StatusCode
from tenon._calls import register_custom_call
from tenon._compile import DynamicFunction, Function, compile, from_dlpack
from tenon._profile import profile
from tenon import ops
from tenon.importing import import_onnx, import_torch

__all__ = [
    "AotCompilationResult",
    "Client",
    "Computation",
    "ComputationBuilder",
    "ConvolutionDimensionNumbers",
    "Data",
    "DynamicComputation",
    "DynamicFunction",
    "DynamicParameter",
    "ElementType",
    "Error",
    "Executable",
    "Function",
    "Literal",
    "Padding",
    "ProgramBuilder",
    "ProgramValue",
    "Shape",
    "Statistics",
    "StatusCode",
    "Value",
    "__version__",
    "compile",
    "compile_ahead_of_time",
    "from_dlpack",
    "import_onnx",
    "import_torch",
    "load_target",
    "ops",
    "platform_names",
    "profile",
    "register_custom_call",
    "set_trace_sink",
]
