"""Gathers and scatters: operators with arrays of indices, where negative ones count from the end."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.node import NotLowered, is_known
from tenon.importing.onnx.registry import operator


def _positive(indices, size: int):
    if is_known(indices):
        return np.where(indices < 0, indices + size, indices)
    return indices if jnp.issubdtype(indices.dtype, jnp.unsignedinteger) else jnp.where(indices < 0, indices + size, indices)


def _as_slice(indices, size: int) -> slice | None:
    """Of indices that are known and follow each other."""
    if not is_known(indices) or indices.ndim != 1 or indices.size == 0 or indices[0] < 0 or indices[-1] >= size:
        return None
    return slice(int(indices[0]), int(indices[-1]) + 1) if np.all(np.diff(indices) == 1) else None


@operator("Gather")
def gather(node, x, indices):
    axis = node["axis"] % x.ndim
    size = x.shape[axis]
    indices = _positive(indices, size)
    if x.dtype.kind in "OUS":
        return np.take(x, node.known(indices, 1, "indices"), axis)
    if is_known(indices) and np.any((indices < 0) | (indices >= size)):
        raise ValueError(f"an index is not within the {size} elements of axis {axis}")
    if is_known(x) and is_known(indices):
        return np.take(x, indices, axis)
    if is_known(indices) and indices.ndim == 0:
        return lax.index_in_dim(x, int(indices), axis, keepdims=False)
    following = _as_slice(indices, size)
    if following is not None:
        return lax.slice_in_dim(x, following.start, following.stop, axis=axis)
    return jnp.take(x, indices, axis=axis, mode="clip")


@operator("GatherElements")
def gather_elements(node, x, indices):
    axis = node["axis"] % x.ndim
    if indices.ndim != x.ndim:
        raise ValueError("data and indices have another number of dimensions")
    # Along the other axes indices may be of fewer elements.
    within = x[tuple(slice(None) if i == axis else slice(size) for i, size in enumerate(indices.shape))]
    return jnp.take_along_axis(within, _positive(indices, x.shape[axis]), axis=axis, mode="clip")


@operator("GatherND")
def gather_nd(node, x, indices):
    def one(x, indices):
        places = tuple(_positive(indices[..., i], x.shape[i]) for i in range(indices.shape[-1]))
        return jnp.asarray(x).at[places].get(mode="clip")

    for _ in range(node["batch_dims"] or 0):
        one = jax.vmap(one)
    return one(jnp.asarray(x), jnp.asarray(indices))


def _updated(x, places, updates, reduction):
    at = jnp.asarray(x).at[places]
    known = {"none": at.set, None: at.set, "add": at.add, "mul": at.multiply, "max": at.max, "min": at.min}
    if reduction not in known:
        raise NotLowered(f"a reduction '{reduction}' is not known")
    return known[reduction](updates, mode="drop")


@operator("Scatter", "ScatterElements")
def scatter_elements(node, x, indices, updates):
    axis = node["axis"] % x.ndim
    places = list(jnp.indices(indices.shape, sparse=True))
    places[axis] = _positive(indices, x.shape[axis])
    return _updated(x, tuple(places), updates, node["reduction"])


@operator("ScatterND")
def scatter_nd(node, x, indices, updates):
    places = tuple(_positive(indices[..., i], x.shape[i]) for i in range(indices.shape[-1]))
    return _updated(x, places, updates, node["reduction"])


@operator("TensorScatter")
def tensor_scatter(node, cache, update, starts=None):
    axis = node["axis"] % cache.ndim
    batch = cache.shape[0]
    starts = jnp.zeros(batch, np.int64) if starts is None else starts
    steps = starts[:, None] + jnp.arange(update.shape[axis])
    if node["mode"] == "circular":
        steps = steps % cache.shape[axis]
    moved, new = jnp.moveaxis(cache, axis, 1), jnp.moveaxis(update, axis, 1)
    written = moved.at[jnp.arange(batch)[:, None], steps].set(new, mode="drop")
    return jnp.moveaxis(written, 1, axis)


@operator("OneHot")
def one_hot(node, indices, depth, values):
    depth = int(node.known(depth, 1, "depth").ravel()[0])
    axis = node["axis"] % (indices.ndim + 1)
    indices = jnp.asarray(indices)
    integers = indices.astype(np.int64) if jnp.issubdtype(indices.dtype, jnp.inexact) else indices
    wanted = jnp.expand_dims(_positive(integers, depth), axis)
    classes = jnp.arange(depth, dtype=wanted.dtype).reshape((depth,) + (1,) * (indices.ndim - axis))
    return jnp.where(wanted == classes, values[1], values[0])


@operator("ArrayFeatureExtractor", domain="ai.onnx.ml")
def array_feature_extractor(_node, x, indices):
    return jnp.take(jnp.atleast_2d(x), jnp.ravel(indices), axis=-1, mode="clip")
