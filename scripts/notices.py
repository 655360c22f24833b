#!/usr/bin/env python3
"""Writes the licences of what is in Tenon's binaries and not Tenon's own.

    scripts/notices.py --output FILE

What is linked in, or compiled in from headers, is in the table below; a wheel has shared libraries besides
(scripts/build_wheel.py), each of which Debian's package of that library accounts for. Texts are those that the packages
install. It is an error when one is not there: nothing is shipped without its licence.
"""

import argparse
import importlib.metadata
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = pathlib.Path("/")  # this machine's system

# What, by whom it is brought: Debian's package, Python's package, or a file of the project's set-up.
LINKED = [
    ("LLVM and MLIR", "debian", "llvm-22-dev"),
    ("Protocol Buffers", "debian", "libprotobuf-dev"),
    ("gRPC", "debian", "libgrpc++-dev"),
    ("Abseil", "debian", "libabsl-dev"),
    ("JSON for Modern C++", "debian", "nlohmann-json3-dev"),
    ("CLI11", "debian", "libcli11-dev"),
    ("cpp-httplib", "debian", "libcpp-httplib-dev"),
    ("spdlog", "debian", "libspdlog-dev"),
    ("fmt", "debian", "libfmt-dev"),
    ("nanobind", "python", "nanobind"),
    ("dagre", "file", ".setup/dagre/copyright"),
]
# Under the text that LICENSE begins with.
SAME_LICENCE = "The headers of PJRT's and FFI's C interfaces are OpenXLA's, under the Apache License, Version 2.0: see LICENSE."


def query(system, *arguments):
    command = ["dpkg-query", f"--admindir={system / 'var' / 'lib' / 'dpkg'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True).stdout


def debian(package, system):
    path = system / "usr" / "share" / "doc" / package / "copyright"
    if not path.is_file():
        sys.exit(f"notices.py: {path} is missing; scripts/setup.sh installs {package}")
    return query(system, "-W", "-f", "${Version}", package), path.read_text(encoding="utf-8", errors="replace")


def python(package, _system):
    distribution = importlib.metadata.distribution(package)
    texts = [path.read_text(encoding="utf-8") for path in distribution.files
             if re.fullmatch(r"(LICEN[CS]E|NOTICE|COPYING).*", path.name)]  # fmt: skip
    if not texts:
        sys.exit(f"notices.py: the Python package {package} has no licence file")
    return distribution.version, "\n\n".join(texts)


def file(name, _system):
    path = ROOT / name
    if not path.is_file():
        sys.exit(f"notices.py: {path} is missing; scripts/setup.sh brings it")
    return "", path.read_text(encoding="utf-8", errors="replace")


def packages_of(libraries, system):
    """Debian's packages of the libraries, which are given by file names."""
    packages = {}
    for name in sorted(libraries):
        found = query(system, "-S", f"*/{name}")
        owners = sorted({line.split(":")[0] for line in found.splitlines()})
        if not owners:
            sys.exit(f"notices.py: no package of Debian's has {name}")
        packages.setdefault(owners[0], []).append(name)
    return packages


def section(name, version, text):
    title = f"{name} {version}".strip()
    return f"{'=' * 100}\n{title}\n{'=' * 100}\n\n{text.strip()}\n"


def notices(libraries=(), system=HERE):
    """The text; `libraries`: file names of shared libraries that are shipped, too. `system`: where Debian's packages are."""
    read = {"debian": debian, "python": python, "file": file}
    parts = ["Tenon's own licence is in the file LICENSE. What is in its binaries of other projects, and under which terms:\n",
             SAME_LICENCE + "\n"]  # fmt: skip
    parts += [section(name, *read[kind](source, system)) for name, kind, source in LINKED]
    for package, names in packages_of(libraries, system).items():
        parts.append(section(f"{package} ({', '.join(names)})", *debian(package, system)))
    return "\n".join(parts)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--output", type=pathlib.Path, required=True)
    options = arguments.parse_args()
    options.output.write_text(notices(), encoding="utf-8")


if __name__ == "__main__":
    main()
