"""How much memory a process of JAX keeps that has freed all of its arrays, in MiB: with Tenon and with XLA.

    scripts/idle_memory.py [PROGRAM ...]

Each program runs in a process of its own, on either platform. Printed are what is resident before it, when it has let
go of its arrays, and six seconds later. TENON_PJRT_LIBRARY names the plug-in where jax-tenon is not installed.
"""

import gc
import os
import pathlib
import subprocess
import sys
import time


def resident():
    status = pathlib.Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def elementwise(jax, jnp):
    x, step = jnp.ones(64 << 20), jax.jit(lambda x: jnp.tanh(x) + 1)
    for _ in range(20):
        x = step(x)
    return x


def ten_sizes(jax, jnp):
    step = jax.jit(lambda x: x * 2 + 1)
    for i in range(10):
        x = jnp.ones((4 << 20) + i * 777777)
        for _ in range(3):
            x = step(x)
        x.block_until_ready()


def product(jax, jnp):
    return jax.jit(lambda x: (x @ x) * 1e-4)(jnp.ones((2048, 2048)))


def many(jax, jnp):
    return [jnp.ones(1 << 16) * i for i in range(1000)]


def small(jax, jnp):
    return [jnp.ones(2000) * i for i in range(20000)]


def mlp_gradient(jax, jnp):
    key = jax.random.key(0)
    weights = [jax.random.normal(key, (1024, 1024)) for _ in range(8)]

    def loss(weights, x):
        for w in weights:
            x = jax.nn.gelu(x @ w)
        return x.sum()

    return jax.jit(jax.grad(loss))(weights, jnp.ones((2048, 1024)))


def convolution(jax, jnp):
    numbers = ("NHWC", "HWIO", "NHWC")
    convolve = jax.jit(lambda x, k: jax.lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=numbers))
    return convolve(jnp.ones((16, 112, 112, 32)), jnp.ones((3, 3, 32, 32)))


def sort(jax, jnp):
    return jax.jit(jnp.sort)(jax.random.normal(jax.random.key(0), (8 << 20,)))


def host(jax, jnp):
    import numpy as np

    return [np.asarray(jax.device_put(np.ones(8 << 20, np.float32)) + 1) for _ in range(8)]


def svd(jax, jnp):
    return jax.jit(lambda x: jnp.linalg.svd(x)[1])(jnp.eye(1024) + 1)


PROGRAMS = [elementwise, ten_sizes, product, many, small, mlp_gradient, convolution, sort, host, svd]


def measure(program, limit):
    """Prints the three figures. Above the limit the last one is taken again for some time: other programs may hold up what gives memory back."""
    import jax
    import jax.numpy as jnp

    jnp.ones(4).block_until_ready()
    before = resident()
    arrays = program(jax, jnp)
    jax.block_until_ready(arrays)
    del arrays
    gc.collect()
    freed = resident()
    for _ in range(20):
        time.sleep(6)
        if (kept := resident()) <= limit:
            break
    print(f"{before:5.0f} {freed:5.0f} {kept:5.0f}")


def figures(name, environment, limit=float("inf")):
    """What a process of its own prints: its figures, or the last line of its error."""
    command = [sys.executable, __file__, "--here", name, str(limit)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return result.stdout.strip() or result.stderr.strip().splitlines()[-1]


def main():
    names = sys.argv[1:] or [program.__name__ for program in PROGRAMS]
    for name in names:
        for platform in ("tenon", "cpu"):
            printed = figures(name, dict(os.environ, JAX_PLATFORMS=platform))
            print(f"{name:14} {'XLA' if platform == 'cpu' else 'Tenon':6} {printed}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        measure(globals()[sys.argv[2]], float(sys.argv[3]))
    else:
        main()
