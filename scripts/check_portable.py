#!/usr/bin/env python3
"""Checks that libraries start on older systems: they need nothing but the C library and libgcc_s, no version of theirs
that is newer than manylinux_2_28 promises, and nothing that older loaders do not know.

    scripts/check_portable.py LIBRARY ...
"""

import re
import subprocess
import sys

NEWEST = {"GLIBC": (2, 28), "GCC": (7, 0, 0)}
LIBRARIES = re.compile(r"(libc\.so\.6|libm\.so\.6|libdl\.so\.2|librt\.so\.1|libpthread\.so\.0|libgcc_s\.so\.1|ld-linux-[\w-]+\.so\.\d)$")


def problems(library):
    listed = subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", library],
                            capture_output=True, text=True, check=True).stdout  # fmt: skip
    for name in re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", listed):
        if not LIBRARIES.match(name):
            yield f"needs {name}"
    if "(RELR)" in listed:
        yield "has relocations in RELR form"
    if "STATIC_TLS" in listed:
        yield "has thread-local variables that not every process has room for once it has started"
    for name, version in set(re.findall(r"Name: ([A-Z]+)_(\S+)", listed)):
        numbers = tuple(map(int, version.split("."))) if re.fullmatch(r"[\d.]+", version) else None
        if name not in NEWEST or numbers is None or numbers > NEWEST[name]:
            yield f"needs {name}_{version}"


def main():
    found = [f"{library} {problem}" for library in sys.argv[1:] for problem in sorted(problems(library))]
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
