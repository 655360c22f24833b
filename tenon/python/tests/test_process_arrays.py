"""Arrays of several OS processes, as JAX's utilities and other libraries use them (docs/processes.md)."""

import pytest
from job import run

# Both processes have the whole program; what is on the other one's devices they know as arrays without parts here.
COPIES = """
from jax._src import distributed
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

me = jax.process_index()
halves = [NamedSharding(Mesh(np.array(jax.devices()[i : i + 4]), ("d",)), PartitionSpec("d")) for i in (0, 4)]

def given(place, values):
    if place.is_fully_addressable:
        return jax.device_put(values, place)
    return jax.make_array_from_single_device_arrays(values.shape, place, [], dtype=values.dtype)

def computed(place, function, *arrays):
    if place.is_fully_addressable:
        return jax.jit(function)(*arrays)
    like = jax.eval_shape(function, *arrays)
    return jax.make_array_from_single_device_arrays(like.shape, place, [], dtype=like.dtype)

def is_right(array, values):
    return [bool((np.asarray(part.data) == values[part.index]).all()) for part in array.addressable_shards]

def end():
    distributed.global_state.client.wait_at_barrier("end", 60_000)
    leave()
"""


def test_copies_between_devices_of_different_processes(subprocess_environment):
    results = run(
        subprocess_environment,
        COPIES
        + """
numbers = np.arange(64).reshape(8, 8)
for values in (
    numbers.astype(np.float32), numbers.astype(jnp.bfloat16), numbers % 3 == 0, (numbers % 16 - 8).astype(jnp.int4),
    numbers.astype(np.complex64) * 1j, np.zeros((8, 0), np.int8), np.arange(2_000_000, dtype=np.float32).reshape(8, -1),
):
    there = jax.device_put(given(halves[0], values), halves[1])
    back = jax.device_put(there, halves[0])
    say(there.sharding == halves[1], is_right(there, values), is_right(back, values))
first, last = SingleDeviceSharding(jax.devices()[0]), SingleDeviceSharding(jax.devices()[7])
say(is_right(jax.device_put(given(first, numbers), last), numbers))
several = jax.device_put([given(halves[0], numbers), given(halves[0], numbers + 1)], halves[1])
say([is_right(array, numbers + i) for i, array in enumerate(several)])
mixed = [NamedSharding(Mesh(np.array([jax.devices()[i] for i in pair]), ("d",)), PartitionSpec("d"))
         for pair in ((0, 1), (2, 4))]  # one part stays in the process
say(is_right(jax.device_put(given(mixed[0], numbers), mixed[1]), numbers))

# Two stages of a pipeline: each gives what it has computed to the other one.
x = given(halves[0], numbers.astype(np.float32))
for turn in range(6):
    x = jax.device_put(computed(halves[turn % 2], lambda v: v * 2 + 1, x), halves[1 - turn % 2])
say(is_right(x, numbers.astype(np.float32) * 64 + 63))
end()
""",
    )
    nothing, four = "[]", "[True, True, True, True]"
    assert results == [
        [f"True {nothing} {four}"] * 7 + [nothing, f"[{nothing}, {nothing}]", "[True]", four],
        [f"True {four} {nothing}"] * 7 + ["[True]", f"[{four}, {four}]", "[True]", nothing],
    ]


def test_copies_that_fail(subprocess_environment):
    """Copies that differ fail where they go to; what has failed passes that on; later ones come."""
    sender, receiver = run(
        subprocess_environment,
        COPIES
        + """
def failure(array):
    try:
        return [np.asarray(part.data).tolist() for part in array.addressable_shards]
    except Exception as error:
        return str(error).replace(chr(10), " | ")

first, last = SingleDeviceSharding(jax.devices()[0]), SingleDeviceSharding(jax.devices()[4])
failed = jax.device_put(given(first, np.ones(3 + me, np.float32)), last)
say(failure(failed))
say(failure(jax.device_put(failed, first)))
say(failure(jax.device_put(given(first, np.arange(3.0, dtype=np.float32)), last)))
end()
""",
    )
    assert sender[0::2] == ["[]", "[]"]
    for words in ["process 1 (", "has given up: ", "processes do different things"]:
        assert words in sender[1]
    for words in ["processes do different things", "copy of f32[3] from device 0 to device 4", "copy of f32[4]"]:
        assert words in receiver[0]
    assert receiver[1:] == ["[]", "[[0.0, 1.0, 2.0]]"]


