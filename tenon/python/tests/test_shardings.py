"""Where results and open arguments lie is XLA's choice, since it is Shardy's: the same functions with the same
shardings give the same ones on the platform cpu."""

import os
import subprocess
import sys

# Prints the shardings of the results and the compiled arguments of each function, on 8 devices of any platform.
PROGRAM = """
import sys
import jax, jax.numpy as jnp, numpy as np
from jax.experimental.shard_alike import shard_alike
from jax.sharding import NamedSharding, PartitionSpec as P

jax.config.update("jax_enable_x64", False)
mesh = jax.sharding.Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("x", "y"))
put = lambda *spec: NamedSharding(mesh, P(*spec))
f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
constrain = jax.lax.with_sharding_constraint


def scanned(x, w):
    return jax.lax.scan(lambda c, row: (jnp.tanh(c @ w + row), c.sum(0)), jnp.zeros((8, 16)), x)


def loop(x):
    return jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2 + c[1].sum(0)), (0, x))[1]


def attention(q, k, v):
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k)), v)


def mapped(x):
    body = lambda x: jax.lax.psum(jnp.sin(x), "x")
    return jax.shard_map(body, mesh=mesh, in_specs=P("x", None), out_specs=P(None, None), axis_names={"x"})(x)


def between(x):
    body = lambda x: constrain(jax.lax.psum(x, "x"), P(None, "y")) * jax.lax.axis_index("x")
    return jax.shard_map(
        body, mesh=mesh, in_specs=P("x", None), out_specs=P("x"), axis_names={"x"}, check_vma=False
    )(x).sum(0)


train = jax.grad(lambda w, x: jnp.sum(jax.nn.relu(x @ w[0]) @ w[1]), allow_int=True)
XY, X, Y, N = put("x", "y"), put("x", None), put(None, "y"), None
CASES = [
    ("add", lambda x: x + 1, [f(8, 16)], [XY]),
    ("add of two", lambda x, y: x * y, [f(8, 16), f(8, 16)], [X, Y]),
    ("open argument", lambda x, y: x + y, [f(8, 16), f(8, 16)], [XY, N]),
    ("matmul", lambda x, w: x @ w, [f(8, 16), f(16, 32)], [X, Y]),
    ("matmul over a cut dimension", lambda x, w: x @ w, [f(8, 16), f(16, 32)], [put(None, "y"), put("y", None)]),
    ("sum", lambda x: x.sum(1), [f(8, 16)], [XY]),
    ("mean and centre", lambda x: x - x.mean(0, keepdims=True), [f(8, 16)], [XY]),
    ("argmax", lambda x: jnp.argmax(x, 0), [f(8, 16)], [XY]),
    ("transpose", lambda x: x.T, [f(8, 16)], [XY]),
    ("reshape", lambda x: x.reshape(128), [f(8, 16)], [XY]),
    ("reshape apart", lambda x: x.reshape(2, 4, 16), [f(8, 16)], [put(("x", "y"), None)]),
    ("broadcast", lambda x: jnp.broadcast_to(x[:, None], (8, 4, 16)), [f(8, 16)], [XY]),
    ("slice", lambda x: x[:4], [f(8, 16)], [XY]),
    ("uneven", lambda x: x[:7], [f(8, 16)], [XY]),
    ("concatenate", lambda x, y: jnp.concatenate([x, y]), [f(8, 16), f(8, 16)], [XY, XY]),
    ("pad", lambda x: jnp.pad(x, ((0, 8), (0, 0))), [f(8, 16)], [XY]),
    ("roll", lambda x: jnp.roll(x, 3, 0), [f(8, 16)], [XY]),
    ("reverse", lambda x: x[::-1], [f(8, 16)], [XY]),
    ("sort", lambda x: jnp.sort(x, 1), [f(8, 16)], [XY]),
    ("cumsum", lambda x: jnp.cumsum(x, 0), [f(8, 16)], [XY]),
    ("gather", lambda x: x[jnp.array([1, 3, 5, 7])], [f(8, 16)], [XY]),
    ("scatter", lambda x: x.at[jnp.array([1, 3])].add(1), [f(8, 16)], [XY]),
    ("dynamic slice", lambda x, i: jax.lax.dynamic_slice(x, (i, 0), (4, 16)),
     [f(8, 16), jax.ShapeDtypeStruct((), jnp.int32)], [XY, N]),
    # At a known place, XLA makes a slice of it before shardings spread.
    ("known place", lambda x: jax.lax.dynamic_slice(x, (2, 3), (4, 8)), [f(8, 16)], [XY]),
    ("known place out of the array", lambda x: jax.lax.dynamic_slice(x, (7, -20), (4, 8)), [f(8, 16)], [XY]),
    ("computed place", lambda x: jax.lax.dynamic_slice(x, (jnp.array([1, 2])[1], jnp.minimum(5, 4)), (4, 8)),
     [f(8, 16)], [XY]),
    ("place in a scan",
     lambda x: jax.lax.scan(lambda c, _: (c, jax.lax.dynamic_slice(c, (2, 0), (4, 16))), x, None, 2)[1],
     [f(8, 16)], [XY]),
    ("known gather", lambda x: jax.lax.gather(x, jnp.array([2, 0]), jax.lax.GatherDimensionNumbers(
        offset_dims=(0,), collapsed_slice_dims=(1,), start_index_map=(0, 1)), (4, 1)), [f(8, 16)], [XY]),
    ("known places of rows", lambda x: jax.vmap(lambda row: jax.lax.dynamic_slice(row, (2,), (8,)))(x),
     [f(8, 16)], [XY]),
    ("one of a concatenation", lambda x, y: jnp.concatenate([x, y])[:8] * 2, [f(8, 16), f(8, 16)], [X, Y]),
    ("part of a concatenation", lambda x, y: jnp.concatenate([x, x, y], 1)[:, 20:44], [f(8, 16), f(8, 16)], [X, XY]),
    ("empty concatenation", lambda x, y: jnp.concatenate([x[:0], y]), [f(8, 16), f(8, 16)], [X, Y]),
    ("no elements", lambda x: (x[:0] * 2, x[:0].sum(0), jax.lax.complex(x, x)[:, :0]), [f(8, 16)], [XY]),
    ("elements of none", lambda x: (x.sum(0), x.T, x + 1), [f(0, 16)], [put(None, "y")]),
    ("reshapes", lambda x: x.reshape(128).reshape(4, 2, 16), [f(8, 16)], [XY]),
    ("update", lambda x, y: jax.lax.dynamic_update_slice(x, y, (2, 0)), [f(8, 16), f(4, 16)], [XY, X]),
    ("fft", lambda x: jnp.fft.fft(x).real, [f(8, 16)], [XY]),
    ("where and iota", lambda x: jnp.where(jnp.arange(16) > 3, x, 0.0), [f(8, 16)], [XY]),
    ("random", lambda x: x + jax.random.normal(jax.random.key(0), (8, 16)), [f(8, 16)], [XY]),
    ("while", loop, [f(8, 16)], [XY]),
    ("scan", scanned, [f(4, 8, 16), f(16, 16)], [put(None, "x", None), put(None, "y")]),
    ("cond", lambda x: jax.lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), [f(8, 16)], [XY]),
    ("attention", attention, [f(4, 8, 4, 16)] * 3, [put("x", None, "y", None)] * 3),
    ("gradient", train, [(f(16, 32), f(32, 8)), f(8, 16)], [(put(None, "y"), put("y", None)), X]),
    ("constraint", lambda x: constrain(x * 2, put("y", "x")) + 1, [f(8, 16)], [XY]),
    ("open constraint", lambda x: constrain(x.T @ x, put("y", P.UNCONSTRAINED)).T, [f(8, 16)], [XY]),
    ("alike", lambda x, y: shard_alike(x, y)[1] * 2, [f(8, 16), f(8, 16)], [XY, N]),
    ("shard_map", mapped, [f(8, 16)], [put(None, "y")]),
    ("shard_map over some axes", between, [f(8, 16)], [XY]),
    ("convolution", lambda x, w: jax.lax.conv(x, w, (1, 1), "SAME"), [f(4, 8, 8, 8), f(8, 8, 3, 3)],
     [put("x", None, None, None), put("y", None, None, None)]),
]


def text(shardings, shapes):
    def one(sharding, shape):
        tile = sharding.shard_shape(shape.shape)
        held = sharding.devices_indices_map(shape.shape)
        return f"{tile} " + " ".join(str([index.start or 0 for index in held[d]]) for d in jax.devices()[:8])

    return [one(s, shape) for s, shape in zip(jax.tree.leaves(shardings), jax.tree.leaves(shapes))]


for name, function, arguments, shardings in CASES:
    if len(sys.argv) > 1 and name not in sys.argv:
        continue
    lowered = jax.jit(function, in_shardings=tuple(shardings)).lower(*arguments)
    compiled = lowered.compile()
    kept, _ = compiled.input_shardings
    print(name, text(kept, arguments), text(compiled.output_shardings, lowered.out_info))
"""


