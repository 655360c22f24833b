"""Tenon as a JAX platform.

JAX finds this package by its place in the namespace package `jax_plugins` (or by the entry point of the wheel) and calls
initialize(). Users choose the platform with JAX_PLATFORMS: `tenon` is the CPU, `tenon_gpu` the GPU, or with
TENON_GPU=emulated one that the host plays. Having the package installed changes nothing else.
"""

import os
import pathlib
import warnings

import jax
from jax._src import xla_bridge
from jax._src.lib import xla_client

from jax_plugins.tenon import _versions

__all__ = ["initialize", "library_path"]

# Below that of every other platform, JAX's own CPU platform included: Tenon is used when asked for.
_PRIORITY = -100


def library_path() -> pathlib.Path:
    """The plugin: the one of this package, or what TENON_PJRT_LIBRARY names (a build directory's, say)."""
    override = os.environ.get("TENON_PJRT_LIBRARY")
    if override:
        return pathlib.Path(override)
    return pathlib.Path(__file__).resolve().parent / "libpjrt_tenon.so"


def _options(plugin) -> dict:
    """When the client is made: as many devices as JAX shall have of its own CPU platform, if the program says."""
    from jax_plugins.tenon import _failures, _ffi

    _ffi.provide_cpu()
    if _ffi.is_one_of_several():
        _failures.install(plugin)
    count = xla_bridge.num_cpu_devices.value
    return {"num_devices": count} if count > 0 else {}


def _is_asked_for(platform: str) -> bool:
    return platform in (jax.config.jax_platforms or "").split(",")


def _gpu_options(plugin) -> dict:
    from jax_plugins.tenon import _failures, _ffi

    _ffi.provide_cpu()
    if _ffi.is_one_of_several():
        _failures.install(plugin)
    return {"platform": "cuda"}


def _make_gpu(plugin):
    """JAX looks for GPUs, and for whom callbacks and exported programs are for, by the name of its lowering rules: the
    client is found by that name, too. To register as that platform would not do: JAX starts it only where it sees a GPU
    of NVIDIA's, and other plugins have the name."""
    client = xla_bridge.make_pjrt_c_api_client("tenon_gpu", options=lambda: _gpu_options(plugin))
    xla_bridge._backends.setdefault("cuda", client)
    return client


def _register_gpu(c_api, plugin) -> None:
    def make_topology(name="", **options):
        return xla_client.make_c_api_device_topology(c_api, name, platform="cuda", **options)

    xla_bridge._nonexperimental_plugins.add("tenon_gpu")
    xla_bridge.register_plugin(
        "tenon_gpu", priority=_PRIORITY, c_api=c_api, factory=lambda: _make_gpu(plugin), make_topology=make_topology
    )


def _is_tenon(client, api: int) -> bool:
    """`client`: one of JAX's clients or, from JAX 0.12 on, the capsule of a plugin's PJRT_Api."""
    from jax_plugins.tenon import _ffi

    if hasattr(client, "platform_version"):
        return "\ntenon " in "\n" + client.platform_version
    return _ffi.capsule_pointer(client) == api


def initialize() -> None:
    is_asked_for = _is_asked_for("tenon") or _is_asked_for("tenon_gpu")
    if message := _versions.problem(jax.__version__):
        if not is_asked_for:
            return  # installed beside a JAX that has no use for it
        if os.environ.get(_versions.ANY) != "1":
            raise RuntimeError(message)
        warnings.warn(message, stacklevel=2)
    # Only now: they use what other versions of JAX may not have.
    from jax_plugins.tenon import _ffi, _lowering, _transformations, _waits

    path = library_path()
    if not path.is_file():
        raise FileNotFoundError(f"Tenon's PJRT plugin is not at {path}")
    xla_bridge._nonexperimental_plugins.add("tenon")  # or JAX warns of it at each start
    c_api = xla_bridge.register_plugin("tenon", priority=_PRIORITY, library_path=str(path), options=lambda: _options(plugin))
    pointer = _ffi.capsule_pointer(c_api)
    plugin = _ffi.Plugin(pointer)
    if _is_asked_for("tenon_gpu"):
        _register_gpu(c_api, plugin)
    _ffi.install(plugin, takes_gpu=_is_asked_for("tenon_gpu"))
    _lowering.install()
    _waits.install()
    _transformations.install(
        is_tenon=lambda client: _is_tenon(client, pointer),
        is_running=lambda: not {"tenon", "tenon_gpu"}.isdisjoint(xla_bridge._backends),
    )
