"""What programs hold in memory, in processes of their own."""

import subprocess
import sys
import textwrap

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
