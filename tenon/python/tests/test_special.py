"""Special functions reach the plugin whole, through the package and with the library alone."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.special
from jax import lax

POINTS = np.concatenate([np.linspace(-4.9, -0.05, 40), np.linspace(0.05, 30, 90), [1, 2, 0.5, 3]])


@pytest.mark.parametrize(
    "function, reference, points",
    [
        (lax.lgamma, scipy.special.gammaln, POINTS),
        (lax.digamma, scipy.special.digamma, POINTS),
        (lax.erf, scipy.special.erf, POINTS / 5),
        (lax.erfc, scipy.special.erfc, POINTS / 5),
        (lax.bessel_i1e, scipy.special.i1e, POINTS),
        (lambda x: lax.zeta(x, jnp.full_like(x, 2.5)), lambda x: scipy.special.zeta(x, 2.5), POINTS[40:] + 1.5),
        (lambda x: lax.polygamma(jnp.full_like(x, 2), x), lambda x: scipy.special.polygamma(2, x), POINTS[40:]),
    ],
    ids=["lgamma", "digamma", "erf", "erfc", "bessel_i1e", "zeta", "polygamma"],
)
def test_is_rounded_once(function, reference, points):
    points = points.astype(np.float32)
    text = jax.jit(function).lower(points).as_text()
    assert "stablehlo.composite" in text
    for run in (function, jax.jit(function), jax.vmap(function)):
        expected = reference(points.astype(np.float64)).astype(np.float32)
        np.testing.assert_array_max_ulp(np.asarray(run(points)), expected, maxulp=1)


@pytest.mark.parametrize("dtype", [jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3b11fnuz, jnp.float4_e2m1fn])
@pytest.mark.parametrize("name", ["erf", "erfc", "bessel_i1e", "lgamma"])
def test_narrow_floats(name, dtype):
    function = getattr(lax, name)
    reference = {"bessel_i1e": scipy.special.i1e, "lgamma": scipy.special.gammaln}.get(name, getattr(scipy.special, name, None))
    points = np.array([0.5, 1, 1.5, 2, 3, 6], dtype)
    expected = reference(points.astype(np.float64)).astype(dtype)
    for run in (function, jax.jit(function), jax.vmap(function)):
        result = run(points)
        assert result.dtype == dtype
        np.testing.assert_array_equal(np.asarray(result).astype(np.float32), expected.astype(np.float32))


def test_normal_random_numbers_are_those_of_other_platforms():
    # As XLA's CPU platform draws them, whose approximation of erf_inv is part of the program.
    drawn = jax.random.normal(jax.random.key(3), (4,), np.float32)
    np.testing.assert_array_max_ulp(np.asarray(drawn), np.array([-1.446257, 1.53938103, 0.382506251, 1.97070181], np.float32), maxulp=2)


def test_lgamma_at_its_roots():
    assert lax.lgamma(jnp.float32(1)) == 0
    assert lax.lgamma(jnp.float64(2)) == 0
    assert jax.jit(jax.grad(lax.lgamma))(1.0) == pytest.approx(-np.euler_gamma, rel=1e-14)


def test_calls_of_the_same_types_share_a_decomposition():
    text = jax.jit(lambda x, y: lax.lgamma(x) + lax.lgamma(y) + lax.lgamma(x[0])).lower(POINTS, POINTS).as_text()
    assert text.count("func.func private @chlo.lgamma.impl") == 2
    assert text.count("stablehlo.composite") == 3


def test_xla_is_left_alone():
    with jax.default_device(jax.devices("cpu")[0]):
        assert "stablehlo.composite" not in jax.jit(lax.lgamma).lower(1.0).as_text()


def test_exports_can_be_read_by_others():
    exported = jax.export.export(jax.jit(lax.lgamma))(jax.ShapeDtypeStruct((3,), np.float32))
    again = jax.export.deserialize(exported.serialize())
    x = np.array([0.5, 2.5, 7], np.float32)
    expected = scipy.special.gammaln(x)
    np.testing.assert_allclose(again.call(x), expected, rtol=1e-6)
    np.testing.assert_allclose(again.call(jax.device_put(x, jax.devices("cpu")[0])), expected, rtol=1e-5)


def test_library_alone(subprocess_environment):
    environment = dict(subprocess_environment, JAX_PLATFORMS="tenon,cpu", PYTHONPATH="", JAX_ENABLE_X64="0")
    code = f"""
