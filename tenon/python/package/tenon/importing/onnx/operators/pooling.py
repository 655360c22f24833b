"""Poolings."""

import itertools
import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.operators.reductions import lowest
from tenon.importing.onnx.operators.windows import windows
from tenon.importing.onnx.registry import operator


def _reduced(x, placed, neutral, function):
    ones, none = [1, 1], [(0, 0)] * 2
    return lax.reduce_window(x, neutral, function, ones + placed.sizes, ones + placed.strides, none + placed.padding,
                             window_dilation=ones + placed.dilations)  # fmt: skip


@operator("MaxPool")
def max_pool(node, x):
    placed = windows(node, x.shape[2:], node["kernel_shape"])
    if not node.wants(1):
        return _reduced(x, placed, lowest(x.dtype), lax.max)
    return _max_pool_with_places(x, placed, node["storage_order"])


def _taps(x, placed, fill):
    """The elements of all windows: each place within a window an array of its own, stacked."""
    padded = lax.pad(x, fill, [(0, 0, 0)] * 2 + [(before, after, 0) for before, after in placed.padding])
    taps = []
    for offsets in itertools.product(*map(range, placed.sizes)):
        starts, ends = placed.tap(offsets)
        taps.append(lax.slice(padded, (0, 0, *starts), (*x.shape[:2], *ends), (1, 1, *placed.strides)))
    return jnp.stack(taps)


def _max_pool_with_places(x, placed, column_major):
    spatial = x.shape[2:]
    # Where each element of the input is in the whole of it.
    steps = np.arange(math.prod(spatial), dtype=np.int64)
    grid = steps.reshape(spatial[::-1]).transpose() if column_major else steps.reshape(spatial)
    places = np.arange(x.shape[0] * x.shape[1], dtype=np.int64).reshape(*x.shape[:2], *[1] * len(spatial))
    places = places * math.prod(spatial) + grid
    values = _taps(x, placed, lowest(x.dtype))
    chosen = jnp.argmax(values, axis=0)[None]
    found = jnp.take_along_axis(_taps(jnp.asarray(places), placed, np.int64(-1)), chosen, axis=0)[0]
    return jnp.max(values, axis=0), found


def _counts(placed, spatial, with_padding):
    """How many elements each window has, of those that count."""
    total = np.ones((), np.int64)
    for i, (before, after) in enumerate(placed.pads):
        first, last = (-before, spatial[i] + after) if with_padding else (0, spatial[i])
        starts = np.arange(placed.outputs[i]) * placed.strides[i] - before
        taps = starts[:, None] + np.arange(placed.sizes[i]) * placed.dilations[i]
        counted = ((taps >= first) & (taps < last)).sum(1)
        total = total[..., None] * counted
    return total


@operator("AveragePool")
def average_pool(node, x):
    placed = windows(node, x.shape[2:], node["kernel_shape"])
    counts = _counts(placed, x.shape[2:], bool(node["count_include_pad"])).astype(x.dtype)
    total = _reduced(x, placed, np.asarray(0, x.dtype), lax.add)
    return total / (counts.flat[0] if counts.min() == counts.max() else counts)


@operator("LpPool")
def lp_pool(node, x):
    placed = windows(node, x.shape[2:], node["kernel_shape"])
    power = node["p"]
    return _reduced(jnp.abs(x) ** power, placed, np.asarray(0, x.dtype), lax.add) ** (1 / power)


def _spatial(x):
    return tuple(range(2, x.ndim))


@operator("GlobalAveragePool")
def global_average_pool(_node, x):
    return jnp.mean(x, _spatial(x), keepdims=True)


@operator("GlobalMaxPool")
def global_max_pool(_node, x):
    return jnp.max(x, _spatial(x), keepdims=True)


@operator("GlobalLpPool")
def global_lp_pool(node, x):
    return jnp.sum(jnp.abs(x) ** node["p"], _spatial(x), keepdims=True) ** (1 / node["p"])


@operator("MaxUnpool")
def max_unpool(node, x, places, wanted=None):
    kernel = node["kernel_shape"]
    rank = len(kernel)
    strides, pads = node["strides"] or [1] * rank, node["pads"] or [0] * (2 * rank)
    sizes = [(size - 1) * stride + extent - before - after for size, stride, extent, before, after in
             zip(x.shape[2:], strides, kernel, pads[:rank], pads[rank:])]  # fmt: skip
    shape = (*x.shape[:2], *sizes)
    flat = jnp.zeros(math.prod(shape), x.dtype).at[jnp.ravel(places)].set(jnp.ravel(x), mode="drop")
    y = jnp.reshape(flat, shape)
    if wanted is None:
        return y
    more = [(0, size - have, 0) for size, have in zip(node.integers(wanted, 2, "output shape"), shape)]
    return lax.pad(y, jnp.zeros((), y.dtype), more)
