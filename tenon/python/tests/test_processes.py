"""Programs of several OS processes (docs/processes.md)."""

import json
import os
import signal

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec
from job import Job, run

WHOLE = bool(os.environ.get("TENON_TEST_WHOLE"))

# Programs that are written for one of all devices.
GRID = '''
from jax._src import compiler
from jax._src.lib import xla_client
from jax.sharding import Mesh, NamedSharding, PartitionSpec

count = len(jax.devices())
sharding = NamedSharding(Mesh(np.array(jax.devices()), ("device",)), PartitionSpec("device"))
groups = f"""replica_groups = dense<[{list(range(count))}]> : tensor<1x{count}xi64>,
             channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids"""
add = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })"""

def compile(program):
    options = compiler.get_compile_options(1, count, device_assignment=np.arange(count).reshape(1, count))
    options.executable_build_options.use_spmd_partitioning = False
    options.parameter_is_tupled_arguments = False
    return jax.devices()[0].client.compile_and_load(
        program.encode(), xla_client.DeviceList(tuple(jax.devices())), options)

def execute(executable, values):
    array = jax.make_array_from_callback(values.shape, sharding, lambda index: values[index])
    results = executable.execute_sharded([array]).disassemble_into_single_device_arrays()
    return [[np.asarray(part).tolist() for part in parts] for parts in results]

def sum_of(size, name="sum"):
    return compile(f"""module @{name} {{ func.func @main(%x: tensor<{size}xf32>) -> tensor<{size}xf32> {{
      %0 = "stablehlo.all_reduce"(%x) {add} {{{groups}}} : (tensor<{size}xf32>) -> tensor<{size}xf32>
      return %0 : tensor<{size}xf32>
    }} }}""")

def failure(function):
    try:
        return "no error: " + str(function())
    except Exception as error:
        return str(error).replace("\\n", " | ")
'''

# What is right, and then two processes that launch two programs in different orders.
TOGETHER = (
    GRID
    + """
say([device.id for device in jax.devices()], [device.process_index for device in jax.devices()])
say([device.id for device in jax.local_devices()], jax.process_index(), jax.process_count())
say([device.local_hardware_id for device in jax.local_devices()], len(jax.devices()[0].client.local_devices()))
here = jax.local_devices()[1]
say(jnp.dot(jnp.arange(3.0), jnp.ones(3)), jax.jit(lambda x: x * 2, device=here)(jnp.arange(3)).tolist())
say(jax.device_put(1.0, here).devices() == {here}, jnp.ones(2).devices() == {jax.local_devices()[0]})

moves = compile(f'''func.func @main(%x: tensor<1xf32>) -> (tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) {{
  %0 = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64, {groups}}} : (tensor<1xf32>) -> tensor<8xf32>
  %1 = "stablehlo.collective_permute"(%x) {{source_target_pairs = dense<[[0, 5], [5, 1], [1, 2]]> : tensor<3x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}} : (tensor<1xf32>) -> tensor<1xf32>
  %2 = "stablehlo.reduce_scatter"(%0) {add} {{scatter_dimension = 0 : i64, {groups}}}
    : (tensor<8xf32>) -> tensor<1xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<1xf32>, tensor<1xf32>
}}''')
gathered, permuted, scattered = execute(moves, np.arange(8, dtype=np.float32))
say(gathered == [list(range(8))] * 4, permuted, scattered)
small, large = sum_of(2), sum_of(40000)
for turn in range(5):
    ones = np.full(16, turn, np.float32)
    say(execute(small, ones) == [[[8 * turn] * 2] * 4])
    numbers = np.arange(320000, dtype=np.float32)
    say(execute(large, numbers) == [[numbers.reshape(8, -1).sum(0).tolist()] * 4])

other = sum_of(2, "other")
for program in (small, other) if jax.process_index() else (other, small):
    say(failure(lambda: execute(program, np.ones(16, np.float32))))
say(jnp.arange(3).sum())
say(jax.devices()[0].client.platform_version.splitlines()[-1])
leave()
"""
)


def test_two_processes(subprocess_environment):
    for process, lines in enumerate(run(subprocess_environment, TOGETHER)):
        own = list(range(4 * process, 4 * process + 4))
        assert lines[:5] == [
            f"{list(range(8))} {[0] * 4 + [1] * 4}",
            f"{own} {process} 2",
            f"{list(range(4))} 4",
            "3.0 [0, 2, 4]",
            "True True",
        ]
        permuted = [[[0.0], [5.0], [1.0], [0.0]], [[0.0], [0.0], [0.0], [0.0]]][process]
        assert lines[5] == f"True {permuted} {[[8.0 * i] for i in own]}"
        assert lines[6:16] == ["True"] * 10
        for line in lines[16:18]:
            for word in ["processes do different things", "process 0 (", "process 1 (", "program 'sum'", "program 'other'"]:
                assert word in line
        assert lines[18] == "3", "programs on the process's own devices go on"
        assert lines[19].endswith(", devices of 2 processes: 4, 4"), "kept programs are of this spread"


