"""Steps of optimizers (ai.onnx.preview.training)."""

import jax.numpy as jnp

from tenon.importing.onnx.registry import operator

_DOMAIN = "ai.onnx.preview.training"


def _columns(values, kinds):
    """Inputs come as all of the first kind, then all of the second, and so on."""
    count = len(values) // kinds
    return [values[i * count : (i + 1) * count] for i in range(kinds)]


def _of_columns(results):
    return tuple(value for column in zip(*results) for value in column)


@operator("Adagrad", domain=_DOMAIN)
def adagrad(node, rate, step, *values):
    rate = rate / (1 + step * node["decay_factor"])

    def one(x, gradient, squares):
        gradient = node["norm_coefficient"] * x + gradient
        squares = squares + gradient * gradient
        return (x - rate * gradient / (jnp.sqrt(squares) + node["epsilon"])).astype(x.dtype), squares.astype(x.dtype)

    return _of_columns(map(one, *_columns(values, 3)))


@operator("Adam", domain=_DOMAIN)
def adam(node, rate, step, *values):
    alpha, beta = node["alpha"], node["beta"]
    corrected = jnp.where(step > 0, rate * jnp.sqrt(1 - jnp.power(beta, step)) / (1 - jnp.power(alpha, step)), rate)

    def one(x, gradient, mean, squares):
        gradient = node["norm_coefficient"] * x + gradient
        mean = alpha * mean + (1 - alpha) * gradient
        squares = beta * squares + (1 - beta) * gradient * gradient
        moved = x - corrected * mean / (jnp.sqrt(squares) + node["epsilon"])
        return tuple(value.astype(x.dtype) for value in ((1 - node["norm_coefficient_post"]) * moved, mean, squares))

    return _of_columns(map(one, *_columns(values, 4)))


@operator("Momentum", domain=_DOMAIN)
def momentum(node, rate, step, *values):
    alpha = node["alpha"]
    beta = jnp.where(step > 0, node["beta"], 1.0)

    def one(x, gradient, velocity):
        gradient = node["norm_coefficient"] * x + gradient
        velocity = alpha * velocity + beta * gradient
        used = velocity if node["mode"] == "standard" else gradient + alpha * velocity
        return (x - rate * used).astype(x.dtype), velocity.astype(x.dtype)

    return _of_columns(map(one, *_columns(values, 3)))
