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


def best(x, k, sign):
    """The positions of the k least of sign * x, NaN at its end: as the sort with a total order has them."""
    return np.argsort(np.where(np.isnan(x), np.inf if sign > 0 else -np.inf, sign * x), kind="stable")[:k]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("k", [2, 5, 11])
def test_approximate_selection_beside_nan(dtype, k):
    """Nothing is lost: NaN is greater than every number."""
    x = np.array([5, 4, np.nan, 3, np.nan, 9, 8, 7, np.nan, 1, 2], jnp.dtype(dtype))
    wide = x.astype(np.float64)
    for function, sign in ((lax.approx_max_k, -1), (lax.approx_min_k, 1)):
        values, positions = jax.jit(lambda x, f=function: f(x, k))(x)
        np.testing.assert_array_equal(positions, best(wide, k, sign))
        np.testing.assert_array_equal(np.asarray(values).astype(np.float64), wide[best(wide, k, sign)])


def test_approximate_selection_of_zeros():
    """As XLA has it: the greatest of f32 are those of top_k, for which -0 is less than 0."""
    x = np.array([-0.0, 0.0, -0.0, 0.0, -1.0], np.float32)
    assert jax.jit(lambda x: lax.approx_max_k(x, 3))(x)[1].tolist() == [1, 3, 0]
    assert jax.jit(lambda x: lax.approx_min_k(x, 4))(x)[1].tolist() == [4, 0, 1, 2]
    assert jax.jit(lambda x: lax.approx_max_k(x, 3))(x.astype(np.float64))[1].tolist() == [0, 1, 2]
