"""Tenon as a JAX platform.

JAX finds this package by its place in the namespace package `jax_plugins` (or by the entry point of the wheel) and calls
initialize(). Users choose the platform with JAX_PLATFORMS=tenon; having the package installed changes nothing else.
"""

import os
import pathlib

import jax
from jax._src import xla_bridge

from jax_plugins.tenon import _ffi, _lowering, _waits

__all__ = ["initialize", "library_path"]

# Below that of every other platform, JAX's own CPU platform included: Tenon is used when asked for.
_PRIORITY = -100


def library_path() -> pathlib.Path:
    """The plugin: the one of this package, or what TENON_PJRT_LIBRARY names (a build directory's, say)."""
    override = os.environ.get("TENON_PJRT_LIBRARY")
    if override:
        return pathlib.Path(override)
    return pathlib.Path(__file__).resolve().parent / "libpjrt_tenon.so"


def _options() -> dict:
    """When the client is made: as many devices as JAX shall have of its own CPU platform, if the program says."""
    count = xla_bridge.num_cpu_devices.value
    return {"num_devices": count} if count > 0 else {}


def initialize() -> None:
    path = library_path()
    if not path.is_file():
        raise FileNotFoundError(f"Tenon's PJRT plugin is not at {path}")
    xla_bridge._nonexperimental_plugins.add("tenon")  # or JAX warns of it at each start
    c_api = xla_bridge.register_plugin("tenon", priority=_PRIORITY, library_path=str(path), options=_options)
    _ffi.install(_ffi.capsule_pointer(c_api))
    _lowering.install()
    _waits.install()
    # JAX hands the arguments of host callbacks over on the platform named "cpu", so it has to be there too. The first
    # platform of the list stays the default.
    if jax.config.jax_platforms == "tenon":
        jax.config.update("jax_platforms", "tenon,cpu")
