"""What wheels are made of (scripts/build_wheel.py)."""

import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SCRIPTS))

import build_wheel  # noqa: E402

BUILD = pathlib.Path(os.environ["TENON_BUILD"])


def build_plugin(folder, *options):
    """Of a build that has made the plug-in's targets alone, into folder/dist."""
    build, lib = folder / "build", folder / "build" / "lib"
    lib.mkdir(parents=True)
    for name in ("libpjrt_tenon.so", "libtenon_processes.so"):
        (lib / name).symlink_to(BUILD / "lib" / "libtenon_processes.so")  # the smaller
    command = [sys.executable, SCRIPTS / "build_wheel.py", "jax-tenon", "--no-build", "--build", build, "--output", folder / "dist"]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False)


def test_the_plugin_alone_needs_what_its_targets_make_and_nothing_else(tmp_path):
    done = build_plugin(tmp_path, "--without-command")
    assert done.returncode == 0, done.stderr
    [wheel] = (tmp_path / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.endswith("libpjrt_tenon.so")]
    assert not [name for name in names if "tenon_serve" in name or name.endswith("bin/tenon")]


def test_a_wheel_with_the_command_is_refused_without_it(tmp_path):
    done = build_plugin(tmp_path)
    assert done.returncode == 1 and done.stderr == f"{tmp_path / 'build' / 'bin' / 'tenon'} does not exist\n"


def ninja(tool, *targets):
    done = subprocess.run(["ninja", "-C", BUILD, "-t", tool, *targets], capture_output=True, text=True, check=True)
    return {line.strip() for line in done.stdout.splitlines()}


@pytest.mark.parametrize("name", build_wheel.WHEELS)
def test_what_a_wheel_is_made_of_is_built_for_it(name):
    targets, _contents, files = build_wheel.WHEELS[name]
    made = ninja("query", *targets) | ninja("inputs", *targets)
    assert [file for file in files if file not in made] == []
