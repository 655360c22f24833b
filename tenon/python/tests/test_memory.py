"""What programs hold in memory, in processes of their own."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

# Seconds, far above what a busy machine may take: what runs that long hangs.
HANG = 600


def test_holds_a_closed_over_constant_once(subprocess_environment):
    """JAX keeps the lowered module, with the constant in it; compiling and running add the one that the program reads."""
    program = """
        import ctypes, gc
        import numpy as np
        import jax

        def resident():
            gc.collect()
            ctypes.CDLL(None).malloc_trim(0)  # what is free is not held
            with open("/proc/self/status") as status:
                return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

        def make(constant):
            return jax.jit(lambda i: jax.lax.dynamic_index_in_dim(constant, i, keepdims=False) * constant[-1])

        make(np.ones(100, np.float32))(1).block_until_ready()  # loads and sets up what every program needs
        constant = np.arange(25_000_000, dtype=np.float32)
        last = make(constant)
        last.lower(1)
        before = resident()
        assert last(2) == 2 * constant[-1]
        print(resident() - before)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=subprocess_environment,
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    added = int(done.stdout)
    assert 90e6 < added <= 110e6, added


ROOT = pathlib.Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("idle_memory", ROOT / "scripts/idle_memory.py")
idle_memory = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(idle_memory)
PROGRAMS = [program.__name__ for program in idle_memory.PROGRAMS]


@pytest.mark.parametrize("program", PROGRAMS if "TENON_TEST_WHOLE" in os.environ else ["elementwise", "convolution"])
def test_gives_back_what_arrays_were_in(program, subprocess_environment):
    """A process that has freed its arrays keeps at most 1.2 times what it keeps with XLA (docs/memory.md)."""
    environment = {name: value for name, value in subprocess_environment.items() if name not in ("TENON_NUM_DEVICES", "JAX_ENABLE_X64")}
    before, _, xla = map(float, idle_memory.figures(program, dict(environment, JAX_PLATFORMS="cpu")).split())
    assert xla > 100 and before > 100, "Python and JAX alone are larger"
    limit = 1.2 * xla
    _, freed, kept = map(float, idle_memory.figures(program, dict(environment, JAX_PLATFORMS="tenon"), limit).split())
    assert kept <= limit, f"Tenon keeps {kept} MiB ({freed} at first), XLA {xla}"
