"""Functions that programs call."""

import ctypes
from typing import Any

from tenon import _tenon

# They are called for as long as the process lives.
_kept: list[Any] = []


def register_custom_call(target_name: str, function: Any) -> None:
    """Makes a C function the target of custom calls with this name: a ctypes function, a PyCapsule or an address.

    tenon/custom_call.h says what it is given: `void function(void *out, const void **in)`, and for the higher values of
    api_version more. Several threads may call it at a time.
    """
    address = function
    if type(function).__name__ == "PyCapsule":
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        address = pointer(function, name(function))
    elif not isinstance(function, int):
        address = ctypes.cast(function, ctypes.c_void_p).value
    _tenon._register_custom_call(target_name, address or 0)
    _kept.append(function)
