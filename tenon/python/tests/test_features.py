"""Features of JAX around programs: memories, layouts, donation, checks, guards, foreign arrays."""

import gc
import subprocess
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import checkify
from jax.experimental.layout import Format, Layout
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

X = np.arange(12, dtype=np.float32).reshape(3, 4)


def placed(kind=None, device=0):
    return SingleDeviceSharding(jax.devices()[device], memory_kind=kind)


# --- Memories ---


@pytest.mark.parametrize("kind", ["device", "pinned_host", "unpinned_host"])
def test_memory_kinds(kind):
    array = jax.device_put(X, placed(kind))
    assert array.sharding.memory_kind == kind
    result = jax.jit(lambda x: x + 1, in_shardings=placed(kind), out_shardings=placed(kind))(array)
    assert result.sharding.memory_kind == kind
    np.testing.assert_array_equal(result, X + 1)
    np.testing.assert_array_equal(np.from_dlpack(array), X)
    assert jax.device_put(result, placed("device", 1)).device == jax.devices()[1]


def test_memory_kinds_inside_a_program():
    def f(x):
        host = jax.device_put(x, placed("pinned_host")) + 1
        space = jax.device_put(host, jax.memory.Space.Device) * 2
        return jax.device_put(space, placed("device"))

    result = jax.jit(f)(X)
    assert result.sharding.memory_kind == "device"
    np.testing.assert_array_equal(result, (X + 1) * 2)


def test_unknown_memory_kind():
    with pytest.raises(ValueError, match="device, pinned_host, unpinned_host"):
        jax.device_put(X, placed("fast"))


def test_offloaded_residuals():
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["y"], offload_src="device", offload_dst="pinned_host"
    )
    f = lambda x: jnp.sin(checkpoint_name(jnp.sin(x), "y")).sum()  # noqa: E731
    plain = jax.jit(jax.grad(f))(X)
    for g in (jax.checkpoint(f, policy=policy), jax.checkpoint(f)):
        np.testing.assert_allclose(jax.jit(jax.grad(g))(X), plain, rtol=1e-6)


# --- Layouts ---


def test_layouts_chosen_by_the_compiler():
    f = jax.jit(lambda x: x.T @ x, in_shardings=Format(Layout.AUTO), out_shardings=Format(Layout.AUTO))
    compiled = f.lower(jax.ShapeDtypeStruct((3, 4), np.float32)).compile()
    ((argument,), _), result = compiled.input_formats, compiled.output_formats
    assert argument.layout.major_to_minor == result.layout.major_to_minor == (0, 1)
    np.testing.assert_array_equal(compiled(jax.device_put(X, argument)), X.T @ X)


def test_open_layouts_of_results_move_nothing():
    host = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    functions = {
        lambda x: x.transpose(2, 0, 1): (1, 2, 0),
        lambda x: jnp.exp(x.transpose(1, 0, 2)) + 1: (1, 0, 2),
        lambda x: (x * 2).transpose(2, 1, 0) + jnp.arange(2, dtype=np.float32): (2, 1, 0),
        lambda x: x.transpose(0, 2, 1).reshape(8, 3): (0, 1),
    }
    for function, order in functions.items():
        jitted = jax.jit(function, out_shardings=Format(Layout.AUTO))
        compiled = jitted.lower(jax.ShapeDtypeStruct(host.shape, host.dtype)).compile()
        assert compiled.output_formats.layout.major_to_minor == order
        result = compiled(host)
        np.testing.assert_allclose(result, function(host), rtol=1e-6)
        np.testing.assert_allclose(jax.jit(lambda x: x[1:] * 2)(result), np.asarray(function(host))[1:] * 2, rtol=1e-6)