from jax._src import xla_bridge
xla_bridge._discover_and_register_pjrt_plugins = lambda: None
xla_bridge.register_plugin("tenon", library_path={os.environ["TENON_PJRT_LIBRARY"]!r})
import jax
assert "tenon" in jax.devices()[0].client.platform_version
assert jax.lax.lgamma(1.0) == 0
"""
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


COMPLEX = {
    "atan": (lax.atan, "chlo.atan", mpmath.atan),
    "square": (lax.square, "chlo.square", lambda z: z * z),
    "cos": (lax.cos, "stablehlo.cosine", mpmath.cos),
    "exp": (lax.exp, "stablehlo.exponential", mpmath.exp),
    "exp2": (lax.exp2, "stablehlo.exponential", lambda z: mpmath.exp(z * mpmath.log(2))),
    "log": (lax.log, "stablehlo.log", mpmath.log),
    "log1p": (lax.log1p, "stablehlo.log_plus_one", lambda z: mpmath.log(1 + z)),
    "logistic": (lax.logistic, "stablehlo.logistic", lambda z: 1 / (1 + mpmath.exp(-z))),
    "sin": (lax.sin, "stablehlo.sine", mpmath.sin),
    "sqrt": (lax.sqrt, "stablehlo.sqrt", mpmath.sqrt),
}
# Beside poles, where terms cancel, and at both ends of the range; small enough that no function overflows.
COMPLEX_POINTS = [1e-20 + 1j, 1e-20 - 1j, -1 + 1e-30j, 1e-30 - 1e-25j, 0.3 - 0.4j, 3e-17 + 0.5j, -0.5 + 1e-37j, 8 + 2e-30j, 1e-9 + 1e-9j]
COMPLEX_LARGE = [3e38 + 3e38j, -3e38 + 1e-30j, 1e30 + 1e38j, 2e38 - 1e-10j]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_functions_arrive_whole(name, dtype):
    function, composite, reference = COMPLEX[name]
    points = np.array(COMPLEX_POINTS + (COMPLEX_LARGE if name in ("atan", "log", "log1p", "sqrt") else []), dtype)
    assert f'stablehlo.composite "{composite}"' in jax.jit(function).lower(points).as_text()
    with mpmath.workprec(400):
        expected = np.array([complex(reference(mpmath.mpc(z))) for z in points.tolist()])
    # Each part to a few units: where JAX computes in the function's place, exp2, two of them are small.
    limit = 8 * np.finfo(dtype).eps
    for run in (function, jax.jit(function), jax.vmap(function)):
        result = np.asarray(run(points))
        assert result.dtype == dtype
        np.testing.assert_allclose(result.real, expected.real.astype(result.real.dtype), rtol=limit)
        np.testing.assert_allclose(result.imag, expected.imag.astype(result.real.dtype), rtol=limit)


def test_real_functions_stay_as_they_are():
    for function, _, _ in COMPLEX.values():
        assert "stablehlo.composite" not in jax.jit(function).lower(np.float32(0.5)).as_text()


# As C's Annex G and NumPy have them, in each function the same.
@pytest.mark.parametrize(
    "function, z, expected",
    [
        (lax.exp, complex(-np.inf, np.inf), 0),
        (lax.expm1, complex(-np.inf, np.inf), -1),
        (lax.tan, complex(np.inf, 20), complex(np.nan, np.nan)),
        (lax.tan, complex(np.inf, 100), complex(np.nan, np.nan)),
        (lax.tan, complex(-np.inf, 9e7), complex(np.nan, np.nan)),
        (lax.tan, complex(1, np.inf), 1j),
        (lax.cosh, complex(-np.inf, np.inf), complex(np.inf, np.nan)),
        (lax.sinh, complex(-np.inf, np.inf), complex(-np.inf, np.nan)),
        (lax.cos, complex(np.inf, -np.inf), complex(np.inf, np.nan)),
        (lax.sin, complex(0, np.inf), complex(0, np.inf)),
        (lax.sqrt, complex(np.nan, np.inf), complex(np.inf, np.inf)),
        (lax.log, complex(-np.inf, np.inf), complex(np.inf, 0.75 * np.pi)),
    ],
)  # fmt: skip
def test_complex_functions_at_infinity(function, z, expected):
    result, expected = np.asarray(jax.jit(function)(np.complex128(z))), np.complex128(expected)
    np.testing.assert_allclose([result.real, result.imag], [expected.real, expected.imag], rtol=1e-15)
