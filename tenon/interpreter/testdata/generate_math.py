"""Writes math/*.mlir: values of elementwise functions computed with mpmath, for the interpreter's example test.

Needs mpmath, numpy and ml_dtypes. Run it in this folder after changing it; the files it writes are committed.
"""

import math
import os
import random

import ml_dtypes
import mpmath as mp
import numpy as np

mp.mp.prec = 300

TYPES = {
    "f64": (np.float64, 16),
    "f32": (np.float32, 8),
    "f16": (np.float16, 4),
    "bf16": (ml_dtypes.bfloat16, 4),
}
UINTS = {16: np.uint64, 8: np.uint32, 4: np.uint16}
INF, NAN = float("inf"), float("nan")


def to_type(value, name):
    """A number or mpf as the nearest value of the type (through double: off by at most a hair of half an ulp)."""
    dtype, _ = TYPES[name]
    with np.errstate(all="ignore"):
        return dtype(float(value))


def text(value, name):
    dtype, digits = TYPES[name]
    bits = int(np.array([value], dtype).view(UINTS[digits])[0])
    return f"0x{bits:0{digits}X}"


def gamma_pole(x):
    return x <= 0 and x == mp.floor(x)


def zeta(s, q):
    if s < 1 or (q < 0 and s != mp.floor(s)):
        return NAN
    if s == 1:
        return INF
    if gamma_pole(q):
        return INF if s % 2 == 0 else NAN
    head = mp.mpf(0)
    while q < 0:
        head += q ** (-s)
        q += 1
    with mp.workprec(1200):  # mpmath loses most of its digits for large s and q
        return head + mp.zeta(s, q)


def erf_inv(x):
    if abs(x) > 1:
        return NAN
    if abs(x) == 1:
        return math.copysign(INF, x)
    return mp.erfinv(x)


def real_only(value):
    return NAN if isinstance(value, mp.mpc) and value.imag != 0 else mp.re(value)


# name: (function of mpf, values at +inf, -inf, whether f(-0) is -0, range of |x| that is sampled)
UNARY = {
    "stablehlo.exponential": (mp.exp, INF, 0.0, 30),
    "stablehlo.exponential_minus_one": (mp.expm1, INF, -1.0, 30),
    "stablehlo.log": (lambda x: -INF if x == 0 else NAN if x < 0 else mp.log(x), INF, NAN, 1e6),
    "stablehlo.log_plus_one": (lambda x: -INF if x == -1 else NAN if x < -1 else mp.log1p(x), INF, NAN, 1e6),
    "stablehlo.logistic": (lambda x: 1 / (1 + mp.exp(-x)), 1.0, 0.0, 40),
    "stablehlo.sine": (mp.sin, NAN, NAN, 1e4),
    "stablehlo.cosine": (mp.cos, NAN, NAN, 1e4),
    "stablehlo.tan": (mp.tan, NAN, NAN, 1e4),
    "stablehlo.tanh": (mp.tanh, 1.0, -1.0, 10),
    "stablehlo.sqrt": (lambda x: NAN if x < 0 else mp.sqrt(x), INF, NAN, 1e6),
    "stablehlo.rsqrt": (lambda x: NAN if x < 0 else 1 / mp.sqrt(x), 0.0, NAN, 1e6),
    "stablehlo.cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), INF, -INF, 1e6),
    "chlo.sinh": (mp.sinh, INF, -INF, 10),
    "chlo.cosh": (mp.cosh, INF, INF, 10),
    "chlo.asin": (lambda x: NAN if abs(x) > 1 else mp.asin(x), NAN, NAN, 1.1),
    "chlo.acos": (lambda x: NAN if abs(x) > 1 else mp.acos(x), NAN, NAN, 1.1),
    "chlo.atan": (mp.atan, math.pi / 2, -math.pi / 2, 100),
    "chlo.asinh": (mp.asinh, INF, -INF, 1e6),
    "chlo.acosh": (lambda x: NAN if x < 1 else mp.acosh(x), INF, NAN, 1e6),
    "chlo.atanh": (
        lambda x: NAN if abs(x) > 1 else math.copysign(INF, x) if abs(x) == 1 else mp.atanh(x),
        NAN,
        NAN,
        1.1,
    ),
    "chlo.erf": (mp.erf, 1.0, -1.0, 5),
    "chlo.erfc": (mp.erfc, 0.0, 2.0, 8),
    "chlo.erf_inv": (erf_inv, NAN, NAN, 1.05),
    "chlo.lgamma": (lambda x: INF if gamma_pole(x) else mp.log(abs(mp.gamma(x))), INF, INF, 60),
    "chlo.digamma": (lambda x: NAN if gamma_pole(x) else mp.digamma(x), INF, NAN, 60),
    "chlo.bessel_i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), 0.0, -0.0, 90),
}
ODD = {
    "stablehlo.exponential_minus_one", "stablehlo.log_plus_one", "stablehlo.sine", "stablehlo.tan", "stablehlo.tanh",
    "stablehlo.sqrt", "stablehlo.cbrt", "chlo.sinh", "chlo.asin", "chlo.atan", "chlo.asinh", "chlo.atanh", "chlo.erf",
    "chlo.erf_inv", "chlo.bessel_i1e",
}  # fmt: skip
ULPS = {"chlo.digamma": 4, "chlo.lgamma": 2}


