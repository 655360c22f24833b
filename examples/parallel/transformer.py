#!/usr/bin/env python3
"""Trains a small transformer on 8 devices in four ways, and on one device: the losses are the same.

    JAX_PLATFORMS=tenon TENON_NUM_DEVICES=8 TENON_PARTITION=spmd examples/parallel/transformer.py
    ... examples/parallel/transformer.py --way tensor --steps 100
    ... examples/parallel/transformer.py --processes 2    # four devices in each of two processes

data      the batch is cut, each device has all weights: one sum of the gradients in a step
tensor    heads and hidden units are cut as well: two sums of activations in each layer and direction
sharded   the weights are cut, too, each along one dimension, and gathered where a layer uses them (FSDP, ZeRO-3)
pipeline  layers are cut into stages, which pass the activations of small batches on (shard_map, GPipe's schedule)

The first three are one program, jitted with other shardings, but that the third says of activations how they lie. The
fourth says itself what each device does.
"""

import argparse
import functools
import os
import socket
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

VOCABULARY, LENGTH, WIDTH, HEADS, HIDDEN, LAYERS = 32, 16, 64, 4, 256, 4
BATCH, RATE, MOMENTUM, SMALL_BATCHES = 32, 0.3, 0.9, 4


def weights():
    """The initial weights, those of all layers stacked."""
    random = np.random.default_rng(0)

    def normal(*shape, inputs):
        return random.normal(scale=inputs**-0.5, size=shape).astype(np.float32)

    return {
        "tokens": normal(VOCABULARY, WIDTH, inputs=1),
        "places": normal(LENGTH, WIDTH, inputs=WIDTH),
        "qkv": normal(LAYERS, 3, WIDTH, HEADS, WIDTH // HEADS, inputs=WIDTH),
        "out": normal(LAYERS, HEADS, WIDTH // HEADS, WIDTH, inputs=WIDTH),
        "up": normal(LAYERS, WIDTH, HIDDEN, inputs=WIDTH),
        "down": normal(LAYERS, HIDDEN, WIDTH, inputs=HIDDEN),
        "logits": normal(WIDTH, VOCABULARY, inputs=WIDTH),
    }


LAYER = ("qkv", "out", "up", "down")

# Which axis of the mesh cuts which dimension of the weights.
PLANS = {
    "data": ({"data": 8}, {}),
    "tensor": (
        {"data": 2, "model": 4},
        {
            "qkv": P(None, None, None, "model"),
            "out": P(None, "model"),
            "up": P(None, None, "model"),
            "down": P(None, "model"),
            "logits": P(None, "model"),
        },
    ),
    "sharded": (
        {"data": 8},
        {
            "tokens": P("data"),
            "places": P("data"),
            "qkv": P(None, None, "data"),
            "out": P(None, None, "data"),
            "up": P(None, "data"),
            "down": P(None, "data"),
            "logits": P("data"),
        },
    ),
    "pipeline": ({"data": 2, "stage": 4}, {name: P("stage") for name in LAYER}),
}


def batches(count):
    """Sequences in which each token is the sum of the two before it, but for noise."""
    random = np.random.default_rng(1)
    for _ in range(count):
        tokens = random.integers(VOCABULARY, size=(BATCH, LENGTH + 1))
        for i in range(2, LENGTH + 1):
            tokens[:, i] = (tokens[:, i - 1] + tokens[:, i - 2]) % VOCABULARY
        yield tokens.astype(np.int32)


def normalized(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered * jax.lax.rsqrt((centered**2).mean(-1, keepdims=True) + 1e-5)


def layer(x, w, keep=lambda x: x):
    q, k, v = jnp.einsum("btd,cdhk->cbthk", keep(normalized(x)), w["qkv"])
    scores = jnp.einsum("bshk,bthk->bhst", q, k) * (WIDTH // HEADS) ** -0.5
    visible = np.tri(x.shape[1], dtype=bool)
    attended = jnp.einsum("bhst,bthk->bshk", jax.nn.softmax(jnp.where(visible, scores, -1e30)), v)
    x = keep(x + jnp.einsum("bshk,hkd->bsd", keep(attended), w["out"]))
    return keep(x + keep(jax.nn.gelu(keep(normalized(x)) @ w["up"])) @ w["down"])


def layers(x, w, body=layer):
    return jax.lax.scan(lambda x, w: (body(x, w), None), x, {name: w[name] for name in LAYER})[0]


def pipelined_layers(mesh, x, w):
    """The same as `layers`. Each stage has a quarter of the layers; in step i it works on small batch i - stage and passes the
    result to the next stage."""

    @functools.partial(
        jax.shard_map,
        mesh=mesh,
        in_specs=(P(None, "data"), P("stage")),
        out_specs=P("stage", None, "data"),
    )
    def run(x, w):
        stages, stage = mesh.shape["stage"], jax.lax.axis_index("stage")

        def step(carried, i):
            x_next = x[jnp.minimum(i, SMALL_BATCHES - 1)]
            y = layers(jnp.where(stage == 0, x_next, carried), w)
            return jax.lax.ppermute(y, "stage", [(s, (s + 1) % stages) for s in range(stages)]), y

        carried = jax.lax.pcast(jnp.zeros_like(x[0]), ("stage",), to="varying")
        _, made = jax.lax.scan(step, carried, jnp.arange(SMALL_BATCHES + stages - 1))
        return made[None, stages - 1 :]

    parts = run(x.reshape(SMALL_BATCHES, -1, *x.shape[1:]), w)
    return parts[-1].reshape(x.shape)  # the last stage's


def loss_of(mesh, way):
    def by_batch(x):
        return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data"))) if way == "sharded" else x

    # Where the axis that cuts the batch cuts the weights, too, the compiler could as well cut the activations' features,
    # and would move these. So activations are said to stay. That is of no use to those that are kept for the gradient,
    # of all layers in one array, which are computed again; so weights are gathered twice, and never all at once.
    body = jax.checkpoint(functools.partial(layer, keep=by_batch)) if way == "sharded" else layer

    def loss(w, tokens):
        x = by_batch(w["tokens"][tokens[:, :-1]] + w["places"])
        stacked = {name: w[name] for name in LAYER}
        x = pipelined_layers(mesh, x, stacked) if way == "pipeline" else layers(x, stacked, body)
        scores = jax.nn.log_softmax(by_batch(normalized(x)) @ w["logits"])
        # The first two tokens of a sequence follow from nothing.
        return -jnp.take_along_axis(scores, tokens[:, 1:, None], 2)[:, 1:].mean()

    return loss


def train(way, steps):
    """Trains on one device (way None) or on eight. Returns the loss before each step."""
    mesh = None
    if way:
        axes, plan = PLANS[way]
        mesh = Mesh(np.array(jax.devices()[: 8]).reshape(*axes.values()), tuple(axes))

    def place(array, spec):
        if mesh is None:
            return jax.device_put(array, jax.local_devices()[0])
        # Each process makes the parts of its own devices.
        return jax.make_array_from_callback(array.shape, NamedSharding(mesh, spec), lambda index: array[index])

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(w, speed, tokens):
        loss, gradient = jax.value_and_grad(loss_of(mesh, way))(w, tokens)
        speed = jax.tree.map(lambda s, g: MOMENTUM * s - RATE * g, speed, gradient)
        return jax.tree.map(jnp.add, w, speed), speed, loss

    start = weights()
    w = {name: place(array, plan.get(name, P()) if way else None) for name, array in start.items()}
    speed = {name: place(np.zeros_like(array), plan.get(name, P()) if way else None) for name, array in start.items()}
    losses = []
    for tokens in batches(steps):
        w, speed, loss = step(w, speed, place(tokens, P("data") if way else None))
        losses.append(float(loss))
    return losses


def start_processes(count):
    """Runs this script `count` times, with a part of the devices each."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    environment = {**os.environ, "TENON_NUM_DEVICES": str(8 // count)}
    running = [
        subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--join", address, str(count), str(i)], env=environment)
        for i in range(count)
    ]
    return max(process.wait() for process in running)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=PLANS, action="append", help="only this way; may be given several times")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--processes", type=int, choices=(1, 2, 4), default=1, help="OS processes that share the devices")
    parser.add_argument("--join", nargs=3, metavar=("ADDRESS", "PROCESSES", "NUMBER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.processes > 1 and not options.join:
        sys.exit(start_processes(options.processes))
    if options.join:
        jax.distributed.initialize(options.join[0], int(options.join[1]), int(options.join[2]))
    is_first = jax.process_index() == 0
    expected = train(None, options.steps)
    if is_first:
        print(f"one device: loss {expected[0]:.4f} -> {expected[-1]:.4f} in {options.steps} steps")
    worst = 0.0
    for way in options.way or PLANS:
        losses = train(way, options.steps)
        apart = max(abs(a - b) / b for a, b in zip(losses[:20], expected))
        worst = max(worst, apart)
        if is_first:
            print(f"{way:>10}: loss {losses[0]:.4f} -> {losses[-1]:.4f}, apart by at most {apart:.1e} in the first 20 steps")
    sys.exit(worst > 1e-4)


if __name__ == "__main__":
    main()
