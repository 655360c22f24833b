#!/usr/bin/env python3
"""Fetches what portable libraries are compiled of besides Tenon's own sources: files of Abseil and protobuf, RE2, and
what `tenon serve` has of cpp-httplib, spdlog and fmt.

    scripts/fetch_portable_sources.py [DIRECTORY]          # default: .setup/portable

gRPC, which needs them, is linked into portable libraries from Debian's archives (cmake/portable/libraries.py). In those of
Abseil, protobuf and RE2 some code is for programs alone: thread-local variables at fixed places, or in memory that a process
has little of once it has started, and the C library's `stderr` as if it were the program's own. So the files that have such
code are compiled anew, from the sources of the same packages. The libraries of the server have no archives at all; their
headers are those that are installed. apt checks what it fetches; its lists are in a folder of their own, and nothing of the
system changes.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main\n"
# Debian's packages of sources, and which of their files.
WANTED = {
    "abseil": r"LICENSE|absl/(base/internal/sysinfo|container/internal/raw_hash_set|random/internal/pool_urbg"
              r"|strings/cord|strings/internal/cordz_functions|strings/internal/str_format/parser)\.cc",
    "protobuf": r"LICENSE|src/google/protobuf/((any|arena|descriptor|dynamic_message|extension_set_heavy|generated_message_reflection"
                r"|map_field|message|reflection_ops|repeated_field|repeated_ptr_field|stubs/common|text_format|wire_format)\.cc"
                r"|stubs/\w+\.h)",
    "re2": r"LICENSE|re2/[\w-]+\.(cc|h)|util/(rune|strutil)\.cc|util/\w+\.h",
    "cpp-httplib": r"LICENSE|split/httplib\.cc",
    "spdlog": r"LICENSE|src/(color_sinks|spdlog|stdout_sinks)\.cpp",
    "fmtlib": r"LICENSE\.rst|src/format\.cc",
}  # fmt: skip


def fetch(folder):
    """Has apt put the sources into the folder, with Debian's patches."""
    for part in ("lists/partial", "archives/partial"):
        (folder / part).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(SOURCES)
    settings = {
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "1",
        "Dir::State": folder,
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder,
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
    }
    apt = ["apt-get", "-qq", *(part for name, value in settings.items() for part in ("-o", f"{name}={value}"))]
    for arguments in (["update"], ["source", *WANTED]):
        subprocess.run([*apt, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def split_httplib(source):
    """The sources are one header, of which the package's own script makes those of a library."""
    subprocess.run([sys.executable, source / "split.py", "--out", source / "split"], check=True, stdout=subprocess.DEVNULL)


def pick(source, folder, pattern):
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        if path.is_file() and re.fullmatch(pattern, name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("directory", nargs="?", type=pathlib.Path, default=ROOT / ".setup" / "portable")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        fetched, made = pathlib.Path(scratch) / "fetched", pathlib.Path(scratch) / "made"
        fetch(fetched)
        for package, pattern in WANTED.items():
            [source] = (path for path in fetched.glob(f"{package}-*") if path.is_dir())
            if package == "cpp-httplib":
                split_httplib(source)
            pick(source, made / package, pattern)
        shutil.copy(__file__, made)  # setup.sh and CMake compare it with what the sources are to be fetched by
        shutil.rmtree(options.directory, ignore_errors=True)
        options.directory.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, options.directory)


if __name__ == "__main__":
    main()
