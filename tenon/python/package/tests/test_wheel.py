"""The wheel, where it is installed in this environment."""

import importlib.metadata
import os
import subprocess
import sys

import pytest

CODE = """
import numpy as np, tenon
assert "site-packages" in tenon.__file__, tenon.__file__
builder = tenon.ComputationBuilder("f")
builder.parameter(0, "f32[2]", "x") + 1
np.testing.assert_array_equal(tenon.compile(builder.build())([1, 2]), [2, 3])
maps = open("/proc/self/maps").read()
assert "tenon.libs/libprotobuf" in maps and "/usr/lib/x86_64-linux-gnu/libprotobuf" not in maps
"""


def test_brings_its_libraries_along():
    try:
        importlib.metadata.distribution("tenon")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the wheel is not installed")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
