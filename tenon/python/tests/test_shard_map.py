"""jax.shard_map and jax.pmap: what is written for one device runs as one process for each."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src import dispatch
from jax.experimental import io_callback
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def mesh(**axes):
    devices = np.array(jax.devices()[: int(np.prod(list(axes.values())))])
    return jax.sharding.Mesh(devices.reshape(list(axes.values())), tuple(axes))


def mapped(function, *arguments, over=None, specs=P("x"), out=P("x"), **options):
    return jax.jit(
        jax.shard_map(function, mesh=over or mesh(x=4), in_specs=specs, out_specs=out, **options)
    )(*arguments)


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


# JAX 0.10.1 wraps the index in one more region, over axes that are bound already, and refuses that on every platform.
lowers_nested_index = pytest.mark.xfail(
    jax.__version_info__ < (0, 10, 2), raises=ValueError, strict=True, reason="JAX lowers no axis_index here"
)


def test_collectives():
    x = numbers(8, 3)
    parts = x.reshape(4, 2, 3)
    np.testing.assert_array_equal(mapped(lambda v: lax.psum(v, "x"), x, out=P()), parts.sum(0))
    np.testing.assert_array_equal(mapped(lambda v: lax.all_gather(v, "x")[None], x), np.stack([parts] * 4))
    np.testing.assert_array_equal(mapped(lambda v: v + lax.axis_index("x"), x), x + np.repeat(range(4), 2)[:, None])
    ring = [(i, (i + 1) % 4) for i in range(4)]
    np.testing.assert_array_equal(mapped(lambda v: lax.ppermute(v, "x", ring), x), np.roll(x, 2, 0))
    square = numbers(8, 8)
    swapped = mapped(lambda v: lax.all_to_all(v, "x", 1, 0, tiled=True), square)
    np.testing.assert_array_equal(swapped, square.reshape(4, 2, 4, 2).transpose(2, 0, 1, 3).reshape(32, 2))


def test_results_are_where_they_belong():
    result = mapped(lambda v: v * 2, numbers(8, 3))
    assert result.sharding.spec == P("x") and len(result.addressable_shards) == 4
    np.testing.assert_array_equal(result.addressable_shards[3].data, numbers(8, 3)[6:] * 2)


def test_what_is_whole_on_each_device():
    total = mapped(lambda v: lax.psum(v, "x"), numbers(3), specs=P(), out=P(), check_vma=False)
    np.testing.assert_array_equal(total, 4 * numbers(3))
    np.testing.assert_array_equal(mapped(lambda v: v + 1, numbers(3), specs=P(), out=P()), numbers(3) + 1)


def test_two_axes_and_some_of_them():
    over = mesh(x=2, y=4)
    a, b = numbers(4, 8), numbers(8, 6)
    product = mapped(
        lambda u, v: lax.psum(u @ v, "y"), a, b, over=over, specs=(P("x", "y"), P("y", None)), out=P("x", None)
    )
    np.testing.assert_allclose(product, a @ b)
    both = mapped(lambda v: lax.psum(v, "x"), numbers(8, 3), over=over, specs=P(("y", "x")), out=P("y"))
    np.testing.assert_array_equal(both, numbers(4, 2, 3).sum(1, keepdims=True).reshape(4, 3))
    # The other axis stays the compiler's.
    partly = jax.shard_map(
        lambda v: lax.psum(v, "x"), mesh=over, in_specs=P("x"), out_specs=P(), axis_names={"x"}
    )
    np.testing.assert_array_equal(jax.jit(partly)(numbers(4, 3)), numbers(2, 2, 3).sum(0))


def test_in_loops_and_among_other_operations():
    @jax.jit
    def run(x):
        step = jax.shard_map(
            lambda v: lax.ppermute(v, "x", [(i, (i + 1) % 4) for i in range(4)]) + 1,
            mesh=mesh(x=4), in_specs=P("x"), out_specs=P("x"),
        )
        y = lax.fori_loop(0, 5, lambda _, v: step(v), jnp.sin(x))
        return (y**2).sum(), y

    x = numbers(8)
    expected = np.roll(np.sin(x), 10) + 5
    total, y = run(x)
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    np.testing.assert_allclose(total, (expected**2).sum(), rtol=1e-6)


def test_loops_that_communicate():
    def body(v):
        return lax.while_loop(lambda s: s[1] < 100, lambda s: (s[0] * 2, lax.psum(s[0].sum(), "x")), (v, 0.0))

    values, total = mapped(body, numbers(8), out=(P("x"), P()), check_vma=False)
    np.testing.assert_array_equal(values, numbers(8) * 8)
    assert total == 112


def test_gradients():
    def loss(w, x):
        f = jax.shard_map(
            lambda w, v: lax.psum((jnp.tanh(v @ w) ** 2).sum(), "x"),
            mesh=mesh(x=4), in_specs=(P(), P("x")), out_specs=P(),
        )
        return f(w, x)

    x, w = numbers(8, 3) / 24, np.array([0.1, -0.2, 0.3], np.float32)
    np.testing.assert_allclose(
        jax.jit(jax.grad(loss))(w, x), jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).sum())(w), rtol=1e-5
    )


def test_pmap():
    y, places = jax.pmap(lambda x: (x / lax.psum(x, "i"), lax.axis_index("i")), axis_name="i")(numbers(8, 3) + 1)
    np.testing.assert_allclose(y, (numbers(8, 3) + 1) / (numbers(8, 3) + 1).sum(0), rtol=1e-6)
    assert list(places) == list(range(8))


def test_callbacks_are_called_on_each_device():
    calls = []

    def double(v):
        calls.append(v.shape)
        return 2 * np.asarray(v)

    def body(v):
        return jax.pure_callback(double, jax.ShapeDtypeStruct(v.shape, v.dtype), v)

    np.testing.assert_array_equal(mapped(body, numbers(8, 3)), 2 * numbers(8, 3))
    assert calls == [(2, 3)] * 4


def test_callbacks_that_compute_on_one_device_only():
    def double(v):
        return np.asarray(jnp.asarray(v) * 2 + jnp.ones(3, np.float32).sum())

    def body(v):
        def call(x):
            return jax.pure_callback(double, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

        return lax.cond(lax.axis_index("x") == 1, call, lambda x: x, v)

    expected = numbers(8, 3)
    expected[2:4] = expected[2:4] * 2 + 3
    np.testing.assert_array_equal(mapped(body, numbers(8, 3), check_vma=False), expected)


@pytest.mark.parametrize("indexed", [False, pytest.param(True, marks=lowers_nested_index)])
@pytest.mark.parametrize("outer, inner", [("x", "y"), ("y", "x")])
def test_one_in_another(outer, inner, indexed):
    over = mesh(x=2, y=4)
    x = numbers(8, 4, 3)
    size = over.shape[outer]

    def within(v):
        return v * 10 + (lax.axis_index(inner) if indexed else 0) + lax.psum(v.sum(), (inner,))

    def body(v):
        y = jax.shard_map(
            within, mesh=jax.sharding.get_abstract_mesh(), in_specs=P(None, inner), out_specs=P(None, inner),
            axis_names={inner},
        )(jnp.sin(v))
        return y + lax.psum(y, outer)

    step = jax.shard_map(body, mesh=over, in_specs=P(outer), out_specs=P(outer), axis_names={outer})
    parts = np.sin(x).reshape(size, 8 // size, 4, 3)
    places = indexed * np.repeat(np.arange(over.shape[inner]), 4 // over.shape[inner])[:, None]
    y = parts * 10 + places + parts.sum((1, 2, 3), keepdims=True)
    np.testing.assert_allclose(jax.jit(step)(x), (y + y.sum(0)).reshape(x.shape), rtol=1e-5, atol=1e-4)


@lowers_nested_index
def test_one_in_another_over_both_axes():
    over = mesh(x=2, y=2, z=2)
    x = numbers(4, 8)

    def body(v):
        inner = jax.shard_map(
            lambda u: u + 100 * lax.axis_index("y") + 10 * lax.axis_index("z"),
            mesh=jax.sharding.get_abstract_mesh(), in_specs=P(None, ("z", "y")), out_specs=P(None, ("z", "y")),
            axis_names={"y", "z"},
        )
        return inner(v) + lax.axis_index("x")

    step = jax.shard_map(body, mesh=over, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
    along = np.array([0, 0, 100, 100, 10, 10, 110, 110])
    np.testing.assert_array_equal(jax.jit(step)(x), x + along + np.repeat([0, 1], 2)[:, None])


def test_ragged_all_to_all():
    def exchange(*arguments):
        return lax.ragged_all_to_all(*arguments, axis_name="x")

    ints = functools.partial(np.array, dtype=np.int32)
    arguments = [numbers(8) + 1, np.zeros(8, np.float32), ints([0, 1, 0, 2]), ints([1, 2, 2, 1]), ints([0, 0, 1, 2]),
                 ints([1, 2, 2, 1])]
    result = mapped(exchange, *arguments, over=mesh(x=2))
    np.testing.assert_array_equal(result, [1, 5, 6, 0, 2, 3, 7, 0])
    arguments[3][1] = 4
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"rows 1 to 5 of f32\[4\] cannot go to row 0"):
        mapped(exchange, *arguments, over=mesh(x=2)).block_until_ready()


def test_a_device_that_fails_ends_all():
    def body(v):
        def check(x):
            if x.sum() > 20:
                raise ValueError("too much")
            return x

        return lax.psum(jax.pure_callback(check, jax.ShapeDtypeStruct(v.shape, v.dtype), v), "x")

    with pytest.raises(jax.errors.JaxRuntimeError, match="too much"):
        mapped(body, numbers(8, 3), out=P()).block_until_ready()
    dispatch.runtime_tokens.clear()  # of the failed run


def test_arguments_that_are_placed_already():
    over = mesh(x=4)
    x = jax.device_put(numbers(8, 3), NamedSharding(over, P("x")))
    step = jax.jit(jax.shard_map(lambda v: v - lax.pmean(v, "x"), mesh=over, in_specs=P("x"), out_specs=P("x")),
                   donate_argnums=0)
    expected = numbers(4, 2, 3)
    for _ in range(3):
        x = step(x)
        expected = expected - expected.mean(0)
    np.testing.assert_allclose(x, expected.reshape(8, 3), rtol=1e-6)


@pytest.mark.parametrize("partition, devices", [("whole", 4), ("spmd", 1)])
def test_memory_that_the_devices_take(partition, devices):
    """Of a program that is cut, what one of them takes."""
    step = jax.jit(
        jax.shard_map(
            lambda v: jnp.sort(lax.psum(jnp.sort(v), "x")), mesh=mesh(x=4), in_specs=P("x"), out_specs=P("x")
        )
    )
    lowered = step.lower(jax.ShapeDtypeStruct((4096,), np.float32))
    analysis = lowered.compile(compiler_options={"partition": partition}).memory_analysis()
    assert analysis.temp_size_in_bytes >= devices * 4096  # what each sorts first


def test_effects_in_order():
    """Those of one device are in the order of the program, and the arrays around them have their values."""
    seen = []

    def step(i):
        return lambda v: seen.append((i, int(v[0])))

    def f(x):
        for i in range(3):
            io_callback(step(i), None, x, ordered=True)
        doubled = io_callback(lambda v: np.asarray(v) * 2, jax.ShapeDtypeStruct((2,), np.int32), x, ordered=True)
        return doubled + 1

    x = np.arange(8, dtype=np.int32)
    result = jax.block_until_ready(mapped(f, x))
    jax.effects_barrier()
    np.testing.assert_array_equal(result, 2 * x + 1)
    for first in (0, 2, 4, 6):  # of the parts of the devices
        assert [i for i, v in seen if v == first] == [0, 1, 2]


def test_effects_before_and_after():
    seen = []
    inner = jax.shard_map(
        lambda v: io_callback(lambda v: seen.append("inner"), None, v, ordered=True),
        mesh=mesh(x=4), in_specs=P("x"), out_specs=None,
    )

    @jax.jit
    def run(x):
        inner(x)
        inner(x + 1)

    run(np.arange(8))
    jax.effects_barrier()
    assert seen == ["inner"] * 8


def test_collectives_that_are_begun_and_awaited():
    parallel = pytest.importorskip("jax._src.lax.parallel")
    if not hasattr(parallel, "psum_start"):
        pytest.skip("this version of JAX has none")
    x = numbers(8, 3)
    begun = jax.shard_map(lambda v: parallel.psum_start(v, "x").done(), mesh=mesh(x=4), in_specs=P("x"), out_specs=P())
    if "async_start" not in jax.jit(begun).lower(x).as_text():
        pytest.skip("this version of JAX writes calls that are XLA's own")
    result = jax.jit(begun)(x)
    np.testing.assert_array_equal(result, x.reshape(4, 2, 3).sum(0))
    ring = [(i, (i + 1) % 4) for i in range(4)]
    result = mapped(lambda v: parallel.ppermute_start(v, "x", ring).done(), x)
    np.testing.assert_array_equal(result, np.roll(x, 2, 0))


def stages(v):
    """Four stages of a pipeline: each adds its number to what the one before has sent; three batches pass through."""
    chain = [(i, i + 1) for i in range(3)]
    place = lax.axis_index("x")
    done = []
    for batch in range(3):
        token = lax.create_token()
        received = lax.precv(token, jax.ShapeDtypeStruct(v.shape, v.dtype), "x", chain)
        own = jnp.where(place == 0, v + 100 * batch, received) + place
        done.append(own)
        lax.psend(own, "x", chain)
    return jnp.stack(done)


@pytest.mark.parametrize("partition", ["whole", "required"])
def test_messages_between_devices(partition):
    x = numbers(4)
    step = jax.shard_map(stages, mesh=mesh(x=4), in_specs=P(), out_specs=P(None, "x"), check_vma=False)
    results = jax.jit(step, compiler_options={"partition": partition})(x)
    expected = [[x + 100 * batch + sum(range(place + 1)) for place in range(4)] for batch in range(3)]
    np.testing.assert_array_equal(results, np.array(expected).reshape(3, 16))


@pytest.mark.parametrize("partition", ["whole", "required"])
def test_messages_in_a_loop_keep_their_order(partition):
    ring = [(i, (i + 1) % 4) for i in range(4)]

    def body(_, v):
        token = lax.psend(v, "x", ring)
        received = lax.precv(token, jax.ShapeDtypeStruct(v.shape, v.dtype), "x", ring)
        return received + lax.psum(v, "x")

    def turn(v):
        return lax.fori_loop(0, 3, body, v)

    x = numbers(8)
    step = jax.shard_map(turn, mesh=mesh(x=4), in_specs=P("x"), out_specs=P("x"), check_vma=False)
    expected = x.reshape(4, 2)
    for _ in range(3):
        expected = np.roll(expected, 1, 0) + expected.sum(0)
    np.testing.assert_array_equal(jax.jit(step, compiler_options={"partition": partition})(x), expected.reshape(8))


@pytest.mark.parametrize("partition", ["whole", "required"])
def test_a_message_that_nobody_sends(partition):
    def wait(v):
        lax.psend(v, "x", [(0, 1)])
        return lax.precv(lax.create_token(), jax.ShapeDtypeStruct(v.shape, v.dtype), "x", [(2, 1)])

    step = jax.shard_map(wait, mesh=mesh(x=4), in_specs=P("x"), out_specs=P("x"), check_vma=False)
    with pytest.raises(jax.errors.JaxRuntimeError, match="receives from channel 1 from process 2 to process 1"):
        jax.block_until_ready(jax.jit(step, compiler_options={"partition": partition})(numbers(4)))
    dispatch.runtime_tokens.clear()  # which has failed with the program
