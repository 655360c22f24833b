"""Ctrl-C (SIGINT) while a program runs, in processes of their own."""

import subprocess
import sys
import textwrap

import pytest

# Seconds, far above what a busy machine may take: what runs that long hangs.
HANG = 600

_START = """
import os, signal, threading, time
import numpy as np
import jax, jax.numpy as jnp
from jax import lax

# Ends for no argument that is not negative. Cheap programs run within the call, others on the device's thread.
@jax.jit
def endless(x):
    state = lax.while_loop(lambda s: s[0] >= 0, lambda s: ((s[0] * 5 + 1) & 0xffff, s[1] + s[0]),
                           (x.ravel()[0].astype(jnp.int32), jnp.int32(0)))
    return jnp.tanh(x @ x) + state[1]

small, large = jnp.ones((2, 2)), jnp.ones((1500, 1500))
endless(-small).block_until_ready()
endless(-large).block_until_ready()

def interrupt(times=1):
    def send():
        for _ in range(times):
            sent.append(1)
            os.kill(os.getpid(), signal.SIGINT)
    when_it_runs(send)
sent = []

# Calls `send` once the program runs: when the process has computed for some time, which this thread does not.
def when_it_runs(send):
    begin = time.process_time()
    def wait():
        while time.process_time() < begin + 0.2:
            time.sleep(0.01)
        send()
    threading.Thread(target=wait).start()
"""


def _run(program, environment):
    code = _START + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=HANG)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("argument", ["small", "large"])
@pytest.mark.parametrize(
    "wait", ["endless({}).block_until_ready()", "np.asarray(endless({}))", "float(endless({})[0, 0])", "endless({}).tolist()"]
)
def test_ends_the_wait(subprocess_environment, argument, wait):
    program = f"""
    interrupt()
    try:
        {wait.format(argument)}
    except KeyboardInterrupt:
        print("interrupted", len(sent))
    {"print(jnp.arange(4).sum())" if argument == "small" else ""}
    """
    assert _run(program, subprocess_environment) == ["interrupted", "1"] + (["6"] if argument == "small" else [])


def test_a_handler_that_raises_nothing_lets_the_program_go_on(subprocess_environment):
    program = """
    seen = []
    def handler(*_):
        seen.append(1)
        if len(seen) == 2:
            raise ValueError("twice")
    signal.signal(signal.SIGINT, handler)
    def send():
        os.kill(os.getpid(), signal.SIGINT)
        while not seen:
            pass
        os.kill(os.getpid(), signal.SIGINT)
    when_it_runs(send)
    try:
        endless(small)
    except ValueError as error:
        print(error, len(seen))
    assert signal.getsignal(signal.SIGINT) is handler
    """
    assert _run(program, subprocess_environment) == ["twice", "2"]


def test_the_results_of_what_was_interrupted_are_errors(subprocess_environment):
    program = """
    interrupt()
    result = None
    try:
        result = endless(small)
        result = "not interrupted"
    except KeyboardInterrupt:
        print("interrupted")
    print(np.asarray(endless(-small)).shape)
    """
    assert _run(program, subprocess_environment) == ["interrupted", "(2,", "2)"]


@pytest.mark.parametrize("program", ["endless(small)", "cut(x)"])
def test_ends_the_wait_where_devices_took_turns_on_the_thread(subprocess_environment, program):
    program = f"""
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    x = jax.device_put(np.arange(64, dtype=np.float32), NamedSharding(mesh, PartitionSpec("x")))
    for _ in range(2):
        print(int(jax.jit(lambda x: x.sum())(x)))
    cut = jax.jit(lambda x: lax.while_loop(lambda x: x.sum() >= 0, lambda x: (x + 1) % 1000, x))
    cut(-x).block_until_ready()
    interrupt()
    try:
        {program}.block_until_ready()
    except KeyboardInterrupt:
        print("interrupted", len(sent))
    """
    environment = dict(subprocess_environment, TENON_PARTITION="spmd")
    assert _run(program, environment) == ["2016", "2016", "interrupted", "1"]
