"""Special functions reach the plugin whole, through the package and with the library alone."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
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
