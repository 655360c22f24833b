"""Resizing: along each axis a sum of a few elements of the input, at places and with weights that are known."""

import dataclasses
import math

import jax.numpy as jnp
import numpy as np

from tenon.importing.onnx.node import NotLowered
from tenon.importing.onnx.registry import operator


@dataclasses.dataclass
class _Axis:
    """How an axis is resized."""

    size: int
    output: int
    scale: float
    region: tuple[float, float] = (0.0, 1.0)


def _sources(axis: _Axis, mode: str) -> np.ndarray:
    """Where each element of the output is in the input."""
    x = np.arange(axis.output, dtype=np.float64)
    # The size before it is rounded.
    length = axis.scale * axis.size
    if mode == "align_corners":
        return np.zeros_like(x) if length == 1 else x * (axis.size - 1) / (length - 1)
    if mode == "asymmetric":
        return x / axis.scale
    if mode == "tf_crop_and_resize":
        start, end = axis.region
        if length == 1:
            return np.full_like(x, (end - start) * (axis.size - 1) / 2) + start * (axis.size - 1)
        return x * (end - start) * (axis.size - 1) / (length - 1) + start * (axis.size - 1)
    if mode == "pytorch_half_pixel" and length == 1:
        return np.full_like(x, -0.5)
    if mode in ("half_pixel", "pytorch_half_pixel", "tf_half_pixel_for_nn"):
        return (x + 0.5) / axis.scale - 0.5
    if mode == "half_pixel_symmetric":
        offset = axis.size / 2 * (1 - axis.output / length)
        return offset + (x + 0.5) / axis.scale - 0.5
    raise NotLowered(f"a coordinate_transformation_mode '{mode}' is not known")


def _nearest(x, mode):
    if mode == "floor":
        return np.floor(x)
    if mode == "ceil":
        return np.ceil(x)
    if mode == "round_prefer_ceil":
        return np.floor(x + 0.5)
    return np.ceil(x - 0.5)


def _cubic(distance, a):
    x = np.abs(distance)
    inner = (a + 2) * x**3 - (a + 3) * x**2 + 1
    outer = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.where(x <= 1, inner, np.where(x < 2, outer, 0))


def _linear(distance, _a):
    return np.maximum(1 - np.abs(distance), 0)


def _taps(node, axis: _Axis, x) -> tuple[np.ndarray, np.ndarray]:
    """Places (of each output, before they are brought into the input) and weights."""
    if node["mode"] == "nearest":
        return _nearest(x, node["nearest_mode"] or "floor")[:, None].astype(np.int64), np.ones((len(x), 1))
    kernel, reach = (_cubic, 2) if node["mode"] == "cubic" else (_linear, 1)
    narrowed = min(axis.scale, 1.0) if node["antialias"] else 1.0
    reach = math.ceil(reach / narrowed)
    places = np.floor(x)[:, None] + np.arange(1 - reach, 1 + reach)
    weights = kernel((places - x[:, None]) * narrowed, node["cubic_coeff_a"])
    if node["exclude_outside"]:
        weights = np.where((places < 0) | (places >= axis.size), 0, weights)
    if node["antialias"] or node["exclude_outside"]:
        weights = weights / weights.sum(1, keepdims=True)
    return places.astype(np.int64), weights


def _shape_of(dims, axis):
    return [-1 if i == axis else 1 for i in range(dims)]


def _resized(node, y, index, axis: _Axis, mode):
    x = _sources(axis, mode)
    places, weights = _taps(node, axis, x)
    places = np.clip(places, 0, axis.size - 1)
    if places.shape[1] > 4 and y.size > 0:
        # Many taps: a product with the matrix of weights.
        matrix = np.zeros((axis.output, axis.size))
        np.add.at(matrix, (np.arange(axis.output)[:, None], places), weights)
        y = jnp.moveaxis(jnp.tensordot(y, matrix.T.astype(y.dtype), ((index,), (0,))), -1, index)
    elif node["mode"] == "nearest":
        y = _moved(y, places[:, 0], index)
    else:
        used = [k for k in range(places.shape[1]) if np.any(weights[:, k])]
        parts = [jnp.take(y, places[:, k], index, mode="clip") * weights[:, k].astype(y.dtype).reshape(_shape_of(y.ndim, index))
                 for k in used]  # fmt: skip
        y = sum(parts[1:], parts[0])
    if mode == "tf_crop_and_resize":
        outside = ((x < 0) | (x > axis.size - 1)).reshape(_shape_of(y.ndim, index))
        y = jnp.where(outside, jnp.asarray(node["extrapolation_value"] or 0, y.dtype), y)
    return y


def _moved(y, places, index):
    """Elements along an axis; where each is repeated as often, without indices."""
    size = y.shape[index]
    times = len(places) // size if size else 0
    if times > 1 and len(places) == times * size and np.array_equal(places, np.repeat(np.arange(size), times)):
        shape = y.shape
        wide = jnp.broadcast_to(jnp.expand_dims(y, index + 1), (*shape[: index + 1], times, *shape[index + 1 :]))
        return jnp.reshape(wide, (*shape[:index], size * times, *shape[index + 1 :]))
    return jnp.take(y, places, index, mode="clip")


def _kept_ratio(policy, sizes, lengths):
    """Scales that are the same for all axes, and the sizes that they give."""
    ratios = [size / length for size, length in zip(sizes, lengths)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    return [scale] * len(sizes), [math.floor(scale * length + 0.5) for length in lengths]


def _axes(node, x, region, scales, sizes, scales_input=2) -> dict[int, _Axis]:
    axes = [axis % x.ndim for axis in node["axes"] or range(x.ndim)]
    lengths = [x.shape[axis] for axis in axes]
    if sizes is not None and np.size(sizes):
        outputs = node.integers(sizes, 3, "sizes")
        factors = [output / length for output, length in zip(outputs, lengths)]
        policy = node["keep_aspect_ratio_policy"]
        if policy and policy != "stretch":
            factors, outputs = _kept_ratio(policy, outputs, lengths)
    else:
        factors = [float(scale) for scale in np.ravel(node.known(scales, scales_input, "scales"))]
        outputs = [math.floor(length * factor) for length, factor in zip(lengths, factors)]
    regions = [(0.0, 1.0)] * len(axes)
    if node["coordinate_transformation_mode"] == "tf_crop_and_resize":
        corners = [float(value) for value in np.ravel(node.known(region, 1, "region"))]
        regions = list(zip(corners[: len(axes)], corners[len(axes) :]))
    return {axis: _Axis(*numbers) for axis, *numbers in zip(axes, lengths, outputs, factors, regions)}


@operator("Resize")
def resize(node, x, region=None, scales=None, sizes=None):
    if node.version < 11:
        return _along_all(node, x, _axes(node, x, None, region, None, 1), "asymmetric")
    return _along_all(node, x, _axes(node, x, region, scales, sizes), node["coordinate_transformation_mode"])


@operator("Upsample")
def upsample(node, x, scales=None):
    scales = np.asarray(node["scales"]) if scales is None else scales
    return _along_all(node, x, _axes(node, x, None, scales, None, 1), "asymmetric")


def _along_all(node, x, axes, mode):
    computed = jnp.asarray(x)
    if node["mode"] != "nearest" and not jnp.issubdtype(x.dtype, jnp.inexact):
        computed = computed.astype(np.float32)
    for index, axis in axes.items():
        if axis.output != axis.size or axis.scale != 1 or mode == "tf_crop_and_resize":
            computed = _resized(node, computed, index, axis, mode)
    if computed.dtype == x.dtype:
        return computed
    return jnp.round(computed).astype(x.dtype)
