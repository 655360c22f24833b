"""Shapes, and operators that move elements without an array of indices."""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.node import NotLowered, numpy_for
from tenon.importing.onnx.operators.types import dtype_of
from tenon.importing.onnx.registry import operator


@operator("Constant")
def constant(node):
    for name in ("value_float", "value_floats"):
        if node.has(name):
            return np.asarray(node[name], np.float32)
    for name in ("value_int", "value_ints"):
        if node.has(name):
            return np.asarray(node[name], np.int64)
    for name in ("value_string", "value_strings"):
        if node.has(name):
            return np.asarray(node[name], object)
    if node.has("sparse_value"):
        from tenon.importing.onnx.evaluator import dense

        return dense(node["sparse_value"])
    return node["value"]


@operator("ConstantOfShape")
def constant_of_shape(node, shape):
    value = node["value"]
    value = np.zeros(1, np.float32) if value is None else value
    return np.full(node.integers(shape, 0, "shape"), value[0], value.dtype)


@operator("Identity")
def identity(_node, x):
    return x


@operator("Shape")
def shape(node, x):
    return np.asarray(x.shape[node["start"] or 0 : node["end"]], np.int64)


@operator("Size")
def size(_node, x):
    return np.asarray(math.prod(x.shape), np.int64)


@operator("Reshape")
def reshape(node, x, wanted=None):
    sizes = node["shape"] if wanted is None else node.integers(wanted, 1, "shape")
    if not node["allowzero"]:
        sizes = [x.shape[i] if size == 0 else size for i, size in enumerate(sizes)]
    return numpy_for(x).reshape(x, sizes)


@operator("Flatten")
def flatten(node, x):
    axis = node["axis"] + (x.ndim if node["axis"] < 0 else 0)
    return numpy_for(x).reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@operator("Squeeze")
def squeeze(node, x, axes=None):
    axes = node.axes(axes, 1)
    return numpy_for(x).squeeze(x, None if axes is None else tuple(axes))


@operator("Unsqueeze")
def unsqueeze(node, x, axes=None):
    return numpy_for(x).expand_dims(x, tuple(node.axes(axes, 1)))


@operator("Transpose")
def transpose(node, x):
    return numpy_for(x).transpose(x, node["perm"])


@operator("Concat")
def concat(node, *values):
    return numpy_for(*values).concatenate(values, 1 if node["axis"] is None else node["axis"])


