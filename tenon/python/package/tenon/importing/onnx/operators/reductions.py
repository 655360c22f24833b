"""Operators that reduce dimensions, and the places of what is largest."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from tenon.importing.onnx.node import numpy_for
from tenon.importing.onnx.registry import operator


def lowest(dtype):
    """What a maximum of nothing is."""
    if jnp.issubdtype(dtype, jnp.inexact):
        return np.asarray(-np.inf, dtype)
    return np.asarray(ml_dtypes.iinfo(dtype).min, dtype)


def highest(dtype):
    if jnp.issubdtype(dtype, jnp.inexact):
        return np.asarray(np.inf, dtype)
    return np.asarray(ml_dtypes.iinfo(dtype).max, dtype)


def _sum(numpy, x, axes, keep):
    return numpy.sum(x, axis=axes, keepdims=keep, dtype=x.dtype)


def _largest(numpy, x, axes, keep):
    if x.dtype == np.bool_:
        return numpy.any(x, axis=axes, keepdims=keep)
    return numpy.max(x, axis=axes, keepdims=keep, initial=lowest(x.dtype))


def _smallest(numpy, x, axes, keep):
    if x.dtype == np.bool_:
        return numpy.all(x, axis=axes, keepdims=keep)
    return numpy.min(x, axis=axes, keepdims=keep, initial=highest(x.dtype))


_REDUCTIONS = {
    "ReduceL1": lambda numpy, x, axes, keep: _sum(numpy, numpy.abs(x), axes, keep),
    "ReduceL2": lambda numpy, x, axes, keep: numpy.sqrt(_sum(numpy, x * x, axes, keep)).astype(x.dtype),
    "ReduceLogSum": lambda numpy, x, axes, keep: numpy.log(_sum(numpy, x, axes, keep)),
    "ReduceLogSumExp": lambda _, x, axes, keep: jax.scipy.special.logsumexp(x, axis=axes, keepdims=keep),
    "ReduceMax": _largest,
    "ReduceMean": lambda numpy, x, axes, keep: numpy.mean(x, axis=axes, keepdims=keep).astype(x.dtype),
    "ReduceMin": _smallest,
    "ReduceProd": lambda numpy, x, axes, keep: numpy.prod(x, axis=axes, keepdims=keep, dtype=x.dtype),
    "ReduceSum": _sum,
    "ReduceSumSquare": lambda numpy, x, axes, keep: _sum(numpy, x * x, axes, keep),
}


@operator(*_REDUCTIONS)
def reduction(node, x, axes=None):
    axes = node.axes(axes, 1)
    if not axes:
        axes = () if node["noop_with_empty_axes"] else tuple(range(x.ndim))
    return _REDUCTIONS[node.kind](numpy_for(x), x, tuple(axes), bool(node["keepdims"]))


@operator("ArgMax", "ArgMin")
def place_of_extreme(node, x):
    find = lax.argmax if node.kind == "ArgMax" else lax.argmin
    axis = node["axis"] % x.ndim
    if node["select_last_index"]:
        found = x.shape[axis] - 1 - find(jnp.flip(x, axis), axis, np.int64)
    else:
        found = find(jnp.asarray(x), axis, np.int64)
    return jnp.expand_dims(found, axis) if node["keepdims"] else found


@operator("TopK")
def top_k(node, x, count=None):
    size = node["k"] if count is None else node.integers(count, 1, "number of elements")[0]
    smallest = node.version >= 11 and not node["largest"]
    moved = jnp.moveaxis(x, node["axis"], -1)
    # The order turned round, also of the least integer.
    turned = moved if not smallest else -moved if jnp.issubdtype(x.dtype, jnp.inexact) else ~moved
    _, indices = lax.top_k(turned, size)
    values = jnp.take_along_axis(moved, indices, axis=-1, mode="clip")
    return jnp.moveaxis(values, -1, node["axis"]), jnp.moveaxis(indices.astype(np.int64), -1, node["axis"])
