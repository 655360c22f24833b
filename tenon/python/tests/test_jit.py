"""Compiling and running through JAX."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def test_jit():
    result = jax.jit(lambda x, y: jnp.sin(x) @ y + 1)(jnp.ones((3, 4)), jnp.ones((4, 5)))
    np.testing.assert_allclose(np.asarray(result), np.full((3, 5), 4 * np.sin(1.0) + 1), rtol=1e-6)


def test_layouts():
    from jax.experimental.layout import Format, Layout

    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    host = np.arange(12.0).reshape(3, 4)
    columns = jax.device_put(host, Format(Layout((1, 0)), sharding))
    assert columns.format.layout.major_to_minor == (1, 0)
    np.testing.assert_array_equal(np.asarray(columns), host)
    np.testing.assert_array_equal(np.asarray(jax.jit(lambda x: x[1:] + 1)(columns)), host[1:] + 1)
    result = jax.jit(lambda x: x.T * 2, out_shardings=Format(Layout((1, 0)), sharding))(columns)
    assert result.format.layout.major_to_minor == (1, 0)
    np.testing.assert_array_equal(np.asarray(result), host.T * 2)


def test_many_results_and_none():
    assert [int(x) for x in jax.jit(lambda x: (x, x + 1, x * 2))(jnp.int32(3))] == [3, 4, 6]
    assert jax.jit(lambda x: ())(1) == ()


def test_runs_on_each_device():
    f = jax.jit(lambda x: x * 2)
    for device in jax.devices():
        result = f(jax.device_put(np.arange(4.0), device))
        assert result.device == device
        assert result.tolist() == [0, 2, 4, 6]


def test_donation():
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jax.jit(lambda: jnp.arange(1024.0))()
    pointer = x.unsafe_buffer_pointer()
    y = f(x)
    assert x.is_deleted()
    assert y.unsafe_buffer_pointer() == pointer
    with pytest.raises((RuntimeError, ValueError), match="deleted"):
        f(x)
    # Not while NumPy looks at it.
    view = np.asarray(y)
    z = f(y)
    assert y.is_deleted() and view[0] == 1 and z[0] == 2


@pytest.mark.parametrize(
    "donated, message",
    [((0, 1), "donate the same buffer twice"), (0, "use a buffer that was previously donated"), (1, "donate a buffer which is also used")],
)
def test_donating_what_is_used_twice_says_so_as_xla_does(donated, message):
    x = jax.device_put(np.arange(4.0))
    with pytest.raises(jax.errors.JaxRuntimeError, match=rf"INVALID_ARGUMENT: Attempt to {message}"):
        jax.jit(lambda x, y: (x + 1, y + 1), donate_argnums=donated)(x, x)
    assert not x.is_deleted()


def test_too_large_an_array_is_out_of_memory():
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"^RESOURCE_EXHAUSTED: Out of memory allocating 35184372088832 bytes\."):
        jnp.zeros(1 << 45, np.int8).block_until_ready()


def test_host_memory_is_never_written():
    storage = np.zeros(1024 + 64, np.uint8)
    start = -storage.ctypes.data % 64
    host = storage[start : start + 1024].view(np.float32)
    x = jax.device_put(host)
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert y.tolist() == [1] * 256
    assert host.tolist() == [0] * 256


def test_large_programs_are_asynchronous_and_ordered():
    f = jax.jit(lambda x: x @ x / 512)
    x = jnp.ones((512, 512))
    for _ in range(8):
        x = f(x)
    np.testing.assert_allclose(np.asarray(x), np.ones((512, 512)))


def test_user_errors_do_not_abort():
    with pytest.raises(Exception, match="nonexistent_target|NOT_FOUND|custom"):
        jax.jit(lambda x: jax.ffi.ffi_call("nonexistent_target", jax.ShapeDtypeStruct((3,), np.float32))(x))(
            jnp.ones(3, np.float32)
        )
    with pytest.raises(Exception, match="no_such_option"):
        jax.jit(lambda x: x + 1, compiler_options={"no_such_option": True})(1.0)


def test_ahead_of_time():
    compiled = jax.jit(lambda x: jnp.dot(x, x.T)).lower(jnp.ones((8, 16))).compile()
    assert compiled.cost_analysis()["flops"] > 0
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == 8 * 16 * 8
    assert memory.output_size_in_bytes == 8 * 8 * 8
    assert compiled(jnp.ones((8, 16)))[0, 0] == 16
    assert "main" in compiled.as_text()


@pytest.mark.parametrize(
    "function, argument, flops, bytes_accessed, transcendentals",
    [
        (lambda x: x + 1, 1.0, 1, 16, 0),
        # As XLA has it, a transcendental is no flop.
        (lambda x: jnp.exp(x) * x, 1.0, 1, 16, 1),
        (lambda x: jnp.sin(x) + jnp.exp(x), np.ones(10), 10, 160, 20),
        (lambda x: jnp.tanh(x), np.ones(10), 0, 160, 10),
        (lambda x: jax.lax.while_loop(lambda c: c < 10, lambda c: c + jnp.sqrt(c), x), 1.0, 2, 16, 1),
        # A computation's count as often as it runs.
        (lambda x: jax.lax.reduce(x, 0.0, lambda a, b: jnp.exp(a) + b, (1,)), np.ones((8, 4)), 24, 8 * 40, 24),
        (lambda x: x**2 + jnp.where(x > 3, x, -x), np.ones(10, np.int32), None, 80, 0),
    ],
)
def test_cost_analysis(function, argument, flops, bytes_accessed, transcendentals):
    costs = jax.jit(function).lower(argument).compile().cost_analysis()
    assert costs["flops"] == flops or flops is None
    assert (costs["bytes accessed"], costs["transcendentals"]) == (bytes_accessed, transcendentals)


def floats(*shape):
    return jax.ShapeDtypeStruct(shape, np.float32)


@pytest.mark.parametrize(
    "function, arguments, flops, elements",
    [
        (lambda a, b: a @ b, [(64, 128), (128, 32)], 2 * 64 * 128 * 32, 64 * 128 + 128 * 32 + 64 * 32),
        # Fused: the operands of both, and nothing in between.
        (lambda a, b, c: jax.nn.relu(a @ b + c), [(8, 16), (16, 4), (4,)], 2 * 8 * 16 * 4 + 2 * 32, 128 + 64 + 4 + 32),
        (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), [(4, 8, 16), (4, 16, 32)], 2 * 4 * 8 * 16 * 32, 3584),
        (lambda x, w: jax.lax.conv(x, w, (1, 1), "VALID"), [(2, 3, 16, 16), (8, 3, 3, 3)],
         2 * 2 * 8 * 14 * 14 * 27, 2 * 3 * 256 + 8 * 27 + 2 * 8 * 196),
        (lambda a: jnp.exp(a) * 2 + 1, [(100,)], 200, 200),
        (lambda a: a.sum(), [(1000,)], 999, 1001),
        (lambda a: jax.nn.softmax(a), [(8, 100)], 2 * 8 * 99 + 2 * 800, 1600),
        (lambda a: a.T, [(30, 20)], 0, 1200),
        (lambda a: jnp.concatenate([a, a[::-1]]), [(5, 3)], 0, 45),
    ],
)  # fmt: skip
def test_costs_by_hand(function, arguments, flops, elements):
    compiled = jax.jit(function).lower(*(floats(*shape) for shape in arguments)).compile()
    costs = compiled.cost_analysis()
    assert (costs["flops"], costs["bytes accessed"]) == (flops, 4 * elements)
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes + memory.output_size_in_bytes == 4 * elements
    assert memory.temp_size_in_bytes == 0 and memory.alias_size_in_bytes == 0


def optimal_seconds(function, *arguments):
    return jax.jit(function).lower(*arguments).compile().cost_analysis()["optimal_seconds"]


def test_loops_in_kernels_take_the_kernels_time():
    """Others, of which nobody knows how long they take, are no short programs, which run on the calling thread."""
    counted = lambda x: jax.lax.fori_loop(0, 8, lambda _, y: y * x + x, x)
    waiting = lambda x: jax.lax.while_loop(lambda y: y[0] < 10, lambda y: y * x + x, x)
    times = [optimal_seconds(f, floats(64)) for f in (counted, waiting)]
    assert times[0] < 5e-6 and times[1] > 20e-6


def test_arrays_in_caches_take_the_time_of_their_bytes():
    """So short programs on them run on the calling thread: they wait for no other to wake."""
    x = floats(256, 1024)
    assert optimal_seconds(lambda x, y: x + y, x, x) < 50e-6
    assert optimal_seconds(lambda x: x.sum(1), x) < 20e-6
    bytes_ = jax.ShapeDtypeStruct((1 << 18,), jnp.int8)
    assert optimal_seconds(lambda x, y: x + y, bytes_, bytes_) < 15e-6
    scan = lambda x: jax.lax.scan(lambda c, v: (c * 0.5 + v, c), x[0], x)
    assert optimal_seconds(scan, floats(256, 256)) < 10e-6


def test_arithmetic_and_arrays_in_memory_take_the_time_that_they_did():
    assert optimal_seconds(jnp.sin, floats(1 << 18)) > 100e-6
    assert optimal_seconds(lambda x, y: x + y, floats(1 << 22), floats(1 << 22)) > 1e-3
    carried = lambda x, y: jax.lax.fori_loop(0, 200, lambda i, s: (s[0] + 0.1 * s[1][::-1], s[1] - s[0]), (x, y))
    assert optimal_seconds(carried, floats(256, 256), floats(256, 256)) > 50e-6
    indices = jax.ShapeDtypeStruct((100_000,), jnp.int32)
    assert optimal_seconds(lambda x, i: x[i], floats(4096), indices) > 25e-6


def test_special_functions_take_longer_than_sums():
    """So kernels with few of them are shared among workers; erf is as short as exp."""
    x = floats(1 << 14)
    times = [optimal_seconds(f, x) for f in (jax.lax.erf, jax.lax.asin, jax.lax.lgamma)]
    assert times[0] < 5e-6 and 15e-6 < times[1] < 40e-6 and times[2] > 100e-6
    zeta = optimal_seconds(lambda x: jax.lax.zeta(x + 1.5, x), x)
    assert zeta > 1e-3


def test_memory_by_hand():
    donated = jax.jit(lambda x, y: (x + 1, y @ y), donate_argnums=0).lower(floats(100), floats(8, 8)).compile()
    memory = donated.memory_analysis()
    assert (memory.argument_size_in_bytes, memory.output_size_in_bytes, memory.alias_size_in_bytes) == (656, 656, 400)
    # Two arrays that live at the same time: the operand of the product and the product.
    product = jax.jit(lambda x: jnp.sort(jnp.sin(x) @ x.T).sum()).lower(floats(100, 100)).compile()
    assert product.memory_analysis().temp_size_in_bytes == 80000


def updated(array, i):
    return jax.lax.dynamic_update_slice(array, jnp.full((1,), 1.0, array.dtype), (i,))


@pytest.mark.parametrize(
    "step",
    [
        lambda i, b: jax.lax.cond(i % 3 == 0, lambda b: updated(b, i), lambda b: b, b),
        lambda i, b: jax.lax.cond(i % 3 == 0, lambda b: updated(b, i), lambda b: updated(b, i + 1), b),
        lambda i, b: jax.lax.switch(i % 3, [lambda b: updated(b, i), lambda b: b, lambda b: updated(b, i + 1)], b),
        lambda i, b: jax.lax.cond(i % 3 == 0, lambda b: jax.lax.cond(i % 2 == 0, lambda b: updated(b, i), lambda b: b, b),
                                  lambda b: updated(b, i), b),
        lambda i, b: jax.lax.while_loop(lambda s: s[0] < i % 3, lambda s: (s[0] + 1, jax.lax.cond(
            s[0] > 0, lambda b: updated(b, i), lambda b: updated(b, i + 2), s[1])), (0, b))[1],
        lambda i, b: updated(b, i),
    ],
)  # fmt: skip
def test_carried_arrays_are_updated_in_place(step):
    """However large they are: a loop over a donated array needs no other memory, and what is read of the array before an
    update, or after one, costs at most one."""
    size, steps = 100_000, 20
    loops = {
        "fori": lambda b: jax.lax.fori_loop(0, steps, step, b),
        "scan, read after": lambda b: jax.lax.scan(lambda b, i: (lambda c: (c, c[i]))(step(i, b)), b, jnp.arange(steps)),
        "scan, read before": lambda b: jax.lax.scan(lambda b, i: (step(i, b), b[i]), b, jnp.arange(steps)),
    }
    host = np.arange(size, dtype=np.float32)
    expected = host.copy()
    one = jax.jit(step)
    for i in range(steps):
        expected = one(i, expected)
    for name, loop in loops.items():
        compiled = jax.jit(loop, donate_argnums=0).lower(jax.ShapeDtypeStruct((size,), np.float32)).compile()
        assert compiled.memory_analysis().temp_size_in_bytes < (0 if name == "fori" else 4 * size) + 4096, name
        result = compiled(jnp.asarray(host))
        np.testing.assert_array_equal(result[0] if isinstance(result, tuple) else result, expected)


@pytest.mark.parametrize(
    "function, arrays",
    [
        (lambda p, x, y: jax.lax.cond(p, lambda: (updated(x, 3), y * 2), lambda: (x, y)), 0),
        (lambda p, x, y: jax.lax.cond(p, lambda: (x, y), lambda: (jnp.sin(x), updated(y, 0))), 0),
        (lambda p, x, y: jax.lax.cond(p, lambda: (y, x), lambda: (x, y)), 2),
        (lambda p, x, y: jax.lax.cond(p, lambda: (updated(x, 3), y + x), lambda: (x, y)), 1),
        (lambda p, x, y: (jax.lax.cond(p, lambda: updated(x, 3), lambda: x), y + x), 1),
        (lambda p, x, y: jax.lax.fori_loop(0, 3, lambda i, s: (updated(s[0], i), s[1] + 1), (x, y)), 0),
        (lambda p, x, y: jax.lax.fori_loop(0, 3, lambda i, s: (updated(s[0], i), s[1] + 1), (y, x)), 2),
        (lambda p, x, y: jax.lax.fori_loop(0, 3, lambda i, s: (s[0] + 1, updated(s[1], i)), (x, x)), 1),
        (lambda p, x, y: (jax.lax.fori_loop(0, 3, lambda i, b: b + y[i], x), y + 1), 1),
        (lambda p, x, y: (jax.lax.fori_loop(0, 3, lambda i, b: updated(b, i), x), y + x[0]), 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("p", [True, False])
def test_donated_arrays_are_updated_in_place(function, arrays, p):
    """Through branches and loops; where an array is still read, or another's memory would be written, with at most as many
    arrays beside them as here."""
    size = 10_000
    x, y = np.arange(size, dtype=np.float32), np.arange(size, dtype=np.float32)[::-1] / 7
    shapes = (jax.ShapeDtypeStruct((), bool), *[jax.ShapeDtypeStruct((size,), np.float32)] * 2)
    compiled = jax.jit(function, donate_argnums=(1, 2)).lower(*shapes).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 4 * size * arrays + 4096
    expected = jax.jit(function)(p, x, y)
    for result, value in zip(compiled(jnp.asarray(p), jnp.array(x), jnp.array(y)), expected):
        np.testing.assert_array_equal(result, value)


def test_ahead_of_time_for_a_topology():
    from jax.experimental import topologies

    topology = topologies.get_topology_desc(platform="tenon", topology_name="", num_devices=4)
    assert len(topology.devices) == 4
    mesh = topologies.make_mesh(topology, (4,), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    shape = jax.ShapeDtypeStruct((8,), np.float32)
    compiled = jax.jit(lambda x: x * 2, in_shardings=sharding).lower(shape).compile()
    assert compiled.memory_analysis().argument_size_in_bytes == 8  # two of the eight elements


def test_jit_of_sharded_arrays():
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    by = lambda *names: jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*names))  # noqa: E731
    host = np.arange(64.0).reshape(8, 8)
    array = jax.device_put(host, by("x", "y"))
    product = jax.jit(lambda a: a @ a.T, out_shardings=by("y", None))(array)
    np.testing.assert_array_equal(np.asarray(product), host @ host.T)
    assert {shard.data.shape for shard in product.addressable_shards} == {(4, 8)}
    constrained = jax.jit(lambda a: jax.lax.with_sharding_constraint(a + 1, by("y", "x")))(product)
    assert constrained.sharding.is_equivalent_to(by("y", "x"), 2)
    np.testing.assert_array_equal(np.asarray(constrained), host @ host.T + 1)
    assert float(jax.jit(jnp.sum)(array)) == host.sum()


def test_results_stay_sharded():
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    by = lambda *names: jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*names))  # noqa: E731
    host = np.arange(32.0).reshape(8, 4)
    x, scale = jax.device_put(host, by("x", "y")), jax.device_put(np.arange(8.0), by("x"))

    def step(x, scale):
        rows = jax.lax.fori_loop(0, 3, lambda i, c: c + x.sum(1), scale)
        return 2 * x + rows[:, None], x.T, x.sum(0), x @ x.T, rows, x.at[3:4].set(0.0), x[2:5]

    results = jax.jit(step)(x, scale)
    for result, expected in zip(results, step(jnp.asarray(host), jnp.asarray(np.arange(8.0)))):
        np.testing.assert_array_equal(result, expected)
    specs = [by("x", "y"), by("y", "x"), by("y"), by("x"), by("x"), by("x", "y"), by(None, "y")]
    for result, spec in zip(results, specs):
        assert result.sharding.is_equivalent_to(spec, result.ndim), (result.sharding, spec)
    assert (x + scale[:, None]).addressable_shards[0].data.shape == (2, 2)


def test_uneven_constraints_cut_nothing():
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x", "y"))
    result = jax.jit(lambda x: jax.lax.with_sharding_constraint(x * 2, sharding))(np.ones((3, 4)))
    np.testing.assert_array_equal(result, np.full((3, 4), 2.0))
    assert result.sharding.spec == jax.sharding.PartitionSpec(None, "y")


def test_serialization():
    from jax.experimental import serialize_executable

    compiled = jax.jit(lambda x: x * 3).lower(jnp.arange(4.0)).compile()
    payload = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(*payload, execution_devices=jax.devices()[:1])
    assert loaded(jnp.arange(4.0)).tolist() == [0, 3, 6, 9]


CACHE_PROGRAM = """
import jax, jax.numpy as jnp
jax.monitoring.register_event_listener(lambda name, **kwargs: print(name) if "cache_hits" in name else None)
jax.config.update("jax_compilation_cache_dir", {directory!r})
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
print(jax.jit(lambda x: x * 5 + 2)(jnp.arange(3.0)).tolist())
"""


def test_persistent_cache(tmp_path, subprocess_environment):
    program = CACHE_PROGRAM.format(directory=str(tmp_path))
    outputs = []
    for _ in range(2):
        result = subprocess.run(
            [sys.executable, "-c", program], env=subprocess_environment, capture_output=True, text=True, check=False
        )
        assert "[2.0, 7.0, 12.0]" in result.stdout, result.stderr
        outputs.append(result.stdout)
    assert any(name.startswith("jit_") for name in os.listdir(tmp_path))
    assert "cache_hits" not in outputs[0]
    assert "cache_hits" in outputs[1]


def test_linear_algebra_of_jaxlib():
    matrix = np.random.default_rng(0).normal(size=(6, 6))
    np.testing.assert_allclose(np.asarray(jnp.linalg.inv(matrix) @ matrix), np.eye(6), atol=1e-10)
    values = np.asarray(jnp.linalg.eigvalsh(matrix + matrix.T))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix + matrix.T), atol=1e-10)


def test_compiler_options(tmp_path):
    lowered = jax.jit(lambda x: x + 1).lower(1.0)
    options = {"xla_embed_ir_in_executable": True, "xla_dump_max_hlo_modules": 200, "xla_dump_to": str(tmp_path)}
    assert lowered.compile(options)(1.0) == 2
    for options in [
        {"xla_embed_ir_in_executable": "True", "xla_dump_max_hlo_modules": "-1"},
        {"xla_gpu_autotune_level": " +4 ", "xla_gpu_auto_spmd_partitioning_memory_budget_ratio": "1.5e-1"},
        {"xla_step_marker_location": 1, "xla_gpu_shape_checks": "IGNORE"},
        {"xla_gpu_enable_command_buffer": "FUSION,WHILE", "xla_gpu_disable_async_collectives": ""},
    ]:
        assert lowered.compile(options)(1.0) == 2
    for options, message in [
        ({"no_such_option": True}, "No such compile option: 'no_such_option'"),
        ({"xla_no_such_option": True}, "No such compile option: 'xla_no_such_option'"),
        ({"xla_embed_ir_in_executable": "yes"}, "'yes' is not a valid bool value"),
        ({"xla_embed_ir_in_executable": "true"}, "'true' is not a valid bool value"),
        ({"xla_dump_max_hlo_modules": True}, "'1' is not a valid int32 value"),
        ({"xla_dump_max_hlo_modules": 1.5}, "'1.5' is not a valid int32 value"),
        ({"xla_dump_max_hlo_modules": "3000000000"}, "'3000000000' is not a valid int32 value"),
        ({"xla_dump_max_hlo_modules": "+-1"}, r"'\+-1' is not a valid int32 value"),
        ({"xla_dump_max_hlo_modules": ""}, "'' is not a valid int32 value"),
        ({"xla_step_marker_location": True}, "'1' is not a valid enum value"),
        ({"xla_step_marker_location": "step_mark_none"}, "'step_mark_none' is not a valid enum value"),
        ({"xla_gpu_enable_command_buffer": "FUSION, WHILE"}, "' WHILE' is not a valid enum value"),
        ({"xla_backend_extra_options": "a=b"}, "'a=b' is not a valid message value"),
        ({"xla_dump_to": 3}, "'3' is not a valid string value"),
    ]:
        with pytest.raises(jax.errors.JaxRuntimeError, match=message):
            lowered.compile(options)


def test_windows_of_loops():
    """Slices that are read, written back and used: what an interpreted Pallas kernel is made of."""

    def body(i, carry):
        x, y = carry
        window = jax.lax.dynamic_slice(x, (4 * i, 0), (4, 32))
        x = jax.lax.dynamic_update_slice(x, window, (4 * i, 0))
        return x, jax.lax.dynamic_update_slice(y, window + 1, (4 * i, 0))

    x = np.arange(512, dtype=np.float32).reshape(16, 32)
    same, more = jax.jit(lambda x: jax.lax.fori_loop(0, 4, body, (x, jnp.zeros_like(x))))(x)
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(more, x + 1)
