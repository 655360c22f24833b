"""Tests of Tenon as a JAX platform. They use the plugin of a build directory: TENON_PJRT_LIBRARY, or build/release's."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]

os.environ.setdefault("TENON_PJRT_LIBRARY", str(ROOT / "build" / "release" / "lib" / "libpjrt_tenon.so"))
os.environ["JAX_PLATFORMS"] = "tenon"
os.environ["TENON_NUM_DEVICES"] = "8"
os.environ["JAX_ENABLE_X64"] = "1"
sys.path.insert(0, str(ROOT / "tenon" / "python"))

import pytest  # noqa: E402


@pytest.fixture(scope="session")
def subprocess_environment():
    """For tests that need a fresh JAX."""
    return dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT / "tenon" / "python"), os.environ.get("PYTHONPATH", "")]))