def test_utilities_for_several_hosts(subprocess_environment):
    results = run(
        subprocess_environment,
        """
from jax.experimental import multihost_utils
from jax.sharding import PartitionSpec

me = jax.process_index()
mesh = jax.make_mesh((2, 4), ("x", "y"))
rows = np.arange(4.0).reshape(2, 2) + 10 * me
whole = multihost_utils.host_local_array_to_global_array(rows, mesh, PartitionSpec("x"))
say(whole.shape, jax.jit(lambda x: x.sum())(whole))
say((np.asarray(multihost_utils.global_array_to_host_local_array(whole, mesh, PartitionSpec("x"))) == rows).all())
say(multihost_utils.process_allgather(whole, tiled=True).tolist())
gathered = multihost_utils.process_allgather({"a": np.float32(me), "b": np.full((1, 2), me, np.int8)}, tiled=True)
say({name: (value.tolist(), str(value.dtype)) for name, value in gathered.items()})
numbers, flag = multihost_utils.broadcast_one_to_all([np.arange(2) + me, np.bool_(me)], is_source=me == 1)
say(numbers.tolist(), flag)
multihost_utils.assert_equal(np.arange(3), "these are equal")
multihost_utils.sync_global_devices("here")

def failure(function, *arguments):
    try:
        return function(*arguments)
    except AssertionError as error:
        return str(error).partition(".")[0]

say(failure(multihost_utils.assert_equal, np.arange(3) + me, "these differ"))
say(failure(multihost_utils.sync_global_devices, f"here {me}"))
say(multihost_utils.reached_preemption_sync_point(1))
""",
    )
    for process, lines in enumerate(results):
        assert lines == [
            "(4, 2) 52.0",
            "True",
            "[[0.0, 1.0], [2.0, 3.0], [10.0, 11.0], [12.0, 13.0]]",
            "{'a': ([0.0, 1.0], 'float32'), 'b': ([[0, 0], [1, 1]], 'int8')}",
            "[1, 2] True",
            "these differ",
            f"sync_global_devices name mismatch ('here {process}')",
            "False",
        ]


def test_checkpoints(subprocess_environment, tmp_path):
    """Each process writes its parts; they are read in other shardings."""
    pytest.importorskip("orbax.checkpoint")  # Flax has it installed
    results = run(
        subprocess_environment,
        f"""
import orbax.checkpoint
from jax.sharding import NamedSharding, PartitionSpec

mesh = jax.make_mesh((2, 4), ("x", "y"))
values = np.arange(64, dtype=np.float32).reshape(8, 8)

def array(values, *spec):
    return jax.make_array_from_callback(
        values.shape, NamedSharding(mesh, PartitionSpec(*spec)), lambda index: values[index])

def like(values, *spec):
    return jax.ShapeDtypeStruct(values.shape, values.dtype, sharding=NamedSharding(mesh, PartitionSpec(*spec)))

narrow, small = values.astype(jnp.bfloat16), np.arange(3, dtype=np.int32)
kept = dict(both=array(values, "x", "y"), columns=array(narrow, None, ("x", "y")), whole=array(small), step=7)
with orbax.checkpoint.StandardCheckpointer() as checkpointer:
    checkpointer.save({str(tmp_path / "checkpoint")!r}, kept)
    checkpointer.wait_until_finished()
    wanted = dict(both=like(values, ("y", "x")), columns=like(narrow, "x", "y"), whole=like(small), step=0)
    read = checkpointer.restore({str(tmp_path / "checkpoint")!r}, wanted)
for name, values in (("both", values), ("columns", narrow), ("whole", small)):
    same = all((np.asarray(part.data) == values[part.index]).all() for part in read[name].addressable_shards)
    say(name, same, read[name].sharding == wanted[name].sharding, len(read[name].addressable_shards))
say(read["step"])
""",
    )
    assert results == [["both True True 4", "columns True True 4", "whole True True 4", "7"]] * 2
