"""The examples that need the package alone."""

import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples"


def test_life():
    command = [sys.executable, EXAMPLES / "life/life.py", "--size", "12x20", "--generations", "40"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "40 generations" in done.stdout and "the same" in done.stdout
