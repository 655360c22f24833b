"""The platform tenon_gpu, on a GPU that the host plays. Each test is a program of its own: JAX has another platform."""

import pathlib
import shutil
import subprocess
import sys
import textwrap

import jax
import pytest

_DIGITS = str(pathlib.Path(__file__).resolve().parents[3] / "examples/digits/digits.py")

_PRELUDE = """
import jax, numpy as np
import jax.numpy as jnp
"""


@pytest.fixture
def run(subprocess_environment):
    environment = dict(subprocess_environment, JAX_PLATFORMS="tenon_gpu", TENON_GPU="emulated", JAX_ENABLE_X64="0")
    del environment["TENON_NUM_DEVICES"]

    def run(program, expected_error=None, **more):
        program = _PRELUDE + textwrap.dedent(program)
        result = subprocess.run(
            [sys.executable, "-c", program], env=environment | more, capture_output=True, text=True, check=False
        )
        if expected_error:
            assert result.returncode != 0 and expected_error in result.stderr, result.stderr
        else:
            assert result.returncode == 0, result.stderr
        return result.stdout

    return run


def test_runs_go_on_with_what_the_device_has_yet_to_do(run):
    run("""
    import gc, time
    step = jax.jit(lambda w, x: (w + jnp.sin(w @ x), (w * w).sum()), donate_argnums=0)
    measure = jax.jit(lambda w: jnp.abs(w).max())
    rng = np.random.default_rng(1)
    start, x = rng.standard_normal((24, 24), np.float32), rng.standard_normal((24, 24), np.float32) / 8
    w, y, totals, largest = jnp.asarray(start), jnp.asarray(x), [], []
    for i in range(12):
        w, total = step(w, y)
        totals.append(total)
        if i % 3 == 0:
            largest.append(measure(w))
            y.delete()
            y = jnp.asarray(x)
    w.block_until_ready()
    expected, sums, maxima = start, [], []
    for i in range(12):
        sums.append((expected * expected).sum())
        expected = expected + np.sin(expected @ x)
        if i % 3 == 0:
            maxima.append(np.abs(expected).max())
    np.testing.assert_allclose(w, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(totals, sums, rtol=1e-4)
    np.testing.assert_allclose(largest, maxima, rtol=1e-4)
    # Memory is given away while the device has yet to write it, and nothing is left in the end.
    w, y = jnp.asarray(start), jnp.asarray(x)
    place = w.unsafe_buffer_pointer()
    for _ in range(4):
        w, total = step(w, y)
    assert w.unsafe_buffer_pointer() == place
    del w, y, totals, largest, total
    gc.collect()
    for _ in range(1000):  # what completes arrays lets go of them last
        if jax.devices()[0].memory_stats()["bytes_in_use"] == 0:
            break
        time.sleep(0.01)
    assert jax.devices()[0].memory_stats()["bytes_in_use"] == 0
    """)


def test_there_is_one_device_as_jax_knows_gpus(run):
    run("""
    device, = jax.devices()
    assert jax.devices("gpu") == jax.devices("cuda") == [device]
    assert (str(device), repr(device), device.platform) == ("cuda:0", "CudaDevice(id=0)", "gpu"), device.platform
    assert device.device_kind == "emulated GPU"
    assert device.compute_capability == "9.0" and device.core_count == 132
    assert [memory.kind for memory in device.addressable_memories()] == ["device", "pinned_host", "unpinned_host"]
    assert "cuda" in device.client.platform_version
    assert jax.devices("cpu")[0].device_kind == "cpu"
    """)


