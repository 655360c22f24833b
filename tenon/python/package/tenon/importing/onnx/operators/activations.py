"""Elementwise functions of neural networks, and those over an axis."""

import jax
import jax.numpy as jnp

from tenon.importing.onnx.registry import operator

_SIMPLE = {
    "HardSwish": lambda x: x * jnp.clip(x / 6 + 0.5, 0, 1),
    "Mish": lambda x: x * jnp.tanh(jax.nn.softplus(x)),
    "Relu": lambda x: jnp.maximum(x, 0),
    "Sigmoid": jax.nn.sigmoid,
    "Softplus": jax.nn.softplus,
    "Softsign": jax.nn.soft_sign,
}


@operator(*_SIMPLE)
def simple(node, x):
    return _SIMPLE[node.kind](x)


@operator("Elu")
def elu(node, x):
    return jax.nn.elu(x, node["alpha"])


@operator("Celu")
def celu(node, x):
    return jax.nn.celu(x, node["alpha"])


@operator("Selu")
def selu(node, x):
    return node["gamma"] * jnp.where(x > 0, x, node["alpha"] * jnp.expm1(x))


@operator("Gelu")
def gelu(node, x):
    return jax.nn.gelu(x, approximate=node["approximate"] == "tanh")


@operator("LeakyRelu")
def leaky_relu(node, x):
    return jnp.where(x >= 0, x, node["alpha"] * x)


@operator("ThresholdedRelu")
def thresholded_relu(node, x):
    return jnp.where(x > node["alpha"], x, 0)


@operator("HardSigmoid")
def hard_sigmoid(node, x):
    return jnp.clip(node["alpha"] * x + node["beta"], 0, 1)


@operator("Shrink")
def shrink(node, x):
    bias = jnp.asarray(node["bias"], x.dtype)
    limit = node["lambd"]
    return jnp.where(x < -limit, x + bias, jnp.where(x > limit, x - bias, jnp.zeros_like(x)))


@operator("Swish")
def swish(node, x):
    return x * jax.nn.sigmoid(node["alpha"] * x)


@operator("PRelu")
def parametric_relu(node, x, slope):
    if node.version < 7 and slope.ndim == 1 and x.ndim > 1:
        slope = jnp.reshape(slope, (-1,) + (1,) * (x.ndim - 2))
    return jnp.where(x < 0, x * slope, x)


def _over_axis(node, x, function):
    """Before operator set 13 all dimensions from the axis on were one."""
    axis = node["axis"]
    if node.version >= 13:
        return function(x, axis)
    rows = 1
    for size in x.shape[: axis % x.ndim if x.ndim else 0]:
        rows *= size
    return jnp.reshape(function(jnp.reshape(x, (rows, -1)), 1), x.shape)


@operator("Softmax")
def softmax(node, x):
    return _over_axis(node, x, jax.nn.softmax)


@operator("LogSoftmax")
def log_softmax(node, x):
    return _over_axis(node, x, jax.nn.log_softmax)


@operator("Hardmax")
def hardmax(node, x):
    def first_largest(x, axis):
        return jax.nn.one_hot(jnp.argmax(x, axis), x.shape[axis], dtype=x.dtype, axis=axis)

    return _over_axis(node, x, first_largest)
