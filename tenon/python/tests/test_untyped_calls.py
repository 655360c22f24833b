"""Custom calls of plain C functions (api_version=0 of jax.ffi.register_ffi_target)."""

import ctypes

import jax
import numpy as np
import pytest

FLOATS = ctypes.POINTER(ctypes.c_float)
OUT, IN = ctypes.c_void_p, ctypes.POINTER(FLOATS)
kept = []  # JAX keeps an address


def register(name, types, function):
    kept.append(ctypes.CFUNCTYPE(None, *types)(function))
    capsule = jax.ffi.pycapsule(ctypes.cast(kept[-1], ctypes.c_void_p).value)
    jax.ffi.register_ffi_target(name, capsule, platform="cpu", api_version=0)


def test_function():
    def subtract(out, operands):
        for i in range(3):
            ctypes.cast(out, FLOATS)[i] = operands[0][i] - operands[1][i]

    register("untyped_subtract", (OUT, IN), subtract)
    call = jax.ffi.ffi_call("untyped_subtract", jax.ShapeDtypeStruct((3,), np.float32), custom_call_api_version=1)
    result = jax.jit(lambda x, y: call(x, y) * 2)(np.float32([5, 6, 7]), np.ones(3, np.float32))
    np.testing.assert_array_equal(result, [8, 10, 12])


def test_results():
    def both(out, operands):
        results = ctypes.cast(out, IN)
        for i in range(2):
            results[0][i] = operands[0][i] + 1
            results[1][i] = operands[0][i] - 1

    register("untyped_both", (OUT, IN), both)
    shape = jax.ShapeDtypeStruct((2,), np.float32)
    call = jax.ffi.ffi_call("untyped_both", (shape, shape), custom_call_api_version=1)
    up, down = jax.jit(call)(np.float32([3, 4]))
    np.testing.assert_array_equal(up, [4, 5])
    np.testing.assert_array_equal(down, [2, 3])


def test_opaque_string():
    def fill(out, operands, opaque, length, status):
        value = float(ctypes.string_at(opaque, length))
        for i in range(2):
            ctypes.cast(out, FLOATS)[i] = value + operands[0][i]

    register("untyped_fill", (OUT, IN, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p), fill)
    call = jax.ffi.ffi_call(
        "untyped_fill", jax.ShapeDtypeStruct((2,), np.float32), custom_call_api_version=3, legacy_backend_config="2.5"
    )
    np.testing.assert_array_equal(jax.jit(call)(np.float32([1, 2])), [3.5, 4.5])


def test_unknown_target():
    register("untyped_known", (OUT, IN), lambda out, operands: None)
    call = jax.ffi.ffi_call("untyped_knwon", jax.ShapeDtypeStruct((2,), np.float32), custom_call_api_version=1)
    with pytest.raises(Exception, match="'untyped_knwon' is not registered.*Did you mean 'untyped_known'"):
        jax.jit(call)(np.ones(2, np.float32))
