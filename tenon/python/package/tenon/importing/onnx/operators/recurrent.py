"""Recurrent layers: a scan over time for each direction, with the products of the inputs made before it."""

import jax
import jax.numpy as jnp
from jax import lax

from tenon.importing.onnx.node import NotLowered
from tenon.importing.onnx.registry import operator

_ACTIVATIONS = {
    "affine": lambda x, alpha, beta: alpha * x + (0 if beta is None else beta),
    "elu": lambda x, alpha, beta: jax.nn.elu(x, 1.0 if alpha is None else alpha),
    "hardsigmoid": lambda x, alpha, beta: jnp.clip((0.2 if alpha is None else alpha) * x + (0.5 if beta is None else beta), 0, 1),
    "leakyrelu": lambda x, alpha, beta: jnp.where(x >= 0, x, (0.01 if alpha is None else alpha) * x),
    "relu": lambda x, alpha, beta: jnp.maximum(x, 0),
    "scaledtanh": lambda x, alpha, beta: alpha * jnp.tanh(beta * x),
    "sigmoid": lambda x, alpha, beta: jax.nn.sigmoid(x),
    "softplus": lambda x, alpha, beta: jax.nn.softplus(x),
    "softsign": lambda x, alpha, beta: jax.nn.soft_sign(x),
    "tanh": lambda x, alpha, beta: jnp.tanh(x),
    "thresholdedrelu": lambda x, alpha, beta: jnp.where(x > (1.0 if alpha is None else alpha), x, 0),
}


def _activations(node, defaults, directions):
    """Functions of each direction. Numbers are listed for those that take any, in order; here for all."""
    names = node["activations"] or defaults * directions
    alphas, betas = list(node["activation_alpha"] or []), list(node["activation_beta"] or [])
    functions = []
    for name in names:
        if name.lower() not in _ACTIVATIONS:
            raise NotLowered(f"an activation '{name}' is not known")
        takes_alpha = name.lower() in ("affine", "elu", "hardsigmoid", "leakyrelu", "scaledtanh", "thresholdedrelu")
        takes_beta = name.lower() in ("affine", "hardsigmoid", "scaledtanh")
        alpha = alphas.pop(0) if takes_alpha and alphas else None
        beta = betas.pop(0) if takes_beta and betas else None
        functions.append(lambda x, f=_ACTIVATIONS[name.lower()], alpha=alpha, beta=beta: f(x, alpha, beta))
    count = len(defaults)
    return [functions[i * count : (i + 1) * count] for i in range(directions)]


def _clipped(node, x):
    limit = node["clip"]
    return x if limit is None else jnp.clip(x, -limit, limit)


def _turned(x, lengths):
    """In the other order of time, within each sequence's length."""
    if lengths is None:
        return jnp.flip(x, 0)
    steps = jnp.arange(x.shape[0])[:, None]
    source = jnp.where(steps < lengths, lengths - 1 - steps, steps)
    return jnp.take_along_axis(x, source[:, :, None], axis=0, mode="clip")


def _scanned(step, state, projected, lengths):
    """`step` makes of a state (a tuple, h first) and a time's input the next state. Past a sequence's end the state stays,
    and the outputs are zero."""

    def body(state, inputs):
        time, x = inputs
        following = step(state, x)
        if lengths is None:
            return following, following[0]
        running = (time < lengths)[:, None]
        kept = tuple(jnp.where(running, new, old) for new, old in zip(following, state))
        return kept, jnp.where(running, following[0], 0)

    return lax.scan(body, state, (jnp.arange(projected.shape[0]), projected))


