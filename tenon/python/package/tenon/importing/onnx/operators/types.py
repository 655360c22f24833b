"""Element types: conversions and bits."""

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import onnx
import onnx.helper
from jax import lax

from tenon.importing.onnx.node import NotLowered, is_known
from tenon.importing.onnx.registry import operator

# Floats whose conversion may saturate, which is the default.
_SATURATING = {onnx.TensorProto.FLOAT8E4M3FN, onnx.TensorProto.FLOAT8E4M3FNUZ, onnx.TensorProto.FLOAT8E5M2,
               onnx.TensorProto.FLOAT8E5M2FNUZ}  # fmt: skip


def dtype_of(element_type: int) -> np.dtype:
    """That of one of ONNX's element types."""
    if element_type == onnx.TensorProto.STRING:
        raise NotLowered("texts are not computed")
    return np.dtype(onnx.helper.tensor_dtype_to_np_dtype(element_type))


def convert(x, element_type: int, saturate: bool = True, round_mode: str = "up"):
    dtype = dtype_of(element_type)
    if x.dtype.kind in "OUS":
        if is_known(x):
            return np.asarray([float(text) for text in x.ravel()]).astype(dtype).reshape(x.shape)
        raise NotLowered("texts are not computed")
    if x.dtype == dtype:
        return x
    if dtype == np.bool_:
        return x != 0
    if element_type in _SATURATING and saturate:
        return _saturated(x, dtype)
    if element_type == onnx.TensorProto.FLOAT8E8M0:
        return lax.bitcast_convert_type(_exponent(x, saturate, round_mode), dtype)
    if dtype in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2) and jnp.issubdtype(x.dtype, jnp.inexact):
        # By way of an integer that holds all values, whose low bits are taken.
        return jnp.asarray(x).astype(jnp.int32).astype(dtype)
    if is_known(x) and not jnp.issubdtype(x.dtype, jnp.inexact):
        return x.astype(dtype)
    # What is too large for an integer is as the compiled program has it.
    return jnp.asarray(x).astype(dtype)


def _saturated(x, dtype):
    limit = float(ml_dtypes.finfo(dtype).max)
    converted = jnp.clip(jnp.asarray(x).astype(jnp.float32), -limit, limit).astype(dtype)
    return jnp.where(jnp.isnan(x), jnp.asarray(x).astype(dtype), converted)


def _exponent(x, saturate, round_mode):
    """Of the power of two that a scale is rounded to, as single precision has it: a byte, 255 of what is not finite."""
    bits = lax.bitcast_convert_type(jnp.asarray(x).astype(np.float32), np.uint32)
    exponent, fraction = (bits >> 23) & 0xFF, bits & 0x7FFFFF
    half = 0x400000
    above = {"up": fraction > 0, "nearest": (fraction > half) | ((fraction == half) & (exponent > 0)),
             "down": jnp.zeros(fraction.shape, bool)}  # fmt: skip
    largest = 0xFE if saturate else 0xFF
    rounded = jnp.minimum(exponent + above[round_mode].astype(np.uint32), largest)
    return jnp.where(exponent == 0xFF, 0xFF, rounded).astype(np.uint8)


@operator("Cast")
def cast(node, x):
    to = node["to"]
    if isinstance(to, str):  # before operator set 6
        to = onnx.TensorProto.DataType.Value(to)
    return convert(x, to, node["saturate"] != 0, node["round_mode"] or "up")


@operator("CastLike")
def cast_like(node, x, like):
    return convert(x, onnx.helper.np_dtype_to_tensor_dtype(np.dtype(like.dtype)), node["saturate"] != 0, node["round_mode"] or "up")


@operator("BitCast")
def bit_cast(node, x):
    x = jnp.asarray(x)
    if x.dtype == np.bool_:
        x = x.astype(np.uint8)
    dtype = dtype_of(node["to"])
    return lax.bitcast_convert_type(x, np.uint8) != 0 if dtype == np.bool_ else lax.bitcast_convert_type(x, dtype)
