"""Programs that are cut for 8 devices give what one run on whole arrays gives, and move what they must."""

import functools
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
random = np.random.default_rng(0)

def array(shape, *spec):
    values = random.integers(-3, 4, shape).astype(np.float32) / 4
    return jax.device_put(values, NamedSharding(mesh, P(*spec)))

def mlp_step(x, up, down):
    def loss(up, down):
        return jnp.mean((jax.nn.relu(x @ up) @ down - x) ** 2)
    value, (d_up, d_down) = jax.value_and_grad(loss, argnums=(0, 1))(up, down)
    return value, up - 0.1 * d_up, down - 0.1 * d_down

def attention(x, w):
    q, k, v = (jnp.einsum("btd,dhe->bthe", x, w[i]) for i in range(3))
    weights = jax.nn.softmax(jnp.einsum("bqhe,bkhe->bhqk", q, k))
    return jnp.einsum("bhqk,bkhe->bqhe", weights, v)

def scan(x, w):
    return jax.lax.scan(lambda c, w: (jnp.tanh(c @ w), c.sum()), x, w)

def branches(x):
    x = jax.lax.cond(x.sum() > 1e6, lambda x: x + 1, lambda x: x.T.T * 2, x)
    return jax.lax.fori_loop(0, 3, lambda i, x: x + x.mean(0), x)

@jax.shard_map(mesh=mesh, in_specs=P("data", "model"), out_specs=P("data"))
def manual(x):
    return jax.lax.psum(x, "model") * (1 + jax.lax.axis_index("data"))

def mixed(x):
    x = jax.lax.with_sharding_constraint(x[:7].T, NamedSharding(mesh, P("model", "data")))
    return jnp.sort(x, axis=1), jnp.argmax(x, 0), jnp.cumsum(x, 0), jnp.roll(x, 3)

def noise(x):
    return x + jax.random.normal(jax.random.key(1), x.shape)

cases = [
    (mlp_step, array((16, 32), "data"), array((32, 64), None, "model"), array((64, 32), "model")),
    (attention, array((4, 8, 16), "data"), array((3, 16, 4, 8), None, None, "model")),
    (scan, array((8, 16), "data"), array((5, 16, 16), None, None, "model")),
    (branches, array((8, 12), "data", "model")),
    (lambda x: manual(x) + 1, array((8, 12), "data", "model")),
    (mixed, array((8, 12), "data", "model")),
    (noise, array((8, 12), "data", "model")),
]
for function, *arguments in cases:
    lowered = jax.jit(function).lower(*arguments)
    cut, whole = (lowered.compile(compiler_options={"partition": how}) for how in ("spmd", "whole"))
    ours, expected = cut(*arguments), whole(*arguments)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(expected)):
        assert a.sharding == b.sharding, (function, a.sharding, b.sharding)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
        for shard in a.addressable_shards:
            np.testing.assert_allclose(shard.data, np.asarray(b)[shard.index], rtol=1e-5, atol=1e-5)
    text = cut.as_text()
    # All-reduces, and arrays gathered.
    print(function.__name__, *(text.count(op) for op in ("all-reduce(", "gather_group")))
"""


def test_cut_programs_equal_whole_runs(subprocess_environment):
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**subprocess_environment, "TENON_NUM_DEVICES": "8"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    collectives = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    # Of a step the second layer's products are summed, and at once the loss and the two gradients; attention by heads is
    # local.
    assert collectives["mlp_step"] == "2 0"
    assert collectives["attention"] == "0 0"


WARNED = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
large, small = (jax.ShapeDtypeStruct((n,), jnp.float32, sharding=NamedSharding(mesh, P("x"))) for n in (18 << 20, 1 << 20))
for function in (lambda x: jnp.fft.rfft(x), lambda x: jnp.fft.rfft(x) + 1):
    for x in (large, large, small):
        jax.clear_caches()
        jax.jit(function).lower(x).compile(compiler_options={"partition": "spmd"})
"""


