"""What a device receives in steps of a one-block transformer is what the formulas of parallel training say, in bytes: P of
the parameters, A of a device's activations, on m devices that share the batch and n that share heads and hidden units."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

BATCH, LENGTH, WIDTH, HIDDEN, HEADS = 32, 16, 64, 256, 4
SHAPES = {name: (WIDTH, HEADS, WIDTH // HEADS) for name in "qkv"} | {
    "out": (HEADS, WIDTH // HEADS, WIDTH), "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH)}
BY_HEADS = {name: P(None, "n") for name in "qkv"} | {"out": P("n"), "up": P(None, "n"), "down": P("n")}
SHARDED = {name: P("m") for name in "qkv"} | {"out": P(None, "m"), "up": P("m"), "down": P("m")}

def normalized(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered * jax.lax.rsqrt((centered**2).mean(-1, keepdims=True) + 1e-5)

def block(w, x):
    y = normalized(x)
    q, k, v = (jnp.einsum("btd,dhk->bthk", y, w[name]) for name in "qkv")
    weights = jax.nn.softmax(jnp.einsum("bshk,bthk->bhst", q, k))
    x = x + jnp.einsum("bshk,hkd->bsd", jnp.einsum("bhst,bthk->bshk", weights, v), w["out"])
    return x + jax.nn.gelu(normalized(x) @ w["up"]) @ w["down"]

def step(w, x):
    loss, gradient = jax.value_and_grad(lambda w, x: (block(w, x) ** 2).mean())(w, x)
    return jax.tree.map(lambda w, g: w - 0.1 * g, w, gradient), loss

def step_again(w, x):
    loss, gradient = jax.value_and_grad(jax.checkpoint(lambda w, x: (block(w, x) ** 2).mean()))(w, x)
    return jax.tree.map(lambda w, g: w - 0.1 * g, w, gradient), loss

def inner(w, x):
    y, backward = jax.vjp(block, w, x)
    return backward(y)

def accumulate(w, x):
    def add(sums, part):
        return jax.tree.map(jnp.add, sums, jax.grad(lambda w, x: (block(w, x) ** 2).mean())(w, part)), None
    return jax.lax.scan(add, jax.tree.map(jnp.zeros_like, w), x)[0]

def dense_loss(w, x):
    return ((jnp.tanh(x @ w["in"]) @ w["out"]) ** 2).mean()

def dense_step(w, x):
    loss, gradient = jax.value_and_grad(dense_loss)(w, x)
    return jax.tree.map(lambda w, g: w - 0.1 * g, w, gradient), loss

def dense_accumulate(w, x):
    def add(sums, part):
        return jax.tree.map(jnp.add, sums, jax.grad(dense_loss)(w, part)), None
    return jax.lax.scan(add, jax.tree.map(jnp.zeros_like, w), x)[0]

def compile_dense(function, axis_type, *parts):
    mesh = jax.make_mesh((8,), ("m",), axis_types=(axis_type,))
    like = lambda spec, shape: jax.ShapeDtypeStruct(shape, np.float32, sharding=NamedSharding(mesh, spec))
    w = {"in": like(P(), (512, 1024)), "out": like(P(), (1024, 512))}
    with jax.set_mesh(mesh):
        jax.jit(function).lower(w, like(P(*(None for _ in parts), "m"), (*parts, 128, 512))).compile()

def compile(function, mesh, weights, batch, parts=()):
    mesh = Mesh(np.array(jax.devices()[: np.prod(list(mesh.values()))]).reshape(*mesh.values()), tuple(mesh))
    like = lambda spec, shape: jax.ShapeDtypeStruct(shape, np.float32, sharding=NamedSharding(mesh, spec))
    w = {name: like(weights.get(name, P()), shape) for name, shape in SHAPES.items()}
    jax.jit(function).lower(w, like(batch, (*parts, BATCH, LENGTH, WIDTH))).compile()

compile(step, {"m": 8}, {}, P("m"))
compile(block, {"n": 4}, BY_HEADS, P())
compile(step, {"m": 2, "n": 4}, BY_HEADS, P("m"))
compile(inner, {"m": 2, "n": 4}, BY_HEADS, P("m"))
compile(step, {"m": 8}, SHARDED, P("m"))
compile(step_again, {"m": 8}, SHARDED, P("m"))
compile(accumulate, {"m": 8}, {}, P(None, "m"), parts=(4,))
compile_dense(dense_step, jax.sharding.AxisType.Auto)
compile_dense(dense_step, jax.sharding.AxisType.Explicit)
compile_dense(dense_accumulate, jax.sharding.AxisType.Auto, 4)
"""