# What frameworks do with whole arrays.
WHOLE_ARRAYS = """
import functools
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

me = jax.process_index()
mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, PartitionSpec("d"))
everywhere = NamedSharding(mesh, PartitionSpec())
x = jax.make_array_from_process_local_data(rows, np.arange(8, dtype=np.float32) + 100 * me)

def parts(array):
    return [shard.data.tolist() for shard in array.addressable_shards]

say(parts(x), x.shape)
say(jax.jit(lambda x: x.sum())(x).item(), parts(x * 2))
say(multihost_utils.process_allgather(np.arange(3) + me).tolist())
say(multihost_utils.broadcast_one_to_all(np.arange(3) + 10 * me).tolist())
multihost_utils.sync_global_devices("here")
say(parts(jax.device_put(x, everywhere))[0])
say(parts(jax.device_put(x, NamedSharding(Mesh(np.array(jax.devices()[::-1]), ("d",)), PartitionSpec("d")))))

def mapped(function, out):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=PartitionSpec("d"), out_specs=out))
say(parts(mapped(lambda v: jax.lax.psum(v, "d"), PartitionSpec())(x))[0])
say(parts(mapped(lambda v: jax.lax.ppermute(v, "d", [(i, (i + 1) % 8) for i in range(8)]), PartitionSpec("d"))(x)))

def summed(overlap):
    # A loop with a sum that goes on while something else is computed.
    def turn(_, v):
        return jnp.tanh(jax.lax.psum(v, "d")) + jnp.sort(v)
    step = jax.shard_map(lambda v: jax.lax.fori_loop(0, 3, turn, v), mesh=mesh, in_specs=PartitionSpec("d"),
                         out_specs=PartitionSpec("d"), check_vma=False)
    many = jax.make_array_from_callback((65536,), rows, lambda i: np.sin(np.arange(65536, dtype=np.float32))[i])
    result = jax.jit(step, compiler_options={"overlap": overlap})(many)
    return b"".join(np.asarray(shard.data).tobytes() for shard in result.addressable_shards)
say(summed(True) == summed(False))
"""

TRAINING = """
def loss(weights, batch):
    return jnp.mean((jnp.tanh(batch @ weights["w"]) @ weights["v"]) ** 2)

def step(weights, batch):
    value, gradients = jax.value_and_grad(loss)(weights, batch)
    return value, jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, weights, gradients)

def train(mesh, options):
    rows = NamedSharding(mesh, PartitionSpec("d"))
    weights = {"w": np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8), "v": np.ones((8, 1), np.float32)}
    weights = jax.device_put(weights, NamedSharding(mesh, PartitionSpec()))
    numbers = np.sin(np.arange(64, dtype=np.float32)).reshape(16, 4)
    batch = jax.make_array_from_callback((16, 4), rows, lambda index: numbers[index])
    run_step, values = jax.jit(step, compiler_options=options), []
    for _ in range(3):
        value, weights = run_step(weights, batch)
        values.append(np.asarray(value).tobytes().hex())
    return values
"""


def test_whole_arrays(subprocess_environment):
    code = {"jax": jax, "jnp": jnp, "np": np, "NamedSharding": NamedSharding, "PartitionSpec": PartitionSpec}
    exec(TRAINING, code)
    values = code["train"](jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,)), {"partition": "spmd"})
    both = [list(range(8)), list(range(100, 108))]
    whole = [float(number) for numbers in both for number in numbers]

    def in_pairs(numbers):
        return [[float(number) for number in numbers[i : i + 2]] for i in range(0, 8, 2)]

    for process, lines in enumerate(run(subprocess_environment, WHOLE_ARRAYS + TRAINING + "say(train(mesh, None))")):
        assert lines == [
            f"{in_pairs(both[process])} (16,)",
            f"{sum(whole)} {in_pairs([2 * number for number in both[process]])}",
            "[[0, 1, 2], [1, 2, 3]]",
            "[0, 1, 2]",
            f"{whole}",
            f"{in_pairs(both[1 - process])}",
            f"{np.array(whole).reshape(8, 2).sum(0).tolist()}",
            f"{in_pairs(both[1 - process][6:] + both[process][:6])}",
            "True",
            f"{values}",
        ]


