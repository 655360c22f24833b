"""The wheel, where it is installed in this environment."""

import importlib.metadata
import os
import re
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
assert "tenon_compiler.libs/libprotobuf" in maps and "/usr/lib/x86_64-linux-gnu/libprotobuf" not in maps
"""


def installed(name):
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return pytest.skip("the wheel is not installed")


@pytest.mark.parametrize("name", ["tenon-compiler", "jax-tenon"])
def test_brings_its_licences_along(name):
    distribution = installed(name)
    assert distribution.metadata["License-Expression"] == "Apache-2.0 WITH LLVM-exception"
    assert distribution.metadata["Author"] == "The Tenon developers"
    folder = next(path for path in distribution.files if path.name == "METADATA").locate().parent / "licenses"
    assert "LLVM Exceptions to the Apache 2.0 License" in (folder / "LICENSE").read_text()
    notices = (folder / "NOTICES").read_text()
    wanted = ["LLVM and MLIR", "nanobind", "JSON for Modern C++"]
    if name == "tenon-compiler":
        # Every library in the wheel is accounted for.
        libraries = {path.name for path in distribution.files if path.parent.name == "tenon_compiler.libs"}
        wanted += {re.sub(r"-[0-9a-f]{8}(\.so(\.\d+)?).*", r"\1", library) for library in libraries} - {"libtenon.so.0"}
    for part in wanted:
        assert part in notices, part


def test_brings_its_libraries_along():
    installed("tenon-compiler")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
