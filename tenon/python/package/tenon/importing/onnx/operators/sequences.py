"""Sequences, which are lists while a program is made, and optional values, which are None where there is none."""

import jax.numpy as jnp
import numpy as np

from tenon.importing.onnx.registry import operator


def _position(node, value, index, length):
    place = node.integers(value, index, "position")[0]
    if not -length <= place <= length:
        raise ValueError(f"there is no position {place} in a sequence of {length}")
    return place + length if place < 0 else place


@operator("SequenceConstruct")
def construct(_node, *values):
    return (list(values),)


@operator("SequenceEmpty")
def empty(_node):
    return ([],)


@operator("SequenceAt")
def at(node, values, place):
    return values[_position(node, place, 1, len(values))]


@operator("SequenceInsert")
def insert(node, values, element, place=None):
    where = len(values) if place is None else _position(node, place, 2, len(values))
    return ([*values[:where], element, *values[where:]],)


@operator("SequenceErase")
def erase(node, values, place=None):
    where = len(values) - 1 if place is None else _position(node, place, 1, len(values))
    return ([*values[:where], *values[where + 1 :]],)


@operator("SequenceLength")
def length(_node, values):
    return np.asarray(len(values), np.int64)


@operator("SplitToSequence")
def split_to_sequence(node, x, split=None):
    axis = node["axis"] % x.ndim
    size = x.shape[axis]
    keep = True
    if split is None:
        sizes, keep = [1] * size, bool(node["keepdims"])
    elif split.ndim == 0:
        each = node.integers(split, 1, "size")[0]
        sizes = [min(each, size - start) for start in range(0, size, each)]
    else:
        sizes = node.integers(split, 1, "sizes")
    parts = jnp.split(x, np.cumsum(sizes)[:-1], axis)
    return ([part if keep else jnp.squeeze(part, axis) for part in parts],)


@operator("ConcatFromSequence")
def concat_from_sequence(node, values):
    return jnp.stack(values, node["axis"]) if node["new_axis"] else jnp.concatenate(values, node["axis"])


@operator("Optional")
def optional(_node, value=None):
    return (value,)


@operator("OptionalHasElement")
def has_element(_node, value=None):
    return np.asarray(value is not None)


@operator("OptionalGetElement")
def get_element(_node, value):
    if value is None:
        raise ValueError("the optional value is not there")
    return (value,)
