import gc

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

DTYPES = [
    "bool", "int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "bfloat16", "float16", "float32", "float64", "complex64",
    "complex128",
]  # fmt: skip


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)


def every_bit_pattern(dtype, count=256):
    """Values with every pattern of the low bits, NaN payloads and infinities among them."""
    bits = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4, "bool": 1}.get(dtype.name, 8)
    patterns = np.arange(count, dtype=np.uint8) & np.uint8((1 << bits) - 1)
    if dtype.itemsize == 1:
        return patterns.view(dtype)
    return np.random.default_rng(0).integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)


@pytest.mark.parametrize("name", DTYPES)
def test_round_trip(name):
    host = every_bit_pattern(dtype_of(name)).reshape(2, 4, 32)
    array = jax.device_put(host)
    assert array.dtype == host.dtype
    back = np.asarray(array)
    assert back.dtype == host.dtype and back.shape == host.shape
    assert back.tobytes() == host.tobytes()


@pytest.mark.parametrize("name", ["int4", "float8_e5m2", "bfloat16", "complex128"])
def test_strided(name):
    host = every_bit_pattern(dtype_of(name)).reshape(8, 4, 8)
    for view in (host.T, host[::-2], host[:, 1:3, ::3], host[:, ::-1, :0], np.broadcast_to(host[0, 0], (5, 8))):
        back = np.asarray(jax.device_put(view))
        assert back.tobytes() == np.ascontiguousarray(view).tobytes()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1, 1)])
def test_small_shapes(shape):
    host = np.full(shape, -0.0)
    back = np.asarray(jax.device_put(host))
    assert back.shape == shape and back.tobytes() == host.tobytes()


def test_all_devices():
    host = np.arange(10.0)
    arrays = [jax.device_put(host, device) for device in jax.devices()]
    assert [array.device for array in arrays] == jax.devices()
    moved = jax.device_put(arrays[2], jax.devices()[5])
    assert moved.device == jax.devices()[5]
    assert moved.unsafe_buffer_pointer() != arrays[2].unsafe_buffer_pointer()
    np.testing.assert_array_equal(np.asarray(moved), host)


def test_large_copies_between_devices():
    host = np.random.default_rng(1).normal(size=(1024, 1024))
    array = jax.device_put(host)
    for device in jax.devices()[1:]:
        array = jax.device_put(array, device)
    np.testing.assert_array_equal(np.asarray(array), host)


def test_memory_kinds():
    host = np.arange(6.0).reshape(2, 3)
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[1], memory_kind="pinned_host")
    array = jax.device_put(host, sharding)
    assert array.sharding.memory_kind == "pinned_host"
    np.testing.assert_array_equal(np.asarray(array), host)
    back = jax.device_put(array, sharding.with_memory_kind("device"))
    assert back.sharding.memory_kind == "device"
    np.testing.assert_array_equal(np.asarray(back), host)


def test_reads_are_zero_copy():
    array = jax.device_put(np.arange(100.0))
    view = np.asarray(array)
    assert view.__array_interface__["data"][0] == array.unsafe_buffer_pointer()
    # The view stays valid.
    array.delete()
    gc.collect()
    assert view[99] == 99


def test_aligned_host_memory_is_not_freed_early():
    storage = np.zeros(1024 + 64, np.uint8)
    start = -storage.ctypes.data % 64
    aligned = storage[start : start + 1024].view(np.float32)
    aligned[:] = 3
    array = jax.device_put(aligned)
    assert array.unsafe_buffer_pointer() == aligned.ctypes.data
    del storage, aligned
    gc.collect()
    assert np.asarray(array).tolist() == [3] * 256


def test_deleted_arrays_raise():
    array = jax.device_put(np.arange(3))
    array.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(array)


def test_dlpack_to_numpy():
    array = jax.device_put(np.arange(8.0))
    exported = np.from_dlpack(array)
    assert exported.tolist() == list(range(8))
    assert exported.ctypes.data == array.unsafe_buffer_pointer()


def test_dlpack_from_numpy():
    imported = jnp.from_dlpack(np.arange(8.0))
    assert imported.tolist() == list(range(8))


def aligned(count):
    """Zeros whose memory a device can use in place."""
    memory = np.zeros(count * 4 + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + count * 4].view(np.float32)


@pytest.mark.parametrize("where", [None, "device", "all", "cut"])
def test_memory_is_shared_only_if_it_may(where):
    mesh = jax.make_mesh((8,), ("x",))
    spec = jax.sharding.PartitionSpec
    places = {None: None, "device": jax.devices()[1], "all": jax.sharding.NamedSharding(mesh, spec()),
              "cut": jax.sharding.NamedSharding(mesh, spec("x"))}  # fmt: skip
    host = aligned(1024)
    inside = range(host.ctypes.data, host.ctypes.data + host.nbytes)

    def shares(**how):
        array = jax.device_put(host, places[where], **how)
        return [shard.data.unsafe_buffer_pointer() in inside for shard in array.addressable_shards]

    assert all(shares()) and all(shares(may_alias=True))
    copied = jax.device_put(host, places[where], may_alias=False)
    assert not any(shares(may_alias=False))
    host[:] = 5
    assert np.asarray(copied).tolist() == [0] * 1024
    # In a tree, with a choice for each.
    shared, own = jax.device_put((host, host), places[where], may_alias=(True, False))
    host[:] = 7
    assert np.asarray(shared)[3] == 7 and np.asarray(own)[3] == 5


def test_sharded_arrays():
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    host = np.arange(64.0).reshape(8, 8)
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x", "y"))
    array = jax.device_put(host, sharding)
    assert {shard.data.shape for shard in array.addressable_shards} == {(2, 4)}
    np.testing.assert_array_equal(np.asarray(array), host)
    replicated = jax.device_put(array, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec()))
    np.testing.assert_array_equal(np.asarray(replicated), host)


def test_many_arrays_leave_nothing_behind():
    device = jax.devices()[7]
    gc.collect()
    before = device.memory_stats()["bytes_in_use"]
    for _ in range(100):
        jax.device_put(np.zeros(10000), device).block_until_ready()
    gc.collect()
    assert device.memory_stats()["bytes_in_use"] <= before + 2 * 80000
