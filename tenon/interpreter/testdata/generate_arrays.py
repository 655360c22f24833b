"""Writes arrays/*.mlir: complex functions by mpmath; transforms, solves and normalisation by NumPy and SciPy.

Needs mpmath, numpy and scipy. Run it in this folder after changing it; the files it writes are committed.
"""

import itertools
import os

import mpmath as mp
import numpy as np
import scipy.linalg

mp.mp.prec = 200
NAMES = {"float32": "f32", "float64": "f64", "complex64": "complex<f32>", "complex128": "complex<f64>"}
TOLERANCE = {"float32": 2e-6, "float64": 1e-13, "complex64": 2e-6, "complex128": 1e-13}


def real_text(x):
    bits = {4: np.uint32, 8: np.uint64}[x.dtype.itemsize]
    return f"0x{int(x.view(bits)):0{2 * x.dtype.itemsize}X}"


def dense(array):
    if array.ndim:
        return "[" + ", ".join(dense(row) for row in array) + "]"
    if array.dtype.kind == "c":
        return f"({real_text(array.real)}, {real_text(array.imag)})"
    return real_text(array)


def type_of(array):
    return "tensor<" + "".join(f"{d}x" for d in array.shape) + NAMES[array.dtype.name] + ">"


def constant(array):
    return f"dense<{dense(array)}> : {type_of(array)}"


def function(name, op, operands, attributes, results, tolerance=None):
    """One function that applies the op, in generic form, to constants."""
    names = [f"%{chr(ord('a') + i)}" for i in range(len(operands))]
    lines = [f"  {n} = stablehlo.constant {constant(v)}" for n, v in zip(names, operands)]
    types = ", ".join(map(type_of, results))
    outs = [f"%r#{i}" for i in range(len(results))] if len(results) > 1 else ["%r"]
    left = f"%r:{len(results)}" if len(results) > 1 else "%r"
    lines.append(f'  {left} = "{op}"({", ".join(names)}) {{{attributes}}}')
    lines.append(f"      : ({', '.join(map(type_of, operands))}) -> ({types})")
    lines.append(f"  return {', '.join(outs)} : {types}")
    expect = [f"// EXPECT-NEAR({tolerance or TOLERANCE[r.dtype.name]}): {constant(r)}" for r in results]
    return f"\nfunc.func @{name}() -> ({types}) {{\n" + "\n".join(lines) + "\n}\n" + "\n".join(expect) + "\n"


def write(name, functions):
    os.makedirs("arrays", exist_ok=True)
    with open(f"arrays/{name}.mlir", "w") as out:
        out.write("// Written by generate_arrays.py. Do not edit.\n")
        out.write("".join(functions))


COMPLEX = {
    "stablehlo.exponential": mp.exp,
    "stablehlo.exponential_minus_one": mp.expm1,
    "stablehlo.log": mp.log,
    "stablehlo.log_plus_one": lambda z: mp.log(1 + z),
    "stablehlo.logistic": lambda z: 1 / (1 + mp.exp(-z)),
    "stablehlo.sine": mp.sin,
    "stablehlo.cosine": mp.cos,
    "stablehlo.tan": mp.tan,
    "stablehlo.tanh": mp.tanh,
    "stablehlo.sqrt": mp.sqrt,
    "stablehlo.rsqrt": lambda z: 1 / mp.sqrt(z),
    "stablehlo.cbrt": lambda z: mp.exp(mp.log(z) / 3),
    "stablehlo.sign": lambda z: z / abs(z),
    "chlo.acos": mp.acos,
    "chlo.acosh": mp.acosh,
    "chlo.asin": mp.asin,
    "chlo.asinh": mp.asinh,
    "chlo.atan": mp.atan,
    "chlo.atanh": mp.atanh,
    "chlo.sinh": mp.sinh,
    "chlo.cosh": mp.cosh,
    "chlo.square": lambda z: z * z,
}


def rounded(values, dtype):
    return np.array([complex(v) for v in values]).astype(dtype)


