"""Ends the tracing of programs over several OS processes when one of them has failed.

Such a program would fail when it is compiled or launched, which may be seconds later, and nothing of the plugin is asked
while Python traces or lowers it. So a thread waits for the failure, and from then on the operations that JAX traces and
lowers for such a program are errors, as a mistake in the user's function is one. Nothing is raised in the middle of what JAX
does: its traces would not be put back. Programs of a process's own devices go on, and until then nothing is asked for.
"""

import functools
import os
import sys
import threading

import jax
from jax._src import core
from jax._src.interpreters import mlir

_SOURCE = os.path.dirname(os.path.abspath(core.__file__)) + os.sep
_TRACING = tuple(_SOURCE + os.path.join("interpreters", name) for name in ("partial_eval.py", "mlir.py"))
# Where JAX keeps what a program is for, in functions of any version.
_NAMES = ("args", "kwargs", "in_shardings", "out_shardings", "mesh", "ctx_mesh")


def _is_elsewhere(value):
    """Whether the array, its description, sharding or mesh has devices of other processes."""
    if isinstance(value, jax.sharding.Mesh):
        return not value.empty and value.is_multi_process
    if isinstance(value, core.Tracer):
        return False
    if isinstance(value, (jax.Array, jax.ShapeDtypeStruct)):
        value = value.sharding
    if not isinstance(value, jax.sharding.Sharding):
        return False
    try:
        return not value.is_fully_addressable
    except ValueError:  # on a mesh without devices
        return False


def _leaves(values):
    try:
        return jax.tree.leaves(values)
    except (TypeError, ValueError):  # no arguments of a program's, whose keys can be sorted
        return []


def _makes_such_a_program(frame):
    """Whether JAX traces or lowers a program over several processes on the stack that ends in this frame."""
    is_tracing = False
    while frame is not None:
        file = frame.f_code.co_filename
        is_tracing = is_tracing or file in _TRACING
        if is_tracing and file.startswith(_SOURCE):
            known = frame.f_locals
            if any(map(_is_elsewhere, _leaves([known[name] for name in _NAMES if name in known]))):
                return True
        frame = frame.f_back
    return False


def _checked(function, plugin):
    @functools.wraps(function)
    def checked(*args, **kwargs):
        if _makes_such_a_program(sys._getframe(1)) and (message := plugin.failure(wait=False)):
            raise jax.errors.JaxRuntimeError(f"ABORTED: {message}")
        return function(*args, **kwargs)

    checked.checks_failures = True
    return checked


def _watch(plugin):
    plugin.failure(wait=True)
    for owner, name in ((core.Primitive, "bind"), (mlir.LoweringRuleContext, "__init__")):
        function = getattr(owner, name)
        if not hasattr(function, "checks_failures"):
            setattr(owner, name, _checked(function, plugin))


def install(plugin):
    threading.Thread(target=_watch, args=(plugin,), name="tenon failures", daemon=True).start()
