#!/usr/bin/env python3
"""Conway's game of life: built operation by operation, compiled, and run for many generations in one call.

    python examples/life/life.py [--size 48x160] [--generations 1000] [--seed 1]

Prints the last generation, the time that it took, and whether NumPy comes to the same.
"""

import argparse
import shutil
import time

import numpy as np
import tenon


def binary(method):
    """(a, b) -> method(a, b) of numbers."""
    builder = tenon.ComputationBuilder(method)
    getattr(builder, method)(builder.parameter(0, "s32[]", "a"), builder.parameter(1, "s32[]", "b"))
    return builder.build()


def next_generation(builder, board):
    zero = builder.constant(0, "s32")
    # Of each cell's 3 x 3 neighbourhood, itself included.
    count = builder.reduce_window(board, zero, binary("add"), [3, 3], [1, 1], tenon.Padding.SAME)
    alive = builder.eq(count, builder.constant(3, "s32"))
    stays = builder.eq(count, builder.constant(4, "s32"))
    one = builder.broadcast(builder.constant(1, "s32"), board.shape.dimensions)
    return builder.select(alive, one, builder.select(stays, board, board * 0))


def life(rows, columns):
    """(board, generations) -> board."""
    board_shape = tenon.Shape.array("s32", (rows, columns))
    state_shape = tenon.Shape.make_tuple([board_shape, tenon.Shape("s32[]")])

    condition = tenon.ComputationBuilder("generations are left")
    condition.get_tuple_element(condition.parameter(0, state_shape, "state"), 1) > 0

    body = tenon.ComputationBuilder("generation")
    state = body.parameter(0, state_shape, "state")
    board, left = body.get_tuple_element(state, 0), body.get_tuple_element(state, 1)
    body.tuple_([next_generation(body, board), left - 1])

    program = tenon.ComputationBuilder("life")
    start = program.tuple_([program.parameter(0, board_shape, "board"), program.parameter(1, "s32[]", "generations")])
    program.get_tuple_element(program.while_(condition.build(), body.build(), start), 0)
    return tenon.compile(program.build())


def life_of_numpy(board, generations):
    for _ in range(generations):
        edged = np.pad(board, 1)
        rows = edged[:-2] + edged[1:-1] + edged[2:]
        around = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - board
        board = ((around == 3) | ((around == 2) & (board == 1))).astype(np.int32)
    return board


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    screen = shutil.get_terminal_size()
    parser.add_argument("--size", default=f"{min(screen.lines - 4, 48)}x{min(screen.columns - 1, 160)}")
    parser.add_argument("--generations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows, columns = map(int, options.size.split("x"))

    board = np.random.default_rng(options.seed).integers(0, 2, (rows, columns), np.int32)
    run = life(rows, columns)
    start = time.perf_counter()
    last = run(board, options.generations)
    tenon_time = time.perf_counter() - start
    for row in last:
        print("".join("·█"[cell] for cell in row))
    start = time.perf_counter()
    same = np.array_equal(last, life_of_numpy(board, options.generations))
    numpy_time = time.perf_counter() - start
    print(f"{options.generations} generations: {tenon_time * 1e3:.1f} ms; NumPy: {numpy_time * 1e3:.1f} ms, "
          + ("the same" if same else "something else"))  # fmt: skip
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
