#!/usr/bin/env python3
"""Measures how compile time grows with the number of operations, for six shapes of programs.

    scripts/compile_curves.py [--only SHAPE] [--ops N ...] [--benchmark build/release/bin/tenon_compile_benchmark]

Writes a table in Markdown: processor time for each operation, on one thread and without the cache of kernels. It stays
about level where compile time is linear. docs/benchmarks.md has the last one.
"""

import argparse
import pathlib
import random
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = (100, 1000, 10000, 50000)


def function(arguments, result, body, name="main"):
    listed = ", ".join(f"%{name}: {type}" for name, type in arguments)
    return f"func.func @{name}({listed}) -> {result} {{\n" + "\n".join(body) + "\n}\n"


def chain(count):
    """One elementwise operation after the other."""
    vector = "tensor<1024xf32>"
    body, last = [], "%x"
    for i in range(count):
        op = ("stablehlo.add", "stablehlo.multiply", "stablehlo.subtract", "stablehlo.maximum")[i % 4]
        body.append(f"%{i} = {op} {last}, %y : {vector}")
        last = f"%{i}"
    return function([("x", vector), ("y", vector)], vector, [*body, f"return {last} : {vector}"])


def tree(count):
    """A balanced sum of products."""
    vector = "tensor<1024xf32>"
    body = [f"%c{i} = stablehlo.constant dense<{i + 1}.5> : {vector}" for i in range(7)]
    level = []
    for i in range(count // 2):
        body.append(f"%l{i} = stablehlo.multiply %x, %c{i % 7} : {vector}")
        level.append(f"%l{i}")
    depth = 0
    while len(level) > 1:
        depth += 1
        above = []
        for i in range(0, len(level) - 1, 2):
            op = "add" if (i + depth) % 3 else "maximum"
            body.append(f"%n{depth}_{i} = stablehlo.{op} {level[i]}, {level[i + 1]} : {vector}")
            above.append(f"%n{depth}_{i}")
        level = above + level[len(level) // 2 * 2 :]
    return function([("x", vector)], vector, [*body, f"return {level[0]} : {vector}"])


def graph(count):
    """Elementwise operations of any two values before them, and the sum of those that nothing uses."""
    vector, generator = "tensor<1024xf32>", random.Random(1)
    body, values, unused = [], ["%x", "%y"], {}
    for i in range(count):
        lhs, rhs = generator.choice(values), generator.choice(values)
        op = generator.choice(("add", "multiply", "subtract", "maximum"))
        body.append(f"%{i} = stablehlo.{op} {lhs}, {rhs} : {vector}")
        unused.pop(lhs, None)
        unused.pop(rhs, None)
        unused[f"%{i}"] = None
        values.append(f"%{i}")
    last, *others = unused
    for i, other in enumerate(others):
        body.append(f"%s{i} = stablehlo.add {last}, {other} : {vector}")
        last = f"%s{i}"
    return function([("x", vector), ("y", vector)], vector, [*body, f"return {last} : {vector}"])


def kernels(count):
    """Small products and sums of rows, which cannot be one kernel: each fourth operation begins another."""
    matrix, row = "tensor<16x16xf32>", "tensor<16xf32>"
    body, last = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>"], "%x"
    for i in range(count // 4):
        body += [
            f"%d{i} = stablehlo.dot_general {last}, %w, contracting_dims = [1] x [0] : ({matrix}, {matrix}) -> {matrix}",
            f"%r{i} = stablehlo.reduce(%d{i} init: %zero) applies stablehlo.add across dimensions = [1] "
            f": ({matrix}, tensor<f32>) -> {row}",
            f"%b{i} = stablehlo.broadcast_in_dim %r{i}, dims = [0] : ({row}) -> {matrix}",
            f"%s{i} = stablehlo.subtract %d{i}, %b{i} : {matrix}",
        ]
        last = f"%s{i}"
    return function([("x", matrix), ("w", matrix)], matrix, [*body, f"return {last} : {matrix}"])


def unrolled(count):
    """Steps of a recurrent cell, as a tracer leaves an unrolled loop: ten operations each."""
    row, matrix, inputs = "tensor<1x32xf32>", "tensor<32x32xf32>", "tensor<64x32xf32>"
    body, last = [f"%one = stablehlo.constant dense<1.0> : {row}"], "%h"
    for i in range(count // 10):
        at = i % 64
        body += [
            f"%x{i} = stablehlo.slice %xs [{at}:{at + 1}, 0:32] : ({inputs}) -> {row}",
            f"%a{i} = stablehlo.dot_general {last}, %u, contracting_dims = [1] x [0] : ({row}, {matrix}) -> {row}",
            f"%b{i} = stablehlo.add %a{i}, %x{i} : {row}",
            f"%z{i} = stablehlo.logistic %b{i} : {row}",
            f"%c{i} = stablehlo.dot_general {last}, %w, contracting_dims = [1] x [0] : ({row}, {matrix}) -> {row}",
            f"%d{i} = stablehlo.add %c{i}, %x{i} : {row}",
            f"%t{i} = stablehlo.tanh %d{i} : {row}",
            f"%k{i} = stablehlo.subtract %one, %z{i} : {row}",
            f"%m{i} = stablehlo.multiply %k{i}, %t{i} : {row}",
            f"%h{i} = stablehlo.add %m{i}, %b{i} : {row}",
        ]
        last = f"%h{i}"
    arguments = [("h", row), ("u", matrix), ("w", matrix), ("xs", inputs)]
    return function(arguments, row, [*body, f"return {last} : {row}"])


def nests(count):
    """Loops of ten loops within each other, one nest after the other, each in a function of its own: 50 operations."""
    scalar, vector, flag = "tensor<i32>", "tensor<64xf32>", "tensor<i1>"
    depth, functions, calls, last = 10, [], [], "%x"

    def loop(level, value):
        if level == depth:
            return [f"%v{level} = stablehlo.multiply {value}, {value} : {vector}"], f"%v{level}"
        inner, result = loop(level + 1, f"%b{level}")
        return [
            f"%w{level}:2 = stablehlo.while(%i{level} = %zero, %b{level} = {value}) : {scalar}, {vector}",
            f"cond {{ %p{level} = stablehlo.compare LT, %i{level}, %n : ({scalar}, {scalar}) -> {flag}",
            f"stablehlo.return %p{level} : {flag} }} do {{",
            *inner,
            f"%j{level} = stablehlo.add %i{level}, %step : {scalar}",
            f"stablehlo.return %j{level}, {result} : {scalar}, {vector} }}",
        ], f"%w{level}#1"

    for i in range(max(1, count // 50)):
        body, result = loop(0, "%x")
        constants = [
            f"%zero = stablehlo.constant dense<0> : {scalar}",
            f"%step = stablehlo.constant dense<{i + 1}> : {scalar}",
        ]
        arguments = [("x", vector), ("n", scalar)]
        functions.append(function(arguments, vector, [*constants, *body, f"return {result} : {vector}"], f"nest{i}"))
        calls.append(f"%r{i} = call @nest{i}({last}, %n) : ({vector}, {scalar}) -> {vector}")
        last = f"%r{i}"
    main = function([("x", vector), ("n", scalar)], vector, [*calls, f"return {last} : {vector}"])
    return main + "".join(functions)


SHAPES = {shape.__name__: shape for shape in (chain, tree, graph, kernels, unrolled, nests)}


def milliseconds(benchmark, program):
    """All stages, of the one time that the program is compiled."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(program)
        file.flush()
        run = subprocess.run([benchmark, "--times", "0", file.name], capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(run.stderr)
    return float(re.search(r"first +([\d.]+) ms", run.stdout).group(1)), run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=SHAPES, help="one shape of programs")
    parser.add_argument("--ops", type=int, nargs="+", default=COUNTS, help="numbers of operations")
    parser.add_argument("--benchmark", type=pathlib.Path, default=ROOT / "build/release/bin/tenon_compile_benchmark")
    options = parser.parse_args()
    print("| program | " + " | ".join(f"{count:,} operations" for count in options.ops) + " |")
    print("|---|" + "---|" * len(options.ops))
    for name, shape in SHAPES.items():
        if options.only in (None, name):
            cells = []
            for count in options.ops:
                time, _ = milliseconds(options.benchmark, shape(count))
                cells.append(f"{time:,.0f} ms ({1e3 * time / count:.0f} us each)")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
