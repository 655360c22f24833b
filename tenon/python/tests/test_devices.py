import gc
import subprocess
import sys

import jax
import numpy as np
import pytest


def test_devices():
    devices = jax.devices()
    assert len(devices) == 8
    assert [device.id for device in devices] == list(range(8))
    assert {device.device_kind for device in devices} == {"tenon-cpu"}
    assert (str(devices[3]), repr(devices[3])) == ("cpu:3", "CpuDevice(id=3)")  # as of the platform whose name it is
    assert "\ntenon " in "\n" + devices[0].client.platform_version


def test_the_platform_of_host_callbacks_exists():
    assert jax.devices("cpu")[0].device_kind == "cpu"
    assert jax.default_backend() == "cpu"  # the name whose lowering rules we use
    assert jax.devices()[0].device_kind == "tenon-cpu"


_PLATFORMS = """
import jax, numpy as np
from jax._src import xla_bridge
print(jax.jit(lambda x: x + 1)(np.float32(2)), [*xla_bridge._backends], "cpu" in xla_bridge.backends())
print(jax.jit(lambda x: jax.pure_callback(lambda y: y * 2, x, x))(np.float32(3)), sorted(xla_bridge._backends))
try:
    jax.devices("nowhere")
except RuntimeError as error:
    print("Unknown backend" in str(error))
print(jax.devices("cpu")[0].device_kind, jax.devices()[0].device_kind)
"""


# Its client has a thread pool and a megabyte or two.
def test_the_platform_of_host_callbacks_starts_when_it_is_needed(subprocess_environment):
    command = [sys.executable, "-c", _PLATFORMS]
    out = subprocess.run(command, env=subprocess_environment, check=True, capture_output=True, text=True).stdout
    assert out.splitlines() == ["3.0 ['tenon'] True", "6.0 ['cpu', 'tenon']", "True", "cpu tenon-cpu"]


_CUT_PROGRAMS = """
import os, jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
weights = jax.device_put(jnp.arange(65536, dtype=jnp.float32).reshape(256, 256) % 7, NamedSharding(mesh, P()))
rows = jax.device_put(jnp.arange(8192, dtype=jnp.float32).reshape(32, 256) % 5, NamedSharding(mesh, P(("x", "y"))))
def step(weights, rows, host=lambda value: value):
    for _ in range(3):
        rows = jnp.minimum(rows @ weights, 3)
    return weights + jnp.mean(rows, axis=0), host(jnp.sum(rows, axis=0))
def report(step):
    compiled = jax.jit(step).lower(weights, rows).compile(compiler_options={"partition": "required"})
    new, sums = weights, None
    for _ in range(5):
        new, sums = compiled(new, rows)
    jax.block_until_ready((new, sums))
    names = [open(f"/proc/self/task/{task}/comm").read() for task in os.listdir("/proc/self/task")]
    print(float(jnp.sum(new)), float(jnp.sum(sums)), sum("tenon-device" in name for name in names))
report(step)
same = lambda value: jax.pure_callback(lambda x: x, value, value)
report(lambda weights, rows: step(weights, rows, same))
"""


def test_threads_take_devices_together_where_these_wait_for_each_other_only(subprocess_environment):
    lines = []
    for threads in ("2", "3"):
        environment = dict(subprocess_environment, TENON_NUM_THREADS=threads)
        command = [sys.executable, "-c", _CUT_PROGRAMS]
        lines.append(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines())
    values = lambda line: line.split()[:2]
    for plain, with_callback in lines:
        assert values(plain) == values(with_callback) == values(lines[0][0])
        assert int(with_callback.split()[2]) >= 8
    # With three threads some would have more devices than others.
    assert [int(plain.split()[2]) for plain, _ in lines] == [2, 8]


def test_memories():
    device = jax.devices()[3]
    assert [memory.kind for memory in device.addressable_memories()] == ["device", "pinned_host", "unpinned_host"]
    assert device.default_memory().kind == "device"
    assert len({memory for each in jax.devices() for memory in each.addressable_memories()}) == 24


def test_memory_stats():
    gc.collect()  # what is freed in between would be counted against the array
    before = jax.devices()[0].memory_stats()
    array = jax.device_put(np.ones(1 << 20), jax.devices()[0])
    array = jax.block_until_ready(array + 1)  # a host array may be used where it lies and takes nothing
    after = jax.devices()[0].memory_stats()
    assert after["bytes_in_use"] > before["bytes_in_use"]
    assert after["bytes_limit"] > 1 << 20 and after["bytes_reservable_limit"] > 1 << 20


def test_unknown_device():
    with pytest.raises(RuntimeError, match="no device has id|LookupDevice|88"):
        jax.devices()[0].client.device_from_local_hardware_id(88)


@pytest.mark.parametrize("how", ["config", "flag"])
def test_as_many_devices_as_of_xlas_cpu(how, subprocess_environment):
    program = "import jax\n"
    environment = {name: value for name, value in subprocess_environment.items() if name != "TENON_NUM_DEVICES"}
    if how == "config":
        program += "jax.config.update('jax_num_cpu_devices', 4)\n"
        environment["TENON_NUM_DEVICES"] = "2"
    else:
        environment["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    program += "print(len(jax.devices()), jax.devices()[3].device_kind)"
    result = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("4 tenon-cpu\n", "")


@pytest.mark.parametrize("platforms", ["tenon", "tenon,cpu"])
def test_starting_changes_no_configuration(platforms, subprocess_environment):
    program = "import jax\nbefore = dict(jax.config.values)\njax.devices()\njax.jit(lambda x: x + 1)(1)\n"
    program += "print(before == dict(jax.config.values), jax.config.jax_platforms, jax.devices('cpu')[0].device_kind)"
    environment = dict(subprocess_environment, JAX_PLATFORMS=platforms)
    result = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert result.stdout == f"True {platforms} cpu\n", result.stderr


def test_versions_of_jax():
    from jax_plugins.tenon import _versions

    for good in (jax.__version__, _versions.OLDEST, _versions.NEWEST, "0.9.2", "0.10.0", "0.12.0", "0.11.0.dev20260101+abc"):
        assert _versions.problem(good) == ""
    for how, others in {"old": ("0.4.38", "0.8.3", "0.9.0.1"), "new": ("0.12.0.2", "0.12.1", "0.13.0rc1", "1.0")}.items():
        for other in others:
            message = _versions.problem(other)
            assert f"JAX {other} is too {how}" in message
            assert f"JAX {_versions.OLDEST} to {_versions.NEWEST}" in message and _versions.ANY in message


@pytest.mark.parametrize("version, how", [("0.8.3", "old"), ("99.0", "new")])
def test_other_versions_of_jax_are_refused(version, how, subprocess_environment):
    program = f"import jax\njax.__version__ = '{version}'\nprint(jax.devices()[0].device_kind)"

    def run(**variables):
        environment = dict(subprocess_environment, **variables)
        return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)

    refused = run()
    assert refused.returncode != 0 and f"JAX {version} is too {how} for Tenon" in refused.stderr, refused.stderr
    tried = run(TENON_ANY_JAX="1")
    assert tried.stdout == "tenon-cpu\n" and f"UserWarning: JAX {version} is too {how} for Tenon" in tried.stderr
    # It is nobody's concern who does not ask for Tenon.
    other = run(JAX_PLATFORMS="cpu")
    assert (other.stdout, other.stderr) == ("cpu\n", "")
