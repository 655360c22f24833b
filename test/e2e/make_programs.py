#!/usr/bin/env python3
"""Writes test/e2e/programs: small JAX programs, lowered to StableHLO text, that differential_test.cpp runs. Those on
quantized types are written in quantized_programs.py.

    .venv/bin/python test/e2e/make_programs.py

Each exercises one way through the compiler: a kind of fusion, of loop, of kernel, of buffer sharing.
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import quantized_programs

jax.config.update("jax_platforms", "cpu")
F = lambda *shape: jax.ShapeDtypeStruct(shape, np.float32)
I = lambda *shape: jax.ShapeDtypeStruct(shape, np.int32)
B = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.bfloat16)
C = lambda *shape: jax.ShapeDtypeStruct(shape, np.complex64)
K = jax.ShapeDtypeStruct((2,), np.uint32)
PROGRAMS = {}


def program(*arguments):
    def register(function):
        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return register


@program(F(5, 37), F(37))
def elementwise_chain(x, y):
    z = jnp.tanh(x * y) + jnp.exp(-jnp.abs(x))
    return z, jnp.where(z > 0.5, z, x) - y


@program(F(33, 65))
def softmax(x):
    return jax.nn.softmax(x), jax.nn.logsumexp(x, -1), jax.nn.softmax(x, 0)


@program(F(17, 100), F(100), F(100))
def layernorm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * g + b


@program(B(9, 130), B(130))
def rmsnorm_bf16(x, g):
    y = x.astype(jnp.float32)
    return (y * lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * g


@program(F(13, 21, 34))
def reductions(x):
    return x.sum(0), x.max(1), x.min((0, 2)), x.argmax(2), x.sum(), jnp.cumsum(x, 1), x.var(1)


@program(F(8, 30), F(30, 20), F(20), I(8))
def mlp_gradient(x, w, b, y):
    def loss(w, b):
        logits = jax.nn.relu(x @ w + b)
        return -(jax.nn.log_softmax(logits) * jax.nn.one_hot(y, 20)).sum(-1).mean()

    value, gradient = jax.value_and_grad(loss, (0, 1))(w, b)
    return value, gradient[0], gradient[1], w - 0.1 * gradient[0]


@program(F(2, 9, 9, 3), F(3, 3, 3, 8), F(8))
def conv_gradient(x, w, b):
    def loss(w):
        y = lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return (jax.nn.gelu(y + b) ** 2).sum()

    return jax.value_and_grad(loss)(w)


@program(F(2, 8, 8, 4))
def pooling_gradient(x):
    pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return pool(x), jax.grad(lambda x: (pool(x) ** 2).sum())(x)


@program(F(7, 3, 16), F(16, 64), F(16, 64))
def lstm_scan(xs, w, u):
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ w + h @ u, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((3, 16))
    return lax.scan(step, (zero, zero), xs)


@program(F(20, 20))
def stencil_loop(u):
    def step(_, u):
        c = u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].set(c + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * c))

    return lax.fori_loop(0, 7, step, u)


@program(F(9), F(9), F(9))
def rotating_loop(a, b, c):
    step = lambda _, s: (s[1], s[2] + 1, s[0] * 0.5)
    return lax.fori_loop(0, 5, step, (a, b, c))


@program(F(4, 11), F(11), I())
def nested_loops(x, y, n):
    def outer(i, s):
        x, y = s
        inner = lambda j, t: (t[1][::-1] + j, t[0] * 0.5 + y)
        a, b = lax.fori_loop(0, 3, inner, (y, y + i))
        return x + a * b, a - b

    return lax.fori_loop(0, n, outer, (x, y))


@program(F(12, 40, 8), F(6, 12, 8), I())
def cache_update_loop(cache, values, start):
    def step(i, s):
        cache, total = s
        cache = lax.dynamic_update_slice(cache, values[i][:, None], (0, start + i, 0))
        return cache, total + cache[:, start + i, :]

    return lax.fori_loop(0, 6, step, (cache, jnp.zeros((12, 8))))


@program(F(16), jax.ShapeDtypeStruct((20,), np.bool_))
def branches_in_scan(x, flags):
    def step(x, flag):
        x = lax.cond(flag, lambda x: x * 0.9 + 1, lambda x: -x * 0.5, x)
        return x, x.sum()

    return lax.scan(step, x, flags)


@program(F(5), I())
def switch_branches(x, i):
    return lax.switch(i, [jnp.sin, lambda x: x[::-1], lambda x: jnp.broadcast_to(x.sum(), x.shape)], x)


@program(F(50, 6), I(30), F(30, 6))
def gather_scatter(table, rows, updates):
    return table[rows], table.at[rows].add(updates), table.at[rows, 2].set(updates[:, 0]), table.at[::3].mul(2.0)


@program(F(200), F(3, 150), I(64))
def sorting(x, y, keys):
    return jnp.sort(x), jnp.argsort(y, axis=1), lax.top_k(y, 7), lax.sort((keys, x[:64]), num_keys=2), jnp.sort(y, 0)


# Enough for the loop of rounds to be written out.
@program(K)
def many_random_bits(key):
    return jax.random.bits(jax.random.wrap_key_data(key), (9001,), jnp.uint32)


def floats_of_all_kinds(x, float_type, bit_type):
    """Random bits, with many zeros of both signs, and NaNs of both signs and several payloads."""
    spread = x.astype(jnp.uint32) * jnp.uint32(2654435761) + lax.iota(jnp.uint32, x.size).reshape(x.shape) * 40503
    bits = (spread >> 7 ^ spread << 11).astype(bit_type)
    nan = lax.bitcast_convert_type(float_type(np.nan), bit_type)
    sign = bit_type(1 << (bits.itemsize * 8 - 1))
    bits = jnp.where(spread % 7 == 0, bits & sign, jnp.where(spread % 11 == 0, bits & (sign | 3) | nan, bits))
    return lax.bitcast_convert_type(bits, float_type)


def sorted_every_way(x, axis):
    """As bits: signs of zeros and NaNs count."""
    f32, f16 = (floats_of_all_kinds(x, *types) for types in [(jnp.float32, jnp.uint32), (jnp.float16, jnp.uint16)])
    b16, small = floats_of_all_kinds(x, jnp.bfloat16, jnp.uint16), (x * 77).astype(jnp.int8)
    bits = lambda y: lax.bitcast_convert_type(y, {2: jnp.uint16, 4: jnp.uint32}[y.dtype.itemsize])
    total = lambda y: lax.sort((y, bits(y)), dimension=axis, num_keys=1)[1]
    return (
        *[bits(jnp.sort(y, axis)) for y in (f32, f16, b16)],
        bits(jnp.sort(f32, axis, descending=True)),
        jnp.argsort(f32, axis, descending=True),
        jnp.sort(small, axis),
        jnp.sort(bits(f32), axis),
        total(b16),
        lax.sort((x % 5, x, f16 == f16), dimension=axis, num_keys=1)[1:],
    )


@program(I(3, 19), I(128), I(40, 2))
def sorting_short_rows(x, y, z):
    return sorted_every_way(x, 1), sorted_every_way(y, 0), sorted_every_way(z, 0)


@program(I(3, 129), I(700, 2))
def sorting_rows(x, y):
    return sorted_every_way(x, 1), sorted_every_way(y, 0)


# Long enough for several tasks, and for digits of 11 bits.
@program(I(33000))
def sorting_one_row(x):
    f32 = floats_of_all_kinds(x, jnp.float32, jnp.uint32)
    bits = lambda y: lax.bitcast_convert_type(y, jnp.uint32)
    return bits(jnp.sort(f32)), lax.sort((f32, x), num_keys=1)[1], jnp.argsort(x % 100), jnp.sort(bits(f32))


@program(F(6, 10), F(4, 10))
def moving_elements(x, y):
    z = jnp.concatenate([x[:, 3:], y.T[:6], x[:, ::4]], 1)
    return jnp.pad(z, ((1, 2), (0, 3))), z.T, z[::-1, 1::2], jnp.roll(z, 3, 1), jnp.tile(x, (2, 2)), x.reshape(4, 15)


@program(F(2, 12, 3, 8), F(2, 15, 3, 8), F(2, 15, 3, 8))
def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * 0.3
    mask = jnp.arange(12)[:, None] >= jnp.arange(15)[None, :]
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, scores, -1e9), -1), v)


@program(K)
def random_numbers(key):
    key = jax.random.wrap_key_data(key)
    a, b, c = jax.random.split(key, 3)
    return jax.random.uniform(a, (7, 3)), jax.random.randint(b, (9,), 0, 100), jax.random.gamma(c, 2.0, (5,))


@program(C(4, 5), C(5, 3))
def complex_numbers(x, y):
    return x @ y, jnp.exp(x), jnp.abs(x), x * jnp.conj(x), jnp.sqrt(x), x[::-1].real


@program(I(33), I(33))
def integers(x, y):
    return x // (y + 1), x % (y + 3), x << (y & 7), jnp.bitwise_xor(x, ~y), lax.population_count(x), x.astype(jnp.int8)


@program(F(0, 4), F(1, 1), F())
def degenerate_shapes(x, y, z):
    return x + 1, x.sum(0), x @ jnp.ones((4, 2)), jnp.broadcast_to(y, (3, 5)) * z, y.T + z, (z * 2).reshape(1, 1, 1)


@program(F(64, 48), F(64, 48), F(64, 48))
def optimizer_step(p, m, g):
    m = 0.9 * m + 0.1 * g
    v = g * g * 0.001
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


@program(F(3), F(12, 3))
def runge_kutta_scan(state, pushes):
    def slope(s):
        return jnp.stack([10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - s[2] * (8 / 3)])

    def step(s, push):
        k1 = slope(s)
        k2 = slope(s + 0.005 * k1)
        k3 = slope(s + 0.005 * k2)
        k4 = slope(s + 0.01 * k3)
        s = s + (k1 + 2 * k2 + 2 * k3 + k4) / 600 + 0.01 * push
        return s, (s, s.max(), s[::-1])

    return lax.scan(step, state, pushes)


@program(F(4), F(2, 2), I(), C(2), B(3))
def loops_of_few_numbers(x, matrix, trips, c, b):
    trips = trips & 7

    def rotate(i, carry):
        x, matrix, c, b, flags = carry
        x = jnp.where(x > x.mean(), x * 0.5, jnp.roll(x, 1) - i)
        matrix = (matrix @ matrix.T + jnp.outer(x[:2], x[2:])) * 0.1
        c = c * jnp.exp(1j * c.real).astype(c.dtype) + matrix[:, 0] * c[::-1]
        b = (b + b[1]) * 0.5
        return x, matrix, c, b, jnp.stack([flags[1], ~flags[0], x[0] > 0])

    start = (x, matrix, c, b, jnp.array([True, False, True]))
    none = lax.fori_loop(0, jnp.minimum(trips, 0), rotate, start)
    some = lax.fori_loop(0, trips, rotate, start)
    return none, some


@program(F(3), I(5), I())
def nested_loops_of_few_numbers(x, steps, limit):
    def inner(carry):
        x, counts = carry
        return 0.75 * x + lax.dynamic_slice(x, (counts[0] & 1,), (1,)), counts.at[counts[1] & 3].add(1)

    def outer(carry, step):
        x, counts, best = carry
        x, counts = lax.while_loop(lambda c: (c[1].sum() < 20) & (jnp.abs(c[0]).max() > 0.01), inner, (x, counts))
        x = lax.cond(step > limit, lambda x: x[::-1] + 1, lambda x: x * x, x)
        best = jnp.where(x > best, x, best)
        return (x, counts - counts, best), x.argmax()

    return lax.scan(outer, (x, jnp.zeros(4, jnp.int32), x), steps)


@program(F(7, 3, 40), F(2, 40, 5), F(3, 5), B(7, 64), B(64, 3))
def products_of_steps(xs, w, h, bs, v):
    def step(h, inputs):
        x, b = inputs
        g = x @ w[0] + lax.dot_general(w[1], x, (((0,), (1,)), ((), ()))).T
        return jnp.tanh(h + g), (g[:, ::2], b @ v)

    return lax.scan(step, h, (xs, bs)), lax.scan(step, h, (xs, bs), reverse=True)


@program(F(20, 24), F(24), F(32, 8), F(8), I(9, 31), I(31), B(17, 16), B(16), C(12, 22), C(22))
def small_products(a, x, b, y, c, z, d, u, e, v):
    return jnp.tanh(a @ x), b @ y - 1, c @ z, d @ u, e @ v, (a @ x) @ a, a.astype(jnp.float16) @ x.astype(jnp.float16)


@program(F(3), F(2, 2), I(9), F(9, 3))
def branches_of_few_numbers(x, m, choices, pushes):
    def step(carry, inputs):
        x, m, count = carry
        choice, push = inputs
        large = x.max() > 1
        x, m = lax.cond(large, lambda x, m: (x[::-1] * 0.5, m.T), lambda x, m: (x + push, m * x[0] - x[1]), x, m)
        y = lax.switch(choice & 3, [lambda x: x, lambda x: jnp.roll(x, 1), lambda x: -x, lambda x: x * x.sum()], x)
        z = lax.cond(choice > 4, lambda: lax.cond(large, lambda: y * 2, lambda: push), lambda: jnp.tanh(x))
        return (y.clip(-2, 2), m.clip(-2, 2), count + jnp.array([1, 0]) * (choice > 2)), (z, large)

    return lax.scan(step, (x, m, jnp.zeros(2, jnp.int32)), (choices, pushes))


@program(F(4), F(6), I())
def functions_of_few_numbers(state, x, steps):
    def pendulum(s):
        a, b, v, w = s
        d = a - b
        scale = 3 - jnp.cos(2 * d)
        return jnp.stack([
            v, w,
            (-3 * jnp.sin(a) - jnp.sin(a - 2 * b) - 2 * jnp.sin(d) * (w * w + v * v * jnp.cos(d))) / scale,
            2 * jnp.sin(d) * (2 * v * v + 2 * jnp.cos(a) + w * w * jnp.cos(d)) / scale])

    # Huge angles are whole numbers: where what is rounded otherwise were multiplied, it would decide all that follows.
    def step(i, carry):
        s, a, b = carry
        a = (jnp.exp(-a * a) + jnp.tanh(a[::-1] * 1e3), jnp.log(jnp.abs(b)) * 0.1 + jnp.cos(jnp.round(b * 8) * 1e6))
        return s + 0.01 * pendulum(s + 0.005 * pendulum(s)), *a

    return lax.fori_loop(0, jnp.clip(steps, 1, 9), step, (state, x[:3], x[3:]))


def main():
    folder = pathlib.Path(__file__).with_name("programs")
    folder.mkdir(exist_ok=True)
    texts = {name: jax.jit(function).lower(*arguments).as_text() for name, (function, arguments) in PROGRAMS.items()}
    texts.update(quantized_programs.texts())
    for name, text in texts.items():
        (folder / f"{name}.mlir").write_text(f"// Written by make_programs.py.\n{text}")
    print(f"{len(texts)} programs")


if __name__ == "__main__":
    main()
