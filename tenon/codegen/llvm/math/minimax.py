#!/usr/bin/env python3
"""Minimax polynomials for the functions beside: finds sum c_k x^k (k from a list of exponents) that minimises
max |w(x) (p(x) - f(x))| on an interval by Remez exchange. Float coefficients are rounded one after the other, from the
first, refitting the rest after each, so that the rounding of the leading ones costs nothing; double ones all at once
unless `refit` is set.

    from minimax import fit
    fit(lambda x: mp.exp(x), lambda x: 1/mp.exp(x), [0,1,2,3,4,5,6], (-0.35, 0.35), 'f')

Prints C++ initialisers, first exponent first, and log2 of the error. Needs mpmath.
"""
import struct
from mpmath import mp, mpf

mp.prec = 160


def round_to(value, kind):
    if kind == 'f':
        return mpf(struct.unpack('<f', struct.pack('<f', float(value)))[0])
    return mpf(float(value))


def remez(f, w, exps, a, b, fixed=(), iterations=30):
    """Best coefficients of x^exps; `fixed` holds (exponent, coefficient) terms already chosen."""
    n = len(exps)
    target = lambda x: f(x) - sum(c * x**e for e, c in fixed)
    if n == 0:
        grid = [a + (b - a) * i / 400 for i in range(401)]
        return [], max(abs(w(x) * target(x)) for x in grid if x != 0)
    points = [(a + b) / 2 + (b - a) / 2 * mp.cos(mp.pi * (n - i) / n) for i in range(n + 1)]
    points = [p if p != 0 else (b - a) / 1000 for p in points]
    coeffs, worst = None, None
    size = max(24 * (n + 1), 200)
    grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (i + mpf(1) / 2) / size) for i in range(size)]
    grid = [a] + [x for x in grid if abs(x) > (b - a) * mpf(2)**-40] + [b]
    if a == 0:
        grid = grid[1:]
    values = [(x, w(x), target(x)) for x in grid]
    for _ in range(iterations):
        rows, rhs = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
        for i, x in enumerate(points):
            wx = w(x)
            for j, e in enumerate(exps):
                rows[i, j] = x**e * wx
            rows[i, n] = (-1)**i
            rhs[i] = target(x) * wx
        solution = mp.lu_solve(rows, rhs)
        coeffs, level = [solution[j] for j in range(n)], abs(solution[n])
        errors = [wx * (sum(c * x**e for c, e in zip(coeffs, exps)) - t) for x, wx, t in values]
        extrema = []  # one for each run of equal sign: its largest
        for i, err in enumerate(errors):
            if extrema and (errors[extrema[-1]] > 0) == (err > 0):
                if abs(err) > abs(errors[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        worst = max(abs(errors[i]) for i in extrema)
        while len(extrema) > n + 1:
            if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]):
                extrema.pop(0)
            else:
                extrema.pop()
        if len(extrema) < n + 1 or worst < level * mpf('1.01'):
            break
        points = [values[i][0] for i in extrema]
    return coeffs, worst


def fit(f, w, exps, interval, kind='d', name='', refit=False):
    a, b = mpf(interval[0]), mpf(interval[1])
    fixed, rest = [], list(exps)
    _, ideal = remez(f, w, rest, a, b)
    error = ideal
    while rest:
        coeffs, error = remez(f, w, rest, a, b, fixed)
        step = 1 if kind == 'f' or refit else len(rest)
        for e, c in zip(rest[:step], coeffs[:step]):
            fixed.append((e, round_to(c, kind)))
        rest = rest[step:]
    grid = [a + (b - a) * (i + mpf(1) / 2) / 1000 for i in range(1000)]
    error = max(abs(w(x) * (sum(c * x**e for e, c in fixed) - f(x))) for x in grid)
    suffix = 'f' if kind == 'f' else ''
    text = ', '.join(float(c).hex() + suffix for _, c in fixed)
    print(f'// {name} {exps} on [{float(a):.6g}, {float(b):.6g}]: error 2^{float(mp.log(error, 2)):.2f}'
          f' (ideal 2^{float(mp.log(ideal, 2)):.2f})\n{{{text}}}', flush=True)
    return fixed
