"""Elements of pictures at computed places."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.operators.convolution import with_bias
from tenon.importing.onnx.registry import operator


def _reflected(x, low, high):
    """Turned back at both ends as often as needed."""
    reach = high - low
    if reach == 0:
        return jnp.full_like(x, low)
    distance = jnp.mod(x - low, 2 * reach)
    return low + jnp.minimum(distance, 2 * reach - distance)


def _cubic(fraction):
    """Of the elements at -1, 0, 1 and 2, by Keys with a = -0.75."""
    a = -0.75

    def outer(x):
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    def inner(x):
        return ((a + 2) * x - (a + 3)) * x * x + 1

    return [outer(fraction + 1), inner(fraction), inner(1 - fraction), outer(2 - fraction)]


def _taps(x, mode):
    """Places and weights of the elements that the value at x is computed of."""
    if mode == "nearest":
        return [(jnp.round(x), jnp.ones_like(x))]
    floor = jnp.floor(x)
    fraction = x - floor
    if mode == "cubic":
        return [(floor + i, weight) for i, weight in zip(range(-1, 3), _cubic(fraction))]
    return [(floor, 1 - fraction), (floor + 1, fraction)]


def _sampled(x, places, mode, padding, corners):
    """Of x, (channels, sizes...), the values at the places, one array for each of the sizes."""
    axes = []
    for place, size in zip(places, x.shape[1:]):
        low, high = (0.0, size - 1.0) if corners else (-0.5, size - 0.5)
        if mode == "nearest":
            place = jnp.round(place)
        if padding == "border":
            place = jnp.clip(place, 0, size - 1)
        elif padding == "reflection":
            place = jnp.where((place < low) | (place > high), _reflected(place, low, high), place)
        axes.append([_tap(tap, weight, size, padding, low, high) for tap, weight in _taps(place, mode)])
    total = 0
    for taps in itertools.product(*axes):
        weight = math.prod((weight for _, weight in taps[1:]), start=taps[0][1])
        total = total + x[(slice(None), *(index for index, _ in taps))] * weight.astype(x.dtype)
    return total


def _tap(tap, weight, size, padding, low, high):
    """Brought into the array; outside of it an element is 0, where padding is zeros."""
    if padding == "zeros":
        weight = jnp.where((tap >= 0) & (tap <= size - 1), weight, 0)
    elif padding == "reflection":
        tap = jnp.where((tap < low) | (tap > high), _reflected(tap, low, high), tap)
    return jnp.clip(tap, 0, size - 1).astype(np.int32), weight


@operator("GridSample")
def grid_sample(node, x, grid):
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(node["mode"], node["mode"])
    corners = bool(node["align_corners"])

    def one(x, grid):
        places = []
        for i, size in enumerate(x.shape[1:]):
            at = grid[..., x.ndim - 2 - i]  # the last axis comes first
            places.append((at + 1) / 2 * (size - 1) if corners else ((at + 1) * size - 1) / 2)
        return _sampled(x, places, mode, node["padding_mode"], corners)

    return jax.vmap(one)(jnp.asarray(x), jnp.asarray(grid))


@operator("DeformConv")
def deformable_convolution(node, x, weights, offset, bias=None, mask=None):
    kernel = weights.shape[2:]
    groups, parts = node["group"], node["offset_group"]
    strides, dilations = node["strides"] or [1, 1], node["dilations"] or [1, 1]
    pads = node["pads"] or [0] * 4
    n, channels = x.shape[:2]
    outputs = offset.shape[2:]
    offset = jnp.reshape(offset, (n, parts, *kernel, 2, *outputs))
    if mask is None:
        mask = jnp.ones((n, parts, *kernel, *outputs), x.dtype)
    mask = jnp.reshape(mask, (n, parts, *kernel, *outputs))
    # Where a tap is without an offset, by kernel and output: (kh, 1, oh, 1) and (1, kw, 1, ow).
    grids = np.meshgrid(*(np.arange(size) * dilation for size, dilation in zip(kernel, dilations)), indexing="ij")
    steps = np.meshgrid(*(np.arange(size) * stride - pad for size, stride, pad in zip(outputs, strides, pads)), indexing="ij")
    plain = [grid[:, :, None, None] + step for grid, step in zip(grids, steps)]

    def one(x, offset, mask):
        sampled = _sampled(x, [plain[i] + offset[:, :, i] for i in range(2)], "linear", "zeros", True)
        return sampled * mask

    by_part = jnp.reshape(x, (n, parts, channels // parts, *x.shape[2:]))
    taps = jax.vmap(jax.vmap(one))(by_part, offset, mask)
    taps = jnp.reshape(taps, (n, groups, channels // groups, *kernel, *outputs))
    filters = jnp.reshape(weights, (groups, -1, *weights.shape[1:]))
    y = jnp.einsum("ngckluv,gockl->ngouv", taps, filters)
    return with_bias(jnp.reshape(y, (n, -1, *outputs)), bias)


@operator("Col2Im")
def columns_to_image(node, columns, image, block):
    image, block = node.integers(image, 1, "image shape"), node.integers(block, 2, "block shape")
    rank = len(image)
    strides, dilations = node["strides"] or [1] * rank, node["dilations"] or [1] * rank
    pads = node["pads"] or [0] * (2 * rank)
    padded = [size + pads[i] + pads[i + rank] for i, size in enumerate(image)]
    counts = [(size - (extent - 1) * dilation - 1) // stride + 1
              for size, extent, dilation, stride in zip(padded, block, dilations, strides)]  # fmt: skip
    channels = columns.shape[1] // math.prod(block)
    parts = jnp.reshape(columns, (columns.shape[0], channels, math.prod(block), *counts))
    total = jnp.zeros((columns.shape[0], channels, *image), columns.dtype)
    for k, offsets in enumerate(itertools.product(*map(range, block))):
        # Each element of a block at its place, with what is cut off.
        widths = [(0, 0, 0)] * 2
        for i, offset in enumerate(offsets):
            before = offset * dilations[i] - pads[i]
            widths.append((before, image[i] - before - (counts[i] - 1) * strides[i] - 1, strides[i] - 1))
        total = total + lax.pad(parts[:, :, k], jnp.zeros((), columns.dtype), widths)
    return total


def _bilinear(places, size):
    """Both neighbours and their weights; more than one element outside nothing counts."""
    inside = (places >= -1) & (places <= size)
    places = jnp.maximum(places, 0)
    low = jnp.minimum(jnp.floor(places), size - 1)
    places = jnp.where(low >= size - 1, low, places)
    high = jnp.minimum(low + 1, size - 1)
    part = places - low
    return (low.astype(np.int32), jnp.where(inside, 1 - part, 0)), (high.astype(np.int32), jnp.where(inside, part, 0))


def _region(x, corners, outputs, samples, mode):
    """The pooled values of one region of x, (channels, height, width)."""
    axes = []
    for start, end, output, count, size in zip(corners[:2], corners[2:], outputs, samples, x.shape[1:]):
        bin_size = (end - start) / output
        places = start + (jnp.arange(output)[:, None] + (jnp.arange(count) + 0.5) / count) * bin_size
        axes.append(_bilinear(jnp.ravel(places), size))
    parts = [x[:, rows[:, None], columns] * (row_weights[:, None] * column_weights).astype(x.dtype)
             for (rows, row_weights), (columns, column_weights) in itertools.product(*axes)]  # fmt: skip
    shape = (x.shape[0], outputs[0], samples[0], outputs[1], samples[1])
    if mode == "max":
        largest = jnp.max(jnp.stack(parts), 0)
        return jnp.max(jnp.reshape(largest, shape), (2, 4))
    return jnp.mean(jnp.reshape(sum(parts[1:], parts[0]), shape), (2, 4))


@operator("RoiAlign")
def region_align(node, x, regions, batch):
    half = node.version >= 16 and node["coordinate_transformation_mode"] == "half_pixel"
    outputs = (node["output_height"], node["output_width"])
    ratio = node["sampling_ratio"]

    def corners_of(region):
        scaled = region * node["spatial_scale"] - (0.5 if half else 0)
        left, top, right, bottom = (scaled[i] for i in range(4))
        if not half:  # regions are of an element at least
            right, bottom = jnp.maximum(right, left + 1), jnp.maximum(bottom, top + 1)
        return top, left, bottom, right

    if ratio > 0:
        return jax.vmap(lambda region, i: _region(x[i], corners_of(region), outputs, (ratio, ratio), node["mode"]))(
            jnp.asarray(regions), jnp.asarray(batch))  # fmt: skip
    # How many samples there are depends on how large regions are.
    known = node.known(regions, 1, "regions")
    pooled = []
    for region, i in zip(known, jnp.asarray(batch)):
        top, left, bottom, right = corners_of(region)
        samples = [max(math.ceil(float(size) / output), 1) for size, output in zip((bottom - top, right - left), outputs)]
        pooled.append(_region(jnp.asarray(x)[i], (top, left, bottom, right), outputs, samples, node["mode"]))
    return jnp.stack(pooled)