def test_large_arrays_that_are_computed_whole_are_warned_of_once(subprocess_environment):
    result = subprocess.run([sys.executable, "-c", WARNED], env=subprocess_environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    warnings = [line for line in result.stderr.splitlines() if line.startswith("tenon: warning: ")]
    assert len(warnings) == 2, result.stderr  # one for each of the two lines' places
    for column, warning in zip((27, 54), warnings):
        place = f"<string>:7:{column}: stablehlo.fft is computed whole on each of 8 devices, of 72.0 MiB"
        assert place in warning, result.stderr


@pytest.mark.parametrize("how", ["whole", "spmd"])
def test_parts_of_a_sum_are_given_to_callers_and_taken_back(how):
    over = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Explicit,), devices=jax.devices()[:2])
    options = {"partition": how}
    with jax.set_mesh(over):
        x = jax.device_put(jnp.arange(8.0).reshape(4, 2), P(None, "x"))
        y = jax.device_put(jnp.arange(8.0).reshape(2, 4), P("x", None))
        product = lambda x, y: jnp.einsum("ab,bc->ac", x, y, out_sharding=P(None, None, unreduced={"x"}))
        parts = jax.jit(product, compiler_options=options)(x, y)
        assert parts.sharding.spec.unreduced == {"x"}
        whole = jax.jit(lambda z: jax.sharding.reshard(z, P()), compiler_options=options)(parts)
        np.testing.assert_array_equal(whole, np.arange(8.0).reshape(4, 2) @ np.arange(8.0).reshape(2, 4))


@pytest.mark.parametrize("how", ["whole", "spmd"])
def test_what_devices_do_not_have_in_common_stays_theirs(how):
    mesh = jax.make_mesh((2, 4), ("x", "y"))

    @functools.partial(jax.shard_map, mesh=mesh, in_specs=P("x"), out_specs=(P("x"), P()), check_vma=False)
    def f(x):
        return x + jax.lax.axis_index("y"), jax.lax.psum(x.sum(), "x") + 10 * jax.lax.axis_index("y")

    x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("x")))
    rows, number = jax.jit(lambda x: [y * 2 for y in f(x)], compiler_options={"partition": how})(x)
    for place, device in np.ndenumerate(mesh.devices):
        own = {shard.device: shard.data for shard in rows.addressable_shards}[device]
        np.testing.assert_array_equal(own, 2 * (np.arange(4.0) + 4 * place[0] + place[1]))
        own = {shard.device: shard.data for shard in number.addressable_shards}[device]
        assert own == 2 * (28 + 10 * place[1])