# Two programs on sets of devices that overlap, which both processes launch in different orders. They share no pair of
# devices whose messages would tell.
CIRCLE = """
from jax.sharding import Mesh, NamedSharding, PartitionSpec

def summed(name, *ids):
    mesh, rows = Mesh(np.array([jax.devices()[i] for i in ids]), ("d",)), PartitionSpec("d")
    x = jax.make_array_from_callback((len(ids),), NamedSharding(mesh, rows), lambda i: np.ones(len(ids), np.float32)[i])
    def function(v):
        return jax.lax.psum(v, "d")
    function.__name__ = name
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=rows, out_specs=PartitionSpec())), x

order = [summed("several", 0, 2, 3), summed("pair", 0, 3)]
results = [function(x) for function, x in order[:: -1 if jax.process_index() else 1]]
for result in results:
    try:
        say(np.asarray(result.addressable_data(0)))
    except Exception as error:
        say(str(error).replace(chr(10), " | "))
# One that ended before the other has heard of the deadlock would be its cause.
from jax._src import distributed
distributed.global_state.client.wait_at_barrier("heard", 60_000)
leave()
"""


def test_a_deadlock_is_named(subprocess_environment):
    for lines in run(subprocess_environment, CIRCLE, devices=2):
        assert len(lines) == 2
        for line in lines:
            for words in [
                "deadlock: ",
                "process 0 (",
                "process 1 (",
                "device 0 waits for device 2 of process 1 in all_reduce",
                "device 2 waits for device 3 in all_reduce",
                "device 3 waits for device 0 of process 0 in all_reduce",
                "program 'jit_several'",
                "program 'jit_pair'",
            ]:
                assert words in line


# Goes on until something fails.
ENDLESS = (
    GRID
    + """
program = sum_of(2)
execute(program, np.ones(16, np.float32))
say("works")
message = ""
while not message:
    message = failure(lambda: execute(program, np.ones(16, np.float32)))
    message = "" if message.startswith("no error") else message
say(message)
say(failure(lambda: execute(program, np.ones(16, np.float32))))
say(failure(lambda: sum_of(3)))
say(jnp.arange(3).sum())
leave()
"""
)


@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGKILL, "has ended without a word"), (signal.SIGSTOP, "has been silent")][: 1 + WHOLE]
)
def test_a_process_that_fails_is_named(number, words, subprocess_environment):
    with Job(dict(subprocess_environment, TENON_PEER_TIMEOUT="2"), ENDLESS) as job:
        assert [job.line(i) for i in range(2)] == ["works", "works"]
        job.signal(1, number)
        *messages, own = job.results(0)
        for message in messages:  # of the program that ran, of its next launch, and of compiling another one
            assert "process 1 (" in message and f"pid {job.pid(1)})" in message and words in message
        assert (len(messages), own) == (3, "3")


# Each device computes, for days, and waits for none.
COMPUTING = (
    GRID
    + """
from jax.sharding import NamedSharding, PartitionSpec
rows = PartitionSpec("x")
mesh = jax.make_mesh((len(jax.devices()),), ("x",))
x = jax.make_array_from_callback((8,), NamedSharding(mesh, rows), lambda index: np.ones(8, np.float32)[index])
def endless(v):
    start = (jax.lax.psum(v, "x"), jnp.int32(0))
    return jax.lax.while_loop(lambda carry: carry[1] >= 0, lambda carry: (jnp.sin(carry[0]), carry[1] * 3 % 7), start)[0]
result = jax.jit(jax.shard_map(endless, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False))(x)
say("computes")
say(failure(lambda: np.asarray(result.addressable_data(0))))
say(jnp.arange(3).sum())
leave()
"""
)


def test_a_process_that_is_killed_is_named_where_others_compute(subprocess_environment):
    with Job(subprocess_environment, COMPUTING) as job:
        assert [job.line(i) for i in range(2)] == ["computes", "computes"]
        job.signal(1, signal.SIGKILL)
        message, own = job.results(0)
        assert f"pid {job.pid(1)}) has ended without a word" in message and own == "3"


