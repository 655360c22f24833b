#!/usr/bin/env python3
"""Makes what portable libraries and programs are linked with: a folder for the linker to look into first.

    libraries.py --output DIR --shims FILE.a [--replacements FILE.a] --compiler clang-22 [OPTION ...]

Programs need the newest version of each function that the C library has which they were linked with, so what is linked
here does not start on older systems. In the folder are libraries without code, with the names and versions that the C
library of OLDEST had: what is linked with them gets those, which newer C libraries have kept. Functions that came later
are in the shims (newer_functions.c, older_start.c). Libraries of other projects that not every system has are linked from archives;
what of gRPC's has no code for shared libraries there, and what has no archive, is in the replacements
(scripts/fetch_portable_sources.py).
"""

import argparse
import pathlib
import re
import subprocess

OLDEST = (2, 28)  # what manylinux_2_28 promises

# Where functions were before glibc 2.34 brought them all into libc.
FORMERLY = (
    ("libdl.so.2", r"dl\w+$"),
    ("librt.so.1", r"(aio|lio|mq|shm|timer)_\w+$"),
    ("libpthread.so.0", r"(_?_?pthread|sem|thrd|mtx|cnd|tss)_\w+$|call_once$"),
)
LOADERS = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
# Of other projects, whose archives have code for shared libraries.
ARCHIVES = ("png", "protobuf", "z", "zstd")
# gRPC's libraries and the server's by the names that they are linked by, and what these need. Of cpp-httplib, spdlog and fmt
# there are the replacements alone.
GRPC = ("grpc++", "grpc", "gpr")
SERVER = ("cpp-httplib", "spdlog", "fmt", "ssl", "crypto")
BELOW = ("upb", "address_sorting", "cares", "re2", "ssl", "crypto", "protobuf", "z", "brotlidec", "brotlienc", "brotlicommon")


def version_of(text):
    match = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)+)", text)
    return tuple(map(int, match[1].split("."))) if match else None


def symbols_of(library):
    """(name, kind, size, version, whether the version is the default) of each symbol that the library has."""
    listed = subprocess.run(["readelf", "--dyn-syms", "--wide", library], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        match = re.match(r"\s*\d+: [0-9a-f]+\s+(\S+) (\S+)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+(\S+) (\w+)(@@?)(\S+)$", line)
        if match and match[3] not in ("UND", "ABS") and version_of(match[6]):
            yield match[4], match[2], int(match[1], 0), version_of(match[6]), match[5] == "@@"


def oldest_defaults(library, oldest):
    """What the library's functions were in that version: name, kind, size, version, whether they have moved since."""
    versions = {}
    for name, kind, size, version, is_default in symbols_of(library):
        versions.setdefault(name, []).append((version, kind, size, is_default))
    for name, found in versions.items():
        old = [entry for entry in found if entry[0] <= oldest]
        # A default that is no newer stays; what only programs of the past may use has none.
        chosen = [entry for entry in old if entry[3]] or (old if any(entry[3] for entry in found) else [])
        if chosen:
            version, kind, size, is_default = max(chosen)
            yield name, kind, size, version, not is_default


def place_of(name, library, has_moved):
    if library == "libc.so.6" and has_moved:
        for former, pattern in FORMERLY:
            if re.match(pattern, name):
                return former
    return library


def write_library(path, soname, symbols, compiler):
    """A shared library with these symbols and no code."""
    kinds = {"FUNC": "function", "IFUNC": "function", "OBJECT": "object", "TLS": "tls_object", "NOTYPE": "notype"}
    code, nodes = [], {}
    for name, kind, size, version in sorted(symbols):
        section = ".tbss" if kind == "TLS" else ".data" if kind == "OBJECT" else ".text"
        flags = {".tbss": '"awT",@nobits', ".data": '"aw",@progbits', ".text": '"ax",@progbits'}[section]
        code.append(f".section {section},{flags}\n.globl {name}\n.type {name}, @{kinds[kind]}\n{name}:\n"
                    f".size {name}, {size}\n.zero {max(size if kind != 'FUNC' else 1, 1)}\n")  # fmt: skip
        nodes.setdefault(version, []).append(name)
    source, script = path.with_suffix(".s"), path.with_suffix(".map")
    source.write_text("".join(code))
    before, lines = "", []
    for version in sorted(nodes):
        node = "GLIBC_" + ".".join(map(str, version))
        rest = "" if before else " local: *;"
        lines.append(f"{node} {{ global: {'; '.join(nodes[version])};{rest} }}{before};\n")
        before = f" {node}"
    script.write_text("".join(lines))
    subprocess.run([*compiler, "-shared", "-nostdlib", "-fuse-ld=lld", f"-Wl,-soname,{soname}",
                    f"-Wl,--version-script={script}", source, "-o", path], check=True)  # fmt: skip
    source.unlink()
    script.unlink()


def file_of(compiler, name):
    found = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return pathlib.Path(found.stdout.strip()).resolve()


def loader_of(compiler):
    """The dynamic loader of what the compiler compiles for, which has some of the C library's names."""
    machine = subprocess.run([*compiler, "-dumpmachine"], capture_output=True, text=True, check=True).stdout
    return file_of(compiler, LOADERS[machine.split("-")[0]])


def archives_of_services(compiler, replacements):
    """gRPC's, the server's and all below them. Where a function is twice, the replacement is found first."""
    archives = [file_of(compiler, f"lib{name}.a") for name in (*GRPC, *BELOW)]
    return [replacements.resolve(), *archives, *sorted(archives[0].parent.glob("libabsl_*.a"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--shims", type=pathlib.Path, required=True)
    parser.add_argument("--replacements", type=pathlib.Path, help="without these there are no gRPC and no server to link")
    parser.add_argument("--compiler", nargs=argparse.REMAINDER, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    libraries = {}
    for library in ("libc.so.6", "libm.so.6"):
        for name, kind, size, version, has_moved in oldest_defaults(file_of(options.compiler, library), OLDEST):
            libraries.setdefault(place_of(name, library, has_moved), []).append((name, kind, size, version))
    for soname, symbols in libraries.items():
        write_library(options.output / soname, soname, symbols, options.compiler)
    folder = options.output.resolve()
    loader, rest = loader_of(options.compiler), file_of(options.compiler, "libc_nonshared.a")
    former = " ".join(str(folder / name) for name, _ in FORMERLY if name in libraries)
    scripts = {
        "c": f"GROUP({options.shims.resolve()} {folder / 'libc.so.6'} {rest} AS_NEEDED({former} {loader}))",
        # Only what unwinds is the system's: conversions of newer types are not in every libgcc_s.
        "gcc_s": f"GROUP({file_of(options.compiler, 'libgcc.a')} AS_NEEDED({file_of(options.compiler, 'libgcc_s.so.1')}))",
        "m": f"INPUT({folder / 'libm.so.6'})",
        "pthread": f"INPUT(AS_NEEDED({former}))", "dl": f"INPUT(AS_NEEDED({former}))", "rt": f"INPUT(AS_NEEDED({former}))",
    }  # fmt: skip
    for name in ARCHIVES:
        scripts[name] = f"INPUT({file_of(options.compiler, f'lib{name}.a')})"
    if options.replacements:
        group = " ".join(map(str, archives_of_services(options.compiler, options.replacements)))
        scripts.update((name, f"GROUP({group})") for name in (*GRPC, *SERVER, "absl_synchronization", "protobuf"))
    for name, text in scripts.items():
        (options.output / f"lib{name}.so").write_text(text + "\n")


if __name__ == "__main__":
    main()
