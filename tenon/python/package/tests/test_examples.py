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


def test_vit():
    command = [sys.executable, EXAMPLES / "builder/vit.py", "--patches", "12", "--width", "16", "--heads", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 blocks of 12 patches" in done.stdout
