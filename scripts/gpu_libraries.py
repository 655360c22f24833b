#!/usr/bin/env python3
"""Products, convolutions, linear algebra and transforms on a GPU through JAX: how far each is from right, and how long it takes.

    JAX_PLATFORMS=tenon_gpu scripts/gpu_libraries.py [--small] [--only NAMES]

scripts/gpu.py runs it with NVIDIA's libraries and without (TENON_CUDA_LIBRARIES=off). Each line of the output is an object:
the name, the error relative to what may be expected of the type, or of tf32 where that is allowed (1 is as good as it gets; thousands are wrong), the time
in seconds and whether two runs had the same bits; or what failed.
"""

import argparse
import dataclasses
import json
import statistics
import time
from typing import Callable

import numpy as np

# Rows of a product that the host computes, too.
ROWS = 4
# Tensor cores round f32 to so much, where the compile option tf32 lets them.
TF32 = 2.0**-11


@dataclasses.dataclass
class Check:
    name: str
    compute: Callable  # of JAX's arrays
    arrays: list
    # The largest error of the results, in units of the type's precision times the size of the numbers.
    error: Callable  # of the results and the arrays
    options: dict = dataclasses.field(default_factory=dict)  # of the compiler


def precision(dtype):
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).eps) if np.dtype(dtype).kind in "fcV" else 1.0


def relative(found, expected, eps, scale=None):
    scale = np.abs(expected).max() if scale is None else scale
    return float(np.abs(found.astype(expected.dtype) - expected).max() / scale / eps)


