#!/usr/bin/env python3
"""How long cut programs and collectives take, as ratios of what they are compared with, in turns (docs/partitioning.md).

    scripts/grid.py speed [--rounds N]

meetings      a sum of 16 bytes on eight threads of a process, against a bare barrier of as many: at most 2
sums          a sum of 64 MiB on two, four and eight devices of a process, against copying as many bytes: at most 1/0.7
messages      64 MiB from a process to another by gRPC, and by shared memory, against a bare socket: at least 0.8
steps         a step of training that is cut for two and eight devices of a process, against the same step on whole
              arrays, in processor time: at most 1.2. Layers of two widths, two batches, and the network of the digits
peers         the digits' step on two devices, against XLA:CPU's, in time and in processor time: at most 1

Each is the median of rounds in which both come one after the other, so that what else the machine does meets both.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = {"meetings": 2, "sums": 1 / 0.7, "steps": 1.2, "peers": 1}
LEAST = {"messages": 0.8}


# --------------------------------------------------------------------------
# Steps, in a process of their own
# --------------------------------------------------------------------------


def dense_step(width, batch):
    """A step of three layers: the function, its weights, and a batch."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    def loss(weights, x, y):
        for w in weights[:-1]:
            x = jax.nn.relu(x @ w)
        return jnp.mean((x @ weights[-1] - y) ** 2)

    def step(weights, x, y):
        value, gradients = jax.value_and_grad(loss)(weights, x, y)
        return jax.tree.map(lambda weight, gradient: weight - 0.01 * gradient, weights, gradients), value

    random = np.random.default_rng(0)
    normal = lambda *shape: random.normal(scale=shape[0] ** -0.5, size=shape).astype(np.float32)
    return step, [normal(width, width) for _ in range(3)], (normal(batch, width), normal(batch, width))


def digits_step(batch=64):
    """That of examples/digits: a convolutional network, and Adam."""
    import flax.linen as nn
    import jax
    import numpy as np
    import optax

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.Conv(32, (3, 3))(x))
            x = nn.relu(nn.Conv(64, (3, 3))(x))
            x = nn.max_pool(x, (2, 2), strides=(2, 2))
            x = nn.relu(nn.Dense(128)(x.reshape(x.shape[0], -1)))
            return nn.Dense(10)(x)

    random = np.random.default_rng(0)
    images = random.random((batch, 8, 8, 1), dtype=np.float32)
    network, optimizer = Network(), optax.adam(1e-3)
    parameters = network.init(jax.random.key(0), images[:1])

    def step(state, x, y):
        parameters, moments = state

        def loss(parameters):
            return optax.softmax_cross_entropy_with_integer_labels(network.apply(parameters, x), y).mean()

        value, gradients = jax.value_and_grad(loss)(parameters)
        updates, moments = optimizer.update(gradients, moments, parameters)
        return (optax.apply_updates(parameters, updates), moments), value

    return step, (parameters, optimizer.init(parameters)), (images, random.integers(0, 10, batch).astype(np.int32))


def serve(name, devices, *partitions):
    """Reads "PARTITION TURNS" from the input, and says what so many steps have taken: seconds, and of the processor."""
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    step, state, batch = digits_step() if name == "digits" else dense_step(*map(int, name.split("x")))
    mesh = Mesh(jax.devices()[: int(devices)], ("data",))
    place = lambda tree, *spec: jax.device_put(tree, NamedSharding(mesh, PartitionSpec(*spec)))
    batch = place(batch, "data")
    kept = jax.tree.map(lambda _: NamedSharding(mesh, PartitionSpec()), state)
    jitted = jax.jit(step, donate_argnums=0, out_shardings=(kept, NamedSharding(mesh, PartitionSpec())))
    states = {each: place(jax.tree.map(lambda array: array.copy(), state)) for each in partitions}
    lowered = jitted.lower(states[partitions[0]], *batch)
    options = {each: {} if each == "default" else {"partition": each} for each in partitions}
    compiled = {each: lowered.compile(compiler_options=options[each]) for each in partitions}
    print("ready", flush=True)
    for line in sys.stdin:
        how, turns = line.split()
        start, processor = time.perf_counter(), time.process_time()
        for _ in range(int(turns)):
            states[how], value = compiled[how](states[how], *batch)
        jax.block_until_ready((states[how], value))
        print(json.dumps([time.perf_counter() - start, time.process_time() - processor]), flush=True)