def test_callbacks_of_cut_programs():
    """One device calls on whole arrays, unless each is to call on its part; results go to all."""
    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    x = jax.device_put(np.arange(8, dtype=np.float32), NamedSharding(mesh, P("x")))
    seen = []

    def note(name):
        return lambda value: seen.append((name, np.asarray(value).tolist()))

    def f(x):
        jax.debug.callback(note("sum"), x.sum())
        y = jax.pure_callback(lambda x: np.asarray(x) * 2, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
        z = jax.experimental.io_callback(lambda y: np.asarray(y) > 5, jax.ShapeDtypeStruct(x.shape, bool), y)
        jax.debug.callback(note("part"), x, partitioned=True)
        return jax.lax.fori_loop(0, 3, lambda i, y: (jax.debug.callback(note("loop"), y.max()), y + i)[1], y), z

    @jax.shard_map(mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    def manual(x):
        jax.debug.callback(note("manual"), x)
        return jax.pure_callback(lambda x: np.asarray(x) * 3, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    def run(f):
        seen.clear()
        result = jax.jit(f, compiler_options={"partition": "required"})(x)
        jax.block_until_ready(result)
        jax.effects_barrier()
        return result

    y, z = run(f)
    np.testing.assert_array_equal(y, 2 * np.arange(8) + 3)
    np.testing.assert_array_equal(z, np.arange(8) > 2)
    parts = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]
    assert sorted(value for name, value in seen if name == "part") == parts
    assert [one for one in seen if one[0] != "part"] == [("sum", 28.0), ("loop", 14.0), ("loop", 14.0), ("loop", 15.0)]
    np.testing.assert_array_equal(run(manual), 3 * np.arange(8))
    assert sorted(value for _, value in seen) == parts


@pytest.mark.parametrize("how", ["whole", "required"])
def test_callbacks_may_run_programs_for_the_same_devices(how):
    """Other devices wait for the callback meanwhile, or are in callbacks of their own, which do the same."""
    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    x = jax.device_put(np.arange(8, dtype=np.float32), NamedSharding(mesh, P("x")))
    inner = jax.jit(lambda x: jnp.sum(x * 2), compiler_options={"partition": how})
    innermost = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((), x.dtype), x) + x.max())

    def host(_):
        return np.asarray(inner(x))

    def host_of_a_host(_):
        return np.asarray(innermost(x))

    def f(x):
        return x.sum() + jax.pure_callback(host_of_a_host, jax.ShapeDtypeStruct((), x.dtype), x)

    assert float(jax.jit(f, compiler_options={"partition": how})(x)) == 28 + 56 + 7
    manual = jax.shard_map(lambda x: f(x)[None], mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    totals = jax.jit(manual, compiler_options={"partition": how})(x)
    np.testing.assert_array_equal(totals, np.array([1, 5, 9, 13]) + 56 + 7)


def test_random_numbers_of_a_cut_program_are_the_same_on_all_devices():
    mesh = jax.make_mesh((4,), ("x",), devices=jax.devices()[:4])
    x = jax.device_put(np.zeros(64, np.float32), NamedSharding(mesh, P("x")))
    f = lambda x: (x + jax.lax.rng_uniform(np.float32(0), np.float32(1), (64,)), jax.lax.rng_uniform(0, 1000000, (3,)))
    a, b = jax.jit(f, compiler_options={"partition": "required"})(x)
    assert len(np.unique(np.asarray(a))) > 32
    assert all(np.array_equal(shard.data, b) for shard in b.addressable_shards)


def test_devices_of_a_process_have_gathered_weights_once():
    mesh = jax.make_mesh((4, 2), ("data", "model"))
    random = np.random.default_rng(0)
    w = random.integers(-2, 3, (1024, 512)).astype(np.float32)
    x = random.integers(-1, 2, (8, 1024)).astype(np.float32)

    def step(w, x):
        return w - jnp.round(jax.grad(lambda w: ((x @ w) ** 2).sum())(w) / 1024)

    given = jax.device_put(w, NamedSharding(mesh, P()))
    rows = jax.device_put(x, NamedSharding(mesh, P("data")))
    keeping = jax.jit(step, compiler_options={"partition": "spmd"})
    donating = jax.jit(step, compiler_options={"partition": "spmd"}, donate_argnums=0)
    first = keeping(given, rows)
    pointers = {shard.data.unsafe_buffer_pointer() for shard in first.addressable_shards}
    assert len(pointers) <= 2  # devices along "model" meet no others
    second = keeping(first, rows)
    third = donating(second, rows)
    assert second.is_deleted()
    expected = [w]
    for _ in range(3):
        expected.append(expected[-1] - np.round(2 * x.T @ (x @ expected[-1]) / 1024))
    for array, values in ((given, expected[0]), (first, expected[1]), (third, expected[3])):
        for shard in array.addressable_shards:
            np.testing.assert_array_equal(shard.data, values)


@pytest.mark.parametrize("batch", [16, 24, 1024])
@pytest.mark.parametrize("spec", [P(), P(None, "data"), P(None, None, "data"), P("data")])
def test_gradients_of_scanned_layers_are_those_of_whole_runs(batch, spec):
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    random = np.random.default_rng(0)
    put = lambda shape, *spec: jax.device_put(
        random.integers(-2, 3, shape).astype(np.float32) / 64, NamedSharding(mesh, P(*spec))
    )
    weights = {"up": put((8, 128, 192), *spec), "down": put((8, 192, 128), *spec), "bias": put((8, 192))}
    x = put((batch, 128), "data")

    def layer(x, w):
        return x + jnp.tanh(x @ w["up"] + w["bias"]) @ w["down"], x.mean()

    def step(weights, x, is_reversed):
        loss = lambda w: (jax.lax.scan(layer, x, w, reverse=is_reversed)[0] ** 2).mean()
        return jax.tree.map(lambda w, d: w - 0.1 * d, weights, jax.grad(loss)(weights))

    for is_reversed in (False, True):
        whole, cut, again = (
            jax.jit(functools.partial(step, is_reversed=is_reversed), compiler_options={"partition": how})(weights, x)
            for how in ("whole", "required", "required")
        )
        for a, b, c in zip(*map(jax.tree.leaves, (whole, cut, again))):
            np.testing.assert_allclose(a, b, atol=1e-5 * np.abs(a).max())
            np.testing.assert_array_equal(b, c)


def test_updates_in_parts_have_the_bits_of_whole_ones():
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    random = np.random.default_rng(0)
    values = [random.normal(size=size).astype(np.float32) for size in ((128, 96), (128, 96), (1024, 128), (1024, 96))]
    w, m, x, y = (
        jax.device_put(value, NamedSharding(mesh, P("data") if i > 1 else P())) for i, value in enumerate(values)
    )

    def step(w, m, x, y):
        gradient = jax.grad(lambda w: ((jnp.tanh(x @ w) - y) ** 2).mean())(w)
        m = 0.9 * m + 0.1 * gradient
        return w - m / (jnp.sqrt(jnp.square(gradient)) + 1e-3), m

    results = []
    for shared in (True, False):
        compiled = jax.jit(step).lower(w, m, x, y).compile({"partition": "spmd", "shared_memory": shared})
        results.append(compiled(w, m, x, y))
        memories = {shard.data.unsafe_buffer_pointer() for shard in results[-1][1].addressable_shards}
        assert (len(memories) == 1) == shared
    for parts, whole in zip(*results, strict=True):
        assert np.asarray(parts).tobytes() == np.asarray(whole).tobytes()


def training_step(rows):
    """A step that is cut for 8 devices and takes weights that all have, their shardings, weights and a batch."""
    mesh = jax.make_mesh((8,), ("data",))
    everywhere, by_rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))

    def step(w, x):
        return w - jnp.round(jax.grad(lambda w: jnp.sum((x @ w) ** 2))(w) / (8 * rows))

    random = np.random.default_rng(0)
    w, x = (random.integers(-most, most + 1, shape).astype(np.float32) for most, shape in ((9, (rows, 512)), (1, (16, rows))))
    x = jax.device_put(x, by_rows)
    jitted = jax.jit(step, donate_argnums=0, out_shardings=everywhere).lower(jax.device_put(w, everywhere), x)
    cut, whole = (jitted.compile(compiler_options={"partition": how}) for how in ("required", "whole"))
    return cut, whole, lambda: jax.device_put(w, everywhere), x