# Computes functions that are written for single devices, in both notations.
COMPUTATIONS = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("x", "y"))
x = jax.device_put(np.arange(128, dtype=np.float32).reshape(8, 16), NamedSharding(mesh, P("x", "y")))
lax = jax.lax
XY, X, Y = P("x", "y"), P("x"), P("y")


def mapped(body, inside, outside, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=inside, out_specs=outside, **options)


def partly(x):
    return lax.with_sharding_constraint(lax.ppermute(x, "x", [(0, 1), (1, 0)]), P(None, "y")) + lax.axis_index("x")


def loop(x):
    return lax.fori_loop(0, 3, lambda i, c: mapped(lambda a: a + lax.psum(a, "y") * i, XY, XY)(c), x)


CASES = [
    mapped(lambda a: lax.psum(a, "y") + lax.axis_index("x"), XY, X),
    mapped(partly, P("x", None), X, axis_names={"x"}, check_vma=False),
    mapped(lambda a: lax.scan(lambda c, t: (c + lax.psum(t, "x"), t), lax.psum(a[0], "x"), a)[0], XY, Y),
    mapped(lambda a: lax.all_gather(a, "y", axis=1, tiled=True) * 2, XY, X, check_vma=False),
    lambda x: mapped(lambda a, b: (a + b, a.sum()[None]), (XY, P()), (XY, P(("x", "y"))))(x, x[0, 0])[1],
    jax.grad(lambda x: mapped(lambda a: lax.psum(a * a, ("x", "y")), XY, P())(x).sum()),
    loop,
]
for function in CASES:
    numbers = []
    for shardy in (True, False):
        jax.config.update("jax_use_shardy_partitioner", shardy)
        lowered = jax.jit(lambda x: function(x)).lower(x)
        assert ("SPMDFullToShardShape" in lowered.as_text()) != shardy
        numbers.append(np.asarray(lowered.compile()(x)))
    np.testing.assert_array_equal(*numbers)
"""


def lines(environment, program=PROGRAM, cases=()):
    result = subprocess.run(
        [sys.executable, "-c", program, *cases],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_shardings_are_those_of_xla(subprocess_environment):
    flags = "--xla_force_host_platform_device_count=8"
    expected = lines({**subprocess_environment, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags})
    ours = lines(subprocess_environment)
    assert len(expected) > 30
    differences = [pair for pair in zip(ours, expected) if pair[0] != pair[1]]
    assert not differences


# Those that are most about annotations; TENON_TEST_WHOLE=1 takes all.
ANNOTATED = ("open argument", "reshape apart", "constraint", "open constraint", "alike", "shard_map over some axes")


def test_annotations_in_xlas_notation_say_the_same(subprocess_environment):
    cases = () if os.environ.get("TENON_TEST_WHOLE") else ANNOTATED
    annotated = lines({**subprocess_environment, "JAX_USE_SHARDY_PARTITIONER": "0"}, cases=cases)
    assert len(annotated) >= len(ANNOTATED)
    assert annotated == lines(subprocess_environment, cases=cases)


def test_computations_in_xlas_notation_are_the_same(subprocess_environment):
    lines(subprocess_environment, COMPUTATIONS)
