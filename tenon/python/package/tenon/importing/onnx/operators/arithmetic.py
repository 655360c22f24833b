"""Elementwise operators: one number in, or two, one out."""

import functools

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from tenon.importing.onnx.node import is_known, numpy_for
from tenon.importing.onnx.registry import operator

# By the names of functions that NumPy and jax.numpy have.
_UNARY = {"Abs": "abs", "Acos": "arccos", "Acosh": "arccosh", "Asin": "arcsin", "Asinh": "arcsinh", "Atan": "arctan",
          "Atanh": "arctanh", "BitwiseNot": "bitwise_not", "Ceil": "ceil", "Cos": "cos", "Cosh": "cosh", "Exp": "exp",
          "Floor": "floor", "IsNaN": "isnan", "Log": "log", "Neg": "negative", "Not": "logical_not",
          "Round": "round",  # halves to even
          "Sign": "sign", "Sin": "sin", "Sinh": "sinh", "Sqrt": "sqrt", "Tan": "tan", "Tanh": "tanh"}  # fmt: skip
_BINARY = {"Add": "add", "And": "logical_and", "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or",
           "BitwiseXor": "bitwise_xor", "Equal": "equal", "Greater": "greater", "GreaterOrEqual": "greater_equal",
           "Less": "less", "LessOrEqual": "less_equal", "Mul": "multiply", "Or": "logical_or", "Sub": "subtract",
           "Xor": "logical_xor"}  # fmt: skip


@operator(*_UNARY)
def unary(node, x):
    return getattr(numpy_for(x), _UNARY[node.kind])(x)


@operator("Erf")
def error_function(_node, x):
    return special.erf(x)


@operator("Reciprocal")
def reciprocal(_node, x):
    return 1 / x


def _aligned(node, a, b):
    """Before operator set 7 the second operand's dimensions began at an axis of the first one's."""
    if node.version < 7 and node["broadcast"] and node.has("axis"):
        axis = node["axis"] % a.ndim
        b = jnp.reshape(b, b.shape + (1,) * (a.ndim - axis - b.ndim))
    return b


def _equal_texts(node, a, b):
    """Texts are known at import or not at all."""
    return np.equal(node.known(a, 0, "text"), node.known(b, 1, "text"))


@operator(*_BINARY)
def binary(node, a, b):
    if a.dtype.kind in "OUS":
        return _equal_texts(node, a, b)
    return getattr(numpy_for(a, b), _BINARY[node.kind])(a, _aligned(node, a, b))


@operator("Div")
def divide(node, a, b):
    b = _aligned(node, a, b)
    if jnp.issubdtype(a.dtype, jnp.inexact):
        return numpy_for(a, b).divide(a, b)
    if is_known(a) and is_known(b):
        quotient, rest = np.divmod(a, b)
        return quotient + ((rest != 0) & ((a < 0) != (b < 0)))  # towards zero
    return lax.div(*jnp.broadcast_arrays(a, b))


@operator("Pow")
def power(node, x, exponent):
    exponent = _aligned(node, x, exponent)
    if is_known(exponent) and exponent.size == 1 and float(exponent.ravel()[0]) in (1.0, 2.0, 3.0, 4.0):
        shape = jnp.broadcast_shapes(x.shape, exponent.shape)
        return jnp.broadcast_to(lax.integer_pow(x, int(exponent.ravel()[0])), shape)
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return jnp.power(x, exponent.astype(x.dtype))
    if jnp.issubdtype(exponent.dtype, jnp.inexact):
        return jnp.power(x.astype(jnp.float64), exponent.astype(jnp.float64)).astype(x.dtype)
    return jnp.power(x, exponent).astype(x.dtype)


@operator("Mod")
def modulo(node, a, b):
    return lax.rem(*jnp.broadcast_arrays(a, b)) if node["fmod"] else jnp.mod(a, b)


@operator("BitShift")
def bit_shift(node, x, amount):
    x, amount = jnp.broadcast_arrays(x, amount)
    bits = jnp.iinfo(x.dtype).bits
    # By more bits than there are, or by fewer than none, only the sign is left.
    beyond = (amount < 0) | (amount >= bits)
    if node["direction"] == "LEFT":
        return jnp.where(beyond, 0, lax.shift_left(x, amount))
    if jnp.issubdtype(x.dtype, jnp.signedinteger):
        return lax.shift_right_arithmetic(x, jnp.where(beyond, bits - 1, amount))
    return jnp.where(beyond, 0, lax.shift_right_logical(x, amount))


@operator("IsInf")
def is_inf(node, x):
    return (jnp.isposinf(x) & bool(node["detect_positive"])) | (jnp.isneginf(x) & bool(node["detect_negative"]))


_FOLDS = {"Max": "maximum", "Min": "minimum", "Sum": "add", "Mean": "add"}


@operator(*_FOLDS)
def fold(node, *values):
    numpy = numpy_for(*values)
    total = functools.reduce(getattr(numpy, _FOLDS[node.kind]), map(numpy.asarray, values))
    return total / np.asarray(len(values), total.dtype) if node.kind == "Mean" else total


@operator("Where")
def where(_node, condition, a, b):
    return numpy_for(condition, a, b).where(condition, a, b)


@operator("Clip")
def clip(node, x, low=None, high=None):
    if node.version < 11:
        low, high = node["min"], node["max"]
    # Where the bounds cross, the upper one counts.
    if low is not None:
        x = jnp.maximum(x, jnp.asarray(low, x.dtype))
    if high is not None:
        x = jnp.minimum(x, jnp.asarray(high, x.dtype))
    return x


@operator("CumSum")
def cumulative_sum(node, x, axis):
    return _cumulative(node, x, axis, jnp.cumsum, 0)


@operator("CumProd")
def cumulative_product(node, x, axis):
    return _cumulative(node, x, axis, jnp.cumprod, 1)


def _cumulative(node, x, axis, function, neutral):
    axis = node.integers(axis, 1, "axis")[0] % x.ndim
    if node["reverse"]:
        x = jnp.flip(x, axis)
    total = function(x, axis=axis, dtype=x.dtype)
    if node["exclusive"]:
        before = [(0, 0, 0)] * x.ndim
        before[axis] = (1, -1, 0)
        total = lax.pad(total, jnp.asarray(neutral, x.dtype), before)
    return jnp.flip(total, axis) if node["reverse"] else total
