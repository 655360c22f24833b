#!/usr/bin/env python3
"""Compares this tree's build with that of another revision.

    scripts/against.py bench REV [OPTIONS OF bench.py]     both measured in turn, a table of ratios
    scripts/against.py kernels REV [--only REGEX]          whose programs' fusions, plans and code changed

The other revision is built in build/revisions, once. `kernels` compiles a corpus (the workloads of bench.py, the programs
of conformance.py, those of test/e2e and examples) ahead of time with both commands, for one CPU without regard to the
host's, so that two runs of one revision agree to the bit. It prints a line for each program that changed, writes the
differences to build/kernels/diff, and exits with 1 if there are any: a refactoring shows so that it did nothing.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import revisions

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "kernels"
SHARED = ROOT.parent / "shared"
# Stages whose dumps are compared, where both revisions have them.
STAGES = ("fuse", "plan")
# The CPU that the corpus is compiled for.
CPU = "x86-64-v3"


def shared(name):
    path = SHARED / name
    if not path.exists():
        sys.exit(f"against: {path} is missing")
    return path


def bench(revision, arguments):
    other, here = revisions.build(revision), revisions.this_build()
    specs = [
        f"tenon,label={label},env.TENON_PJRT_LIBRARY={build / 'lib' / 'libpjrt_tenon.so'}"
        for label, build in ((revision, other), ("here", here))
    ]
    return subprocess.run(
        [sys.executable, shared("bench/bench.py"), "compare", *specs, *arguments], check=False
    ).returncode


def export_corpus(folder):
    """JAX's programs, written once by the JAX of requirements-demo.txt and kept: the same for every revision."""
    stamp = folder / "complete"
    wanted = (ROOT / "requirements-demo.txt").read_text()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print("exporting the corpus", flush=True)
    environment = dict(os.environ, JAX_PLATFORMS="tenon")
    for name, command in (
        ("bench", [shared("bench/bench.py"), "export", folder / "bench"]),
        ("conformance", [shared("conformance/conformance.py"), "export", folder / "conformance", "--platform", "tenon"]),
    ):
        (folder / name).mkdir(parents=True, exist_ok=True)
        with open(folder / f"{name}.log", "w") as log:
            subprocess.run([sys.executable, *command], stdout=log, stderr=log, env=environment, check=True)
    # Inputs and results are gigabytes, and no use here.
    for data in folder.rglob("*.npy"):
        data.unlink()
    stamp.write_text(wanted)


def corpus(pattern):
    """Programs by name."""
    folder = WORK / "corpus"
    export_corpus(folder)
    programs = {}
    for path in sorted(folder.glob("*/*/*.mlir")):
        programs[f"{path.parent.parent.name}/{path.parent.name}"] = path
    for place in ("test/e2e/programs", "examples"):
        for path in sorted((ROOT / place).rglob("*.mlir")):
            programs[f"{place}/{path.stem}"] = path
    return {name: path for name, path in programs.items() if re.search(pattern, name)}


def run(*command):
    environment = dict(os.environ, TENON_KERNEL_CACHE="off")
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def compiled(tenon, program, folder):
    """What a revision makes of a program, by kind: text that is equal if nothing changed."""
    folder.mkdir(parents=True, exist_ok=True)
    # The command names each revision's program alike.
    code, _, errors = run(tenon, "compile", program, "--aot", folder, "--name", "program", "--cpu", CPU)
    made = {"errors": errors}
    if code == 0:
        _, made["code"], _ = run(
            "llvm-objdump-22", "-dr", "--no-show-raw-insn", "--no-leading-addr", "--no-addresses", folder / "program.o"
        )
        _, made["data"], _ = run("llvm-objdump-22", "-s", "-j", ".rodata*", "--no-addresses", folder / "program.o")
    for stage in STAGES:
        code, _, dump = run(tenon, "compile", program, "--cpu", CPU, "--dump-after", stage, "-o", "/dev/null")
        if code == 0:
            made[stage] = dump
    for path in folder.glob("program.*"):
        path.unlink()
    # Objects name the file that they are in, and kernels are named by digests of their ops: here by their place.
    names = {str(folder): ""}
    for i, name in enumerate(re.findall(r"^// (\w+): ", made.get("plan", ""), re.MULTILINE)):
        names[name] = f"{name.rpartition('_')[0]}_{i}"
    renamed = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
    return {kind: renamed.sub(lambda match: names[match[0]], text) for kind, text in made.items()}


def functions(disassembly):
    """Instructions by function."""
    found, current = {}, None
    for line in disassembly.splitlines():
        if match := re.match(r"<(.*)>:$", line):
            current = found.setdefault(match.group(1), [])
        elif current is not None and line.strip():
            current.append(line)
    return found


def changed_functions(old, new):
    """A few words for each function that is not the same in both."""
    before, after = functions(old), functions(new)
    words = []
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            words.append(f"-{name}")
        elif name not in before:
            words.append(f"+{name}")
        elif before[name] != after[name]:
            words.append(f"{name} ({len(before[name])} to {len(after[name])} instructions)")
    return words


def write_differences(name, old, new, kinds):
    folder = WORK / "diff" / name
    folder.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        sides = []
        for side, made in (("old", old), ("new", new)):
            path = folder / f"{kind}.{side}"
            path.write_text(made[kind])
            sides.append(path)
        _, text, _ = run("diff", "-u", *sides)
        (folder / f"{kind}.diff").write_text(text)


def compare(name, program, other, here):
    """What changed of a program, in words; none if nothing did."""
    old = compiled(other / "bin" / "tenon", program, WORK / "old" / name)
    new = compiled(here / "bin" / "tenon", program, WORK / "new" / name)
    # Stages that only one of the revisions has are no change; what only one of them compiles differs in its errors.
    kinds = [kind for kind in old if kind in new and old[kind] != new[kind]]
    if not kinds:
        return ""
    write_differences(name, old, new, kinds)
    words = ", ".join(kinds)
    if "code" in kinds:
        words += ": " + "; ".join(changed_functions(old["code"], new["code"]))
    return words


def kernels(revision, options):
    other, here = revisions.build(revision), revisions.this_build()
    programs = corpus(options.only)
    # Nothing of an earlier comparison stays.
    shutil.rmtree(WORK / "diff", ignore_errors=True)
    changed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        names = list(programs)
        results = pool.map(lambda name: compare(name, programs[name], other, here), names)
        for done, (name, words) in enumerate(zip(names, results), 1):
            if words:
                changed += 1
                print(f"{name}: {words}", flush=True)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(names)}", end="\r", file=sys.stderr, flush=True)
    print(f"{len(programs)} programs, {changed} changed" + (f"; see {WORK / 'diff'}" if changed else ""))
    return int(changed > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("bench", "kernels"))
    parser.add_argument("revision", metavar="REV", help="as git names it")
    options, rest = parser.parse_known_args()
    if options.what == "bench":
        return bench(options.revision, rest)
    more = argparse.ArgumentParser(prog="against.py kernels REV")
    more.add_argument("--only", default="", help="programs whose names match this expression")
    return kernels(options.revision, more.parse_args(rest))


if __name__ == "__main__":
    sys.exit(main())
