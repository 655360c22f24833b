"""Collectives' reductions against the same tree in NumPy, for each type, edge values and sizes of groups."""

import subprocess
import sys

# On its own, since it needs more devices than other tests have.
PROGRAM = '''
import jax
import ml_dtypes
import numpy as np
from jax._src import compiler
from jax._src.lib import xla_client

TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
         "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "i8": np.int8, "ui16": np.uint16,
         "i32": np.int32, "ui64": np.uint64}
BYTES = 96
EDGES = [0x8000000000000000, 0, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 1, 0x8000000000000001,
         0x7f80000080000000, 0xff80000000000001, 0x7f7fffff00800000, 0x7c00fc0080000001, 0x7f80ff8000018001,
         0x7bff7bff03ff83ff, 0x8080008001010181, 0x7c7cfcfc7e7e7b7b, 0x3ff0000000000000]


def body(name, combine):
    scalar = f"tensor<{name}>"
    lines = {"subtract": f"%o = stablehlo.subtract %a, %b : {scalar}",
             "general": f"%t = stablehlo.subtract %b, %a : {scalar}\\n %o = stablehlo.subtract %t, %a : {scalar}"}
    return f"({{ ^bb0(%a: {scalar}, %b: {scalar}): {lines[combine]}\\n stablehlo.return %o : {scalar} }})"


def program(size, names):
    text, results, types = "", [], []
    for name in names:
        item = np.dtype(TYPES[name]).itemsize
        array = f"tensor<{BYTES // item}x{name}>"
        shape = f"tensor<{BYTES // item}x{item}xui8>" if item > 1 else f"tensor<{BYTES}xui8>"
        text += f" %r_{name} = stablehlo.reshape %x : (tensor<1x{BYTES}xui8>) -> {shape}\\n"
        text += f" %v_{name} = stablehlo.bitcast_convert %r_{name} : ({shape}) -> {array}\\n"
        for combine in ("subtract", "general"):
            groups = f"dense<[{list(range(size))}]> : tensor<1x{size}xi64>"
            s = f"%{combine}_{name}"
            text += f" {s} = \\"stablehlo.all_reduce\\"(%v_{name}) {body(name, combine)} "
            text += f"{{replica_groups = {groups}}} : ({array}) -> {array}\\n"
            text += f" {s}_b = stablehlo.bitcast_convert {s} : ({array}) -> {shape}\\n"
            text += f" {s}_c = stablehlo.reshape {s}_b : ({shape}) -> tensor<1x{BYTES}xui8>\\n"
            results.append(s + "_c")
            types.append(f"tensor<1x{BYTES}xui8>")
    return (f"func.func @main(%x: tensor<1x{BYTES}xui8>) -> ({', '.join(types)}) {{\\n{text}"
            f" return {', '.join(results)} : {', '.join(types)}\\n}}")


def run(text, parts):
    devices = jax.devices()[: len(parts)]
    options = compiler.get_compile_options(len(parts), 1, device_assignment=np.array([[d.id] for d in devices]))
    options.executable_build_options.use_spmd_partitioning = False
    options.parameter_is_tupled_arguments = False
    executable = devices[0].client.compile_and_load(text.encode(), xla_client.DeviceList(tuple(devices)), options)
    sharding = jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(devices), ("x",)), jax.sharding.PartitionSpec("x"))
    given = [jax.device_put(part, device) for part, device in zip(parts, devices)]
    whole = jax.make_array_from_single_device_arrays((len(parts), BYTES), sharding, given)
    results = executable.execute_sharded([whole]).disassemble_into_single_device_arrays()
    return [[np.asarray(part) for part in result] for result in results]


def tree(values, combine):
    if len(values) == 1:
        return values[0]
    left = 1
    while 2 * left < len(values):
        left *= 2
    a, b = tree(values[:left], combine), tree(values[left:], combine)
    return a - b if combine == "subtract" else (b - a) - a


def check(size, names):
    random = np.random.default_rng(size)
    parts = random.integers(0, 256, (size, 1, BYTES), dtype=np.uint8)
    words = parts.view(np.uint64)
    words[random.random(words.shape) < 0.5] = random.choice(np.array(EDGES, np.uint64))
    for word in range(words.shape[-1]):
        words[random.integers(size), 0, word] = EDGES[word % len(EDGES)]
    results = iter(run(program(size, names), list(parts)))
    for name in names:
        for combine in ("subtract", "general"):
            expected = tree([part.view(TYPES[name])[0] for part in parts], combine)
            for result in next(results):
                got = result.view(TYPES[name])[0]
                isnan = expected != expected
                np.testing.assert_array_equal(got != got, isnan, err_msg=f"{name} {combine} {size}")
                same = got.view(np.uint8).reshape(len(got), -1) == expected.view(np.uint8).reshape(len(got), -1)
                assert np.all(same.all(axis=1) | isnan), (name, combine, size, got, expected)


with np.errstate(all="ignore"):
    for size in range(1, 18):
        check(size, ["f32", "bf16"] if size > 4 else list(TYPES))
    for size in (7, 16, 33):
        check(size, list(TYPES))
print("equal")
'''


def test_reductions_are_balanced_trees(subprocess_environment):
    environment = dict(subprocess_environment, TENON_NUM_DEVICES="33")
    outcome = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=600)
    assert outcome.stdout.strip() == "equal", outcome.stdout[-2000:] + outcome.stderr[-4000:]