def numbers(rng, shape, dtype):
    if np.dtype(dtype).kind == "i":
        return rng.integers(-8, 8, shape).astype(dtype)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def product_checks(rng, small):
    import jax.numpy as jnp
    import ml_dtypes

    def add(name, spec, lhs, rhs, dtype, out, bias=None, tf32=None):
        arrays = [numbers(rng, lhs, dtype), numbers(rng, rhs, dtype)]
        if bias:
            arrays.append(numbers(rng, bias, out))

        def compute(a, b, c=None):
            product = jnp.einsum(spec, a, b, preferred_element_type=out, precision=tf32 or "highest")
            return product if c is None else product + c

        def error(found, arrays):
            wide = [a.astype(np.float64) for a in arrays]
            rows = np.index_exp[:ROWS] if spec.count("z") == 0 else np.index_exp[:1]
            part = wide[0][:, :ROWS] if spec.startswith("km") else wide[0][rows]
            other = wide[1][rows] if spec.count("z") else wide[1]
            expected = np.einsum(spec, part, other, optimize=True) + (wide[2] if bias else 0)
            eps = max(precision(out), precision(np.float32)) if np.dtype(out) != np.float64 else precision(out)
            eps = TF32 if tf32 else eps
            return relative(np.asarray(found)[rows].astype(np.float64), expected, 1 if np.dtype(out).kind == "i" else eps)

        checks.append(Check(name, compute, arrays, error, {"tf32": True} if tf32 == "default" else {}))

    checks = []
    n = 64 if small else 2048
    half = 64 if small else 4096
    bf16, f16 = ml_dtypes.bfloat16, np.float16
    add("product of f32", "mk,kn->mn", (n, n), (n, n), np.float32, np.float32)
    add("product of f32, rhs transposed", "mk,nk->mn", (n, n), (n, n), np.float32, np.float32)
    add("product of f32, lhs transposed", "km,kn->mn", (n, n), (n, n), np.float32, np.float32)
    add("product of f32 with a bias", "mk,kn->mn", (n, n), (n, n), np.float32, np.float32, bias=(n,))
    add("products of f32, 8 of them", "zmk,zkn->zmn", (8, n // 2, n // 2), (8, n // 2, n // 2), np.float32, np.float32)
    add("product of f32, tf32 allowed", "mk,kn->mn", (n, n), (n, n), np.float32, np.float32, tf32="default")
    add("product of f32 with a bias, tf32 allowed", "mk,kn->mn", (n, n), (n, n), np.float32, np.float32, bias=(n,), tf32="default")
    add("product of f32 by an algorithm of tf32", "mk,nk->mn", (n, n), (n, n), np.float32, np.float32, tf32="TF32_TF32_F32")
    add("product of f64", "mk,kn->mn", (n, n), (n, n), np.float64, np.float64)
    add("product of bf16", "mk,kn->mn", (half, half), (half, half), bf16, bf16)
    add("product of bf16 to f32", "mk,nk->mn", (half, half), (half, half), bf16, np.float32)
    add("product of f16", "mk,kn->mn", (half, half), (half, half), f16, f16)
    add("product of i8", "mk,nk->mn", (half, half), (half, half), np.int8, np.int32)
    return checks


def convolve_on_host(x, w, y, strides, low):
    """The convolution of images by a kernel, and the gradients of both by that of the result; features are innermost."""
    spatial = w.shape[:-2]
    high = [(o - 1) * strides + k - i - low for o, k, i in zip(y.shape[1:-1], spatial, x.shape[1:-1], strict=True)]
    padded = np.pad(x, [(0, 0), *((low, max(h, 0)) for h in high), (0, 0)])
    out, of_x, of_w = np.zeros(y.shape), np.zeros(padded.shape), np.zeros(w.shape)
    for tap in np.ndindex(*spatial):
        window = (slice(None), *(slice(t, t + (o - 1) * strides + 1, strides) for t, o in zip(tap, y.shape[1:-1], strict=True)))
        seen = padded[window].reshape(-1, x.shape[-1])
        out += (seen @ w[tap]).reshape(y.shape)
        of_x[window] += (y @ w[tap].T).reshape(padded[window].shape)
        of_w[tap] = seen.T @ y.reshape(-1, y.shape[-1])
    return out, of_x[(slice(None), *(slice(low, low + i) for i in x.shape[1:-1]))], of_w


def convolution_checks(rng, small):
    import jax
    import ml_dtypes
    from jax import lax

    checks = []

    def add(name, dtype, image, kernel, layout, strides=1, tf32=False):
        rank = len(layout[0]) - 2

        def convolve(x, w):
            asked = "default" if tf32 else "highest"
            return lax.conv_general_dilated(x, w, (strides,) * rank, "SAME", dimension_numbers=layout, precision=asked)

        def gradients(x, w, y):
            return jax.vjp(convolve, x, w)[1](y)

        x, w = numbers(rng, image, dtype), numbers(rng, kernel, dtype)
        y = numbers(rng, jax.eval_shape(convolve, x, w).shape, dtype)
        inner = "N" + layout[1].strip("IO") + "C", layout[1].strip("IO") + "IO"
        inside = [[l.index(c) for c in i] for l, i in zip(layout, (*inner, inner[0]), strict=True)]

        def error(found, arrays):
            wide = [a.astype(np.float64).transpose(order) for a, order in zip((*arrays, y)[:3], inside, strict=True)]
            taps = w.shape[layout[1].index(layout[1].strip("IO")[0])]
            low = max((wide[2].shape[1] - 1) * strides + taps - wide[0].shape[1], 0) // 2
            out, *rest = convolve_on_host(*wide, strides, low)
            pairs = zip(found, rest, inside, strict=False) if isinstance(found, tuple) else [(found, out, inside[2])]
            eps = TF32 if tf32 else max(precision(dtype), precision(np.float32))
            return max(relative(np.asarray(one).transpose(order), other, eps) for one, other, order in pairs)

        allowed = {"tf32": True} if tf32 else {}
        checks.append(Check(f"convolution of {name}", convolve, [x, w], error, allowed))
        checks.append(Check(f"gradients of a convolution of {name}", gradients, [x, w, y], error, allowed))

    n, side, c = (2, 8, 4) if small else (16, 56, 128)
    bf16, image = ml_dtypes.bfloat16, ("NHWC", "HWIO", "NHWC")
    for dtype, name in ((np.float32, "f32"), (bf16, "bf16"), (np.float16, "f16")):
        add(name, dtype, (n, side, side, c), (3, 3, c, c), image)
    add("bf16, strides of 2", bf16, (n, side, side, c), (3, 3, c, c), image, strides=2)
    add("f32, features outside", np.float32, (n, c, side, side), (c, c, 3, 3), ("NCHW", "OIHW", "NCHW"))
    add("bf16, features outside", bf16, (n, c, side, side), (c, c, 3, 3), ("NCHW", "OIHW", "NCHW"))
    add("f32, tf32 allowed", np.float32, (n, side, side, c), (3, 3, c, c), image, tf32=True)
    add("f32, tf32 allowed, features outside", np.float32, (n, c, side, side), (c, c, 3, 3), ("NCHW", "OIHW", "NCHW"), tf32=True)
    add("bf16, one dimension", bf16, (n, side * side, c), (5, c, c), ("NWC", "WIO", "NWC"))
    half = side // 2
    add("bf16, three dimensions", bf16, (2, half, half, half, c), (3, 3, 3, c, c), ("NDHWC", "DHWIO", "NDHWC"))
    return checks


def algebra_checks(rng, small):
    import jax
    import jax.numpy as jnp

    n = 12 if small else 512
    checks = []
    for dtype in (np.float32, np.float64, np.complex64):
        eps = precision(dtype) * n
        square, tall = numbers(rng, (n, n), dtype), numbers(rng, (2 * n, n), dtype)
        definite = (square @ square.conj().T + n * np.eye(n)).astype(dtype)
        wide = tall.conj().T.copy()

        def add(name, compute, arrays, rebuild, expected, eps=eps, dtype=dtype):
            def error(found, _):
                return relative(np.asarray(rebuild(*found)), expected.astype(np.complex128), eps)

            checks.append(Check(f"{name} of {np.dtype(dtype)}", compute, arrays, error))

        def diagonal(u, s, v):
            return (u * s) @ v

        add("Cholesky factor", lambda a: (jnp.linalg.cholesky(a),), [definite], lambda c: c @ c.conj().T, definite)
        add("LU factors", lambda a: jax.scipy.linalg.lu(a), [square], lambda p, l, u: p @ l @ u, square)
        add("QR factors", lambda a: tuple(jnp.linalg.qr(a)), [tall], lambda q, r: q @ r, tall)
        add("eigenvectors", lambda a: tuple(jnp.linalg.eigh(a)), [definite], lambda w, v: (v * w) @ v.conj().T, definite)
        for name, matrix in (("a tall matrix", tall), ("a wide matrix", wide)):
            add(f"singular vectors of {name}", lambda a: tuple(jnp.linalg.svd(a, full_matrices=False)), [matrix], diagonal, matrix)
        lower = np.tril(definite)
        add("triangular equations", lambda a, b: (jax.scipy.linalg.solve_triangular(a, b, lower=True),), [lower, square],
            lambda x, lower=lower: lower @ x, square)  # fmt: skip
    return checks


def transform_checks(rng, small):
    import jax.numpy as jnp

    n, lines = (30, 2) if small else (4096, 256)
    checks = []
    for real, whole in ((np.float32, np.complex64), (np.float64, np.complex128)):
        for name, given in (("fft", whole), ("ifft", whole), ("rfft", real), ("irfft", whole)):
            array = numbers(rng, (lines, n // 2 + 1 if name == "irfft" else n), given)
            if name == "irfft":
                array[:, [0, -1]] = array[:, [0, -1]].real

            def error(found, arrays, name=name, eps=precision(real)):
                return relative(np.asarray(found), getattr(np.fft, name)(arrays[0].astype(np.complex128) if name != "rfft" else arrays[0].astype(np.float64)), eps)  # fmt: skip

            checks.append(Check(f"{name} of {np.dtype(given)}", getattr(jnp.fft, name), [array], error))
    return checks


def measure(check, small):
    import jax

    arrays = [jax.device_put(a) for a in check.arrays]
    compiled = jax.jit(check.compute).lower(*arrays).compile(check.options)
    first, again = (jax.tree.map(np.asarray, compiled(*arrays)) for _ in range(2))
    same = all(a.tobytes() == b.tobytes() for a, b in zip(jax.tree.leaves(first), jax.tree.leaves(again), strict=True))
    repeats, times = (1, []) if small else (10, [])
    for _ in range(1 if small else 5):
        start = time.perf_counter()
        for _ in range(repeats):
            results = compiled(*arrays)
        jax.block_until_ready(results)
        times.append((time.perf_counter() - start) / repeats)
    return {"error": check.error(first, check.arrays), "time": statistics.median(times), "same": same}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="sizes for a GPU that the host plays; times mean nothing")
    parser.add_argument("--only", help="names, parted by semicolons")
    options = parser.parse_args()
    wanted = options.only.split(";") if options.only else None
    import jax

    jax.config.update("jax_enable_x64", True)
    rng = np.random.default_rng(7)
    for checks in (product_checks, convolution_checks, algebra_checks, transform_checks):
        for check in checks(rng, options.small):
            if wanted and check.name not in wanted:
                continue
            try:
                found = measure(check, options.small)
            except Exception as error:  # of this one alone: the others are still to be measured
                found = {"failed": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"}
            print(json.dumps({"name": check.name, **found}), flush=True)


if __name__ == "__main__":
    main()
