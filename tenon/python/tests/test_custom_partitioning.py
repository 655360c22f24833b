"""Functions that say themselves what each device computes of them (jax.experimental.custom_partitioning)."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec as P

HOW = ["whole", "required"]


@pytest.fixture(scope="module")
def mesh():
    return jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))


def compiled(f, how, **options):
    return jax.jit(f, compiler_options={"partition": how}, **options)


def shardings(arrays):
    return jax.tree.map(lambda array: array.sharding, arrays)


def placed(mesh, values, *spec):
    return jax.device_put(values, NamedSharding(mesh, P(*spec)))


def elementwise(function, follows_result=False):
    """A function that lies as its operands do, or as its result, and the parts that it has been asked for."""
    seen = []

    def partition(mesh, arguments, result):
        def local(*parts):
            seen.append([part.shape for part in parts])
            return function(*parts)

        operands = (result.sharding,) * len(arguments) if follows_result else shardings(arguments)
        return mesh, local, result.sharding, operands

    partitioned = custom_partitioning(function)
    return partitioned, partition, seen


@pytest.mark.parametrize("how", HOW)
def test_each_device_computes_its_part(mesh, how):
    f, partition, seen = elementwise(lambda x: jnp.sin(x) * 2)
    f.def_partition(partition, sharding_rule="i j -> i j")
    values = np.arange(32.0).reshape(8, 4)
    result = compiled(lambda x: f(x + 1).T, how)(placed(mesh, values, "y", "x"))
    np.testing.assert_allclose(result, (np.sin(values + 1) * 2).T)
    assert seen == [[(2, 2)]] and result.sharding.spec == P("x", "y")


@pytest.mark.parametrize("how", HOW)
def test_parts_may_be_added_up(mesh, how):
    @custom_partitioning
    def total(x):
        return x.sum(axis=1)

    def partition(mesh, arguments, result):
        axes = arguments[0].sharding.spec[1]

        def local(part):
            assert part.shape == (4, 2)
            return jax.lax.psum(part.sum(axis=1), axes) + 0 * jax.lax.axis_index("x")

        return mesh, local, NamedSharding(mesh, P(arguments[0].sharding.spec[0])), shardings(arguments)

    total.def_partition(partition, sharding_rule="i j -> i", reduction_factors=("j",))
    values = np.arange(64.0).reshape(8, 8)
    result = compiled(total, how)(placed(mesh, values, "x", "y"))
    np.testing.assert_array_equal(result, values.sum(1))
    assert result.sharding.spec == P("x")


@pytest.mark.parametrize("how", HOW)
def test_operands_are_brought_to_where_they_are_wanted(mesh, how):
    """Along a dimension that is needed whole, and of a result that lies otherwise than its users want it."""

    def batch_alone(sharding, rank):
        return NamedSharding(sharding.mesh, P(*sharding.spec[: rank - 1], None))

    def partition(mesh, arguments, result):
        sharding = batch_alone(arguments[0].sharding, 2)
        return mesh, jnp.fft.fft, sharding, (sharding,)

    transform = custom_partitioning(lambda x: jnp.fft.fft(x))
    transform.def_partition(partition, sharding_rule="i j -> i j")
    values = np.random.default_rng(0).normal(size=(8, 16)) + 0j
    result = compiled(transform, how)(placed(mesh, values, "x", "y"))
    np.testing.assert_allclose(result, np.fft.fft(values), atol=1e-12)
    assert result.sharding.spec == P("x", "y")


@pytest.mark.parametrize("how", HOW)
def test_several_results_static_arguments_and_loops(mesh, how):
    @functools.partial(custom_partitioning, static_argnums=(2,))
    def both(x, y, factor):
        return x * y * factor, {"sum": (x + y).sum(0)}

    def partition(factor, mesh, arguments, result):
        def local(x, y):
            return x * y * factor, {"sum": jax.lax.psum((x + y).sum(0), "x")}

        rows, columns = NamedSharding(mesh, P("x", "y")), NamedSharding(mesh, P("y"))
        return mesh, local, (rows, {"sum": columns}), (rows, rows)

    both.def_partition(partition, sharding_rule="i j, i j -> i j, j")

    def f(x, y):
        def body(carried, row):
            product, sums = both(carried, y, 3)
            return product / 8, sums["sum"] + row

        return jax.lax.scan(body, x, jnp.ones((3, 4)))

    x, y = np.arange(16.0).reshape(4, 4), np.arange(16.0).reshape(4, 4) % 5
    results = compiled(f, how)(placed(mesh, x, "x"), placed(mesh, y, None, "y"))
    for result, expected in zip(results, jax.jit(f)(x, y), strict=True):
        np.testing.assert_allclose(result, expected)


@pytest.mark.parametrize("how", HOW)
def test_inner_functions_and_sizes_that_devices_do_not_divide(mesh, how):
    f, partition, seen = elementwise(lambda x, y: x * 2 + y)
    f.def_partition(partition, sharding_rule="i j, j -> i j")
    inner = jax.jit(f)

    def g(x, y):
        rows = jax.lax.with_sharding_constraint(x[:7], NamedSharding(mesh, P("y")))
        return inner(rows, y) + inner(x[1:], y)

    x, y = np.arange(24.0).reshape(8, 3), np.arange(3.0)
    result = compiled(g, how)(placed(mesh, x, "y"), y)
    np.testing.assert_array_equal(result, x[:7] * 2 + y + x[1:] * 2 + y)
    assert [(2, 3), (3,)] in seen


@pytest.mark.parametrize("how", HOW)
def test_in_computations_for_devices_of_other_axes(mesh, how):
    f, partition, seen = elementwise(lambda x: x * 2)
    f.def_partition(partition, sharding_rule="i j -> i j")
    spec = P("x")
    g = jax.shard_map(lambda x: f(x) + 1, mesh=mesh, in_specs=spec, out_specs=spec, axis_names={"x"})
    values = np.arange(32.0).reshape(8, 4)
    result = compiled(g, how)(placed(mesh, values, "x", "y"))
    np.testing.assert_array_equal(result, values * 2 + 1)
    assert seen == [[(4, 1)]] and result.sharding.spec == P("x", "y")


@pytest.mark.parametrize("how", HOW)
def test_without_a_rule_results_are_whole(mesh, how):
    f, partition, seen = elementwise(lambda x: x * 2, follows_result=True)
    f.def_partition(partition)
    values = np.arange(8.0)
    result = compiled(f, how)(placed(mesh, values, "x"))
    np.testing.assert_array_equal(result, values * 2)
    assert seen == [[(8,)]] and result.sharding.is_fully_replicated


@pytest.mark.parametrize("how", HOW)
def test_errors_of_the_function_and_of_what_it_gives(mesh, how):
    def failing(mesh, arguments, result):
        raise ValueError("not today")

    x = placed(mesh, np.arange(8.0), "x")
    f = custom_partitioning(lambda x: x + 1)
    f.def_partition(failing, sharding_rule="i -> i")
    with pytest.raises(Exception, match=r"test_custom_partitioning.py:\d+:\d+: error: (.|\n)*not today"):
        compiled(f, how)(x)


@pytest.mark.parametrize("how", HOW)
def test_shardings_in_xlas_notation_are_asked_for(mesh, how):
    f, partition, seen = elementwise(lambda x: x * 2, follows_result=True)
    asked = []

    def infer(mesh, arguments, result):
        asked.append("operands")
        return NamedSharding(mesh, P(None, "y"))

    def propagate(mesh, result):
        asked.append("users")
        return NamedSharding(mesh, P("x"))

    f.def_partition(partition, infer_sharding_from_operands=infer, propagate_user_sharding=propagate)
    values = np.arange(32.0).reshape(8, 4)
    with jax.set_mesh(mesh), jax._src.config.use_shardy_partitioner(False):
        result = compiled(lambda x: f(x) + 1, how)(placed(mesh, values, "x", "y"))
        assert result.sharding.is_equivalent_to(NamedSharding(mesh, P(None, "y")), 2)
        assert asked == ["operands"]
        result = compiled(f, how, out_shardings=NamedSharding(mesh, P("x", "y")))(jnp.asarray(values))
    np.testing.assert_array_equal(result, values * 2)
    assert "users" in asked
