"""Arrays (batch, channels, height, width) that are kept as (batch, height, width, channels), which convolutions are faster on.

A convolution gives such an array. Operators that have a form here go on with it; for the others it is transposed back, once.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import onnx.helper

from tenon.importing.onnx.node import Node, is_known, numpy_for

_RANK = 4
_TO_LAST, _TO_FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
# Where each of the model's axes is.
AXES = (0, 3, 1, 2)
# As many as a vector has elements.
_FEWEST = 16


class ChannelsLast:
    """Its `shape` is the model's."""

    ndim = _RANK

    def __init__(self, array: Any):
        self.array = array

    @property
    def shape(self) -> tuple[int, ...]:
        n, height, width, channels = self.array.shape
        return n, channels, height, width

    @property
    def dtype(self):
        return self.array.dtype

    @functools.cached_property
    def plain(self) -> Any:
        return jnp.transpose(self.array, _TO_FIRST)


def plain(value: Any) -> Any:
    """As the model has it."""
    return value.plain if isinstance(value, ChannelsLast) else value


def last(value: Any) -> Any:
    """The elements of an array of rank 4, with the channels last."""
    return value.array if isinstance(value, ChannelsLast) else numpy_for(value).transpose(value, _TO_LAST)


Lowering = Callable[..., Any]
# What makes of a node, its lowering and its inputs the outputs, or None where it cannot.
_FORMS: dict[str, Callable[[Node, Lowering, tuple], Any]] = {}
# Operators for which the first input may be another array.
_ANY_FIRST: set[str] = set()


def _form(*names: str, any_first: bool = False):
    def register(function):
        _FORMS.update(dict.fromkeys(names, function))
        _ANY_FIRST.update(names if any_first else ())
        return function

    return register


def lower(node: Node, lowering: Lowering, inputs: list[Any]) -> Any:
    """What the lowering gives, on arrays with the channels last as far as that is possible."""
    are_last = [isinstance(value, ChannelsLast) for value in inputs]
    concerned = are_last[:1] == [True] or (node.kind in _ANY_FIRST and (node.kind == "Conv" or any(are_last)))
    if concerned and node.kind in _FORMS and node.proto.domain in ("", "ai.onnx"):
        results = _FORMS[node.kind](node, lowering, tuple(inputs))
        if results is not None:
            return results
    return lowering(node, *map(plain, inputs))


@_form("Conv", any_first=True)
def _convolution(node, _lowering, inputs):
    # Which is in the package that imports this file.
    from tenon.importing.onnx.operators.convolution import convolve_channels_last

    x, weights, *rest = inputs
    if x.ndim != _RANK or isinstance(weights, ChannelsLast) or not jnp.issubdtype(x.dtype, jnp.floating):
        return None
    # With few channels vectors are along a row of the picture instead.
    if weights.shape[0] < _FEWEST or x.shape[1] == 1:
        return None
    y = convolve_channels_last(node, last(x), x.shape[2:], weights)
    return ChannelsLast(y + plain(rest[0]) if rest and rest[0] is not None else y)


def _is_single(value) -> bool:
    return value is None or (not isinstance(value, ChannelsLast) and math.prod(value.shape) == 1)


@_form("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cast", "Ceil", "Celu", "Clip", "Cos", "Cosh", "DequantizeLinear",
       "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Log", "Mish", "Neg",
       "Not", "QuantizeLinear", "Reciprocal", "Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus",
       "Softsign", "Sqrt", "Swish", "Tan", "Tanh", "ThresholdedRelu")  # fmt: skip
def _elementwise(node, lowering, inputs):
    x, *rest = inputs
    return ChannelsLast(lowering(node, x.array, *rest)) if all(map(_is_single, rest)) else None


