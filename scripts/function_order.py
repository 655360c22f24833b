#!/usr/bin/env python3
"""Writes cmake/function_order.tar.xz: the functions that run while programs are compiled, those first that most programs
need. The linker puts them side by side (tenon_order_functions in cmake/TenonOptions.cmake): of 30 MB of code a small
program then touches the pages of 9 MB, not of 25.

    scripts/function_order.py    # with build/release/bin/tenon, and valgrind

Worth a new run when LLVM is another; names that are gone do no harm, and functions that have no place in it come after.
"""

import argparse
import collections
import concurrent.futures
import io
import lzma
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("attention", "complex_numbers", "conv_gradient", "elementwise_chain", "gather_scatter", "integers",
            "layernorm", "lstm_scan", "mlp_gradient", "moving_elements", "optimizer_step", "pooling_gradient",
            "random_numbers", "reductions", "rmsnorm_bf16", "softmax", "sorting", "stencil_loop", "switch_branches")
# valgrind's processor has no AVX-512: code for it is compiled, but not run.
MODES = (("compile", "--cpu", "x86-64-v4"), ("run", "--random"))
# "fn=(12) name", the name only where it comes first; of a recursive function "name'2".
NAME = re.compile(r"(c?)(fn|ob)=\((\d+)\)(?: ([^'\n]+))?")


def functions(profile, binary):
    """The functions of the binary that a callgrind profile has costs of."""
    names, current, found = {}, None, set()
    for line in profile.read_text(errors="replace").splitlines():
        match = NAME.match(line)
        if not match:
            continue
        called, kind, number, name = match.groups()
        if name:
            names[kind, number] = name
        if kind == "ob" and not called:
            current = names[kind, number]
        elif kind == "fn" and not called and current == str(binary):
            found.add(names[kind, number])
    return {name for name in found if not name.startswith(("0x", "("))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=ROOT / "build/release/bin/tenon", type=pathlib.Path)
    options = parser.parse_args()
    programs = sorted(ROOT / f"test/e2e/programs/{name}.mlir" for name in PROGRAMS)
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder).resolve() / "tenon"
        # valgrind may not know the debug information's form.
        subprocess.run(["objcopy", "--strip-debug", options.command, binary], check=True)
        # Programs come from JAX as artifacts, from people as text.
        artifacts = [pathlib.Path(folder) / f"{program.stem}.mlirbc" for program in programs]
        for program, artifact in zip(programs, artifacts):
            subprocess.run([binary, "export", program, "--as", "artifact", "-o", artifact], check=True)

        def run(task):
            number, (mode, program) = task
            profile = pathlib.Path(folder) / f"{number}.callgrind"
            subprocess.run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}", binary,
                            *mode, program], check=True, capture_output=True,
                           env={**os.environ, "TENON_KERNEL_CACHE": "off"})
            return functions(profile, binary)

        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            tasks = enumerate([(MODES[0], artifact) for artifact in artifacts] + [(MODES[1], program) for program in programs])
            uses = collections.Counter(name for found in pool.map(run, tasks) for name in found)
    text = "".join(f"{name}\n" for name in sorted(uses, key=lambda name: (-uses[name], name))).encode()
    entry = tarfile.TarInfo("function_order.txt")
    entry.size = len(text)
    with lzma.open(ROOT / "cmake/function_order.tar.xz", "w", preset=9 | lzma.PRESET_EXTREME) as file, \
            tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(entry, io.BytesIO(text))
    print(f"{len(uses)} functions, {len(text)} bytes")


if __name__ == "__main__":
    main()