def complex_functions():
    rng = np.random.RandomState(1)
    points = [complex(a, b) for a in (-2.5, -0.75, 1e-4, 0.5, 3.0) for b in (-1.25, -1e-3, 0.25, 2.0)]
    points += list(rng.randn(12) + 1j * rng.randn(12)) + [1e-8 + 1e-9j, -1e-6 + 1e-3j, -1 + 1e-4j]
    for op, fn in COMPLEX.items():
        for dtype in ("complex64", "complex128"):
            xs = rounded(points, dtype)
            ys = rounded([fn(mp.mpc(complex(x))) for x in xs], dtype)
            yield function(f"{op.split('.')[1]}_{dtype}", op, [xs], "", [ys])
    pairs = list(zip(points, points[7:] + points[:7]))
    for dtype in ("complex64", "complex128"):
        xs, ys = rounded([p for p, _ in pairs], dtype), rounded([q for _, q in pairs], dtype)
        exact = [(mp.mpc(complex(x)), mp.mpc(complex(y))) for x, y in zip(xs, ys)]
        table = {
            "add": lambda x, y: x + y,
            "subtract": lambda x, y: x - y,
            "multiply": lambda x, y: x * y,
            "divide": lambda x, y: x / y,
            "power": lambda x, y: mp.exp(y * mp.log(x)),
            "atan2": lambda y, x: -1j * mp.log((x + 1j * y) / mp.sqrt(x * x + y * y)),
        }
        for name, fn in table.items():
            zs = rounded([fn(x, y) for x, y in exact], dtype)
            yield function(f"{name}_{dtype}", f"stablehlo.{name}", [xs, ys], "", [zs])
        magnitude = np.array([float(abs(x)) for x, _ in exact]).astype(xs.real.dtype)
        yield function(f"abs_{dtype}", "stablehlo.abs", [xs], "", [magnitude])


