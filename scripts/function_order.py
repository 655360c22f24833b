#!/usr/bin/env python3
"""Writes cmake/function_order.tar.xz: the functions that run while programs are loaded, compiled and run, those side by
side that the same programs need. The linker follows it (tenon_order_functions in cmake/TenonOptions.cmake): of 34 MB of
code a small program then has a third in memory, not all of it.

    .venv/bin/python scripts/function_order.py    # with build/release, on x86-64; two minutes

Which functions run is recorded by trace_functions.c, in the command and in the plug-in under JAX. Worth a new run when
LLVM is another, or the compiler has grown; names that are gone do no harm, and functions that have no place in it come
after.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import io
import lzma
import os
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("attention", "complex_numbers", "conv_gradient", "elementwise_chain", "gather_scatter", "integers",
            "layernorm", "lstm_scan", "mlp_gradient", "moving_elements", "optimizer_step", "pooling_gradient",
            "random_numbers", "reductions", "rmsnorm_bf16", "softmax", "sorting", "stencil_loop", "switch_branches")


def jax_programs():
    """What a process that uses JAX may run: functions, with their arguments."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax

    x = np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32)
    i = np.arange(64, dtype=np.int32)
    images, kernel = np.ones((2, 16, 16, 8), np.float32), np.ones((3, 3, 8, 8), np.float32)
    attention = np.random.default_rng(1).normal(size=(2, 32, 4, 16)).astype(np.float32)

    def layer_norm(a):
        return (a - a.mean(1, keepdims=True)) * lax.rsqrt(a.var(1, keepdims=True) + 1e-5)

    def convolution(a, k):
        return lax.conv_general_dilated(a, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def max_pool(a):
        return lax.reduce_window(a, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")

    def loss(w, a):
        return (jax.nn.gelu(layer_norm(a @ w)) ** 2).mean()

    def lstm(a):
        def step(carry, row):
            h, c = carry
            f, g, o, u = jnp.split(jnp.concatenate([row, h]) @ jnp.tile(a[:, :16], (2, 4))[:, :64], 4)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(g) * jnp.tanh(u)
            h = jnp.tile(jax.nn.sigmoid(o) * jnp.tanh(c), 4)
            return (h, c), h

        return lax.scan(step, (a[0], a[0, :16]), a)

    def adam(w, m, v, a):
        gradient = jax.grad(loss)(w, a)
        m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient**2
        return w - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v

    return [
        (lambda a, b: jnp.tanh(a @ b) + a, (x, x)),
        (lambda a: a.astype(jnp.bfloat16) @ a.astype(jnp.bfloat16), (x,)),
        (lambda a: lax.dot(a.astype(jnp.int8), a.astype(jnp.int8), preferred_element_type=jnp.int32), (x,)),
        (jax.nn.softmax, (x,)),
        (layer_norm, (x,)),
        (lambda q: jax.nn.dot_product_attention(q, q, q, is_causal=True), (attention,)),
        (loss, (x, x)),
        (jax.grad(loss), (x, x)),
        (adam, (x, x, x, x)),
        (lstm, (x,)),
        (convolution, (images, kernel)),
        (jax.grad(lambda k, a: jax.nn.relu(convolution(a, k)).sum()), (kernel, images)),
        (jax.grad(lambda a: (max_pool(a) ** 2).sum()), (images,)),
        (lambda a: lax.sort((a, a + 1), num_keys=1), (x,)),
        (jnp.argsort, (x,)),
        (lambda a: lax.top_k(a, 8), (x,)),
        (lambda a: (a.argmax(1), a.sum(), a.sum(0), a.var(1)), (x,)),
        (lambda a: jnp.cumsum(a, axis=1), (x,)),
        (lambda a, i: a[i].sum(0), (x, i)),
        (lambda a, i: a.at[i].add(1.0), (x, i)),
        (lambda a, i: jax.nn.one_hot(i, 64) @ a, (x, i)),
        (lambda a: lax.fori_loop(0, 9, lambda n, b: lax.dynamic_update_slice(b, b[:1] * 2, (n, 0)), a), (x,)),
        (lambda a: lax.while_loop(lambda b: b < 100, lambda b: b * 1.5 + 1, abs(a[0, 0])), (x,)),
        (lambda a: lax.scan(lambda c, row: (lax.cond(c > 0, jnp.sin, jnp.cos, c + row[0]), c), a[0, 0], a), (x,)),
        (lambda a: jnp.concatenate([jnp.pad(a, 1)[:, ::2], jnp.ones((66, 3))], 1), (x,)),
        (lambda a: jnp.transpose(a.reshape(4, 16, 64), (2, 0, 1)), (x,)),
        (lambda a: jnp.sin(a) + lax.erf(a) + abs(a) ** 1.5 + jnp.log1p(abs(a)), (x,)),
        (lambda a: jnp.exp(1j * a).real, (x,)),
        (lambda a: jnp.fft.fft(a).real, (x,)),
        (lambda seed: jax.random.normal(jax.random.key(seed), (64, 64)), (np.uint32(3),)),
        (lambda a: jnp.linalg.cholesky(a @ a.T + 64 * jnp.eye(64)), (x,)),
        (lambda a: jnp.linalg.solve(a, a[0]), (x,)),
        (jnp.linalg.qr, (x,)),
        (lambda a: jnp.einsum("bik,bkj->bij", a.reshape(4, 16, 64), a.reshape(4, 64, 16)), (x,)),
    ]  # fmt: skip


JAX_PROGRAMS = 34


def run_in_jax(tracer, library, starts, output, program):
    """Traces the plug-in, from when it has been loaded, while a program is compiled and run."""
    trace = ctypes.CDLL(tracer)
    ctypes.CDLL(library)
    if trace.traceStart(os.path.basename(library).encode(), starts.encode()) != 0:
        sys.exit(f"{library} cannot be traced")
    import jax

    function, arguments = jax_programs()[int(program)]
    jax.block_until_ready(jax.jit(function)(*arguments))
    trace.traceWrite(output.encode())
    os._exit(0)  # the plug-in's code is not what it was


class Traced:
    """A file with code: the names of its functions by address, as a list and as a file for the tracer."""

    def __init__(self, path, folder):
        self.path = path
        names = collections.defaultdict(list)
        for line in subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True).stdout.splitlines():
            words = line.split()
            if len(words) == 8 and words[3] == "FUNC" and words[6].isdigit() and int(words[2], 0) > 0:
                names[int(words[1], 16)].append(words[7])
        self.names = [names[address] for address in sorted(names)]
        self.starts = folder / f"{path.name}.starts"
        self.starts.write_bytes(struct.pack(f"<{len(names)}Q", *sorted(names)))

    def ran(self, output):
        """The names of functions that ran, all of those that a function has."""
        return {name for names, reached in zip(self.names, output.read_bytes(), strict=True) if reached for name in names}


def trace_all(options, folder):
    """For each run the names of the functions that it needed. Those in JAX are there four times: they count as much more."""
    tracer = folder / "trace_functions.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", tracer, ROOT / "scripts/trace_functions.c"], check=True)
    command = Traced(options.build / "bin/tenon", folder)
    plugin = Traced(options.build / "lib/libpjrt_tenon.so", folder)
    environment = {**os.environ, "LD_PRELOAD": str(tracer), "TENON_KERNEL_CACHE": "off"}

    def run_command(task):
        number, words = task
        output = folder / f"{number}.command"
        subprocess.run([command.path, *words], check=True, stdout=subprocess.DEVNULL,
                       env={**environment, "TRACE_STARTS": str(command.starts), "TRACE_OUTPUT": str(output)})
        return command.ran(output)

    def run_jax(program):
        output = folder / f"{program}.jax"
        subprocess.run([sys.executable, __file__, "--in-jax", tracer, plugin.path, plugin.starts, output, str(program)], check=True,
                       env={**environment, "JAX_PLATFORMS": "tenon", "TENON_PJRT_LIBRARY": str(plugin.path)})
        return plugin.ran(output)

    commands = []
    for name in PROGRAMS:
        program, artifact = ROOT / f"test/e2e/programs/{name}.mlir", folder / f"{name}.mlirbc"
        # Programs come from JAX as artifacts, from people as text.
        subprocess.run([command.path, "export", program, "--as", "artifact", "-o", artifact], check=True)
        commands += [("compile", "--cpu", "x86-64-v4", artifact), ("run", "--random", program)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [*pool.map(run_command, enumerate(commands)), *4 * list(pool.map(run_jax, range(JAX_PROGRAMS)))]


def ordered(runs):
    """The functions of all runs: those that the same runs need together, beginning with those of all, and behind each such
    set the one that the runs differ in least. Code gets into memory in pieces of 64 KB, which hold a hundred functions."""
    needed_by = collections.defaultdict(int)
    for number, names in enumerate(runs):
        for name in names:
            needed_by[name] |= 1 << number
    groups = collections.defaultdict(list)
    for name in sorted(needed_by):
        groups[needed_by[name]].append(name)
    order, last = [], (1 << len(runs)) - 1
    while groups:
        last = min(groups, key=lambda group: ((group ^ last).bit_count(), -group.bit_count(), group))
        order += groups.pop(last)
    return order


def write(order):
    text = "".join(f"{name}\n" for name in order).encode()
    entry = tarfile.TarInfo("function_order.txt")
    entry.size = len(text)
    with lzma.open(ROOT / "cmake/function_order.tar.xz", "w", preset=9 | lzma.PRESET_EXTREME) as file, \
            tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(entry, io.BytesIO(text))
    print(f"{len(order)} functions, {len(text)} bytes")


def main():
    if sys.argv[1:2] == ["--in-jax"]:
        return run_in_jax(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path, help="with the command and the plug-in")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        order = ordered(trace_all(options, pathlib.Path(folder).resolve()))
    write(order)


if __name__ == "__main__":
    main()
