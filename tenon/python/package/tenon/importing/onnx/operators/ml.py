"""Classical models of numbers (ai.onnx.ml)."""

import jax
import jax.numpy as jnp
import numpy as np

from tenon.importing.onnx.node import NotLowered
from tenon.importing.onnx.registry import operator

_DOMAIN = "ai.onnx.ml"
# The mode of a node that asks whether a value is in a set.
_MEMBER = 6


@operator("Binarizer", domain=_DOMAIN)
def binarizer(node, x):
    return (x > node["threshold"]).astype(x.dtype)


@operator("Scaler", domain=_DOMAIN)
def scaler(node, x):
    return (x - np.asarray(node["offset"], np.float32)) * np.asarray(node["scale"], np.float32)


@operator("Normalizer", domain=_DOMAIN)
def normalizer(node, x):
    norms = {"MAX": lambda: jnp.max(x, -1, keepdims=True), "L1": lambda: jnp.sum(jnp.abs(x), -1, keepdims=True),
             "L2": lambda: jnp.sqrt(jnp.sum(x * x, -1, keepdims=True))}  # fmt: skip
    return x / norms[node["norm"]]()


_POST = {"NONE": lambda x: x, "LOGISTIC": jax.nn.sigmoid, "SOFTMAX": lambda x: jax.nn.softmax(x, -1)}


@operator("LinearRegressor", domain=_DOMAIN)
def linear_regressor(node, x):
    targets = node["targets"]
    y = x @ np.asarray(node["coefficients"], np.float32).reshape(targets, -1).T
    if node["intercepts"]:
        y = y + np.asarray(node["intercepts"], np.float32)
    return _post(node)(y)


def _post(node):
    if node["post_transform"] not in _POST:
        raise NotLowered(f"a post_transform '{node['post_transform']}' is not supported")
    return _POST[node["post_transform"]]


def _numbers(node, name):
    """Keys, values or the default of a LabelEncoder, which has them in attributes of several types."""
    for suffix, dtype in (("int64s", np.int64), ("floats", np.float32)):
        if node.has(f"{name}_{suffix}"):
            return np.asarray(node[f"{name}_{suffix}"], dtype)
    if node.has(f"{name}_tensor"):
        return node[f"{name}_tensor"]
    raise NotLowered("texts are not computed")


@operator("LabelEncoder", domain=_DOMAIN)
def label_encoder(node, x):
    keys, values = _numbers(node, "keys"), _numbers(node, "values")
    if keys.dtype.kind in "OUS" or values.dtype.kind in "OUS":
        raise NotLowered("texts are not computed")
    if node.has("default_tensor"):
        missing = node["default_tensor"].reshape(())
    else:
        missing = np.asarray(node["default_int64" if values.dtype == np.int64 else "default_float"], values.dtype)
    same = jnp.expand_dims(x, -1) == keys
    if np.issubdtype(keys.dtype, np.floating):
        same = same | (jnp.isnan(jnp.expand_dims(x, -1)) & np.isnan(keys))
    return jnp.where(jnp.any(same, -1), jnp.take(values, jnp.argmax(same, -1), mode="clip"), missing)


@operator("TreeEnsemble", domain=_DOMAIN)
def tree_ensemble(node, x):
    """All trees walk down by a step at a time, until the deepest is at its leaf."""
    features, splits = np.asarray(node["nodes_featureids"]), np.asarray(node["nodes_splits"]).astype(x.dtype)
    modes, roots = np.asarray(node["nodes_modes"]), np.asarray(node["tree_roots"])
    yes, no = np.asarray(node["nodes_trueleafs"]), np.asarray(node["nodes_falseleafs"])
    members = _members(node, modes)
    count = len(features)
    # Leaves are numbered after the nodes, and lead to themselves.
    true_next = np.asarray(node["nodes_truenodeids"]) + np.where(yes, count, 0)
    false_next = np.asarray(node["nodes_falsenodeids"]) + np.where(no, count, 0)
    leaves = len(node["leaf_targetids"])
    ends = np.arange(count, count + leaves)
    true_next, false_next = np.concatenate([true_next, ends]), np.concatenate([false_next, ends])
    features, splits, modes, members = (np.concatenate([values, np.zeros((leaves, *values.shape[1:]), values.dtype)])
                                        for values in (features, splits, modes, members))  # fmt: skip
    at = jnp.broadcast_to(roots, (x.shape[0], len(roots)))
    compare = [jnp.less_equal, jnp.less, jnp.greater_equal, jnp.greater, jnp.equal, jnp.not_equal]
    for _ in range(_depth(true_next, false_next, roots, count)):
        value = jnp.take_along_axis(jnp.asarray(x), jnp.take(features, at, mode="clip"), axis=1, mode="clip")
        split, mode = jnp.take(splits, at, mode="clip"), jnp.take(modes, at, mode="clip")
        is_member = jnp.any(value[..., None] == jnp.take(members, at, axis=0, mode="clip"), -1)
        goes = jnp.select([mode == i for i in range(7)], [*(f(value, split) for f in compare), is_member])
        at = jnp.where(goes, jnp.take(true_next, at, mode="clip"), jnp.take(false_next, at, mode="clip"))
    leaf = at - count
    weights = jnp.take(np.asarray(node["leaf_weights"]).astype(x.dtype), leaf, mode="clip")
    targets = jnp.take(np.asarray(node["leaf_targetids"]), leaf, mode="clip")
    of_target = targets[..., None] == np.arange(node["n_targets"])
    return _aggregated(node, jnp.where(of_target, weights[..., None], 0), of_target)


def _members(node, modes) -> np.ndarray:
    """Of each node that asks for members of a set its members, filled up with NaN, which nothing equals; they are listed in
    the order of such nodes, with NaN behind each set."""
    listed = node["membership_values"]
    listed = np.zeros(0, np.float32) if listed is None else listed
    sets = np.split(listed, np.flatnonzero(np.isnan(listed)) + 1)[:-1]
    table = np.full((len(modes), max((len(values) for values in sets), default=1)), np.nan, np.float32)
    for place, values in zip(np.flatnonzero(modes == _MEMBER), sets, strict=True):
        table[place, : len(values)] = values
    return table


def _aggregated(node, weights, of_target):
    if node["post_transform"] not in (None, 0):
        raise NotLowered("only trees without a post_transform are supported")
    kind = node["aggregate_function"]
    if kind == 0:
        return jnp.mean(weights, 1) if weights.shape[1] else weights.sum(1)
    if kind in (None, 1):
        return jnp.sum(weights, 1)
    worst = np.inf if kind == 2 else -np.inf
    masked = jnp.where(of_target, weights, worst)
    return jnp.min(masked, 1) if kind == 2 else jnp.max(masked, 1)


def _depth(true_next, false_next, roots, count) -> int:
    level, depth = {int(root) for root in roots}, 0
    while any(place < count for place in level):
        level = {int(table[place]) for place in level for table in (true_next, false_next)}
        depth += 1
    return depth
