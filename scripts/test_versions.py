#!/usr/bin/env python3
"""Tests the wheel `jax-tenon` with each version of JAX that it is to work with, on each Python that is there, and the wheel
`tenon-compiler` on each Python.

    scripts/test_versions.py [--wheel dist/jax_tenon-...whl --library build/release/lib/libpjrt_tenon.so]
                             [--package dist/tenon_compiler-...whl] [--quick] [JAX ...]

Each pair gets a virtual environment of its own, made anew, into which the wheel is installed as users install it. Then
what is installed runs a program, and the tests run that depend on the insides of JAX and Python. With --quick only the
program runs, with the oldest and the newest JAX that each Python takes. TENON_PYTHONS lists interpreters,
parted by colons, in addition to the python3.N that PATH and pyenv have. Pairs that pip has no JAX for are left out; a version that
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

# The package's that need nothing of what models are imported with.
PACKAGE_TESTS = "test_arrays test_builder test_compile test_ops test_profile test_signals test_wheel".split()

PACKAGE_PROGRAM = """
import numpy as np, tenon
assert "site-packages" in tenon.__file__, tenon.__file__
builder = tenon.ComputationBuilder("f")
builder.parameter(0, "f32[2]", "x") + 1
np.testing.assert_array_equal(tenon.compile(builder.build())([1, 2]), [2, 3])
"""

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
    candidates += map(str, pathlib.Path.home().glob(".pyenv/versions/*/bin/python3"))
    found = {}
    for path in candidates:
        version = version_of(path)
        if version and version >= (3, 11):
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def run(command, **options):
    return subprocess.run(command, check=False, **options).returncode == 0


def runs(python, packages, program, folder, **environment):
    """The interpreter of a new environment with these packages, and the variables it is to have, if the program runs there."""
    own = folder / "venv" / "bin" / "python"
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("TENON_", "JAX_", "PYTHON"))}
    is_good = (
        run([python, "-m", "venv", folder / "venv"])
        and run([own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages, "pytest"])
        and run([own, "-W", "error", "-c", program], env=dict(plain, **environment), cwd=folder)
    )
    return (own, plain) if is_good else None


def tests_pass(made, folder, tests, **environment):
    own, plain = made
    files = [ROOT / "tenon" / "python" / folder / f"{name}.py" for name in tests]
    return run([own, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files], env=dict(plain, **environment))


def plugin_passes(python, jax, options, folder):
    """Whether the plugin works with this JAX on this interpreter."""
    packages = [f"jax=={jax}", f"jaxlib=={jax}", options.wheel, "scipy", "mpmath", "flatbuffers", "rich"]
    made = runs(python, packages, PROGRAM, folder, JAX_PLATFORMS="tenon")
    return made and (options.quick or tests_pass(made, "tests", TESTS, TENON_PJRT_LIBRARY=str(options.library.resolve())))


def package_passes(python, options, folder):
    """Whether the package works on this interpreter."""
    made = runs(python, [options.package, "jax", "ml_dtypes", "flatbuffers"], PACKAGE_PROGRAM, folder)
    return made and (options.quick or tests_pass(made, "package/tests", PACKAGE_TESTS, JAX_PLATFORMS="cpu"))


def pairs(versions, pythons, quick=False):
    found = [(jax, python) for jax in versions for python in pythons if python >= VERSIONS[jax]]
    if not quick:
        return found
    taken = {python: [jax for jax, other in found if other == python] for python in pythons}
    return [(jax, python) for jax, python in found if jax in (taken[python][0], taken[python][-1])]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("versions", nargs="*", metavar="JAX", help=f"{', '.join(VERSIONS)}; default: all")
    arguments.add_argument("--wheel", type=pathlib.Path, help="the wheel jax-tenon")
    arguments.add_argument("--library", type=pathlib.Path, help="the plug-in of the wheel, for the tests")
    arguments.add_argument("--package", type=pathlib.Path, help="the wheel tenon-compiler")
    arguments.add_argument("--quick", action="store_true", help="no tests, and of JAX the oldest and the newest of each Python")
    arguments.add_argument("--skip-missing", action="store_true", help="versions without a Python do not count")
    options = arguments.parse_args()
    if not (options.wheel or options.package) or (options.wheel and not (options.library or options.quick)):
        arguments.error("a wheel jax-tenon with its --library is needed, or a --package")
    for version in options.versions:
        if version not in VERSIONS:
            arguments.error(f"there is no JAX {version} among {', '.join(VERSIONS)}")
    pythons = interpreters()
    versions = (options.versions or list(VERSIONS)) if options.wheel else []
    outcomes = {}
    for jax, python in pairs(versions, pythons, options.quick):
        print(f"== JAX {jax}, Python {python[0]}.{python[1]}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            outcomes[f"JAX {jax}", python] = plugin_passes(pythons[python], jax, options, pathlib.Path(folder))
    for python in pythons if options.package else ():
        print(f"== tenon-compiler, Python {python[0]}.{python[1]}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            outcomes["tenon-compiler", python] = package_passes(pythons[python], options, pathlib.Path(folder))
    missing = [jax for jax in versions if not options.quick and not any(key[0] == f"JAX {jax}" for key in outcomes)]
    for (what, python), is_good in outcomes.items():
        print(f"{what:14} Python {python[0]}.{python[1]}: {'passes' if is_good else 'FAILS'}")
    for jax in missing:
        print(f"JAX {jax:9} not tested: it wants Python {VERSIONS[jax][0]}.{VERSIONS[jax][1]} (TENON_PYTHONS)")
    sys.exit(not all(outcomes.values()) or (bool(missing) and not options.skip_missing))


if __name__ == "__main__":
    main()