P = 4 * (4 * 64 * 64 + 2 * 64 * 256)
A = 4 * 32 * 16 * 64  # of the whole batch
DENSE = 4 * 2 * 512 * 1024  # parameters of two dense layers
SUM = 2 * 3 / 4  # of a sum over n = 4 devices, by the bytes of its operand


@pytest.fixture(scope="module")
def reports(tmp_path_factory, subprocess_environment):
    path = tmp_path_factory.mktemp("volumes") / "report.jsonl"
    environment = dict(
        subprocess_environment, JAX_ENABLE_X64="0", TENON_PARTITION="spmd", TENON_PARTITION_REPORT=str(path)
    )
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, timeout=600)
    names = ["data", "tensor", "both", "inner", "sharded", "sharded again", "accumulated"]
    names += ["small batch", "small batch, explicit axes", "small batches, accumulated"]
    return dict(zip(names, map(json.loads, path.read_text().splitlines()), strict=True))


@pytest.mark.parametrize(
    "name, received",
    [
        ("data", 2 * 7 / 8 * P),
        # The block's input has no gradient: one sum forward of each half, and one backward. Then the gradients' over m.
        ("both", 3 * SUM * A / 2 + 2 * 1 / 2 * P / 4),
        ("inner", 4 * SUM * A / 2 + 2 * 1 / 2 * P / 4),
        ("sharded", (7 / 8 + 7 / 8) * P),  # gathered once, and scattered
        ("sharded again", 3 * 7 / 8 * P),
        ("accumulated", 2 * 7 / 8 * P),  # of four small batches
    ],
)
def test_volumes_are_those_of_the_formulas(name, received, reports):
    report = reports[name]
    total = sum(collective["received_bytes"] * collective["times"] for collective in report["collectives"])
    assert abs(total - received) <= 64, report["collectives"]  # loss and other scalars
    assert not report["fallbacks"]


def test_small_gathers_and_scattered_sums_are_joined(reports):
    """The weights of a fully sharded block are gathered along two dimensions, and of its six gradients four are small."""
    collectives = [collective["op"] for collective in reports["sharded"]["collectives"]]
    assert sorted(collectives) == ["all_gather"] * 2 + ["all_reduce"] + ["reduce_scatter"] * 3


def test_a_tensor_parallel_block_moves_at_most_two_sums(reports):
    """It moves less where heads are gathered, which are no more than the sum of what follows from them."""
    collectives = reports["tensor"]["collectives"]
    assert sum(collective["received_bytes"] * collective["times"] for collective in collectives) <= 2 * SUM * A


@pytest.mark.parametrize("name", ["small batch", "small batch, explicit axes"])
def test_weights_are_updated_in_parts_where_they_are_larger_than_the_batch(name, reports):
    """Each device computes a part of the gradients, of columns of the activations, and of the new weights, which are
    gathered: half of what a sum of the gradients moves."""
    collectives = reports[name]["collectives"]
    total = sum(collective["received_bytes"] for collective in collectives)
    activations = 4 * 128 * (2 * 512 + 2 * 1024)  # of the whole batch, and their gradients
    assert 7 / 8 * DENSE < total <= 7 / 8 * (DENSE + activations) + 64, collectives
    sums = [collective["local_bytes"] for collective in collectives if collective["op"] == "all_reduce"]
    assert sum(sums) <= 64, collectives
    gathers = [collective for collective in collectives if collective["received_bytes"] == 7 / 8 * DENSE / 2]
    lines = {collective["source"] for collective in gathers}  # of the update, not of the products
    assert len(gathers) == 2 and len(lines) == 1, collectives


def test_sums_of_small_batches_wait_for_loops(reports):
    collectives = reports["small batches, accumulated"]["collectives"]
    total = sum(collective["received_bytes"] * collective["times"] for collective in collectives)
    assert total == 2 * 7 / 8 * DENSE, collectives