def pointers(array):
    return {shard.data.unsafe_buffer_pointer() for shard in array.addressable_shards}


def test_results_without_stated_shardings_are_computed_in_donated_arrays():
    by_rows = NamedSharding(jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,)), P("data"))
    w, m, x = (jax.device_put(np.full((64, 32), value, np.float32), by_rows) for value in (1, 2, 3))
    jitted = jax.jit(lambda w, m, x: (m + x, w - m * x, w.sum()), donate_argnums=(0, 1))
    lowered = jitted.lower(w, m, x)
    assert "jax.buffer_donor" in lowered.as_text()
    compiled = lowered.compile(compiler_options={"partition": "required"})
    assert compiled.memory_analysis().alias_size_in_bytes == 2 * 64 * 32 * 4 / 4
    expected = [np.full((64, 32), value, np.float32) for value in (1, 2, 3)]
    for step in range(4):
        before = pointers(w), pointers(m)
        given = w, m
        w, m, total = compiled(w, m, x)
        assert total == expected[0].sum() and all(array.is_deleted() for array in given)
        expected[:2] = expected[1] + expected[2], expected[0] - expected[1] * expected[2]
        jax.block_until_ready((w, m))
        del given
        np.testing.assert_array_equal(np.array(w), expected[0])
        np.testing.assert_array_equal(np.array(m), expected[1])
        if step:  # what the host has put there is not written
            assert (pointers(w), pointers(m)) == before


@pytest.mark.parametrize("rows, blocks", [(512, 2), (1024, 1)])
def test_weights_that_steps_give_away_stay_in_blocks_that_all_devices_have(rows, blocks):
    cut, whole, weights, x = training_step(rows)
    w, expected, seen = weights(), weights(), []
    for _ in range(12):
        w, expected = cut(w, x), whole(expected, x)
    jax.block_until_ready(w)
    np.testing.assert_array_equal(w, expected)
    # Whoever runs behind another keeps that one's arrays for a moment, and then memory is fresh.
    for _ in range(40):
        w = cut(w, x)
        assert len(pointers(w)) == 1
        seen += pointers(w)
    repeated = sum(seen[i] == seen[i - blocks] for i in range(blocks, len(seen)))
    assert repeated > len(seen) / 2


@pytest.mark.parametrize("rows", [512, 1024])
def test_weights_that_somebody_reads_are_not_overwritten(rows):
    cut, _, weights, x = training_step(rows)
    w = cut(cut(weights(), x), x)
    held = np.asarray(w.addressable_shards[5].data)
    before = held.copy()
    for _ in range(6):
        w = cut(w, x)
    jax.block_until_ready(w)
    np.testing.assert_array_equal(held, before)