class Steps:
    """A process that serves steps."""

    def __init__(self, platform, name, devices, *partitions):
        environment = {**os.environ, "JAX_PLATFORMS": platform, "TENON_NUM_DEVICES": str(devices)}
        environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
        if platform == "cpu":
            # A device of XLA:CPU that waits for another one keeps one of as many threads as NPROC says, by itself as
            # many as processors. With two, runs in flight wait for each other until it ends the process.
            environment["NPROC"] = "8"
        command = [sys.executable, __file__, name, str(devices), *partitions]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=environment, **pipes)

    def __enter__(self):
        while (line := self.process.stdout.readline()) != "ready\n":
            if not line:
                raise RuntimeError("a process that computes steps has ended")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def take(self, how, turns):
        self.process.stdin.write(f"{how} {turns}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


# --------------------------------------------------------------------------
# Measurements: (what, ratio, more about it)
# --------------------------------------------------------------------------


def turns_of(steps, how):
    """So many that they take some tenths of a second of the processor."""
    steps.take(how, 3)
    return max(3, round(0.3 / max(steps.take(how, 3)[1] / 3, 1e-4)))


def ratios(first, second, rounds):
    """Medians of both, and of their ratios, of rounds in turns."""
    pairs = [(first(), second()) for _ in range(rounds)]
    median = lambda values: statistics.median(values)
    return median(a / b for a, b in pairs), median(a for a, _ in pairs), median(b for _, b in pairs)


def steps(rounds):
    for name in ("1024x128", "1024x32", "512x128", "512x32", "digits"):
        for devices in (2, 8):
            with Steps("tenon", name, devices, "spmd", "whole") as process:
                turns = turns_of(process, "whole")
                turns_of(process, "spmd")
                took = lambda how: process.take(how, turns)[1] / turns * 1e3
                ratio, cut, whole = ratios(lambda: took("spmd"), lambda: took("whole"), rounds)
            what = "digits" if name == "digits" else "width {}, batch {}".format(*name.split("x"))
            yield f"{what}, {devices} devices", ratio, f"{cut:.2f} and {whole:.2f} ms of processor time a step"


def peers(rounds):
    with Steps("tenon", "digits", 2, "spmd") as own, Steps("cpu", "digits", 2, "default") as xla:
        turns = turns_of(own, "spmd")
        turns_of(xla, "default")
        for index, measure in enumerate(("", " of processor time")):
            took = lambda process, how, index=index: process.take(how, turns)[index] / turns * 1e3
            ratio, ours, others = ratios(lambda: took(own, "spmd"), lambda: took(xla, "default"), rounds)
            yield "digits, 2 devices, XLA:CPU", ratio, f"{ours:.2f} and {others:.2f} ms{measure} a step"


def said(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def collectives(build):
    """Meetings and sums: {number of floats: [(processes, ratio, line)]}."""
    text = said(build / "bin/tenon_collectives_benchmark")
    lines = re.findall(r"(\d+) floats, (\d+) processes: (all_reduce .* us), ratio ([\d.]+); processor", text)
    return {size: [(int(n), float(ratio), line) for each, n, line, ratio in lines if int(each) == size] for size in (4, 16 << 20)}


def messages(build, rounds):
    text = said(build / "bin/tenon_transport_benchmark", rounds)
    for way, ratio in re.findall(r"^(.*): median ([\d.]+) of the bare rate", text, re.MULTILINE):
        yield f"64 MiB by {way}", float(ratio), "of the bare rate"


def check(build, rounds):
    """Prints a line for each measurement; how many ratios are not as they should be."""
    failed = 0

    def judge(kind, what, ratio, more):
        nonlocal failed
        holds = ratio <= MOST[kind] if kind in MOST else ratio >= LEAST[kind]
        failed += not holds
        limit = f"at most {MOST[kind]:.2f}" if kind in MOST else f"at least {LEAST[kind]:.2f}"
        verdict = "" if holds else ": missed"
        print(f"speed: {kind}: {what}: {ratio:.2f} ({more}), {limit}{verdict}", flush=True)

    sizes = collectives(build)
    judge("meetings", *next((f"{n} threads", ratio, line) for n, ratio, line in sizes[4] if n == 8))
    for n, ratio, line in sizes[16 << 20]:
        judge("sums", f"64 MiB, {n} devices", ratio, line)
    for measured in messages(build, rounds):
        judge("messages", *measured)
    for measured in steps(rounds):
        judge("steps", *measured)
    for measured in peers(rounds):
        judge("peers", *measured)
    return failed


if __name__ == "__main__":
    serve(*sys.argv[1:])