# Python traces a program over both processes until something ends that, and one of the process's own devices, which nothing
# may end.
TRACING = """
import threading
import time
from jax.sharding import AxisType, NamedSharding, PartitionSpec
mesh = jax.make_mesh((len(jax.devices()),), ("x",), axis_types=(AxisType.Auto,))
x = jax.make_array_from_callback((8,), NamedSharding(mesh, PartitionSpec("x")), lambda index: np.ones(8, np.float32)[index])
jax.jit(lambda v: v.sum())(x).block_until_ready()
own_traces, failed, outcome = threading.Event(), threading.Event(), []

def traced_slowly(v):
    say("traces")
    while True:
        v = v + 1
        time.sleep(0.001)

def own(v):
    own_traces.set()
    while not failed.is_set():
        v = v + 0
        time.sleep(0.001)
    for turn in range(200):
        v = v + 1
        time.sleep(0.001)
    return v

thread = threading.Thread(target=lambda: outcome.append(jax.jit(own)(jnp.int32(3)).item()))
thread.start()
own_traces.wait()
try:
    jax.jit(traced_slowly)(x)
except jax.errors.JaxRuntimeError as error:
    say(str(error).replace(chr(10), " | "))
failed.set()
thread.join()
say(*outcome)
try:
    mapped = jax.shard_map(traced_slowly, mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec("x"))
    jax.jit(mapped)(np.ones(8))
except jax.errors.JaxRuntimeError as error:
    say(str(error).replace(chr(10), " | "))
say(jnp.arange(3).sum())
leave()
"""


def test_a_process_that_is_killed_is_named_where_others_trace(subprocess_environment):
    with Job(subprocess_environment, TRACING) as job:
        assert [job.line(i) for i in range(2)] == ["traces", "traces"]
        job.signal(1, signal.SIGKILL)
        first, own, _, second, last = job.results(0)
        for message in (first, second):  # of a program of the other process's arrays, and of one on a mesh with it
            assert message.startswith("ABORTED: ") and f"pid {job.pid(1)}) has ended without a word" in message
        assert (own, last) == ("203", "3")


DIFFERENT_CPUS = """
os.environ["TENON_MAX_VECTOR_BITS"] = ["128", "256"][int(sys.argv[3])]
from jax.experimental import multihost_utils
say(jnp.arange(3).sum())
try:
    say(multihost_utils.process_allgather(np.arange(3)))
except Exception as error:
    say(str(error))
"""


@pytest.mark.skipif(not WHOLE, reason="takes some seconds")
def test_processes_that_compile_for_different_cpus(subprocess_environment):
    for own, refusal in run(subprocess_environment, DIFFERENT_CPUS):
        assert own == "3"
        assert "need all of them to compile for the same processor" in refusal and "process 1 (" in refusal


MESSAGES = """
from jax.sharding import NamedSharding, PartitionSpec
mesh = jax.make_mesh((4,), ("x",))
rows = PartitionSpec("x")
x = jax.make_array_from_callback((8,), NamedSharding(mesh, rows), lambda index: np.arange(8, dtype=np.float32)[index])

def run(function):
    step = jax.jit(jax.shard_map(function, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False))
    try:
        return [shard.data.tolist() for shard in step(x).addressable_shards]
    except Exception as error:
        return str(error).replace(chr(10), " | ")

def exchanged(v, sends, receives):
    token = jax.lax.psend(v, "x", sends)
    return jax.lax.precv(token, jax.ShapeDtypeStruct(v.shape, v.dtype), "x", receives)

ring = [(i, (i + 1) % 4) for i in range(4)]
say(run(lambda v: jax.lax.fori_loop(0, 3, lambda _, v: exchanged(v, ring, ring) + jax.lax.psum(v, "x"), v)))
say(run(lambda v: exchanged(v, [(0, 2)], [(0, 2)])))
say(run(lambda v: exchanged(v, [(0, 2), (1, 3)], [(0, 2)]))) # one that nobody receives
say(run(lambda v: exchanged(v, [(0, 2)], [(1, 2)])))
say(run(lambda v: v))
leave()
"""


def test_messages_between_devices_of_processes(subprocess_environment):
    expected = np.arange(8, dtype=np.float32).reshape(4, 2)
    for _ in range(3):
        expected = np.roll(expected, 1, 0) + expected.sum(0)
    for process, lines in enumerate(run(subprocess_environment, MESSAGES, devices=2)):
        assert lines[0] == f"{expected[2 * process : 2 * process + 2].tolist()}"
        assert lines[1:3] == [f"{[[0.0, 1.0], [0.0, 0.0]] if process else [[0.0, 0.0], [0.0, 0.0]]}"] * 2
        for line in lines[3:5] if process else []:  # the program, and those over several processes that come later
            assert "receives f32[2] on channel 1 from device 1 to device 2" in line
            assert "program has ended without sending it" in line


