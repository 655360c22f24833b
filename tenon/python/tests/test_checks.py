"""Checks of programs on themselves (check.expect_eq and the like), called from JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def _check(name, actual, expected, **limits):
    jax.ffi.ffi_call(f"check.{name}", (), has_side_effect=True)(actual, expected, **limits)


def _run(f, *args):
    jax.block_until_ready(jax.jit(f)(*args))
    jax.effects_barrier()


@pytest.mark.parametrize(
    "dtype", ["bool", "int4", "uint8", "int64", "float8_e4m3fn", "bfloat16", "float16", "float32", "complex128"]
)
def test_equal(dtype):
    def f(x, y):
        _check("expect_eq", x, y)
        return x

    x = np.array([[0, 1, 0], [1, 1, 0]]).astype(dtype)
    _run(f, x, x)
    y = x.copy()
    y[1, 2] = 1
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"check.expect_eq: element \[1, 2\] is .*; 1 of 6"):
        _run(f, x, y)


def test_limits():
    x = np.ones(3, np.float32)
    y = np.nextafter(x, np.float32(2))
    _run(lambda: _check("expect_close", x, y))
    _run(lambda: _check("expect_close", x, y, max_ulp_difference=np.uint64(1), min_ulp_difference=np.int32(1)))
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"INVALID_ARGUMENT.*1 ULP apart, at most 0 allowed.*test_checks.py"):
        _run(lambda: _check("expect_close", x, y, max_ulp_difference=np.int64(0)))
    _run(lambda: _check("expect_almost_eq", x, x + np.float32(0.1), tolerance=0.11))
    with pytest.raises(jax.errors.JaxRuntimeError, match="tolerance 0.0001"):
        _run(lambda: _check("expect_almost_eq", x, x + np.float32(0.1)))


def test_in_a_loop():
    def f(x):
        def body(i, x):
            _check("expect_eq", jnp.minimum(x, 8), x)
            return x * 2

        return jax.lax.fori_loop(0, 4, body, x)

    _run(f, np.ones(2, np.int32))
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"element \[0\] is 8 but 16 is expected"):
        _run(f, np.full(2, 2, np.int32))


def test_operands_must_match():
    with pytest.raises(Exception, match="check.expect_eq: the operands must be tensors of one type"):
        _run(lambda: _check("expect_eq", np.ones(3, np.float32), np.ones(2, np.float32)))