@pytest.mark.parametrize("cut", ["whole", "spmd"])
def test_open_layouts_of_results_on_several_devices(cut, monkeypatch):
    monkeypatch.setenv("TENON_PARTITION", cut)
    mesh = Mesh(np.reshape(jax.devices(), (4, 2)), ("x", "y"))
    host = np.arange(16 * 4 * 8, dtype=np.float32).reshape(16, 4, 8)
    taken = Format(Layout.AUTO, NamedSharding(mesh, PartitionSpec("x", None, "y")))
    functions = {
        lambda x: x + 1: (0, 1, 2),
        lambda x: x.transpose(2, 0, 1): (1, 2, 0),
        lambda x: jnp.exp(-x.transpose(1, 0, 2)): (1, 0, 2),
        lambda x: x[0].T: (1, 0),
    }
    for function, order in functions.items():
        jitted = jax.jit(function, in_shardings=taken, out_shardings=Format(Layout.AUTO), donate_argnums=0)
        compiled = jitted.lower(jax.ShapeDtypeStruct(host.shape, host.dtype)).compile()
        result = compiled(jax.device_put(host, compiled.input_formats[0][0]))
        assert result.format == compiled.output_formats and result.format.layout.major_to_minor == order
        expected = np.asarray(function(host))
        np.testing.assert_allclose(result, expected, rtol=1e-6)
        for shard in result.addressable_shards:
            np.testing.assert_allclose(shard.data, expected[shard.index], rtol=1e-6)
        np.testing.assert_allclose(jax.jit(lambda x: x[1:] * 2)(result), expected[1:] * 2, rtol=1e-6)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_layouts_of_arguments_and_results(order):
    host = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    ordered = Format(Layout(order), placed())
    array = jax.device_put(host, ordered)
    assert array.format.layout.major_to_minor == order
    f = jax.jit(lambda x: x[1] * 2, in_shardings=ordered)
    np.testing.assert_array_equal(f(array), host[1] * 2)
    np.testing.assert_array_equal(f(host), host[1] * 2)
    np.testing.assert_array_equal(f(jnp.asarray(host)), host[1] * 2)
    result = jax.jit(lambda x: x + 1, out_shardings=ordered, donate_argnums=0)(array)
    assert result.format.layout.major_to_minor == order and array.is_deleted()
    np.testing.assert_array_equal(result, host + 1)
    if order == (2, 1, 0):
        np.testing.assert_array_equal(np.from_dlpack(result), host + 1)


def test_layouts_of_sharded_arrays():
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    host = np.arange(32.0).reshape(8, 4)
    for spec in [PartitionSpec("x", "y"), PartitionSpec()]:
        columns = Format(Layout((1, 0)), NamedSharding(mesh, spec))
        array = jax.device_put(host, columns)
        assert array.format.layout.major_to_minor == (1, 0)
        result = jax.jit(lambda x: x * 2 + x.sum(0), in_shardings=columns, out_shardings=columns)(array)
        assert result.format.layout.major_to_minor == (1, 0)
        np.testing.assert_array_equal(array, host)
        np.testing.assert_array_equal(result, host * 2 + host.sum(0))


@pytest.mark.parametrize("dtype", ["int4", "uint2"])
def test_layouts_of_narrow_elements(dtype):
    host = (np.arange(6) % 2).reshape(2, 3).astype(jnp.dtype(dtype))
    array = jax.device_put(host, Format(Layout((1, 0)), placed()))
    same, transposed = jax.jit(lambda x: (x, x.T))(array)
    np.testing.assert_array_equal(same, host)
    np.testing.assert_array_equal(transposed, host.T)


# --- Programs that would ask XLA's partitioner ---


def test_inspected_shardings():
    x = jax.device_put(np.arange(8.0), NamedSharding(Mesh(np.array(jax.devices()), "x"), PartitionSpec("x")))
    seen = []

    def f(x):
        jax.debug.inspect_array_sharding(x, callback=seen.append)
        return jnp.sin(x)

    np.testing.assert_allclose(jax.jit(f)(x), np.sin(np.arange(8.0)))
    assert len(seen) == 1 and seen[0].spec == PartitionSpec("x")
    with jax.set_mesh(jax.make_mesh((8,), ("x",))):
        jax.jit(f)(jax.device_put(np.arange(8.0), PartitionSpec("x")))
    assert seen[1].spec == PartitionSpec("x")


@pytest.mark.parametrize("how", ["whole", "spmd"])
def test_shardings_of_inner_values(how, capsys):
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    seen = {}

    def inspect(name, value):
        jax.debug.inspect_array_sharding(value, callback=lambda sharding: seen.update({name: sharding}))

    @jax.jit
    def inner(h):
        inspect("inner function", h)
        return h * 2

    def f(x, w):
        h = x @ w
        inspect("product", h)
        inspect("transposed", h.T)
        inspect("sum", h.sum(0))
        inspect("constant", jnp.zeros(3))
        def body(carried, row):
            inspect("in a loop", carried)
            return carried + row, row
        jax.debug.visualize_array_sharding(inner(h))
        return jax.lax.scan(body, h, jnp.ones((3, 16), np.float32))[0]

    x = jax.device_put(np.ones((8, 12), np.float32), NamedSharding(mesh, PartitionSpec("x")))
    w = jax.device_put(np.ones((12, 16), np.float32), NamedSharding(mesh, PartitionSpec(None, "y")))
    jax.jit(f, compiler_options={"partition": how})(x, w)
    xy = PartitionSpec("x", "y")
    assert {name: sharding.spec for name, sharding in seen.items()} == {
        "product": xy, "transposed": PartitionSpec("y", "x"), "sum": PartitionSpec("y"), "constant": PartitionSpec(),
        "in a loop": xy, "inner function": xy}  # fmt: skip
    assert all(sharding.mesh == mesh for sharding in seen.values())
    assert "CPU 7" in capsys.readouterr().out


