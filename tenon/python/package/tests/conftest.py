"""Tests of the Python package `tenon`: of a build folder's (PYTHONPATH), build/release's otherwise."""

import importlib.util
import pathlib
import sys

if importlib.util.find_spec("tenon") is None:
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "build/release/python"))

import pytest  # noqa: E402
import tenon  # noqa: E402

ADD = """
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""


@pytest.fixture
def add():
    return tenon.compile(ADD)


@pytest.fixture
def raises():
    """raises(code, *texts): an Error of that code whose message has the texts."""

    class Raises:
        def __init__(self, code, *texts):
            self.code, self.texts = code, texts

        def __enter__(self):
            return self

        def __exit__(self, kind, error, traceback):
            assert kind is tenon.Error, f"raised {error!r}"
            assert error.code == self.code, error
            for text in self.texts:
                assert text in error.message
            return True

    return Raises
