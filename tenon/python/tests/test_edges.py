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


@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_logsumexp_of_complex_numbers(reverse):
    """What is before the first element takes no part: infinity minus infinity would be NaN."""
    x = np.random.default_rng(5).normal(size=(3, 20, 2)).view(np.complex128)[..., 0]
    order = slice(None, None, -1 if reverse else 1)
    expected = np.log(np.cumsum(np.exp(x)[:, order], axis=1))[:, order]
    result = jax.jit(lambda x: lax.cumlogsumexp(x, axis=1, reverse=reverse))(x)
    np.testing.assert_allclose(np.exp(result), np.exp(expected), rtol=1e-12)