def test_errors_of_who_inspects_shardings():
    def refuse(sharding):
        raise ValueError("not this one")

    def f(x):
        jax.debug.inspect_array_sharding(x, callback=refuse)
        return x

    with pytest.raises(Exception, match="not this one"):
        jax.jit(f)(jax.device_put(np.arange(8.0), NamedSharding(Mesh(np.array(jax.devices()), "x"), PartitionSpec("x"))))


def test_shardings_inspected_inside_of_shard_map():
    seen = []

    def f(x):
        jax.debug.inspect_array_sharding(x, callback=seen.append)
        return x + 1

    mesh = Mesh(np.array(jax.devices()[:2]), "x")
    spec = PartitionSpec("x")
    mapped = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec))
    np.testing.assert_array_equal(mapped(np.arange(4)), np.arange(4) + 1)
    assert seen == [NamedSharding(mesh, PartitionSpec())]


# --- Orders that are asked for ---


def test_control_dependencies():
    control_deps = pytest.importorskip("jax.experimental.control_deps")

    def f(x):
        a, b = jnp.sin(x), jnp.cos(x)
        control_deps.schedule([b, a])
        return a + b

    np.testing.assert_allclose(jax.jit(f)(1.0), np.sin(1) + np.cos(1), rtol=1e-15)
    looped = jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda _, v: f(v), x))
    np.testing.assert_allclose(looped(1.0), f(f(f(1.0))), rtol=1e-15)


# --- Options and transformations that are XLA's ---


def test_dumps_where_an_option_says(tmp_path):
    directory = tmp_path / "dumps"
    f = jax.jit(lambda x: jnp.tanh(x) * 2, compiler_options={"xla_dump_to": str(directory), "xla_dump_hlo_as_text": True})
    np.testing.assert_allclose(f(X), np.tanh(X) * 2, rtol=1e-6)
    files = {path.name.split(".", 1)[1]: path.read_text(errors="replace") for path in directory.iterdir()}
    (imported,) = [text for name, text in files.items() if name.endswith("import.mlir")]
    assert "stablehlo.tanh" in imported
    assert any("define" in text for name, text in files.items() if name.endswith(".ll"))


TRANSFORMED = """
import warnings, jax, jax.numpy as jnp, jax.extend as jex, jax.extend.xla
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    jax.extend.xla.register_hlo_module_transformation(lambda module: None, name="early")
    jax.jit(jnp.sin)(1.0)
    jax.extend.xla.register_hlo_module_transformation(lambda module: None, name="late", platforms="cpu")
print([str(w.message) for w in caught if "Tenon" in str(w.message)])
"""