def _beside(value):
    """For an operator between it and an array with the channels last; other arrays are filled up in front."""
    if isinstance(value, ChannelsLast):
        return value.array
    numpy = numpy_for(value)
    if math.prod(value.shape) == 1:
        return numpy.reshape(value, ())
    return last(numpy.reshape(value, (1,) * (_RANK - value.ndim) + tuple(value.shape)))


@_form("Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod", "Mul", "Or",
       "PRelu", "Pow", "Sub", "Sum", "Where", "Xor", any_first=True)  # fmt: skip
def _between(node, lowering, inputs):
    if node.version < 7 or any(value.ndim > _RANK for value in inputs):
        return None
    return ChannelsLast(lowering(node, *map(_beside, inputs)))


@_form("BatchNormalization")
def _normalization(node, lowering, inputs):
    x, *parameters = inputs
    if node.output_count > 1:
        return None
    # Of two dimensions the channels are last in any case.
    rows = lowering(node, jnp.reshape(x.array, (-1, x.array.shape[-1])), *map(plain, parameters))
    return ChannelsLast(jnp.reshape(rows, x.array.shape))


@_form("AveragePool", "ConvInteger", "LpPool", "MaxPool", "QLinearConv", "Resize", "Upsample")
def _knows_both(node, lowering, inputs):
    """Lowerings that take either."""
    if node.wants(1):
        return None
    return lowering(node, inputs[0], *map(plain, inputs[1:]))


@_form("Shape", "Size")
def _of_the_shape(node, lowering, inputs):
    return lowering(node, *inputs)


@_form("GlobalAveragePool", "GlobalMaxPool")
def _global(node, _lowering, inputs):
    reduce = jnp.mean if node.kind == "GlobalAveragePool" else jnp.max
    return ChannelsLast(reduce(inputs[0].array, (1, 2), keepdims=True))


def _with_axis(node: Node) -> Node:
    """The node on the axis where the elements now are."""
    moved = AXES[node["axis"] % _RANK]
    attributes = {**node.attributes, "axis": onnx.helper.make_attribute("axis", moved)}
    return Node(node.proto, node.version, attributes, node.scope)


@_form("Concat", any_first=True)
def _concat(node, lowering, inputs):
    return ChannelsLast(lowering(_with_axis(node), *map(last, inputs)))


@_form("Split")
def _split(node, lowering, inputs):
    return tuple(ChannelsLast(part) for part in lowering(_with_axis(node), inputs[0].array, *inputs[1:]))


@_form("ReduceMean", "ReduceMax", "ReduceSum", "ReduceMin", "ReduceL1", "ReduceL2")
def _reduction(node, lowering, inputs):
    x, *rest = inputs
    axes = node.axes(rest[0] if rest else None, 1)
    if not axes:
        return None
    moved = np.asarray([AXES[axis % _RANK] for axis in axes])
    if not node["keepdims"] and sorted(moved) != [1, 2]:
        return None
    y = lowering(node, x.array, moved)
    return ChannelsLast(y) if node["keepdims"] else y


@_form("Pad")
def _pad(node, lowering, inputs):
    x, pads, value, axes = (*inputs, None, None, None)[:_RANK]
    given = range(_RANK) if axes is None else node.integers(axes, 3, "axes")
    return ChannelsLast(lowering(node, x.array, pads, plain(value), np.asarray([AXES[axis % _RANK] for axis in given])))


@_form("Slice")
def _slice(node, lowering, inputs):
    x, starts, ends, axes, steps = (*inputs, None, None, None, None)[:5]
    if node.version < 10 or not is_known(starts):
        return None
    given = range(len(starts)) if axes is None else node.integers(axes, 3, "axes")
    return ChannelsLast(lowering(node, x.array, starts, ends, np.asarray([AXES[axis % _RANK] for axis in given]), steps))


@_form("Transpose")
def _transpose(node, _lowering, inputs):
    order = node["perm"] or range(_RANK - 1, -1, -1)
    return jnp.transpose(inputs[0].array, [AXES[axis] for axis in order])
