#!/usr/bin/env python3
"""Tests the wheel `jax-tenon` with each version of JAX that it is to work with, on each Python that is there.

    scripts/test_versions.py --wheel dist/jax_tenon-...whl --library build/release/lib/libpjrt_tenon.so [JAX ...]

Each pair gets a virtual environment of its own, made anew, into which the wheel is installed as users install it. Then
the installed plugin runs a program, and the tests run that depend on JAX's insides. TENON_PYTHONS lists interpreters,
parted by colons, in addition to the python3.N that PATH has. Pairs that pip has no JAX for are left out; a version that
no Python was found for is said, and makes the whole fail, unless --skip-missing is given.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# JAX, and the oldest Python that it takes.
VERSIONS = {"0.10.1": (3, 11), "0.10.2": (3, 11), "0.11.2": (3, 12), "0.12.0.1": (3, 12)}

# What goes through parts of JAX that may change with any release: how it finds and starts plugins, lowers programs,
# registers handlers, and reads what a plugin says of programs and devices.
TESTS = (
    "test_callbacks test_cache test_checks test_devices test_features test_ffi test_jit test_shard_map test_special "
    "test_text test_transfers test_untyped_calls"
).split()

PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
import jax_plugins.tenon
assert "site-packages" in jax_plugins.tenon.__file__, jax_plugins.tenon.__file__
assert jax.devices()[0].device_kind == "tenon-cpu"
f = jax.jit(jax.value_and_grad(lambda w, x: jnp.sum(jnp.tanh(x @ w) ** 2)))
value, gradient = f(jnp.eye(3), jnp.ones((2, 3)))
np.testing.assert_allclose(value, 6 * np.tanh(1) ** 2, rtol=1e-6)
np.testing.assert_allclose(gradient, np.full((3, 3), 4 * np.tanh(1) / np.cosh(1) ** 2), rtol=1e-5)
"""


def version_of(python):
    code = "import sys; print(*sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None


def interpreters():
    """By version, one of each."""
    candidates = [path for path in os.environ.get("TENON_PYTHONS", "").split(":") if path]
    candidates += filter(None, (shutil.which(f"python3.{minor}") for minor in range(11, 20)))
    found = {}
    for path in candidates:
        version = version_of(path)
        if version and version >= (3, 11):
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def run(command, **options):
    return subprocess.run(command, check=False, **options).returncode == 0


def passes(python, jax, options, folder):
    """Whether the plugin works with this JAX on this interpreter."""
    environment = folder / "venv"
    if not run([python, "-m", "venv", environment]):
        return False
    own = environment / "bin" / "python"
    install = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if not run([*install, f"jax=={jax}", f"jaxlib=={jax}", options.wheel, "pytest", "scipy", "mpmath", "flatbuffers", "rich"]):
        return False
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("TENON_", "JAX_", "PYTHON"))}
    if not run([own, "-W", "error", "-c", PROGRAM], env=dict(plain, JAX_PLATFORMS="tenon"), cwd=folder):
        return False
    tests = [ROOT / "tenon" / "python" / "tests" / f"{name}.py" for name in TESTS]
    plain["TENON_PJRT_LIBRARY"] = str(options.library.resolve())
    return run([own, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], env=plain)


def pairs(versions, pythons):
    return [(jax, python) for jax in versions for python in pythons if python >= VERSIONS[jax]]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("versions", nargs="*", metavar="JAX", help=f"{', '.join(VERSIONS)}; default: all")
    arguments.add_argument("--wheel", required=True, type=pathlib.Path)
    arguments.add_argument("--library", required=True, type=pathlib.Path)
    arguments.add_argument("--skip-missing", action="store_true", help="versions without a Python do not count")
    options = arguments.parse_args()
    for version in options.versions:
        if version not in VERSIONS:
            arguments.error(f"there is no JAX {version} among {', '.join(VERSIONS)}")
    pythons = interpreters()
    versions = options.versions or list(VERSIONS)
    outcomes = {}
    for jax, python in pairs(versions, pythons):
        print(f"== JAX {jax}, Python {python[0]}.{python[1]}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            outcomes[jax, python] = passes(pythons[python], jax, options, pathlib.Path(folder))
    missing = [jax for jax in versions if not any(key[0] == jax for key in outcomes)]
    for (jax, python), is_good in outcomes.items():
        print(f"JAX {jax:9} Python {python[0]}.{python[1]}: {'passes' if is_good else 'FAILS'}")
    for jax in missing:
        print(f"JAX {jax:9} not tested: it wants Python {VERSIONS[jax][0]}.{VERSIONS[jax][1]} (TENON_PYTHONS)")
    sys.exit(not all(outcomes.values()) or (bool(missing) and not options.skip_missing))


if __name__ == "__main__":
    main()