def test_arrays_are_in_the_memory_of_the_device(run):
    run("""
    device, = jax.devices()
    before = device.memory_stats()["bytes_in_use"]
    x = jax.device_put(np.arange(1 << 18, dtype=np.float32))
    x.block_until_ready()
    assert device.memory_stats()["bytes_in_use"] == before + (1 << 20)
    np.testing.assert_array_equal(np.asarray(x), np.arange(1 << 18, dtype=np.float32))
    host = jax.device_put(x, jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host"))
    assert device.memory_stats()["bytes_in_use"] == before + (1 << 20)
    np.testing.assert_array_equal(np.asarray(host), np.asarray(x))
    back = jax.device_put(host, jax.sharding.SingleDeviceSharding(device, memory_kind="device"))
    np.testing.assert_array_equal(np.asarray(back + 1), np.asarray(x) + 1)
    elsewhere = jax.device_put(x, jax.devices("cpu")[0])
    np.testing.assert_array_equal(np.asarray(elsewhere), np.asarray(x))
    del x, back
    transposed = jax.device_put(np.arange(6, dtype=np.int32).reshape(2, 3).T)
    np.testing.assert_array_equal(np.asarray(transposed), np.arange(6).reshape(2, 3).T)
    small = jnp.array([-8, 7, 3], jnp.int4)
    np.testing.assert_array_equal(np.asarray(small + small), np.asarray([0, -2, 6]).astype(jnp.int4))
    assert np.asarray(jnp.zeros((0, 3)) + 1).shape == (0, 3)
    assert jnp.float32(3).item() == 3
    """)


def test_other_frameworks_get_arrays_for_their_streams(run):
    run("""
    class Other:  # an array of another framework, which names the stream that it will read in, as DLPack has it
        def __init__(self, array, stream):
            self.array, self.stream = array, stream
        def __dlpack_device__(self):
            return self.array.__dlpack_device__()
        def __dlpack__(self, *, stream=None, **more):
            assert stream is None  # the legacy default stream, for which the device's streams wait
            return self.array.__dlpack__(stream=self.stream)

    double = jax.jit(lambda x: x * 2)
    for stream in (None, 1, 2, 0x7f0000001000):
        x = double(jnp.arange(12.0).reshape(3, 4))
        y = jax.dlpack.from_dlpack(Other(x, stream))
        assert y.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
        del x
        np.testing.assert_array_equal(np.asarray(y + 1), np.arange(12).reshape(3, 4) * 2 + 1)
    y.delete()
    try:
        y.__dlpack__(stream=1)
    except RuntimeError as error:
        assert "deleted" in str(error)
    else:
        raise AssertionError("a deleted array was exported")
    """)


def test_training_gives_the_cpus_numbers(run, subprocess_environment):
    program = """
    def loss(w, x, y):
        return ((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2).mean()

    @jax.jit
    def step(w, x, y):
        value, gradient = jax.value_and_grad(loss)(w, x, y)
        return jax.tree.map(lambda w, g: w - 0.1 * g, w, gradient), value

    keys = jax.random.split(jax.random.key(0), 4)
    w = [jax.random.normal(keys[0], (5, 7)), jax.random.normal(keys[1], (7, 2))]
    x, y = jax.random.normal(keys[2], (11, 5)), jax.random.normal(keys[3], (11, 2))
    for _ in range(4):
        w, value = step(w, x, y)
        print(float(value))
    """
    on_gpu = run(program).split()
    environment = dict(subprocess_environment, JAX_ENABLE_X64="0")
    command = [sys.executable, "-c", _PRELUDE + textwrap.dedent(program)]
    on_cpu = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert [float(value) for value in on_gpu] == pytest.approx([float(value) for value in on_cpu], rel=1e-5)


