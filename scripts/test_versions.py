#!/usr/bin/env python3
"""Tests the wheel `jax-tenon` with each version of JAX that it is to work with, on each Python that is there, and the wheel
`tenon-compiler` on each Python.

    scripts/test_versions.py [--wheel dist/jax_tenon-...whl --library build/release/lib/libpjrt_tenon.so]
                             [--package dist/tenon_compiler-...whl] [--quick] [JAX ...]

Each pair gets a virtual environment of its own, made anew, into which the wheel is installed as users install it. Then
what is installed runs a program, and the tests run that depend on the insides of JAX and Python. With --quick only the
programs run, with the oldest and the newest JAX that each Python takes, in one environment for each Python, whose JAX is
exchanged as users do it. TENON_PYTHONS lists interpreters,
parted by colons, in addition to the python3.N that PATH and pyenv have. Pairs that pip has no JAX for are left out; a version that
no Python was found for is said, and makes the whole fail, unless --skip-missing is given.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# JAX, and the oldest Python that it takes.
VERSIONS = {
    "0.9.1": (3, 11), "0.9.2": (3, 11), "0.10.1": (3, 11), "0.10.2": (3, 11), "0.11.2": (3, 12), "0.12.0.1": (3, 12),
}  # fmt: skip

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


class Environment:
    """A new virtual environment, and what its interpreter does there."""

    def __init__(self, python, folder):
        self.folder, self.python = folder, folder / "venv" / "bin" / "python"
        self.is_made = run([python, "-m", "venv", folder / "venv"])
        self.variables = {name: value for name, value in os.environ.items() if not name.startswith(("TENON_", "JAX_", "PYTHON"))}

    def installs(self, *packages):
        return self.is_made and run([self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])

    def runs(self, program, **variables):
        return run([self.python, "-W", "error", "-c", program], env=dict(self.variables, **variables), cwd=self.folder)

    def passes(self, folder, tests, **variables):
        files = [ROOT / "tenon" / "python" / folder / f"{name}.py" for name in tests]
        return run([self.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files], env=dict(self.variables, **variables))


def plugin_passes(python, jax, options, folder):
    """Whether the plugin works with this JAX on this interpreter."""
    made = Environment(python, folder)
    return (
        made.installs(f"jax=={jax}", f"jaxlib=={jax}", options.wheel, "scipy", "mpmath", "flatbuffers", "rich", "pytest")
        and made.runs(PROGRAM, JAX_PLATFORMS="tenon")
        and made.passes("tests", TESTS, TENON_PJRT_LIBRARY=str(options.library.resolve()))
    )


def package_passes(python, options, folder):
    """Whether the package works on this interpreter."""
    made = Environment(python, folder)
    return (
        made.installs(options.package, "jax", "ml_dtypes", "flatbuffers", "pytest")
        and made.runs(PACKAGE_PROGRAM)
        and made.passes("package/tests", PACKAGE_TESTS, JAX_PLATFORMS="cpu")
    )


def quick_outcomes(python, versions, options, folder):
    """What the programs say in one environment, which begins with the package and has one JAX after the other."""
    made = Environment(python, folder)
    if options.package:
        first = [f"jax=={versions[0]}", f"jaxlib=={versions[0]}"] if versions else ["jax"]
        yield "tenon-compiler", made.installs(options.package, *first, "flatbuffers") and made.runs(PACKAGE_PROGRAM)
    for jax in versions:
        installed = made.installs(f"jax=={jax}", f"jaxlib=={jax}", options.wheel)
        yield f"JAX {jax}", installed and made.runs(PROGRAM, JAX_PLATFORMS="tenon")


def pairs(versions, pythons):
    return [(jax, python) for jax in versions for python in pythons if python >= VERSIONS[jax]]


def all_quick(versions, pythons, options):
    """The outcomes of --quick: as many Pythons at a time as there are processors, since each waits for pip half of the time."""

    def outcomes(python):
        taken = [jax for jax, other in pairs(versions, pythons) if other == python]
        with tempfile.TemporaryDirectory() as folder:
            ends = list(dict.fromkeys([*taken[:1], *taken[-1:]]))
            return {(what, python): good for what, good in quick_outcomes(pythons[python], ends, options, pathlib.Path(folder))}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {key: good for each in pool.map(outcomes, pythons) for key, good in each.items()}


def all_tests(versions, pythons, options):
    outcomes = {}
    for jax, python in pairs(versions, pythons):
        print(f"== JAX {jax}, Python {python[0]}.{python[1]}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            outcomes[f"JAX {jax}", python] = plugin_passes(pythons[python], jax, options, pathlib.Path(folder))
    for python in pythons if options.package else ():
        print(f"== tenon-compiler, Python {python[0]}.{python[1]}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            outcomes["tenon-compiler", python] = package_passes(pythons[python], options, pathlib.Path(folder))
    return outcomes


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
    outcomes = (all_quick if options.quick else all_tests)(versions, pythons, options)
    missing = [jax for jax in versions if not options.quick and not any(key[0] == f"JAX {jax}" for key in outcomes)]
    for (what, python), is_good in outcomes.items():
        print(f"{what:14} Python {python[0]}.{python[1]}: {'passes' if is_good else 'FAILS'}")
    for jax in missing:
        print(f"JAX {jax:9} not tested: it wants Python {VERSIONS[jax][0]}.{VERSIONS[jax][1]} (TENON_PYTHONS)")
    sys.exit(not all(outcomes.values()) or (bool(missing) and not options.skip_missing))


if __name__ == "__main__":
    main()
