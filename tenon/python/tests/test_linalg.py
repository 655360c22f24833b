"""Linear algebra: library routines and their edges."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

# JAX's own rules for this platform call kernels of jaxlib, which use SciPy's LAPACK by themselves; those for others
# leave the op to the plugin.
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


def test_lapack_of_scipys_wheel(subprocess_environment, tmp_path):
    """On a machine whose own libraries cannot be opened."""
    scipy = pytest.importorskip("scipy")
    libraries = os.path.join(os.path.dirname(os.path.dirname(scipy.__file__)), "scipy.libs")
    if not os.path.isdir(libraries):
        pytest.skip("SciPy does not come from a wheel")
    for name in ("libopenblas.so.0", "libopenblas.so", "liblapack.so.3", "libmkl_rt.so.2"):
        (tmp_path / name).write_text("not a library")
    environment = dict(subprocess_environment, LD_LIBRARY_PATH=str(tmp_path))
    environment.pop("TENON_LAPACK_LIBRARY", None)
    result = subprocess.run(
        [sys.executable, "-c", SCIPY_ONLY], env=environment, capture_output=True, text=True, check=False
    )
    assert result.stdout == "True True\n", result.stderr


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
