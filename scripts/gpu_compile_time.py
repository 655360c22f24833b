#!/usr/bin/env python3
"""Measures what compiling for a GPU takes, against compiling for this machine's processor. Needs no GPU.

    scripts/gpu_compile_time.py [--chip sm_90a] [--rounds N] [--every N] [--build FOLDER ...] [PROGRAM ...]

User processor seconds of `tenon compile`, one process a program, on one processor and without the cache of kernels:
for the processor, to PTX, and to machine code, which the first assembler makes that is there (docs/gpu.md). The assembler
counts, be it a library or a process. Each is the mean of N rounds, which take all kinds in turn: the kernel counts user
time in ticks of milliseconds, so that the least of a short process may be none. Without PROGRAM: those
of docs/programs, every Nth of test/e2e/programs, and the workloads of scripts/gpu_workloads.py in their full sizes, if JAX
is there. Prints a table in Markdown; the last rows are ratios of sums, and geometric means of ratios, to the first build's
processor. docs/gpu.md has the last ones.
"""

import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import gpu_workloads

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ("processor", "PTX", "machine code")


def user_seconds(build, kind, chip, program, folder):
    """Of the compiler and of the processes that it starts; None if the program is not one for this kind."""
    command = [build / "bin/tenon", "compile", program]
    environment = {**os.environ, "TENON_KERNEL_CACHE": "off"}
    if kind != "processor":
        command += ["--target", f"cuda:{chip}", "--aot", folder]
    if kind == "PTX":
        environment["TENON_CUDA_ASSEMBLER"] = "driver"
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == 0 and kind == "machine code" and "no assembler" in said:
        sys.exit("there is no assembler of NVIDIA's: scripts/setup.sh installs one")
    return usage.ru_utime if process.returncode == 0 else None


def lowered_workloads(folder):
    """Files of StableHLO, one for each workload that JAX lowers."""
    try:
        import jax
    except ImportError:
        print("gpu_compile_time: without JAX, no workloads of scripts/gpu_workloads.py", file=sys.stderr)
        return []
    paths = []
    for work in gpu_workloads.jax_workloads():
        arguments = [jax.ShapeDtypeStruct(large, kind) for large, _, kind in work.shapes]
        path = folder / (work.name.replace(",", "").replace(" ", "_") + ".mlir")
        path.write_text(jax.jit(work.jax).lower(*arguments).as_text())
        paths.append(path)
    return paths


def measure(options, programs, folder):
    """Mean seconds by program, build and kind, of programs that all of them take."""
    columns = [(build, kind) for build in options.builds for kind in KINDS]
    times = {}
    for program in programs:
        sums = dict.fromkeys(columns, 0.0)
        for _ in range(options.rounds):
            for column in columns:
                seconds = user_seconds(*column, options.chip, program, folder)
                sums[column] += math.inf if seconds is None else seconds
        if math.inf in sums.values():
            print(f"gpu_compile_time: {program.name} is not compiled for all of them", file=sys.stderr)
            continue
        times[program] = [seconds / options.rounds for seconds in sums.values()]
        print(f"| {program.stem} | " + " | ".join(f"{1e3 * t:.0f} ms" for t in times[program]) + " |", flush=True)
    return list(times.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=pathlib.Path, metavar="PROGRAM")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every", type=int, default=3, help="which of test/e2e/programs are taken: every Nth")
    parser.add_argument("--build", dest="builds", action="append", type=pathlib.Path, help="a folder; of several, all are taken in turn")  # fmt: skip
    options = parser.parse_args()
    options.builds = options.builds or [ROOT / "build/release"]
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = options.programs
        if not programs:
            programs = sorted((ROOT / "docs/programs").glob("*.mlir"))
            programs += sorted((ROOT / "test/e2e/programs").glob("*.mlir"))[:: options.every]
            programs += lowered_workloads(folder)
        heads = [kind if len(options.builds) == 1 else f"{build.name}: {kind}" for build in options.builds for kind in KINDS]
        print("| program | " + " | ".join(heads) + " |\n" + "|---" * (1 + len(heads)) + "|")
        rows = measure(options, programs, folder / "package")
    if not rows:
        sys.exit("gpu_compile_time: no program was compiled for all kinds")
    sums = [sum(column) for column in zip(*rows)]
    means = [math.exp(sum(math.log(row[i] / row[0]) for row in rows) / len(rows)) for i in range(len(sums))]
    print(f"| sum of {len(rows)} | " + " | ".join(f"{t:.2f} s" for t in sums) + " |")
    print("| ratio of sums | " + " | ".join(f"{t / sums[0]:.2f}" for t in sums) + " |")
    print("| geometric mean of ratios | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")


if __name__ == "__main__":
    main()