def evaluate(fn, name, x, plus_inf, minus_inf):
    x = float(x)
    if math.isnan(x):
        return NAN
    if math.isinf(x):
        return plus_inf if x > 0 else minus_inf
    if x == 0 and name == "stablehlo.rsqrt":
        return math.copysign(INF, x)
    if x == 0 and name in ODD:
        return x
    return fn(mp.mpf(x))


def samples(type_name, limit, rng):
    dtype, _ = TYPES[type_name]
    info = ml_dtypes.finfo(dtype)
    tiny, smallest = float(info.tiny), float(info.smallest_subnormal)
    points = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 10.0, smallest, -smallest, tiny, 1e-3, -1e-3, 1e-6]
    points += [INF, -INF, NAN]
    points += [rng.uniform(-2, 2) for _ in range(12)]
    points += [math.copysign(math.exp(rng.uniform(math.log(1e-4), math.log(limit))), rng.uniform(-1, 1))
               for _ in range(17)]  # fmt: skip
    return [to_type(p, type_name) for p in points]


def constant(name, values, type_name):
    return f"  %{name} = stablehlo.constant dense<[{', '.join(text(v, type_name) for v in values)}]>" \
           f" : tensor<{len(values)}x{type_name}>"  # fmt: skip


def write(path, functions):
    with open(path, "w") as out:
        out.write("// Written by generate_math.py with mpmath. Do not edit.\n")
        out.write("".join(functions))


def unary_function(op, type_name, rng):
    fn, plus_inf, minus_inf, limit = UNARY[op]
    if type_name in ("f16", "bf16"):
        limit = min(limit, 1e3)
    xs = samples(type_name, limit, rng)
    ys = [to_type(evaluate(fn, op, x, plus_inf, minus_inf), type_name) for x in xs]
    tensor = f"tensor<{len(xs)}x{type_name}>"
    arrow = f"{tensor} -> {tensor}" if op.startswith("chlo") else tensor
    ulps = 0 if op == "stablehlo.sqrt" else ULPS.get(op, 1) if type_name in ("f64", "f32") else 1
    expect = "EXPECT" if ulps == 0 else f"EXPECT-ULPS({ulps})"
    return f"""
func.func @{op.split(".")[1]}_{type_name}() -> {tensor} {{
{constant("x", xs, type_name)}
  %y = {op} %x : {arrow}
  return %y : {tensor}
}}
// {expect}: dense<[{", ".join(text(y, type_name) for y in ys)}]> : {tensor}
"""


