"""Real models of other frameworks, from packages of PyPI, on Tenon. `./dev test-frameworks` installs what they need."""

import importlib.util
import os
import pathlib

import numpy as np
import pytest


@pytest.fixture
def command():
    """Tenon's, whose `import` finds this environment's Python by TENON_PYTHON."""
    return os.environ["TENON_COMMAND"]


@pytest.fixture
def package_folder():
    """Of an installed package, which is not imported."""
    return lambda name: pathlib.Path(importlib.util.find_spec(name).submodule_search_locations[0])


@pytest.fixture
def assert_close():
    """Sums of some hundred terms in another order: single precision's 1e-7 times their root, and a margin."""
    return lambda found, expected: np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
