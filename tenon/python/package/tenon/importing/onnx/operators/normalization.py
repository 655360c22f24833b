"""Normalizations."""


import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.node import is_known
from tenon.importing.onnx.operators.types import dtype_of
from tenon.importing.onnx.registry import operator


def _per_channel(value, rank):
    return jnp.reshape(value, (-1,) + (1,) * (rank - 2))


@operator("BatchNormalization")
def batch_normalization(node, x, scale, bias, mean, variance):
    epsilon = node["epsilon"]
    if node.version >= 14 and node["training_mode"]:
        return _trained_batch_normalization(node, x, scale, bias, mean, variance)
    if all(map(is_known, (scale, bias, mean, variance))):
        # One multiplication and one addition are left.
        factor = scale.astype(np.float64) / np.sqrt(variance.astype(np.float64) + epsilon)
        offset = bias - mean * factor
        return x * _per_channel(factor.astype(x.dtype), x.ndim) + _per_channel(offset.astype(x.dtype), x.ndim)
    factor = _per_channel(scale / jnp.sqrt(variance + epsilon), x.ndim)
    return ((x - _per_channel(mean, x.ndim)) * factor + _per_channel(bias, x.ndim)).astype(x.dtype)


def _trained_batch_normalization(node, x, scale, bias, mean, variance):
    axes = (0,) + tuple(range(2, x.ndim))
    now_mean, now_variance = jnp.mean(x, axes), jnp.var(x, axes)
    momentum = node["momentum"]
    factor = _per_channel(scale / jnp.sqrt(now_variance + node["epsilon"]), x.ndim)
    y = (x - _per_channel(now_mean, x.ndim)) * factor + _per_channel(bias, x.ndim)
    running = (mean * momentum + now_mean * (1 - momentum), variance * momentum + now_variance * (1 - momentum))
    return (y.astype(x.dtype), *running)[: node.output_count]


def _standardized(x, axes, epsilon):
    mean = jnp.mean(x, axes, keepdims=True)
    inverse = lax.rsqrt(jnp.mean(jnp.square(x - mean), axes, keepdims=True) + epsilon)
    return (x - mean) * inverse, mean, inverse


@operator("InstanceNormalization")
def instance_normalization(node, x, scale, bias):
    y, _, _ = _standardized(x, tuple(range(2, x.ndim)), node["epsilon"])
    return y * _per_channel(scale, x.ndim) + _per_channel(bias, x.ndim)


@operator("LayerNormalization")
def layer_normalization(node, x, scale, bias=None):
    computed = dtype_of(node["stash_type"])
    axes = tuple(range(node["axis"] % x.ndim, x.ndim))
    y, mean, inverse = _standardized(jnp.asarray(x).astype(computed), axes, node["epsilon"])
    y = y.astype(x.dtype) * scale
    return (y if bias is None else y + bias, mean, inverse)[: node.output_count]


@operator("RMSNormalization")
def rms_normalization(node, x, scale):
    computed = jnp.asarray(x).astype(dtype_of(node["stash_type"]))
    axes = tuple(range(node["axis"] % x.ndim, x.ndim))
    inverse = lax.rsqrt(jnp.mean(jnp.square(computed), axes, keepdims=True) + node["epsilon"])
    return (computed * inverse).astype(x.dtype) * scale


@operator("GroupNormalization")
def group_normalization(node, x, scale, bias):
    groups = node["num_groups"]
    computed = dtype_of(node["stash_type"]) if node["stash_type"] else x.dtype
    parts = jnp.reshape(x, (x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])).astype(computed)
    axes = tuple(range(2, parts.ndim))
    y, _, _ = _standardized(parts, axes, node["epsilon"])
    y = y.astype(x.dtype)
    if node.version < 21:  # scales of groups, and not of channels
        scale, bias = (jnp.reshape(value, (groups,) + (1,) * (parts.ndim - 2)) for value in (scale, bias))
        return jnp.reshape(y * scale + bias, x.shape)
    return jnp.reshape(y, x.shape) * _per_channel(scale, x.ndim) + _per_channel(bias, x.ndim)


@operator("LpNormalization")
def lp_normalization(node, x):
    if node["p"] == 1:
        norm = jnp.sum(jnp.abs(x), node["axis"], keepdims=True)
    else:
        norm = jnp.sqrt(jnp.sum(x * x, node["axis"], keepdims=True))
    return jnp.where(norm == 0, jnp.zeros_like(x), x / norm)


@operator("LRN")
def local_response_normalization(node, x):
    size = node["size"]
    before = (size - 1) // 2
    window, pads = [1] * x.ndim, [(0, 0)] * x.ndim
    window[1], pads[1] = size, (before, size - 1 - before)
    squares = lax.reduce_window(x * x, np.asarray(0, x.dtype), lax.add, window, [1] * x.ndim, pads)
    return x / (node["bias"] + node["alpha"] / size * squares) ** node["beta"]


@operator("MeanVarianceNormalization")
def mean_variance_normalization(node, x):
    axes = tuple(node["axes"])
    mean = jnp.mean(x, axes, keepdims=True)
    deviation = jnp.sqrt(jnp.mean(x * x, axes, keepdims=True) - mean * mean)
    return (x - mean) / (deviation + 1e-9)
