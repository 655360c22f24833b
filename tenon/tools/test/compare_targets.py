"""Runs a program on made-up arguments, compiled and interpreted, and fails unless both give the same arrays.

compare_targets.py <tenon> <program> <seed>...
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def results(tenon, program, seed, target):
    with tempfile.TemporaryDirectory() as folder:
        command = [tenon, "run", program, "--random", "--seed", seed, "--target", target, "--out", folder]
        subprocess.run(command, check=True)
        return [np.load(path) for path in sorted(pathlib.Path(folder).iterdir())]


def main():
    tenon, program, *seeds = sys.argv[1:]
    shapes = set()
    for seed in seeds:
        expected, actual = (results(tenon, program, seed, target) for target in ("reference", "cpu"))
        assert len(expected) == len(actual), (seed, len(expected), len(actual))
        for number, (a, b) in enumerate(zip(expected, actual)):
            np.testing.assert_array_equal(b, a, err_msg=f"seed {seed}, result {number}", strict=True)
        shapes.add(tuple(a.shape for a in expected))
    print(f"{len(seeds)} seeds, {len(shapes)} shapes")


main()
