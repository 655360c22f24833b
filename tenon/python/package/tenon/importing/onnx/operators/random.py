"""Random numbers: others at each run, by the generator of the machine that runs the program, unless there is a seed."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon.importing.onnx.operators.types import dtype_of
from tenon.importing.onnx.registry import operator


def _uniform(node, shape, low=0.0, high=1.0, dtype=np.float32):
    if node.has("seed"):
        key = jax.random.key(int(np.float32(node["seed"]).view(np.uint32)))
        return jax.random.uniform(key, shape, dtype, low, high)
    return lax.rng_uniform(np.asarray(low, dtype), np.asarray(high, dtype), tuple(shape))


def _normal(node, shape):
    # Not -1 itself, whose value would be infinite.
    return np.float32(np.sqrt(2)) * lax.erf_inv(_uniform(node, shape, np.nextafter(np.float32(-1), np.float32(0)), 1))


def _shape_and_type(node, like):
    dtype = node["dtype"]
    if like is None:
        return node["shape"], dtype_of(dtype)
    return like.shape, dtype_of(dtype) if dtype is not None else like.dtype


@operator("RandomUniform", "RandomUniformLike", effects=True)
def random_uniform(node, like=None):
    shape, dtype = _shape_and_type(node, like)
    return _uniform(node, shape, node["low"], node["high"]).astype(dtype)


@operator("RandomNormal", "RandomNormalLike", effects=True)
def random_normal(node, like=None):
    shape, dtype = _shape_and_type(node, like)
    return (node["mean"] + node["scale"] * _normal(node, shape)).astype(dtype)


@operator("Bernoulli", effects=True)
def bernoulli(node, probability):
    dtype = probability.dtype if node["dtype"] is None else dtype_of(node["dtype"])
    return (_uniform(node, probability.shape) < probability).astype(dtype)


@operator("Multinomial", effects=True)
def multinomial(node, scores):
    """Of each row of logarithms of probabilities, by the largest with Gumbel noise."""
    noise = -jnp.log(-jnp.log(_uniform(node, (scores.shape[0], node["sample_size"], scores.shape[1]), 1e-20, 1)))
    chosen = jnp.argmax(scores[:, None, :] + noise, -1)
    return chosen.astype(dtype_of(node["dtype"]))


@operator("Dropout", effects=True)
def dropout(node, x, ratio=None, training=None):
    trains = training is not None and bool(node.known(training, 2, "training mode"))
    ratio = 0.5 if ratio is None else ratio
    if not trains or (isinstance(ratio, np.ndarray) and float(ratio) == 0):
        return (x, jnp.ones(x.shape, bool))[: node.output_count]
    kept = _uniform(node, x.shape) >= ratio
    return (jnp.where(kept, x / (1 - jnp.asarray(ratio, x.dtype)), 0), kept)[: node.output_count]
