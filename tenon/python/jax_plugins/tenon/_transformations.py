"""Says that transformations of HLO modules (jax.extend.xla) are not run: Tenon has no HLO, and JAX itself passes over in
silence that a plugin cannot run them."""

import warnings

try:
    from jax._src import xla_transform
except ImportError:  # older than these
    xla_transform = None


def _warn(name):
    warnings.warn(f"Tenon does not run transformations of HLO modules: {name!r} is ignored by it", stacklevel=3)


def install(is_tenon, is_running):
    """`is_tenon` tells whether a client is Tenon's, `is_running` whether one was started."""
    xla = getattr(xla_transform, "_xla", None)
    if xla is None:
        return
    register, register_on_client = xla.register_xla_transform, xla.register_xla_transform_c_api

    def warn_of_client(client, name, stage, callback):
        if is_tenon(client):
            return _warn(name)
        return register_on_client(client, name, stage, callback)

    def warn_of_cpu(name, stage, callback):
        if is_running():
            _warn(name)
        return register(name, stage, callback)

    xla.register_xla_transform, xla.register_xla_transform_c_api = warn_of_cpu, warn_of_client
