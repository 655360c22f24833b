#!/usr/bin/env python3
"""Thirty-two workloads for GPUs, timed with one framework in a process of its own: scripts/gpu.py starts one for each.

    scripts/gpu_workloads.py tenon|xla|torch [--small] [--once] [--only "NAME;NAME"]

Prints a line of JSON for each workload: the median time of a run and the time of compiling, in seconds, and numbers of the
result by which frameworks are compared. Inputs are random and change from run to run; JAX's are never all zeros, for which
processors draw less power and run faster.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import math
import os
import statistics
import sys
import time
from typing import Callable

import numpy as np

INPUT_SETS = 3


@dataclasses.dataclass
class Workload:
    name: str
    kind: str  # by which targets go: memory, loop, product, order, network
    jax: Callable
    shapes: list  # of the arguments, with their types, as (large, small)
    torch: Callable | None = None
    bytes: float = 0  # read and written, of the large one
    flops: float = 0
    steps: int = 0  # of a loop
    options: dict = dataclasses.field(default_factory=dict)  # of Tenon's compiler


def jax_workloads():
    import jax
    import jax.numpy as jnp
    from jax import lax

    def layer_norm(x, scale, shift):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift

    def rms_norm(x, scale):
        wide = x.astype(jnp.float32)
        return (wide * lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * scale

    def attention(q, k, v):
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k).astype(jnp.float32) / math.sqrt(q.shape[-1])
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores).astype(v.dtype), v)

    def train(x, y, w1, w2):
        def loss(weights):
            hidden = jax.nn.gelu(x @ weights[0])
            return ((hidden @ weights[1] - y) ** 2).mean()

        gradients = jax.grad(loss)((w1, w2))
        return w1 - 0.1 * gradients[0], w2 - 0.1 * gradients[1]

    def block(x, wq, wk, wv, wo, w1, w2):
        def heads(y):
            return y.reshape(x.shape[0], x.shape[1], -1, 64).transpose(0, 2, 1, 3)

        n = layer_norm(x, 1.0, 0.0).astype(x.dtype)
        a = attention(heads(n @ wq), heads(n @ wk), heads(n @ wv)).transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + a @ wo
        return x + jax.nn.gelu(layer_norm(x, 1.0, 0.0).astype(x.dtype) @ w1) @ w2

    def count(x):
        return lax.while_loop(lambda c: c[0] < STEPS, lambda c: (c[0] + 1, c[1] * 0.999 + 1.0), (0, x))[1]

    def iterate(x):
        return lax.fori_loop(0, STEPS, lambda i, v: v + 1e-3 * jnp.sin(v), x)

    def recur(h, w):
        w = 0.05 * w  # larger ones make chaos of a rounding error
        return lax.scan(lambda c, _: (jnp.tanh(c @ w + h), None), h, length=STEPS // 10)[0]

    def segments(values, ids):
        return jnp.zeros(1 << 12, values.dtype).at[ids % (1 << 12)].add(values)

    def sorted_segments(values, ids):
        return jax.ops.segment_sum(values, jnp.sort(ids % (1 << 12)), 1 << 12, indices_are_sorted=True)

    def convolve(x, w):
        return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def t(name):
        import torch

        return getattr(torch, name)

    def f(name):
        import torch.nn.functional

        return getattr(torch.nn.functional, name)

    f32, bf16, i32 = "float32", "bfloat16", "int32"
    line, matrix = [(1 << 26,), (1 << 12,)], [(8192, 8192), (64, 96)]
    rows = [(16384, 4096), (32, 128)]
    big = lambda large, small, kind=f32: (large, small, kind)  # noqa: E731
    size = lambda shape, width: 2 * width * math.prod(shape)  # noqa: E731
    vector, keys = big(*line), big((1 << 22,), (1 << 10,))
    square = lambda n, small, kind: [big((n, n), (small, small), kind)] * 2  # noqa: E731
    heads = [big((8, 16, 2048, 64), (1, 2, 32, 64), bf16)] * 3
    width = [big((1024, 1024), (64, 64), bf16)] * 4
    tf32 = {"tf32": True}  # what XLA does anyway
    works = [
        Workload("add", "memory", lambda a, b: a + b, [vector] * 2, lambda a, b: a + b, 3 * 4 * 2**26),
        Workload("tanh of a product", "memory", lambda a, b: jnp.tanh(a * b), [vector] * 2, lambda a, b: (a * b).tanh(), 3 * 4 * 2**26),
        Workload("gelu, bf16", "memory", jax.nn.gelu, [big(*matrix, bf16)], lambda x: f("gelu")(x, approximate="tanh"), size(matrix[0], 2)),
        Workload("f32 to bf16", "memory", lambda x: x.astype(jnp.bfloat16), [vector], lambda x: x.bfloat16(), 6 * 2**26),
        Workload("softmax", "memory", jax.nn.softmax, [big(*rows)], lambda x: x.softmax(-1), size(rows[0], 4)),
        Workload("layer norm", "memory", layer_norm, [big(*rows), big((4096,), (128,)), big((4096,), (128,))], lambda x, s, b: f("layer_norm")(x, x.shape[-1:], s, b), size(rows[0], 4)),
        Workload("RMS norm, bf16", "memory", rms_norm, [big(*rows, bf16), big((4096,), (128,), bf16)], None, size(rows[0], 2)),
        Workload("sum of all", "memory", jnp.sum, [vector], lambda x: x.sum(), 4 * 2**26),
        Workload("sums of rows", "memory", lambda x: x.sum(1), [big(*matrix)], lambda x: x.sum(1), 4 * 2**26),
        Workload("sums of columns", "memory", lambda x: x.sum(0), [big(*matrix)], lambda x: x.sum(0), 4 * 2**26),
        Workload("transpose", "memory", lambda x: x.T + 1, [big(*matrix)], lambda x: x.T.contiguous() + 1, size(matrix[0], 4)),
        Workload("loop of scalars", "loop", count, [big((), ())], None),
        Workload("loop on 4 KB", "loop", iterate, [big((1024,), (64,))], None),
        Workload("recurrent network", "loop", recur, [big((16, 128), (4, 32)), big((128, 128), (32, 32))], None),
        Workload("product, f32", "product", jnp.matmul, square(4096, 48, f32), lambda a, b: a @ b, flops=2 * 4096**3),
        Workload("product, f32, tf32 allowed", "product", jnp.matmul, square(4096, 48, f32), None, flops=2 * 4096**3, options=tf32),
        Workload("product, bf16", "product", jnp.matmul, square(8192, 48, bf16), lambda a, b: a @ b, flops=2 * 8192**3),
        Workload("product, bias, gelu", "product", lambda a, b, c: jax.nn.gelu(a @ b + c), [*square(4096, 48, bf16), big((4096,), (48,), bf16)], lambda a, b, c: f("gelu")(f("linear")(a, b.T, c), approximate="tanh"), flops=2 * 4096**3),
        Workload("products of a batch", "product", jnp.matmul, [big((64, 512, 512), (3, 24, 24), bf16)] * 2, lambda a, b: a @ b, flops=64 * 2 * 512**3),
        Workload("few rows", "product", jnp.matmul, [big((16, 8192), (16, 64), bf16), big((8192, 8192), (64, 64), bf16)], lambda a, b: a @ b, 2 * 8192**2),
        Workload("sort, f32", "order", jnp.sort, [keys], lambda x: x.sort().values),
        Workload("argsort, i32", "order", jnp.argsort, [big((1 << 22,), (1 << 10,), i32)], lambda x: x.argsort(stable=True)),
        Workload("top 64", "order", lambda x: lax.top_k(x, 64)[0], [big((256, 16384), (3, 256))], lambda x: x.topk(64).values),
        Workload("cumulative sum", "order", jnp.cumsum, [keys], lambda x: x.cumsum(0)),
        Workload("cumulative maximum", "order", lambda x: lax.cummax(x), [keys], lambda x: x.cummax(0).values),
        Workload("scatter-add", "order", segments, [keys, big((1 << 22,), (1 << 10,), i32)], None),
        Workload("sums of sorted segments", "order", sorted_segments, [keys, big((1 << 22,), (1 << 10,), i32)], None),
        Workload("attention", "network", attention, heads, lambda q, k, v: f("scaled_dot_product_attention")(q, k, v), flops=4 * 8 * 16 * 2048**2 * 64),
        Workload("convolution", "network", convolve, [big((64, 56, 56, 64), (1, 8, 8, 16)), big((3, 3, 64, 64), (3, 3, 16, 16))], None, flops=2 * 64 * 56**2 * 64**2 * 9),
        Workload("convolution, tf32 allowed", "network", convolve, [big((64, 56, 56, 64), (1, 8, 8, 16)), big((3, 3, 64, 64), (3, 3, 16, 16))], None, flops=2 * 64 * 56**2 * 64**2 * 9, options=tf32),
        Workload("step of training", "network", train, [big((4096, 1024), (16, 24)), big((4096, 1024), (16, 24)), big((1024, 4096), (24, 32)), big((4096, 1024), (32, 24))], None),
        Workload("block of a transformer", "network", block, [big((8, 1024, 1024), (1, 16, 64), bf16), *width, big((1024, 4096), (64, 96), bf16), big((4096, 1024), (96, 64), bf16)], None),
    ]  # fmt: skip
    assert len(works) == 32
    return works


STEPS = 10000


def draw(shape, seed, scale):
    """Random numbers of any shape, by as many threads as there are processors."""
    numbers = np.empty(math.prod(shape), np.float32)
    parts = np.array_split(numbers, os.cpu_count() or 1)

    def fill(part, own):
        np.random.default_rng(own).standard_normal(out=part, dtype=np.float32)
        part *= np.float32(scale)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(fill, parts, np.random.SeedSequence(seed).spawn(len(parts))))
    return numbers.reshape(shape)


def make_inputs(work, small, seed):
    import ml_dtypes

    rng = np.random.default_rng(seed)
    arrays = []
    for i, (large_shape, small_shape, kind) in enumerate(work.shapes):
        shape = small_shape if small else large_shape
        if kind == "int32":
            arrays.append(rng.integers(0, 1 << 30, shape).astype(np.int32))
        else:
            numbers = draw(shape, [seed, i], 0.1 if work.kind in ("product", "network") else 1)
            arrays.append(numbers.astype(ml_dtypes.bfloat16) if kind == "bfloat16" else np.asarray(numbers, kind))
    return arrays


def digest(results):
    """What tells wrong results from right ones, of each array: its size, mean and mean magnitude, and some elements."""
    parts = []
    for array in results:
        flat = np.asarray(array).astype(np.float32, copy=False).ravel()
        some = flat[np.linspace(0, flat.size - 1, 16).astype(int)]
        parts.append([flat.size, flat.mean(dtype=np.float64), np.abs(flat).mean(dtype=np.float64), *some.astype(np.float64)])
    return parts


def median_time(run, sets, small):
    """Of runs in groups, each group as long as can be told by a clock of the host. First runs take memory, and do not count."""
    once = math.inf
    for _ in range(1 if small else 4):
        start = time.perf_counter()
        run(sets[0], 1)
        once = min(once, time.perf_counter() - start)
    repeats = 1 if small else max(1, min(200, int(0.01 / max(once, 1e-6))))
    times = []
    for i in range(1 if small else 9):
        start = time.perf_counter()
        run(sets[i % len(sets)], repeats)
        times.append((time.perf_counter() - start) / repeats)
    return statistics.median(times)


def run_jax_once(work, options):
    """For a profiler, which measures by itself."""
    import jax

    arrays = [jax.device_put(a) for a in make_inputs(work, False, 0)]
    return {"result": digest(jax.tree.leaves(jax.jit(work.jax, compiler_options=options)(*arrays)))}


def run_jax(work, small, options):
    import jax

    sets = [[jax.device_put(a) for a in make_inputs(work, small, seed)] for seed in range(1 if small else INPUT_SETS)]
    start = time.perf_counter()
    compiled = jax.jit(work.jax).lower(*sets[0]).compile(options)
    compile_time = time.perf_counter() - start

    def run(arrays, repeats):
        for _ in range(repeats):
            results = compiled(*arrays)
        jax.block_until_ready(results)

    found = digest(jax.tree.leaves(compiled(*sets[0])))
    return {"time": median_time(run, sets, small), "compile": compile_time, "result": found}


def run_torch(work, small):
    import torch

    def tensor(array):
        if array.dtype.name == "bfloat16":
            return torch.tensor(array.view(np.int16)).view(torch.bfloat16).cuda()
        return torch.tensor(array).cuda()

    sets = [[tensor(a) for a in make_inputs(work, small, seed)] for seed in range(INPUT_SETS)]

    def run(arrays, repeats):
        for _ in range(repeats):
            work.torch(*arrays)
        torch.cuda.synchronize()

    result = work.torch(*sets[0])
    return {"time": median_time(run, sets, small), "compile": None, "result": digest([result.float().cpu().numpy()])}


def main():
    global STEPS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=["tenon", "xla", "torch"])
    parser.add_argument("--small", action="store_true", help="sizes for a GPU that the host plays; times mean nothing")
    parser.add_argument("--only", help="names, parted by semicolons")
    parser.add_argument("--once", action="store_true", help="each once and not timed, for a profiler; not of torch")
    options = parser.parse_args()
    STEPS = 20 if options.small else STEPS
    wanted = options.only.split(";") if options.only else None
    for work in jax_workloads():
        if (wanted and work.name not in wanted) or (options.framework == "torch" and not work.torch):
            continue
        try:
            own = work.options if options.framework == "tenon" else {}
            if options.once:
                found = run_jax_once(work, own)
            elif options.framework == "torch":
                found = run_torch(work, options.small)
            else:
                found = run_jax(work, options.small, own)
        except Exception as error:  # of this workload alone: the others are still to be measured
            found = {"error": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
        print(json.dumps({"name": work.name, **found}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
