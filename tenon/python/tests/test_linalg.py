"""Linear algebra: library routines and their edges."""

import os
import pickle
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import serialize_executable

# Lowering for the CPU would load SciPy's copy by itself.
SCIPY_ONLY = """
import sys
import jax, numpy as np
from jax import export
a = np.eye(200) * 300 + np.ones((200, 200))
cholesky = export.export(
    jax.jit(jax.lax.linalg.cholesky), platforms=["tpu"], disabled_checks=[export.DisabledSafetyCheck.platform()]
)(a)
print(np.allclose(cholesky.call(a), np.linalg.cholesky(a)), "libscipy_openblas-" in open("/proc/self/maps").read())
"""


def test_lapack_of_scipys_wheel(subprocess_environment):
    """Before the system's."""
    scipy = pytest.importorskip("scipy")
    libraries = os.path.join(os.path.dirname(os.path.dirname(scipy.__file__)), "scipy.libs")
    if not os.path.isdir(libraries):
        pytest.skip("SciPy does not come from a wheel")
    environment = dict(subprocess_environment)
    environment.pop("TENON_LAPACK_LIBRARY", None)
    result = subprocess.run(
        [sys.executable, "-c", SCIPY_ONLY], env=environment, capture_output=True, text=True, check=False
    )
    assert result.stdout == "True True\n", result.stderr


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("size", [3, 17, 40])
def test_nan_stays(size, dtype):
    a = np.eye(size, dtype=dtype) * 4 + 1
    a[1, 1] = np.nan
    lower = jax.lax.linalg.cholesky(a, symmetrize_input=False)
    assert np.isnan(np.diagonal(lower)[1:]).all()
    assert np.isnan(np.diagonal(jnp.linalg.qr(a)[1])[1:]).all()


# jaxlib's handlers of LAPACK's targets crash in a process that lowered nothing.
RUN_SERIALIZED = """
import pickle, sys
import jax, numpy as np
from jax.experimental import serialize_executable
with open(sys.argv[1], "rb") as file:
    run = serialize_executable.deserialize_and_load(*pickle.load(file), execution_devices=jax.devices()[:1])
np.savez(sys.argv[2], *run(np.load(sys.argv[3])))
"""


def decompose(a):
    return (*jax.lax.linalg.lu(a), *jnp.linalg.qr(a), jnp.linalg.svd(a, compute_uv=False), jnp.linalg.eigvals(a))


def test_serialized_in_a_fresh_process(subprocess_environment, tmp_path):
    a = np.random.default_rng(3).normal(size=(2, 5, 5)).astype("float32")
    compiled = jax.jit(decompose).lower(a).compile()
    (tmp_path / "program").write_bytes(pickle.dumps(serialize_executable.serialize(compiled)))
    np.save(tmp_path / "a.npy", a)
    subprocess.run(
        [sys.executable, "-c", RUN_SERIALIZED, tmp_path / "program", tmp_path / "results.npz", tmp_path / "a.npy"],
        env=subprocess_environment,
        check=True,
    )
    with np.load(tmp_path / "results.npz") as results:
        lu, pivots, permutation, q, r, s, w = results.values()
    lower, upper = np.tril(lu, -1) + np.eye(5), np.triu(lu)
    np.testing.assert_allclose(lower @ upper, np.take_along_axis(a, permutation[..., None], 1), atol=1e-5)
    np.testing.assert_allclose(q @ r, a, atol=1e-5)
    np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.prod(w, -1), np.linalg.det(a.astype("float64")), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0)])
def test_no_elements(shape):
    a = np.zeros(shape, np.float32)
    assert jnp.linalg.eigvals(a).shape == shape[:-1]
    assert [x.shape for x in jax.lax.linalg.schur(a)] == [shape, shape]
    assert jnp.linalg.qr(np.zeros((*shape[:-1], 3), np.float32), mode="r").shape == (*shape[:-1], 3)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
@pytest.mark.parametrize("result", ["int32", "float32"])
def test_products_in_a_preferred_type(dtype, result):
    random = np.random.default_rng(0)
    x, y = (random.integers(0, 4, shape).astype(dtype) for shape in ((3, 4, 4), (2, 3, 2, 2)))
    dot = jax.lax.dot_general(x[0], x[1], (((1,), (0,)), ((), ())), preferred_element_type=result)
    conv = jax.lax.conv_general_dilated(x[None], y, (1, 1), "VALID", preferred_element_type=result)
    assert dot.dtype == conv.dtype == result
    windows = np.lib.stride_tricks.sliding_window_view(x.astype("float32"), (2, 2), (1, 2))
    np.testing.assert_array_equal(np.asarray(dot), x[0].astype("float32") @ x[1])
    np.testing.assert_array_equal(np.asarray(conv)[0], np.einsum("chwij,ocij->ohw", windows, y))


def as_integer(product):
    return np.trunc(product.astype("float32"))


@pytest.mark.parametrize(
    "dtype, result, convert",
    [
        ("float16", "int32", as_integer),
        ("float32", "int32", as_integer),
        ("float64", "int64", as_integer),
        ("complex64", "int32", lambda product: as_integer(product.real)),
        ("complex64", "float32", np.real),
        ("complex128", "float64", np.real),
    ],
)
def test_sums_are_converted(dtype, result, convert):
    """Each sum, not each product."""
    random = np.random.default_rng(1)
    x, y = (random.integers(-40, 40, (2, *shape)) / 8 for shape in ((3, 7), (7, 4)))  # exact in any order
    x, y = ((z[0] + 1j * z[1] if dtype.startswith("c") else z[0]).astype(dtype) for z in (x, y))
    product = jax.lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=result)
    assert product.dtype == result
    exact = x.astype("complex128") @ y.astype("complex128")
    np.testing.assert_array_equal(np.asarray(product), convert(exact if dtype.startswith("c") else exact.real.astype(dtype)))