def _layer(node, x, weights, recurrent, bias, lengths, states, cell, defaults, gates):
    """`cell(direction, activations)` makes the step; `states` are h, and c if there is one, each None or of all directions."""
    names = ["forward", "reverse"] if node["direction"] == "bidirectional" else [node["direction"] or "forward"]
    hidden = recurrent.shape[-1]
    if node["layout"]:
        x = jnp.swapaxes(x, 0, 1)
        states = [None if state is None else jnp.swapaxes(state, 0, 1) for state in states]
    outputs, finals = [], []
    functions = _activations(node, defaults, len(names))
    for d, name in enumerate(names):
        inputs = _turned(x, lengths) if name == "reverse" else x
        projected = jnp.matmul(inputs, jnp.transpose(weights[d]))
        initial = tuple(jnp.zeros((x.shape[1], hidden), x.dtype) if state is None else jnp.asarray(state[d]) for state in states)
        both = jnp.zeros(2 * gates * hidden, x.dtype) if bias is None else bias[d]
        step = cell(d, functions[d], jnp.transpose(recurrent[d]), both[: gates * hidden], both[gates * hidden :])
        final, steps = _scanned(step, initial, projected, lengths)
        outputs.append(_turned(steps, lengths) if name == "reverse" else steps)
        finals.append(final)
    y = jnp.stack(outputs, 1)
    last = [jnp.stack([final[i] for final in finals]) for i in range(len(states))]
    if node["layout"]:
        y = jnp.transpose(y, (2, 0, 1, 3))
        last = [jnp.swapaxes(value, 0, 1) for value in last]
    return (y, *last)[: node.output_count]


@operator("RNN")
def rnn(node, x, weights, recurrent, bias=None, lengths=None, h=None):
    def cell(_direction, activations, recurrent, input_bias, hidden_bias):
        def step(state, x):
            total = x + state[0] @ recurrent + (input_bias + hidden_bias)
            return (activations[0](_clipped(node, total)),)

        return step

    return _layer(node, x, weights, recurrent, bias, lengths, [h], cell, ["Tanh"], 1)


@operator("GRU")
def gru(node, x, weights, recurrent, bias=None, lengths=None, h=None):
    after = bool(node["linear_before_reset"])

    def cell(_direction, activations, recurrent, input_bias, hidden_bias):
        hidden = recurrent.shape[0]
        f, g = activations

        def step(state, x):
            (h,) = state
            x = x + input_bias
            gates = h @ recurrent[:, : 2 * hidden] + hidden_bias[: 2 * hidden] + x[:, : 2 * hidden]
            update, reset = jnp.split(f(_clipped(node, gates)), 2, axis=-1)
            if after:
                inner = reset * (h @ recurrent[:, 2 * hidden :] + hidden_bias[2 * hidden :])
            else:
                inner = (reset * h) @ recurrent[:, 2 * hidden :] + hidden_bias[2 * hidden :]
            new = g(_clipped(node, x[:, 2 * hidden :] + inner))
            return ((1 - update) * new + update * h,)

        return step

    return _layer(node, x, weights, recurrent, bias, lengths, [h], cell, ["Sigmoid", "Tanh"], 3)


@operator("LSTM")
def lstm(node, x, weights, recurrent, bias=None, lengths=None, h=None, c=None, peepholes=None):
    def cell(direction, activations, recurrent, input_bias, hidden_bias):
        f, g, out = activations
        peeps = [0, 0, 0] if peepholes is None else jnp.split(peepholes[direction], 3)

        def step(state, x):
            h, c = state
            gates = x + h @ recurrent + (input_bias + hidden_bias)
            enter, leave, forget, new = jnp.split(gates, 4, axis=-1)
            enter = f(_clipped(node, enter + peeps[0] * c))
            forget = 1 - enter if node["input_forget"] else f(_clipped(node, forget + peeps[2] * c))
            c = forget * c + enter * g(_clipped(node, new))
            leave = f(_clipped(node, leave + peeps[1] * c))
            return leave * out(c), c

        return step

    return _layer(node, x, weights, recurrent, bias, lengths, [h, c], cell, ["Sigmoid", "Tanh", "Tanh"], 4)