def ffts():
    rng = np.random.RandomState(2)
    for n in (1, 2, 3, 5, 8, 12, 17, 30):
        for dtype in ("complex64", "complex128"):
            x = (rng.randn(2, n) + 1j * rng.randn(2, n)).astype(dtype)
            wide = x.astype(np.complex128)
            real = x.real.copy()
            half = (rng.randn(2, n // 2 + 1) + 1j * rng.randn(2, n // 2 + 1)).astype(dtype)
            back = np.fft.irfft(half.astype(np.complex128), n).astype(real.dtype)
            for kind, a, r in (("FFT", x, np.fft.fft(wide).astype(dtype)), ("IFFT", x, np.fft.ifft(wide).astype(dtype)),
                               ("RFFT", real, np.fft.rfft(real.astype(np.float64)).astype(dtype)),
                               ("IRFFT", half, back)):  # fmt: skip
                attributes = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = array<i64: {n}>"
                yield function(f"{kind.lower()}_{n}_{dtype}", "stablehlo.fft", [a], attributes, [r], 1e-5 if "64" == dtype[-2:] else 1e-12)
    x = rng.randn(2, 3, 4, 5)
    z = x + 1j * rng.randn(2, 3, 4, 5)
    three = "fft_length = array<i64: 3, 4, 5>"
    yield function("fft_3d", "stablehlo.fft", [z], f"fft_type = #stablehlo<fft_type FFT>, {three}",
                   [np.fft.fftn(z, axes=(1, 2, 3))], 1e-12)  # fmt: skip
    spectrum = np.fft.rfftn(x, axes=(1, 2, 3))
    yield function("rfft_3d", "stablehlo.fft", [x], f"fft_type = #stablehlo<fft_type RFFT>, {three}", [spectrum], 1e-12)
    yield function("irfft_3d", "stablehlo.fft", [spectrum], f"fft_type = #stablehlo<fft_type IRFFT>, {three}", [x], 1e-12)


def solves():
    rng = np.random.RandomState(3)
    for dtype in ("float32", "float64", "complex64", "complex128"):
        a = rng.randn(2, 4, 4) + (1j * rng.randn(2, 4, 4) if "complex" in dtype else 0)
        spd = (a @ a.conj().transpose(0, 2, 1) + 4 * np.eye(4)).astype(dtype)
        low = np.linalg.cholesky(spd.astype(np.complex128 if "complex" in dtype else np.float64)).astype(dtype)
        for lower in (True, False):
            # The other triangle must not matter.
            given = (np.tril(spd) if lower else np.triu(spd)) + (np.triu if lower else np.tril)(
                np.full((4, 4), 99.0, dtype), 1 if lower else -1)  # fmt: skip
            want = low if lower else low.conj().transpose(0, 2, 1).copy()
            yield function(f"cholesky_{dtype}_{lower}".lower(), "stablehlo.cholesky", [given],
                           f"lower = {str(lower).lower()}", [want], 1e-5 if dtype in ("float32", "complex64") else 1e-12)  # fmt: skip
        for left, lower, unit, trans in itertools.product((True, False), (True, False), (True, False), (0, 1, 2)):
            if dtype == "float32" and unit or dtype == "complex64" and not unit:
                continue  # enough combinations
            m = (a[0] + 3 * np.eye(4)).astype(dtype)
            b = rng.randn(4, 3).astype(dtype) if left else rng.randn(3, 4).astype(dtype)
            tri = np.tril(m) if lower else np.triu(m)
            if unit:
                np.fill_diagonal(tri, 1)
            wide = tri.astype(np.complex128 if "complex" in dtype else np.float64)
            op = [wide, wide.T, wide.conj().T][trans]
            x = scipy.linalg.solve(op, b) if left else scipy.linalg.solve(op.T, b.T).T
            kind = ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"][trans]
            flags = f"left_side = {left}, lower = {lower}, unit_diagonal = {unit}".lower()
            yield function(f"solve_{dtype}_{left}_{lower}_{unit}_{trans}".lower(), "stablehlo.triangular_solve", [m, b],
                           f"{flags}, transpose_a = #stablehlo<transpose {kind}>", [x.astype(dtype)],
                           1e-4 if dtype in ("float32", "complex64") else 1e-11)  # fmt: skip


def batch_norms():
    rng = np.random.RandomState(4)
    for dtype in ("float32", "float64"):
        x, g = rng.randn(3, 2, 4).astype(dtype), rng.randn(3, 2, 4).astype(dtype)
        scale, offset = rng.randn(2).astype(dtype), rng.randn(2).astype(dtype)
        eps, axes, shape = 1e-3, (0, 2), (1, 2, 1)
        wide = x.astype(np.float64)
        eps = float(np.float32(eps))
        mean, var = wide.mean(axes), wide.var(axes)
        unit = (wide - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + eps)
        out = (unit * scale.reshape(shape) + offset.reshape(shape)).astype(dtype)
        attributes = f"epsilon = {eps} : f32, feature_index = 1 : i64"
        m, v = mean.astype(dtype), var.astype(dtype)
        tolerance = 1e-5 if dtype == "float32" else 1e-12
        yield function(f"training_{dtype}", "stablehlo.batch_norm_training", [x, scale, offset], attributes, [out, m, v],
                       tolerance)  # fmt: skip
        yield function(f"inference_{dtype}", "stablehlo.batch_norm_inference", [x, scale, offset, m, v], attributes, [out],
                       tolerance)  # fmt: skip
        # The gradient of sum(training(x) * g) by central differences in float64.
        def loss(p):
            centered = p - p.mean(axes, keepdims=True)
            return (centered / np.sqrt(p.var(axes, keepdims=True) + eps) * scale.reshape(shape) * g).sum()

        grad = np.zeros_like(wide)
        for i in np.ndindex(*x.shape):
            step = np.zeros_like(wide)
            step[i] = 1e-5
            grad[i] = (loss(wide + step) - loss(wide - step)) / 2e-5
        results = [grad.astype(dtype), (unit * g).sum(axes).astype(dtype), g.astype(np.float64).sum(axes).astype(dtype)]
        yield function(f"grad_{dtype}", "stablehlo.batch_norm_grad", [x, scale, m, v, g], attributes, results, 1e-5)


if __name__ == "__main__":
    write("complex", complex_functions())
    write("fft", ffts())
    write("solve", solves())
    write("batch_norm", batch_norms())
