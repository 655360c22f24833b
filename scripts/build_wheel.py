#!/usr/bin/env python3
"""Builds the wheel `jax-tenon` from a build directory.

    scripts/build_wheel.py [--build build/release] [--output dist] [--no-build]

Builds the plugin (and the `tenon` command, if the build has it), strips copies of them, and calls `pip wheel`.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def project_version():
    match = re.search(r"project\(Tenon VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    return match.group(1)


def stripped(source, directory):
    target = pathlib.Path(directory) / source.name
    strip = shutil.which("llvm-strip-22") or shutil.which("strip")
    if strip:
        subprocess.run([strip, "--strip-unneeded", "-o", target, source], check=True)
    else:
        shutil.copy(source, target)
    return target


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    arguments.add_argument("--output", type=pathlib.Path, default=ROOT / "dist")
    arguments.add_argument("--no-build", action="store_true", help="take the files as they are")
    options = arguments.parse_args()

    if not options.no_build:
        subprocess.run(["cmake", "--build", options.build, "--target", "pjrt_tenon"], check=True)
    library = options.build / "lib" / "libpjrt_tenon.so"
    command = options.build / "bin" / "tenon"
    if not library.is_file():
        sys.exit(f"{library} does not exist")
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, TENON_WHEEL_VERSION=project_version())
        environment["TENON_WHEEL_LIBRARY"] = str(stripped(library, scratch))
        if command.is_file():
            environment["TENON_WHEEL_COMMAND"] = str(stripped(command, scratch))
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet",
             "--wheel-dir", options.output, ROOT / "tenon" / "python"],
            env=environment, check=True,
        )  # fmt: skip
    for wheel in sorted(options.output.glob(f"jax_tenon-{project_version()}-*.whl")):
        print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