@operator("Split")
def split(node, x, sizes=None):
    axis = node["axis"] % x.ndim
    sizes = node["split"] if sizes is None else node.integers(sizes, 1, "sizes")
    if sizes is None:
        each = -(-x.shape[axis] // node.output_count)
        sizes = [min(each, x.shape[axis] - start * each) for start in range(node.output_count)]
    ends = np.cumsum(sizes)
    before = (slice(None),) * axis
    return tuple(x[(*before, slice(int(end - size), int(end)))] for size, end in zip(sizes, ends))


@operator("Slice")
def slice_(node, x, starts=None, ends=None, axes=None, steps=None):
    if node.version < 10:
        starts, ends, axes, steps = node["starts"], node["ends"], node["axes"], None
    else:
        starts, ends = node.integers(starts, 1, "starts"), node.integers(ends, 2, "ends")
        axes = None if axes is None else node.integers(axes, 3, "axes")
        steps = None if steps is None else node.integers(steps, 4, "steps")
    index = [slice(None)] * x.ndim
    for i, axis in enumerate(range(len(starts)) if axes is None else axes):
        step = 1 if steps is None else steps[i]
        # Ends before the first element are behind it, going backwards.
        end = None if step < 0 and ends[i] < -x.shape[axis] else ends[i]
        index[axis] = slice(starts[i], end, step)
    return x[tuple(index)]


@operator("Tile")
def tile(node, x, repeats):
    return numpy_for(x).tile(x, node.integers(repeats, 1, "repeats"))


@operator("Expand")
def expand(node, x, wanted):
    sizes = tuple(node.integers(wanted, 1, "shape"))
    return numpy_for(x).broadcast_to(x, np.broadcast_shapes(x.shape, sizes))


@operator("Pad")
def pad(node, x, pads=None, value=None, axes=None):
    if node.version < 11:
        pads, value = node["pads"] or node["paddings"], node["value"]
    else:
        pads = node.integers(pads, 1, "pads")
    axes = range(x.ndim) if axes is None else node.integers(axes, 3, "axes")
    widths, cuts = [(0, 0)] * x.ndim, [slice(None)] * x.ndim
    for i, axis in enumerate(axes):
        before, after = pads[i], pads[i + len(pads) // 2]
        # Negative ones cut off.
        widths[axis] = (max(before, 0), max(after, 0))
        cuts[axis] = slice(max(-before, 0), x.shape[axis] - max(-after, 0))
    x = jnp.asarray(x)[tuple(cuts)]
    if node["mode"] != "constant":
        return jnp.pad(x, widths, mode=node["mode"])
    fill = jnp.asarray(0 if value is None else value, x.dtype).reshape(())
    return lax.pad(x, fill, [(before, after, 0) for before, after in widths])


@operator("CenterCropPad")
def center_crop_pad(node, x, wanted):
    axes = node["axes"] or range(x.ndim)
    for size, axis in zip(node.integers(wanted, 1, "shape"), axes):
        axis %= x.ndim
        missing = size - x.shape[axis]
        widths = [(0, 0, 0)] * x.ndim
        # The larger half behind, where an odd number is added or cut off.
        before = missing // 2 if missing >= 0 else -(-missing // 2)
        widths[axis] = (before, missing - before, 0)
        x = lax.pad(x, jnp.zeros((), x.dtype), widths)
    return x


@operator("DepthToSpace")
def depth_to_space(node, x):
    n, channels, height, width = x.shape
    block = node["blocksize"]
    if node["mode"] == "CRD":
        parts = jnp.reshape(x, (n, channels // block**2, block, block, height, width))
        ordered = jnp.transpose(parts, (0, 1, 4, 2, 5, 3))
    else:
        parts = jnp.reshape(x, (n, block, block, channels // block**2, height, width))
        ordered = jnp.transpose(parts, (0, 3, 4, 1, 5, 2))
    return jnp.reshape(ordered, (n, channels // block**2, height * block, width * block))


@operator("SpaceToDepth")
def space_to_depth(node, x):
    n, channels, height, width = x.shape
    block = node["blocksize"]
    parts = jnp.reshape(x, (n, channels, height // block, block, width // block, block))
    order = (0, 1, 3, 5, 2, 4) if node["mode"] == "CRD" else (0, 3, 5, 1, 2, 4)
    return jnp.reshape(jnp.transpose(parts, order), (n, channels * block**2, height // block, width // block))


@operator("EyeLike")
def eye_like(node, x):
    dtype = x.dtype if node["dtype"] is None else dtype_of(node["dtype"])
    return jnp.eye(*x.shape, k=node["k"], dtype=dtype)


@operator("Trilu")
def triangle(node, x, diagonal=None):
    k = 0 if diagonal is None else node.integers(diagonal, 1, "diagonal")[0]
    return jnp.triu(x, k) if node["upper"] else jnp.tril(x, k)


@operator("Range")
def range_(node, start, limit, delta):
    start, limit, delta = (node.known(value, i, name).item() for i, (value, name) in
                           enumerate([(start, "start"), (limit, "limit"), (delta, "delta")]))  # fmt: skip
    count = max(math.ceil((limit - start) / delta), 0)
    dtype = np.asarray(node.scope.value(node.proto.input[0])).dtype
    return (start + np.arange(count) * np.asarray(delta)).astype(dtype)


@operator("ReverseSequence")
def reverse_sequence(node, x, lengths):
    time, batch = node["time_axis"], node["batch_axis"]
    if {time, batch} != {0, 1}:
        raise NotLowered("time and batch must be the first two dimensions")
    x = x if time == 0 else jnp.swapaxes(x, 0, 1)
    steps = jnp.arange(x.shape[0])[:, None]
    source = jnp.where(steps < lengths[None, :], lengths[None, :] - 1 - steps, steps)
    turned = jnp.take_along_axis(x, source.reshape(source.shape + (1,) * (x.ndim - 2)), axis=0, mode="clip")
    return turned if time == 0 else jnp.swapaxes(turned, 0, 1)


@operator("Compress")
def compress(node, x, condition):
    kept = np.flatnonzero(node.known(condition, 1, "condition"))
    return jnp.ravel(x)[kept] if node["axis"] is None else jnp.take(x, kept, node["axis"])


@operator("NonZero")
def non_zero(node, x):
    return np.asarray(np.nonzero(node.known(x, 0, "elements")), np.int64).reshape(max(x.ndim, 1), -1)


@operator("Unique")
def unique(node, x):
    x = node.known(x, 0, "elements")
    axis = node["axis"]
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    inverse = inverse.reshape(-1)
    if not node["sorted"]:
        order = np.argsort(first)
        values = np.take(values, order, 0 if axis is None else axis)
        first, counts, inverse = first[order], counts[order], np.argsort(order)[inverse]
    return values, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)