def test_callbacks_run_once_and_random_numbers_are_the_same(subprocess_environment):
    """A callback on whole arrays is the first device's, one on parts each device's own."""
    results = run(
        subprocess_environment,
        """
        from jax.sharding import NamedSharding, PartitionSpec
        sharding = NamedSharding(jax.make_mesh((len(jax.devices()),), ("x",)), PartitionSpec("x"))
        x = jax.make_array_from_callback((8,), sharding, lambda index: np.arange(8, dtype=np.float32)[index])
        seen = []
        @jax.jit
        def f(x):
            jax.debug.callback(lambda total: seen.append(float(total)), x.sum())
            jax.debug.callback(lambda part: seen.append(np.asarray(part).tolist()), x, partitioned=True)
            y = jax.pure_callback(lambda x: np.asarray(x) + 1, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
            return y.sum(), jax.lax.rng_uniform(0.0, 1.0, (5,)) + 0 * x.sum()
        total, numbers = f(x)
        say(total)
        jax.effects_barrier()
        say(sorted(map(str, seen)))
        say(np.asarray(numbers.addressable_data(0)).tolist())
        ordered = []
        @jax.jit
        def g(x):
            jax.experimental.io_callback(lambda value: ordered.append(float(value)), None, x.sum(), ordered=True)
            jax.experimental.io_callback(lambda value: ordered.append(-float(value)), None, x.max(), ordered=True)
            return x + 1
        jax.block_until_ready(g(g(x)))
        jax.effects_barrier()
        say(ordered)
        try:
            h = lambda y: jax.pure_callback(lambda _: np.asarray(f(x)[0]), jax.ShapeDtypeStruct((), y.dtype), y)
            say(np.asarray(jax.jit(h)(x)))
        except Exception as error:
            say("a host callback has launched a program whose devices are of several OS processes" in str(error))
        leave()
        """,
        devices=2,
    )
    assert [lines[4] for lines in results] == ["True", "True"]
    assert [lines[:2] for lines in results] == [
        ["36.0", str(["28.0", "[0.0, 1.0]", "[2.0, 3.0]"])],
        ["36.0", str(["[4.0, 5.0]", "[6.0, 7.0]"])],
    ]
    assert results[0][2] == results[1][2] != str([0.0] * 5)
    assert [lines[3] for lines in results] == ["[28.0, -7.0, 36.0, -8.0]", "[]"]


def test_functions_that_the_framework_cuts(subprocess_environment):
    """Each process asks its own; addresses of functions in there do not make programs differ."""
    results = run(
        subprocess_environment,
        """
        from jax.experimental.custom_partitioning import custom_partitioning
        from jax.sharding import NamedSharding, PartitionSpec
        apart = [object() for _ in range(1000 * jax.process_index())]
        sharding = NamedSharding(jax.make_mesh((4,), ("x",)), PartitionSpec("x"))
        f = custom_partitioning(lambda x: x + x.sum())
        def partition(mesh, arguments, result):
            local = lambda x: x + jax.lax.psum(x.sum(), "x")
            return mesh, local, result.sharding, (arguments[0].sharding,)
        f.def_partition(partition, sharding_rule="i -> i")
        x = jax.make_array_from_callback((4,), sharding, lambda index: np.arange(4.0)[index])
        say([shard.data.tolist() for shard in jax.jit(f)(x).addressable_shards])
        """,
        devices=2,
    )
    assert results == [["[[6.0], [7.0]]"], ["[[8.0], [9.0]]"]]


# A gathered array that is dead before another one is made: they share memory, but where devices of a process gather.
ALONE = """
import functools
from jax.sharding import AxisType, NamedSharding, PartitionSpec

mesh = jax.make_mesh((len(jax.devices()),), ("d",), axis_types=(AxisType.Auto,))
place = NamedSharding(mesh, PartitionSpec("d"))

@functools.partial(jax.shard_map, mesh=mesh, in_specs=PartitionSpec("d"), out_specs=PartitionSpec("d"))
def step(x):
    for _ in range(4):
        y = jax.lax.all_gather(x, "d", tiled=True)
        x = 5 * y[: len(x)] + y[-len(x) :]
    return x

x = jax.make_array_from_callback((16384,), place, lambda at: np.arange(16384, dtype=np.int32)[at])
lowered = jax.jit(step).lower(x)
programs = [lowered.compile(options) for options in ({}, {"group_memory": True}, {"group_memory": False})]
say([program.memory_analysis().temp_size_in_bytes for program in programs])
say(len({np.asarray(program(x).addressable_shards[0].data).tobytes() for program in programs}))
"""


@pytest.mark.parametrize("devices", [1, 2])
def test_devices_that_are_alone_share_no_memory(devices, subprocess_environment):
    for sizes, results in run(subprocess_environment, ALONE, devices=devices):
        default, shared, own = json.loads(sizes)
        assert own < shared
        assert default == (own if devices == 1 else shared)
        assert results == "1"