def power(x, y):
    x, y = float(x), float(y)
    try:
        if all(map(math.isfinite, (x, y))) and x != 0:
            return NAN if x < 0 and y != math.floor(y) else mp.re(mp.power(mp.mpf(x), mp.mpf(y)))
        return math.pow(x, y)
    except (ValueError, ZeroDivisionError):
        odd = y == math.floor(y) and y % 2 == 1
        return math.copysign(INF, x if odd else 1) if x == 0 else NAN


def atan2(y, x):
    y, x = float(y), float(x)
    if all(map(math.isfinite, (x, y))) and x != 0 and y != 0:
        return mp.atan2(mp.mpf(y), mp.mpf(x))
    return math.atan2(y, x)


def polygamma(n, x):
    n, x = float(n), mp.mpf(float(x))
    if n < 0 or n != math.floor(n):
        return NAN
    if n == 0:
        return NAN if gamma_pole(x) else mp.digamma(x)
    return (-1) ** int(n + 1) * mp.factorial(int(n)) * zeta(mp.mpf(n + 1), x)


def binary_function(op, type_name, fn, pairs, ulps):
    xs = [to_type(a, type_name) for a, _ in pairs]
    ys = [to_type(b, type_name) for _, b in pairs]
    zs = [to_type(fn(a, b), type_name) for a, b in zip(xs, ys)]
    tensor = f"tensor<{len(xs)}x{type_name}>"
    arrow = f"{tensor}, {tensor} -> {tensor}" if op.startswith("chlo") else tensor
    return f"""
func.func @{op.split(".")[1]}_{type_name}() -> {tensor} {{
{constant("x", xs, type_name)}
{constant("y", ys, type_name)}
  %z = {op} %x, %y : {arrow}
  return %z : {tensor}
}}
// EXPECT-ULPS({ulps}): dense<[{", ".join(text(z, type_name) for z in zs)}]> : {tensor}
"""


def main():
    os.makedirs("math", exist_ok=True)
    for op in UNARY:
        rng = random.Random(op)
        write(f"math/{op.split('.')[1]}.mlir", [unary_function(op, t, rng) for t in TYPES])
    rng = random.Random("binary")
    special = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 0.5, -2.0, 3.0]
    grid = [(a, b) for a in special for b in special]
    pairs = [(rng.uniform(-5, 5), rng.uniform(-5, 5)) for _ in range(20)]
    powers = [(abs(a), b) for a, b in pairs] + [(-2.5, 3.0), (-2.5, 4.0), (-1.5, 0.5), (1e-3, 40.0), (10.0, -45.0)]
    types = ("f64", "f32", "bf16")
    write("math/power.mlir", [binary_function("stablehlo.power", t, power, grid + powers, 1) for t in types])
    write("math/atan2.mlir", [binary_function("stablehlo.atan2", t, atan2, grid + pairs, 1) for t in types])
    zetas = [(s, q) for s in (1.5, 2.0, 3.0, 10.5, 40.0) for q in (0.25, 1.0, 2.5, 17.0, 300.0)]
    zetas += [(1.0, 2.0), (0.5, 2.0), (2.0, 0.0), (3.0, 0.0), (2.0, -3.0), (3.0, -3.0), (2.0, -0.5), (3.0, -2.25)]
    zetas += [(2.5, -0.5)]
    zeta_fn = lambda s, q: zeta(mp.mpf(float(s)), mp.mpf(float(q)))
    write("math/zeta.mlir", [binary_function("chlo.zeta", t, zeta_fn, zetas, 1) for t in ("f64", "f32")])
    orders = [(n, x) for n in (0.0, 1.0, 2.0, 3.0, 8.0) for x in (0.25, 1.0, 2.5, 17.0, -0.5, -1.75)]
    orders += [(0.5, 1.0), (-1.0, 1.0)]
    write("math/polygamma.mlir", [binary_function("chlo.polygamma", t, polygamma, orders, 2) for t in ("f64", "f32")])


if __name__ == "__main__":
    main()