def test_transformations_of_hlo_are_not_run_and_that_is_said(subprocess_environment):
    pytest.importorskip("jax.extend.xla")
    done = subprocess.run(
        [sys.executable, "-c", TRANSFORMED], env=subprocess_environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "'early' is ignored" in done.stdout and "'late' is ignored" in done.stdout


# --- Donation ---


def test_what_could_not_be_reused_stays_the_callers():
    f = jax.jit(lambda x: x @ x.T, donate_argnums=0)
    for sharding in (placed(), NamedSharding(Mesh(np.array(jax.devices()[:2]), "x"), PartitionSpec("x"))):
        x = jax.device_put(np.arange(16.0).reshape(8, 2), sharding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = f(x)
        np.testing.assert_array_equal(result, np.arange(16.0).reshape(8, 2) @ np.arange(16.0).reshape(8, 2).T)
        assert not x.is_deleted()
        np.testing.assert_array_equal(x, np.arange(16.0).reshape(8, 2))
        y = jax.device_put(np.arange(16.0).reshape(8, 2), sharding)
        jax.block_until_ready(jax.jit(lambda y: y + 1, donate_argnums=0)(y))
        assert y.is_deleted()


def test_donation_that_is_of_no_use_warns():
    with pytest.warns(UserWarning, match=r"Some donated buffers were not usable: float32\[3,4\], float32\[2,3\]"):
        jax.jit(lambda x, y: x[:2] * y.sum(), donate_argnums=(0, 1))(X, X[:2, :3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jax.jit(lambda x: x + 1, donate_argnums=0)(jnp.asarray(X))


def test_errors_name_arguments():
    x = jnp.asarray(X) + 0
    f = jax.jit(lambda params, batch: (params["w"] + 1, batch + 1), donate_argnums=(0, 1))
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"donate the same buffer twice.*\(params\['w'\]\).*\(batch\)"):
        jax.block_until_ready(f({"w": x}, x))
    f = jax.jit(lambda params, batch: params["w"] + batch, donate_argnums=0)
    f({"w": x}, X)
    with pytest.raises((RuntimeError, ValueError), match=r"argument 0 \(params\['w'\]\).*deleted or donated|Array has been deleted"):
        f({"w": x}, X)


# --- Checks ---


def test_debug_nans():
    with jax.debug_nans(True):
        with pytest.raises(FloatingPointError, match="nan.*log"):
            jax.jit(jnp.log)(-1.0)
        with pytest.raises(FloatingPointError, match="nan"):
            jax.grad(lambda x: jnp.sqrt(x) * 0)(0.0)
    with jax.debug_infs(True), pytest.raises(FloatingPointError, match="inf"):
        jax.jit(lambda x: jnp.float32(1) / x)(np.float32(0))


def test_checkify():
    def f(x, i):
        checkify.check(x[0] >= 0, "x begins with {}", x[0])
        return jnp.log(x)[i]

    checked = jax.jit(checkify.checkify(f, errors=checkify.all_checks))
    assert checked(jnp.ones(3), 1)[0].get() is None
    assert "x begins with -2.0" in checked(jnp.full(3, -2.0), 1)[0].get()
    assert "nan generated by primitive: log" in checked(jnp.array([1.0, -1.0]), 1)[0].get()
    assert "out-of-bounds" in checked(jnp.ones(3), 7)[0].get()


def test_transfer_guard():
    f = jax.jit(lambda x: x + 1)
    array = f(X)
    with jax.transfer_guard("disallow"):
        f(array)
        jax.device_put(X)  # explicit
        with pytest.raises(jax.errors.JaxRuntimeError, match="Disallowed host-to-device transfer"):
            f(X)


# --- Arrays of others ---


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "bfloat16", "float16", "float64", "complex64", "float8_e5m2"]
)
def test_dlpack(dtype):
    array = jnp.array([1, 0, 1], dtype)
    assert array.__dlpack_device__()[0] == 1
    again = jax.dlpack.from_dlpack(array)
    assert again.dtype == dtype and again.unsafe_buffer_pointer() == array.unsafe_buffer_pointer()
    if np.dtype(dtype).isbuiltin == 1:
        host = np.array([1, 0, 1], dtype)
        np.testing.assert_array_equal(jax.dlpack.from_dlpack(host), host)
        np.testing.assert_array_equal(np.from_dlpack(array), host)


def test_dlpack_keeps_the_array_alive():
    view = np.from_dlpack(jnp.arange(1000) + 1)
    gc.collect()
    jax.block_until_ready(jnp.arange(1000) + 2)
    assert view[999] == 1000
    transposed = jax.dlpack.from_dlpack(X.T)
    np.testing.assert_array_equal(transposed, X.T)


def test_live_arrays():
    gc.collect()
    before = len(jax.live_arrays())
    array = jax.device_put(X + 1)
    assert len(jax.live_arrays()) == before + 1
    del array
    gc.collect()
    assert len(jax.live_arrays()) == before


def test_arrays_made_of_parts():
    sharding = NamedSharding(Mesh(np.array(jax.devices()[:2]), "x"), PartitionSpec("x"))
    host = np.arange(8.0).reshape(4, 2)
    array = jax.make_array_from_callback((4, 2), sharding, lambda index: host[index])
    np.testing.assert_array_equal(array, host)
    parts = [jax.device_put(X, device) for device in jax.devices()[:2]]
    whole = jax.make_array_from_single_device_arrays((6, 4), sharding, parts)
    np.testing.assert_array_equal(whole, np.concatenate([X, X]))
    np.testing.assert_array_equal(jax.make_array_from_process_local_data(sharding, host), host)


def test_pictures_of_shardings(capsys):
    sharding = NamedSharding(Mesh(np.array(jax.devices()[:2]), "x"), PartitionSpec("x"))
    jax.debug.visualize_array_sharding(jax.device_put(np.arange(8.0), sharding))
    assert "CPU 0" in capsys.readouterr().out


def test_monitoring():
    seen = []
    jax.monitoring.register_event_duration_secs_listener(lambda name, seconds, **_: seen.append(name))
    jax.jit(lambda x: x * 17)(X)
    assert "/jax/core/compile/backend_compile_duration" in seen


def test_stateful_random_numbers_differ_by_run():
    draw = jax.jit(lambda: jax.lax.rng_uniform(jnp.float32(0), jnp.float32(1), (100,)))
    first, second = np.asarray(draw()), np.asarray(draw())
    assert (first != second).any()
    assert 0 <= first.min() and first.max() < 1
