#!/usr/bin/env python3
"""What a training step will move and hold on 8, 64 and 1024 devices, without having them: a table for Markdown.

    examples/parallel/plan.py                       # with the command `tenon` of the PATH
    examples/parallel/plan.py --tenon build/release/bin/tenon --devices 16 256

JAX lowers the step for a mesh that is only described (AbstractMesh); `tenon compile --partition-report=json` cuts it and
says what a device receives, and the memory that it needs. Nothing is run. The step is one of a stack of layers (those of
transformer.py) with the squared error as its loss, cut in four ways:

data      the batch; a device has all weights
tensor    heads and hidden units in 8 (of 8 devices, in 4), the batch by what is left of the devices
sharded   the batch, and the weights too, which are gathered before they are used, and kept
again     the same with jax.checkpoint: weights are dropped, and gathered again for the gradients
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import transformer
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

LAYERS, LENGTH, WIDTH, HEADS, HIDDEN, SEQUENCES = 4, 256, 1024, 16, 4096, 4  # so many sequences for each device
SHAPES = {
    "qkv": (3, WIDTH, HEADS, WIDTH // HEADS),
    "out": (HEADS, WIDTH // HEADS, WIDTH),
    "up": (WIDTH, HIDDEN),
    "down": (HIDDEN, WIDTH),
}
PARAMETERS = 4 * LAYERS * sum(math.prod(shape) for shape in SHAPES.values())  # bytes

SHARDED = {"qkv": P(None, "data"), "out": P(None, None, "data"), "up": P("data"), "down": P(None, "data")}
# Which axis of the mesh cuts which dimension of the weights.
WAYS = {
    "data": {},
    "tensor": {"qkv": P(None, None, "model"), "out": P("model"), "up": P(None, "model"), "down": P("model")},
    "sharded": SHARDED,
    "again": SHARDED,
}


def mesh_of(way, devices):
    if way != "tensor":
        return {"data": devices}
    data = max(2, devices // 8)
    return {"data": data, "model": devices // data}


def formula(way, mesh):
    """Bytes that a device receives in a step, but for the loss. P: bytes of the weights; A: of a layer's activations."""
    m, n = mesh["data"], mesh.get("model", 1)
    activations = 4 * SEQUENCES * n * LENGTH * WIDTH
    return {
        # The gradients are summed.
        "data": 2 * (m - 1) / m * PARAMETERS,
        # In each layer two sums of activations in each direction, but for the gradient of the first layer's input; and
        # the gradients of a device's weights.
        "tensor": (4 * LAYERS - 1) * 2 * (n - 1) / n * activations + 2 * (m - 1) / m * PARAMETERS / n,
        # Weights are gathered, and gradients summed into parts.
        "sharded": 2 * (m - 1) / m * PARAMETERS,
        "again": 3 * (m - 1) / m * PARAMETERS,
    }[way]


def argument_bytes(way, mesh):
    """Of a device: its part of the weights, and its sequences before and after the layers."""
    m, n = mesh["data"], mesh.get("model", 1)
    return PARAMETERS // (1 if way == "data" else n if way == "tensor" else m) + 2 * 4 * SEQUENCES * n * LENGTH * WIDTH


def lowered(way, mesh):
    """The step as JAX hands it to a compiler."""
    transformer.WIDTH, transformer.HEADS = WIDTH, HEADS
    described = AbstractMesh(tuple(mesh.values()), tuple(mesh))
    plan, layer = WAYS[way], jax.checkpoint(transformer.layer) if way == "again" else transformer.layer

    def array(shape, spec):
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(described, spec))

    def step(w, x, wanted):
        def loss(w):
            y = x
            for own in w:
                y = layer(y, own)
            return jnp.mean((y - wanted) ** 2)

        value, gradient = jax.value_and_grad(loss)(w)
        return jax.tree.map(lambda w, g: w - 0.1 * g, w, gradient), value

    weights = [{name: array(shape, plan.get(name, P())) for name, shape in SHAPES.items()} for _ in range(LAYERS)]
    devices = mesh["data"] * mesh.get("model", 1)
    inputs = array((SEQUENCES * devices, LENGTH, WIDTH), P("data"))
    kept = (jax.tree.map(lambda weight: weight.sharding, weights), NamedSharding(described, P()))
    step = jax.jit(step, out_shardings=kept, donate_argnums=0)
    return step.trace(weights, inputs, inputs).lower(lowering_platforms=("cpu",)).as_text(debug_info=True)


def report(tenon, way, mesh):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, f"{way}.mlir")
        program.write_text(lowered(way, mesh), encoding="utf-8")
        command = [tenon, "compile", program, "--partition-report=json", "--cpu", "x86-64-v3"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def received(report):
    return sum(collective["received_bytes"] * collective["times"] for collective in report["collectives"])


HEAD = (
    "| way | devices | mesh | receives | by formula | arguments | temporary | collectives |",
    "|---|---|---|---|---|---|---|---|",
)


def row(way, mesh, report):
    memory, axes = report["memory"], " x ".join(f"{name} {size}" for name, size in mesh.items())
    sizes = (received(report), formula(way, mesh), memory["argument_bytes"], memory["temporary_bytes"])
    times = sum(collective["times"] for collective in report["collectives"])
    cells = (way, report["devices"], axes, *(f"{size / 2**20:,.1f}" for size in sizes), times)
    return "".join(f"| {cell} " for cell in cells) + "|"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", default="tenon", help="the command to ask")
    parser.add_argument("--devices", type=int, nargs="+", default=[8, 64, 1024], help="powers of two of at least 8")
    options = parser.parse_args()
    print(*HEAD, sep="\n")
    for way in WAYS:
        for devices in options.devices:
            mesh = mesh_of(way, devices)
            print(row(way, mesh, report(options.tenon, way, mesh)))


if __name__ == "__main__":
    main()
