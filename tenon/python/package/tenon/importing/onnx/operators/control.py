"""Operators with graphs inside."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tenon._errors import Error
from tenon.importing.onnx.node import NeedsValue, NotLowered, is_known
from tenon.importing.onnx.registry import operator

# Loops of a known number of steps are written out up to this one.
_UNROLLED = 16


class _Open(Exception):
    """Whether a loop goes on is known at run time only."""


def _arrays(values):
    """As JAX carries them: no known arrays. None stays None."""
    return jax.tree.map(jnp.asarray, list(values))


def _scalar(value):
    return jnp.reshape(jnp.asarray(value), ())


def _types(values):
    return jax.tree.structure(values), [(value.shape, value.dtype) for value in jax.tree.leaves(values)]


@operator("If")
def branch(node, condition):
    if is_known(condition):
        chosen = node["then_branch"] if bool(np.ravel(condition)[0]) else node["else_branch"]
        return tuple(node.scope.graph(chosen, []))

    def of(name):
        return lambda: _arrays(node.scope.graph(node[name], []))

    question = f"the condition '{node.proto.input[0]}' must be known"
    try:
        then, other = (jax.eval_shape(of(name)) for name in ("then_branch", "else_branch"))
    except Error as error:
        # Branches for inputs of other shapes, as a rule.
        raise NeedsValue([node.proto.input[0]], f"{question}, since a branch fails: {error.message}") from error
    if _types(then) != _types(other):
        raise NeedsValue([node.proto.input[0]], f"{question}: the branches give results of other shapes")
    return tuple(lax.cond(_scalar(condition), of("then_branch"), of("else_branch")))


@operator("Loop")
def loop(node, count=None, condition=None, *carried):
    body, width = node["body"], len(carried)
    steps = None if count is None else int(np.ravel(count)[0]) if is_known(count) else count
    going = np.asarray(True) if condition is None else condition

    def step(number, going, values):
        first, *rest = node.scope.graph(body, [number, going, *values])
        return first, rest[:width], rest[width:]

    has_lists = any(isinstance(value, list) for value in carried)
    if is_known(going) and (steps is None or isinstance(steps, int) and (steps <= _UNROLLED or has_lists)):
        try:
            return _unrolled(steps, going, carried, step, len(body.output) - 1 - width)
        except _Open:
            pass
    if has_lists:
        raise NeedsValue([name for name in node.proto.input[:2] if name], "how often a loop over sequences runs must be known")
    if isinstance(steps, int) and is_known(going) and bool(going):
        try:
            return _counted(steps, carried, step)
        except _Open:
            pass
    if len(body.output) - 1 > width:
        raise NeedsValue([name for name in node.proto.input[:2] if name], "how often a loop runs whose steps give results must be known")
    return _conditional(steps, going, carried, step)


def _unrolled(steps, going, values, step, collected):
    gathered = [[] for _ in range(collected)]
    number = 0
    while bool(np.ravel(going)[0]) and (steps is None or number < steps):
        going, values, results = step(np.asarray(number, np.int64), going, values)
        for column, result in zip(gathered, results):
            column.append(result)
        number += 1
        if not is_known(going):
            raise _Open
    if collected and number == 0:
        raise NotLowered("a loop that does not run has no results of steps, whose shapes would be unknown")
    return (*values, *(jnp.stack(column) for column in gathered))


def _counted(steps, carried, step):
    def body(values, number):
        going, values, results = step(number, np.asarray(True), values)
        if not (is_known(going) and bool(np.ravel(going)[0])):
            raise _Open
        return _arrays(values), _arrays(results)

    values, results = lax.scan(body, _arrays(carried), jnp.arange(steps, dtype=np.int64))
    return (*values, *results)


def _conditional(steps, going, carried, step):
    def runs(state):
        number, going, _ = state
        return going if steps is None else going & (number < _scalar(steps))

    def body(state):
        number, going, values = state
        going, values, _ = step(number, going, values)
        return number + 1, _scalar(going), _arrays(values)

    return tuple(lax.while_loop(runs, body, (jnp.zeros((), np.int64), _scalar(going), _arrays(carried)))[2])


@operator("Scan")
def scan(node, *inputs):
    if node.version >= 9:
        return _scan(node, inputs, node["scan_input_axes"], node["scan_output_axes"], node["scan_output_directions"],
                     node["scan_input_directions"])  # fmt: skip
    if inputs[0] is not None:
        raise NotLowered("lengths of sequences are not supported")
    # Each example of a batch alone.
    batch = [_scan(node, [value[i] for value in inputs[1:]], None, None, None, node["directions"])
             for i in range(inputs[1].shape[0])]  # fmt: skip
    return tuple(jnp.stack(values) for values in zip(*batch))


def _scan(node, inputs, input_axes, output_axes, output_directions, input_directions):
    body, scanned = node["body"], node["num_scan_inputs"]
    width = len(inputs) - scanned
    states, sequences = inputs[:width], inputs[width:]
    given = len(body.output) - width
    input_axes, output_axes = input_axes or [0] * scanned, output_axes or [0] * given
    backwards = input_directions or [0] * scanned
    ordered = [jnp.moveaxis(x, axis, 0) for x, axis in zip(sequences, input_axes)]
    ordered = [jnp.flip(x, 0) if back else x for x, back in zip(ordered, backwards)]

    def step(values, slices):
        results = node.scope.graph(body, [*values, *slices])
        return _arrays(results[:width]), _arrays(results[width:])

    final, results = lax.scan(step, _arrays(states), ordered)
    turned = [jnp.flip(x, 0) if back else x for x, back in zip(results, output_directions or [0] * given)]
    return (*final, *(jnp.moveaxis(x, 0, axis) for x, axis in zip(turned, output_axes)))
