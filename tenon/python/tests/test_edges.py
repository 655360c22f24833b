"""Cases at the edge of what ops take, which JAX makes and the specification does not foresee."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


@pytest.mark.parametrize("shape", [(1,), (3, 1)])
def test_inverse_real_transform_of_one_element(shape):
    for function in (jnp.fft.irfft, jnp.fft.hfft):
        result = jax.jit(function)(np.ones(shape, np.float32))
        assert result.shape == shape[:-1] + (0,)
        assert result.dtype == np.float32


def test_nan_of_scales():
    scales = jnp.array([[1.0, np.nan, 4.0]], jnp.float8_e8m0fnu)
    for dtype in (np.float32, jnp.bfloat16, np.float16):
        product = jax.jit(lambda x, dtype=dtype: lax.dot_general(x, x, (((0,), (0,)), ((), ())), preferred_element_type=dtype))
        np.testing.assert_array_equal(
            np.asarray(product(scales), np.float32),
            [[1, np.nan, 4], [np.nan, np.nan, np.nan], [4, np.nan, 16]],
        )