def test_the_digits_example_has_the_cpus_curve(subprocess_environment):
    """A step takes a second or two here."""
    environment = dict(subprocess_environment, TENON_GPU="emulated", JAX_ENABLE_X64="0")
    del environment["TENON_NUM_DEVICES"]
    command = [sys.executable, _DIGITS, "--steps=6", "--platforms=tenon_gpu,cpu"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "tenon_gpu: " in result.stdout and "in the first 6 steps" in result.stdout, result.stdout


def test_control_flow_donation_and_services(run):
    run("""
    f = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda i, c: jax.lax.cond(i % 2 == 0, jnp.sin, jnp.cos, c), x))
    x = np.linspace(-1, 1, 9, dtype=np.float32)
    expected = x
    for i in range(5):
        expected = np.sin(expected) if i % 2 == 0 else np.cos(expected)
    np.testing.assert_allclose(f(x), expected, rtol=1e-6)

    given = jnp.arange(4.0)
    np.testing.assert_array_equal(jax.jit(lambda a: a + 1, donate_argnums=0)(given), [1, 2, 3, 4])
    assert given.is_deleted()

    # By the host, on copies.
    a = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], np.float32)
    np.testing.assert_allclose(jnp.linalg.cholesky(a), np.linalg.cholesky(a), rtol=1e-5)
    np.testing.assert_allclose(jnp.linalg.eigh(a)[0], np.linalg.eigvalsh(a), rtol=1e-5)
    np.testing.assert_allclose(jnp.linalg.solve(a, a[0]), [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(jax.scipy.linalg.schur(a)[0].diagonal().sum(), 9, rtol=1e-5)
    np.testing.assert_allclose(jnp.fft.fft(a), np.fft.fft(a), rtol=1e-5, atol=1e-6)

    # A callback may use the device.
    def host(v):
        assert isinstance(v, jax.Array) or isinstance(v, np.ndarray)
        return np.asarray(f(v)) + np.asarray(jnp.ones(9) * 2)
    g = jax.jit(lambda v: jax.pure_callback(host, jax.ShapeDtypeStruct((9,), np.float32), v) * 2)
    np.testing.assert_allclose(g(x), 2 * (expected + 2), rtol=1e-6)
    seen = []
    jax.jit(lambda v: jax.debug.callback(seen.append, v.sum()))(jnp.ones(3)).__class__
    jax.effects_barrier()
    assert [float(value) for value in seen] == [3]
    """)


def test_programs_are_stored_and_exported(run):
    run("""
    from jax import export
    from jax.experimental import serialize_executable
    f = jax.jit(lambda x: jnp.linalg.cholesky(jax.lax.while_loop(lambda c: c[0, 0] < 9, lambda c: c * 2, x @ x.T)))
    x = np.eye(3, dtype=np.float32) * 1.5
    compiled = f.lower(x).compile()
    expected = np.asarray(compiled(x))
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    np.testing.assert_array_equal(loaded(x), expected)
    g = jax.jit(lambda x: jnp.sin(x) @ x)
    exported = export.deserialize(export.export(g)(x).serialize())
    assert exported.platforms == ("cuda",)
    np.testing.assert_array_equal(exported.call(x), g(x))
    assert "while" in compiled.as_text()
    """)


def test_what_nobody_has_is_refused_by_name(run):
    run(
        """
        call = jax.ffi.ffi_call("cusolver_of_nobody", jax.ShapeDtypeStruct((3,), np.float32))
        jax.jit(lambda x: call(x))(np.ones(3, np.float32))
        """,
        "custom call target 'cusolver_of_nobody' is not registered",
    )


_HANDLER = """
#include <cstdint>
#include <cstring>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;

static int64_t streams = 0;
extern "C" int64_t countOfStreams() { return streams; }

// The emulated device's memory is the host's.
static ffi::Error sevens(void *stream, ffi::ScratchAllocator scratch, ffi::Result<ffi::Buffer<ffi::S32>> result) {
  if (!stream || !scratch.Allocate(64))
    return ffi::Error::Internal("there is no stream or no memory");
  ++streams;
  for (size_t i = 0; i < result->element_count(); ++i)
    result->typed_data()[i] = 7;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Sevens, sevens, ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void *>>()
                              .Ctx<ffi::ScratchAllocator>().Ret<ffi::Buffer<ffi::S32>>());
"""


# As NVIDIA's plug-in for JAX does, which JAX may start before.
_TAKEN_BEFORE = """
from jaxlib import xla_client
taken = []
xla_client.register_custom_call_handler("CUDA", lambda name, *more: taken.append(name))
jax.devices()
"""


@pytest.mark.parametrize("before", ["taken = ['sevens']", _TAKEN_BEFORE], ids=["alone", "after another plug-in"])
def test_handlers_get_a_stream(run, tmp_path, before):
    source, library = tmp_path / "handler.cc", tmp_path / "handler.so"
    source.write_text(_HANDLER)
    compiler = shutil.which("c++") or shutil.which("clang++-22")
    options = ["-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-I", jax.ffi.include_dir()]
    subprocess.run([compiler, *options, source, "-o", library], check=True)
    run(before + f"""
import ctypes
library = ctypes.CDLL({str(library)!r})
library.countOfStreams.restype = ctypes.c_int64
jax.ffi.register_ffi_target("sevens", jax.ffi.pycapsule(library.Sevens), platform="CUDA")
call = jax.ffi.ffi_call("sevens", jax.ShapeDtypeStruct((4,), np.int32))
x = np.arange(4, dtype=np.int32)
np.testing.assert_array_equal(jax.jit(lambda x: call() + x)(x), 7 + x)
assert library.countOfStreams() == 1
assert [name for name in taken if name in ("sevens", b"sevens")]
    """)


def test_what_tenon_gpu_may_be(run):
    for name in ("imagined", "emulated:", "emulated:0", "emulated:two", "emulated:65"):
        run("jax.devices()", f"TENON_GPU is '{name}'; it can be 'emulated', 'emulated:2' for two GPUs", TENON_GPU=name)


def test_the_host_turns_around_what_the_device_has_yet_to_compute(run):
    run("""
    from jax.experimental.layout import Format, Layout

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    turned = jax.jit(lambda x: jnp.sin(x).T + 1, out_shardings=Format(Layout.AUTO)).lower(x).compile()
    double = jax.jit(lambda a: a * 2)
    expected = np.sin(x).T + 1
    for _ in range(4):
        y = turned(x)
        assert y.format.layout.major_to_minor == (1, 0)
        np.testing.assert_allclose(double(y), expected * 2, rtol=1e-6)
        np.testing.assert_allclose(jax.device_put(turned(x), Format(Layout((0, 1)), y.sharding)), expected, rtol=1e-6)
    """)


def test_arrays_and_programs_are_on_any_of_several_gpus(run):
    run(
        """
    import time

    devices = jax.devices()
    assert [d.id for d in devices] == [0, 1, 2] and jax.local_device_count() == 3
    assert all(d.device_kind == "emulated GPU" for d in devices)

    def counted(x, n):
        return jax.lax.fori_loop(0, n, lambda i, y: jnp.sin(y @ y) + y, x)

    step = jax.jit(counted)
    host = np.random.default_rng(2).standard_normal((12, 12), np.float32)
    arrays = [jax.device_put(host, d) for d in devices]
    results = [step(a, 3) for a in arrays]
    for device, array, result in zip(devices, arrays, results):
        assert array.devices() == result.devices() == {device}
        np.testing.assert_array_equal(result, results[0])
    # What a device has yet to do is waited for, small and large arrays alike; copies are independent of their source.
    large = jax.device_put(np.arange(1 << 19, dtype=np.float32), devices[2])
    for there in devices:
        np.testing.assert_array_equal(jax.device_put(step(arrays[1], 3), there), results[0])
        np.testing.assert_array_equal(jax.device_put(large + 1, there), np.arange(1 << 19, dtype=np.float32) + 1)
    copy = jax.device_put(arrays[0], devices[1])
    arrays[0].delete()
    np.testing.assert_array_equal(copy, host)
    moved = jax.device_put(copy, devices[2], donate=True)
    assert moved.devices() == {devices[2]}
    np.testing.assert_array_equal(moved, host)
    # Memory is each device's own. What has just been deleted is given back by the thread that had it last.
    def in_use():
        now, last = [d.memory_stats()["bytes_in_use"] for d in devices], None
        while now != last:
            time.sleep(0.1)
            now, last = [d.memory_stats()["bytes_in_use"] for d in devices], now
        return now

    before = in_use()
    kept = jax.device_put(np.zeros(1 << 20, np.float32), devices[1])
    assert [b - a for a, b in zip(before, in_use())] == [0, 4 << 20, 0]
    with jax.default_device(devices[2]):
        assert jnp.linalg.cholesky(jnp.eye(3) * 4).devices() == {devices[2]}
    pinned = jax.device_put(host, jax.sharding.SingleDeviceSharding(devices[1], memory_kind="pinned_host"))
    np.testing.assert_array_equal(jax.device_put(pinned, devices[2]), host)
    """,
        TENON_GPU="emulated:3",
    )


def test_programs_for_several_gpus_at_once(run):
    run(
        """
    from jax.sharding import NamedSharding, PartitionSpec as P

    devices, host = jax.devices(), np.random.default_rng(3).standard_normal((4, 6), np.float32)

    def turn(x):
        y = jax.lax.ppermute(jnp.sin(x), "i", [(d, (d + 1) % 4) for d in range(4)])
        return jax.lax.all_gather(y, "i"), y * jax.lax.axis_index("i")

    gathered, scaled = jax.pmap(turn, "i")(host)
    sines = jax.jit(jnp.sin)(host)
    for part in gathered:
        np.testing.assert_array_equal(part, np.roll(sines, 1, axis=0))
    np.testing.assert_array_equal(scaled, np.roll(sines, 1, axis=0) * np.arange(4, dtype=np.float32)[:, None])

    mesh = jax.make_mesh((4,), ("x",), devices=devices)
    rows, columns = NamedSharding(mesh, P("x")), NamedSharding(mesh, P(None, "x"))
    x = jax.device_put(host, rows)
    y = jax.jit(lambda x: jnp.sin(x) * 2, out_shardings=rows)(x)
    assert len(y.addressable_shards) == 4 and {s.device for s in y.addressable_shards} == set(devices)
    np.testing.assert_array_equal(y, sines * 2)
    square = jax.device_put(np.arange(64, dtype=np.float32).reshape(8, 8), rows)
    turned = jax.jit(lambda x: x.T + 1, in_shardings=rows, out_shardings=rows)(square)
    np.testing.assert_array_equal(turned, np.arange(64, dtype=np.float32).reshape(8, 8).T + 1)
    swapped = jax.jit(jax.shard_map(lambda x: jax.lax.all_to_all(x, "x", 1, 0, tiled=True), mesh=mesh,
                                    in_specs=P("x"), out_specs=P(None, "x")))(square)
    np.testing.assert_array_equal(swapped, square)
    """,
        TENON_GPU="emulated:4",
    )


_REDUCTIONS = """
    from jax import lax
    from jax.sharding import NamedSharding, PartitionSpec as P

    host = np.random.default_rng(5).standard_normal((4, 8, 6)).astype(np.float32)
    mesh = jax.make_mesh((2, 2), ("x", "y"))

    def reductions(x):
        half = x.astype(jnp.bfloat16)
        return (lax.psum(x, "i"), lax.psum(half, "i"), lax.pmax(x, "i"), lax.pmin(x, "i"), lax.pmean(x, "i"),
                lax.psum((x[0, 0], half[:, 1]), "i", axis_index_groups=[[3, 0], [1, 2]]),
                lax.psum_scatter(x, "i", scatter_dimension=0, tiled=True, axis_index_groups=[[0, 2], [1, 3]]))

    def on_mesh(x):
        total = lax.psum(x, "y")
        return lax.psum_scatter(total, "x", scatter_dimension=1, tiled=True), lax.psum((x > 0).sum(), ("x", "y"))

    spread = jax.shard_map(on_mesh, mesh=mesh, in_specs=P("x", "y"), out_specs=(P(None, "x"), P()), check_vma=False)
    matrix = jax.device_put(host.reshape(8, 24), NamedSharding(mesh, P("x", "y")))
    large = np.resize(host, 70001) * np.arange(1, 5, dtype=np.float32)[:, None]
    results = (jax.pmap(reductions, "i")(host), jax.jit(spread)(matrix),
               jax.pmap(lambda x: lax.psum(jnp.sqrt(x * x), "i"), "i")(large))
    for array in jax.tree.leaves(results):
        assert len(array.sharding.device_set) == 4
        print(array.dtype, array.shape, np.asarray(array).tobytes().hex())
"""


def test_reductions_over_several_gpus_have_the_bits_of_cpus(run):
    assert run(_REDUCTIONS, TENON_GPU="emulated:4") == run(_REDUCTIONS, JAX_PLATFORMS="tenon", TENON_NUM_DEVICES="4")


def test_training_on_several_gpus(run):
    run(
        """
    from jax.sharding import NamedSharding, PartitionSpec as P

    rng = np.random.default_rng(7)
    weights = {"w": rng.standard_normal((8, 16), np.float32) / 3, "v": rng.standard_normal((16, 2), np.float32) / 4}
    inputs, targets = rng.standard_normal((16, 8), np.float32), rng.standard_normal((16, 2), np.float32)

    def loss(weights, inputs, targets):
        return jnp.mean((jnp.tanh(inputs @ weights["w"]) @ weights["v"] - targets) ** 2)

    def step(weights, inputs, targets):
        value, gradients = jax.value_and_grad(loss)(weights, inputs, targets)
        return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients), value

    alone, expected = jax.jit(step), []
    now = weights
    for _ in range(4):
        now, value = alone(now, inputs, targets)
        expected.append(value)

    mesh = jax.make_mesh((4,), ("batch",))
    rows, whole = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
    spread = jax.jit(step, in_shardings=(whole, rows, rows), out_shardings=(whole, whole), donate_argnums=0)
    shared, losses = jax.device_put(weights, whole), []
    data = jax.device_put((inputs, targets), rows)
    for _ in range(4):
        shared, value = spread(shared, *data)
        losses.append(value)
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for name in weights:
        np.testing.assert_allclose(shared[name], now[name], rtol=1e-4, atol=1e-5)

    def replica(weights, inputs, targets):
        gradients = jax.lax.pmean(jax.grad(loss)(weights, inputs, targets), "i")
        return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)

    own = jax.tree.map(lambda w: np.broadcast_to(w, (4, *w.shape)), weights)
    for _ in range(4):
        own = jax.pmap(replica, "i")(own, inputs.reshape(4, 4, 8), targets.reshape(4, 4, 2))
    for name in weights:
        for part in own[name]:
            np.testing.assert_allclose(part, now[name], rtol=1e-4, atol=1e-5)
    """,
        TENON_GPU="emulated:4",
    )


def test_tf32_is_the_programs_or_the_users_word(run):
    program = """
    x = np.eye(16, dtype=np.float32) * np.float32(1 + 2.0**-12)
    np.testing.assert_array_equal(jax.lax.dot(x, x, precision="TF32_TF32_F32"), np.eye(16))
    np.testing.assert_array_equal(jax.lax.dot(x, x, precision="TF32_TF32_F32_X3"), x @ x)
    for options in ({}, {"tf32": True}):  # without libraries f32 is multiplied
        np.testing.assert_array_equal(jax.jit(jnp.matmul, compiler_options=options)(x, x), x @ x)
    print("tf32" in jax.devices()[0].client.platform_version)
    """
    assert run(program) == "False\n"
    assert run(program, TENON_TF32="1") == "True\n", "JAX's persistent cache has programs of its own then"
    run("jax.jit(jnp.sin, compiler_options={'tf32': 'yes'})(1.0)", "the compile option 'tf32' is true or false")
