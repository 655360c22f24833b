#!/usr/bin/env python3
"""Builds the portable wheel `jax-tenon` for Linux on AArch64, on any machine, and tries it under QEMU.

    scripts/aarch64.py [sysroot] [build] [wheel] [try] [--folder build/aarch64] [--output DIR] [--jobs N]

All four parts, where none is named:
  sysroot  Debian's libraries for arm64, in the versions of cmake/aarch64/packages.txt, unpacked into FOLDER/sysroot. Nothing
           of the system changes: apt works on a state of its own there.
  build    what goes into the wheel, and the accuracy record, compiled by Clang in FOLDER/build (cmake/aarch64/toolchain.cmake)
  wheel    scripts/build_wheel.py, into FOLDER/dist or another --output
  try      programs against the interpreter, elementary functions against MPFR, and JAX with the wheel, under qemu-aarch64
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

from test_versions import PROGRAM

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("sysroot", "build", "wheel", "try")
MACHINE = "aarch64"
TARGETS = ("pjrt_tenon_portable", "tenon_portable", "tenon_accuracy")
# Functions that are computed by tables, by pieces, by exponents and by halves: what has instructions of its own here.
FUNCTIONS = r"\.(exponential|log|tanh|sine|cbrt|power) (f32|f16|bf16)$"


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


class Apt:
    """apt for arm64, with lists, archives and a database of installed packages in a folder."""

    def __init__(self, folder):
        for part in ("lists/partial", "archives/partial"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        settings = {
            "APT::Architecture": "arm64",
            "APT::Architectures::": "arm64",
            "APT::Sandbox::User": "",
            "Debug::NoLocking": "1",
            "Dir::State": folder,
            "Dir::State::lists": folder / "lists",
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder,
        }
        self._command = ["apt-get", "-qq", *(part for name, value in settings.items() for part in ("-o", f"{name}={value}"))]

    def __call__(self, *arguments, **options):
        run(*self._command, *arguments, **options)


def packages():
    lines = (ROOT / "cmake" / "aarch64" / "packages.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def enter(archive, database):
    """Has dpkg-query know the package: notices.py asks it for versions, and which package a file is of."""
    control = subprocess.run(["dpkg-deb", "--field", archive], capture_output=True, text=True, check=True).stdout
    fields = dict(re.findall(r"^(Package|Multi-Arch): (.*)$", control, re.MULTILINE))
    with (database / "status").open("a") as status:
        status.write(control.replace("\n", "\nStatus: install ok installed\n", 1) + "\n")
    tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], capture_output=True, check=True).stdout
    names = subprocess.run(["tar", "--list"], input=tar, capture_output=True, check=True).stdout.decode().splitlines()
    suffix = ":arm64" if fields.get("Multi-Arch") == "same" else ""
    listed = "".join(f"/{name.removeprefix('./').rstrip('/')}\n" for name in names if name != "./")
    (database / "info" / f"{fields['Package']}{suffix}.list").write_text(listed)


def make_links_relative(root):
    """Absolute ones would lead out of the sysroot."""
    for path in root.rglob("*"):
        if path.is_symlink() and os.path.isabs(target := os.readlink(path)):
            path.unlink()
            path.symlink_to(os.path.relpath(root / target.lstrip("/"), path.parent))


def make_sysroot(options):
    root, made = options.folder / "sysroot", options.folder / "sysroot.packages"
    wanted = "\n".join(packages()) + "\n"
    if made.is_file() and made.read_text() == wanted:
        return
    apt, archives = Apt(options.folder / "apt"), options.folder / "apt" / "archives"
    apt("update")
    apt("download", *packages(), cwd=archives)
    shutil.rmtree(root, ignore_errors=True)
    database = root / "var" / "lib" / "dpkg"
    (database / "info").mkdir(parents=True)
    (database / "info" / "format").write_text("1\n")  # whose lists have the architecture in their names
    (database / "updates").mkdir()
    for package in packages():
        name, version = package.split("=")
        [archive] = archives.glob(f"{name}_{version.replace(':', '%3a')}_*.deb")
        run("dpkg-deb", "--extract", archive, root)
        enter(archive, database)
    make_links_relative(root)
    made.write_text(wanted)


def build(options):
    folder = options.folder / "build"
    if not (folder / "build.ninja").is_file():
        run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / 'aarch64' / 'toolchain.cmake'}",
            f"-DTENON_SYSROOT={options.folder / 'sysroot'}")  # fmt: skip
    run("ninja", "-C", folder, "-j", options.jobs, *TARGETS)
    run(sys.executable, ROOT / "scripts" / "check_portable.py", folder / "portable/lib/libpjrt_tenon.so", folder / "portable/bin/tenon")


def make_wheel(options):
    run(sys.executable, ROOT / "scripts" / "build_wheel.py", "jax-tenon", "--portable", "--no-build", "--machine", MACHINE,
        "--sysroot", options.folder / "sysroot", "--build", options.folder / "build", "--output", options.output)  # fmt: skip


def emulated(options, *command, **further):
    run("qemu-aarch64", "-L", options.folder / "sysroot", *command, **further)


def try_command(options):
    command, inputs = options.folder / "build" / "portable" / "bin" / "tenon", ROOT / "tenon" / "tools" / "test" / "Inputs"
    emulated(options, command, "version")
    emulated(options, command, "test-target", "cpu")
    for program in ("fft.mlir", "rng.mlir"):
        emulated(options, command, "check", inputs / program)


def try_functions(options):
    emulated(options, options.folder / "build" / "bin" / "tenon_accuracy", "--check", "--filter", FUNCTIONS)


def pinned(*names):
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line.split("==")[0] in names]


def try_jax(options):
    """The wheel as pip takes it for such a machine, with Debian's Python."""
    site = options.folder / "site-packages"
    shutil.rmtree(site, ignore_errors=True)
    [wheel] = options.output.glob("jax_tenon-*_aarch64.whl")
    platforms = [part for tag in ("2014", "_2_27", "_2_28") for part in ("--platform", f"manylinux{tag}_{MACHINE}")]
    run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", site, "--only-binary=:all:",
        "--python-version", "3.11", *platforms, *pinned("jax", "jaxlib", "numpy", "scipy", "ml_dtypes"), wheel)  # fmt: skip
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("TENON_", "JAX_", "PYTHON"))}
    emulated(options, options.folder / "sysroot/usr/bin/python3.11", "-c", PROGRAM,
             env=dict(plain, PYTHONPATH=str(site), JAX_PLATFORMS="tenon"))  # fmt: skip


def try_all(options):
    try_command(options)
    try_functions(options)
    try_jax(options)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    arguments.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "aarch64")
    arguments.add_argument("--output", type=pathlib.Path)
    arguments.add_argument("--jobs", default=str(os.cpu_count()))
    options = arguments.parse_args()
    options.folder = options.folder.resolve()
    options.output = options.output or options.folder / "dist"
    options.folder.mkdir(parents=True, exist_ok=True)
    for part in options.parts:
        if part not in PARTS:
            arguments.error(f"there is no part {part} among {', '.join(PARTS)}")
    steps = dict(zip(PARTS, (make_sysroot, build, make_wheel, try_all), strict=True))
    for part in options.parts or PARTS:
        print(f"== {part}", flush=True)
        steps[part](options)


if __name__ == "__main__":
    main()
