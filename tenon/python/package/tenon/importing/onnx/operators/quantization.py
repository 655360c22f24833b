"""Quantized numbers."""

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import onnx
import onnx.helper

from tenon.importing.onnx.operators.convolution import convolve_integers
from tenon.importing.onnx.operators.linear import quantized_product, row_zero
from tenon.importing.onnx.operators.types import convert, dtype_of
from tenon.importing.onnx.registry import operator


def _spread(node, value, x):
    """A scale or a zero point against the array: one for all, for each index of an axis, or for each block along it."""
    if value is None or value.ndim == 0 or (value.ndim == 1 and value.shape[0] == 1 and value.ndim != x.ndim):
        return value if value is None or value.ndim == 0 else jnp.reshape(value, ())
    axis = node["axis"] % x.ndim
    if value.ndim == 1 and not node["block_size"]:
        return jnp.reshape(value, [-1 if i == axis else 1 for i in range(x.ndim)])
    block = node["block_size"] or -(-x.shape[axis] // value.shape[axis])
    repeated = jnp.repeat(value, block, axis)
    return repeated[tuple(slice(0, x.shape[i]) if i == axis else slice(None) for i in range(x.ndim))]


def _is_integer(dtype):
    return jnp.issubdtype(dtype, jnp.integer) or dtype in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)


def rounded(value, zero, dtype):
    """The nearest of the integers of this type, halves to even, with the zero point added."""
    limits = ml_dtypes.iinfo(dtype)
    shifted = jnp.round(value) + (0 if zero is None else jnp.asarray(zero).astype(value.dtype))
    return jnp.clip(shifted, int(limits.min), int(limits.max)).astype(np.int32).astype(dtype)


@operator("QuantizeLinear")
def quantize(node, x, scale, zero=None):
    if zero is not None:
        dtype = zero.dtype
    else:
        dtype = dtype_of(node["output_dtype"]) if node["output_dtype"] else np.dtype(np.uint8)
    computed = dtype_of(node["precision"]) if node["precision"] else np.dtype(np.float32)
    if jnp.issubdtype(x.dtype, jnp.inexact) and x.dtype != np.float64 and scale.dtype == x.dtype:
        computed = np.dtype(np.float32) if not node["precision"] else computed
    value = jnp.asarray(x).astype(computed) / _spread(node, jnp.asarray(scale).astype(computed), x)
    if _is_integer(dtype):
        return rounded(value, _spread(node, zero, x), dtype)
    return convert(value, onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), node["saturate"] != 0)


@operator("DequantizeLinear")
def dequantize(node, x, scale, zero=None):
    wanted = dtype_of(node["output_dtype"]) if node["output_dtype"] else scale.dtype
    if _is_integer(x.dtype):
        value = jnp.asarray(x).astype(np.int32)
        if zero is not None:
            value = value - _spread(node, jnp.asarray(zero).astype(np.int32), x)
    else:
        value = jnp.asarray(x)
    return (value.astype(scale.dtype) * _spread(node, scale, x)).astype(wanted)


@operator("DynamicQuantizeLinear")
def dynamic_quantize(_node, x):
    low, high = jnp.minimum(jnp.min(x), 0), jnp.maximum(jnp.max(x), 0)
    scale = (high - low) / np.float32(255)
    zero = jnp.clip(jnp.round(-low / scale), 0, 255)
    return rounded(x / scale, zero, np.uint8), scale, zero.astype(np.uint8)


def _requantized(total, factor, zero):
    return rounded(total.astype(factor.dtype) * factor, zero, zero.dtype)


@operator("QLinearMatMul")
def quantized_matmul(_node, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    total = quantized_product(a, a_zero, b, b_zero)
    factor = jnp.asarray(row_zero(a_scale, a.ndim)) * b_scale / row_zero(y_scale, a.ndim)
    return _requantized(total, factor.astype(np.float32), y_zero)


@operator("QLinearConv")
def quantized_convolution(node, x, x_scale, x_zero, weights, w_scale, w_zero, y_scale, y_zero, bias=None):
    total = convolve_integers(node, x, x_zero, weights, w_zero)
    channels = (1, -1) + (1,) * (total.ndim - 2)
    if bias is not None:
        total = total + jnp.reshape(bias, channels)
    factor = x_scale * jnp.reshape(w_scale, channels if w_scale.ndim else ()) / y_scale
    return _requantized(total, factor, y_zero)
