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
    assert devices[0].client.platform_version.split("\n")[1].startswith("tenon ")


def test_the_platform_of_host_callbacks_exists():
    assert jax.devices("cpu")[0].device_kind == "cpu"
    assert jax.default_backend() == "cpu"  # the name whose lowering rules we use
    assert jax.devices()[0].device_kind == "tenon-cpu"


def test_memories():
    device = jax.devices()[3]
    assert [memory.kind for memory in device.addressable_memories()] == ["device", "pinned_host", "unpinned_host"]
    assert device.default_memory().kind == "device"
    assert len({memory for each in jax.devices() for memory in each.addressable_memories()}) == 24


def test_memory_stats():
    before = jax.devices()[0].memory_stats()
    array = jax.device_put(np.ones(1 << 20), jax.devices()[0])
    array.block_until_ready()
    after = jax.devices()[0].memory_stats()
    assert after["bytes_in_use"] > before["bytes_in_use"]
    assert after["bytes_limit"] > 1 << 20


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
